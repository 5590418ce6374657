//! Single values as recordings write them.

use sealab_scenario::calls;

/// A number: decimal, `0x` hexadecimal, `0` octal, negative ones wrapping; or flags by name,
/// joined by `|`. A comment that strace adds is left out.
///
/// # Errors
/// The part that is neither, in words.
pub fn number(word: &str) -> Result<u64, String> {
    let parts = word.split('|');
    parts.map(one).try_fold(0, |sum, n| Ok(sum | n?))
}

fn one(part: &str) -> Result<u64, String> {
    let part = part.split("/*").next().unwrap_or("").trim();
    if part == "NULL" {
        return Ok(0);
    }
    if let Some(flag) = calls::flag(part) {
        return Ok(flag.flag.value);
    }
    let parsed = if let Some(hex) = part.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if part.starts_with('-') {
        part.parse::<i64>().map(i64::cast_unsigned)
    } else if part.len() > 1 && part.starts_with('0') {
        u64::from_str_radix(part, 8)
    } else {
        part.parse()
    };
    parsed.map_err(|_| format!("neither a number nor a flag: {part:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_flags_are_read() {
        assert_eq!(number("PROT_READ|PROT_WRITE"), Ok(3));
        assert_eq!(number("0x20 /* MAP_??? */|0600"), Ok(0x20 | 0o600));
        assert_eq!(number("-1"), Ok(u64::MAX));
        assert!(number("PROT_REED").is_err());
    }
}
