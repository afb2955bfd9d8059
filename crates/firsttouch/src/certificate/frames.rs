//! The frames of a statement, evaluated in f64: maps at an instant, and the bounds that a verifier computes.
//!
//! A chain of steps maps `y` to `x` with `|x| <= N |y| + P`, `|x'| <= N₁ |y| + N |y'| + P₁` and `|x''| <= N₂ |y| + 2
//! N₁ |y'| + N |y''| + P₂`. These compose, so a chain has six numbers over a window, for all points in it.
//! Derivatives are by the time of the window, from 0 to 1.

use glam::{DMat3, DVec3, DVec4};
use smallvec::SmallVec;

use super::statement::{Frame, Place, Step};
use crate::motion::PoseAt;
use crate::numerics::portable::tangent;
use crate::numerics::sin_cos;

/// A map `y ↦ L y + p`. It is a pose, unless a step changes shapes.
pub(super) type Map = PoseAt;

/// Bounds of a chain of steps over a window.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChainBounds {
    size: [f64; 3],
    shift: [f64; 3],
    /// The largest distance of a point from the formula: a constant, and a factor of the distance from the origin.
    error: [f64; 2],
}

/// Bounds of the motion over a window of all points within a distance of the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Travel {
    pub(super) distance: f64,
    pub(super) speed: f64,
    pub(super) acceleration: f64,
    pub(super) error: f64,
}

impl ChainBounds {
    const STILL: ChainBounds = ChainBounds { size: [1.0, 0.0, 0.0], shift: [0.0; 3], error: [0.0; 2] };

    /// Returns the bounds of points within `reach` of the origin whose own speed is at most `speed`.
    pub(super) fn travel(&self, reach: f64, speed: f64) -> Travel {
        let ChainBounds { size: [n, n1, n2], shift: [p, p1, p2], error } = *self;
        Travel {
            distance: n * reach + p,
            speed: n1 * reach + n * speed + p1,
            acceleration: n2 * reach + 2.0 * n1 * speed + p2,
            error: error[0] + error[1] * reach,
        }
    }

    /// Returns the bounds with one more step, further out.
    fn within(&self, [a, a1, a2]: [f64; 3], shift: [f64; 3]) -> ChainBounds {
        let apply = |[b, b1, b2]: [f64; 3]| [a * b, a1 * b + a * b1, a2 * b + 2.0 * a1 * b1 + a * b2];
        let moved = apply(self.shift);
        ChainBounds {
            size: apply(self.size),
            shift: [0, 1, 2].map(|k| shift[k] + moved[k]),
            error: self.error,
        }
    }
}

/// A coefficient of a polynomial.
pub(super) trait Coefficient: Copy {
    fn mix(self, other: Self, s: f64) -> Self;
    fn distance(self, other: Self) -> f64;
    fn size(self) -> f64;
}

impl Coefficient for f64 {
    fn mix(self, other: f64, s: f64) -> f64 {
        self * (1.0 - s) + other * s
    }
    fn distance(self, other: f64) -> f64 {
        (self - other).abs()
    }
    fn size(self) -> f64 {
        self.abs()
    }
}

impl Coefficient for DVec3 {
    fn mix(self, other: DVec3, s: f64) -> DVec3 {
        self * (1.0 - s) + other * s
    }
    fn distance(self, other: DVec3) -> f64 {
        (self - other).length()
    }
    fn size(self) -> f64 {
        self.length()
    }
}

impl<const N: usize> Coefficient for [f64; N] {
    fn mix(self, other: [f64; N], s: f64) -> [f64; N] {
        std::array::from_fn(|k| self[k].mix(other[k], s))
    }
    fn distance(self, other: [f64; N]) -> f64 {
        (0..N).map(|k| self[k] - other[k]).map(|d| d * d).sum::<f64>().sqrt()
    }
    fn size(self) -> f64 {
        self.distance([0.0; N])
    }
}

type Row<C> = SmallVec<[C; 4]>;

/// De Casteljau's algorithm: the coefficients on `[0, s]` if `end` is 0, or those on `[s, 1]`.
fn cut<C: Coefficient>(coefficients: &[C], s: f64, end: usize) -> Row<C> {
    let mut row: Row<C> = coefficients.into();
    let mut kept = Row::new();
    while !row.is_empty() {
        kept.push(row[if end == 0 { 0 } else { row.len() - 1 }]);
        for k in 1..row.len() {
            row[k - 1] = row[k - 1].mix(row[k], s);
        }
        row.pop();
    }
    if end == 1 {
        kept.reverse();
    }
    kept
}

fn value<C: Coefficient>(coefficients: &[C], s: f64) -> C {
    match coefficients {
        [one] => *one,
        [a, b] => a.mix(*b, s),
        more => cut(more, s, 1)[0],
    }
}

/// Bounds of a polynomial and its derivatives from `s[0]` to `s[1]`.
fn sizes<C: Coefficient>(coefficients: &[C], s: [f64; 2]) -> [f64; 3] {
    let most = |row: &mut dyn Iterator<Item = f64>| row.fold(0.0, |most, x| if x > most { x } else { most });
    match coefficients {
        [one] => [one.size(), 0.0, 0.0],
        [a, b] => {
            let ends = s.map(|s| a.mix(*b, s));
            [most(&mut ends.into_iter().map(C::size)), ends[1].distance(ends[0]), 0.0]
        }
        more => {
            let row = cut(&cut(more, s[1], 0), s[0] / s[1], 1);
            let degree = (row.len() - 1) as f64;
            // `c − 2 d + e` is twice the distance of `d` from the middle of the others.
            let bend = |w: &[C]| 2.0 * w[0].mix(w[2], 0.5).distance(w[1]);
            [
                most(&mut row.iter().map(|c| c.size())),
                degree * most(&mut row.windows(2).map(|w| w[1].distance(w[0]))),
                degree * (degree - 1.0) * most(&mut row.windows(3).map(bend)),
            ]
        }
    }
}

/// Returns the bounds of a quotient; infinite if the weight may vanish.
fn quotient([p, p1, p2]: [f64; 3], weight: &[f64], s: [f64; 2]) -> [f64; 3] {
    if weight.is_empty() {
        return [p, p1, p2];
    }
    let [_, w1, w2] = sizes(weight, s);
    let least = value(weight, 0.5 * (s[0] + s[1])).abs() - 0.5 * w1;
    if least <= 0.0 {
        return [f64::INFINITY; 3];
    }
    let size = p / least;
    let speed = (p1 + size * w1) / least;
    [size, speed, (p2 + 2.0 * speed * w1 + size * w2) / least]
}

fn matrix(rows: [f64; 9]) -> DMat3 {
    DMat3::from_cols_array(&rows).transpose()
}

impl Step {
    fn at(&self, s: f64) -> Map {
        let turned = |rotation: DMat3| Map { rotation, translation: DVec3::ZERO };
        let moved = |translation: DVec3| Map { rotation: DMat3::IDENTITY, translation };
        match self {
            Step::Pose(Place { rotation, translation }) => {
                Map { rotation: DMat3::from_quat(*rotation), translation: *translation }
            }
            Step::Turn(axis, angle) => {
                let (sine, cosine) = sin_cos(value(angle, s));
                let u = (*axis / axis.abs().max_element()).normalize();
                let along = DMat3::from_cols(u * u.x, u * u.y, u * u.z);
                let aside = DMat3::from_cols(u.cross(DVec3::X), u.cross(DVec3::Y), u.cross(DVec3::Z));
                turned(DMat3::IDENTITY * cosine + aside * sine + along * (1.0 - cosine))
            }
            Step::Along(axis, distance) => {
                moved((*axis / axis.abs().max_element()).normalize() * value(distance, s))
            }
            Step::Tangent(axis, angle, shift) => {
                moved(*axis * (shift * tangent(0.5 * angle * s) / tangent(0.5 * angle)))
            }
            Step::Slide(xyz, weight) if weight.is_empty() => moved(value(xyz, s)),
            Step::Slide(xyz, weight) => moved(value(xyz, s) / value(weight, s)),
            Step::Quat(q) => {
                let [w, x, y, z] = value(q, s);
                turned(DMat3::from_quat(glam::DQuat::from_vec4(DVec4::new(x, y, z, w).normalize())))
            }
            Step::Linear(m, weight) => {
                let weight = if weight.is_empty() { 1.0 } else { value(weight, s) };
                turned(matrix(value(m, s)) * (1.0 / weight))
            }
        }
    }

    fn sizes(&self, s: [f64; 2]) -> [[f64; 3]; 2] {
        let (kept, still) = ([1.0, 0.0, 0.0], [0.0; 3]);
        let turning = |speed: f64, change: f64| [1.0, speed, speed * speed + change];
        match self {
            Step::Pose(place) => [kept, [place.translation.length(), 0.0, 0.0]],
            Step::Turn(_, angle) => {
                let [_, speed, change] = sizes(angle, s);
                [turning(speed, change), still]
            }
            Step::Along(_, distance) => [kept, sizes(distance, s)],
            Step::Tangent(_, angle, shift) => {
                // All derivatives grow with time.
                let (width, x) = (s[1] - s[0], 0.5 * angle * s[1]);
                let scale = shift.abs() / tangent(0.5 * angle);
                let cosine = sin_cos(x).1;
                let speed = 0.5 * angle * scale / (cosine * cosine);
                [kept, [scale * tangent(x), speed * width, angle * tangent(x) * speed * width * width]]
            }
            Step::Slide(xyz, weight) => [kept, quotient(sizes(xyz, s), weight, s)],
            Step::Quat(q) => {
                let [_, q1, q2] = sizes(q, s);
                let least = value(q, 0.5 * (s[0] + s[1])).size() - 0.5 * q1;
                if least <= 0.0 {
                    return [[1.0, f64::INFINITY, f64::INFINITY], still];
                }
                let speed = 2.0 * q1 / least;
                [turning(speed, 2.0 * q2 / least + 0.5 * speed * speed), still]
            }
            Step::Linear(m, weight) => [quotient(sizes(m, s), weight, s), still],
        }
    }
}

/// Returns the frames from one to another that it is in, the outermost first.
pub(super) fn chain(frames: &[Frame], frame: Option<usize>, base: Option<usize>) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut at = frame;
    while at != base {
        let Some(inner) = at else { break };
        chain.push(inner);
        at = frames[inner].parent;
    }
    chain.reverse();
    chain
}

/// Returns the innermost frame that two frames are in.
pub(super) fn common(frames: &[Frame], a: Option<usize>, b: Option<usize>) -> Option<usize> {
    // A frame comes after the one that it is in.
    let (mut a, mut b) = (a, b);
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        *later = frames[(*later)?].parent;
    }
    a
}

impl Frame {
    /// Returns the steps of the move that a window is in, and its ends in the time of that move.
    fn during(&self, window: [f64; 2]) -> (&[Step], [f64; 2]) {
        let middle = 0.5 * (window[0] + window[1]);
        let k = self.moves.iter().position(|(until, _)| middle < *until).unwrap_or(self.moves.len() - 1);
        let start = if k == 0 { 0.0 } else { self.moves[k - 1].0 };
        let (until, steps) = &self.moves[k];
        (steps, window.map(|t| (t - start) / (until - start)))
    }
}

/// Returns the map of a chain at one end of a window.
pub(super) fn map(frames: &[Frame], chain: &[usize], window: [f64; 2], end: usize) -> Map {
    let mut map = Map { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };
    for &frame in chain {
        let (steps, s) = frames[frame].during(window);
        for step in steps {
            let inner = step.at(s[end]);
            let translation = map.apply(inner.translation);
            map = Map { rotation: map.rotation * inner.rotation, translation };
        }
    }
    map
}

/// Returns the bounds of a chain over a window.
pub(super) fn bounds(frames: &[Frame], chain: &[usize], window: [f64; 2]) -> ChainBounds {
    let mut all = ChainBounds::STILL;
    for &frame in chain.iter().rev() {
        let [turned, moved] = frames[frame].within;
        let (steps, s) = frames[frame].during(window);
        let (inner, mut outside) = (all, 1.0);
        for step in steps.iter().rev() {
            let [size, shift] = step.sizes(s);
            outside *= size[0];
            all = all.within(size, shift);
        }
        let [constant, per_distance] = inner.error;
        all.error = [
            moved + turned * (inner.shift[0] + constant) + outside * constant,
            turned * (inner.size[0] + per_distance) + outside * per_distance,
        ];
    }
    all
}
