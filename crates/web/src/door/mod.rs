//! The way to the simulator: questions out, answers back, and a new worker when one breaks.

mod backend;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use futures_channel::oneshot;
use gloo_timers::callback::Timeout;
use js_sys::{Object, Reflect};
use sealab_protocol::{Fault, Progress, VERSION, answer, kind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;
use yew::Callback;

use backend::{Backend, Heard};

/// How long a worker may take to answer a cancel before it is ended, in milliseconds.
const CANCEL_PATIENCE_MS: u32 = 100;

/// The way to the simulator. Clones share it.
#[derive(Clone)]
pub struct Door(Rc<RefCell<Inner>>);

impl PartialEq for Door {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Default)]
struct Inner {
    backend: Option<Backend>,
    last_id: u64,
    waiting: HashMap<u64, Waiting>,
    /// Whether a worker ever said anything: one that never did cannot run here at all.
    heard: bool,
    /// Whether workers turned out to be impossible.
    here: bool,
    /// Questions that the worker has and has not answered, wanted or not.
    unanswered: HashSet<u64>,
}

struct Waiting {
    message: JsValue,
    reply: oneshot::Sender<Result<JsValue, Fault>>,
    progress: Option<Callback<Progress>>,
}

#[derive(Serialize)]
struct Cancel {
    id: u64,
}

/// A question that was sent.
pub struct Question {
    /// Its id; of a run, the run's.
    pub id: u64,
    reply: oneshot::Receiver<Result<JsValue, Fault>>,
}

impl Question {
    /// Its answer, as JavaScript has it.
    pub async fn answer(self) -> Result<JsValue, Fault> {
        let gone = || Fault::new("gone", "The question was dropped.");
        self.reply.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Its answer.
    pub async fn read<A: DeserializeOwned>(self) -> Result<A, Fault> {
        let answer = self.answer().await?;
        serde_wasm_bindgen::from_value(answer).map_err(|error| misread(&error.to_string()))
    }
}

impl Door {
    /// Opens it. The simulator is started at the first question, if it is not running yet.
    pub fn open() -> Self {
        Self(Rc::default())
    }

    /// Asks, and waits for the answer.
    pub async fn ask<A: DeserializeOwned>(
        &self,
        kind: &str,
        body: &impl Serialize,
    ) -> Result<A, Fault> {
        self.send(kind, body, None).read().await
    }

    /// Asks; progress and answer come later.
    pub fn send(
        &self,
        kind: &str,
        body: &impl Serialize,
        progress: Option<Callback<Progress>>,
    ) -> Question {
        let (sender, reply) = oneshot::channel();
        let id = {
            let mut inner = self.0.borrow_mut();
            inner.last_id += 1;
            inner.last_id
        };
        match message(id, kind, body) {
            Ok(message) => {
                let waiting = Waiting {
                    message: message.clone(),
                    reply: sender,
                    progress,
                };
                self.0.borrow_mut().waiting.insert(id, waiting);
                self.post(id, &message);
            }
            // The receiver is in our hands, so this cannot fail.
            Err(fault) => _ = sender.send(Err(fault)),
        }
        Question { id, reply }
    }

    /// Ends question `id` with the fault `cancelled`. A simulator that is busy with it and does
    /// not answer in time is ended, and another is started for the other questions.
    pub fn cancel(&self, id: u64) {
        self.finish(id, Err(Fault::new("cancelled", "The run was stopped.")));
        if !self.0.borrow().unanswered.contains(&id) {
            return;
        }
        if let Ok(message) = message(0, kind::CANCEL, &Cancel { id }) {
            self.post(0, &message);
        }
        let door = self.clone();
        Timeout::new(CANCEL_PATIENCE_MS, move || {
            if door.0.borrow().unanswered.contains(&id) {
                door.replace();
            }
        })
        .forget();
    }

    fn post(&self, id: u64, message: &JsValue) {
        self.0.borrow_mut().unanswered.insert(id);
        if let Err(error) = self.backend().post(message) {
            self.answered(id, Err(Fault::new("internal", error)));
        }
    }

    /// The simulator, started if it is not running.
    fn backend(&self) -> Backend {
        if let Some(backend) = &self.0.borrow().backend {
            return backend.clone();
        }
        let here = self.0.borrow().here;
        let weak = Rc::downgrade(&self.0);
        let hear = move |heard| {
            if let Some(inner) = weak.upgrade() {
                Self(inner).hear(heard);
            }
        };
        let backend = Backend::start(here, Rc::new(hear));
        self.0.borrow_mut().backend = Some(backend.clone());
        backend
    }

    fn hear(&self, heard: Heard) {
        match heard {
            Heard::Message(message) => {
                // What was prepared says nothing about workers (`www/src/prepared.ts`).
                let prepared = Reflect::get(&message, &"prepared".into());
                if !prepared.is_ok_and(|prepared| prepared.is_truthy()) {
                    self.0.borrow_mut().heard = true;
                }
                self.hear_message(&message);
            }
            Heard::Broken(_) if self.may_try_here() => {
                // Some browsers only say that a worker is impossible once it was made.
                self.0.borrow_mut().here = true;
                self.replace();
            }
            Heard::Broken(reason) => self.broken(&reason),
        }
    }

    fn hear_message(&self, message: &JsValue) {
        let field = |name: &str| Reflect::get(message, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let Some(id) = field("id").as_f64() else {
            return;
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // ids count from 1
        let id = id as u64;
        let body = field("body");
        match field("kind").as_string().as_deref() {
            Some(answer::PROGRESS) => {
                let inner = self.0.borrow();
                let callback = inner.waiting.get(&id).and_then(|w| w.progress.clone());
                drop(inner);
                let progress = serde_wasm_bindgen::from_value(body);
                if let (Some(callback), Ok(progress)) = (callback, progress) {
                    callback.emit(progress);
                }
            }
            Some(answer::DONE) => self.answered(id, Ok(body)),
            Some(answer::ERROR) => {
                let fault = serde_wasm_bindgen::from_value(body);
                let fault = fault.unwrap_or_else(|error| misread(&error.to_string()));
                self.answered(id, Err(fault));
            }
            _ => {}
        }
    }

    fn may_try_here(&self) -> bool {
        let inner = self.0.borrow();
        !inner.heard && !inner.here
    }

    fn answered(&self, id: u64, answer: Result<JsValue, Fault>) {
        self.0.borrow_mut().unanswered.remove(&id);
        self.finish(id, answer);
    }

    /// Gives the asker its answer. Answers nobody waits for any more are dropped here.
    fn finish(&self, id: u64, answer: Result<JsValue, Fault>) {
        let waiting = self.0.borrow_mut().waiting.remove(&id);
        if let Some(waiting) = waiting {
            // The asker may have gone.
            let _ = waiting.reply.send(answer);
        }
    }

    /// Ends the simulator and asks another one what is still waited for.
    fn replace(&self) {
        let (backend, mut again) = {
            let mut inner = self.0.borrow_mut();
            inner.unanswered.clear();
            let waiting = inner.waiting.iter();
            let again: Vec<_> = waiting.map(|(&id, w)| (id, w.message.clone())).collect();
            (inner.backend.take(), again)
        };
        if let Some(backend) = backend {
            backend.end();
        }
        again.sort_unstable_by_key(|&(id, _)| id);
        for (id, message) in again {
            self.post(id, &message);
        }
    }

    /// The simulator broke: the next question starts another. What was asked is not asked again,
    /// for it may be what broke it.
    fn broken(&self, reason: &str) {
        let (backend, waiting) = {
            let mut inner = self.0.borrow_mut();
            inner.unanswered.clear();
            (inner.backend.take(), std::mem::take(&mut inner.waiting))
        };
        if let Some(backend) = backend {
            backend.end();
        }
        let fault = Fault::new(
            "crashed",
            format!(
                "The simulator stopped unexpectedly ({reason}). Your scenario is kept, and the \
                 simulator is started again with the next run."
            ),
        );
        for waiting in waiting.into_values() {
            let _ = waiting.reply.send(Err(fault.clone()));
        }
    }
}

fn misread(error: &str) -> Fault {
    Fault::new(
        "message",
        format!(
            "The page and its simulator do not understand each other ({error}). Reload the page."
        ),
    )
}

fn message(id: u64, kind: &str, body: &impl Serialize) -> Result<JsValue, Fault> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    let body = body
        .serialize(&serializer)
        .map_err(|error| misread(&error.to_string()))?;
    let message = Object::new();
    #[allow(clippy::cast_precision_loss)] // ids and versions are small
    let fields = [
        ("v", JsValue::from(VERSION)),
        ("id", JsValue::from(id as f64)),
        ("kind", JsValue::from(kind)),
        ("body", body),
    ];
    for (name, value) in fields {
        Reflect::set(&message, &name.into(), &value)
            .map_err(|_| misread("a message could not be made"))?;
    }
    Ok(message.into())
}
