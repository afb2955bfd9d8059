//! `firsttouch path --parquet`: edges in, the same rows with answers out.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Float64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use crate::path::{ARM, WALL};
use crate::{Run, firsttouch};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("parquet").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("arm.urdf"), ARM).unwrap();
    std::fs::write(folder.join("wall.toml"), WALL).unwrap();
    let _ = std::fs::remove_file(folder.join("answers.parquet"));
    folder
}

/// Returns a column of one number per row, as lists of a fixed size.
fn fixed(numbers: impl IntoIterator<Item = f64>) -> ArrayRef {
    let mut column = FixedSizeListBuilder::new(Float64Builder::new(), 1);
    for number in numbers {
        column.values().append_value(number);
        column.append(true);
    }
    Arc::new(column.finish())
}

fn write(path: &Path, columns: &[(&str, ArrayRef)]) {
    let batch = RecordBatch::try_from_iter(columns.to_vec()).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn run(folder: &Path, more: &[&str]) -> Run {
    let [arm, wall, edges, answers] = ["arm.urdf", "wall.toml", "edges.parquet", "answers.parquet"]
        .map(|file| folder.join(file).to_str().unwrap().to_string());
    firsttouch(&[&["path", &arm, &edges, "--scene", &wall, "--parquet", &answers], more].concat())
}

/// 10,000 edges are more than one piece. Every third turns by 3 radians and meets the wall after 1.27518 of them, as in
/// the tests of `path`; the others turn the other way.
#[test]
fn each_row_has_its_answer() {
    let folder = folder("rows");
    let goal = |row: usize| if row.is_multiple_of(3) { 3.0 } else { -1.0 };
    let rows = 10_000;
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    let columns = [("id", ids), ("q0", fixed((0..rows).map(|_| 0.0))), ("q1", fixed((0..rows).map(goal)))];
    write(&folder.join("edges.parquet"), &columns);
    let ran = run(&folder, &["--json"]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    let json = ran.json();
    assert_eq!(
        [&json["edges"], &json["free"], &json["touch"]].map(|n| n.as_u64().unwrap()),
        [10_000, 6666, 3334]
    );
    let file = File::open(folder.join("answers.parquet")).unwrap();
    let mut row = 0;
    for piece in ParquetRecordBatchReader::try_new(file, 1000).unwrap() {
        let piece = piece.unwrap();
        let column = |name: &str| piece.column_by_name(name).unwrap();
        let toi: &Float64Array = column("toi").as_primitive::<Float64Type>();
        for i in 0..piece.num_rows() {
            assert_eq!(column("id").as_primitive::<Int64Type>().value(i), row as i64);
            let touches = row % 3 == 0;
            assert_eq!(column("kind").as_string::<i32>().value(i), if touches { "touch" } else { "free" });
            assert_eq!(column("is_free").as_boolean().value(i), !touches);
            assert_eq!(toi.is_null(i), !touches);
            let until = column("free_until").as_primitive::<Float64Type>().value(i);
            if touches {
                assert!((toi.value(i) - 1.27518 / 3.0).abs() < 1e-4, "{}", toi.value(i));
                assert!(until <= toi.value(i));
            } else {
                assert_eq!(until, 1.0);
            }
            row += 1;
        }
    }
    assert_eq!(row, rows);
}

/// Input that cannot be an edge is an error and never an empty answer, and no file is left behind.
#[test]
fn wrong_columns_are_refused() {
    let folder = folder("wrong");
    let lists = |rows: &[&[f64]]| {
        let mut column = ListBuilder::new(Float64Builder::new());
        for row in rows {
            column.values().append_slice(row);
            column.append(true);
        }
        Arc::new(column.finish()) as ArrayRef
    };
    let plain: ArrayRef = Arc::new(Float64Array::from(vec![0.0, 0.0]));
    let good = || fixed([0.0, 0.0]);
    let mut nulls = ListBuilder::new(Float64Builder::new());
    nulls.values().append_value(0.0);
    nulls.append(true);
    nulls.append(false);
    let nulls: ArrayRef = Arc::new(nulls.finish());
    let cases: [(&[(&str, ArrayRef)], &str); 6] = [
        (&[("q0", good()), ("goal", good())], "there is no column \"q1\", only q0, goal"),
        (&[("q0", good()), ("q1", plain)], "column \"q1\" must be lists of float64"),
        (
            &[("q0", lists(&[&[0.0], &[0.0, 1.0]])), ("q1", good())],
            "column \"q0\", row 1: 2 numbers, but the robot has 1 joint",
        ),
        (&[("q0", nulls), ("q1", good())], "column \"q0\" has nulls"),
        (&[("q0", good()), ("q1", good()), ("toi", good())], "there is a column \"toi\" already"),
        (&[("q0", fixed([0.0, f64::NAN])), ("q1", good())], "NaN"),
    ];
    for (columns, says) in cases {
        write(&folder.join("edges.parquet"), columns);
        let ran = run(&folder, &[]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{says}");
        assert!(ran.stderr.contains(says), "{says}: {}", ran.stderr);
        assert!(!folder.join("answers.parquet").exists());
    }
    std::fs::write(folder.join("edges.parquet"), "q0,q1\n0,1\n").unwrap();
    let ran = run(&folder, &[]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("edges.parquet"), "{}", ran.stderr);
}
