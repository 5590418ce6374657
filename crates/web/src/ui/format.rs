//! Numbers as people read them.

/// `1234567` as `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A time in nanoseconds with the unit that fits, three digits of it.
pub fn nanoseconds(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        x if !x.is_finite() => return "–".to_owned(),
        x if x < 1e3 => (ns, "ns"),
        x if x < 1e6 => (ns / 1e3, "µs"),
        x if x < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    let digits = match value.abs() {
        x if unit == "ns" || x >= 100.0 => 0,
        x if x >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {unit}")
}

/// How much more `value` is than `base`, as `+4.4 %`; `None` where that says nothing.
pub fn percent_change(value: f64, base: f64) -> Option<String> {
    let change = (value / base - 1.0) * 100.0;
    (change.is_finite() && change.abs() >= 0.05).then(|| {
        format!(
            "{}{:.1} %",
            if change < 0.0 { "−" } else { "+" },
            change.abs()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        let counts = [0, 999, 1000, 65530, 1_234_567].map(count);
        assert_eq!(counts, ["0", "999", "1,000", "65,530", "1,234,567"]);
    }

    #[test]
    fn times_have_a_fitting_unit() {
        let times = [0.0, 312.4, 3_120.0, 45_600.0, 1_234_567.0, 2.5e9].map(nanoseconds);
        assert_eq!(
            times,
            ["0 ns", "312 ns", "3.12 µs", "45.6 µs", "1.23 ms", "2.50 s"]
        );
    }

    #[test]
    fn no_change_and_no_base_say_nothing() {
        assert_eq!(percent_change(104.4, 100.0).as_deref(), Some("+4.4 %"));
        assert_eq!(percent_change(95.6, 100.0).as_deref(), Some("−4.4 %"));
        assert_eq!(percent_change(100.0, 100.0), None);
        assert_eq!(percent_change(1.0, 0.0), None);
    }
}
