//! Old versions' documents made into the present one's, one step at a time.

use std::collections::BTreeMap;

use super::{LinkError, VERSION};

/// A link's state between its packed form and [`super::LinkState`]: named texts. A field that is
/// not there is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Document {
    pub version: u32,
    pub fields: BTreeMap<String, String>,
}

impl Document {
    pub fn new(version: u32) -> Self {
        Self {
            version,
            fields: BTreeMap::new(),
        }
    }

    pub fn set(&mut self, name: &str, value: String) {
        if !value.is_empty() {
            self.fields.insert(name.to_owned(), value);
        }
    }

    pub fn take(&mut self, name: &str) -> String {
        self.fields.remove(name).unwrap_or_default()
    }
}

/// A step from one version to the next.
type Step = fn(Document) -> Result<Document, LinkError>;

/// `STEPS[i]` makes version `i + 2` out of version `i + 1`. None is ever changed or removed.
const STEPS: &[Step] = &[];

/// Makes a document of the present version.
pub(super) fn to_current(document: Document) -> Result<Document, LinkError> {
    climb(document, STEPS, VERSION)
}

/// Applies the steps from the document's version up to `version`.
fn climb(mut document: Document, steps: &[Step], version: u32) -> Result<Document, LinkError> {
    while document.version < version {
        let from = document.version;
        let step = from
            .checked_sub(1)
            .and_then(|index| steps.get(index as usize))
            .ok_or(LinkError::NotALink)?;
        document = step(document)?;
        document.version = from + 1;
    }
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up history: version 1 called the text `code` and counted steps from 1, version 2
    /// renamed it, version 3 counts from 0.
    const MADE_UP: &[Step] = &[
        |mut document| {
            let code = document.take("code");
            document.set("text", code);
            Ok(document)
        },
        |mut document| {
            let step: u64 = document
                .take("step")
                .parse()
                .map_err(|_| LinkError::Damaged)?;
            document.set("step", step.saturating_sub(1).to_string());
            Ok(document)
        },
    ];

    fn old() -> Document {
        let mut document = Document::new(1);
        document.set("code", "brk(0)".into());
        document.set("step", "4".into());
        document
    }

    #[test]
    fn steps_are_climbed_one_by_one() {
        let mut now = climb(old(), MADE_UP, 3).expect("climbs");
        assert_eq!(now.version, 3);
        assert_eq!(
            (now.take("text"), now.take("step")),
            ("brk(0)".into(), "3".into())
        );
        assert_eq!(now.fields.len(), 0);
    }

    #[test]
    fn a_present_document_stays_as_it_is() {
        let document = Document {
            version: 3,
            ..old()
        };
        assert_eq!(climb(document.clone(), MADE_UP, 3), Ok(document));
    }

    #[test]
    fn a_step_s_fault_is_the_link_s() {
        let mut document = old();
        document.set("step", "x".into());
        assert_eq!(climb(document, MADE_UP, 3), Err(LinkError::Damaged));
    }

    #[test]
    fn there_is_a_step_for_every_version() {
        assert_eq!(STEPS.len(), VERSION as usize - 1);
    }
}
