//! A case's calls, as the scenario's own parser reads them.

use sealab_core::call::{Call, Outcome};
use sealab_scenario::program::Expected;
use sealab_scenario::{EvalContext, Event, Interp, ParseOptions, parse};

use super::outcome_text;

/// A recorded call and how it ended.
pub struct Recorded {
    /// Line in the trace, from 1.
    pub line: u32,
    /// The call in strace's style, without its result.
    pub text: String,
    /// The call.
    pub call: Call,
    /// How it ended.
    pub expected: Expected,
    /// The same as strace prints it.
    pub result: String,
}

/// The calls of `trace`, in order.
///
/// # Errors
/// The first fault of the text, or a call without a result.
pub fn calls(trace: &str) -> Result<Vec<Recorded>, String> {
    let parsed = parse(trace, &ParseOptions::default());
    let faults = parsed.diagnostics.iter();
    if let Some(fault) = faults.into_iter().find(|d| d.is_error()) {
        return Err(format!("line {}: {}", fault.line, fault.message));
    }
    if let Some((name, _)) = parsed.skipped.first_key_value() {
        return Err(format!("{name} is no call that is replayed"));
    }
    if let Some(note) = parsed.notes.first() {
        return Err(format!("line {} is no call", note.line));
    }
    let mut interp = Interp::new(&parsed.program, EvalContext::default());
    let mut calls = Vec::new();
    loop {
        match interp.next_event() {
            Event::Call(step) => {
                let expected = step
                    .expected
                    .filter(|e| *e != Expected::Unknown)
                    .ok_or_else(|| format!("line {} has no result", step.line))?;
                interp.answer(match expected {
                    Expected::Value(value) => Outcome::Value(value),
                    _ => Outcome::Value(0),
                });
                calls.push(Recorded {
                    line: step.line,
                    text: step.text(),
                    call: step.call,
                    expected,
                    result: match expected {
                        Expected::Value(value) => outcome_text(Outcome::Value(value)),
                        Expected::Errno(errno) => outcome_text(Outcome::Errno(errno)),
                        Expected::Signal(signal) => outcome_text(Outcome::Signal(signal)),
                        other => format!("{other:?}"),
                    },
                });
            }
            Event::Error(fault) => return Err(format!("line {}: {}", fault.line, fault.message)),
            Event::Done => return Ok(calls),
            _ => {}
        }
    }
}
