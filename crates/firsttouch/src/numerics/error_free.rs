//! Sums and products with their exact rounding errors: the building blocks of exact floating-point arithmetic.
//!
//! References: Knuth, *The Art of Computer Programming*, vol. 2, Sec. 4.2.2 (the sum); Dekker 1971 (the product) with
//! Veltkamp's split.

/// Returns `s = fl(a + b)` and its error: `a + b = s + e` exactly, unless an operation overflows, which leaves `e`
/// infinite or NaN (an infinity cannot become finite again by adding). Underflow is harmless: a subnormal sum of
/// floating-point numbers is exact. Six operations, no condition on the sizes.
#[inline]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let b_seen = s - a;
    let a_seen = s - b_seen;
    (s, (a - a_seen) + (b - b_seen))
}

/// Returns `p = fl(a b)` and its error: `a b = p + e` exactly, for factors below 2^996 whose product is zero or above
/// 2^-900.
#[inline]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let ((a1, a2), (b1, b2)) = (split(a), split(b));
    (p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

/// Splits a number into two halves of at most 26 bits each, so that their products are exact.
#[inline]
fn split(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a; // 2^27 + 1
    let high = c - (c - a);
    (high, a - high)
}
