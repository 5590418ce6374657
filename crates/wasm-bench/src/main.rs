//! The second worker's program: benchmarks and statistics. A program of its own, so that the first
//! view loads none of it.
//!
//! A page sends `{id, kind, body}` and gets `{id, kind, body}`, `progress` any number of times and
//! `done` or `error` once; bodies are JSON texts. A worker that is busy is ended by its page.

use std::rc::Rc;

use js_sys::{Date, Function, Object, Reflect, global};
use sealab_lab::bench::{self, BENCHMARKS, Benchmark, Request};
use sealab_lab::cost::{self, CpuProfile};
use sealab_lab::run::Progress;
use sealab_lab::stats;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// Least time between two messages of progress, in milliseconds.
const PROGRESS_MS: f64 = 100.0;

fn main() {
    listen();
}

#[derive(Deserialize)]
struct BenchBody {
    benchmark: String,
    #[serde(default)]
    kernels: Vec<String>,
    #[serde(default)]
    memories: Vec<String>,
    #[serde(default)]
    vmas: Vec<u64>,
    #[serde(default)]
    cpu: String,
    #[serde(default)]
    jobs: Option<u32>,
    #[serde(default)]
    profile: Option<CpuProfile>,
}

#[derive(Deserialize)]
struct PowerBody {
    cv_pct: f64,
    effect_pct: f64,
    runs: u32,
    trials: u32,
    seed: u64,
}

#[derive(Serialize)]
struct Choice {
    id: &'static str,
    about: &'static str,
    cpu: &'static str,
    memories: bool,
}

#[derive(Serialize)]
struct Cpu {
    id: String,
    label: String,
}

#[derive(Serialize)]
struct Catalogue {
    benchmarks: Vec<Choice>,
    cpus: Vec<Cpu>,
    kernels: Vec<&'static str>,
    memories: Vec<&'static str>,
    samples: Vec<stats::PublishedSamples>,
}

#[derive(Serialize)]
struct PowerAnswer {
    power: Option<stats::Power>,
    wrong: Option<stats::WrongConclusions>,
}

/// What a benchmark answers: its report, and its tables as text.
#[derive(Serialize)]
struct BenchAnswer {
    report: bench::BenchReport,
    csv: String,
    names: Vec<String>,
    verdicts: Vec<String>,
}

fn answer(kind: &str, body: &str, progress: &mut dyn FnMut(Progress)) -> Result<String, String> {
    match kind {
        "catalogue" => json(&catalogue()),
        "bench" => {
            let asked: BenchBody = read(body)?;
            let benchmark = Benchmark::by_id(&asked.benchmark)
                .ok_or_else(|| format!("there is no benchmark {:?}", asked.benchmark))?;
            let request = Request {
                kernels: asked.kernels,
                memories: asked.memories,
                vmas: asked.vmas,
                cpu: asked.cpu,
                jobs: asked.jobs,
                profile: asked.profile,
            };
            let report = bench::run(benchmark, &request, &mut |now| {
                progress(now);
                true
            })
            .map_err(|e| e.to_string())?;
            json(&BenchAnswer {
                csv: report.csv(),
                names: report
                    .rows
                    .iter()
                    .map(|r| bench::tables::row_name(&report, r))
                    .collect(),
                verdicts: bench::accuracy::verdicts(&report),
                report,
            })
        }
        "stats" => {
            let (series, faults) = stats::parse(body);
            json(&stats::report(series, faults, 1))
        }
        "series" => json(&stats::report(read(body)?, Vec::new(), 1)),
        "power" => {
            let asked: PowerBody = read(body)?;
            json(&PowerAnswer {
                power: stats::runs_a_side(asked.cv_pct, asked.effect_pct, 0.8),
                wrong: stats::wrong_conclusions(
                    asked.cv_pct,
                    asked.effect_pct,
                    asked.runs,
                    asked.trials.min(20_000),
                    asked.seed,
                ),
            })
        }
        other => Err(format!("there is no question {other:?}")),
    }
}

fn catalogue() -> Catalogue {
    Catalogue {
        benchmarks: BENCHMARKS
            .iter()
            .map(|b| Choice {
                id: b.id(),
                about: b.about(),
                cpu: b.default_cpu(),
                memories: b.compares_memories(),
            })
            .collect(),
        cpus: cost::profiles()
            .iter()
            .map(|p| Cpu {
                id: p.id.clone(),
                label: p.label.clone(),
            })
            .collect(),
        kernels: bench::kernels(),
        memories: bench::memory::MEMORIES.to_vec(),
        samples: stats::published_samples(),
    }
}

fn read<'a, T: Deserialize<'a>>(body: &'a str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|e| format!("the question is not understood: {e}"))
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|e| e.to_string())
}

fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

fn post(to: &Function, id: f64, kind: &str, body: &str) {
    let message = Object::new();
    for (name, value) in [
        ("id", JsValue::from(id)),
        ("kind", kind.into()),
        ("body", body.into()),
    ] {
        // Setting a field of a new plain object cannot fail.
        let _ = Reflect::set(&message, &name.into(), &value);
    }
    // What the listener throws is the listener's.
    let _ = to.call1(&JsValue::NULL, &message);
}

/// Answers the worker's messages for as long as it lives.
fn listen() {
    let scope: JsValue = global().into();
    let Ok(to) = field(&scope, "postMessage").dyn_into::<Function>() else {
        return;
    };
    let to = Rc::new(to.bind0(&scope));
    let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        let message = field(&event, "data");
        let id = field(&message, "id").as_f64().unwrap_or(0.0);
        let kind = field(&message, "kind").as_string().unwrap_or_default();
        let body = field(&message, "body").as_string().unwrap_or_default();
        let mut said = Date::now();
        let to = to.clone();
        let mut progress = |now: Progress| {
            if Date::now() - said >= PROGRESS_MS {
                said = Date::now();
                let body = format!("{{\"done\":{},\"total\":{}}}", now.done, now.total);
                post(&to, id, "progress", &body);
            }
        };
        match answer(&kind, &body, &mut progress) {
            Ok(body) => post(&to, id, "done", &body),
            Err(fault) => post(&to, id, "error", &fault),
        }
    });
    if let Ok(add) = field(&scope, "addEventListener").dyn_into::<Function>() {
        // A worker can always be listened to.
        let _ = add.call2(&scope, &"message".into(), on_message.as_ref());
    }
    // It listens as long as the worker lives.
    on_message.forget();
}
