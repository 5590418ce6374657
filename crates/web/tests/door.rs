//! The way to the simulator, held against workers that misbehave. Runs in a browser.

#![cfg(target_arch = "wasm32")]
#![allow(missing_docs)]

use js_sys::{Array, Function, Object, Reflect, global};
use sealab_protocol::{Fault, TextRequest};
use sealab_web::door::Door;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Lends what the boot script lends: workers made of `script`, counted in `sealab.spawned`.
fn lend(script: &str) {
    let boot = Object::new();
    let spawn = Function::new_with_args(
        "script",
        "return () => {
           sealab.spawned = (sealab.spawned ?? 0) + 1;
           const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
           return new Worker(url);
         }",
    );
    let spawn = spawn
        .call1(&JsValue::NULL, &script.into())
        .expect("a function");
    Reflect::set(&boot, &"spawnWorker".into(), &spawn).expect("a field");
    let load = Function::new_with_args(
        "hear",
        "return Promise.resolve({ handle: ({ id, body }) =>
           hear({ v: 1, id, kind: 'done', body: 'here: ' + body.text }) })",
    );
    Reflect::set(&boot, &"loadSimulator".into(), &load).expect("a field");
    Reflect::set(&global(), &"sealab".into(), &boot).expect("a field");
}

fn spawned() -> f64 {
    let boot = Reflect::get(&global(), &"sealab".into()).expect("lent");
    let spawned = Reflect::get(&boot, &"spawned".into()).expect("lent");
    spawned.as_f64().unwrap_or(0.0)
}

fn text(text: &str) -> TextRequest {
    TextRequest {
        text: text.to_owned(),
    }
}

const ECHO: &str = "onmessage = ({ data: { id, kind, body } }) => {
  if (kind === 'hang') for (;;) {}
  if (kind === 'throw') throw new Error('on purpose');
  if (kind === 'fault') return postMessage({ v: 1, id, kind: 'error', body: { code: 'link', message: 'no' } });
  if (kind === 'nonsense') return postMessage({ v: 1, id, kind: 'done', body: { not: 'a string' } });
  if (kind === 'late') return setTimeout(() => postMessage({ v: 1, id, kind: 'done', body: body.text }), 50);
  if (kind !== 'cancel') postMessage({ v: 1, id, kind: 'done', body: body.text });
}";

#[wasm_bindgen_test]
async fn answers_go_to_who_asked_whatever_their_order() {
    lend(ECHO);
    let door = Door::open();
    let late = door.send("late", &text("first"), None);
    let soon: String = door.ask("echo", &text("second")).await.expect("an answer");
    let late: String = late.read().await.expect("an answer");
    assert_eq!((soon.as_str(), late.as_str()), ("second", "first"));
    assert_eq!(spawned(), 1.0);
}

#[wasm_bindgen_test]
async fn a_fault_and_a_misshapen_answer_are_said_in_words() {
    lend(ECHO);
    let door = Door::open();
    let fault = door
        .ask::<String>("fault", &text(""))
        .await
        .expect_err("a fault");
    assert_eq!(fault, Fault::new("link", "no"));
    let fault = door
        .ask::<String>("nonsense", &text(""))
        .await
        .expect_err("a fault");
    assert_eq!(fault.code, "message");
    assert!(fault.message.contains("Reload the page"));
}

#[wasm_bindgen_test]
async fn a_cancelled_question_ends_at_once_and_its_late_answer_is_dropped() {
    lend(ECHO);
    let door = Door::open();
    let question = door.send("late", &text("dropped"), None);
    door.cancel(question.id);
    let fault = question.read::<String>().await.expect_err("cancelled");
    assert_eq!(fault.code, "cancelled");
    let next: String = door.ask("late", &text("next")).await.expect("an answer");
    assert_eq!(next, "next");
    assert_eq!(spawned(), 1.0, "a worker that answers in time is kept");
}

#[wasm_bindgen_test]
async fn a_worker_that_does_not_stop_is_replaced_and_the_rest_is_asked_again() {
    lend(ECHO);
    let door = Door::open();
    let first: String = door.ask("echo", &text("warm")).await.expect("an answer");
    assert_eq!(first, "warm");
    let hanging = door.send("hang", &text(""), None);
    let waiting = door.send("echo", &text("still wanted"), None);
    door.cancel(hanging.id);
    assert_eq!(
        hanging.read::<String>().await.expect_err("cancelled").code,
        "cancelled"
    );
    let answer: String = waiting.read().await.expect("asked again");
    assert_eq!(answer, "still wanted");
    assert_eq!(spawned(), 2.0);
}

#[wasm_bindgen_test]
async fn a_worker_that_breaks_ends_its_questions_and_the_next_finds_another() {
    lend(ECHO);
    let door = Door::open();
    let first: String = door.ask("echo", &text("warm")).await.expect("an answer");
    assert_eq!(first, "warm");
    let fault = door
        .ask::<String>("throw", &text(""))
        .await
        .expect_err("broken");
    assert_eq!(fault.code, "crashed");
    assert!(fault.message.contains("on purpose") && fault.message.contains("kept"));
    let next: String = door.ask("echo", &text("alive")).await.expect("an answer");
    assert_eq!(next, "alive");
}

#[wasm_bindgen_test]
async fn where_no_worker_ever_speaks_the_page_simulates_by_itself() {
    lend("throw new Error('not here')");
    let door = Door::open();
    let answer: String = door.ask("echo", &text("x")).await.expect("an answer");
    assert_eq!(answer, "here: x");
    let again: String = door.ask("echo", &text("y")).await.expect("an answer");
    assert_eq!(again, "here: y");
}

#[wasm_bindgen_test]
async fn progress_reaches_who_asked() {
    lend("onmessage = ({ data: { id } }) => {
      for (const done of [1, 2]) postMessage({ v: 1, id, kind: 'progress', body: { done, total: 2 } });
      postMessage({ v: 1, id, kind: 'done', body: 'done' });
    }");
    let door = Door::open();
    let heard = Array::new();
    let progress = {
        let heard = heard.clone();
        yew::Callback::from(move |p: sealab_protocol::Progress| {
            heard.push(&JsValue::from(p.done));
        })
    };
    let question = door.send("run", &text(""), Some(progress));
    let _: String = question.read().await.expect("an answer");
    assert_eq!(heard.length(), 2);
}
