//! Work grows no faster than it should: the curves of the benchmark `growth`, by their counts.

use crate::benches::growth::{CURVES, exponent};

#[test]
fn no_curve_grows_faster_than_it_should() {
    for curve in CURVES {
        let work = curve.work().unwrap();
        let points: Vec<(f64, f64)> = work.iter().map(|work| (work.size, work.work)).collect();
        assert!(points.iter().all(|&(_, work)| work > 0.0), "{}: {points:?}", curve.name);
        let grown = exponent(&points);
        assert!(grown <= curve.most, "{}: {grown:.2}, {points:?}", curve.name);
        // The same queries take the same work.
        assert_eq!(curve.work().unwrap(), work, "{}", curve.name);
    }
}
