//! Messages in, messages out: between JavaScript values and the engine.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Date, Function, Object, Reflect, Uint32Array, global};
use sealab_protocol::{
    CursorRequest, Fault, LinkState, PagesRequest, PictureRequest, ReportRequest, RowsRequest,
    RunId, RunRequest, StepRequest, TextRequest, VERSION, answer, kind,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use crate::engine::Engine;
use crate::help;

/// Least time between two messages of progress, in milliseconds.
const PROGRESS_MS: f64 = 100.0;

/// A simulator that answers messages. In a worker one is made by itself.
#[wasm_bindgen]
pub struct Simulator {
    engine: RefCell<Engine>,
    hear: Function,
}

#[wasm_bindgen]
impl Simulator {
    /// A simulator that gives its answers to `hear`.
    #[wasm_bindgen(constructor)]
    pub fn new(hear: Function) -> Self {
        Self {
            engine: RefCell::default(),
            hear,
        }
    }

    /// Answers one message, before it returns.
    pub fn handle(&self, message: &JsValue) {
        let id = field(message, "id").as_f64().unwrap_or(0.0);
        let answered = self.answer(id, message);
        let (kind, body) = match answered {
            Ok(Some(body)) => (answer::DONE, body),
            Ok(None) => return,
            Err(fault) => (answer::ERROR, to_js(&fault).unwrap_or(JsValue::NULL)),
        };
        self.post(id, kind, &body);
    }
}

impl Simulator {
    fn answer(&self, id: f64, message: &JsValue) -> Result<Option<JsValue>, Fault> {
        let version = field(message, "v").as_f64();
        if version != Some(f64::from(VERSION)) {
            return Err(Fault::new(
                "version",
                "The page and its simulator are of different versions. Reload the page.",
            ));
        }
        let body = field(message, "body");
        let kind = field(message, "kind").as_string().unwrap_or_default();
        let mut engine = self
            .engine
            .try_borrow_mut()
            .map_err(|_| Fault::new("busy", "The simulator is busy with another question."))?;
        let answer = match kind.as_str() {
            kind::RUN => {
                let request: RunRequest = from_js(body)?;
                let mut said = Date::now();
                let progress = |progress| {
                    let now = Date::now();
                    if now - said < PROGRESS_MS {
                        return;
                    }
                    said = now;
                    if let Ok(body) = to_js(&progress) {
                        self.post(id, answer::PROGRESS, &body);
                    }
                };
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let run = id as u64; // ids count from 1
                to_js(&engine.run(run, &request, progress)?)
            }
            // A message that arrives is read after what came before it is done, so there is
            // nothing to stop any more: a page that cannot wait ends the worker.
            kind::CANCEL => return Ok(None),
            kind::SPACE => to_js(&engine.space(from_js::<StepRequest>(body)?)?),
            kind::ROWS => to_js(&engine.rows(from_js::<RowsRequest>(body)?)?),
            kind::STEP => to_js(&engine.step(from_js::<StepRequest>(body)?)?),
            kind::COST => to_js(&engine.cost(from_js::<RunId>(body)?)?),
            kind::PAGES => to_js(&engine.pages(from_js::<PagesRequest>(body)?)?),
            kind::MARKDOWN => to_js(&engine.markdown(from_js::<RunId>(body)?)?),
            kind::CSV => to_js(&engine.csv(from_js::<RunId>(body)?)?),
            kind::PICTURE => to_js(&engine.picture(&from_js::<PictureRequest>(body)?)?),
            kind::REPORT => to_js(&engine.report(from_js::<ReportRequest>(body)?)?),
            kind::TOKENS => Ok(tokens(&from_js::<TextRequest>(body)?.text)),
            kind::COMPLETE => {
                let CursorRequest { text, offset } = from_js(body)?;
                to_js(&help::complete(&text, offset))
            }
            kind::HOVER => {
                let CursorRequest { text, offset } = from_js(body)?;
                to_js(&help::hover(&text, offset))
            }
            kind::ENCODE_LINK => to_js(&crate::engine::encode_link(&from_js::<LinkState>(body)?)?),
            kind::DECODE_LINK => to_js(&crate::engine::decode_link(
                &from_js::<TextRequest>(body)?.text,
            )?),
            kind::CATALOGUE => to_js(&crate::engine::catalogue()),
            other => Err(Fault::new(
                "message",
                format!("There is no question {other:?}."),
            )),
        };
        answer.map(Some)
    }

    fn post(&self, id: f64, kind: &str, body: &JsValue) {
        let message = Object::new();
        for (name, value) in [
            ("v", JsValue::from(VERSION)),
            ("id", JsValue::from(id)),
            ("kind", JsValue::from(kind)),
            ("body", body.clone()),
        ] {
            // Setting a field of a new plain object cannot fail.
            let _ = Reflect::set(&message, &name.into(), &value);
        }
        // What the listener throws is the listener's.
        let _ = self.hear.call1(&JsValue::NULL, &message);
    }
}

fn tokens(text: &str) -> JsValue {
    let packed = help::packed_tokens(text);
    let object = Object::new();
    let kinds: Array = packed.kinds.iter().copied().map(JsValue::from).collect();
    let spans = Uint32Array::from(packed.spans.as_slice());
    let _ = Reflect::set(&object, &"kinds".into(), &kinds);
    let _ = Reflect::set(&object, &"spans".into(), &spans);
    object.into()
}

fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// Plain objects and numbers, as JSON would have them.
pub(crate) fn to_js(value: &impl Serialize) -> Result<JsValue, Fault> {
    let serializer = Serializer::json_compatible();
    value
        .serialize(&serializer)
        .map_err(|error| Fault::new("internal", error.to_string()))
}

/// # Errors
/// Where the value has not the shape that is asked for.
pub(crate) fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, Fault> {
    serde_wasm_bindgen::from_value(value)
        .map_err(|error| Fault::new("message", format!("The message is not understood: {error}")))
}

/// Whether this is a worker that was made for the simulator: a worker of somebody else's, which
/// only imports it, has messages of its own.
#[must_use]
pub fn in_worker() -> bool {
    let name = field(&global(), "name").as_string().unwrap_or_default();
    Reflect::has(&global(), &"document".into()) == Ok(false)
        && Reflect::has(&global(), &"postMessage".into()) == Ok(true)
        && (name == "sealab" || name == "sealab-embed")
}

/// A panic ends the program with a bare trap; its words are thrown to JavaScript instead, where
/// the page hears them.
pub fn say_why_it_broke() {
    std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}

/// Answers all messages to this worker from now on.
pub fn listen() {
    let scope = global();
    let post = Reflect::get(&scope, &"postMessage".into())
        .ok()
        .and_then(|post| post.dyn_into::<Function>().ok());
    let Some(post) = post else { return };
    let bound = post.bind0(&scope);
    let simulator = Rc::new(Simulator::new(bound));
    let on_message = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        simulator.handle(&field(&event, "data"));
    });
    let add = Reflect::get(&scope, &"addEventListener".into())
        .ok()
        .and_then(|add| add.dyn_into::<Function>().ok());
    if let Some(add) = add {
        // A worker can always be listened to.
        let _ = add.call2(&scope, &"message".into(), on_message.as_ref());
    }
    // It listens as long as the worker lives.
    on_message.forget();
}
