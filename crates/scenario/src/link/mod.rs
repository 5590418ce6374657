//! Share links: all of a playground's state in a URL's fragment, without a server.
//!
//! - `#v1/PAYLOAD&view=…&step=…&theme=…` is what [`encode`] makes: the scenario and its variants
//!   packed, what a reader may want to change by hand in plain words behind it.
//! - `#src=PERCENT-ENCODED&variants=…&maps=…&pid=…&view=…&step=…&theme=…` can be written by hand
//!   or by any program.
//!
//! Links are for ever. A version's reader is never changed; a new version adds a reader of its own
//! and one step in [`upgrade`] from the version before it. A link of a version that is not known
//! yet says so.

mod error;
mod params;
mod percent;
mod phrases_v1;
mod upgrade;
mod v1;

use serde::{Deserialize, Serialize};

use crate::limits::{LINK_CHAT_CHARS, LINK_PACKED_BYTES, LINK_UNPACKED_BYTES};

pub use error::LinkError;
use upgrade::Document;

/// Everything a link carries. A field at its default takes no room in the link.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkState {
    /// The scenario.
    pub text: String,
    /// The variants; empty means the default comparison.
    pub variants: Vec<LinkVariant>,
    /// The starting `/proc/PID/maps`, if any.
    pub maps: Option<String>,
    /// The view that is open, for example `space`.
    pub view: Option<String>,
    /// The step shown, from 0.
    pub step: Option<u64>,
    /// `light` or `dark`; `None` follows the reader's own.
    pub theme: Option<String>,
    /// The process of a trace.
    pub pid: Option<i64>,
}

/// One variant by its ids; an empty id means the default one.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkVariant {
    /// Kernel id, for example `6.12`.
    pub kernel: String,
    /// Memory id, for example `contpte`.
    pub memory: String,
    /// CPU id.
    pub cpu: String,
}

/// A link that was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decoded {
    /// What it carries.
    pub state: LinkState,
    /// Parameters that were read over, each in a sentence. They are never fatal: the scenario
    /// matters more than the step shown.
    pub remarks: Vec<String>,
}

/// Newest version, the one that [`encode`] writes.
pub const VERSION: u32 = 1;

/// The fragment, with its `#`, that carries `state`. It never ends in a character that chat tools
/// leave out of links (`_`, `-`, `.`).
///
/// # Errors
/// [`LinkError::TooLong`] where the state is too large for any link.
pub fn encode(state: &LinkState) -> Result<String, LinkError> {
    let document = document_of(state);
    let params = params::write(state);
    let payload = v1::pack(&document, params.is_empty())?;
    let link = format!("#v{VERSION}/{payload}{params}");
    if link.len() > LINK_PACKED_BYTES {
        return Err(LinkError::TooLong {
            bytes: link.len(),
            limit: LINK_PACKED_BYTES,
        });
    }
    Ok(link)
}

/// Whether `link` is longer than what chat tools pass on whole, so that a file serves better.
#[must_use]
pub fn is_too_long_for_chat(link: &str) -> bool {
    link.chars().count() > LINK_CHAT_CHARS
}

/// The state in a fragment (with or without `#`) or in a whole URL.
///
/// # Errors
/// Where it is not a link, is damaged, too large, or of a newer version.
pub fn decode(link: &str) -> Result<LinkState, LinkError> {
    decode_with_remarks(link).map(|decoded| decoded.state)
}

/// As [`decode`], and what was read over on the way.
///
/// # Errors
/// As [`decode`].
pub fn decode_with_remarks(link: &str) -> Result<Decoded, LinkError> {
    if link.len() > LINK_PACKED_BYTES {
        return Err(LinkError::TooLong {
            bytes: link.len(),
            limit: LINK_PACKED_BYTES,
        });
    }
    let fragment = link
        .split_once('#')
        .map_or(link, |(_, fragment)| fragment)
        .trim();
    if fragment.is_empty() {
        return Err(LinkError::Empty);
    }
    if let Some(decoded) = read(fragment)? {
        return Ok(decoded);
    }
    // Chat tools like to encode a link once more.
    let mut again = fragment.to_owned();
    for _ in 0..2 {
        again = percent::decode(&again);
        if let Some(decoded) = read(&again)? {
            return Ok(decoded);
        }
    }
    Err(LinkError::NotALink)
}

/// Reads a fragment of a known form; `None` if it has none.
fn read(fragment: &str) -> Result<Option<Decoded>, LinkError> {
    if let Some((version, rest)) = versioned(fragment) {
        if version > VERSION {
            return Err(LinkError::NewerVersion {
                version,
                known: VERSION,
            });
        }
        let (payload, params) = rest.split_once('&').unwrap_or((rest, ""));
        let document = match version {
            1 => v1::unpack(payload)?,
            _ => return Err(LinkError::NotALink),
        };
        let document = upgrade::to_current(document)?;
        let mut decoded = Decoded {
            state: state_of(document)?,
            remarks: Vec::new(),
        };
        params::read(params, &mut decoded);
        return Ok(Some(decoded));
    }
    let has_source = fragment.split('&').any(|part| part.starts_with("src="));
    if !has_source {
        return Ok(None);
    }
    let mut decoded = Decoded::default();
    params::read(fragment, &mut decoded);
    if decoded.state.text.len() > LINK_UNPACKED_BYTES {
        return Err(LinkError::TooLarge {
            limit: LINK_UNPACKED_BYTES,
        });
    }
    Ok(Some(decoded))
}

/// `v12/rest`
fn versioned(fragment: &str) -> Option<(u32, &str)> {
    let (version, rest) = fragment.strip_prefix('v')?.split_once('/')?;
    let digits =
        !version.is_empty() && version.len() <= 6 && version.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| Some((version.parse().ok()?, rest)))?
}

fn document_of(state: &LinkState) -> Document {
    let mut document = Document::new(VERSION);
    document.set("text", state.text.clone());
    document.set(
        "variants",
        params::variants_text(&state.variants, '\n', '\t'),
    );
    document.set("maps", state.maps.clone().unwrap_or_default());
    document.set(
        "pid",
        state.pid.map(|pid| pid.to_string()).unwrap_or_default(),
    );
    document
}

fn state_of(mut document: Document) -> Result<LinkState, LinkError> {
    let maps = document.take("maps");
    let pid = document.take("pid");
    Ok(LinkState {
        text: document.take("text"),
        variants: params::variants(&document.take("variants"), '\n', '\t'),
        maps: Some(maps).filter(|maps| !maps.is_empty()),
        pid: match pid.as_str() {
            "" => None,
            digits => Some(digits.parse().map_err(|_| LinkError::Damaged)?),
        },
        ..LinkState::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario() -> LinkState {
        LinkState {
            text:
                "heap = mmap(NULL, 32K, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)\n\
                   store(heap, 32K)\nmseal(heap + 8K, 4K, 0)\nmprotect(heap, 16K, PROT_READ)\n"
                    .to_owned(),
            ..LinkState::default()
        }
    }

    fn everything() -> LinkState {
        LinkState {
            variants: vec![
                LinkVariant {
                    kernel: "6.8".into(),
                    ..LinkVariant::default()
                },
                LinkVariant {
                    memory: "4k,folio=32k,contpte".into(),
                    cpu: "altra".into(),
                    ..LinkVariant::default()
                },
            ],
            maps: Some("00400000-00401000 r--p 00000000 fe:00 1 /a b\n".into()),
            view: Some("pages".into()),
            step: Some(12),
            theme: Some("dark".into()),
            pid: Some(-4),
            ..scenario()
        }
    }

    #[test]
    fn a_link_brings_back_what_it_was_made_of() {
        for state in [LinkState::default(), scenario(), everything()] {
            let link = encode(&state).expect("fits");
            assert_eq!(decode(&link), Ok(state.clone()), "{link}");
            assert_eq!(
                decode(&format!("https://example.org/sealab/?x=1{link}")),
                Ok(state)
            );
        }
    }

    #[test]
    fn a_short_scenario_has_a_short_link() {
        let link = encode(&scenario()).expect("fits");
        assert!(link.len() < 90, "{} characters: {link}", link.len());
    }

    #[test]
    fn links_end_in_a_character_that_stays_in_them() {
        for n in 0..2_000_u64 {
            let state = LinkState {
                text: format!("load({n}, {})", n * n),
                step: (n % 3 == 0).then_some(n),
                view: (n % 5 == 0).then(|| "x-".to_owned()),
                ..LinkState::default()
            };
            let link = encode(&state).expect("fits");
            assert!(!link.ends_with(['_', '-', '.']), "{link}");
            assert_eq!(decode(&link), Ok(state), "{link}");
        }
    }

    #[test]
    fn what_chat_tools_do_to_a_link_is_undone() {
        let state = scenario();
        let link = encode(&state).expect("fits");
        let encoded = percent::encode(&link[1..]);
        assert_eq!(decode(&format!("#{encoded}")), Ok(state.clone()));
        assert_eq!(
            decode(&format!("#{}", percent::encode(&encoded))),
            Ok(state.clone())
        );
        assert_eq!(decode(&format!("<{link}>")), Ok(state.clone()));
        assert_eq!(decode(&format!("{link}).")), Ok(state.clone()));
        let (head, tail) = link.split_at(20);
        assert_eq!(decode(&format!("{head}\r\n {tail}")), Ok(state));
    }

    #[test]
    fn hand_written_links_are_read() {
        let link = "#src=brk(NULL)%0Aload(a%20%2B%204K%2C%201)&variants=6.8,6.18:contpte&step=3&view=pages&pid=12";
        let state = decode(link).expect("readable");
        assert_eq!(state.text, "brk(NULL)\nload(a + 4K, 1)");
        assert_eq!(state.variants.len(), 2);
        assert_eq!(state.variants[1].memory, "contpte");
        assert_eq!(
            (state.step, state.view.as_deref(), state.pid),
            (Some(3), Some("pages"), Some(12))
        );
        // as URLSearchParams writes it
        assert_eq!(
            decode("#src=load(a+%2B+4K%2C+1)").expect("readable").text,
            "load(a + 4K, 1)"
        );
        // encoded twice
        assert_eq!(
            decode("#src=brk%2528NULL%2529").expect("readable").text,
            "brk(NULL)"
        );
        // not encoded at all
        assert_eq!(
            decode("#src=load(a+4K, 1)").expect("readable").text,
            "load(a+4K, 1)"
        );
    }

    #[test]
    fn bad_parameters_are_read_over_and_named() {
        let decoded = decode_with_remarks("#src=brk(0)&step=x&colour=red&pid=").expect("readable");
        assert_eq!(decoded.state.text, "brk(0)");
        assert_eq!(decoded.remarks.len(), 3, "{:?}", decoded.remarks);
    }

    #[test]
    fn faults_have_names_and_remedies() {
        assert_eq!(decode(""), Err(LinkError::Empty));
        assert_eq!(decode("#about"), Err(LinkError::NotALink));
        assert_eq!(
            decode("#v2/AAAA"),
            Err(LinkError::NewerVersion {
                version: 2,
                known: 1
            })
        );
        assert_eq!(decode("#v1/"), Err(LinkError::Damaged));
        assert_eq!(decode("#v1/!!!!"), Err(LinkError::Damaged));
        assert!(
            LinkError::NewerVersion {
                version: 2,
                known: 1
            }
            .to_string()
            .contains("newer")
        );
    }

    #[test]
    fn truncated_and_altered_links_are_noticed() {
        let state = everything();
        let link = encode(&state).expect("fits");
        let payload_end = link.find('&').expect("has parameters");
        for end in 4..payload_end {
            let cut = decode(&link[..end]);
            assert!(
                matches!(cut, Err(LinkError::Damaged | LinkError::Empty)),
                "{end}: {cut:?}"
            );
        }
        let mut unnoticed = 0;
        for at in 4..payload_end {
            let other = if link.as_bytes()[at] == b'A' {
                "B"
            } else {
                "A"
            };
            let altered = format!("{}{other}{}", &link[..at], &link[at + 1..]);
            unnoticed += usize::from(decode(&altered).is_ok());
        }
        assert!(unnoticed <= 1, "{unnoticed} alterations pass the checksum");
    }
}
