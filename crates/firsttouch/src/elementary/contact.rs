//! The description of a touch: points, parameters and normal at the reported time.
//!
//! **Problem.** Return a contact point, feasible parameters and a finite unit normal for every touch, even a degenerate
//! one.
//!
//! 1. Compute the positions at `toi` in `f64`, and the closest points of the two features at that time.
//! 2. Compute the normal of the plane of the touch, from directions scaled to unit size first, so that no operation
//!    overflows or underflows.
//! 3. Orient it from the first feature to the second, see [`super::Contact::normal`].
//! 4. [`place`] computes both touching points and an upper bound of the gap, for callers that report them.
//!
//! **Guarantee.** Parameters lie in their range, the normal is finite and of unit length, the gap is an upper bound of
//! the exact distance of the features at `toi`. Points are rounded positions; they do not affect the decision or the
//! time.
//!
//! Rounding of the gap, u = 2^-53. The parameters name a point of each feature exactly, except that the sum of the
//! weights is 1 only up to 3u: divided by their sum they are exact. The vector between the two points is a sum of
//! differences of vertices, each times a weight of at most 1. With m the larger magnitude of a difference at its two
//! ends, it is off by 6u m at `toi` (see `coplanarity`), its product with the weight by u m more, two sums 2u. So the
//! vector is off by 9u M in each component, with M the sum of all weight times m; [`GAP`] has 16. Its length is off by
//! a relative 8u, including the sum of the weights. If this bound is larger than the caller wants, the vector is
//! computed in double-double arithmetic: 56u² m for a difference at `toi` (see `coplanarity::refine`), 8u² for the
//! product, 16u² for each of two sums, so 96u² M; [`CAREFUL_GAP`] has 512. If that is still too large, it is computed
//! for refined parameters ([`closer`]). These also name points of the features: each is in its range, and weights that
//! were divided by their sum add up to 1 up to 3u.

use glam::DVec3;

use crate::numerics::bound::largest_upper;
use crate::numerics::double_double::DoubleDouble;
use crate::numerics::located::Bracket;
use crate::numerics::rounding::{TINY, UNIT};

use super::Contact;
use super::closest::{Closest, segment_segment, vertex_triangle};
use super::pair::Pair;

/// The length of the cross product of two unit directions below which they count as parallel: a shorter product is
/// mostly rounding.
const PARALLEL: f64 = 1e-14;

/// The rounding of the vector between the touching points; see the header.
const GAP: f64 = 16.0 * UNIT;
/// The same in double-double arithmetic.
const CAREFUL_GAP: f64 = 512.0 * UNIT * UNIT;
/// More than the error of products of double-double numbers that underflow.
const TINY_PRODUCTS: f64 = 1e-260;

/// Returns the description of a touch whose first time lies in the bracket.
pub(crate) fn describe<P: Pair>(q: &P, bracket: Bracket) -> Contact {
    let toi = bracket.lo;
    let p = positions(q, toi);
    let touching = scaled_closest_points::<P>(&p);
    let (directions, weights) = if P::SPLIT == 1 {
        let [w0, w1, w2] = touching.parameters;
        ([p[2] - p[1], p[3] - p[1], p[3] - p[2]], [1.0, -w0, -w1, -w2])
    } else {
        let [s, r, _] = touching.parameters;
        ([p[1] - p[0], p[3] - p[2], DVec3::ZERO], [1.0 - s, s, r - 1.0, -r])
    };
    // The first touching point minus the second, as a fixed combination of the four points: its velocity and its
    // start.
    let combine = |points: [DVec3; 4]| {
        points[0] * weights[0] + points[1] * weights[1] + points[2] * weights[2] + points[3] * weights[3]
    };
    let (t0, t1) = (q.t0(), q.t1());
    let velocity = combine([t1[0] - t0[0], t1[1] - t0[1], t1[2] - t0[2], t1[3] - t0[3]]);
    // Relative to one of the points, so that a far offset does not swamp the difference.
    let start = combine([t0[0] - t0[3], t0[1] - t0[3], t0[2] - t0[3], DVec3::ZERO]);
    let point = touching.a + (touching.b - touching.a) * 0.5;
    Contact {
        toi,
        toi_upper: bracket.hi,
        point,
        parameters: touching.parameters,
        normal: normal(directions, velocity, start),
    }
}

/// The touching points of two features, and a bound of their distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placed {
    /// On the first feature and on the second, rounded.
    pub(crate) points: [DVec3; 2],
    /// An upper bound of the exact distance of the features.
    pub(crate) gap: f64,
}

/// Returns the points given by the parameters of a contact at time `t`. A gap of at most `wanted` is not refined
/// further.
pub(crate) fn place<P: Pair>(q: &P, t: f64, parameters: [f64; 3], wanted: f64) -> Placed {
    let sum = Combination::new::<P>(parameters);
    let (t0, t1) = (q.t0(), q.t1());
    let mut between = DVec3::ZERO;
    for ((i, j), weight) in sum.differences.into_iter().zip(sum.weights) {
        let (start, end) = (t0[i] - t0[j], t1[i] - t1[j]);
        between += (start + (end - start) * t) * weight;
    }
    let gap = length_upper(between) + GAP * sum.extent(q) + TINY;
    if gap <= wanted {
        let p = positions(q, t);
        let points = if P::SPLIT == 1 {
            let [w0, w1, w2] = parameters;
            [p[0], p[1] * w0 + p[2] * w1 + p[3] * w2]
        } else {
            let [s, r, _] = parameters;
            [p[0] + (p[1] - p[0]) * s, p[2] + (p[3] - p[2]) * r]
        };
        return Placed { points, gap };
    }
    // The vertices move far in one step, or the tolerance is close to the rounding of the coordinates.
    let (mut placed, between) = place_carefully(q, t, parameters);
    if placed.gap > wanted
        && let Some(closer) = closer::<P>(&positions(q, t), parameters, between)
    {
        let (again, _) = place_carefully(q, t, closer);
        if again.gap < placed.gap {
            placed = again;
        }
    }
    Placed { gap: if placed.gap <= gap { placed.gap } else { gap }, ..placed }
}

/// Returns parameters with which the second touching point is closer to the first, from the vector between the points
/// of the given parameters. The given parameters are off by more than their rounding if edges are nearly parallel or a
/// face is narrow. This is one step of iterative refinement. Returns `None` if the features are too small or too narrow
/// for it.
fn closer<P: Pair>(p: &[DVec3; 4], [s, r, w]: [f64; 3], between: DVec3) -> Option<[f64; 3]> {
    if P::SPLIT == 2 {
        let edge = p[3] - p[2];
        let nearest = r - between.dot(edge) / edge.length_squared();
        return nearest.is_finite().then(|| [s, nearest.clamp(0.0, 1.0), 0.0]);
    }
    let (e, f) = (p[2] - p[1], p[3] - p[1]);
    let n = e.cross(f);
    let area = n.length_squared();
    let (r, w) = (r - between.cross(f).dot(n) / area, w - e.cross(between).dot(n) / area);
    // Near the border of the face, rounding may put a weight out of its range.
    let weights = [(1.0 - r) - w, r, w].map(|x| if x > 0.0 { x } else { 0.0 });
    let sum = weights[0] + weights[1] + weights[2];
    (sum > 0.5 && sum < 2.0).then(|| weights.map(|x| x / sum))
}

/// Returns the points and their gap, computed in double-double arithmetic, and the vector from the first to the second.
fn place_carefully<P: Pair>(q: &P, t: f64, parameters: [f64; 3]) -> (Placed, DVec3) {
    let sum = Combination::new::<P>(parameters);
    let (t0, t1) = (q.t0(), q.t1());
    let at = |start: DoubleDouble, end: DoubleDouble| start.plus(end.minus(start).scaled(t));
    let difference = |(i, j): (usize, usize), k: usize| {
        at(DoubleDouble::difference(t0[i][k], t0[j][k]), DoubleDouble::difference(t1[i][k], t1[j][k]))
    };
    let mut points = [DVec3::ZERO; 2];
    let mut between = DVec3::ZERO;
    for k in 0..3 {
        let [x, y, z] = [0, 1, 2].map(|n| difference(sum.differences[n], k).scaled(sum.weights[n]));
        let apart = x.plus(y).plus(z);
        let mut first = at(t0[0][k].into(), t1[0][k].into());
        if P::SPLIT == 2 {
            first = first.plus(difference((1, 0), k).scaled(parameters[0]));
        }
        between[k] = apart.high;
        points[0][k] = first.high;
        points[1][k] = first.plus(apart).high;
    }
    let gap = length_upper(between) + CAREFUL_GAP * sum.extent(q) + TINY_PRODUCTS;
    (Placed { points, gap }, between)
}

/// The vector from the first touching point to the second: differences of vertices `points[i] − points[j]`, each
/// times a weight.
struct Combination {
    differences: [(usize, usize); 3],
    weights: [f64; 3],
}

impl Combination {
    #[inline]
    fn new<P: Pair>([s, r, w]: [f64; 3]) -> Combination {
        if P::SPLIT == 1 {
            Combination { differences: [(1, 0), (2, 0), (3, 0)], weights: [s, r, w] }
        } else {
            Combination { differences: [(2, 0), (3, 2), (1, 0)], weights: [1.0, r, -s] }
        }
    }

    /// Returns the sum of the components of M (see the header).
    #[inline]
    fn extent<P: Pair>(&self, q: &P) -> f64 {
        let (t0, t1) = (q.t0(), q.t1());
        let mut size = DVec3::ZERO;
        for ((i, j), weight) in self.differences.into_iter().zip(self.weights) {
            size += (t0[i] - t0[j]).abs().max((t1[i] - t1[j]).abs()) * weight.abs();
        }
        size.element_sum()
    }
}

/// Returns an upper bound of the length, including the rounding of the sum of weights (see the header).
fn length_upper(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    // If squares underflow, the sum of the components is an upper bound that needs no squares.
    let length = if largest > 1e-140 { v.length() } else { v.abs().element_sum() };
    length * (1.0 + 8.0 * f64::EPSILON)
}

/// Returns the four points at time `t`.
#[inline]
pub(crate) fn positions<P: Pair>(q: &P, t: f64) -> [DVec3; 4] {
    let (t0, t1) = (q.t0(), q.t1());
    if t == 1.0 {
        return *t1;
    }
    // Written out, because `map` is a call.
    let at = |i: usize| t0[i] + (t1[i] - t0[i]) * t;
    [at(0), at(1), at(2), at(3)]
}

/// Returns the closest points of the two features.
#[inline]
pub(crate) fn closest_points<P: Pair>(p: &[DVec3; 4]) -> Closest {
    if P::SPLIT == 1 {
        vertex_triangle(p[0], [p[1], p[2], p[3]])
    } else {
        segment_segment([p[0], p[1]], [p[2], p[3]])
    }
}

/// Returns the closest points, computed at unit size: products of coordinates of 1e-90 would underflow.
fn scaled_closest_points<P: Pair>(p: &[DVec3; 4]) -> Closest {
    let unit = UnitSize::new(p);
    let found = closest_points::<P>(&p.map(|point| point * unit.down));
    Closest { a: found.a * unit.up, b: found.b * unit.up, ..found }
}

/// The power of two that scales points to unit size, and the one that scales them back. Both are exact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitSize {
    pub(crate) down: f64,
    pub(crate) up: f64,
}

impl UnitSize {
    pub(crate) fn new<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> UnitSize {
        let largest = largest_upper(points.into_iter().flat_map(|point| point.abs().to_array()));
        // The clamp keeps both powers in the range of f64; subnormal numbers become about 1e-22.
        let exponent = ((largest.to_bits() >> 52) as i64 - 1023).clamp(-1000, 1000);
        let power = |k: i64| f64::from_bits(((1023 + k) as u64) << 52);
        UnitSize { down: power(-exponent), up: power(exponent) }
    }
}

fn normal(directions: [DVec3; 3], velocity: DVec3, start: DVec3) -> DVec3 {
    let edges = directions.map(unit);
    let plane = unit_above(edges[0].cross(edges[1]), PARALLEL)
        .or_else(|| unit_above(edges[0].cross(edges[2]), PARALLEL))
        .or_else(|| unit_above(edges[1].cross(edges[2]), PARALLEL));
    if let Some(n) = plane {
        let along = n.dot(unit(velocity));
        let ahead = if along.abs() > PARALLEL { along } else { -n.dot(start) };
        return if ahead < 0.0 { -n } else { n };
    }
    let speed = unit(velocity);
    let mut longest = 0;
    for i in 1..3 {
        if directions[i].abs().max_element() > directions[longest].abs().max_element() {
            longest = i;
        }
    }
    let edge = edges[longest];
    if edge != DVec3::ZERO {
        return unit_above(speed - edge * edge.dot(speed), PARALLEL)
            .unwrap_or_else(|| edge.any_orthonormal_vector());
    }
    if speed != DVec3::ZERO { speed } else { DVec3::Z }
}

/// Returns the direction of `v`; zero if `v` is zero or not finite.
fn unit(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() {
        // The reciprocal of a subnormal component is infinite, so divide instead.
        let scaled = v / largest;
        scaled / scaled.length()
    } else {
        DVec3::ZERO
    }
}

fn unit_above(v: DVec3, least: f64) -> Option<DVec3> {
    let length = v.length();
    (length > least).then(|| v / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elementary::{EdgeEdge, Limits, Verdict, VertexFace, edge_edge, vertex_face};
    use glam::dvec3;

    /// Edges that touch at an angle of 1.5e-4 near one end of both. The exact distance at that time is 5e-29; the
    /// parameters of the closest points are off by 1e-14, and the points of these parameters were 6e-14 apart.
    #[test]
    fn the_points_of_nearly_parallel_edges_are_close() {
        let end = dvec3(0.43251472549171854, 0.49634169341213474, 0.9437477103993503);
        let pair = EdgeEdge::new(
            [
                dvec3(0.1614591555313909, -0.22198305929282314, -0.7497389759365523),
                dvec3(-3.0000000000000004, 3.0, -3.0),
                dvec3(0.06951213731351746, -0.6891731616265739, 0.1608304275368353),
                dvec3(-3.0, 3.0, -3.0),
            ],
            [
                dvec3(-0.44088263204688904, 0.9593206736781241, -0.17310313414433853),
                end,
                dvec3(-1.0, 3.0, -3.0),
                end,
            ],
        )
        .unwrap();
        let Verdict::Touch(touch) = edge_edge(&pair, &Limits::default()).outcome else {
            panic!("they touch")
        };
        let placed = place(&pair, touch.toi, touch.parameters, 1e-14);
        assert!(placed.gap < 1e-15, "{placed:?}");
        assert!(placed.points[0].distance(placed.points[1]) < 2e-15, "{placed:?}");
        // A gap that is small enough is not refined.
        let loose = place(&pair, touch.toi, touch.parameters, 1e-6);
        assert!(loose.gap > 1e-14 && loose.gap < 1e-12, "{loose:?}");
    }

    /// A vertex on a narrow face. The points of the closest points' parameters were 6e-14 apart.
    #[test]
    fn the_points_of_a_vertex_on_a_narrow_face_are_close() {
        let pair = VertexFace::new(
            [
                dvec3(0.0, 4.0, -3.0),
                dvec3(-1.0, -2.0, -1.0),
                dvec3(-0.08200378572235434, -0.5795678806873261, -0.8701941872475432),
                dvec3(4.0, 3.0, 4.0),
            ],
            [
                dvec3(3.0742272485908657, -0.7066979817970385, 3.6146276633620467),
                dvec3(-3.0, 0.0, -3.0),
                dvec3(0.7371169166685503, 0.8851050230737869, 0.35684282245461674),
                dvec3(0.9348899725042101, -0.08874522060784162, -0.23957768932534051),
            ],
        )
        .unwrap();
        let Verdict::Touch(touch) = vertex_face(&pair, &Limits::default()).outcome else {
            panic!("they touch")
        };
        let placed = place(&pair, touch.toi, touch.parameters, 1e-14);
        assert!(placed.gap < 1e-14, "{placed:?}");
        assert!(placed.points[0].distance(placed.points[1]) < 1e-14, "{placed:?}");
    }
}
