//! Polynomials in one or two variables as grids of Bernstein coefficients, each with a proven error.
//!
//! A grid of `rows` by `cols` numbers represents a polynomial of degree `rows - 1` in `u` and `cols - 1` in `v` on
//! the unit square (one row: in `v` alone),
//! ```text
//! p(u, v) = Σ_ij c_ij B_i(u) B_j(v),      B_i(u) = C(m, i) (1 - u)^(m-i) u^i,
//! ```
//! where the true `c_ij` is within `errors_ij` of `values_ij`. Every operation preserves this: it propagates the
//! errors of its operands and adds its own rounding.
//!
//! One argument covers nearly all of them. Let a result be `Σ_k w_k x_k` with `w_k >= 0`, computed in any order such
//! that each `x_k` passes through at most `n` roundings on the way to the result, including those in its weight. Then
//! (Higham, "Accuracy and stability of numerical algorithms", ch. 3)
//! ```text
//! |computed - exact| <= γ_n Σ w_k |x_k|,     γ_n = n u / (1 - n u),   u = 2^-53,
//! ```
//! and with operands that are themselves off by `e_k` the total is at most `Σ w_k (e_k + γ_n |x_k|)`: *the same
//! operation applied to `e + γ|x|`*. These numbers are not negative, so the rounding in this second run is a relative
//! one, below `γ_(n+4)`, and [`inflate`] compensates for it.
//!
//! Underflow adds an absolute error of at most 2^-1075 per product. The weights of all operations below sum to one,
//! so such errors only add up, to far less than [`TINY`]. Overflow yields an infinite or NaN error, and a coefficient
//! with such an error has no certain sign: the tests are written `value > error`.

use super::binomial::binomials;
use super::bound::{lower_min, upper_max};
use smallvec::{SmallVec, smallvec};

/// The sign of a polynomial, if it is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Greater than zero.
    Positive,
    /// Less than zero.
    Negative,
}

/// Up to degree 7 in one variable, nothing is allocated.
pub(super) type Numbers = SmallVec<[f64; 8]>;

#[derive(Debug, PartialEq)]
pub(super) struct Grid {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) values: Numbers,
    pub(super) errors: Numbers,
}

impl Clone for Grid {
    /// Copies memory; the derived implementation would copy number by number.
    fn clone(&self) -> Grid {
        let Grid { rows, cols, ref values, ref errors } = *self;
        Grid { rows, cols, values: Numbers::from_slice(values), errors: Numbers::from_slice(errors) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    /// From row to row.
    U,
    /// From column to column.
    V,
}

/// The unit roundoff.
const U: f64 = f64::EPSILON / 2.0;
/// Far more than the effect of underflow on one coefficient in one operation. It keeps errors, which are multiplied
/// by weights again and again, away from the subnormal numbers, where arithmetic is slow.
const TINY: f64 = 1e-280;

/// Returns an upper bound of `γ_n`, for up to 2^46 roundings.
fn gamma(roundings: usize) -> f64 {
    1.01 * U * roundings as f64
}

/// Compensates for the rounding of an error that was computed by at most `roundings + 4` operations without
/// cancellation: `(1 + γ_(2n+8)) (1 - γ_(n+4)) >= 1` with room for this multiplication and two more.
fn inflate(error: f64, roundings: usize) -> f64 {
    error * (1.0 + gamma(2 * roundings + 8))
}

/// The weights of one de Casteljau step, and the number of roundings of each of them and its use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    near: f64,
    far: f64,
    roundings: usize,
}

impl Weights {
    /// Halving is exact, so only the addition rounds.
    pub(super) const HALF: Weights = Weights { near: 0.5, far: 0.5, roundings: 1 };

    /// One rounding in `1 - t`, one product, one sum.
    pub(super) fn at(t: f64) -> Weights {
        Weights { near: 1.0 - t, far: t, roundings: 3 }
    }

    /// Returns the weights at the point that divides a length in the proportion `far : near`. Each of the three has
    /// one rounding, the quotient another; then a product and a sum.
    pub(super) fn proportion(near: f64, far: f64, whole: f64) -> Weights {
        Weights { near: near / whole, far: far / whole, roundings: 5 }
    }
}

impl Grid {
    pub(super) fn exact(rows: usize, cols: usize, values: Numbers) -> Grid {
        let errors = smallvec![0.0; values.len()];
        Grid { rows, cols, values, errors }
    }

    /// Returns the number of coefficients along an axis, and the distance from one to the next in memory.
    fn layout(&self, axis: Axis) -> (usize, usize) {
        match axis {
            Axis::U => (self.rows, self.cols),
            Axis::V => (self.cols, 1),
        }
    }

    fn with_len(axis: Axis, len: usize, like: &Grid, values: Numbers, errors: Numbers) -> Grid {
        let (rows, cols) = match axis {
            Axis::U => (len, like.cols),
            Axis::V => (like.rows, len),
        };
        Grid { rows, cols, values, errors }
    }

    /// Returns the common sign of all coefficients, if there is one. By the convex hull property it is that of the
    /// polynomial on the whole domain.
    pub(super) fn sign(&self) -> Option<Sign> {
        let mut pairs = self.values.iter().zip(&self.errors);
        if self.values[0] > 0.0 {
            pairs.all(|(value, error)| value > error).then_some(Sign::Positive)
        } else {
            pairs.all(|(value, error)| -value > *error).then_some(Sign::Negative)
        }
    }

    /// Returns bounds of the polynomial on the whole domain.
    pub(super) fn range(&self) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for (value, error) in self.values.iter().zip(&self.errors) {
            // Rounded outwards. NaN, if a coefficient overflowed, fails both comparisons.
            let (low, high) = ((value - error).next_down(), (value + error).next_up());
            if !(low >= f64::NEG_INFINITY && high <= f64::INFINITY) {
                return (f64::NEG_INFINITY, f64::INFINITY);
            }
            range = (lower_min(range.0, low), upper_max(range.1, high));
        }
        range
    }

    pub(super) fn negated(mut self) -> Grid {
        self.values.iter_mut().for_each(|value| *value = -*value);
        self
    }

    pub(super) fn scaled(&self, factor: f64) -> Grid {
        let mut grid = self.clone();
        for (value, error) in grid.values.iter_mut().zip(&mut grid.errors) {
            *value *= factor;
            *error = inflate(*error * factor.abs() + gamma(1) * value.abs(), 1) + TINY;
        }
        grid
    }

    /// Returns the sum, or the difference, of polynomials of any degrees. Sums do not underflow.
    pub(super) fn combined(&self, other: &Grid, sign: f64) -> Grid {
        let (rows, cols) = (self.rows.max(other.rows), self.cols.max(other.cols)); // not a bound: degrees
        let mut grid = self.elevated(rows, cols);
        let other = other.elevated(rows, cols);
        for i in 0..grid.values.len() {
            grid.values[i] += sign * other.values[i];
            grid.errors[i] = inflate(grid.errors[i] + other.errors[i] + gamma(1) * grid.values[i].abs(), 1);
        }
        grid
    }

    /// Returns the same polynomial with at least as many rows and columns: the product with one.
    pub(super) fn elevated(&self, rows: usize, cols: usize) -> Grid {
        let (more_rows, more_cols) = (rows.saturating_sub(self.rows), cols.saturating_sub(self.cols));
        if more_rows == 0 && more_cols == 0 {
            return self.clone();
        }
        let (rows, cols) = (more_rows + 1, more_cols + 1);
        self.product(&Grid::exact(rows, cols, smallvec![1.0; rows * cols]))
    }

    /// Returns the product. With `a'_i = C(m, i) a_i` it is a plain convolution: `c'_k = Σ_(i+j=k) a'_i b'_j`, in
    /// both directions. The weights `C(m, i) C(n, j) / C(m+n, k)` sum to one for each `k`.
    ///
    /// With errors `e` on the left and `f` on the right, `|(a + e)(b + f) - ab| <= |a| f + e (|b| + f)`.
    pub(super) fn product(&self, other: &Grid) -> Grid {
        let (rows, cols) = (self.rows + other.rows - 1, self.cols + other.cols - 1);
        let terms = self.rows.min(other.rows) * self.cols.min(other.cols); // not a bound: degrees
        // Binomials rounded in a', b' and c; two products each for a' and b', one for a'b', one for the
        // divisor, the division; and the sum.
        let roundings = [self.rows, self.cols, other.rows, other.cols, rows, cols]
            .iter()
            .map(|&len| binomials(len - 1).1)
            .sum::<usize>()
            + 7
            + terms;
        let gamma = gamma(roundings);

        let left = self.times_binomials();
        let mut right = other.times_binomials();
        let right_reach: Numbers = right.values.iter().zip(&right.errors).map(|(b, f)| b.abs() + f).collect();
        // An underflow here is multiplied afterwards, so it is compensated at once.
        for (error, value) in right.errors.iter_mut().zip(&right.values) {
            *error += gamma * value.abs() + TINY;
        }

        let mut values: Numbers = smallvec![0.0; rows * cols];
        let mut errors: Numbers = smallvec![0.0; rows * cols];
        for i in 0..left.rows {
            for j in 0..left.cols {
                let at = i * left.cols + j;
                let (a, e) = (left.values[at], left.errors[at]);
                if a == 0.0 && e == 0.0 {
                    continue;
                }
                for row in 0..right.rows {
                    let span = row * right.cols..(row + 1) * right.cols;
                    let start = (i + row) * cols + j;
                    let (b, f, reach) =
                        (&right.values[span.clone()], &right.errors[span.clone()], &right_reach[span]);
                    let sums = &mut values[start..start + b.len()];
                    let error_sums = &mut errors[start..start + b.len()];
                    for (sum, b) in sums.iter_mut().zip(b) {
                        *sum += a * b;
                    }
                    for ((sum, f), reach) in error_sums.iter_mut().zip(f).zip(reach) {
                        *sum += a.abs() * f + e * reach;
                    }
                }
            }
        }
        let (row_binomials, _) = binomials(rows - 1);
        let (col_binomials, _) = binomials(cols - 1);
        for i in 0..rows {
            for j in 0..cols {
                let divisor = row_binomials[i] * col_binomials[j];
                values[i * cols + j] /= divisor;
                let error = &mut errors[i * cols + j];
                *error = inflate(*error / divisor, roundings) + TINY;
            }
        }
        Grid { rows, cols, values, errors }
    }

    /// Products with integers do not underflow.
    fn times_binomials(&self) -> Grid {
        let mut grid = self.clone();
        let (row_binomials, _) = binomials(self.rows - 1);
        let (col_binomials, _) = binomials(self.cols - 1);
        for i in 0..self.rows {
            for j in 0..self.cols {
                let factor = row_binomials[i] * col_binomials[j];
                grid.values[i * self.cols + j] *= factor;
                grid.errors[i * self.cols + j] *= factor;
            }
        }
        grid
    }

    /// De Casteljau's algorithm: returns the polynomial before and after the point with the given weights, each
    /// mapped to the whole unit interval. The two outer ends are copied, not computed.
    pub(super) fn split(&self, axis: Axis, weights: Weights) -> (Grid, Grid) {
        let (len, stride) = self.layout(axis);
        let roundings = weights.roundings * (len - 1);
        let (mut before, mut after) = (self.clone(), self.clone());
        after.blur(roundings);
        casteljau(&mut after.values, len, stride, weights, &mut before.values);
        casteljau(&mut after.errors, len, stride, weights, &mut before.errors);
        for grid in [&mut before, &mut after] {
            grid.errors.iter_mut().for_each(|error| *error = inflate(*error, roundings) + TINY);
        }
        let line = len * stride;
        for start in (0..self.errors.len()).step_by(line) {
            let (first, last) = (start..start + stride, start + line - stride..start + line);
            before.errors[first.clone()].copy_from_slice(&self.errors[first]);
            after.errors[last.clone()].copy_from_slice(&self.errors[last]);
        }
        (before, after)
    }

    /// Adds the rounding of the coming operation to the errors: `e + γ|x|`.
    fn blur(&mut self, roundings: usize) {
        let gamma = gamma(roundings);
        for (error, value) in self.errors.iter_mut().zip(&self.values) {
            *error += gamma * value.abs();
        }
    }

    /// Returns the polynomial over the part from `a` to `b` of an axis. The second of two cuts is at a proportion of
    /// the remaining lengths, the longer of which is at least one half.
    pub(super) fn restricted(&self, axis: Axis, a: f64, b: f64) -> Grid {
        let (a, b) = (a.clamp(0.0, 1.0), b.clamp(0.0, 1.0));
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        if a <= 0.5 {
            let after = if a == 0.0 { self.clone() } else { self.split(axis, Weights::at(a)).1 };
            if b == 1.0 {
                return after;
            }
            after.split(axis, Weights::proportion(1.0 - b, b - a, 1.0 - a)).0
        } else {
            let before = if b == 1.0 { self.clone() } else { self.split(axis, Weights::at(b)).0 };
            before.split(axis, Weights::proportion(b - a, a, b)).1
        }
    }

    /// Returns the polynomial at one position of an axis, constant along it.
    pub(super) fn evaluated(&self, axis: Axis, t: f64) -> Grid {
        let (len, stride) = self.layout(axis);
        let t = t.clamp(0.0, 1.0);
        if t == 0.0 || t == 1.0 || len == 1 {
            return self.slice(axis, if t == 1.0 { len - 1 } else { 0 });
        }
        let weights = Weights::at(t);
        let roundings = weights.roundings * (len - 1);
        let mut grid = self.clone();
        grid.blur(roundings);
        casteljau(&mut grid.values, len, stride, weights, &mut []);
        casteljau(&mut grid.errors, len, stride, weights, &mut []);
        let mut value = grid.slice(axis, 0);
        value.errors.iter_mut().for_each(|error| *error = inflate(*error, roundings) + TINY);
        value
    }

    /// Returns the value and its error for a grid of one row: the same as [`Grid::evaluated`], in linear time.
    ///
    /// `p(t) = (1 - t)^n h(x)` with `h(x) = Σ C(n, i) c_i x^i` and `x = t / (1 - t)`, up to `t = 1/2`; from the other
    /// end beyond. With `x` at most one, Horner's rule and the power are safe: the weights sum to one, and the power
    /// is at least 2^-n. Roundings: for each of the up to `n` steps two in `x`, a product and a sum; the binomial and
    /// its product; two for each factor of the power, and the last product.
    pub(super) fn value_at(&self, t: f64) -> (f64, f64) {
        let degree = self.cols - 1;
        let t = t.clamp(0.0, 1.0);
        if t == 0.0 || degree == 0 {
            return (self.values[0], self.errors[0]);
        }
        if t == 1.0 {
            return (self.values[degree], self.errors[degree]);
        }
        if degree > 1000 {
            let value = self.evaluated(Axis::V, t);
            return (value.values[0], value.errors[0]);
        }
        let (binomials, binomial_roundings) = binomials(degree);
        let roundings = 6 * degree + 2 + binomial_roundings;
        let gamma = gamma(roundings);
        let (near, far, backwards) = if t <= 0.5 { (1.0 - t, t, true) } else { (t, 1.0 - t, false) };
        let x = far / near;
        let (mut value, mut error, mut power) = (0.0, 0.0, 1.0);
        for k in 0..=degree {
            let i = if backwards { degree - k } else { k };
            let scaled = binomials[i] * self.values[i];
            value = value * x + scaled;
            error = error * x + (binomials[i] * self.errors[i] + gamma * scaled.abs());
            if k > 0 {
                power *= near;
            }
        }
        (value * power, inflate(error * power, roundings) + TINY)
    }

    /// Returns the coefficients at one index along an axis.
    pub(super) fn slice(&self, axis: Axis, index: usize) -> Grid {
        let (len, stride) = self.layout(axis);
        let pick = |numbers: &Numbers| -> Numbers {
            numbers
                .chunks_exact(len * stride)
                .flat_map(|line| &line[index * stride..][..stride])
                .copied()
                .collect()
        };
        Grid::with_len(axis, 1, self, pick(&self.values), pick(&self.errors))
    }

    /// `n (c_(i+1) - c_i)`: a difference and a product, which does not underflow because one factor is an integer.
    pub(super) fn derivative(&self, axis: Axis) -> Grid {
        let (len, stride) = self.layout(axis);
        if len == 1 {
            return Grid::exact(self.rows, self.cols, smallvec![0.0; self.values.len()]);
        }
        let degree = (len - 1) as f64;
        let (mut values, mut errors) = (Numbers::new(), Numbers::new());
        for start in (0..self.values.len()).step_by(len * stride) {
            for i in start..start + (len - 1) * stride {
                let value = degree * (self.values[i + stride] - self.values[i]);
                let error = degree * (self.errors[i + stride] + self.errors[i]);
                values.push(value);
                errors.push(inflate(error + gamma(2) * value.abs(), 2));
            }
        }
        Grid::with_len(axis, len - 1, self, values, errors)
    }
}

/// Runs de Casteljau's algorithm along lines of `len` numbers (or rows of `stride` numbers), in place: the
/// coefficients after the point remain. Those before it go to `before`, unless that is empty.
#[inline]
fn casteljau(numbers: &mut [f64], len: usize, stride: usize, weights: Weights, before: &mut [f64]) {
    for (l, line) in numbers.chunks_exact_mut(len * stride).enumerate() {
        for level in 1..len {
            let active = &mut line[..(len - level + 1) * stride];
            // The same loop twice: with a constant stride the compiler can vectorise it.
            if stride == 1 {
                casteljau_level(active, 1, weights)
            } else {
                casteljau_level(active, stride, weights)
            }
            if !before.is_empty() {
                let at = (l * len + level) * stride;
                before[at..at + stride].copy_from_slice(&line[..stride]);
            }
        }
    }
}

/// One flat loop in either direction, since a whole row is combined with the next.
#[inline(always)]
fn casteljau_level(active: &mut [f64], stride: usize, Weights { near, far, .. }: Weights) {
    for i in 0..active.len() - stride {
        active[i] = near * active[i] + far * active[i + stride];
    }
}

#[cfg(test)]
#[path = "bernstein_grid_tests.rs"]
mod tests;
