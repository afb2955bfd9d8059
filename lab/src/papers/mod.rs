//! The tables and measured figures of the five papers, with their values and ours.
//!
//! One file per paper. Each builds its scenes with [`scenes`](crate::scenes), measures, and adds [`Table`]s to a [`Bench`]. Every
//! answer that is computed on the way goes into one digest: times differ between runs, answers do not.

mod adaptive;
mod catch;
mod contact;
mod ellipsoids;
mod local_advancement;
mod planning;

use std::time::Instant;

use firsttouch::Answer;

use crate::error::Result;

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
    /// Those that start with `>` are aligned to the right.
    pub columns: Vec<String>,
    /// One cell per column.
    pub rows: Vec<Vec<String>>,
    /// Notes for the reader: machines, sizes, differences from the paper.
    pub notes: Vec<String>,
}

/// Collects tables and answers.
pub struct Bench {
    /// Smaller scenes or fewer frames, for a run in seconds.
    pub quick: bool,
    /// Threads for queries that are spread over them.
    pub threads: usize,
    /// The tables so far.
    pub tables: Vec<Table>,
    /// The paper that is being run.
    paper: &'static str,
    digest: u64,
    /// Called with what is being measured.
    progress: Box<dyn Fn(&str)>,
}

impl Bench {
    /// A bench without tables. `progress` is called with what is being measured.
    pub fn new(quick: bool, threads: usize, progress: impl Fn(&str) + 'static) -> Bench {
        // The offset basis of the FNV-1a hash.
        let progress = Box::new(progress);
        Bench { quick, threads, tables: Vec::new(), paper: "", digest: 0xcbf2_9ce4_8422_2325, progress }
    }

    /// Computes the tables of a paper.
    pub fn run(&mut self, paper: &Paper) -> Result<()> {
        self.paper = paper.name;
        self.say(paper.title);
        (paper.run)(self)
    }

    /// Reports what is being measured.
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
        });
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
            // FNV-1a with its 64-bit prime.
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds a number that is part of the answers to the digest, bit for bit.
    pub fn float(&mut self, number: f64) {
        self.number(number.to_bits());
    }

    /// The digest of all answers so far.
    pub fn digest(&self) -> u64 {
        self.digest
    }
}

/// The result of a closure, and its time in microseconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64() * 1e6)
}

impl Table {
    /// As Markdown.
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

    /// As lines of a CSV file: paper, table, row label, column, value.
    pub fn csv(&self) -> String {
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
    fn a_table_in_two_forms() {
        let mut bench = Bench::new(true, 1, |_| {});
        bench.table(
            "Table 1: tests",
            &["method", ">theirs, ms", ">ours, ms"],
            vec![vec!["a, b".into(), "2".into(), "1".into()]],
            &["On one thread.".into()],
        );
        let table = &bench.tables[0];
        assert!(table.markdown().contains("| --- | ---: | ---: |\n| a, b | 2 | 1 |\n\nOn one thread.\n"));
        assert_eq!(
            table.csv(),
            ",Table 1: tests,\"a, b\",\"theirs, ms\",2\n,Table 1: tests,\"a, b\",\"ours, ms\",1\n"
        );
    }

    #[test]
    fn the_digest_depends_on_the_answers() {
        let digest = |answers: &[Answer]| {
            let mut bench = Bench::new(true, 1, |_| {});
            answers.iter().for_each(|answer| bench.answer(answer));
            bench.digest()
        };
        let undecided = Answer::Undecided { free_until: 0.5, bodies: [0, 1] };
        assert_eq!(digest(&[Answer::Free]), digest(&[Answer::Free]));
        assert_ne!(digest(&[Answer::Free]), digest(&[undecided]));
    }
}
