//! Starts the page.

fn main() {
    sealab_web::start();
}
