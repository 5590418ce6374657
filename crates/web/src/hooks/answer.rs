//! A view's question and the latest answer to it.

use std::cell::Cell;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::door::Door;
use crate::store::Shared;

/// Asks `kind` with `body` whenever the body changes. Gives the latest answer, which stays while
/// the next is waited for; answers that come late are dropped.
#[hook]
pub fn use_answer<B, A>(kind: &'static str, body: Option<B>) -> Option<Shared<A>>
where
    B: Serialize + PartialEq + Clone + 'static,
    A: DeserializeOwned + 'static,
{
    let door = use_context::<Door>();
    let answer = use_state(|| None::<Shared<A>>);
    use_effect_with(body, {
        let answer = answer.setter();
        move |body: &Option<B>| {
            let wanted = Rc::new(Cell::new(true));
            if let (Some(door), Some(body)) = (door, body.clone()) {
                let wanted = wanted.clone();
                spawn_local(async move {
                    // A fault here means that the run is gone; the next run asks again.
                    if let Ok(value) = door.ask::<A>(kind, &body).await
                        && wanted.get()
                    {
                        answer.set(Some(Shared::new(value)));
                    }
                });
            }
            move || wanted.set(false)
        }
    });
    (*answer).clone()
}
