//! The tables and measured figures of the five papers, with their values and ours.
//!
//! One file per paper. Each builds its scenes with [`scenes`](crate::scenes), measures, and adds [`Table`]s to a
//! [`Bench`]. Every answer on the way goes into one digest: times differ between runs, answers do not.

pub mod adaptive;
mod catch;
mod contact;
mod ellipsoids;
mod local_advancement;
mod planning;
pub mod program;

use std::fmt::{self, Display, Formatter};
use std::time::Instant;

use firsttouch::{Answer, ScrewPairOptions};

use crate::error::Result;
use crate::plot::Plot;

/// The papers, in the order of their years.
pub const PAPERS: [Paper; 5] = [
    Paper { name: "contact", title: "Redon, Kheddar, Coquillart 2001: CONTACT", run: contact::run },
    Paper { name: "catch", title: "Zhang, Redon, Lee, Kim 2007: CATCH", run: catch::run },
    Paper { name: "adaptive", title: "Kim, Redon, Kim 2008: adaptive simulation", run: adaptive::run },
    Paper {
        name: "ellipsoids",
        title: "Choi, Chang, Wang, Kim, Elber 2009: ellipsoids",
        run: ellipsoids::run,
    },
    Paper {
        name: "local-advancement",
        title: "Tang, Kim, Manocha 2010: local advancement",
        run: local_advancement::run,
    },
];

/// One paper.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its authors, year and subject.
    pub title: &'static str,
    /// Computes its tables.
    pub run: fn(&mut Bench) -> Result<()>,
}

/// A table of a paper or the numbers of a figure, with ours beside them.
pub struct Table {
    /// The paper's name.
    pub paper: &'static str,
    /// For example "Table 1: tests with and without tables".
    pub title: String,
    /// The columns whose titles start with `>` are aligned to the right. A value of the paper in a column `theirs: X`
    /// is compared with ours in the column `ours: X`; a column that starts with neither is ours.
    pub columns: Vec<String>,
    /// One cell per column.
    pub rows: Vec<Vec<String>>,
    /// Notes for the reader: sizes, the meaning of the columns.
    pub notes: Vec<String>,
    /// The conditions of the measurement, if the table has times.
    pub measured: Option<Measured>,
}

/// The conditions in which the times of a table were measured, and the differences from the paper.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// The paper's machine; empty if the paper has no times.
    pub their_machine: &'static str,
    /// The number of runs.
    pub runs: usize,
    /// The statistic of the runs that is shown, for example "the least of each step, the mean over the steps".
    pub shown: &'static str,
    /// The differences between the paper's scene and ours.
    pub differs: &'static str,
}

impl Measured {
    /// Returns it as a note below the table.
    pub fn note(&self) -> String {
        let Measured { their_machine, runs, shown, differs } = self;
        let theirs =
            if their_machine.is_empty() { String::new() } else { format!(" Theirs: {their_machine}.") };
        format!("{runs} runs; shown: {shown}. Ours: {}.{theirs} What differs: {differs}.", machine())
    }
}

/// Returns the processor of this machine, and its number of cores.
pub fn machine() -> String {
    // The processor is named only if the system reports it.
    let known = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores", known.as_deref().unwrap_or(std::env::consts::ARCH))
}

/// Collects tables and answers.
pub struct Bench {
    /// True for smaller scenes or fewer frames, for a run in seconds.
    pub quick: bool,
    /// The number of threads for queries that are spread over them.
    pub threads: usize,
    /// Further options of CONTACT, which get their own row beside the default.
    pub contact: Option<ScrewPairOptions>,
    /// The tables up to now.
    pub tables: Vec<Table>,
    /// The growth curves up to now, each with the name of its file.
    pub plots: Vec<(&'static str, Plot)>,
    /// The paper that is being run.
    paper: &'static str,
    /// The digest of its answers, and those of the papers before it.
    digest: u64,
    finished: Vec<(&'static str, u64)>,
    /// The callback that gets the name of the current measurement.
    progress: Box<dyn Fn(&str)>,
}

impl Bench {
    /// Creates a bench without tables. `progress` gets the name of the current measurement.
    pub fn new(quick: bool, threads: usize, progress: impl Fn(&str) + 'static) -> Bench {
        let progress = Box::new(progress);
        let (tables, plots, finished) = (Vec::new(), Vec::new(), Vec::new());
        Bench { quick, threads, contact: None, tables, plots, paper: "", digest: NOTHING, finished, progress }
    }

    /// Computes the tables of a paper.
    pub fn run(&mut self, paper: &Paper) -> Result<()> {
        self.paper = paper.name;
        self.say(paper.title);
        self.digest = NOTHING;
        (paper.run)(self)?;
        self.finished.push((paper.name, self.digest));
        Ok(())
    }

    /// Reports the name of the current measurement.
    pub fn say(&self, what: &str) {
        (self.progress)(&format!("{}: {what}", self.paper));
    }

    /// Adds a table.
    pub fn table(&mut self, title: &str, columns: &[&str], rows: Vec<Vec<String>>, notes: &[String]) {
        let columns = columns.iter().map(|&column| column.to_string()).collect();
        self.tables.push(Table {
            paper: self.paper,
            title: title.into(),
            columns,
            rows,
            notes: notes.to_vec(),
            measured: None,
        });
    }

    /// Adds the conditions of the last table.
    pub fn measured(&mut self, measured: Measured) {
        if let Some(table) = self.tables.last_mut() {
            table.notes.push(measured.note());
            table.measured = Some(measured);
        }
    }

    /// Adds a plot, which `--out` writes to the file `NAME.svg`.
    pub fn plot(&mut self, name: &'static str, plot: Plot) {
        self.plots.push((name, plot));
    }

    /// Adds an answer to the digest.
    pub fn answer(&mut self, answer: &Answer) {
        match answer {
            Answer::Free => self.number(0),
            Answer::Touch(touch) => {
                self.number(1);
                self.float(touch.toi);
            }
            Answer::TouchingAtStart(_) => self.number(2),
            Answer::Undecided { free_until, .. } => {
                self.number(3);
                self.float(*free_until);
            }
        }
    }

    /// Adds a count that is part of the answers to the digest.
    pub fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.digest = hashed(self.digest, byte);
        }
    }

    /// Adds a number that is part of the answers to the digest, bit for bit.
    pub fn float(&mut self, number: f64) {
        self.number(number.to_bits());
    }

    /// Returns the digest of all answers up to now: that of the papers' digests, in their order.
    pub fn digest(&self) -> u64 {
        let all = self.finished.iter().flat_map(|(_, digest)| digest.to_le_bytes());
        all.fold(NOTHING, hashed)
    }

    /// Returns the digests of the papers' answers.
    pub fn digests(&self) -> &[(&'static str, u64)] {
        &self.finished
    }
}

/// The offset basis of the FNV-1a hash.
const NOTHING: u64 = 0xcbf2_9ce4_8422_2325;

/// Computes FNV-1a with its 64-bit prime.
fn hashed(digest: u64, byte: u8) -> u64 {
    (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Returns the plates over which Table 1 of the paper of 2001 is taken: the squares along a side, and the radius of the
/// leaves.
#[cfg(test)]
pub(crate) fn contact_plates() -> [(u32, f64); 12] {
    contact::PLATES
}

/// Returns the result of a closure, and its time in microseconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e6)
}

/// Formats it as aligned text, with the notes below.
impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let titles: Vec<String> =
            self.columns.iter().map(|title| title.trim_start_matches('>').to_string()).collect();
        let width = |k: usize| {
            let cells = self.rows.iter().map(|row| row[k].chars().count());
            cells.chain([titles[k].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..titles.len()).map(width).collect();
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        writeln!(f, "{}\n", self.title)?;
        for line in [&titles, &rule].into_iter().chain(&self.rows) {
            let cells = line.iter().zip(&widths).zip(&self.columns).map(|((cell, &width), column)| {
                if column.starts_with('>') { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        for note in &self.notes {
            writeln!(f, "  {note}")?;
        }
        Ok(())
    }
}

impl Table {
    /// Formats it as Markdown.
    pub fn markdown(&self) -> String {
        let row = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
        let title = |column: &String| column.trim_start_matches('>').to_string();
        let rule = |column: &String| if column.starts_with('>') { "---:" } else { "---" }.to_string();
        let mut text = format!("### {}\n\n", self.title);
        text += &row(&self.columns.iter().map(title).collect::<Vec<_>>());
        text += &row(&self.columns.iter().map(rule).collect::<Vec<_>>());
        for cells in &self.rows {
            text += &row(cells);
        }
        for note in &self.notes {
            text += &format!("\n{note}\n");
        }
        text
    }

    /// The header of the CSV file.
    pub const CSV_HEADER: &str =
        "paper,table,row,quantity,theirs,ours,their_machine,our_machine,runs,shown,differs\n";

    /// Formats it as lines of a CSV file, one for each quantity of each row. A cell of the paper and ours for the same
    /// quantity are on one line.
    pub fn csv(&self) -> String {
        let measured = self.measured.clone().unwrap_or_default();
        let (machine, runs) = match &self.measured {
            Some(measured) => (machine(), measured.runs.to_string()),
            None => Default::default(),
        };
        let names: Vec<&str> = self.columns.iter().map(|column| column.trim_start_matches('>')).collect();
        let cell_of = |cells: &[String], name: &str| {
            names.iter().position(|other| *other == name).map_or(String::new(), |k| cells[k].clone())
        };
        let mut text = String::new();
        for cells in &self.rows {
            for (name, cell) in names.iter().zip(cells).skip(1) {
                let (quantity, theirs, ours) = match (name.strip_prefix(THEIRS), name.strip_prefix(OURS)) {
                    // Its line is that of the column with ours.
                    (Some(what), _) if names.contains(&format!("{OURS}{what}").as_str()) => continue,
                    (Some(what), _) => (what, cell.clone(), String::new()),
                    (None, Some(what)) => (what, cell_of(cells, &format!("{THEIRS}{what}")), cell.clone()),
                    (None, None) => (*name, String::new(), cell.clone()),
                };
                let fields = [
                    self.paper,
                    &self.title,
                    &cells[0],
                    quantity,
                    &theirs,
                    &ours,
                    measured.their_machine,
                    &machine,
                    &runs,
                    measured.shown,
                    measured.differs,
                ];
                text += &(fields.map(quoted).join(",") + "\n");
            }
        }
        text
    }
}

/// The prefixes of the titles of columns that are compared with each other.
const THEIRS: &str = "theirs: ";
const OURS: &str = "ours: ";

/// Formats a field of a CSV file.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_two_forms() {
        let mut bench = Bench::new(true, 1, |_| {});
        bench.table(
            "Table 1: tests",
            &["method", ">theirs: ms", ">ours: ms", ">pairs"],
            vec![vec!["a, b".into(), "2".into(), "1".into(), "7".into()]],
            &["On one thread.".into()],
        );
        let table = &bench.tables[0];
        assert!(
            table
                .markdown()
                .contains("| --- | ---: | ---: | ---: |\n| a, b | 2 | 1 | 7 |\n\nOn one thread.\n")
        );
        assert_eq!(
            table.csv(),
            ",Table 1: tests,\"a, b\",ms,2,1,,,,,\n,Table 1: tests,\"a, b\",pairs,,7,,,,,\n"
        );
    }

    #[test]
    fn the_digest_depends_on_the_answers() {
        let digest = |answers: &[Answer]| {
            let mut bench = Bench::new(true, 1, |_| {});
            answers.iter().for_each(|answer| bench.answer(answer));
            bench.digest
        };
        let undecided = Answer::Undecided { free_until: 0.5, bodies: [0, 1] };
        assert_eq!(digest(&[Answer::Free]), digest(&[Answer::Free]));
        assert_ne!(digest(&[Answer::Free]), digest(&[undecided]));
    }
}
