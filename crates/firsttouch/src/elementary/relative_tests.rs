//! Every pair proven free here is free by exact arithmetic, and most free pairs are proven.

use super::super::{EdgeEdge, VertexFace, exact};
use super::*;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / 2f64.powi(53)
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }

    /// Returns random points, with one end made smaller. At each time the points are those of the unchanged query at
    /// another time, up to a factor, so the same number of queries touch. In every third query each point has its own
    /// size. Half of the queries with a contact are aimed: the first point meets the line through the next two.
    fn query(&mut self, round: usize) -> [[DVec3; 4]; 2] {
        let mut ends = [0; 2].map(|_| [0; 4].map(|_| self.point()));
        if round % 4 == 1 {
            let [t0, t1] = &mut ends;
            let (s, t) = (self.unit(), 0.1 + 0.8 * self.unit());
            let (c, d) = (t0[1].lerp(t1[1], t), t0[2].lerp(t1[2], t));
            t1[0] = t0[0] + (c.lerp(d, s) - t0[0]) / t;
        }
        let small = 10f64.powi(-7 - (self.unit() * 40.0) as i32);
        ends[1] = ends[1].map(|p| p * small);
        if round.is_multiple_of(3) {
            for p in ends.as_flattened_mut() {
                *p *= 10f64.powi(-(self.unit() * 20.0) as i32);
            }
        }
        if round.is_multiple_of(2) {
            ends.reverse();
        }
        ends
    }
}

/// Returns the numbers of queries that touch, are free, and are proven free.
fn compare<P: Pair>() -> [usize; 3] {
    let mut random = Random(29);
    let mut counts = [0; 3];
    for round in 0..20_000 {
        let [t0, t1] = random.query(round);
        let q = P::new(t0, t1);
        let touches = exact::first_contact(&q, 1.0).is_some();
        let proven = is_free(&q);
        assert!(!(touches && proven), "{t0:?} {t1:?}");
        counts[usize::from(!touches)] += 1;
        counts[2] += usize::from(proven);
    }
    counts
}

#[test]
fn what_is_proven_free_is_free() {
    let [touch, free, proven] = compare::<VertexFace>();
    assert!(touch > 1_500 && proven > free / 2, "{touch} {free} {proven}");
    let [touch, free, proven] = compare::<EdgeEdge>();
    assert!(touch > 3_000 && proven > free / 2, "{touch} {free} {proven}");
}

/// The vertex reaches the triangle at the very end, or leaves it at the very start, where all differences are small.
/// The exact coefficient of that end is zero, but the computed one is not.
#[test]
fn a_contact_at_the_very_end_is_not_missed() {
    let mut random = Random(37);
    let mut rounded = 0;
    for round in 0..4_000 {
        let small = 2f64.powi(-60 - (random.unit() * 40.0) as i32);
        let mut corner = || DVec3::from_array([0; 3].map(|_| (random.unit() * 2f64.powi(40)).floor() * 4.0));
        let [a, b, c] = [corner(), corner(), corner()];
        let inside = (a + b + c * 2.0) / 4.0;
        let near = [inside, a, b, c].map(|p| p * small);
        let far = [0; 4].map(|_| random.point());
        let [t0, t1] = if round % 2 == 0 { [near, far] } else { [far, near] };
        let q = VertexFace { t0, t1 };
        assert!(exact::first_contact(&q, 1.0).is_some());
        assert!(!is_free(&q), "{t0:?} {t1:?}");
        rounded += usize::from(cubic([&near, &near])[0].value != 0.0);
    }
    assert!(rounded > 2_000, "{rounded}");
}

/// The coefficients against exact ones, with errors relative to their sizes: the part of the bound that the errors
/// reach.
#[test]
fn coefficients_are_within_their_errors() {
    use dashu_ratio::RBig;
    let rational = |x: f64| RBig::try_from(x).unwrap();
    let mut random = Random(31);
    let mut differs = 0;
    for round in 0..3_000 {
        let [t0, t1] = random.query(round);
        let got = powers(cubic([&t0, &t1]), round % 5 < 2);
        // Three columns p_i − p_0, each with its value at the nearer end and its slope away from it.
        let (near, far) = if round % 5 < 2 { (&t1, &t0) } else { (&t0, &t1) };
        let column = |i: usize, k: usize| {
            let value = rational(near[i][k]) - rational(near[0][k]);
            let slope = rational(far[i][k]) - rational(far[0][k]) - &value;
            [value, slope]
        };
        let mut exact = [0; 4].map(|_| RBig::ZERO);
        for (x, y, z, sign) in
            [(0, 1, 2, 1), (1, 2, 0, 1), (2, 0, 1, 1), (0, 2, 1, -1), (2, 1, 0, -1), (1, 0, 2, -1)]
        {
            let (a, b, c) = (column(1, x), column(2, y), column(3, z));
            for n in 0..8usize {
                let (i, j, k) = (n & 1, n >> 1 & 1, n >> 2);
                exact[i + j + k] += &a[i] * &b[j] * &c[k] * RBig::from(sign);
            }
        }
        let mut check = |got: &Rough, exact: &[RBig]| {
            for (i, exact) in exact.iter().enumerate() {
                let off = rational(got.c[i]) - exact;
                differs += usize::from(off != RBig::ZERO);
                let off = if off < RBig::ZERO { -off } else { off };
                assert!(off <= rational(got.error[i]), "{i} {got:?} {exact}");
            }
        };
        check(&got, &exact);
        // Component 2 of the first face, (p_1 − p_0) × (p_2 − p_0).
        let mut exact = [0; 3].map(|_| RBig::ZERO);
        for (x, y, sign) in [(0, 1, 1), (1, 0, -1)] {
            let (a, b) = (column(1, x), column(2, y));
            for n in 0..4usize {
                let (i, j) = (n & 1, n >> 1);
                exact[i + j] += &a[i] * &b[j] * RBig::from(sign);
            }
        }
        check(&face_powers(&face::<VertexFace>([&t0, &t1], 0), 2, round % 5 < 2), &exact);
    }
    assert!(differs > 9_000, "{differs}");
}
