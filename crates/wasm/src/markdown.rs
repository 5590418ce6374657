//! A run's result as a Markdown table, to be pasted into a mail or an issue.

use sealab_lab::session::Session;
use sealab_protocol::Cell;

/// Rows written out; what is beyond them is said below the table.
const ROWS_MAX: usize = 200;

/// One row a call, one column a variant; below it where the designs differ.
pub fn table(session: &Session) -> String {
    let variants = session.runs().len();
    let mut out = String::from("| line | call |");
    for variant in 0..variants {
        out.push_str(&format!(" {} |", escape(&session.name(variant))));
    }
    out.push_str("\n|---:|---|");
    out.push_str(&"---|".repeat(variants));
    out.push('\n');
    let rows = session.rows(0, ROWS_MAX, false);
    for row in &rows.rows {
        out.push_str(&format!("| {} | {} |", row.line, code(&row.text)));
        for cell in &row.cells {
            out.push_str(&format!(" {} |", escape(&words(cell))));
        }
        out.push('\n');
    }
    if rows.total > rows.rows.len() {
        let more = rows.total - rows.rows.len();
        out.push_str(&format!("\nand {more} calls more.\n"));
    }
    for difference in session.differences() {
        out.push_str(&format!("\n- {}", escape(&difference.sentence)));
    }
    out
}

fn words(cell: &Cell) -> String {
    let mut words = cell.result.clone();
    if let Some(partial) = &cell.partial {
        words.push_str(&format!(" ({partial})"));
    }
    if let Some(recorded) = &cell.recorded {
        words.push_str(&format!(", recorded {recorded}"));
    }
    words
}

/// Text in which nothing is markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Text as code; a fence longer than any run of backquotes in it keeps it whole.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1));
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    // Inside a table a bar ends the cell even in code.
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_is_markup_or_ends_it() {
        assert_eq!(escape("a|b <i>_x_"), "a\\|b \\<i\\>\\_x\\_");
        assert_eq!(code("A|B"), "`A\\|B`");
        assert_eq!(code("`x` \n y"), "`` `x`   y ``");
    }
}
