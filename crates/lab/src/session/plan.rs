//! How many calls a program will make, as far as its text tells.

use sealab_scenario::program::{Arg, Program, StatementKind};

/// Calls that a run of `program` makes; 0 where a loop's count is only known while running.
#[must_use]
pub fn calls(program: &Program) -> u64 {
    let mut total = 0_u64;
    // Loops around the statement in hand: where each ends, and how often it runs in all.
    let mut around: Vec<(usize, u64)> = Vec::new();
    for (at, statement) in program.statements().iter().enumerate() {
        while around.last().is_some_and(|&(end, _)| end <= at) {
            around.pop();
        }
        let times = around.last().map_or(1, |&(_, times)| times);
        match &statement.kind {
            StatementKind::Call { .. } | StatementKind::Pattern { .. } => {
                total = total.saturating_add(times);
            }
            StatementKind::Trace { count, .. } => {
                total = total.saturating_add(times.saturating_mul(*count));
            }
            StatementKind::Repeat { id, end } => {
                let count = program.loops().get(id.0 as usize).map(|info| info.count);
                let Some(Arg::Const(count)) = count else {
                    return 0;
                };
                around.push((end.0 as usize, times.saturating_mul(count)));
            }
            StatementKind::Let { .. } | StatementKind::Measure { .. } => {}
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_scenario::{ParseOptions, parse};

    #[test]
    fn loops_multiply() {
        let text = "munmap(0x1000, 4K)\nrepeat 10 { munmap(0x1000, 4K)\n repeat 5 { munmap(0x1000, 4K) } }\nmunmap(0x1000, 4K)";
        let parsed = parse(text, &ParseOptions::default());
        assert_eq!(calls(&parsed.program), 1 + 10 + 50 + 1);
    }
}
