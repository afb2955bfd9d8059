//! Signs of values that are mostly rounding, against rational numbers.

use super::*;
use dashu_ratio::RBig;

fn rational(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

fn draw(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / 2f64.powi(52) - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(draw(state), draw(state), draw(state))
}

type Exact = [RBig; 3];

fn exact(v: DVec3) -> Exact {
    v.to_array().map(rational)
}

fn minus(a: &Exact, b: &Exact) -> Exact {
    [0, 1, 2].map(|k| &a[k] - &b[k])
}

fn cross(a: &Exact, b: &Exact) -> Exact {
    let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

fn dot(a: &Exact, b: &Exact) -> RBig {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}

fn sign(x: f64) -> Ordering {
    x.partial_cmp(&0.0).unwrap()
}

/// Points on a line, in a plane, at a right angle, up to the rounding of their coordinates; at all sizes, near the
/// origin and far from it.
#[test]
fn signs_are_exact_where_rounding_decides() {
    let mut state = 3;
    let mut wrong = [0; 4];
    for round in 0..12_000 {
        let scale = [1.0, 2f64.powi(-530), 2f64.powi(-537), 1e-107, 2f64.powi(300)][round % 5];
        let offset = vector(&mut state) * [0.0, 1.0, 100.0][round / 5 % 3];
        let [u, v] = [vector(&mut state), vector(&mut state)];
        let (s, t) = (draw(&mut state), draw(&mut state));
        let place = |p: DVec3| (offset + p) * scale;
        let origin = place(DVec3::ZERO);

        // In a plane.
        let [a, b, c] = [u, v, u * s + v * t].map(place);
        let [p, q, r] = [a, b, c].map(|x| minus(&exact(x), &exact(origin)));
        let truth = dot(&p, &cross(&q, &r)).cmp(&RBig::ZERO);
        assert_eq!(orient3d(a, b, c, origin), truth, "{a} {b} {c} {origin}");
        wrong[0] += usize::from(sign((a - origin).dot((b - origin).cross(c - origin))) != truth);

        // On a line, in the plane of two coordinates.
        let c = place(u * s);
        let r = minus(&exact(c), &exact(origin));
        let truth = cross(&p, &r)[2].cmp(&RBig::ZERO);
        assert_eq!(orient2d(a.truncate(), c.truncate(), origin.truncate()), truth, "{a} {c} {origin}");
        let (d, e) = (a - origin, c - origin);
        wrong[1] += usize::from(sign(d.x * e.y - d.y * e.x) != truth);

        // Parallel segments.
        let [a1, b0, b1] = [u, v, v + u * t].map(place);
        let (da, db) = (minus(&exact(a1), &exact(origin)), minus(&exact(b1), &exact(b0)));
        for (axis, truth) in cross(&da, &db).iter().enumerate() {
            let truth = truth.cmp(&RBig::ZERO);
            assert_eq!(
                cross_of_differences_sign([origin, a1], [b0, b1], axis),
                truth,
                "{a1} {b0} {b1} {origin}"
            );
            let (x, y) = (a1 - origin, b1 - b0);
            wrong[2] += usize::from(sign(x.cross(y)[axis]) != truth);
        }

        // At a right angle.
        let side = u.cross(v);
        let b = place(side);
        let q = minus(&exact(b), &exact(origin));
        let truth = dot(&p, &q).cmp(&RBig::ZERO);
        assert_eq!(dot_sign(a, b, origin), truth, "{a} {b} {origin}");
        wrong[3] += usize::from(sign((a - origin).dot(b - origin)) != truth);
    }
    assert!(wrong.iter().all(|&n| n > 500), "the cases are too easy: {wrong:?}");
}
