//! The coefficients, their errors and the brackets of this stage against the same polynomials in rational numbers.

use super::super::{EdgeEdge, VertexFace};
use super::*;
use dashu_ratio::RBig;

fn rational(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / 2f64.powi(52) - 1.0
}

fn point(state: &mut u64) -> DVec3 {
    DVec3::new(draw(state), draw(state), draw(state))
}

type Exact = [RBig; 3];

fn cross(a: &Exact, b: &Exact) -> Exact {
    let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn dot(a: &Exact, b: &Exact) -> RBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn sum(a: &Exact, b: &Exact) -> Exact {
    [0, 1, 2].map(|k| &a[k] + &b[k])
}

/// Returns a difference at the time `t`.
fn difference<P: Pair>(q: &P, index: usize, t: &RBig) -> Exact {
    let (i, j) = P::DIFFERENCES[index];
    [0, 1, 2].map(|k| {
        let start = rational(q.t0()[i][k]) - rational(q.t0()[j][k]);
        let end = rational(q.t1()[i][k]) - rational(q.t1()[j][k]);
        &start + (end - &start) * t
    })
}

/// Returns the Bernstein coefficients of the cross product of two differences.
fn quadratic<P: Pair>(q: &P, (a, b): (usize, usize), t_max: f64) -> [Exact; 3] {
    let at = |index: usize, t: f64| difference(q, index, &rational(t));
    let (a0, a1, b0, b1) = (at(a, 0.0), at(a, t_max), at(b, 0.0), at(b, t_max));
    let middle = sum(&cross(&a0, &b1), &cross(&a1, &b0)).map(|x| x / RBig::from(2));
    [cross(&a0, &b0), middle, cross(&a1, &b1)]
}

/// Returns the Bernstein coefficients of the cubic.
fn cubic_of<P: Pair>(q: &P, t_max: f64) -> Vec<RBig> {
    let n = quadratic(q, P::NORMAL, t_max);
    let (c0, c1) = (difference(q, P::THIRD, &RBig::ZERO), difference(q, P::THIRD, &rational(t_max)));
    let (two, three) = (RBig::from(2), RBig::from(3));
    vec![
        dot(&c0, &n[0]),
        (dot(&c1, &n[0]) + &two * dot(&c0, &n[1])) / &three,
        (&two * dot(&c1, &n[1]) + dot(&c0, &n[2])) / &three,
        dot(&c1, &n[2]),
    ]
}

/// Returns the coefficients before and after `t`, by de Casteljau's triangle.
fn split(c: &[RBig], t: &RBig) -> [Vec<RBig>; 2] {
    let (mut row, mut before, mut after) = (c.to_vec(), Vec::new(), Vec::new());
    while let (Some(first), Some(last)) = (row.first().cloned(), row.last().cloned()) {
        before.push(first);
        after.push(last);
        row = row.windows(2).map(|pair| &pair[0] * (RBig::ONE - t) + &pair[1] * t).collect();
    }
    after.reverse();
    [before, after]
}

fn is_within(computed: f64, truth: &RBig, error: f64) -> bool {
    let off = rational(computed) - truth;
    off <= rational(error) && -off <= rational(error)
}

#[derive(Default)]
struct Count {
    inexact: usize,
    touches: usize,
    refined: usize,
}

fn check<P: Pair>(q: &P, t_max: f64, state: &mut u64, count: &mut Count) {
    let ends = Differences::new(q, t_max);
    let (cubic, normal) = Cubic::new::<P>(&ends);
    let truth = cubic_of(q, t_max);
    for (b, truth) in cubic.b.iter().zip(&truth) {
        assert!(is_within(*b, truth, cubic.error), "{:?} {:?} up to {t_max}", q.t0(), q.t1());
        count.inexact += usize::from(!is_within(*b, truth, 0.0));
    }
    // Halves of halves, six times.
    let (mut piece, mut exact_piece) = (cubic.b, truth.clone());
    for _ in 0..6 {
        let [before, after] = split(&exact_piece, &rational(0.5));
        let (left, right) = halves(&piece);
        (piece, exact_piece) = if draw(state) > 0.0 { (left, before) } else { (right, after) };
        for (b, truth) in piece.iter().zip(&exact_piece) {
            assert!(is_within(*b, truth, cubic.piece_error), "{:?} {:?}", q.t0(), q.t1());
        }
    }
    // Values, and slopes over a short span.
    let s = 0.5 * (1.0 + draw(state));
    let value = |s: f64| split(&truth, &rational(s))[1][0].clone();
    assert!(is_within(cubic.value(s), &value(s), cubic.piece_error), "{:?} {:?}", q.t0(), q.t1());
    let slopes: Vec<RBig> = truth.windows(2).map(|b| RBig::from(3) * (&b[1] - &b[0])).collect();
    let hi = (s + 1e-9).min(1.0);
    let (low, high) = cubic.slope_range(s, hi);
    for s in [s, hi] {
        let slope = split(&slopes, &rational(s))[1][0].clone();
        assert!(rational(low) <= slope && slope <= rational(high), "{:?} {:?} at {s}", q.t0(), q.t1());
    }
    // The faces.
    let faces = Faces::new::<P>(&ends, normal);
    for n in 0..P::FACES {
        for (computed, truth) in faces.q[n].iter().zip(quadratic(q, P::CROSS[n], t_max)) {
            for k in 0..3 {
                assert!(is_within(computed[k], &truth[k], faces.error[n][k]), "{:?} {:?}", q.t0(), q.t1());
            }
        }
    }
    // A touch that is proven: the cubic changes its sign between the ends of the bracket.
    if let Verdict::Touch(Bracket { lo, hi }) = decide(q, t_max) {
        let at = |t: f64| {
            let t = rational(t);
            let [a, b, c] = [P::NORMAL.0, P::NORMAL.1, P::THIRD].map(|index| difference(q, index, &t));
            dot(&c, &cross(&a, &b)).cmp(&RBig::ZERO)
        };
        let (first, last) = (at(lo), at(hi));
        assert!(
            first != last || first.is_eq(),
            "{:?} {:?} up to {t_max}: no root in {lo}..{hi}",
            q.t0(),
            q.t1()
        );
        assert!(hi <= t_max, "{hi} > {t_max}");
        count.touches += 1;
        count.refined += usize::from(hi - lo < 2.0 * f64::EPSILON);
    }
}

#[test]
fn coefficients_are_within_their_errors_and_roots_within_their_brackets() {
    let mut state = 13;
    let mut count = Count::default();
    for round in 0..4000 {
        let mut t0 = [0; 4].map(|_| point(&mut state));
        let mut t1 = [0; 4].map(|_| point(&mut state));
        // Aimed at a point inside at some time.
        let t = 0.05 + 0.9 * draw(&mut state).abs();
        let at = |k: usize, t0: &[DVec3; 4], t1: &[DVec3; 4]| t0[k] + (t1[k] - t0[k]) * t;
        if round % 2 == 0 {
            let target = (at(1, &t0, &t1) + at(2, &t0, &t1) + at(3, &t0, &t1)) / 3.0;
            t1[0] = t0[0] + (target - t0[0]) / t;
        } else {
            let middle = 0.5 * (at(0, &t0, &t1) + at(1, &t0, &t1));
            let far = 2.0 * middle - at(2, &t0, &t1);
            t1[3] = t0[3] + (far - t0[3]) / t;
        }
        // Far from the origin, nearly flat, or as a small part of the range of `f64`.
        let offset = point(&mut state) * [0.0, 1e3][round / 2 % 2];
        let flat = if round % 7 == 0 { 1e-9 } else { 1.0 };
        let scale = [1.0, 1.0, 1.0, 1e-104, 1e-106, 1e-161][round / 4 % 6];
        for p in t0.iter_mut().chain(&mut t1) {
            p.z *= flat;
            *p = (*p + offset) * scale;
        }
        let t_max = if round % 5 == 0 { 0.5 + 0.5 * draw(&mut state).abs() } else { 1.0 };
        if round % 2 == 0 {
            check(&VertexFace { t0, t1 }, t_max, &mut state, &mut count);
        } else {
            check(&EdgeEdge { t0, t1 }, t_max, &mut state, &mut count);
        }
    }
    let Count { inexact, touches, refined } = count;
    assert!(inexact > 8000 && touches > 800 && refined > 300, "{inexact} {touches} {refined}");
}

/// With large errors the cubic bends between its root and the ends of the sliver, so the signs at the ends must be
/// tested.
#[test]
fn a_sliver_ends_where_the_sign_is_certain() {
    let mut state = 17;
    let mut found = 0;
    for _ in 0..4000 {
        let b = [-draw(&mut state).abs(), draw(&mut state), draw(&mut state), draw(&mut state).abs()];
        let piece_error = 0.2 * draw(&mut state).abs();
        let cubic = Cubic { b, error: piece_error, piece_error, size: 1.0 };
        let single = certain(b[1], piece_error) == Some(Ordering::Less)
            || certain(b[2], piece_error) == Some(Ordering::Greater);
        let is_certain = certain(b[0], piece_error).is_some() && certain(b[3], piece_error).is_some();
        if !(single && is_certain) {
            continue;
        }
        let Some((lo, hi, _)) = sliver(&cubic, (0.0, 1.0), Ordering::Greater) else { continue };
        assert!(lo < hi && (lo == 0.0 || cubic.value(lo) < -piece_error), "{b:?} ± {piece_error}: {lo}");
        assert!(hi == 1.0 || cubic.value(hi) > piece_error, "{b:?} ± {piece_error}: {hi}");
        found += 1;
    }
    assert!(found > 500, "{found}");
}

/// `1.1 s³ - 0.1`, known only to 0.098, and the same cubic backwards. At the first ends of the sliver, a straight line
/// of the slope at the root would exceed the error by a factor of two. The cubic flattens, and its sign is not certain
/// there.
#[test]
fn a_flat_cubic_has_a_wide_sliver() {
    let of = |b: [f64; 4]| Cubic { b, error: 0.098, piece_error: 0.098, size: 1.0 };
    let (rising, falling) = (of([-0.1, -0.1, -0.1, 1.0]), of([1.0, -0.1, -0.1, -0.1]));
    let (lo, _, _) = sliver(&rising, (0.0, 1.0), Ordering::Greater).unwrap();
    let (_, hi, _) = sliver(&falling, (0.0, 1.0), Ordering::Less).unwrap();
    // The root of 1.1 s³ - 0.002.
    let earliest = (0.002_f64 / 1.1).cbrt();
    assert!(lo <= earliest && hi >= 1.0 - earliest, "{lo} {hi}, {earliest}");
}

/// A vertex that starts on a triangle up to the last bits, so that the root is near 1e-17. There an ulp is so small
/// that the rounding of the value, in numbers of 106 bits, is a thousand of them: the bracket must have room for it.
#[test]
fn a_bracket_has_room_for_the_rounding_of_the_value() {
    let mut state = 19;
    let mut found = 0;
    for _ in 0..2000 {
        let (mut t0, t1) = ([0; 4].map(|_| point(&mut state)), [0; 4].map(|_| point(&mut state)));
        t0[0] = t0[1] * 0.375 + t0[2] * 0.25 + t0[3] * 0.375;
        let q = VertexFace { t0, t1 };
        let value = |t: &RBig| {
            let [a, b, c] = [VertexFace::NORMAL.0, VertexFace::NORMAL.1, VertexFace::THIRD]
                .map(|index| difference(&q, index, t));
            dot(&c, &cross(&a, &b))
        };
        let (start, short) = (value(&RBig::ZERO), rational(1e-15));
        // The root of the line through both values: the cubic bends by 1e-30 in between.
        let slope = (value(&short) - &start) / &short;
        if slope == RBig::ZERO {
            continue;
        }
        let guess = (-start / slope).to_f64().value();
        let (cubic, _) = Cubic::new::<VertexFace>(&Differences::new(&q, 1.0));
        if !(1e-19..1e-15).contains(&guess) {
            continue;
        }
        let Some(Bracket { lo, hi }) = refine(&q, 1.0, &cubic, (0.0, 1e-15, guess)) else { continue };
        let (first, last) = (value(&rational(lo)).cmp(&RBig::ZERO), value(&rational(hi)).cmp(&RBig::ZERO));
        assert!(first != last || first.is_eq(), "{t0:?} {t1:?}: no root in {lo:e}..{hi:e}");
        found += 1;
    }
    assert!(found > 300, "{found}");
}

/// Roundings rarely add up: a search for bad cases found 4.9 of 39 units for the coefficients after six halvings, and
/// 5.1 of 30 for those with a time before 1. Samples do not detect an error bound that is too small by a few units, so
/// the test compares the counts of the header with the bounds in use. All sizes here are powers of two.
#[test]
fn errors_are_those_that_the_header_counts() {
    // The vertex at the origin and the corners at distance 1 from it along the axes and the diagonal: only signs and
    // halves.
    let t0 = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE];
    let t1 = [DVec3::ZERO, -DVec3::X, DVec3::Y, DVec3::new(1.0, 0.5, -1.0)];
    let q = VertexFace { t0, t1 };
    // |X| |Y| is 1 across z, so P is that times the 1 of the third difference, and S of the second face is 1 in z and
    // in x.
    for (t_max, inputs) in [(1.0, 1.0), (0.5, 6.0)] {
        let ends = Differences::new(&q, t_max);
        let (cubic, normal) = Cubic::new::<VertexFace>(&ends);
        assert_eq!(cubic.size, 1.0);
        assert!(cubic.error >= (3.0 * inputs + 12.0) * U, "{t_max}: {:e}", cubic.error);
        assert!(cubic.piece_error >= (3.0 * inputs + 12.0 + 24.0) * U, "{t_max}: {:e}", cubic.piece_error);
        let faces = Faces::new::<VertexFace>(&ends, normal);
        assert!(faces.error[0].z >= (2.0 * inputs + 14.0) * U, "{t_max}: {:e}", faces.error[0].z);
        assert!(faces.error[1].z >= (2.0 * inputs + 14.0) * U, "{t_max}: {:e}", faces.error[1].z);
        assert!(faces.error[1].x >= (2.0 * inputs + 14.0) * U, "{t_max}: {:e}", faces.error[1].x);
    }
}
