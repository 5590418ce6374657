//! What decides the step: the editor's line and the slider move each other.

use sealab_protocol::Overview;

/// What decides the step that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// The first difference, or the end where there is none.
    #[default]
    Finding,
    /// This step, as far as there are so many.
    Step(usize),
    /// The call on this line of the editor, or the last one above it; of several, the one nearest
    /// to `near`.
    Line {
        /// The line, from 1.
        line: u32,
        /// The step shown before.
        near: usize,
    },
}

impl Follow {
    /// The step in this run.
    pub fn resolve(self, overview: &Overview) -> usize {
        let last = overview.lines.len();
        match self {
            Self::Step(step) => step.min(last),
            Self::Finding => {
                let of_finding = overview.differences.iter().find_map(|d| d.call);
                of_finding.map_or(last, |call| call.saturating_add(1).min(last))
            }
            Self::Line { line, near } => step_of_line(&overview.lines, line, near),
        }
    }
}

/// Steps are in the order of time, so that in a loop lines go back and come again.
fn step_of_line(lines: &[u32], line: u32, near: usize) -> usize {
    let Some(&best) = lines.iter().filter(|&&l| l <= line).max() else {
        return 0;
    };
    let steps = lines.iter().enumerate().filter(|&(_, &l)| l == best);
    steps
        .map(|(index, _)| index + 1)
        .min_by_key(|step| step.abs_diff(near))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sealab_protocol::Difference;

    fn overview(lines: &[u32], finding: Option<usize>) -> Overview {
        Overview {
            lines: lines.to_vec(),
            differences: finding
                .map(|call| Difference {
                    call: Some(call),
                    ..Difference::default()
                })
                .into_iter()
                .collect(),
            ..Overview::default()
        }
    }

    #[test]
    fn opens_at_the_first_difference_else_at_the_end() {
        assert_eq!(Follow::Finding.resolve(&overview(&[2, 3, 4], Some(1))), 2);
        assert_eq!(Follow::Finding.resolve(&overview(&[2, 3, 4], None)), 3);
        assert_eq!(Follow::Finding.resolve(&overview(&[], None)), 0);
    }

    #[test]
    fn a_line_between_calls_belongs_to_the_call_above() {
        let overview = overview(&[2, 4, 7], None);
        let at = |line| Follow::Line { line, near: 0 }.resolve(&overview);
        assert_eq!(
            [at(1), at(2), at(3), at(4), at(6), at(99)],
            [0, 1, 1, 2, 2, 3]
        );
    }

    #[test]
    fn in_a_loop_the_nearest_turn_is_taken() {
        let overview = overview(&[1, 3, 4, 3, 4, 3, 4], None);
        let at = |near| Follow::Line { line: 3, near }.resolve(&overview);
        assert_eq!([at(0), at(3), at(4), at(7)], [2, 2, 4, 6]);
    }

    #[test]
    fn a_step_beyond_the_end_is_the_end() {
        assert_eq!(Follow::Step(9).resolve(&overview(&[1, 2], None)), 2);
    }
}
