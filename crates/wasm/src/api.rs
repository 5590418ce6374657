//! Functions for any page, worker or Node.js program. All are synchronous and keep nothing.

use js_sys::{Error, Reflect};
use sealab_lab::report::Report;
use sealab_lab::run::RunOptions;
use sealab_lab::session::{Input, Session};
use sealab_lab::variant;
use sealab_protocol::{Fault, LinkState, Variant};
use sealab_scenario::{ParseOptions, parse};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::engine;
use crate::simulator::{from_js, to_js};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("api.d.ts");

#[wasm_bindgen]
extern "C" {
    /// [`Report`] as TypeScript knows it.
    #[wasm_bindgen(typescript_type = "Report")]
    pub type JsReport;
    /// Options of `run`.
    #[wasm_bindgen(typescript_type = "RunOptions")]
    pub type JsRunOptions;
    /// Options of `compare`.
    #[wasm_bindgen(typescript_type = "CompareOptions")]
    pub type JsCompareOptions;
    /// What `parseStrace` gives.
    #[wasm_bindgen(typescript_type = "ParsedTrace")]
    pub type JsParsedTrace;
    /// What a link carries.
    #[wasm_bindgen(typescript_type = "LinkState")]
    pub type JsLinkState;
}

/// Options of `run` and `compare`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Options {
    kernel: String,
    memory: String,
    cpu: String,
    variants: Vec<PartialVariant>,
    maps: Option<String>,
    pid: Option<i64>,
    pages: bool,
}

/// A variant of which ids may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PartialVariant {
    kernel: String,
    memory: String,
    cpu: String,
}

impl From<PartialVariant> for Variant {
    fn from(ids: PartialVariant) -> Self {
        Self {
            kernel: ids.kernel,
            memory: ids.memory,
            cpu: ids.cpu,
        }
    }
}

/// Runs a scenario under one variant.
///
/// # Errors
/// A `SealabError` where the options name what there is not. What is wrong with the text is no
/// error: it is in the report's `diagnostics`, and the rest runs.
#[wasm_bindgen]
pub fn run(text: &str, options: Option<JsRunOptions>) -> Result<JsReport, JsValue> {
    let options = read(options)?;
    let one = Variant {
        kernel: options.kernel.clone(),
        memory: options.memory.clone(),
        cpu: options.cpu.clone(),
    };
    report(text, &options, &[one])
}

/// Runs a scenario under several variants and says where they differ.
///
/// # Errors
/// As `run`.
#[wasm_bindgen]
pub fn compare(text: &str, options: Option<JsCompareOptions>) -> Result<JsReport, JsValue> {
    let mut options = read(options)?;
    let variants: Vec<Variant> = std::mem::take(&mut options.variants)
        .into_iter()
        .map(Variant::from)
        .collect();
    let variants = if variants.is_empty() {
        variant::defaults()
    } else {
        variants
    };
    report(text, &options, &variants)
}

/// Reads what strace printed, without running it.
///
/// # Errors
/// None that a text can cause.
#[wasm_bindgen(js_name = parseStrace)]
pub fn parse_strace(text: &str) -> Result<JsParsedTrace, JsValue> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Trace<'a> {
        statements: usize,
        dialect: sealab_scenario::Dialect,
        diagnostics: &'a [sealab_scenario::Diagnostic],
        skipped: &'a std::collections::BTreeMap<String, u64>,
        processes: &'a [sealab_scenario::ProcessInfo],
    }
    let parsed = parse(text, &ParseOptions::default());
    give(&Trace {
        statements: parsed.program.statements().len(),
        dialect: parsed.dialect,
        diagnostics: &parsed.diagnostics,
        skipped: &parsed.skipped,
        processes: &parsed.processes,
    })
}

/// The fragment of a link that opens the playground with `state`, with its `#`.
///
/// # Errors
/// A `SealabError` where the state is too large for any link.
#[wasm_bindgen(js_name = encodeLink)]
pub fn encode_link(state: JsLinkState) -> Result<String, JsValue> {
    let state: LinkState = from_js(state.into()).map_err(thrown)?;
    engine::encode_link(&state).map_err(thrown)
}

/// What a link's fragment or whole address carries.
///
/// # Errors
/// A `SealabError` where it is no link, is damaged, or is of a newer version.
#[wasm_bindgen(js_name = decodeLink)]
pub fn decode_link(link: &str) -> Result<JsLinkState, JsValue> {
    give(&engine::decode_link(link).map_err(thrown)?)
}

fn read(options: Option<impl Into<JsValue>>) -> Result<Options, JsValue> {
    match options.map(Into::into) {
        Some(options) if !options.is_undefined() && !options.is_null() => {
            from_js(options).map_err(thrown)
        }
        _ => Ok(Options::default()),
    }
}

fn report(text: &str, options: &Options, variants: &[Variant]) -> Result<JsReport, JsValue> {
    let input = Input {
        text: text.to_owned(),
        maps: options.maps.clone(),
        pid: options.pid,
    };
    let mut session = Session::run(input, variants, &RunOptions::default(), &mut |_| true)
        .map_err(|error| thrown(Fault::new("run", error.to_string())))?;
    let report: Report = if options.pages {
        session.report_with_pages()
    } else {
        session.report()
    };
    give(&report)
}

fn give<T: JsCast>(value: &impl Serialize) -> Result<T, JsValue> {
    to_js(value).map(JsCast::unchecked_into).map_err(thrown)
}

/// A fault as an `Error` with a `code`.
fn thrown(fault: Fault) -> JsValue {
    let error = Error::new(&fault.message);
    error.set_name("SealabError");
    // Setting a field of a new object cannot fail.
    let _ = Reflect::set(&error, &"code".into(), &fault.code.into());
    error.into()
}
