//! Queries whose points are given in columns, as in arrays of numpy and in table files.
//!
//! **Problem.** A query takes 192 bytes, and checking and copying its eight points one by one costs a third of the
//! decision.
//!
//! 1. Treat each column as a row of plain numbers, and check the range of several per instruction.
//! 2. If all are in range, write the queries straight into the output.
//! 3. If one is not, find its row with the checks of single queries, which return the error.

use glam::DVec3;

use super::pair::Pair;
use super::{LARGEST_COORDINATE, validate};
use crate::error::{Error, Result};

/// One column for each of the four points of a query. All have the same number of rows.
pub type Columns<'a> = [&'a [[f64; 3]]; 4];

/// The first refused row, and the error.
pub type RowResult = Result<(), (usize, Error)>;

pub(super) fn pairs<P: Pair>(t0: Columns<'_>, t1: Columns<'_>, out: &mut Vec<P>) -> RowResult {
    out.clear();
    let rows = t0[0].len();
    for column in t0.iter().chain(&t1) {
        if column.len() != rows {
            let (index, len) = (rows.max(column.len()) - 1, rows.min(column.len()));
            return Err((len, Error::IndexOutOfRange { what: "row".into(), index, len }));
        }
    }
    let points = |columns: &Columns<'_>, row: usize| columns.map(|column| DVec3::from_array(column[row]));
    if !t0.iter().chain(&t1).all(|column| all_in_range(column.as_flattened())) {
        for row in 0..rows {
            validate(&points(&t0, row), &points(&t1, row), P::NAMES).map_err(|error| (row, error))?;
        }
    }
    // Each is as long as the first one; the compiler cannot know this otherwise.
    let [t0, t1] = [t0, t1].map(|columns| columns.map(|column| &column[..rows]));
    out.extend((0..rows).map(|row| P::new(points(&t0, row), points(&t1, row))));
    Ok(())
}

/// Returns true if all are finite and small enough. A comparison with NaN is false.
fn all_in_range(numbers: &[f64]) -> bool {
    numbers.iter().fold(true, |fine, x| fine & (x.abs() <= LARGEST_COORDINATE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementary::{EdgeEdge, VertexFace};

    fn column(seed: usize, rows: usize) -> Vec<[f64; 3]> {
        (0..rows).map(|row| [0, 1, 2].map(|axis| ((seed * 31 + row * 7 + axis) as f64).sin())).collect()
    }

    /// Both ways return the same pairs and the same errors.
    #[test]
    fn rows_are_single_queries() {
        let all: Vec<_> = (0..8).map(|k| column(k, 9)).collect();
        for (bad_row, bad) in [(9, 0.0), (0, f64::NAN), (4, f64::INFINITY), (8, -1.5e60)] {
            for bad_column in 0..8 {
                let mut all = all.clone();
                if let Some(point) = all[bad_column].get_mut(bad_row) {
                    point[bad_column % 3] = bad;
                }
                let t0 = [0, 1, 2, 3].map(|k| all[k].as_slice());
                let t1 = [4, 5, 6, 7].map(|k| all[k].as_slice());
                let at =
                    |columns: Columns<'_>, row: usize| columns.map(|column| DVec3::from_array(column[row]));
                let mut faces = vec![VertexFace::new([DVec3::ZERO; 4], [DVec3::ZERO; 4]).unwrap()];
                let mut edges = Vec::new();
                let result = VertexFace::from_columns(t0, t1, &mut faces);
                let second = EdgeEdge::from_columns(t0, t1, &mut edges);
                if bad_row == 9 {
                    assert_eq!((result, second), (Ok(()), Ok(())));
                    for row in 0..9 {
                        assert_eq!(faces[row], VertexFace::new(at(t0, row), at(t1, row)).unwrap());
                        assert_eq!(edges[row], EdgeEdge::new(at(t0, row), at(t1, row)).unwrap());
                    }
                } else {
                    // As texts, because NaN is not equal to itself.
                    let text = |result: RowResult| result.map_err(|(row, error)| (row, error.to_string()));
                    let [one, two] = [at(t0, bad_row), at(t1, bad_row)];
                    let wanted = VertexFace::new(one, two).unwrap_err().to_string();
                    assert_eq!(text(result), Err((bad_row, wanted)));
                    let wanted = EdgeEdge::new(one, two).unwrap_err().to_string();
                    assert_eq!(text(second), Err((bad_row, wanted)));
                    assert!(faces.is_empty() && edges.is_empty());
                }
            }
        }
    }

    #[test]
    fn columns_of_different_lengths_are_refused() {
        let (long, short) = (column(1, 5), column(2, 3));
        let mut out = Vec::new();
        let (row, error) =
            VertexFace::from_columns([&long; 4], [&long, &short, &long, &long], &mut out).unwrap_err();
        assert_eq!((row, error.to_string().as_str()), (3, "row 4 is out of range: there are only 3"));
        assert!(VertexFace::from_columns([&[]; 4], [&[], &[], &[], &short], &mut out).is_err());
        assert_eq!(VertexFace::from_columns([&[]; 4], [&[]; 4], &mut out), Ok(()));
    }
}
