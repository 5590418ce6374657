//! Everything that is published, in one folder: the page, the embeds, the documentation.

use std::{fs, path::Path};

use crate::{
    fail::{AtPath, Result},
    metadata, node,
    place::Place,
    process::{self, Process},
    say, site,
};

/// Builds the site into `folder`, and a zip beside it.
pub fn make(place: &Place, folder: &Path) -> Result<()> {
    site::build(place, folder)?;
    say::step("documentation", "docs/, with every example run", || {
        process::cargo(place)
            .args([
                "run",
                "--locked",
                "--quiet",
                "--package",
                "sealab-docs",
                "--",
            ])
            .arg(folder.join("docs"))
            .remedy("mend the example or chapter it names")
            .run()
    })?;
    node::packages(place)?;
    let licences = place.target().join("xtask/licences.txt");
    fs::write(&licences, metadata::licences(place)?).at("write", &licences)?;
    say::step(
        "dist",
        "policy, service worker, headers, licences, zip",
        || {
            Process::new("node")
                .arg("build/dist.mjs")
                .arg(folder)
                .arg(&licences)
                .dir(&place.www())
                .run()
        },
    )
}

/// Makes the npm package from the built site in `site`, and holds it to its README.
pub fn package(place: &Place, site: &Path) -> Result<()> {
    let out = place.target().join("xtask/npm");
    say::step(
        "npm package",
        "the simulator for JavaScript, with its types",
        || {
            Process::new("node")
                .arg("build/package.mjs")
                .args([site, &out])
                .dir(&place.www())
                .run()?;
            Process::new("node")
                .args(["--test", "build/package.check.mjs"])
                .env("SEALAB_PACKAGE", &out)
                .dir(&place.www())
                .remedy("mend crates/wasm/npm or crates/wasm/src/api.rs, whichever is wrong")
                .run()
        },
    )
}
