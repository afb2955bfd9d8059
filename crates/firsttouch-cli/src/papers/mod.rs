//! The tables and measured figures of the five papers, theirs and ours.
//!
//! One file per paper. Each builds its scenes with `firsttouch-models`, measures, and adds [`Table`]s to a [`Bench`]. Every
//! answer that is computed on the way goes into one digest: times differ between runs, answers do not.

mod adaptive;
mod catch;
mod contact;
mod ellipsoids;
mod local_advancement;

use std::time::Instant;

use firsttouch::Answer;
use indicatif::ProgressBar;

use crate::output::{Failure, table};

/// The papers, in the order of their years.
pub(crate) const PAPERS: [Paper; 5] = [
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
pub(crate) struct Paper {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// Its authors, year and a word.
    pub(crate) title: &'static str,
    /// Makes its tables.
    pub(crate) run: fn(&mut Bench) -> Result<(), Failure>,
}

/// A table of a paper or the numbers of a figure, with ours beside them.
pub(crate) struct Table {
    /// The paper's name.
    pub(crate) paper: &'static str,
    /// For example "Table 1: tests with and without tables".
    pub(crate) title: String,
    /// Those that start with `>` are aligned to the right.
    pub(crate) columns: Vec<String>,
    /// As many cells each as there are columns.
    pub(crate) rows: Vec<Vec<String>>,
    /// What one has to know to read it: machines, sizes, what differs.
    pub(crate) notes: Vec<String>,
}

/// Collects tables and answers.
pub(crate) struct Bench {
    /// Smaller scenes or fewer frames, for a run in seconds.
    pub(crate) quick: bool,
    /// Threads for queries that are spread over them.
    pub(crate) threads: usize,
    /// The tables so far.
    pub(crate) tables: Vec<Table>,
    /// The paper at work.
    paper: &'static str,
    digest: u64,
    clock: ProgressBar,
}

impl Bench {
    pub(crate) fn new(quick: bool, threads: usize, clock: ProgressBar) -> Bench {
        // The offset basis of the FNV-1a hash.
        Bench { quick, threads, tables: Vec::new(), paper: "", digest: 0xcbf2_9ce4_8422_2325, clock }
    }

    /// Makes the tables of a paper.
    pub(crate) fn run(&mut self, paper: &Paper) -> Result<(), Failure> {
        self.paper = paper.name;
        self.say(paper.title);
        (paper.run)(self)
    }

    /// Says what is being measured, on a terminal.
    pub(crate) fn say(&self, what: &str) {
        self.clock.set_message(format!("{}: {what}", self.paper));
    }

    /// Adds a table.
    pub(crate) fn table(&mut self, title: &str, columns: &[&str], rows: Vec<Vec<String>>, notes: &[String]) {
        let columns = columns.iter().map(|&column| column.to_string()).collect();
        self.tables.push(Table {
            paper: self.paper,
            title: title.into(),
            columns,
            rows,
            notes: notes.to_vec(),
        });
    }

    /// Takes an answer into the digest.
    pub(crate) fn answer(&mut self, answer: &Answer) {
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

    /// Takes a count that is part of the answers into the digest.
    pub(crate) fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            // FNV-1a with its 64-bit prime.
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Takes a number that is part of the answers into the digest, bit for bit.
    pub(crate) fn float(&mut self, number: f64) {
        self.number(number.to_bits());
    }

    /// The digest of all answers so far.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }
}

/// What a piece of work gives, and how many microseconds it takes.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e6)
}

impl Table {
    /// As text, aligned.
    pub(crate) fn text(&self) -> String {
        let header: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let mut text = format!("{}\n\n{}", self.title, table(&header, &self.rows));
        for note in &self.notes {
            text += &format!("  {note}\n");
        }
        text
    }

    /// As Markdown.
    pub(crate) fn markdown(&self) -> String {
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

    /// As lines of a CSV file: paper, table, row label, column, value.
    pub(crate) fn csv(&self) -> String {
        let mut text = String::new();
        for cells in &self.rows {
            for (column, cell) in self.columns.iter().zip(cells).skip(1) {
                let fields = [self.paper, &self.title, &cells[0], column.trim_start_matches('>'), cell];
                text += &(fields.map(quoted).join(",") + "\n");
            }
        }
        text
    }
}

/// A field of a CSV file.
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
    fn a_table_in_three_forms() {
        let mut bench = Bench::new(true, 1, ProgressBar::hidden());
        bench.table(
            "Table 1: tests",
            &["method", ">theirs, ms", ">ours, ms"],
            vec![vec!["a, b".into(), "2".into(), "1".into()]],
            &["On one thread.".into()],
        );
        let table = &bench.tables[0];
        assert!(table.text().contains("method  theirs, ms  ours, ms\n"));
        assert!(table.markdown().contains("| --- | ---: | ---: |\n| a, b | 2 | 1 |\n\nOn one thread.\n"));
        assert_eq!(
            table.csv(),
            ",Table 1: tests,\"a, b\",\"theirs, ms\",2\n,Table 1: tests,\"a, b\",\"ours, ms\",1\n"
        );
    }

    #[test]
    fn the_digest_depends_on_the_answers() {
        let digest = |answers: &[Answer]| {
            let mut bench = Bench::new(true, 1, ProgressBar::hidden());
            answers.iter().for_each(|answer| bench.answer(answer));
            bench.digest()
        };
        let undecided = Answer::Undecided { free_until: 0.5, bodies: [0, 1] };
        assert_eq!(digest(&[Answer::Free]), digest(&[Answer::Free]));
        assert_ne!(digest(&[Answer::Free]), digest(&[undecided]));
    }
}
