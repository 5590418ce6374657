//! The page: built for release, served for work, weighed.

use std::{
    net::TcpListener,
    path::{Path, PathBuf, absolute},
};

use clap::Args;

use crate::{
    fail::{Failure, Result},
    node,
    place::Place,
    process::Process,
    rust, say, tools,
};

/// Arguments of `serve`.
#[derive(Args)]
pub struct ServeArgs {
    /// Port on this machine
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Serve the optimised page, as it is published (slower to build)
    #[arg(long)]
    release: bool,
    /// Open it in the default browser
    #[arg(long)]
    open: bool,
}

/// Arguments of `build`.
#[derive(Args)]
pub struct BuildArgs {
    /// Folder to build into [default: dist]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

/// Arguments of `sizes`.
#[derive(Args)]
pub struct SizesArgs {
    /// Weigh this built page instead of building one
    #[arg(long, value_name = "FOLDER")]
    site: Option<PathBuf>,
}

impl BuildArgs {
    /// The folder to build into.
    pub fn folder(&self, place: &Place) -> PathBuf {
        let given = self.out.as_ref().and_then(|path| absolute(path).ok());
        given.unwrap_or_else(|| place.root().join("dist"))
    }
}

/// Serves the page and rebuilds it on every change, until interrupted.
pub fn serve(place: &Place, args: &ServeArgs) -> Result<()> {
    let address = ("127.0.0.1", args.port);
    if let Err(error) = TcpListener::bind(address) {
        return Err(Failure::new(
            format!("port {} cannot be used: {error}", args.port),
            format!(
                "stop what listens there, or choose another: cargo xtask serve --port {}",
                args.port.checked_add(1).unwrap_or(8080)
            ),
        ));
    }
    let trunk = trunk(place)?;
    println!(
        "▸ serve: after the first build, open http://127.0.0.1:{}/ (Ctrl-C ends)",
        args.port
    );
    let profile: &[&str] = if args.release {
        &["--release", "--cargo-profile", "site"]
    } else {
        &["--cargo-profile", "site-dev"]
    };
    // A folder of its own: a `build` meanwhile must not be overwritten with the unoptimised page.
    let folder = place.target().join("xtask/serve");
    std::fs::create_dir_all(&folder).map_err(|error| {
        Failure::new(
            format!("could not create {}: {error}", folder.display()),
            "set CARGO_TARGET_DIR to a folder that is yours to write",
        )
    })?;
    trunk
        .arg("serve")
        .args(["--address", "127.0.0.1", "--port", &args.port.to_string()])
        .arg("--dist")
        .arg(&folder)
        .args(profile)
        .args(args.open.then_some("--open"))
        .run()
}

/// Builds the release page into `folder`.
pub fn build(place: &Place, folder: &Path) -> Result<()> {
    let trunk = trunk(place)?;
    let why = format!("the optimised page, into {}", folder.display());
    say::step("site", &why, || {
        trunk
            .args(["build", "--release", "--cargo-profile", "site", "--dist"])
            .arg(folder)
            .run()
    })
}

/// Where the checks build the page, apart from what a person built.
pub fn test_folder(place: &Place) -> PathBuf {
    place.target().join("xtask/site")
}

/// Weighs a built page, building one when none is given.
pub fn sizes(place: &Place, args: &SizesArgs) -> Result<()> {
    let site = match &args.site {
        Some(site) => absolute(site).unwrap_or_else(|_| site.clone()),
        None => {
            let site = test_folder(place);
            build(place, &site)?;
            site
        }
    };
    weigh(place, &site)
}

/// Prints the compressed sizes of `site` and fails when one is over www/budget.json.
pub fn weigh(place: &Place, site: &Path) -> Result<()> {
    node::packages(place)?;
    Process::new("node")
        .arg("build/sizes.mjs")
        .arg(site)
        .dir(&place.www())
        .remedy(
            "find what grew (the table above), load it lazily or drop it; raise www/budget.json \
             only with a reason in the commit",
        )
        .run()
}

/// Trunk with its tools on `PATH`, so that it never reaches for the network.
fn trunk(place: &Place) -> Result<Process> {
    rust::toolchain()?;
    rust::wasm_target()?;
    let bindgen = tools::WASM_BINDGEN.ensure(place)?;
    let trunk = tools::TRUNK.ensure(place)?;
    node::packages(place)?;
    rust::fetch(place)?;
    Ok(Process::new(trunk.join("trunk"))
        .dir(place.root())
        .path(&[bindgen, node::bin(place)])
        // Trunk reads NO_COLOR as a boolean option and refuses the conventional "1".
        .env(
            "NO_COLOR",
            std::env::var_os("NO_COLOR").map_or("false", |_| "true"),
        )
        .remedy("read the first error above; `cargo check` shows Rust errors alone"))
}
