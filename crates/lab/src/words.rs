//! Quantities and lists in English, for sentences and views.

/// A size as sentences have it: `8 KiB`, `2052 KiB`, `12 bytes`.
#[must_use]
pub fn size(bytes: u64) -> String {
    match scaled(bytes) {
        (_, 0) if bytes == 1 => "1 byte".to_owned(),
        (value, 0) => format!("{value} bytes"),
        (value, unit) => format!("{value} {}iB", UNITS[unit]),
    }
}

/// A size as labels have it: `8K`, `2052K`, `12`.
#[must_use]
pub fn short_size(bytes: u64) -> String {
    let (value, unit) = scaled(bytes);
    format!("{value}{}", UNITS[unit])
}

const UNITS: [&str; 7] = ["", "K", "M", "G", "T", "P", "E"];

/// The size in the largest unit in which it is whole; where that takes more than four digits, in
/// the largest unit at all, with one digit after the point.
fn scaled(bytes: u64) -> (String, usize) {
    if bytes == 0 {
        return ("0".to_owned(), 0);
    }
    let whole = (bytes.trailing_zeros() / 10) as usize;
    let value = bytes >> (10 * whole);
    if value < 10_000 {
        return (value.to_string(), whole);
    }
    let unit = (bytes.ilog2() / 10) as usize;
    let one = 1_u64 << (10 * unit);
    // A unit has at most 2^60 bytes, so ten times a remainder fits 64 bits.
    let tenths = (bytes % one) * 10 / one;
    (format!("{}.{tenths}", bytes / one), unit)
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [init @ .., last] => {
            let init: Vec<&str> = init.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", init.join(", "), last.as_ref())
        }
    }
}

/// `1 walk`, `3 walks`: `noun` with an s where there is not exactly one.
#[must_use]
pub fn count(n: u64, noun: &str) -> String {
    let n_text = grouped(n);
    if n == 1 {
        return format!("{n_text} {noun}");
    }
    let plural = match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o']) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{n_text} {plural}")
}

/// A time as labels have it: `312 ns`, `3.1 µs`, `1.2 ms`.
#[must_use]
pub fn duration(ns: f64) -> String {
    const STEPS: [(f64, &str); 3] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    for (one, unit) in STEPS {
        if ns >= one {
            return format!("{:.1} {unit}", ns / one);
        }
    }
    format!("{ns:.0} ns")
}

/// A number with its thousands set apart: `1,048,576`.
#[must_use]
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        assert_eq!(size(8192), "8 KiB");
        assert_eq!(size(1), "1 byte");
        assert_eq!(size(1536), "1536 bytes");
        assert_eq!(size(12 << 10), "12 KiB");
        assert_eq!(size(u64::MAX), "15.9 EiB");
        assert_eq!(size((3 << 40) + 4096), "3.0 TiB");
        assert_eq!(short_size(0), "0");
        assert_eq!(short_size(2 << 20), "2M");
        assert_eq!(short_size((2 << 20) + 4096), "2052K");
    }

    #[test]
    fn durations_read_well() {
        assert_eq!(duration(312.4), "312 ns");
        assert_eq!(duration(3_140.0), "3.1 µs");
        assert_eq!(duration(2.5e9), "2.5 s");
    }

    #[test]
    fn lists_and_counts_read_well() {
        assert_eq!(list::<&str>(&[]), "");
        assert_eq!(list(&["6.8", "6.11", "6.12"]), "6.8, 6.11 and 6.12");
        assert_eq!(count(1, "entry"), "1 entry");
        assert_eq!(count(3, "entry"), "3 entries");
        assert_eq!(count(1_234_567, "walk"), "1,234,567 walks");
        assert_eq!(count(0, "day"), "0 days");
    }
}
