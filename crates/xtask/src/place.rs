//! Where things are: the repository, the build folder, the user's cache.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::fail::{AtPath, Failure, Result};

/// The folders that every command works in.
pub struct Place {
    root: PathBuf,
    cache: PathBuf,
    target: PathBuf,
}

impl Place {
    /// Finds the folders from the environment, as cargo and the XDG base directory rules have them.
    pub fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .unwrap_or(Path::new("."))
            .to_path_buf();
        let cache = cache_home(|name| env::var_os(name).map(PathBuf::from))
            .ok_or_else(|| {
                Failure::new(
                    "no cache folder: neither XDG_CACHE_HOME nor HOME is set",
                    "set HOME, or XDG_CACHE_HOME to a folder for tools",
                )
            })?
            .join("sealab");
        let target = env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |dir| root.join(PathBuf::from(dir)));
        Ok(Self {
            root,
            cache,
            target,
        })
    }

    /// The repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The JavaScript side.
    pub fn www(&self) -> PathBuf {
        self.root.join("www")
    }

    /// Tools by name and version, shared by all clones of this user.
    pub fn tools(&self) -> PathBuf {
        self.cache.join("tools")
    }

    /// Cargo's build folder.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Holds the lock called `name` until the returned file is dropped, so that two runs at once do
    /// not install over each other.
    pub fn lock(&self, name: &str) -> Result<fs::File> {
        let folder = self.cache.join("locks");
        fs::create_dir_all(&folder).at("create", &folder)?;
        let path = folder.join(name);
        let file = fs::File::create(&path).at("create", &path)?;
        if file.try_lock().is_err() {
            println!("  waiting for another run that is installing {name}");
            file.lock().at("lock", &path)?;
        }
        Ok(file)
    }
}

fn cache_home(var: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // The XDG rules: a relative path is invalid and must be ignored.
    var("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| var("HOME").map(|home| home.join(".cache")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &'static [(&str, &str)]) -> Option<PathBuf> {
        cache_home(|name| {
            vars.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| PathBuf::from(value))
        })
    }

    #[test]
    fn cache_follows_xdg() {
        assert_eq!(
            with(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]),
            Some("/c".into())
        );
        assert_eq!(
            with(&[("XDG_CACHE_HOME", "c"), ("HOME", "/h")]),
            Some("/h/.cache".into())
        );
        assert_eq!(with(&[]), None);
    }
}
