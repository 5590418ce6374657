//! `sealab run`: a scenario or trace under one or more variants.

use std::io::{self, IsTerminal as _, Write as _};

use comfy_table::{Attribute, Cell, ContentArrangement, Table, presets};
use sealab_lab::pages::{PAGE_LETTERS, PagesQuery, PagesRow, page_letters};
use sealab_lab::run::{Progress, RunOptions};
use sealab_lab::session::{Input, Session};
use sealab_lab::tables::{measure_cells, row_cells, tally_cells};
use sealab_lab::variant;

use crate::input::Source;
use crate::{Ending, diagnostics, input};

/// Run a scenario or a trace and compare kernels, memories, and what the text says
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  sealab run gallery/mprotect-across-a-seal.seal
  strace -e trace=%memory ls 2>&1 >/dev/null | sealab run - --kernel 6.18
  sealab run trace.txt --kernel 6.18 --maps start.maps --json

Exit status: 0 every call ends as the text says (or it says nothing), 1 some do not,
2 the text or the arguments are wrong.")]
pub struct Args {
    #[command(flatten)]
    source: Source,

    /// With --json: every page of every mapping at the end, what each call did to contiguous
    /// blocks, and what the TLBs hold; without: what was counted, in a table of its own
    #[arg(long)]
    pages: bool,

    #[command(flatten)]
    output: Output,
}

/// Which variants to run under.
#[derive(clap::Args, Clone)]
pub struct Variants {
    /// A kernel: 6.8, 6.10, 6.11, 6.11-src-first, 6.12, 6.18 or 7.x; may be given several times
    #[arg(long, value_name = "ID")]
    pub kernel: Vec<String>,

    /// A memory: baseline-4k, anonfolio, contpte, exefolio, baseline-16k, baseline-64k,
    /// contpte-16k, contpte-64k, contpte-v1, or parts (4k,folio=32k,contpte); likewise. Alone,
    /// granules stands for the first eight
    #[arg(long, value_name = "ID")]
    pub memory: Vec<String>,

    /// The CPU whose prices the costs are in
    #[arg(long, value_name = "ID", default_value = sealab_lab::cost::DEFAULT_CPU)]
    pub cpu: String,
}

#[derive(clap::Args)]
#[group(multiple = false)]
struct Output {
    /// Print the whole report as JSON (sealab-report/1)
    #[arg(long)]
    json: bool,

    /// Print one line for each call and variant as CSV
    #[arg(long)]
    csv: bool,

    /// Print a Markdown table
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: &Args) -> Ending {
    match compare(args) {
        Ok(mut session) => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            let printed = print(args, &mut session, &mut out).and_then(|()| out.flush());
            // A reader that has seen enough (`| head`) is no fault of the run.
            drop(printed);
            ending(&session)
        }
        Err(fault) => {
            eprintln!("sealab: {fault}");
            Ending::Wrong
        }
    }
}

fn compare(args: &Args) -> Result<Session, String> {
    let text = input::text(&args.source.file)?;
    let maps = args.source.maps.as_deref().map(input::text).transpose()?;
    let given = &args.source.variants;
    let variants = variant::product(&given.kernel, &given.memory, &given.cpu);
    let input = Input {
        text,
        maps,
        pid: args.source.pid,
    };
    let show = io::stderr().is_terminal();
    let mut watch = |progress: Progress| {
        if show {
            report_progress(progress);
        }
        true
    };
    let session = Session::run(input, &variants, &RunOptions::default(), &mut watch);
    if show {
        // Takes the progress line away.
        eprint!("\r\x1b[K");
    }
    session.map_err(|fault| fault.to_string())
}

fn report_progress(progress: Progress) {
    let Progress { done, total, .. } = progress;
    if total > 0 {
        eprint!("\r{done} of {total} calls\x1b[K");
    } else {
        eprint!("\r{done} calls\x1b[K");
    }
}

fn print(args: &Args, session: &mut Session, out: &mut impl io::Write) -> io::Result<()> {
    let name = input::name(&args.source.file);
    if args.output.json {
        let report = if args.pages {
            session.report_with_pages()
        } else {
            session.report()
        };
        serde_json::to_writer_pretty(&mut *out, &report)?;
        return writeln!(out);
    }
    diagnostics::print(&name, session.text(), &session.parsed().diagnostics);
    for run in session.runs() {
        diagnostics::print(&name, session.text(), &run.faults);
    }
    for fault in session.diagnostics() {
        // What the runs found, not the text alone.
        if fault.code == "granule" {
            eprintln!("{name}:{}: warning: {}", fault.line, fault.message);
            if let Some(hint) = &fault.hint {
                eprintln!("  {hint}");
            }
        }
    }
    if args.output.csv {
        return write!(out, "{}", session.csv());
    }
    if args.output.markdown {
        return write!(out, "{}", session.markdown());
    }
    table(session, args.pages, out)
}

fn table(session: &mut Session, pages: bool, out: &mut impl io::Write) -> io::Result<()> {
    if !session.differences().is_empty() {
        writeln!(out, "Where the designs differ")?;
        for difference in session.differences() {
            writeln!(out, "  {}", difference.sentence)?;
        }
        writeln!(out)?;
    }
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    let names = (0..session.runs().len()).map(|v| session.name(v));
    let heads = ["line".to_owned(), "call".to_owned()];
    table.set_header(heads.into_iter().chain(names).map(bold));
    for row in session.rows(0, usize::MAX, false).rows {
        let cells = row_cells(&row);
        let mut line = vec![Cell::new(row.line), Cell::new(&row.text)];
        line.extend(cells.iter().map(|text| {
            let cell = Cell::new(text);
            if row.differs {
                cell.add_attribute(Attribute::Bold)
            } else {
                cell
            }
        }));
        table.add_row(line);
    }
    let totals = session.totals();
    let heads = [String::new(), "total".to_owned()];
    table.add_row(heads.into_iter().chain(totals));
    writeln!(out, "{table}")?;
    let measures = session.cost().measures;
    if !measures.is_empty() {
        let mut table = Table::new();
        table
            .load_preset(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic);
        let names = (0..session.runs().len()).map(|v| session.name(v));
        let head = ["measure (median)".to_owned()];
        table.set_header(head.into_iter().chain(names).map(bold));
        for measure in &measures {
            let name = [measure.name.clone()];
            table.add_row(name.into_iter().chain(measure_cells(measure)));
        }
        writeln!(out, "\n{table}")?;
    }
    let tallies = if pages {
        session.tallies()
    } else {
        session.compared_tallies()
    };
    if !tallies.is_empty() {
        let mut table = Table::new();
        table
            .load_preset(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic);
        let names = (0..session.runs().len()).map(|v| session.name(v));
        let head = ["over the whole run".to_owned()];
        table.set_header(head.into_iter().chain(names).map(bold));
        for tally in &tallies {
            let title = [tally.title.clone()];
            table.add_row(title.into_iter().chain(tally_cells(tally)));
        }
        writeln!(out, "\n{table}")?;
    }
    if pages {
        grid(session, out)?;
        for note in session.page_notes() {
            writeln!(out, "{note}")?;
        }
    }
    for note in session.notes() {
        writeln!(out, "{note}")?;
    }
    Ok(())
}

/// The pages of the latest stretch in text, and what the steps did to contiguous blocks.
fn grid(session: &mut Session, out: &mut impl io::Write) -> io::Result<()> {
    for step in 1..=session.steps().len() {
        let query = PagesQuery {
            step,
            ..PagesQuery::default()
        };
        let view = session.pages(&query);
        let line = session.steps().get(step - 1).map_or(0, |s| s.line);
        for row in &view.rows {
            // The last sentence is the work done, which the table above has.
            let said = row.events.iter().filter(|e| e.contains("folded"));
            for sentence in said {
                writeln!(out, "line {line}, {}: {sentence}", who(row))?;
            }
        }
        if step == session.steps().len() {
            writeln!(out)?;
            for row in &view.rows {
                writeln!(out, "{}: {}", who(row), row.line)?;
                writeln!(out, "  {}", page_letters(row))?;
            }
            writeln!(out, "  {PAGE_LETTERS}")?;
        }
    }
    Ok(())
}

/// A row's variant, and its process if that is a child.
fn who(row: &PagesRow) -> String {
    match row.process {
        0 => row.title.clone(),
        n => format!("{}, child {n}", row.title),
    }
}

fn bold(text: String) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

/// What a finished run says by the exit status.
pub fn ending(session: &Session) -> Ending {
    if session.parsed().program.statements().is_empty() && session.diagnostics().is_empty() {
        eprintln!("sealab: there is no call in the text; an example: munmap(0x10000, 4K)");
        return Ending::Wrong;
    }
    let faulty = session.diagnostics().iter().any(|d| d.severity == "error");
    if faulty {
        Ending::Wrong
    } else if session.runs().iter().any(|r| r.disagreements > 0) {
        Ending::Differs
    } else {
        Ending::Agrees
    }
}
