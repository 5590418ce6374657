//! Goes through the lines, joins what was broken, and reads the statements on them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use sealab_core::call::ProcessId;

use crate::calls::{CallName, CallSpec};
use crate::diagnostic::Severity;
use crate::program::{Arg, By, Expectation, LoopId, MeasureId, Slot, StatementId, StatementKind};

use super::NoteKind;
use super::call::Args;
use super::clean::Clean;
use super::cursor::{Cursor, Need, Stop, original};
use super::emit::{Emit, NO_PID, RawDiagnostic};
use super::items::{Item, item};
use super::prefix;
use super::record::{Lines, Record};
use super::tracer::{self, TracerLine};

/// What is known between statements.
#[derive(Debug)]
pub(crate) struct State {
    /// The process tag of the line in hand.
    pub pid: i64,
    /// Who makes the calls of the line in hand, where the text names a child.
    pub by: By,
    pub blocks: Vec<Block>,
    /// How many of the open blocks are left out.
    pub broken_blocks: usize,
    /// Whether the record in hand is a call that a tracer broke in two.
    pub resumed: bool,
    pub is_32bit: bool,
    /// Whether any `mmap2` has an offset that is no multiple of 4096, so that none are in bytes.
    pub mmap2_in_pages: bool,
    /// The statement that opened each descriptor last.
    opened: HashMap<(i64, u64), StatementId>,
}

/// A block that is open.
#[derive(Debug)]
pub(crate) struct Block {
    pub kind: BlockKind,
    pub statement: Option<StatementId>,
    /// Its head, in the original text.
    pub span: Range<usize>,
    /// The loop variable's name, and what it meant outside.
    pub hidden: Option<(String, Option<Slot>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockKind {
    Repeat(LoopId),
    Measure(MeasureId),
    /// Left out, for its head or its depth.
    Broken,
}

impl State {
    fn new() -> Self {
        Self {
            pid: NO_PID,
            by: By::Process(ProcessId(0)),
            blocks: Vec::new(),
            broken_blocks: 0,
            resumed: false,
            is_32bit: false,
            mmap2_in_pages: false,
            opened: HashMap::new(),
        }
    }

    pub fn open(&mut self, block: Block) {
        self.broken_blocks += usize::from(block.kind == BlockKind::Broken);
        self.blocks.push(block);
    }

    /// Closes the innermost block, if there is one.
    pub fn close(&mut self, emit: &mut Emit) -> bool {
        let Some(block) = self.blocks.pop() else {
            return false;
        };
        self.broken_blocks -= usize::from(block.kind == BlockKind::Broken);
        if let Some((name, outside)) = block.hidden {
            match outside {
                Some(slot) => emit.names.insert(Arc::from(name), slot),
                None => emit.names.remove(name.as_str()),
            };
        }
        let end = emit.next_id();
        let statement = block
            .statement
            .and_then(|id| emit.statements.get_mut(id.0 as usize));
        if let Some(statement) = statement
            && let StatementKind::Repeat { end: e, .. } | StatementKind::Measure { end: e, .. } =
                &mut statement.kind
        {
            *e = end;
        }
        match block.kind {
            BlockKind::Repeat(LoopId(id)) => {
                if let Some(info) = emit.arena.loops.get_mut(id as usize) {
                    info.end = end;
                }
            }
            BlockKind::Measure(MeasureId(id)) => {
                if let Some(info) = emit.arena.measures.get_mut(id as usize) {
                    info.end = end;
                }
            }
            BlockKind::Broken => {}
        }
        true
    }

    pub fn innermost_loop(&self) -> Option<LoopId> {
        self.blocks.iter().rev().find_map(|block| match block.kind {
            BlockKind::Repeat(id) => Some(id),
            _ => None,
        })
    }

    /// Looks for signs of a 32-bit process.
    pub fn look_at(
        &mut self,
        spec: &CallSpec,
        args: &Args,
        expected: Option<Expectation>,
        lenient: bool,
    ) {
        if !lenient {
            return;
        }
        if spec.call == CallName::Mmap2 {
            self.is_32bit = true;
            if let Arg::Const(offset) = args.get(5) {
                self.mmap2_in_pages |= offset % 4096 != 0;
            }
        }
        self.is_32bit |= spec.call == CallName::OldMmap;
        if let (
            CallName::Mmap | CallName::Mremap | CallName::Mmap2,
            Some(Expectation::Value(Arg::Const(value))),
        ) = (spec.call, expected)
        {
            self.is_32bit |= value >= SIGN_EXTENDED;
        }
    }

    pub fn opened(&mut self, fd: u64, by: StatementId) {
        self.opened.insert((self.pid, fd), by);
    }

    /// Notes the length of an open file.
    pub fn set_size(&mut self, emit: &mut Emit, fd: u64, size: u64) {
        let statement = self
            .opened
            .get(&(self.pid, fd))
            .and_then(|id| emit.statements.get(id.0 as usize));
        let Some(StatementKind::Call { call, args, .. }) = statement.map(|s| &s.kind) else {
            return;
        };
        let size_at = match call {
            CallName::Openat => 4,
            CallName::Open => 3,
            _ => return,
        };
        if let Some(arg) = emit.arena.args.get_mut(args.start as usize + size_at) {
            *arg = Arg::Const(size);
        }
    }
}

/// From here on an address is a 32-bit one with its sign extended.
pub(crate) const SIGN_EXTENDED: u64 = 0xffff_ffff_8000_0000;

/// A call that a tracer broke off, until its second half comes.
struct Pending<'t> {
    pid: i64,
    name: String,
    record: Record<'t>,
}

/// Most calls that can be broken off at a time.
const MOST_PENDING: usize = 4_096;
/// Most second halves of calls on one line.
const MOST_RESUMED: usize = 64;

pub(crate) struct Reader<'t> {
    clean: &'t Clean<'t>,
    text: &'t str,
    lines: Lines<'t>,
    lenient: bool,
    pub emit: Emit,
    pub state: State,
    pending: Vec<Pending<'t>>,
    resumed_on_line: usize,
    /// Lines joined to a call in vain so far.
    vain_joins: usize,
    /// No `*/` comes any more.
    no_comment_ends: bool,
    lines_read: usize,
}

impl<'t> Reader<'t> {
    pub fn new(clean: &'t Clean<'t>, lenient: bool, emit: Emit) -> Self {
        Self {
            clean,
            text: &clean.text,
            lines: Lines::new(&clean.text),
            lenient,
            emit,
            state: State::new(),
            pending: Vec::new(),
            resumed_on_line: 0,
            vain_joins: 0,
            no_comment_ends: false,
            lines_read: 0,
        }
    }

    /// Reads all lines.
    pub fn run(&mut self) {
        while let Some(line) = self.lines.next_line() {
            self.lines_read += 1;
            if self.lines_read > self.emit.limits.lines {
                self.too_many_lines(line);
                break;
            }
            self.line(line);
            if self.emit.full {
                break;
            }
        }
        self.close_all();
        // broken calls are noted when they are found out
        self.emit.notes.sort_by_key(|note| note.span.start);
    }

    fn too_many_lines(&mut self, line: Range<usize>) {
        let span = self.clean.original(line.start)..self.clean.original(line.end);
        let limit = self.emit.limits.lines;
        self.emit.report(RawDiagnostic {
            severity: Severity::Error,
            code: "limit-lines",
            span,
            message: format!("more than {limit} lines; this one and all after it are left out"),
            hint: Some("split the text".to_owned()),
        });
    }

    fn line(&mut self, line: Range<usize>) {
        let text = self.text.get(line.clone()).unwrap_or("");
        let prefix = prefix::strip(text, self.lenient);
        let body = text.get(prefix.length..).unwrap_or("");
        let start = line.start + prefix.length;
        self.state.pid = prefix.pid.unwrap_or(NO_PID);
        self.state.by = By::Process(ProcessId(0));
        self.state.resumed = false;
        self.resumed_on_line = 0;
        match tracer::classify(body) {
            TracerLine::Blank | TracerLine::Comment => {}
            TracerLine::BlockComment => self.block_comment(start),
            TracerLine::Note(kind) => self.note(start..line.end, kind),
            TracerLine::Statements => self.record(Record::of(self.text, start..line.end)),
        }
    }

    /// A comment that begins a line and may go on over others.
    fn block_comment(&mut self, start: usize) {
        let rest = self.text.get(start + 2..).unwrap_or("");
        // Looked for once: a text full of `/*` must not cost quadratic time.
        let end = if self.no_comment_ends {
            None
        } else {
            rest.find("*/")
        };
        self.no_comment_ends |= end.is_none();
        let Some(end) = end else {
            let span = self.clean.original(start)..self.clean.original(start + 2);
            self.emit.report(RawDiagnostic {
                severity: Severity::Error,
                code: "unclosed-comment",
                span,
                message: "this comment has no end".to_owned(),
                hint: Some("close it with `*/`".to_owned()),
            });
            return;
        };
        let after = start + 2 + end + 2;
        self.lines.seek(after);
        // what follows on the comment's last line is a line of its own
    }

    pub fn note(&mut self, range: Range<usize>, kind: NoteKind) {
        let text = self.text.get(range.clone()).unwrap_or("");
        let trimmed = text.trim();
        let start = range.start + (text.len() - text.trim_start().len());
        let range = start..start + trimmed.len();
        if kind == NoteKind::Chatter {
            self.chatter(trimmed);
        }
        let span = self.clean.original(range.start)..self.clean.original(range.end);
        self.emit.note(span, kind);
    }

    fn chatter(&mut self, text: &str) {
        if text.contains("runs in 32 bit mode") {
            self.state.is_32bit = true;
        }
        if let Some(pid) = tracer::attached(text) {
            self.emit.event(pid, super::process::EventKind::Attach);
        }
    }

    /// Reads the items of a record, joining lines to it as they are needed.
    fn record(&mut self, mut record: Record<'t>) {
        let mut from = 0;
        let mut last = false;
        let mut lines = 1;
        // Where each line of the record ends, and where the line after it starts.
        let mut breaks: Vec<(usize, usize)> = Vec::new();
        loop {
            match self.items(&mut record, &mut from, last, &breaks) {
                Progress::End => return,
                Progress::Resumed(joined) => {
                    record = *joined;
                    from = 0;
                    last = false;
                    breaks.clear();
                }
                Progress::BackTo(position) => {
                    self.lines.seek(position);
                    return;
                }
                Progress::More(need) => match self.continuation(&record, need, lines) {
                    Some((range, glue, next)) => {
                        breaks.push((record.text.len(), self.lines.position()));
                        record.append(self.text, range, glue);
                        self.lines.seek(next);
                        lines += 1;
                    }
                    None => last = true,
                },
            }
        }
    }

    /// The next line's text, if it goes on with the record; how to glue it on, and where the line
    /// after it starts.
    fn continuation(
        &mut self,
        record: &Record<'_>,
        need: Need,
        lines: usize,
    ) -> Option<(Range<usize>, &'static str, usize)> {
        // A text of calls that never close must not be read 64 times over.
        let most = if self.vain_joins > 4_096 {
            2
        } else {
            self.emit.limits.call_lines
        };
        if lines >= most {
            return None;
        }
        let mut ahead = self.lines.clone();
        let line = ahead.next_line()?;
        let text = self.text.get(line.clone())?;
        let prefix = prefix::strip(text, self.lenient);
        let body = text.get(prefix.length..)?;
        let glue = tracer::glue(&record.text, body, &prefix, need, self.lenient)?;
        Some((line.start + prefix.length..line.end, glue, ahead.position()))
    }

    fn items(
        &mut self,
        record: &mut Record<'t>,
        from: &mut usize,
        last: bool,
        breaks: &[(usize, usize)],
    ) -> Progress<'t> {
        loop {
            let rest = record.text.get(*from..).unwrap_or("");
            let blanks = rest.len() - rest.trim_start().len();
            *from += blanks;
            if blanks == rest.len() {
                return Progress::End;
            }
            if *from > 0 && self.lenient {
                self.inner_prefix(record, from);
            }
            match self.tracer_mark(record, from) {
                Marked::No => {}
                Marked::Passed => continue,
                Marked::Resumed(joined) => return Progress::Resumed(joined),
            }
            let mark = self.emit.mark();
            let mut cursor = Cursor::new(
                record,
                self.clean,
                &mut self.emit,
                *from,
                self.lenient,
                last,
            );
            if cursor.at_end() {
                return Progress::End;
            }
            let result = item(&mut cursor, &mut self.state);
            let reached = cursor.now.start.max(*from);
            let moved = reached > *from;
            match result {
                Ok(Item::Done) if moved => *from = reached,
                Ok(_) => {
                    self.emit.rewind(mark);
                    self.no_statement(record, from);
                }
                Err(Stop::More(need)) => {
                    self.emit.rewind(mark);
                    return Progress::More(need);
                }
                Err(Stop::Unfinished(at)) => {
                    self.emit.rewind(mark);
                    if at < record.text.len() {
                        self.broken_off(record, from, at);
                    } else if let Some(position) = self.cut_off(record, from, breaks) {
                        return Progress::BackTo(position);
                    }
                }
                Err(Stop::Fault) => *from = super::recover::after(&record.text, reached),
            }
        }
    }

    /// A process number between two calls that share a line.
    fn inner_prefix(&mut self, record: &Record<'_>, from: &mut usize) {
        let rest = record.text.get(*from..).unwrap_or("");
        let prefix = prefix::strip(rest, true);
        if prefix.marks_start {
            self.state.pid = prefix.pid.unwrap_or(NO_PID);
        }
        if prefix.starts {
            *from += prefix.length;
        }
    }

    /// A tracer's own mark in place of a call.
    fn tracer_mark(&mut self, record: &mut Record<'t>, from: &mut usize) -> Marked<'t> {
        let rest = record.text.get(*from..).unwrap_or("");
        if let Some((kind, length)) = tracer::mark(rest) {
            let range = record.clean_range(*from..*from + length);
            self.note(range, kind);
            *from += length;
            return Marked::Passed;
        }
        let Some(resumed) = tracer::resumed(rest) else {
            return Marked::No;
        };
        let (name, after) = (resumed.name.to_owned(), *from + resumed.length);
        self.resumed_on_line += 1;
        let found = self
            .pending
            .iter()
            .rposition(|p| p.name == name && p.pid == self.state.pid)
            .or_else(|| {
                self.pending
                    .iter()
                    .rposition(|p| p.name == name && p.pid == NO_PID)
            })
            .filter(|_| self.resumed_on_line <= MOST_RESUMED);
        let Some(index) = found else {
            self.lost_half(record, *from, &name);
            *from = record.text.len();
            return Marked::Passed;
        };
        let pending = self.pending.remove(index);
        let mut joined = pending.record;
        record.skip(after);
        joined.join(record);
        self.state.resumed = true;
        self.state.pid = pending.pid;
        Marked::Resumed(Box::new(joined))
    }

    /// The second half of a call whose first half is missing.
    fn lost_half(&mut self, record: &Record<'_>, from: usize, name: &str) {
        let range = record.clean_range(from..record.text.len());
        self.warn_of_loss(
            &range,
            name,
            "the first half of this call is missing; it is left out",
        );
        self.note(range, NoteKind::Unfinished);
    }

    fn warn_of_loss(&mut self, range: &Range<usize>, name: &str, message: &str) {
        if crate::calls::by_name(name).is_some_and(|s| s.kind == crate::calls::CallKind::Memory) {
            let span = self.clean.original(range.start)..self.clean.original(range.end);
            self.emit.report(RawDiagnostic {
                severity: Severity::Warning,
                code: "unfinished-call",
                span,
                message: message.to_owned(),
                hint: None,
            });
        } else {
            self.emit.skip(name);
        }
    }

    /// A call that ends in `<unfinished ...>`: kept until its other half comes.
    fn broken_off(&mut self, record: &Record<'t>, from: &mut usize, at: usize) {
        let mut first = record.clone();
        first.truncate(record.text.get(..at).map_or(at, |t| t.trim_end().len()));
        first.skip(*from);
        let name = tracer::call_name(&first.text).to_owned();
        if self.pending.len() >= MOST_PENDING {
            let oldest = self.pending.remove(0);
            self.never_finished(&oldest);
        }
        self.pending.push(Pending {
            pid: self.state.pid,
            name,
            record: first,
        });
        let rest = record.text.get(at..).unwrap_or("");
        *from = match rest.find('>') {
            Some(end) if rest.starts_with('<') => at + end + 1,
            _ => record.text.len(),
        };
    }

    fn never_finished(&mut self, pending: &Pending<'_>) {
        let range = pending.record.clean_range(0..pending.record.text.len());
        self.warn_of_loss(
            &range,
            &pending.name,
            "this call was begun and never ended; it is left out",
        );
        self.note(range, NoteKind::Unfinished);
    }

    /// A call in a trace that simply stops. If lines were joined to it in vain, they are read
    /// again on their own: the result is where to go back to.
    fn cut_off(
        &mut self,
        record: &Record<'_>,
        from: &mut usize,
        breaks: &[(usize, usize)],
    ) -> Option<usize> {
        let line_end = breaks.iter().find(|(end, _)| *end > *from);
        let end = line_end.map_or(record.text.len(), |(end, _)| *end);
        let name = tracer::call_name(record.text.get(*from..).unwrap_or("")).to_owned();
        let range = record.clean_range(*from..end);
        self.warn_of_loss(&range, &name, "this call is cut off; it is left out");
        self.note(range, NoteKind::Unfinished);
        *from = end;
        self.vain_joins += breaks.len();
        line_end.map(|(_, next)| *next)
    }

    /// What stands at `from` is no statement: an error where a person writes, a note in a trace.
    fn no_statement(&mut self, record: &Record<'_>, from: &mut usize) {
        let rest = record.text.get(*from..).unwrap_or("");
        let line = rest.split(['\n', '\r']).next().unwrap_or(rest);
        if !self.lenient {
            super::recover::report(self, record, *from..*from + line.len());
            *from += line.len();
            return;
        }
        let end = tracer::next_call(rest).unwrap_or(rest.len());
        if super::recover::keyword_slip(rest) {
            super::recover::report(self, record, *from..*from + end);
        } else {
            let range = record.clean_range(*from..*from + end);
            self.note(range, NoteKind::Text);
        }
        *from += end;
    }

    /// Where a stretch of a record stands in the original text.
    pub fn original(&self, record: &Record<'_>, range: Range<usize>) -> Range<usize> {
        original(record, self.clean, range)
    }

    fn close_all(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.never_finished(&pending);
        }
        while let Some(block) = self.state.blocks.last() {
            let span = block.span.clone();
            self.emit.report(RawDiagnostic {
                severity: Severity::Error,
                code: "unclosed-block",
                span,
                message: "this block is not closed".to_owned(),
                hint: Some("add `}`".to_owned()),
            });
            self.state.close(&mut self.emit);
        }
    }
}

/// What became of a record's items.
enum Progress<'t> {
    /// All are read.
    End,
    /// The last one needs more text.
    More(Need),
    /// Go on with this record: a broken call, made whole.
    Resumed(Box<Record<'t>>),
    /// Go on at that line.
    BackTo(usize),
}

enum Marked<'t> {
    No,
    Passed,
    Resumed(Box<Record<'t>>),
}
