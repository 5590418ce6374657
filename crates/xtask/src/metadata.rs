//! What `cargo metadata` knows of the workspace: so that no list of crates is kept by hand.

use serde_json::Value;

use crate::{
    fail::{Failure, Result},
    place::Place,
    process,
};

/// Name, version and licence of every crate built into the page, one a line, sorted.
pub fn licences(place: &Place) -> Result<String> {
    let remedy = "run `cargo tree` and mend what it names";
    let text = process::cargo(place)
        .args(["tree", "--locked", "--prefix=none", "--edges=normal"])
        .args(["--package=sealab-web", "--package=sealab-wasm"])
        .args(["--target", crate::rust::WASM, "--format={p}, {l}"])
        .output()
        .ok_or_else(|| Failure::new("`cargo tree` failed", remedy))?;
    let mut lines: Vec<&str> = text
        .lines()
        // Crates of the workspace are sealab itself; `(*)` marks one seen before.
        .filter(|line| !line.is_empty() && !line.contains(" (/") && !line.ends_with("(*)"))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    Ok(lines.join("\n"))
}

/// The packages of the workspace.
pub struct Workspace {
    packages: Vec<Value>,
}

impl Workspace {
    /// Reads the workspace's manifests.
    pub fn read(place: &Place) -> Result<Self> {
        let remedy = "run `cargo metadata --no-deps` and mend the manifest it names";
        let text = process::cargo(place)
            .args(["metadata", "--no-deps", "--format-version=1"])
            .output()
            .ok_or_else(|| Failure::new("`cargo metadata` failed", remedy))?;
        let mut value: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("`cargo metadata`: {error}"), remedy))?;
        let packages = match value.get_mut("packages").map(Value::take) {
            Some(Value::Array(packages)) => packages,
            _ => return Err(Failure::new("`cargo metadata` names no packages", remedy)),
        };
        Ok(Self { packages })
    }

    /// Packages that depend on the crate `name` in any way, sorted.
    pub fn using(&self, name: &str) -> Vec<String> {
        self.names(|package| {
            items(package, "dependencies").any(|dependency| dependency["name"] == name)
        })
    }

    /// Packages that have a benchmark, sorted.
    pub fn with_benches(&self) -> Vec<String> {
        self.names(|package| {
            items(package, "targets")
                .flat_map(|target| items(target, "kind"))
                .any(|kind| kind == "bench")
        })
    }

    fn names(&self, wanted: impl Fn(&Value) -> bool) -> Vec<String> {
        let mut names: Vec<_> = self
            .packages
            .iter()
            .filter(|package| wanted(package))
            .filter_map(|package| package["name"].as_str().map(str::to_owned))
            .collect();
        names.sort();
        names
    }
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}
