//! The plain parameters of a link: `&view=pages&step=12`.

use super::percent::{decode_value, encode, push_encoded};
use super::{Decoded, LinkState, LinkVariant};

/// The parameters behind a packed state, each with its `&`.
pub(super) fn write(state: &LinkState) -> String {
    let mut out = String::new();
    let mut add = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            out.push('&');
            out.push_str(name);
            out.push('=');
            out.push_str(&encode(value));
        }
    };
    add("view", state.view.as_deref());
    add("theme", state.theme.as_deref());
    add("step", state.step.map(|step| step.to_string()).as_deref());
    // Chat tools leave these out of a link at its end.
    if let Some(last) = out
        .bytes()
        .last()
        .filter(|b| matches!(b, b'_' | b'-' | b'.' | b'='))
    {
        out.pop();
        if last == b'=' {
            out.push(char::from(last));
            out.push('&');
        } else {
            push_encoded(&mut out, last);
        }
    }
    out
}

/// Reads parameters into `decoded`; what cannot be read is remarked.
pub(super) fn read(params: &str, decoded: &mut Decoded) {
    for part in params.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let value = decode_value(value);
        let state = &mut decoded.state;
        let understood = match name {
            "src" => {
                state.text = value.clone();
                true
            }
            "variants" => {
                let separator = if value.contains(';') { ';' } else { ',' };
                state.variants = variants(&value, separator, ':');
                true
            }
            "maps" => {
                state.maps = Some(value.clone());
                true
            }
            "view" => word(&value).map(|view| state.view = Some(view)).is_some(),
            "theme" => word(&value)
                .map(|theme| state.theme = Some(theme))
                .is_some(),
            "step" => number(&value).map(|step| state.step = Some(step)).is_some(),
            "pid" => number(&value).map(|pid| state.pid = Some(pid)).is_some(),
            _ => false,
        };
        if !understood {
            let name = crate::parse::excerpt(name);
            let value = crate::parse::excerpt(&value);
            decoded.remarks.push(format!(
                "`{name}={value}` in the link was not understood and is left out"
            ));
        }
    }
}

/// A number; what chat tools leave behind a link (`)`, `.`, `>`) does not count.
fn number<T: std::str::FromStr>(value: &str) -> Option<T> {
    value
        .trim_end_matches([')', '.', ',', '>', ']', ';'])
        .parse()
        .ok()
}

/// An id: empty or longer ones are none.
fn word(value: &str) -> Option<String> {
    let value = value.trim_end_matches([')', ',', '>', ']', ';']);
    (!value.is_empty() && value.len() <= 64).then(|| value.to_owned())
}

/// `6.8,6.18:contpte,6.18:contpte:altra`, with these separators.
pub(super) fn variants(text: &str, between: char, within: char) -> Vec<LinkVariant> {
    text.split(between)
        .filter(|variant| !variant.is_empty())
        .take(64)
        .map(|variant| {
            let mut parts = variant.splitn(3, within).map(str::to_owned);
            LinkVariant {
                kernel: parts.next().unwrap_or_default(),
                memory: parts.next().unwrap_or_default(),
                cpu: parts.next().unwrap_or_default(),
            }
        })
        .collect()
}

/// The same as text.
pub(super) fn variants_text(variants: &[LinkVariant], between: char, within: char) -> String {
    let texts: Vec<_> = variants
        .iter()
        .map(|variant| {
            let parts = [&variant.kernel, &variant.memory, &variant.cpu];
            let text = parts.map(String::as_str).join(&within.to_string());
            // all three are the default: one separator says so
            match text.trim_end_matches(within) {
                "" => within.to_string(),
                text => text.to_owned(),
            }
        })
        .collect();
    texts.join(&between.to_string())
}
