//! Intervals around roots and signs over them, against closed forms; discriminants, against integers of any size.

use super::*;
use crate::numerics::algebraic::{Poly, RealRoot, RealRoots};
use crate::numerics::wide::Int;
use dashu_int::IBig;

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 20) % n
    }

    /// Returns an integer of up to `bits` bits; half of them have all.
    fn integer(&mut self, bits: u64) -> i64 {
        let bits = if self.below(2) == 0 { bits } else { self.below(bits + 1) };
        let magnitude = self.below(1 << bits.min(40)) << bits.saturating_sub(40);
        if self.below(2) == 0 { magnitude as i64 } else { -(magnitude as i64) }
    }
}

fn poly(c: [i64; 4], shifts: [u32; 4]) -> Poly {
    Poly { c: [0, 1, 2, 3].map(|i| Int::shifted(c[i], shifts[i])) }
}

/// Polynomials with coefficients of any sizes, some of which have tiny roots. Each interval holds the root of its rank,
/// and the signs that are decided over it are those at the root. Every second quadratic almost vanishes at the root.
#[test]
fn intervals_hold_their_roots_and_signs_are_those_at_the_roots() {
    let mut random = Random(3);
    let (mut found, mut missed) = (0, 0);
    let (mut decided, mut open) = ([0; 2], 0);
    for _ in 0..20_000 {
        let spread = [0, 30, 120][random.below(3) as usize];
        let shifts = [0; 4].map(|_| random.below(spread + 1) as u32);
        let f = poly([0; 4].map(|_| random.integer(50)), shifts);
        let roots = RealRoots::of(&f);
        let mut inside: Vec<RealRoot<'_>> =
            roots.iter().filter(|r| r.compare(0.0).is_gt() && r.compare(1.0).is_lt()).collect();
        if inside.is_empty() || inside.iter().any(|r| *r.poly() != f) {
            continue;
        }
        inside.sort_by_key(|r| (0..=64).filter(|k| r.compare(*k as f64 / 64.0).is_gt()).count());
        let Some(spans) = Rough::new(f.approximate()).spans(1.0, inside.len()) else {
            missed += 1;
            continue;
        };
        assert_eq!(spans.len(), inside.len());
        for (k, span) in spans.iter().enumerate() {
            let holds = |r: &RealRoot<'_>| r.compare(span.lo).is_gt() && r.compare(span.hi).is_lt();
            let held: Vec<&RealRoot<'_>> = inside.iter().filter(|r| holds(r)).collect();
            assert_eq!(held.len(), 1, "{f:?} {spans:?}");
            assert!(k == 0 || spans[k - 1].hi <= span.lo);
            found += 1;
            for round in 0..6 {
                let q = if round % 2 == 0 {
                    // (2^s t − m) (a t + b) with m / 2^s near the root.
                    let scale = 20 + random.below(36) as u32;
                    let m = (span.lo * 2f64.powi(scale as i32)).round() as i64 + random.below(3) as i64 - 1;
                    let (a, b) = (1 + random.below(5) as i64, random.below(7) as i64 - 3);
                    let (a, b, m, power) =
                        (Int::shifted(a, 0), Int::shifted(b, 0), Int::shifted(m, 0), Int::shifted(1, scale));
                    Poly::quadratic((&b * &m).negated(), &(&b * &power) - &(&a * &m), &a * &power)
                } else {
                    let shifts = [0; 4].map(|_| random.below(spread + 1) as u32);
                    let mut c = [0; 4].map(|_| random.integer(50));
                    c[3] = 0;
                    poly(c, shifts)
                };
                match Rough::new(q.approximate()).sign_over(span) {
                    Some(sign) => {
                        assert_eq!(sign, held[0].sign_of(&q), "{f:?} {q:?} {span:?}");
                        decided[round % 2] += 1;
                    }
                    None => open += 1,
                }
            }
        }
    }
    assert!(found > 8_000 && missed < found / 10, "{found} {missed}");
    assert!(decided[0] > 10_000 && decided[1] > 25_000 && open > 100, "{decided:?} {open}");
}

/// `(pt − q)² (rt − s)`, times 2^20 and with one coefficient changed a little: the discriminant is small, of either
/// sign or zero.
#[test]
fn discriminants_have_the_sign_of_the_exact_ones() {
    let mut random = Random(8);
    let (mut decided, mut open) = ([0; 4], [0; 2]);
    for _ in 0..40_000 {
        let [p, q, r, s] = [0; 4].map(|_| random.integer(13));
        let (square, by) = ([q * q, -2 * p * q, p * p], 1 << random.below(22));
        let mut c =
            [-s * square[0], r * square[0] - s * square[1], r * square[1] - s * square[2], r * square[2]];
        let index = random.below(4) as usize;
        c = c.map(|x| x * by);
        c[index] += random.below(3) as i64 - 1;
        let big = c.map(IBig::from);
        let [d, c1, b, a] = &big;
        let minus = |x: IBig, y: IBig, times: i64| -> IBig { x - y * IBig::from(times) };
        let (p, q, r) = (minus(b * b, a * c1, 3), minus(b * c1, a * d, 9), minus(c1 * c1, b * d, 3));
        let exact = (-minus(&q * &q, p * r, 4)).cmp(&IBig::ZERO);
        match Rough::new(poly(c, [0; 4]).approximate()).cubic_discriminant() {
            Some(sign) => {
                assert_eq!(sign, exact, "{c:?}");
                decided[usize::from(sign.is_gt())] += 1;
            }
            None => open[0] += 1,
        }
        let quad = [square[0] * by + random.below(3) as i64 - 1, square[1] * by, square[2] * by, 0];
        let big = quad.map(IBig::from);
        let exact = minus(&big[1] * &big[1], &big[2] * &big[0], 4).cmp(&IBig::ZERO);
        match Rough::new(poly(quad, [0; 4]).approximate()).quadratic_discriminant() {
            Some(sign) => {
                assert_eq!(sign, exact, "{quad:?}");
                decided[2 + usize::from(sign.is_gt())] += 1;
            }
            None => open[1] += 1,
        }
    }
    assert!(decided.iter().all(|n| *n > 300) && open.iter().all(|n| *n > 3_000), "{decided:?} {open:?}");
}

/// Polynomials that come near to zero and do not reach it have no interval, for any guess.
#[test]
fn without_a_root_there_is_no_interval() {
    for above in [1e-1, 1e-3, 1e-6, 1e-9] {
        // (t − 1/2)² + above
        let f = Rough::new([(0.25 + above) / 2.0, -0.5, 0.5, 0.0]);
        for k in 1..1_000 {
            assert!(f.span(f64::from(k) / 1_000.0).is_none(), "{above} {k}");
        }
    }
}

/// Over an interval without width only rounding matters: quadratics of 60 bits whose value is between 2^-60 and 2^-46
/// of their terms.
#[test]
fn signs_at_a_point_are_exact_or_unknown() {
    let mut random = Random(11);
    let (mut decided, mut open) = (0, 0);
    for _ in 0..20_000 {
        let mut wide = || ((random.below(1 << 30) << 30) | random.below(1 << 30)) as i64;
        let (a, b, m) = (wide(), wide(), wide() >> 7);
        let t = m as f64 / 2f64.powi(53);
        // The value of the other terms, rounded to an integer.
        let terms =
            (IBig::from(a) * IBig::from(m) * IBig::from(m) + ((IBig::from(b) * IBig::from(m)) << 53)) >> 106;
        let terms = i64::try_from(terms).unwrap();
        let bits = random.below(14);
        let off = (1 + random.below(1 << bits) as i64) * (1 - 2 * random.below(2) as i64);
        let q = poly([off - terms, b, a, 0], [0; 4]);
        match Rough::new(q.approximate()).sign_over(&Bracket { lo: t, hi: t }) {
            Some(sign) => {
                assert_eq!(sign, q.sign_at(t), "{q:?} {t}");
                decided += 1;
            }
            None => open += 1,
        }
    }
    assert!(decided > 1_000 && open > 5_000, "{decided} {open}");
}

/// A root counts once, and only if it is before the end: 2t − 1.
#[test]
fn a_root_counts_once_and_before_the_end() {
    let f = Rough::new([-0.5, 1.0, 0.0, 0.0]);
    assert_eq!(f.spans_near(1.0, 1, &[0.45]).map(|spans| spans.len()), Some(1));
    assert!(f.spans_near(1.0, 2, &[0.45, 0.55]).is_none());
    assert!(f.spans_near(0.5, 1, &[0.45]).is_none());
    assert!(f.spans_near(1.0, 1, &[0.3, 0.45]).is_none());
}
