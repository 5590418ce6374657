//! Samples as tools print them: will-it-scale, stress-ng, `perf stat`, hyperfine, plain columns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{VALUES_MAX, json};

/// A sample, or what was published of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What was measured.
    pub name: String,
    /// Its unit, where the tool says.
    pub unit: String,
    /// The values.
    pub values: Vec<f64>,
    /// In their place, where only this is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

/// A sample of which only this is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many values.
    pub n: f64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub sd: f64,
}

/// What could not be read, and where. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleFault {
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
    /// What is wrong and what is understood.
    pub message: String,
}

/// Most faults reported of one text.
const FAULTS_MAX: usize = 50;
/// Most bytes of a text.
const TEXT_MAX: usize = 16 << 20;
/// Most samples of a text.
const SERIES_MAX: usize = 64;

/// The samples in `text`, and what could not be read. A text holds one tool's output; lines of the
/// tool that carry no number are skipped.
#[must_use]
pub fn parse(text: &str) -> (Vec<Series>, Vec<SampleFault>) {
    let fault = |message: &str| {
        let fault = SampleFault {
            line: 1,
            column: 1,
            message: message.to_owned(),
        };
        (Vec::new(), vec![fault])
    };
    if text.len() > TEXT_MAX {
        return fault("the text has more than 16 MiB");
    }
    let start = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    if start.is_empty() {
        return fault("there is nothing here: paste numbers, or what a benchmark printed");
    }
    if start.starts_with('{') {
        return match json::hyperfine(text) {
            Ok(series) => (series, Vec::new()),
            Err(fault) => (Vec::new(), vec![fault]),
        };
    }
    let mut reader = Reader::default();
    for (at, line) in text.lines().enumerate() {
        reader.line = u32::try_from(at + 1).unwrap_or(u32::MAX);
        reader.read(line.trim_end_matches('\r'));
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    line: u32,
    tool: Option<Tool>,
    series: Vec<Series>,
    by_name: BTreeMap<String, usize>,
    /// Names of plain columns.
    columns: Vec<usize>,
    faults: Vec<SampleFault>,
    left_out: usize,
    /// will-it-scale: samples before the measurement begins.
    warm_up: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tool {
    WillItScale,
    StressNg,
    PerfCsv,
    PerfText,
    Columns,
}

impl Reader {
    fn read(&mut self, line: &str) {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        if text.starts_with("warmup") || text.starts_with("testcase:") {
            self.tool = Some(Tool::WillItScale);
            self.warm_up |= text.starts_with("warmup");
            return;
        }
        if text.starts_with("measurement") && self.tool == Some(Tool::WillItScale) {
            // What warmed up is no measurement.
            self.warm_up = false;
            for series in &mut self.series {
                if series.name == "total" {
                    series.values.clear();
                }
            }
            return;
        }
        if text.starts_with("average:") && self.tool == Some(Tool::WillItScale) {
            return;
        }
        if let Some(total) = text
            .split_whitespace()
            .find_map(|w| w.strip_prefix("total:"))
            && text.starts_with("min:")
        {
            self.tool = Some(Tool::WillItScale);
            self.number(line, total, "total", "operations/s");
            return;
        }
        if text.starts_with("stress-ng:") {
            self.tool = Some(Tool::StressNg);
            self.stress_ng(line);
            return;
        }
        if text.starts_with("Performance counter stats for")
            || text.ends_with("seconds time elapsed")
        {
            self.tool = Some(Tool::PerfText);
        }
        if self.tool == Some(Tool::PerfText) || text.contains("( +-") {
            self.tool = Some(Tool::PerfText);
            self.perf_text(line);
            return;
        }
        if (self.tool.is_none() || self.tool == Some(Tool::PerfCsv)) && self.perf_csv(line) {
            self.tool = Some(Tool::PerfCsv);
            return;
        }
        match self.tool {
            None | Some(Tool::Columns) => {
                self.columns(line);
                self.tool = Some(Tool::Columns);
            }
            Some(tool) => self.fault(
                line,
                text,
                match tool {
                    Tool::WillItScale => {
                        "no line of will-it-scale: min:N max:N total:N is expected"
                    }
                    _ => "no line of `perf stat -x,`: value,unit,event,… is expected",
                },
            ),
        }
    }

    /// `stress-ng: metrc: [1] pagemove  205312.1 page remaps per sec (…)`, or its table's line
    /// `stress-ng: metrc: [1] pagemove  18361466  60.0  66.1  2916.0  306014.2  6155.7`.
    fn stress_ng(&mut self, line: &str) {
        let Some((_, rest)) = line.split_once(']') else {
            return;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let Some((stressor, values)) = words.split_first() else {
            return;
        };
        let numbers: Vec<&&str> = values
            .iter()
            .take_while(|w| w.parse::<f64>().is_ok())
            .collect();
        match (numbers.as_slice(), values.get(numbers.len())) {
            // bogo ops, real, user and system time, bogo ops/s by real time, by used time.
            ([_, _, _, _, rate, _, ..], None) => {
                self.number(
                    line,
                    rate,
                    &format!("{stressor} bogo ops/s"),
                    "operations/s",
                );
            }
            ([rate], Some(_)) => {
                let what: Vec<&str> = values
                    .iter()
                    .skip(1)
                    .take_while(|w| !w.starts_with('('))
                    .copied()
                    .collect();
                self.number(
                    line,
                    rate,
                    &format!("{stressor} {}", what.join(" ")),
                    "operations/s",
                );
            }
            _ => {}
        }
    }

    /// `value,unit,event,…`; runs repeated by the shell give a line each.
    fn perf_csv(&mut self, line: &str) -> bool {
        let fields: Vec<&str> = line.split([',', ';']).collect();
        let (Some(value), Some(unit), Some(event)) = (fields.first(), fields.get(1), fields.get(2))
        else {
            return false;
        };
        let named = event.chars().any(char::is_alphabetic) && event.trim().parse::<f64>().is_err();
        let valued = value.trim().parse::<f64>().is_ok() || value.trim().starts_with('<');
        if fields.len() < 4 || !named || !valued {
            return false;
        }
        if !value.trim().starts_with('<') {
            self.number(line, value.trim(), event.trim(), unit.trim());
        }
        true
    }

    /// `     1,234,567      cycles      ( +-  0.12% )` of `perf stat -r N`, and the elapsed time.
    fn perf_text(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(first) = words.first() else { return };
        let plain: String = first.chars().filter(|c| *c != ',').collect();
        if plain.parse::<f64>().is_err() {
            return;
        }
        let elapsed = line.contains("seconds time elapsed");
        let is_unit = |w: &&&str| ["msec", "seconds", "Joules", "MiB"].contains(*w);
        let unit = words.get(1).filter(is_unit).copied().unwrap_or("");
        let name = match (elapsed, unit) {
            (true, _) => "time elapsed",
            (_, "") => words.get(1).copied().unwrap_or("value"),
            _ => words.get(2).copied().unwrap_or("value"),
        };
        let before = self.series.len();
        self.number(line, &plain, name, if elapsed { "s" } else { unit });
        // With -r the line is a mean already, and says how far it is known.
        let spread = line
            .split_once("( +-")
            .and_then(|(_, rest)| rest.split('%').next()?.trim().parse::<f64>().ok());
        if let (Some(percent), true) = (spread, self.series.len() > before)
            && let Some(series) = self.series.last_mut()
        {
            series.unit = format!("{} (mean, standard error {percent} %)", series.unit)
                .trim()
                .to_owned();
        }
    }

    /// Numbers in columns, under names if the first line has some.
    fn columns(&mut self, line: &str) {
        let words: Vec<&str> = line
            .split(|c: char| c.is_whitespace() || c == ',' || c == ';')
            .filter(|w| !w.is_empty())
            .collect();
        let is_head = self.series.is_empty() && words.iter().all(|w| w.parse::<f64>().is_err());
        if is_head {
            for word in &words {
                self.add_column(word);
            }
            return;
        }
        for (at, word) in words.iter().enumerate() {
            if self.columns.len() <= at {
                let name = format!("column {}", at + 1);
                self.add_column(&name);
            }
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() => {
                    let column = self.columns.get(at).copied();
                    self.push(column, value);
                }
                _ => self.fault(line, word, "no number"),
            }
        }
    }

    fn add_column(&mut self, name: &str) {
        if self.series.len() >= SERIES_MAX {
            return;
        }
        self.columns.push(self.series.len());
        self.series.push(Series {
            name: name.to_owned(),
            ..Series::default()
        });
    }

    fn number(&mut self, line: &str, word: &str, name: &str, unit: &str) {
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                let known = self.by_name.get(name).copied();
                let index = known.or_else(|| {
                    if self.series.len() >= SERIES_MAX {
                        return None;
                    }
                    self.series.push(Series {
                        name: name.to_owned(),
                        unit: unit.to_owned(),
                        ..Series::default()
                    });
                    self.by_name.insert(name.to_owned(), self.series.len() - 1);
                    Some(self.series.len() - 1)
                });
                self.push(index, value);
            }
            _ => self.fault(line, word, "no number"),
        }
    }

    fn push(&mut self, index: Option<usize>, value: f64) {
        match index.and_then(|i| self.series.get_mut(i)) {
            Some(series) if series.values.len() < VALUES_MAX => series.values.push(value),
            _ => self.left_out += 1,
        }
    }

    fn fault(&mut self, line: &str, word: &str, message: &str) {
        if self.faults.len() >= FAULTS_MAX {
            return;
        }
        let before = line.find(word).and_then(|at| line.get(..at)).unwrap_or("");
        let shown: String = word.chars().take(40).collect();
        self.faults.push(SampleFault {
            line: self.line,
            column: u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX),
            message: format!("`{shown}`: {message}"),
        });
    }

    fn finish(mut self) -> (Vec<Series>, Vec<SampleFault>) {
        self.series.retain(|s| !s.values.is_empty());
        if self.left_out > 0 {
            let message = format!(
                "{} values are left out: at most {VALUES_MAX} of {SERIES_MAX} samples are taken",
                self.left_out
            );
            self.faults.push(SampleFault {
                line: self.line,
                column: 1,
                message,
            });
        }
        if self.series.is_empty() && self.faults.is_empty() {
            self.faults.push(SampleFault {
                line: 1,
                column: 1,
                message: "no numbers were found; understood are will-it-scale, stress-ng metrics, perf stat -x, and -r, \
                          hyperfine's JSON, and columns of numbers"
                    .to_owned(),
            });
        }
        (self.series, self.faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, Vec<f64>)> {
        let (series, faults) = parse(text);
        assert_eq!(faults, [], "{text}");
        series.into_iter().map(|s| (s.name, s.values)).collect()
    }

    #[test]
    fn will_it_scale_without_what_warmed_up() {
        let text = "testcase:Anonymous memory mmap/munmap of 128MB\nwarmup\nmin:277605 max:277605 total:277605\n\
                    min:281784 max:281784 total:281784\nmeasurement\nmin:269143 max:269143 total:269143\n\
                    min:270454 max:270454 total:270454\naverage:269798\n";
        assert_eq!(
            values(text),
            [("total".to_owned(), vec![269_143.0, 270_454.0])]
        );
        let bare = "min:269143 max:269143 total:269143\nmin:1 max:2 total:3\n";
        assert_eq!(values(bare), [("total".to_owned(), vec![269_143.0, 3.0])]);
    }

    #[test]
    fn the_published_samples_pasted_give_the_mails_figures() {
        let all = super::super::published_samples();
        let before = &all[0].series[0];
        let lines: Vec<String> = before
            .values
            .iter()
            .map(|v| format!("min:{v} max:{v} total:{v}"))
            .collect();
        let (series, faults) = parse(&lines.join("\n"));
        assert_eq!(faults, []);
        let described = super::super::describe(&series[0]);
        assert_eq!((described.n, described.mean.round()), (14.0, 255_563.0));
    }

    #[test]
    fn stress_ng_lines_of_both_kinds() {
        let text = "stress-ng: info:  [4201] setting to a 60 second run\n\
                    stress-ng: metrc: [4201] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\n\
                    stress-ng: metrc: [4201] pagemove       18361466     60.00     66.10   2917.00    306014.00        6155.10\n\
                    stress-ng: metrc: [4205] pagemove           40418.14 page remaps per sec (harmonic mean of 64 instances)\n\
                    stress-ng: metrc: [4207] pagemove           40420.00 page remaps per sec (harmonic mean of 64 instances)\n";
        assert_eq!(
            values(text),
            [
                ("pagemove bogo ops/s".to_owned(), vec![306_014.0]),
                (
                    "pagemove page remaps per sec".to_owned(),
                    vec![40_418.14, 40_420.0]
                ),
            ]
        );
    }

    #[test]
    fn perf_stat_both_ways() {
        let csv = "# started on Mon\n\n1234,,cycles,1000,100.00,,\n1300,,cycles,1000,100.00,,\n<not supported>,,tlb-misses,0,100.00,,\n";
        assert_eq!(values(csv), [("cycles".to_owned(), vec![1234.0, 1300.0])]);
        let text = " Performance counter stats for './a' (5 runs):\n\n         1,234,567      cycles        ( +-  0.12% )\n\
                    \x20           12.50 msec task-clock    #    0.9 CPUs\n          0.012345 +- 0.000067 seconds time elapsed  ( +-  0.54% )\n";
        let found = values(text);
        assert_eq!(found[0], ("cycles".to_owned(), vec![1_234_567.0]));
        assert_eq!(found[1], ("task-clock".to_owned(), vec![12.5]));
        assert_eq!(found[2], ("time elapsed".to_owned(), vec![0.012_345]));
    }

    #[test]
    fn hyperfine_and_columns() {
        let json =
            r#"{"results":[{"command":"a","times":[1.0,2.0]},{"command":"b","times":[3.0]}]}"#;
        assert_eq!(
            values(json),
            [
                ("a".to_owned(), vec![1.0, 2.0]),
                ("b".to_owned(), vec![3.0])
            ]
        );
        assert_eq!(
            values("before after\n1 2\n3 4\n"),
            [
                ("before".to_owned(), vec![1.0, 3.0]),
                ("after".to_owned(), vec![2.0, 4.0])
            ]
        );
        assert_eq!(
            values("1\r\n2.5e3\r\n"),
            [("column 1".to_owned(), vec![1.0, 2500.0])]
        );
    }

    #[test]
    fn hostile_text_gives_faults_with_their_place() {
        let (_, faults) = parse("12\nlots of it\n");
        assert_eq!((faults[0].line, faults[0].column), (2, 1));
        for text in [
            "",
            "   ",
            "{",
            "{\"results\":[]}",
            "nan\n",
            "1e999\n",
            "min:1 max:2 total:lots\n",
            "{\"results\":[{\"times\":[1e400]}]}",
            "\u{0}\u{1}<script>",
        ] {
            let (series, faults) = parse(text);
            assert!(
                series
                    .iter()
                    .all(|s| s.values.iter().all(|v| v.is_finite())),
                "{text:?}"
            );
            assert!(!faults.is_empty(), "{text:?}");
        }
        let long = "1 ".repeat(200);
        assert!(parse(&long).0.len() <= SERIES_MAX);
        assert!(!parse(&long).1.is_empty());
    }
}
