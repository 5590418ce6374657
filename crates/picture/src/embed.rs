//! The embed in a page's own words: an element whose content is what a reader sees without it.

use std::fmt::Write as _;

use crate::Theme;
use crate::markup::escaped;

/// Version of the element's script; its path changes with what would break a page that uses it.
pub const SCRIPT: &str = "embed/v1.js";
/// Height that is kept free for an embed unless told otherwise, in CSS pixels.
pub const HEIGHT: u32 = 420;

/// An embed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Embed<'a> {
    /// Folder or address that the playground is published at; empty means beside the page.
    pub base: &'a str,
    /// The link's fragment, with its `#`: text, variants and starting maps.
    pub fragment: &'a str,
    /// The scenario.
    pub text: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The view shown.
    pub view: &'a str,
    /// The step shown, where one is chosen.
    pub step: Option<u64>,
    /// Light, dark, or as the page.
    pub theme: Theme,
    /// Height kept free, in CSS pixels; 0 stands for [`HEIGHT`].
    pub height: u32,
    /// Further attributes as they were given, by name.
    pub more: &'a [(&'a str, &'a str)],
    /// Markup for readers without the element: picture and table, made by this crate.
    pub result: &'a str,
}

impl Embed<'_> {
    /// The element with its fallback inside. The script that makes it live is [`Self::script`].
    #[must_use]
    pub fn element(&self) -> String {
        let mut out = format!("<sealab-play src=\"{}\"", escaped(self.fragment));
        let mut attribute = |name: &str, value: &str| {
            let _ = write!(out, " {name}=\"{}\"", escaped(value));
        };
        if !self.view.is_empty() {
            attribute("view", self.view);
        }
        if let Some(step) = self.step {
            attribute("step", &step.to_string());
        }
        if self.theme != Theme::Auto {
            attribute("theme", self.theme.name());
        }
        if self.height > 0 {
            attribute("height", &self.height.to_string());
        }
        attribute("title", self.title);
        for (name, value) in self.more {
            attribute(name, value);
        }
        out.push_str(">\n");
        let _ = writeln!(
            out,
            "<pre><code tabindex=\"0\">{}</code></pre>",
            // A blank line would end the element inside Markdown.
            escaped(self.text.trim_end()).replace("\n\n", "\n&#10;")
        );
        out.push_str(self.result);
        let _ = write!(
            out,
            "<p><a href=\"{}\">Open in the sealab playground</a></p>\n</sealab-play>",
            escaped(&self.link())
        );
        out
    }

    /// The script that makes every element of a page live. A classic one: a module from another
    /// origin would need CORS headers there.
    #[must_use]
    pub fn script(&self) -> String {
        format!(
            "<script defer src=\"{}\"></script>",
            escaped(&self.at(SCRIPT))
        )
    }

    /// A frame, for pages that take no script of others.
    #[must_use]
    pub fn frame(&self) -> String {
        let mut query = Vec::new();
        if !self.view.is_empty() {
            query.push(format!("view={}", self.view));
        }
        if let Some(step) = self.step {
            query.push(format!("step={step}"));
        }
        if self.theme != Theme::Auto {
            query.push(format!("theme={}", self.theme.name()));
        }
        let query = match query.is_empty() {
            true => String::new(),
            false => format!("?{}", query.join("&")),
        };
        let height = if self.height == 0 {
            HEIGHT
        } else {
            self.height
        };
        format!(
            "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"{height}\" loading=\"lazy\" \
             sandbox=\"allow-scripts allow-popups allow-popups-to-escape-sandbox\" \
             referrerpolicy=\"no-referrer\" style=\"border:0\"></iframe>",
            escaped(&format!(
                "{}{query}{}",
                self.at("embed.html"),
                self.fragment
            )),
            escaped(self.title)
        )
    }

    /// The address that opens the playground with it.
    #[must_use]
    pub fn link(&self) -> String {
        format!("{}{}", self.at(""), self.fragment)
    }

    fn at(&self, file: &str) -> String {
        match self.base {
            "" => format!("./{file}"),
            base if base.ends_with('/') => format!("{base}{file}"),
            base => format!("{base}/{file}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embed() -> Embed<'static> {
        Embed {
            base: "https://example.org/sealab",
            fragment: "#v1/AB&step=2",
            text: "munmap(0, 4K) # </code><script>\n\nload(0, 1)\n",
            title: "a \"b\"",
            view: "space",
            step: Some(2),
            ..Embed::default()
        }
    }

    #[test]
    fn the_content_is_the_fallback_and_is_escaped() {
        let out = embed().element();
        assert!(out.contains(
            "src=\"#v1/AB&amp;step=2\" view=\"space\" step=\"2\" title=\"a &quot;b&quot;\""
        ));
        assert!(out.contains("munmap(0, 4K) # &lt;/code&gt;&lt;script&gt;\n&#10;load(0, 1)"));
        assert!(out.contains("href=\"https://example.org/sealab/#v1/AB&amp;step=2\""));
        assert!(
            !out.contains("\n\n"),
            "Markdown would end the element: {out}"
        );
    }

    #[test]
    fn a_frame_is_sandboxed_and_named() {
        let out = embed().frame();
        assert!(out.contains(
            "src=\"https://example.org/sealab/embed.html?view=space&amp;step=2#v1/AB&amp;step=2\""
        ));
        assert!(
            out.contains("title=\"a &quot;b&quot;\"")
                && out.contains("sandbox=\"allow-scripts allow-popups")
        );
        assert!(!out.contains("allow-same-origin"));
    }
}
