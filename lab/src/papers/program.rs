//! The program `papers`: every table of the papers, with the papers' figures and ours side by side.

use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use firsttouch::{ContactTables, ScrewPairOptions};

use super::{Bench, PAPERS, Paper, Table};
use crate::error::{Error, Result};

/// The text of `papers --help`.
pub const HELP: &str = "\
Every table and measured figure of the five papers, with their figures and ours side by side.

papers                        all five papers: some minutes
papers --quick                smaller scenes and fewer frames: under a minute
papers --only contact         one paper: contact, catch, adaptive, ellipsoids or local-advancement
papers --out DIR              also writes papers.md, papers.csv and the growth curves as SVG

  --threads N                 threads for queries that are spread over them; 1 if left out
  --leaf-radius LENGTH        also runs CONTACT with leaf spheres of this radius
  --tables TABLES             also runs CONTACT with these of its tables: none, labels, primitives or all

Times are those of this run. The last line is a hash of all answers, which is the same in every run, with any number of threads;
with --quick it is a different one.
";

/// The request of a user.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    papers: Vec<&'static str>,
    quick: bool,
    threads: usize,
    contact: Option<ScrewPairOptions>,
    out: Option<PathBuf>,
}

impl Request {
    /// Reads the arguments behind `papers`. Returns `None` if they request help.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Option<Request>> {
        let papers = PAPERS.iter().map(|paper| paper.name).collect();
        let mut request = Request { papers, quick: false, threads: 1, contact: None, out: None };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| refused(format!("{argument} needs a value; see --help")));
            match &*argument {
                "--help" | "-h" => return Ok(None),
                "--quick" => request.quick = true,
                "--only" => request.papers = vec![paper(&value()?)?.name],
                "--threads" => {
                    let count: NonZeroUsize = number(&argument, &value()?)?;
                    request.threads = count.get();
                }
                "--leaf-radius" => {
                    request.contact().leaf_radius = Some(number(&argument, &value()?)?);
                }
                "--tables" => request.contact().tables = tables(&value()?)?,
                "--out" => request.out = Some(value()?.into()),
                _ => return Err(refused(format!("there is no argument {argument}; see --help"))),
            }
        }
        Ok(Some(request))
    }

    fn contact(&mut self) -> &mut ScrewPairOptions {
        self.contact.get_or_insert(ScrewPairOptions { leaf_radius: None, tables: ContactTables::ALL })
    }

    /// Computes the tables and writes each paper's to `out` as soon as they are known. If `out` is closed, the work
    /// ends, because it takes minutes.
    pub fn run(&self, out: &mut dyn Write, progress: impl Fn(&str) + 'static) -> Result<()> {
        if let Some(folder) = &self.out {
            // A folder that cannot be written is reported before the work, not after it.
            firsttouch_io::prepare_folder(folder)?;
        }
        let mut bench = Bench::new(self.quick, self.threads, progress);
        bench.contact = self.contact;
        for name in &self.papers {
            let paper = paper(name)?;
            let first = bench.tables.len();
            if !is_written(out, &format!("== {}\n\n", paper.title))? {
                return Ok(());
            }
            bench.run(paper)?;
            let text: String = bench.tables[first..].iter().map(|table| format!("{table}\n")).collect();
            if !is_written(out, &text)? {
                return Ok(());
            }
        }
        if let Some(folder) = &self.out {
            self.save(folder, &bench)?;
        }
        is_written(out, &format!("answers {:016x}\n", bench.digest()))?;
        Ok(())
    }

    /// Writes `papers.md` and `papers.csv`, and a file for each plot.
    fn save(&self, folder: &Path, bench: &Bench) -> Result<()> {
        let mut markdown = String::from("# The papers' tables, theirs and ours\n");
        let mut csv = String::from(Table::CSV_HEADER);
        for name in &self.papers {
            markdown += &format!("\n## {}\n", paper(name)?.title);
            for table in bench.tables.iter().filter(|table| table.paper == *name) {
                markdown += &format!("\n{}", table.markdown());
                csv += &table.csv();
            }
        }
        markdown += &format!("\nAnswers: `{:016x}`\n", bench.digest());
        let plots = bench.plots.iter().map(|(name, plot)| (format!("{name}.svg"), plot.svg()));
        for (name, text) in
            [("papers.md".into(), markdown), ("papers.csv".into(), csv)].into_iter().chain(plots)
        {
            firsttouch_io::save(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    }
}

fn refused(why: String) -> Error {
    Error::Other(why)
}

fn paper(name: &str) -> Result<&'static Paper> {
    PAPERS.iter().find(|paper| paper.name == name).ok_or_else(|| {
        let names = PAPERS.each_ref().map(|paper| paper.name).join(", ");
        refused(format!("there is no paper called \"{name}\"; they are {names}"))
    })
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T> {
    text.parse().map_err(|_| refused(format!("{option} takes a number, not \"{text}\"")))
}

/// Returns the tables of tested pairs, as in Table 1 of the paper.
fn tables(name: &str) -> Result<ContactTables> {
    match name {
        "none" => Ok(ContactTables::NONE),
        "labels" => Ok(ContactTables::LABELS),
        "primitives" => Ok(ContactTables::PRIMITIVES),
        "all" => Ok(ContactTables::ALL),
        _ => Err(refused(format!("--tables takes none, labels, primitives or all, not \"{name}\""))),
    }
}

/// Returns false if the output is closed.
fn is_written(out: &mut dyn Write, text: &str) -> Result<bool> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(refused(format!("standard output: {error}"))),
        Ok(()) => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of all answers of `papers --quick`.
    const ANSWERS: &str = "3135d211feebe0bf";

    fn request(arguments: &[&str]) -> Result<Option<Request>> {
        Request::read(arguments.iter().map(|argument| argument.to_string()))
    }

    fn text(arguments: &[&str]) -> String {
        let mut out = Vec::new();
        request(arguments).unwrap().unwrap().run(&mut out, |_| {}).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn all_papers_quickly() {
        let folder = std::env::temp_dir().join(format!("firsttouch-papers-{}", std::process::id()));
        let text = text(&["--quick", "--out", folder.to_str().unwrap()]);
        for paper in &PAPERS {
            assert!(text.contains(&format!("== {}\n", paper.title)), "{}", paper.name);
        }
        // The hash covers every answer, bit for bit. A change that alters an answer on purpose alters the hash.
        assert!(text.ends_with(&format!("\nanswers {ANSWERS}\n")), "{}", text.lines().last().unwrap());
        let markdown = std::fs::read_to_string(folder.join("papers.md")).unwrap();
        assert!(markdown.contains("Table 1") && markdown.contains(ANSWERS));
        let csv = std::fs::read_to_string(folder.join("papers.csv")).unwrap();
        assert!(csv.starts_with("paper,table,row,quantity,theirs,ours,") && csv.lines().count() > 100);
        for paper in &PAPERS {
            assert!(csv.lines().any(|line| line.starts_with(&format!("{},", paper.name))), "{}", paper.name);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_same_answers_with_any_number_of_threads() {
        let answers = |threads: &str| {
            let text = text(&["--quick", "--only", "local-advancement", "--threads", threads]);
            text.lines().last().unwrap().to_string()
        };
        // This is the paper with queries that are spread over threads, and the results of the threads are in its hash.
        let one = answers("1");
        assert!(one.starts_with("answers "));
        assert_eq!(one, answers("2"));
    }

    /// The leaf radius and the tables of CONTACT get their own row, and change the work, not the times of the touches.
    #[test]
    fn options_of_contact() {
        let mut bench = Bench::new(true, 1, |_| {});
        let arguments = ["--leaf-radius", "0.3", "--tables", "primitives"];
        bench.contact = request(&arguments).unwrap().unwrap().contact;
        bench.run(paper("contact").unwrap()).unwrap();
        let rows = || bench.tables.iter().flat_map(|table| &table.rows);
        let named = |name: &str| rows().find(|row| row[0].ends_with(name)).unwrap();
        let chosen = named("CONTACT, leaves of 0.3, tables EE-VF-FV");
        let natural = named("(the default)");
        assert_eq!(chosen[2], natural[2], "as many steps touch");
        assert_ne!(chosen[6], natural[6], "the tests of primitives");
        for table in &bench.tables {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.title);
        }
        let none = request(&["--only", "contact", "--quick", "--leaf-radius", "0"]).unwrap().unwrap();
        assert!(none.run(&mut Vec::new(), |_| {}).is_err());
    }

    #[test]
    fn arguments() {
        assert_eq!(request(&["--quick", "--help"]).unwrap(), None);
        let only = request(&["--only", "catch", "--threads", "2"]).unwrap().unwrap();
        assert_eq!((only.papers.as_slice(), only.threads), (&["catch"][..], 2));
        for bad in [
            &["--only"][..],
            &["--only", "nothing"],
            &["--threads", "0"],
            &["--tables", "some"],
            &["--leaf-radius", "x"],
            &["fast"],
        ] {
            assert!(request(bad).is_err(), "{bad:?}");
        }
        let unknown = request(&["--only", "nothing"]).unwrap_err().to_string();
        assert!(unknown.starts_with("there is no paper called \"nothing\"; they are contact, "), "{unknown}");
    }

    /// The reader closes after the first line: minutes of work are not done.
    #[test]
    fn a_reader_that_goes_away_ends_the_work() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let all = request(&[]).unwrap().unwrap();
        all.run(&mut Closed, |what| panic!("{what} was begun")).unwrap();
    }

    /// A folder that cannot be written used to be noticed after the run.
    #[test]
    fn a_bad_folder_is_noticed_first() {
        let file = std::env::temp_dir().join(format!("firsttouch-papers-file-{}", std::process::id()));
        std::fs::write(&file, "no folder").unwrap();
        let bad = request(&["--out", file.join("sub").to_str().unwrap()]).unwrap().unwrap();
        assert!(bad.run(&mut Vec::new(), |what| panic!("{what} was begun")).is_err());
        std::fs::remove_file(&file).unwrap();
    }
}
