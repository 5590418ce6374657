//! The worker's program. Loaded into a page instead, where workers are not allowed, it does
//! nothing by itself: the page makes a `Simulator` and talks to that.

fn main() {
    sealab_wasm::say_why_it_broke();
    if sealab_wasm::in_worker() {
        sealab_wasm::listen();
    }
}
