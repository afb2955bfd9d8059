//! `firsttouch path --parquet`: the edges of a Parquet file, each with its own answer.
//!
//! A row has the two ends of an edge, `q0` and `q1`, as lists of float64 with one number per joint, in the order of the
//! robot. The answers are written as the same rows with four more columns: `kind`, `is_free`, `toi` (null where nothing
//! touches) and `free_until`. The file is read and written piece by piece, so its size is limited by the disk alone.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, GenericListArray, OffsetSizeTrait, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use firsttouch::articulated::Checker;
use firsttouch::{Answer, Options};
use firsttouch_io::save;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use serde::Serialize;

use crate::answer::status;
use crate::output::{Failure, Status, bar, print, print_json, time};

/// The number of edges that are read, checked and written at a time.
const PIECE: usize = 4096;

/// The columns of the two ends.
const ENDS: [&str; 2] = ["q0", "q1"];

#[derive(Debug, Default, Serialize)]
struct EdgesJson {
    edges: usize,
    free: usize,
    touch: usize,
    undecided: usize,
    mean_us_per_edge: f64,
}

/// Answers all edges of a file, and writes another with the answers.
pub(crate) fn run(
    checker: &Checker,
    options: &Options,
    source: &Path,
    target: &Path,
    json: bool,
) -> Result<Status, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::Other(format!("{}: {error}", source.display()));
    if !std::fs::metadata(source).is_ok_and(|found| found.is_file()) {
        return Err(refused(&"there is no such file, or it is not a regular one"));
    }
    let file = std::fs::File::open(source).map_err(|error| refused(&error))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| refused(&error))?;
    let rows = usize::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
    let schema = builder.schema().clone();
    let answered = with_answer_columns(&schema).map_err(|error| refused(&error))?;
    let reader = builder.with_batch_size(PIECE).build().map_err(|error| refused(&error))?;

    let progress = bar(rows, "checking");
    let start = Instant::now();
    let mut counts = EdgesJson::default();
    let mut failure = None;
    let written = save(target, |out| {
        let mut pieces = Pieces { checker, options, schema: &answered, counts: &mut counts };
        let done = pieces.copy(reader, out, |edges| progress.inc(edges as u64));
        done.map_err(|error| {
            failure = Some(error);
            std::io::Error::other("the answers are not complete")
        })
    });
    progress.finish_and_clear();
    match failure {
        Some(PieceError::Edges(text)) => return Err(refused(&text)),
        Some(PieceError::Query(error)) => return Err(Failure::Query(error)),
        Some(PieceError::Target(text)) => {
            return Err(Failure::Other(format!("{}: {text}", target.display())));
        }
        None => written?,
    }
    counts.mean_us_per_edge = start.elapsed().as_secs_f64() * 1e6 / counts.edges.max(1) as f64;
    if json {
        print_json(&counts)?
    } else {
        print(&text(&counts))?
    }
    Ok(match (counts.touch, counts.undecided) {
        (1.., _) => Status::Touch,
        (0, 1..) => Status::Undecided,
        (0, 0) => Status::Free,
    })
}

fn text(counts: &EdgesJson) -> String {
    format!(
        "{} free, {} touching, {} undecided; {} edges, {} each\n",
        counts.free,
        counts.touch,
        counts.undecided,
        counts.edges,
        time(counts.mean_us_per_edge)
    )
}

/// The failure that ends the work on a piece.
enum PieceError {
    /// The edges cannot be read.
    Edges(String),
    Query(firsttouch::Error),
    /// The answers cannot be written.
    Target(String),
}

impl From<firsttouch::Error> for PieceError {
    fn from(error: firsttouch::Error) -> PieceError {
        PieceError::Query(error)
    }
}

/// The work on every piece of the file.
struct Pieces<'a> {
    checker: &'a Checker,
    options: &'a Options,
    /// The columns of the answers.
    schema: &'a SchemaRef,
    counts: &'a mut EdgesJson,
}

impl Pieces<'_> {
    fn copy(
        &mut self,
        reader: ParquetRecordBatchReader,
        out: &mut (dyn std::io::Write + Send),
        done: impl Fn(usize),
    ) -> Result<(), PieceError> {
        let target = |error: parquet::errors::ParquetError| PieceError::Target(error.to_string());
        let mut writer = ArrowWriter::try_new(out, Arc::clone(self.schema), None).map_err(target)?;
        for piece in reader {
            let piece = piece.map_err(|error| PieceError::Edges(error.to_string()))?;
            writer.write(&self.answered(&piece)?).map_err(target)?;
            done(piece.num_rows());
        }
        writer.close().map(drop).map_err(target)
    }

    /// Returns the rows of a piece with their answers.
    fn answered(&mut self, piece: &RecordBatch) -> Result<RecordBatch, PieceError> {
        let dof = self.checker.robot().variables().len();
        let [q0, q1] = ENDS.map(|name| {
            let column = piece.column_by_name(name).expect("the schema was checked");
            configurations(column, name, dof, self.counts.edges).map_err(PieceError::Edges)
        });
        let (q0, q1) = (q0?, q1?);
        let edges: Vec<[&[f64]; 2]> = (0..piece.num_rows())
            .map(|row| [&q0, &q1].map(|numbers| &numbers.values()[row * dof..(row + 1) * dof]))
            .collect();
        let reports = self.checker.check_motions(&edges, self.options)?;
        let answers: Vec<&Answer> = reports.iter().map(|report| &report.answer).collect();
        self.counts.edges += answers.len();
        for answer in &answers {
            match status(answer) {
                Status::Free => self.counts.free += 1,
                Status::Touch => self.counts.touch += 1,
                _ => self.counts.undecided += 1,
            }
        }
        let new: [ArrayRef; 4] = [
            Arc::new(StringArray::from_iter_values(answers.iter().map(|answer| kind(answer)))),
            Arc::new(BooleanArray::from_iter(answers.iter().map(|answer| Some(**answer == Answer::Free)))),
            Arc::new(Float64Array::from_iter(answers.iter().map(|answer| toi(answer)))),
            Arc::new(Float64Array::from_iter_values(
                answers.iter().map(|answer| answer.free_until(self.options.t_max)),
            )),
        ];
        let columns = piece.columns().iter().cloned().chain(new).collect();
        let batch = RecordBatch::try_new(Arc::clone(self.schema), columns);
        batch.map_err(|error| PieceError::Target(error.to_string()))
    }
}

fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Free => "free",
        Answer::Touch(_) => "touch",
        Answer::TouchingAtStart(_) => "touching_at_start",
        Answer::Undecided { .. } => "undecided",
    }
}

fn toi(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Some(touch.toi),
        Answer::Free | Answer::Undecided { .. } => None,
    }
}

/// Returns the columns of a file of edges, followed by those of the answers.
fn with_answer_columns(schema: &Schema) -> Result<SchemaRef, String> {
    for name in ENDS {
        let Ok(field) = schema.field_with_name(name) else {
            let all: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            return Err(format!("there is no column \"{name}\", only {}", all.join(", ")));
        };
        let of_numbers = match field.data_type() {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                item.data_type() == &DataType::Float64
            }
            _ => false,
        };
        if !of_numbers {
            return Err(format!("column \"{name}\" must be lists of float64, but is {}", field.data_type()));
        }
    }
    let new = [
        Field::new("kind", DataType::Utf8, false),
        Field::new("is_free", DataType::Boolean, false),
        Field::new("toi", DataType::Float64, true),
        Field::new("free_until", DataType::Float64, false),
    ];
    if let Some(taken) = new.iter().find(|field| schema.field_with_name(field.name()).is_ok()) {
        return Err(format!("there is a column \"{}\" already", taken.name()));
    }
    let fields: Vec<Arc<Field>> = schema.fields().iter().cloned().chain(new.map(Arc::new)).collect();
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// Returns the numbers of a column of lists, one list after the other. `first` is the number of its first row, for
/// messages.
fn configurations(column: &ArrayRef, name: &str, dof: usize, first: usize) -> Result<Float64Array, String> {
    let (numbers, odd) = match column.data_type() {
        DataType::FixedSizeList(_, size) => {
            let lists = column.as_fixed_size_list();
            let start = lists.value_offset_at(0);
            let numbers = lists.values().slice(start, lists.len() * *size as usize);
            (numbers, (*size as usize != dof && !lists.is_empty()).then_some((0, *size as usize)))
        }
        DataType::List(_) => numbers_of(column.as_list::<i32>(), dof),
        _ => numbers_of(column.as_list::<i64>(), dof),
    };
    if column.null_count() > 0 || numbers.null_count() > 0 {
        return Err(format!("column \"{name}\" has nulls between rows {first} and {}", first + column.len()));
    }
    if let Some((row, size)) = odd {
        let row = first + row;
        return Err(format!("column \"{name}\", row {row}: {size} numbers, but the robot has {dof} joints"));
    }
    Ok(numbers.as_primitive::<Float64Type>().clone())
}

/// Returns the numbers of lists of any lengths, and the first list, with its length, whose length is not `dof`.
fn numbers_of<O: OffsetSizeTrait>(
    lists: &GenericListArray<O>,
    dof: usize,
) -> (ArrayRef, Option<(usize, usize)>) {
    let at = |row: usize| lists.value_offsets()[row].as_usize();
    let odd = (0..lists.len()).map(|row| (row, at(row + 1) - at(row))).find(|(_, size)| *size != dof);
    (lists.values().slice(at(0), at(lists.len()) - at(0)), odd)
}
