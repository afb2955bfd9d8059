//! Binomial coefficients in floating point, with a count of the roundings in them.
//!
//! Up to [`TABLE_DEGREE`] they come from a table that is computed at compile time in integers and rounded once.
//! Beyond that, they come from `C(n, k+1) = C(n, k) (n - k) / (k + 1)` up to the middle and from symmetry after it.

use std::borrow::Cow;

/// The largest degree in the table. `C(120, 60) < 2^117`, far below the largest `u128`.
const TABLE_DEGREE: usize = 120;

static TABLE: [[f64; TABLE_DEGREE + 1]; TABLE_DEGREE + 1] = pascal();

/// Returns the row `C(n, 0) ..= C(n, n)`, and an upper bound of the number of roundings in each of its numbers.
pub(crate) fn binomials(n: usize) -> (Cow<'static, [f64]>, usize) {
    if n <= TABLE_DEGREE {
        // C(56, 28) < 2^53 <= C(57, 28).
        return (Cow::Borrowed(&TABLE[n][..=n]), if n <= 56 { 0 } else { 1 });
    }
    let mut row = vec![1.0; n + 1];
    for k in 0..n / 2 {
        row[k + 1] = row[k] * (n - k) as f64 / (k + 1) as f64;
    }
    for k in n / 2 + 1..=n {
        row[k] = row[n - k];
    }
    // Two for each factor, and there are at most n / 2.
    (Cow::Owned(row), n)
}

const fn pascal() -> [[f64; TABLE_DEGREE + 1]; TABLE_DEGREE + 1] {
    let mut table = [[0.0; TABLE_DEGREE + 1]; TABLE_DEGREE + 1];
    let mut row = [0u128; TABLE_DEGREE + 1];
    row[0] = 1;
    let mut n = 0;
    while n <= TABLE_DEGREE {
        let mut k = 0;
        while k <= n {
            table[n][k] = row[k] as f64;
            k += 1;
        }
        // From the right, so that each entry is used before it changes.
        n += 1;
        k = n;
        while k > 0 && n <= TABLE_DEGREE {
            row[k] += row[k - 1];
            k -= 1;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_their_ends() {
        assert_eq!(binomials(0).0.as_ref(), [1.0]);
        assert_eq!(binomials(5).0.as_ref(), [1.0, 5.0, 10.0, 10.0, 5.0, 1.0]);
        assert_eq!(binomials(56).0[28], 7_648_690_600_760_440.0);
        assert_eq!(binomials(120).0[60], 96_614_908_840_363_322_603_893_139_521_372_656.0_f64);
        let (row, _) = binomials(200);
        assert_eq!((row[0], row[1], row[199], row[200]), (1.0, 200.0, 200.0, 1.0));
        assert!((row[100] / 9.054_851_465_610_328e58 - 1.0).abs() < 1e-13);
    }
}
