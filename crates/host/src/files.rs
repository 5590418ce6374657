//! Stand-ins for the files a program opens: no file of the user's is ever touched.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealab_core::call::Mapping;
use sealab_core::flags::open;
use tempfile::TempDir;

use crate::error::HostError;

/// Longest stand-in, in bytes.
const MAX_SIZE: u64 = 1 << 26;

/// A folder of stand-ins, one per path that programs open.
pub(crate) struct Files {
    folder: TempDir,
    by_path: BTreeMap<Arc<str>, StandIn>,
}

struct StandIn {
    real: PathBuf,
    /// Length it was filled with, while nobody can have changed it.
    filled: Option<u64>,
    /// Whether the program in hand has opened it.
    opened: bool,
}

impl Files {
    pub(crate) fn new() -> Result<Self, HostError> {
        let folder = tempfile::Builder::new()
            .prefix("sealab-")
            .tempdir()
            .map_err(HostError::io("making a temporary folder"))?;
        Ok(Self {
            folder,
            by_path: BTreeMap::new(),
        })
    }

    /// Where they are.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Before a program: none of its files is open.
    pub(crate) fn start_program(&mut self) {
        for stand_in in self.by_path.values_mut() {
            stand_in.opened = false;
        }
    }

    /// The stand-in for `path`, filled with `size` bytes unless the program has opened it before
    /// or the open itself creates it empty.
    ///
    /// # Errors
    /// `TooMuch` for a size above 64 MiB, `NotOnRealMachine` where the size is not known.
    pub(crate) fn real_path(
        &mut self,
        path: &Arc<str>,
        flags: u64,
        size: Option<u64>,
    ) -> Result<String, HostError> {
        let count = self.by_path.len();
        let folder = self.folder.path();
        let stand_in = self.by_path.entry(path.clone()).or_insert_with(|| StandIn {
            real: folder.join(format!("file{count}")),
            filled: None,
            opened: false,
        });
        let writes = flags & (open::ACCMODE | open::TRUNC) != open::RDONLY;
        let creates_empty =
            writes && flags & (open::CREAT | open::TRUNC) == open::CREAT | open::TRUNC;
        if !stand_in.opened && !creates_empty {
            let size = size.ok_or(HostError::NotOnRealMachine(
                "the length of the file that it opens is not known",
            ))?;
            if size > MAX_SIZE {
                return Err(HostError::TooMuch(format!(
                    "it opens a file of {size} bytes, {MAX_SIZE} at most are made"
                )));
            }
            if stand_in.filled != Some(size) {
                fill(&stand_in.real, size).map_err(HostError::io("writing a stand-in file"))?;
                stand_in.filled = Some(size);
            }
        }
        if writes {
            stand_in.filled = None;
        }
        stand_in.opened = true;
        let real = stand_in.real.to_str().ok_or(HostError::NotOnRealMachine(
            "the temporary folder's name is not UTF-8",
        ))?;
        Ok(real.to_owned())
    }

    /// Gives mappings of stand-ins the names that the program knows.
    pub(crate) fn rename(&self, mappings: &mut [Mapping]) {
        for mapping in mappings {
            if !mapping.name.starts_with('/') {
                continue;
            }
            let known = self
                .by_path
                .iter()
                .find(|(_, stand_in)| stand_in.real.to_str() == Some(&*mapping.name));
            if let Some((path, _)) = known {
                mapping.name = path.clone();
            }
        }
    }
}

/// A file of `size` written bytes, so that they are in the page cache.
fn fill(path: &std::path::Path, size: u64) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    let chunk = vec![0_u8; 1 << 16];
    let mut left = usize::try_from(size).unwrap_or(usize::MAX);
    while left > 0 {
        let n = left.min(chunk.len());
        file.write_all(&chunk[..n])?;
        left -= n;
    }
    Ok(())
}
