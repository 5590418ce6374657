//! Parts that every view is made of.

mod dialog;
mod format;
mod icon;
mod size;
mod text;
mod toasts;
mod virtual_list;

pub use dialog::Modal;
pub use format::{count, nanoseconds, percent_change};
pub use icon::{Icon, Shape};
pub use size::use_width;
pub use text::{Message, Plain, emphasised};
pub use toasts::Toasts;
pub use virtual_list::{VirtualList, Window};
