//! Signs at a root whose neighbours are close: another root of the same polynomial, and a root of the other one.

use super::*;
use crate::numerics::algebraic::RealRoots;
use crate::numerics::wide::Int;
use dashu_int::UBig;

fn int(x: i128) -> Int {
    Int::from_product(x)
}

/// Returns the whole part of `sqrt(2) · 2^bits`.
fn root_of_two(bits: usize) -> i128 {
    let square = UBig::from(2u8) << (2 * bits);
    let mut low = 1u128 << bits;
    for k in (0..bits).rev() {
        let next = low | 1 << k;
        if UBig::from(next) * UBig::from(next) <= square {
            low = next;
        }
    }
    low as i128
}

/// Returns `(9 t² − 2) (k t − l)` with `l / k` near `sqrt(2) / 3`.
fn with_close_roots(k: i128, l: i128) -> Poly {
    let times = |a: i128, b: i128| &int(a) * &int(b);
    Poly { c: [times(2, l), times(-2, k), times(-9, l), times(9, k)] }
}

/// A line whose root is off from `sqrt(2) / 3` by 2^-55 to 2^-100. The slope of the polynomial at the root is about
/// 2^-20 of its size.
#[test]
fn a_line_that_almost_vanishes_at_the_root() {
    let bits = 110;
    let two = root_of_two(bits);
    let mut signs = [0; 2];
    for shift in [14, 17, 20, 23] {
        let k = (1i128 << shift) + 1;
        // The other root, on either side.
        for aside in [0, 1] {
            let l = ((root_of_two(60) * k / 3) >> 60) + aside;
            let f = with_close_roots(k, l);
            let roots = RealRoots::of(&f);
            let found: Vec<Located<'_>> = roots.up_to(1.0).collect();
            // The third root is negative. The rational one is smaller if it was rounded down.
            let root = &found[usize::from(aside == 0)];
            assert_eq!(found.len(), 2);
            for place in 10..=55 {
                for off in [-1i128, 1] {
                    // 3 · 2^bits t − (sqrt(2) 2^bits + off): its sign at the root is that of -off.
                    let off = off << place;
                    let line = Poly::quadratic(int(-(two + off)), int(3 << bits), int(0));
                    let expected = if off > 0 { Ordering::Less } else { Ordering::Greater };
                    assert_eq!(root.sign_of(&line), expected, "{k} {l} {place} {off}");
                    signs[usize::from(off > 0)] += 1;
                }
            }
        }
    }
    assert!(signs[0] == signs[1] && signs[0] > 300, "{signs:?}");
}

/// Two roots within one bracket: the factor vanishes at one of them only.
#[test]
fn a_factor_vanishes_at_its_own_root_only() {
    for shift in [45, 52, 55, 58] {
        let k = (1i128 << shift) + 1;
        for aside in [0, 1] {
            // 60 bits of the root are enough, and the product fits.
            let l = ((root_of_two(60) * k / 3) >> 60) + aside;
            let f = with_close_roots(k, l);
            let factor = Poly::quadratic(int(-2), int(0), int(9));
            let roots = RealRoots::of(&f);
            let signs: Vec<Ordering> = roots.up_to(1.0).map(|root| root.sign_of(&factor)).collect();
            let expected = if aside == 0 {
                [Ordering::Less, Ordering::Equal]
            } else {
                [Ordering::Equal, Ordering::Greater]
            };
            assert_eq!(signs, expected, "{k} {l}");
        }
    }
}
