//! The scenario and what it is run under.

use std::rc::Rc;

use sealab_protocol::{Example, LinkState, Variant};

/// The scenario and what it is run under. Cheap to clone and to compare with itself.
#[derive(Clone, Debug)]
pub struct Document {
    /// The text.
    pub text: Rc<str>,
    /// The variants, in order; never empty once the catalogue is there.
    pub variants: Rc<[Variant]>,
    /// The process of a trace that was chosen.
    pub pid: Option<i64>,
    /// The starting `/proc/PID/maps`; a bare process where there is none.
    pub maps: Option<Rc<str>>,
}

impl Default for Document {
    fn default() -> Self {
        Self {
            text: Rc::from(""),
            variants: Rc::from([]),
            pid: None,
            maps: None,
        }
    }
}

/// `text` with lines ended as the editor ends them, so that places in it are the same on all
/// sides.
pub fn unix_lines(text: &str) -> Rc<str> {
    if text.contains('\r') {
        Rc::from(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Rc::from(text)
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        let same_text = Rc::ptr_eq(&self.text, &other.text) || self.text == other.text;
        same_text
            && self.variants == other.variants
            && self.pid == other.pid
            && self.maps == other.maps
    }
}

impl Document {
    /// The document of a link; its variants stay empty where it names none.
    pub fn of_link(link: &LinkState) -> Self {
        let variants = link.variants.iter().map(|v| Variant {
            kernel: v.kernel.clone(),
            memory: v.memory.clone(),
            cpu: v.cpu.clone(),
        });
        Self {
            text: unix_lines(&link.text),
            variants: variants.collect(),
            pid: link.pid,
            maps: link.maps.as_deref().map(Rc::from),
        }
    }

    /// An example's document.
    pub fn of_example(example: &Example) -> Self {
        Self {
            text: unix_lines(&example.text),
            variants: Rc::from(example.variants.as_slice()),
            ..Self::default()
        }
    }

    /// Its first words, to tell it by.
    pub fn title(&self) -> String {
        let line = self.text.lines().find(|line| !line.trim().is_empty());
        let line = line
            .unwrap_or("")
            .trim()
            .trim_start_matches(['#', '/', ' ']);
        let short: String = line.chars().take(48).collect();
        if short.is_empty() {
            "an empty scenario".to_owned()
        } else if short.len() < line.len() {
            format!("{short}…")
        } else {
            short
        }
    }
}
