//! What the reader sees: one line when a step starts, one with its duration when it ends.

use std::time::{Duration, Instant};

use crate::fail::Result;

/// Runs `work`, saying what it is and why before, and how long it took after.
pub fn step<T>(what: &str, why: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("▸ {what}: {why}");
    let start = Instant::now();
    let result = work();
    let took = seconds(start.elapsed());
    match &result {
        Ok(_) => println!("✓ {what} ({took})"),
        Err(_) => println!("✗ {what} ({took})"),
    }
    result
}

/// Says that something needed is there already.
pub fn present(what: &str, why: &str) {
    println!("✓ {what}: {why}");
}

/// Says the outcome of a command.
pub fn done(what: &str) {
    println!("✓ {what}");
}

/// A duration as a person reads it: `4.2 s`, `3 min 20 s`.
pub fn seconds(duration: Duration) -> String {
    let whole = duration.as_secs();
    if whole < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(seconds(Duration::from_millis(4240)), "4.2 s");
        assert_eq!(seconds(Duration::from_millis(59_999)), "60.0 s");
        assert_eq!(seconds(Duration::from_secs(200)), "3 min 20 s");
    }
}
