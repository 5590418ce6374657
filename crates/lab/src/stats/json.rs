//! hyperfine's JSON.

use serde::Deserialize;

use super::{SampleFault, Series, VALUES_MAX};

#[derive(Deserialize)]
struct Export {
    results: Vec<Result>,
}

#[derive(Deserialize)]
struct Result {
    #[serde(default)]
    command: String,
    #[serde(default)]
    times: Vec<f64>,
}

/// The samples of a hyperfine export.
pub(super) fn hyperfine(text: &str) -> std::result::Result<Vec<Series>, SampleFault> {
    let export: Export = serde_json::from_str(text).map_err(|error| SampleFault {
        line: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
        column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
        message: format!("this is no hyperfine export: {error}"),
    })?;
    let fits = |r: &Result| {
        !r.times.is_empty() && r.times.len() <= VALUES_MAX && r.times.iter().all(|t| t.is_finite())
    };
    if export.results.is_empty() || !export.results.iter().all(fits) {
        return Err(SampleFault {
            line: 1,
            column: 1,
            message: "each result needs `times`, as hyperfine --export-json writes them".to_owned(),
        });
    }
    Ok(export
        .results
        .into_iter()
        .map(|r| Series {
            name: r.command,
            unit: "s".to_owned(),
            values: r.times,
            summary: None,
        })
        .collect())
}
