//! Percent-encoding, as in URLs.

/// Everything but letters, digits and `-_.~` encoded.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            push_encoded(&mut out, byte);
        }
    }
    out
}

/// `%2D` for a byte.
pub(super) fn push_encoded(out: &mut String, byte: u8) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    out.push('%');
    out.extend(DIGITS.get(usize::from(byte >> 4)));
    out.extend(DIGITS.get(usize::from(byte & 15)));
}

/// Undoes it; what is no encoding stays as it is, and what is no UTF-8 becomes U+FFFD.
pub(super) fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%'
            && let Some((high, low)) = digits(after)
        {
            out.push(high * 16 + low);
            rest = after.get(2..).unwrap_or(&[]);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn digits(bytes: &[u8]) -> Option<(u8, u8)> {
    let digit = |at: usize| {
        let value = char::from(*bytes.get(at)?).to_digit(16)?;
        u8::try_from(value).ok()
    };
    Some((digit(0)?, digit(1)?))
}

/// A value of a parameter. Whether `+` stands for a blank depends on who wrote the link: form
/// encoders write it so, and then write a real `+` as `%2B`.
pub(super) fn decode_value(value: &str) -> String {
    let has_blank = value.contains("%20") || value.contains(' ');
    let form = value.contains("%2B")
        || value.contains("%2b")
        || value.contains(",+")
        || value.contains("%2C+");
    let once = if !has_blank && form {
        decode(&value.replace('+', " "))
    } else {
        decode(value)
    };
    // Encoded twice: no call without a parenthesis.
    if !once.contains('(') && once.contains("%28") {
        return decode(&once);
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_is_undone() {
        for text in ["", "a b+c%20", "heap = mmap(…)\n", "%", "%zz", "100%"] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(decode("%zz%"), "%zz%");
        assert_eq!(decode("%ff"), "\u{fffd}");
    }
}
