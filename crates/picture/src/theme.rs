//! The page's colours, for pictures that must carry their own.

/// Light, dark, or as the reader has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the page around it is, where that says so (`color-scheme`); light elsewhere.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Every theme.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// Its name in links, options and attributes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// `property` in `colour`, as attributes of an SVG element. A picture that follows its reader
    /// has the light colour where the newer form is not understood.
    #[must_use]
    pub fn paint(self, property: &str, colour: Colour) -> String {
        let Colour { light, dark } = colour;
        match self {
            Self::Light => format!(" {property}=\"{light}\""),
            Self::Dark => format!(" {property}=\"{dark}\""),
            Self::Auto => {
                format!(" {property}=\"{light}\" style=\"{property}:light-dark({light},{dark})\"")
            }
        }
    }
}

/// A colour, light and dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// In a light picture.
    pub light: &'static str,
    /// In a dark picture.
    pub dark: &'static str,
}

const fn colour(light: &'static str, dark: &'static str) -> Colour {
    Colour { light, dark }
}

/// Behind everything.
pub const PANEL: Colour = colour("#ffffff", "#141c25");
/// Text.
pub const INK: Colour = colour("#16202c", "#e3eaf2");
/// Text of less weight.
pub const MUTE: Colour = colour("#566476", "#9fb0c3");
/// Lines that part.
pub const LINE: Colour = colour("#dfe5ec", "#2a3644");
/// Lines that carry meaning.
pub const EDGE: Colour = colour("#8390a1", "#66788c");
/// What is sealed.
pub const SEAL: Colour = colour("#b4341f", "#ff8f78");
/// What changed.
pub const CHANGE: Colour = colour("#d98a00", "#f2b84b");
/// Text on a mapping.
pub const PERM_INK: Colour = colour("#16202c", "#f0f5fa");

/// The face of a mapping, by [`crate::strip::permission`].
#[must_use]
pub fn permission(name: &str) -> Colour {
    match name {
        "rw" => colour("#9bd8c7", "#23584c"),
        "ro" => colour("#b3caf0", "#2c4675"),
        "rx" => colour("#f3cf98", "#6a4a1d"),
        "rwx" => colour("#f2b5c4", "#742f45"),
        _ => colour("#dde3ea", "#313d4b"),
    }
}

/// A variant's colour, by its place.
#[must_use]
pub fn variant(index: usize) -> Colour {
    const ALL: [Colour; 6] = [
        colour("#5b6b80", "#a5b4c6"),
        colour("#6d3bd1", "#b79bff"),
        colour("#0f766e", "#4fc4b4"),
        colour("#1d5fc4", "#7db2ff"),
        colour("#a04f00", "#f0a35e"),
        colour("#b01c63", "#ff8fc0"),
    ];
    ALL.get(index % ALL.len()).copied().unwrap_or(INK)
}

/// The face of labels and results.
pub const MONO: &str = "ui-monospace, 'JetBrains Mono', 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";
/// The face of everything else.
pub const SANS: &str = "system-ui, -apple-system, 'Segoe UI', Inter, 'DejaVu Sans', sans-serif";

#[cfg(test)]
mod tests {
    use super::*;

    /// The page has them in its style sheet; both are the same colours.
    #[test]
    fn colours_are_those_of_the_page() {
        let css = include_str!("../../../www/styles/base.css");
        let permissions = ["rw", "ro", "rx", "rwx", "none"];
        let permissions = permissions.map(|name| (format!("perm-{name}"), permission(name)));
        let variants = (0..6).map(|at| (format!("v{}", at + 1), variant(at)));
        let single = [
            ("panel", PANEL),
            ("ink", INK),
            ("mute", MUTE),
            ("line", LINE),
            ("edge", EDGE),
            ("seal", SEAL),
            ("change", CHANGE),
            ("perm-ink", PERM_INK),
        ];
        let single = single.map(|(name, colour)| (name.to_owned(), colour));
        for (name, Colour { light, dark }) in single.into_iter().chain(permissions).chain(variants)
        {
            let line = format!("--{name}: light-dark({light}, {dark});");
            assert!(css.contains(&line), "www/styles/base.css has no {line}");
        }
    }

    #[test]
    fn a_picture_that_follows_its_reader_has_both() {
        assert_eq!(Theme::Dark.paint("fill", INK), " fill=\"#e3eaf2\"");
        assert_eq!(
            Theme::Auto.paint("fill", INK),
            " fill=\"#16202c\" style=\"fill:light-dark(#16202c,#e3eaf2)\""
        );
    }
}
