//! Version 1 of the packed form. Frozen: links made with it must be read for ever.
//!
//! Base64url of: one byte that says how it is packed (bit 0 deflate, bit 1 phrases, bit 2 a filler
//! byte at the end), a 16-bit checksum of what is packed (little endian), and the document: for
//! each field its number, its length (LEB128) and its UTF-8 bytes. With phrases, frequent
//! sequences are one or two bytes (see [`super::phrases_v1`]). With deflate, all of the document
//! is a raw deflate stream. Whatever is shortest is used.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use super::upgrade::Document;
use super::{LinkError, phrases_v1};
use crate::limits::LINK_UNPACKED_BYTES;

const DEFLATE: u8 = 1;
const PHRASES: u8 = 2;
const FILLER: u8 = 4;

/// The fields by number. Never renumbered.
const FIELDS: &[(u8, &str)] = &[(1, "text"), (2, "variants"), (3, "maps"), (4, "pid")];

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Packs a document; `at_end` if nothing follows it in the link.
pub(super) fn pack(document: &Document, at_end: bool) -> Result<String, LinkError> {
    let plain = fields(document, false);
    if plain.len() > LINK_UNPACKED_BYTES {
        return Err(LinkError::TooLarge {
            limit: LINK_UNPACKED_BYTES,
        });
    }
    let phrased = fields(document, true);
    let candidates = [
        (DEFLATE, compress_to_vec(&plain, 9)),
        (DEFLATE | PHRASES, compress_to_vec(&phrased, 9)),
        (PHRASES, phrased),
        (0, plain.clone()),
    ];
    let shortest = candidates.into_iter().min_by_key(|(_, bytes)| bytes.len());
    let (method, body) = shortest.unwrap_or_default();
    let mut bytes = Vec::with_capacity(body.len() + 4);
    bytes.push(method);
    bytes.extend(checksum(&plain).to_le_bytes());
    bytes.extend(body);
    let text = BASE64.encode(&bytes);
    if !(at_end && text.ends_with(['-', '_'])) {
        return Ok(text);
    }
    // One more byte, of zeros, and the last letter is an `A`.
    if let Some(method) = bytes.first_mut() {
        *method |= FILLER;
    }
    bytes.push(0);
    Ok(BASE64.encode(&bytes))
}

/// Unpacks a document. Blanks within the payload and marks behind it do not count: mail and chat
/// programs put them there.
pub(super) fn unpack(payload: &str) -> Result<Document, LinkError> {
    let trimmed =
        payload.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
    let letters: String = trimmed
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .map(|c| match c {
            '+' => '-',
            '/' => '_',
            c => c,
        })
        .collect();
    let bytes = BASE64.decode(letters).map_err(|_| LinkError::Damaged)?;
    let [method, low, high, body @ ..] = bytes.as_slice() else {
        return Err(LinkError::Damaged);
    };
    if method & !(DEFLATE | PHRASES | FILLER) != 0 {
        return Err(LinkError::Damaged);
    }
    let body = match (method & FILLER != 0, body) {
        (false, body) => body,
        (true, [body @ .., 0]) => body,
        (true, _) => return Err(LinkError::Damaged),
    };
    let inflated;
    let body = if method & DEFLATE == 0 {
        body
    } else {
        inflated =
            decompress_to_vec_with_limit(body, LINK_UNPACKED_BYTES).map_err(|error| match error
                .status
            {
                TINFLStatus::HasMoreOutput => LinkError::TooLarge {
                    limit: LINK_UNPACKED_BYTES,
                },
                _ => LinkError::Damaged,
            })?;
        &inflated
    };
    let document = document(body, method & PHRASES != 0)?;
    if checksum(&fields(&document, false)) != u16::from_le_bytes([*low, *high]) {
        return Err(LinkError::Damaged);
    }
    Ok(document)
}

fn fields(document: &Document, phrases: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, name) in FIELDS {
        let Some(value) = document.fields.get(*name).filter(|value| !value.is_empty()) else {
            continue;
        };
        let bytes = if phrases {
            phrases_v1::shorten(value)
        } else {
            value.as_bytes().to_vec()
        };
        out.push(*number);
        push_length(&mut out, bytes.len());
        out.extend(bytes);
    }
    out
}

fn document(mut bytes: &[u8], phrases: bool) -> Result<Document, LinkError> {
    let mut document = Document::new(1);
    let mut room = LINK_UNPACKED_BYTES;
    while let Some((number, rest)) = bytes.split_first() {
        let name = FIELDS
            .iter()
            .find(|(known, _)| known == number)
            .map(|(_, name)| *name);
        let (length, rest) = take_length(rest).ok_or(LinkError::Damaged)?;
        let (value, rest) = rest.split_at_checked(length).ok_or(LinkError::Damaged)?;
        bytes = rest;
        let value = if phrases {
            phrases_v1::lengthen(value, room)?
        } else {
            value.to_vec()
        };
        room = room.saturating_sub(value.len());
        let value = String::from_utf8(value).map_err(|_| LinkError::Damaged)?;
        let name = name.ok_or(LinkError::Damaged)?;
        if document.fields.insert(name.to_owned(), value).is_some() {
            return Err(LinkError::Damaged);
        }
    }
    Ok(document)
}

fn push_length(out: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

fn take_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut length = 0_usize;
    for (index, byte) in bytes.iter().enumerate().take(4) {
        length |= usize::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((length, bytes.get(index + 1..)?));
        }
    }
    None
}

/// FNV-1a, folded to 16 bits: enough to notice a link that was cut or mistyped.
fn checksum(bytes: &[u8]) -> u16 {
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    (hash >> 16) as u16 ^ hash as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_frozen() {
        assert_eq!(checksum(b""), 0x1cd9);
        assert_eq!(checksum(b"heap"), 7862);
    }

    #[test]
    fn bombs_are_refused() {
        let zeros = compress_to_vec(&vec![0; LINK_UNPACKED_BYTES + 1], 9);
        let mut bytes = vec![DEFLATE, 0, 0];
        bytes.extend(zeros);
        let link = BASE64.encode(bytes);
        assert!(link.len() < 100_000);
        assert_eq!(
            unpack(&link),
            Err(LinkError::TooLarge {
                limit: LINK_UNPACKED_BYTES
            })
        );
        // phrases within phrases: the longest phrase, as often as fits
        let mut document = Document::new(1);
        document.set("text", "x".into());
        let longest = phrases_v1::longest_code();
        let many: Vec<u8> = longest
            .iter()
            .copied()
            .cycle()
            .take(longest.len() * 2_000_000)
            .collect();
        let mut body = vec![1];
        push_length(&mut body, many.len());
        body.extend(many);
        let mut bytes = vec![DEFLATE | PHRASES, 0, 0];
        bytes.extend(compress_to_vec(&body, 9));
        assert_eq!(
            unpack(&BASE64.encode(bytes)),
            Err(LinkError::TooLarge {
                limit: LINK_UNPACKED_BYTES
            })
        );
    }

    #[test]
    fn lengths_are_written_and_read() {
        for length in [0, 1, 127, 128, 300, 16_383, 16_384, 2_000_000] {
            let mut out = Vec::new();
            push_length(&mut out, length);
            assert_eq!(take_length(&out), Some((length, &[][..])));
        }
        assert_eq!(take_length(&[0xff; 8]), None);
    }
}
