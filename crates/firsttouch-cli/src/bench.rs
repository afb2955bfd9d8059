//! `firsttouch bench papers`: every table of the papers, with the papers' figures and ours side by side.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use firsttouch::{ContactTables as Tables, ScrewPairOptions};
use serde::Serialize;

use crate::args::{BenchArgs, BenchWhat, PapersArgs, Shared, TablesArg};
use crate::output::{
    Failure, Status, clock, print, print_json, print_known, print_known_json, print_piece, table,
};
use crate::stop::{self, StopReason};
use firsttouch_lab::papers::{Bench, PAPERS, Paper, Table};

#[derive(Serialize)]
struct BenchJson<'a> {
    tables: Vec<TableJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<&'a str>,
    /// The hash of each paper's answers, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    answers_of: BTreeMap<&'a str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<&'static str>,
}

#[derive(Serialize)]
struct TableJson<'a> {
    paper: &'a str,
    title: &'a str,
    columns: Vec<&'a str>,
    rows: &'a [Vec<String>],
    notes: &'a [String],
}

pub(crate) fn run(args: &BenchArgs, shared: &Shared) -> Result<Status, Failure> {
    let BenchWhat::Papers(args) = &args.what;
    papers(args, shared)
}

fn papers(args: &PapersArgs, shared: &Shared) -> Result<Status, Failure> {
    let chosen: Vec<&Paper> = match &args.only {
        None => PAPERS.iter().collect(),
        Some(name) => vec![PAPERS.iter().find(|paper| paper.name == name).ok_or_else(|| {
            let names = PAPERS.map(|paper| paper.name).join(", ");
            Failure::Other(format!("there is no paper called \"{name}\"; they are {names}"))
        })?],
    };
    if let Some(folder) = &args.out {
        // A folder that cannot be written is reported before the work, not after it.
        firsttouch_io::prepare_folder(folder)?;
    }
    // The work takes minutes. It is wasted if nobody reads the output.
    stop::end_with_output();
    // The finished tables. The main thread prints them if the work is stopped.
    let tables = Arc::new(Mutex::new(Vec::new()));
    let (known, json_wanted) = (Arc::clone(&tables), shared.json);
    stop::when_stopped(move |why| {
        let tables = known.lock().unwrap_or_else(PoisonError::into_inner);
        if json_wanted {
            print_known_json(&json(&tables, None, &[], Some(why.word())))?;
        } else if why != StopReason::Closed {
            print_known(&format!("stopped ({})\n", why.word()))?;
        }
        Ok(Status::Free)
    });
    let progress = clock("the papers".into());
    let mut bench = Bench::new(args.quick, shared.threads.map_or(1, usize::from), {
        let progress = progress.clone();
        move |what: &str| progress.set_message(what.to_string())
    });
    if args.leaf_radius.is_some() || args.tables.is_some() {
        let tables = match args.tables {
            None | Some(TablesArg::All) => Tables::ALL,
            Some(TablesArg::None) => Tables::NONE,
            Some(TablesArg::Labels) => Tables::LABELS,
            Some(TablesArg::Primitives) => Tables::PRIMITIVES,
        };
        bench.contact = Some(ScrewPairOptions { leaf_radius: args.leaf_radius, tables });
    }
    for paper in &chosen {
        if !shared.json {
            progress.suspend(|| print_piece(&format!("== {}\n\n", paper.title)))?;
        }
        bench.run(paper)?;
        let made = std::mem::take(&mut bench.tables);
        if !shared.json {
            let text: String = made.iter().map(|table| text(table) + "\n").collect();
            progress.suspend(|| print_piece(&text))?;
        }
        tables.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
    }
    progress.finish_and_clear();
    let answers = format!("{:016x}", bench.digest());
    let tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = &args.out {
        write(folder, &chosen, &tables, &answers)?;
        for (name, plot) in &bench.plots {
            let svg = plot.svg();
            firsttouch_io::save(&folder.join(format!("{name}.svg")), |out| out.write_all(svg.as_bytes()))?;
        }
    }
    if shared.json {
        print_json(&json(&tables, Some(&answers), bench.digests(), None))?;
    } else {
        print(&format!("answers {answers}\n"))?;
    }
    Ok(Status::Free)
}

/// A table as aligned text, with its notes below.
fn text(shown: &Table) -> String {
    let header: Vec<&str> = shown.columns.iter().map(String::as_str).collect();
    let mut text = format!("{}\n\n{}", shown.title, table(&header, &shown.rows));
    for note in &shown.notes {
        text += &format!("  {note}\n");
    }
    text
}

fn json<'a>(
    tables: &'a [Table],
    answers: Option<&'a str>,
    of_papers: &[(&'static str, u64)],
    stopped: Option<&'static str>,
) -> BenchJson<'a> {
    let tables = tables.iter().map(|table| TableJson {
        paper: table.paper,
        title: &table.title,
        columns: table.columns.iter().map(|column| column.trim_start_matches('>')).collect(),
        rows: &table.rows,
        notes: &table.notes,
    });
    let answers_of = of_papers.iter().map(|(name, digest)| (*name, format!("{digest:016x}"))).collect();
    BenchJson { tables: tables.collect(), answers, answers_of, stopped }
}

/// Writes `papers.md` and `papers.csv`; the plots are files of their own.
fn write(folder: &Path, papers: &[&Paper], tables: &[Table], answers: &str) -> Result<(), Failure> {
    let mut markdown = String::from("# The papers' tables, theirs and ours\n");
    let mut csv = String::from(Table::CSV_HEADER);
    for paper in papers {
        markdown += &format!("\n## {}\n", paper.title);
        for table in tables.iter().filter(|table| table.paper == paper.name) {
            markdown += &format!("\n{}", table.markdown());
            csv += &table.csv();
        }
    }
    markdown += &format!("\nAnswers: `{answers}`\n");
    for (name, text) in [("papers.md", markdown), ("papers.csv", csv)] {
        firsttouch_io::save(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}
