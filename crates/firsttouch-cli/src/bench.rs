//! `firsttouch bench papers`: every table of the papers, theirs and ours side by side.

use std::path::Path;

use serde::Serialize;

use crate::args::{BenchArgs, BenchWhat, PapersArgs, Shared};
use crate::output::{Failure, Status, clock, print, print_json, table};
use firsttouch_lab::papers::{Bench, PAPERS, Paper, Table};

#[derive(Serialize)]
struct BenchJson<'a> {
    tables: Vec<TableJson<'a>>,
    answers: String,
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
    let progress = clock("the papers".into());
    let mut bench = Bench::new(args.quick, shared.threads.map_or(1, usize::from), {
        let progress = progress.clone();
        move |what: &str| progress.set_message(what.to_string())
    });
    for paper in &chosen {
        let before = bench.tables.len();
        bench.run(paper)?;
        if !shared.json {
            let text: String = bench.tables[before..].iter().map(|table| text(table) + "\n").collect();
            progress.suspend(|| print(&format!("== {}\n\n{text}", paper.title)))?;
        }
    }
    progress.finish_and_clear();
    let answers = format!("{:016x}", bench.digest());
    if let Some(folder) = &args.out {
        write(folder, &chosen, &bench.tables, &answers)?;
    }
    if shared.json {
        let tables = bench.tables.iter().map(|table| TableJson {
            paper: table.paper,
            title: &table.title,
            columns: table.columns.iter().map(|column| column.trim_start_matches('>')).collect(),
            rows: &table.rows,
            notes: &table.notes,
        });
        print_json(&BenchJson { tables: tables.collect(), answers })?;
    } else {
        print(&format!("answers {answers}\n"))?;
    }
    Ok(Status::Free)
}

/// A table as text, aligned, with its notes below.
fn text(shown: &Table) -> String {
    let header: Vec<&str> = shown.columns.iter().map(String::as_str).collect();
    let mut text = format!("{}\n\n{}", shown.title, table(&header, &shown.rows));
    for note in &shown.notes {
        text += &format!("  {note}\n");
    }
    text
}

/// Writes `papers.md` and `papers.csv`.
fn write(folder: &Path, papers: &[&Paper], tables: &[Table], answers: &str) -> Result<(), Failure> {
    let mut markdown = String::from("# The papers' tables, theirs and ours\n");
    let mut csv = String::from("paper,table,row,column,value\n");
    for paper in papers {
        markdown += &format!("\n## {}\n", paper.title);
        for table in tables.iter().filter(|table| table.paper == paper.name) {
            markdown += &format!("\n{}", table.markdown());
            csv += &table.csv();
        }
    }
    markdown += &format!("\nAnswers: `{answers}`\n");
    let failed = |path: &Path, error| Failure::Other(format!("{}: {error}", path.display()));
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, text) in [("papers.md", markdown), ("papers.csv", csv)] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}
