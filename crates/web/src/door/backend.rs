//! Where the simulator runs: in a worker, or here where workers are not allowed.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::EventListener;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ErrorEvent, MessageEvent, Worker};

#[wasm_bindgen]
extern "C" {
    /// What the boot script lends (`www/src/boot.ts`).
    #[wasm_bindgen(js_namespace = sealab, js_name = spawnWorker, catch)]
    fn spawn_worker() -> Result<Worker, JsValue>;

    /// Loads the simulator into this page; gives an object with `handle(message)`.
    #[wasm_bindgen(js_namespace = sealab, js_name = loadSimulator, catch)]
    async fn load_simulator(hear: &js_sys::Function) -> Result<JsValue, JsValue>;

    type Simulator;
    #[wasm_bindgen(method, catch)]
    fn handle(this: &Simulator, message: &JsValue) -> Result<(), JsValue>;
}

/// What came from the simulator.
pub enum Heard {
    /// A message.
    Message(JsValue),
    /// It does not run any more, and why.
    Broken(String),
}

/// Called with all that comes from the simulator.
pub type Hear = Rc<dyn Fn(Heard)>;

/// A running simulator. Clones share it.
#[derive(Clone)]
pub enum Backend {
    /// In a worker of its own.
    Worker(Rc<InWorker>),
    /// In this page.
    Here(Rc<RefCell<Here>>),
}

/// A worker and the listeners on it.
pub struct InWorker {
    worker: Worker,
    _listeners: [EventListener; 3],
}

/// The simulator in this page, and what was asked before it was loaded.
pub struct Here {
    simulator: Option<Simulator>,
    early: Vec<JsValue>,
    hear: Hear,
    _callback: Closure<dyn FnMut(JsValue)>,
}

impl Backend {
    /// Starts it: in a worker, or `here` and wherever workers are impossible.
    pub fn start(here: bool, hear: Hear) -> Self {
        if here {
            return Self::Here(Here::start(hear));
        }
        match spawn_worker() {
            Ok(worker) => Self::Worker(Rc::new(InWorker::new(worker, hear))),
            Err(_) => Self::Here(Here::start(hear)),
        }
    }

    /// Sends `message`.
    pub fn post(&self, message: &JsValue) -> Result<(), String> {
        match self {
            Self::Worker(worker) => worker.worker.post_message(message).map_err(words),
            Self::Here(here) => {
                let mut here = here.borrow_mut();
                if here.simulator.is_none() {
                    here.early.push(message.clone());
                    return Ok(());
                }
                let hear = here.hear.clone();
                match here.simulator.as_ref().map(|s| s.handle(message)) {
                    Some(Err(error)) => {
                        drop(here);
                        hear(Heard::Broken(words(error)));
                        Ok(())
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// Ends it.
    pub fn end(&self) {
        if let Self::Worker(worker) = self {
            worker.worker.terminate();
        }
    }
}

impl InWorker {
    fn new(worker: Worker, hear: Hear) -> Self {
        let on_message = {
            let hear = hear.clone();
            EventListener::new(&worker, "message", move |event| {
                if let Some(event) = event.dyn_ref::<MessageEvent>() {
                    hear(Heard::Message(event.data()));
                }
            })
        };
        let on_error = {
            let hear = hear.clone();
            EventListener::new(&worker, "error", move |event| {
                event.prevent_default();
                let message = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message);
                let message = message.filter(|m| !m.is_empty());
                hear(Heard::Broken(message.unwrap_or_else(|| {
                    "its program could not be loaded".to_owned()
                })));
            })
        };
        let on_unreadable = EventListener::new(&worker, "messageerror", move |_| {
            hear(Heard::Broken("an answer could not be read".to_owned()));
        });
        Self {
            worker,
            _listeners: [on_message, on_error, on_unreadable],
        }
    }
}

impl Here {
    fn start(hear: Hear) -> Rc<RefCell<Self>> {
        let callback = {
            let hear = hear.clone();
            Closure::<dyn FnMut(JsValue)>::new(move |message| hear(Heard::Message(message)))
        };
        let function: js_sys::Function = callback.as_ref().clone().unchecked_into();
        let here = Rc::new(RefCell::new(Self {
            simulator: None,
            early: Vec::new(),
            hear: hear.clone(),
            _callback: callback,
        }));
        let shared = here.clone();
        spawn_local(async move {
            match load_simulator(&function).await {
                Ok(simulator) => {
                    let early = std::mem::take(&mut shared.borrow_mut().early);
                    shared.borrow_mut().simulator = Some(simulator.unchecked_into());
                    let backend = Self::as_backend(&shared);
                    for message in early {
                        let _ = backend.post(&message);
                    }
                }
                Err(error) => hear(Heard::Broken(words(error))),
            }
        });
        here
    }

    fn as_backend(here: &Rc<RefCell<Self>>) -> Backend {
        Backend::Here(here.clone())
    }
}

/// What a JavaScript error says.
fn words(error: JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => error
            .as_string()
            .unwrap_or_else(|| "unknown error".to_owned()),
    }
}
