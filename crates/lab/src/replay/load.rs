//! Finding recorded cases on disk: folders of single files, and packs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::case::{Case, LoadError};
use super::pack;

/// Loads every case under `paths`: a case's `NAME.strace` or its name without an ending, a pack,
/// or a folder (searched to any depth). `kernel` overrides the folders' `KERNEL-ID`.
///
/// # Errors
/// Unreadable files, incomplete cases, a kernel that nothing tells, or a path without any case.
pub fn load(paths: &[PathBuf], kernel: Option<&str>) -> Result<Vec<Case>, LoadError> {
    let mut loader = Loader {
        kernel: kernel.map(Arc::from),
        ..Loader::default()
    };
    for path in paths {
        let before = loader.cases.len();
        loader.visit(path)?;
        if loader.cases.len() == before {
            return Err(LoadError::Nothing { path: path.clone() });
        }
    }
    Ok(loader.cases)
}

#[derive(Default)]
struct Loader {
    kernel: Option<Arc<str>>,
    cases: Vec<Case>,
    /// Texts seen before: thousands of cases share a handful of start states.
    interned: HashMap<String, Arc<str>>,
    kernels: HashMap<PathBuf, Arc<str>>,
    environments: HashMap<PathBuf, Vec<(String, Arc<str>)>>,
}

impl Loader {
    fn visit(&mut self, path: &Path) -> Result<(), LoadError> {
        if path.is_dir() {
            let mut entries = fs::read_dir(path)
                .and_then(|list| list.map(|e| Ok(e?.path())).collect::<Result<Vec<_>, _>>())
                .map_err(LoadError::io(path))?;
            entries.sort();
            for entry in entries {
                let single = ends(&entry, ".strace") && entry.with_extension("before").exists();
                if entry.is_dir() || single || is_pack(&entry) {
                    self.visit(&entry)?;
                }
            }
            return Ok(());
        }
        if is_pack(path) {
            let bytes = fs::read(path).map_err(LoadError::io(path))?;
            let mut cases = pack::unpack(path, &bytes)?;
            if let Some(kernel) = &self.kernel {
                cases.iter_mut().for_each(|c| c.kernel = kernel.clone());
            }
            self.cases.append(&mut cases);
            return Ok(());
        }
        let strace = if path.exists() {
            path.to_owned()
        } else {
            // A name without its ending.
            PathBuf::from(format!("{}.strace", path.display()))
        };
        if !strace.exists() {
            return Err(LoadError::Nothing {
                path: path.to_owned(),
            });
        }
        let case = self.single(&strace)?;
        self.cases.push(case);
        Ok(())
    }

    fn single(&mut self, strace: &Path) -> Result<Case, LoadError> {
        let folder = strace.parent().unwrap_or(Path::new("."));
        let family_folder = name_of(folder);
        let before = self.shared(&strace.with_extension("before"))?;
        let before_smaps = match self.intern_if_there(&strace.with_extension("bsmaps"))? {
            Some(text) => Some(text),
            None => self.environment(folder, &before)?,
        };
        let kernel = self.kernel_of(folder)?;
        let upper = folder.parent().map(name_of).unwrap_or_default();
        let name = strace.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Case {
            kernel,
            place: format!("{upper}/{family_folder}/{name}"),
            family: self.intern(family_folder),
            strace: read(strace)?,
            before,
            before_smaps,
            after: read(&strace.with_extension("after"))?,
            smaps: read(&strace.with_extension("smaps"))?,
        })
    }

    /// The smaps extract of the start state that `env/*.before` has in common with `before`.
    fn environment(&mut self, folder: &Path, before: &str) -> Result<Option<Arc<str>>, LoadError> {
        let Some(upper) = folder.parent() else {
            return Ok(None);
        };
        if !self.environments.contains_key(upper) {
            let mut list = Vec::new();
            for entry in fs::read_dir(upper.join("env"))
                .into_iter()
                .flatten()
                .flatten()
            {
                let path = entry.path();
                if ends(&path, ".bsmaps") {
                    list.push((read(&path.with_extension("before"))?, self.shared(&path)?));
                }
            }
            self.environments.insert(upper.to_owned(), list);
        }
        let known = self.environments.get(upper).into_iter().flatten();
        Ok(known
            .into_iter()
            .find(|(maps, _)| maps == before)
            .map(|(_, smaps)| smaps.clone()))
    }

    fn kernel_of(&mut self, folder: &Path) -> Result<Arc<str>, LoadError> {
        if let Some(kernel) = self.kernel.as_ref().or_else(|| self.kernels.get(folder)) {
            return Ok(kernel.clone());
        }
        let found = folder
            .ancestors()
            .take(3)
            .find_map(|dir| fs::read_to_string(dir.join("KERNEL-ID")).ok())
            .ok_or_else(|| LoadError::NoKernelId {
                path: folder.to_owned(),
            })?;
        let kernel: Arc<str> = Arc::from(found.trim());
        self.kernels.insert(folder.to_owned(), kernel.clone());
        Ok(kernel)
    }

    fn shared(&mut self, path: &Path) -> Result<Arc<str>, LoadError> {
        read(path).map(|text| self.intern(text))
    }

    fn intern_if_there(&mut self, path: &Path) -> Result<Option<Arc<str>>, LoadError> {
        path.exists().then(|| self.shared(path)).transpose()
    }

    fn intern(&mut self, text: String) -> Arc<str> {
        if let Some(known) = self.interned.get(&text) {
            return known.clone();
        }
        let shared: Arc<str> = Arc::from(text.as_str());
        self.interned.insert(text, shared.clone());
        shared
    }
}

fn read(path: &Path) -> Result<String, LoadError> {
    match fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Err(LoadError::Incomplete {
            path: path.to_owned(),
        }),
        other => other.map_err(LoadError::io(path)),
    }
}

fn ends(path: &Path, ending: &str) -> bool {
    name_of(path).ends_with(ending)
}

fn is_pack(path: &Path) -> bool {
    ends(path, ".cases.gz")
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
