//! The stages in `f64` against the exact one where their error bounds matter: contacts by construction, all sizes,
//! short times.

use super::*;
use crate::numerics::located::Bracket;
use dashu_ratio::RBig;
use glam::dvec3;

fn rational(x: f64) -> RBig {
    RBig::try_from(x).unwrap()
}

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / 2f64.powi(53)
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * 2.0
    }

    /// Returns a point on a small grid, so that boxes, planes and edges touch exactly.
    fn on_grid(&mut self) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| (self.unit() * 4.0).floor()))
    }
}

/// Checks that the earlier stages do not contradict the exact one.
fn agrees<P: Pair>(q: &P, t_max: f64) -> (bool, Stage) {
    let decision = decide(q, &Limits { t_end: t_max, ..Limits::default() });
    let exact = exact::first_contact(q, t_max);
    match (decision.outcome, exact) {
        (Verdict::Free, None) => (false, decision.stage),
        (Verdict::Touch(c), Some(Bracket { lo, hi })) => {
            assert!(c.toi <= hi && lo <= c.toi_upper, "{:?} {:?}: {c:?}, exactly {lo}..{hi}", q.t0(), q.t1());
            (true, decision.stage)
        }
        (got, exact) => panic!("{:?} {:?} up to {t_max}: {got:?}, exactly {exact:?}", q.t0(), q.t1()),
    }
}

/// Integer coordinates: boxes that only touch, contacts at corners and edges, at the start and at the end.
#[test]
fn queries_on_a_grid_agree_with_the_exact_stage() {
    let mut random = Random(3);
    let (mut touches, mut by_axes) = (0, 0);
    for round in 0..15_000 {
        let (t0, t1) = ([0; 4].map(|_| random.on_grid()), [0; 4].map(|_| random.on_grid()));
        let t_max = if round % 3 == 0 { 0.5 } else { 1.0 };
        let results = [agrees(&VertexFace { t0, t1 }, t_max), agrees(&EdgeEdge { t0, t1 }, t_max)];
        touches += results.iter().filter(|r| r.0).count();
        by_axes += results.iter().filter(|r| r.1 == Stage::Axes).count();
    }
    assert!(touches > 3000 && by_axes > 3000, "{touches} touch, {by_axes} are apart along an axis");
}

/// A vertex that is aimed at a point of the triangle, inside or on its border, and hits it up to rounding; two edges in
/// the same way. At every size the decision depends on the last bits.
#[test]
fn aimed_queries_of_all_sizes_agree_with_the_exact_stage() {
    let mut random = Random(7);
    let (mut touches, mut stages) = (0, [0; 4]);
    for round in 0..20_000 {
        let mut t0 = [0; 4].map(|_| random.point());
        let mut t1 = [0; 4].map(|_| random.point());
        let t = if round % 5 == 0 { 1.0 } else { 0.1 + 0.9 * random.unit() };
        let at = |a: DVec3, b: DVec3| a + (b - a) * t;
        let u = [0.0, 1.0, 0.5, random.unit()][round % 4];
        // The distance of the miss, beyond rounding.
        let miss = random.point() * [0.0, 0.0, 1e-15, 1e-13, 1e-9, 1e-3, 0.3][round / 3 % 7];
        if round % 2 == 0 {
            // Onto the side from corner 1 to corner 2, or inside.
            let v = if round % 3 == 0 { random.unit() * (1.0 - u) } else { 0.0 };
            let [a, b, c] = [1, 2, 3].map(|k| at(t0[k], t1[k]));
            let target = a + (b - a) * u + (c - a) * v + miss;
            t1[0] = t0[0] + (target - t0[0]) / t;
        } else {
            // Two edges that meet at u of the first and some place of the second.
            let [a, b, c] = [0, 1, 2].map(|k| at(t0[k], t1[k]));
            let target = a + (b - a) * u + miss;
            let far = c + (target - c) * (1.0 + random.unit());
            t1[3] = t0[3] + (far - t0[3]) / t;
        }
        // Almost flat, or slow, in some rounds.
        if round % 7 == 0 {
            for p in t0.iter_mut().chain(&mut t1) {
                p.z *= 1e-13;
            }
        }
        let scale =
            [1.0, 2f64.powi(-350), 1.0, 2f64.powi(-353), 1.0, 2f64.powi(-530), 2f64.powi(150), 1e-110]
                [round / 8 % 8];
        let (t0, t1) = (t0.map(|p| p * scale), t1.map(|p| p * scale));
        let t_max = if round % 11 == 0 { t } else { 1.0 };
        let (touch, stage) = if round % 2 == 0 {
            agrees(&VertexFace { t0, t1 }, t_max)
        } else {
            agrees(&EdgeEdge { t0, t1 }, t_max)
        };
        touches += usize::from(touch);
        stages[stage as usize] += 1;
    }
    assert!((2_000..18_000).contains(&touches), "{touches}");
    assert!(stages[1..].iter().all(|&n| n > 200), "{stages:?}");
}

/// With a separation: a vertex above a face in a plane of constant z. The exact gap at any time is a difference of two
/// linear functions.
#[test]
fn a_vertex_above_a_face_is_never_late_and_its_gap_is_true() {
    let mut random = Random(11);
    let (mut touches, mut undecided) = (0, 0);
    for round in 0..4000 {
        let offset = [0.0, 1e3, 1e6][round % 3] * (0.5 + random.unit());
        let height = |v: f64| offset + v;
        let face = |z: f64| [dvec3(-9.0, -9.0, z), dvec3(9.0, -9.0, z), dvec3(0.0, 9.0, z)];
        let (z0, z1) = (height(random.unit()), height(random.unit()));
        let (w0, w1) = (height(2.0 + random.unit()), height(random.unit() - 0.5));
        let at = |w: f64, z: f64| {
            let [a, b, c] = face(z);
            [dvec3(0.1, 0.2, w), a, b, c]
        };
        let q = VertexFace::new(at(w0, z0), at(w1, z1)).unwrap();
        let separation = 0.25 + random.unit();
        let unit = (offset + 3.0) * f64::EPSILON;
        let tolerance = unit * [0.5, 4.0, 40.0, 1e6][round % 4];
        let limits =
            Limits { min_separation: separation, tolerance, max_iterations: 50, ..Limits::default() };
        let gap = |t: &RBig| {
            let line = |a: f64, b: f64| rational(a) + (rational(b) - rational(a)) * t;
            line(w0, w1) - line(z0, z1)
        };
        let certain = |t: f64| assert!(gap(&rational(t)) >= rational(separation), "{q:?}: late at {t}");
        match vertex_face(&q, &limits).outcome {
            Verdict::Free => certain(1.0),
            Verdict::Undecided { free_until } => {
                certain(free_until);
                undecided += 1;
            }
            Verdict::Touch(contact) => {
                let allowed = rational(separation) + rational(tolerance);
                assert!(gap(&rational(contact.toi)) <= allowed, "{q:?}: {contact:?}");
                if contact.toi > 0.0 {
                    certain(contact.toi);
                }
                touches += 1;
            }
        }
    }
    assert!(touches > 500 && undecided > 500, "{touches} touch, {undecided} are undecided");
}

/// A point that passes through another one at 1/3, where both are at the origin. Along every axis they enter and leave
/// at that time, but the computed times differ by rounding: `x / (x + 2 x)` is rounded twice.
#[test]
fn a_meeting_of_points_is_not_apart_along_the_axes() {
    let mut random = Random(19);
    let mut uneven = 0;
    for _ in 0..3000 {
        let (a, b) = (random.point(), random.point());
        let face = VertexFace { t0: [a, b, b, b], t1: [a, b, b, b].map(|p| p * -2.0) };
        let edges = EdgeEdge { t0: [a, a, b, b], t1: [a, a, b, b].map(|p| p * -2.0) };
        for t_max in [1.0, 1.0 / 3.0, (1.0_f64 / 3.0).next_up()] {
            let is_before = t_max == 1.0 / 3.0;
            // 1/3 rounds down, so it is before the meeting.
            for touch in [agrees(&face, t_max).0, agrees(&edges, t_max).0] {
                assert_eq!(touch, !is_before, "{a} {b} up to {t_max}");
            }
        }
        let time = |x: f64| x / (x + 2.0 * x);
        let d = a - b;
        uneven += usize::from(time(d.x) != time(d.y) || time(d.y) != time(d.z));
    }
    assert!(uneven > 500, "{uneven}");
}

/// A vertex that slides in the plane of the triangle enters it at 1/4 and leaves it at 7/16: the first of these counts.
#[test]
fn a_slide_within_the_plane_touches_when_it_enters() {
    let face = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];
    let at = |x: f64| [dvec3(x, 0.25, 0.0), face[0], face[1], face[2]];
    let q = VertexFace::new(at(-1.0), at(3.0)).unwrap();
    let Verdict::Touch(contact) = vertex_face(&q, &Limits::default()).outcome else { panic!() };
    assert_eq!((contact.toi, contact.toi_upper), (0.25, 0.25));
    // Two edges in a plane: the second passes over the first, from 1/4 to 3/4.
    let at = |y: f64| [dvec3(0.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(-1.0, y, 0.0), dvec3(1.0, y, 0.0)];
    let q = EdgeEdge::new(at(-2.0), at(2.0)).unwrap();
    let Verdict::Touch(contact) = edge_edge(&q, &Limits::default()).outcome else { panic!() };
    assert_eq!((contact.toi, contact.toi_upper), (0.25, 0.25));
}

/// The gap of a touch is at least the distance of the vertex from the plane of the triangle, in exact arithmetic. This
/// holds with a rough bound and with a close one.
#[test]
fn the_gap_of_a_touch_is_not_below_the_distance_from_the_plane() {
    let mut random = Random(23);
    let mut touches = 0;
    for round in 0..3000 {
        let t0 = [0; 4].map(|_| random.point());
        let mut t1 = [0; 4].map(|_| random.point());
        let t = 0.05 + 0.9 * random.unit();
        let at = |k: usize| t0[k] + (t1[k] - t0[k]) * t;
        let target = (at(1) + at(2) + at(3)) / 3.0;
        t1[0] = t0[0] + (target - t0[0]) / t;
        let q = VertexFace { t0, t1 };
        let Verdict::Touch(c) = vertex_face(&q, &Limits::default()).outcome else { continue };
        let wanted = if round % 2 == 0 { 1.0 } else { 0.0 };
        let placed = contact::place(&q, c.toi, c.parameters, wanted);
        let toi = rational(c.toi);
        let now = [0, 1, 2, 3].map(|i| {
            [0, 1, 2].map(|k| rational(t0[i][k]) + (rational(t1[i][k]) - rational(t0[i][k])) * &toi)
        });
        let minus = |i: usize, j: usize| [0, 1, 2].map(|k| &now[i][k] - &now[j][k]);
        let (u, v, w) = (minus(2, 1), minus(3, 1), minus(0, 1));
        let minor = |i: usize, j: usize| &u[i] * &v[j] - &u[j] * &v[i];
        let normal = [minor(1, 2), minor(2, 0), minor(0, 1)];
        let dot = |a: &[RBig; 3], b: &[RBig; 3]| &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2];
        let height = dot(&normal, &w);
        let gap = rational(placed.gap);
        assert!(&gap * &gap * dot(&normal, &normal) >= &height * &height, "{t0:?} {t1:?}: {placed:?}");
        touches += 1;
    }
    assert!(touches > 1000, "{touches}");
}

/// A vertex that is within a few 2^-106 of a triangle at a time, closer than the arithmetic of the gap can tell. The
/// gap must still be an upper bound of the exact distance.
///
/// A coordinate moves from one multiple of 2^-53 to another. For an odd `p`, its places at the time `p / 2^53` are all
/// multiples of 2^-106; the test solves for the two ends.
#[test]
fn a_gap_below_the_rounding_of_the_careful_stage() {
    let mut random = Random(23);
    let (unit, mut smallest) = (2f64.powi(-53), f64::INFINITY);
    for round in 0..3000 {
        let p = (2f64.powi(53) * (0.6 + 0.3 * random.unit())) as i128 | 1;
        let t = p as f64 * unit;
        let corners = [[0; 3].map(|_| random.point() * 0.3), [0; 3].map(|_| random.point() * 0.3)];
        let at = |k: usize, axis: usize| {
            let [start, end] = [rational(corners[0][k][axis]), rational(corners[1][k][axis])];
            &start + (end - &start) * rational(t)
        };
        let weights = [0.375, 0.25, 0.375];
        let target: [RBig; 3] =
            [0, 1, 2].map(|axis| (0..3).fold(RBig::ZERO, |sum, k| sum + rational(weights[k]) * at(k, axis)));
        let edge = |k: usize| [0, 1, 2].map(|axis| at(k, axis) - at(0, axis));
        let (a, b) = (edge(1), edge(2));
        let minor = |i: usize, j: usize| &a[i] * &b[j] - &a[j] * &b[i];
        let normal = [minor(1, 2), minor(2, 0), minor(0, 1)];
        let length = normal.iter().fold(RBig::ZERO, |sum, n| sum + n * n);
        // Beside the triangle by a few units.
        let aside = rational(f64::from(round % 6) * unit * unit / length.to_f64().value().sqrt());
        let (mut v0, mut v1) = (DVec3::ZERO, DVec3::ZERO);
        for axis in 0..3 {
            let wanted = (&target[axis] + &aside * &normal[axis]) / rational(unit * unit);
            let wanted = i128::try_from(wanted.round()).unwrap();
            // i (2^53 - p) + j p = wanted.
            let rest = (1_i128 << 53) - p;
            let i = wanted.rem_euclid(p) * inverse(rest.rem_euclid(p), p) % p;
            let j = (wanted - i * rest) / p;
            (v0[axis], v1[axis]) = (i as f64 * unit, j as f64 * unit);
        }
        let t0 = [v0, corners[0][0], corners[0][1], corners[0][2]];
        let t1 = [v1, corners[1][0], corners[1][1], corners[1][2]];
        let gap = contact::place(&VertexFace { t0, t1 }, t, weights, 0.0).gap;
        let off = [0, 1, 2].map(|axis| {
            let [start, end] = [rational(v0[axis]), rational(v1[axis])];
            &start + (end - &start) * rational(t) - &target[axis]
        });
        // The distance from the plane is that from the triangle: the weights are far from its border.
        let height = (0..3).fold(RBig::ZERO, |sum, k| sum + &off[k] * &normal[k]);
        assert!(
            &height * &height <= rational(gap) * rational(gap) * &length,
            "{t0:?} {t1:?} at {t}: {gap:e}"
        );
        smallest = smallest.min((&height * &height / &length).to_f64().value().sqrt());
    }
    assert!(smallest < 1e-32, "{smallest:e}");
}

/// Returns the inverse of a number modulo another, by Euclid's algorithm.
fn inverse(x: i128, modulus: i128) -> i128 {
    let (mut a, mut b, mut u, mut v) = (x, modulus, 1, 0);
    while b != 0 {
        (a, b, u, v) = (b, a % b, v, u - a / b * v);
    }
    u.rem_euclid(modulus)
}
