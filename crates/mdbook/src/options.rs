//! What stands behind ```` ```sealab ````.

use std::fmt;

use sealab_picture::{Theme, View};

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line of the chapter, from 1.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

/// A block's options.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// `space` or `calls`.
    pub view: View,
    /// The step shown; by default the first where the variants differ.
    pub step: Option<usize>,
    /// Kernels, or `kernel:memory` pairs, as links have them; the default comparison when empty.
    pub variants: Vec<(String, String)>,
    /// Light, dark, or as the page.
    pub theme: Theme,
    /// Height kept free, in CSS pixels.
    pub height: u32,
    /// Title; the scenario's first comment when absent.
    pub title: Option<String>,
    /// A file of starting maps, relative to the chapter.
    pub maps: Option<String>,
    /// When it comes alive: `visible`, `click` or `eager`.
    pub loading: Option<String>,
    /// Which controls it has: `full`, `step` or `none`.
    pub controls: Option<String>,
    /// Only the picture and the table, nothing live.
    pub fixed: bool,
    /// Faults in the scenario are what the block is about.
    pub faulty: bool,
}

impl Options {
    /// Reads `key=value key="a value" flag …`.
    ///
    /// # Errors
    /// The first word that is not understood, in a sentence.
    pub fn read(info: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for (key, value) in words(info)? {
            let value = value.as_deref();
            let needed = || value.ok_or_else(|| format!("{key} needs a value: {key}=…"));
            let number = || {
                let given = needed()?;
                given
                    .parse::<usize>()
                    .map_err(|_| format!("{key}={given} is not a number"))
            };
            let one_of = |known: &[&str]| {
                let given = needed()?;
                known
                    .contains(&given)
                    .then(|| Some(given.to_owned()))
                    .ok_or_else(|| format!("{key}={given}: there are {}", known.join(", ")))
            };
            match key.as_str() {
                "view" => {
                    options.view = View::named(needed()?).ok_or("view is space or calls")?;
                }
                "step" => options.step = Some(number()?),
                "variants" => {
                    let given = needed()?;
                    let separator = if given.contains(';') { ';' } else { ',' };
                    options.variants = given.split(separator).map(pair).collect();
                }
                "theme" => {
                    options.theme =
                        Theme::named(needed()?).ok_or("theme is auto, light or dark")?;
                }
                "height" => {
                    options.height = u32::try_from(number()?)
                        .ok()
                        .filter(|height| (120..=4_000).contains(height))
                        .ok_or("height is between 120 and 4000 pixels")?;
                }
                "title" => options.title = Some(needed()?.to_owned()),
                "maps" => options.maps = Some(needed()?.to_owned()),
                "loading" => options.loading = one_of(&["visible", "click", "eager"])?,
                "controls" => options.controls = one_of(&["full", "step", "none"])?,
                "static" => options.fixed = true,
                "faulty" => options.faulty = true,
                _ => {
                    return Err(format!(
                        "there is no option {key}; there are view, step, variants, theme, height, \
                         title, maps, loading, controls, static and faulty"
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// `6.12` or `6.18:contpte`.
fn pair(text: &str) -> (String, String) {
    let (kernel, memory) = text.split_once(':').unwrap_or((text, ""));
    (kernel.trim().to_owned(), memory.trim().to_owned())
}

/// Splits at blanks outside quotes, each word at its first `=`.
fn words(info: &str) -> Result<Vec<(String, Option<String>)>, String> {
    let mut out = Vec::new();
    let mut rest = info.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace());
        let (key, after) = rest.split_at(end.unwrap_or(rest.len()));
        let Some(after) = after.strip_prefix('=') else {
            out.push((key.to_owned(), None));
            rest = after.trim_start();
            continue;
        };
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted
                .split_once('"')
                .ok_or_else(|| format!("{key}=\" has no closing quote"))?,
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        out.push((key.to_owned(), Some(value.to_owned())));
        rest = after.trim_start();
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_in_any_order() {
        let options =
            Options::read(r#"title="a = b" step=3 view=calls static variants=6.12,6.18:contpte"#)
                .expect("right");
        assert_eq!(options.title.as_deref(), Some("a = b"));
        assert_eq!(
            (options.step, options.view, options.fixed),
            (Some(3), View::Calls, true)
        );
        let pairs: Vec<_> = options
            .variants
            .iter()
            .map(|(k, m)| (k.as_str(), m.as_str()))
            .collect();
        assert_eq!(pairs, [("6.12", ""), ("6.18", "contpte")]);
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for (info, said) in [
            ("stpe=3", "no option stpe"),
            ("step", "step needs a value"),
            ("step=x", "step=x is not a number"),
            ("view=tree", "view is"),
            ("title=\"open", "no closing quote"),
            ("height=9", "between 120"),
            ("loading=never", "there are visible, click, eager"),
        ] {
            let fault = Options::read(info).expect_err(info);
            assert!(fault.contains(said), "{fault}");
        }
    }
}
