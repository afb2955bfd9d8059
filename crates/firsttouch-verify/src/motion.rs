//! Frames that move: their maps at an instant, and bounds of how points in them move over a window.
//!
//! A step maps `y` to `x = L y + p`. With `|L|, |L'|, |L''| <= N, N₁, N₂` and `|p|, |p'|, |p''| <= P, P₁, P₂`,
//! `|x| <= N |y| + P`, `|x'| <= N₁ |y| + N |y'| + P₁` and `|x''| <= N₂ |y| + 2 N₁ |y'| + N |y''| + P₂`.
//!
//! All derivatives are by the time of the window, which runs from 0 at its start to 1 at its end.

use std::collections::HashMap;

use crate::interval::{
    IDENTITY, Interval, Matrix, Vector, exact, length, longest, plus, product, rotation, times, turn, unit,
    up,
};
use crate::json::{Json, Members};

/// A longer chain of frames is refused: following it goes that deep.
const LONGEST_CHAIN: usize = 500;

/// A map `y ↦ L y + p` at an instant.
pub(crate) type Map = (Matrix, Vector);

/// Upper bounds of a quantity and its first two derivatives over a window.
#[derive(Debug, Clone, Copy)]
struct Sizes([f64; 3]);

/// The sizes of something that is constant.
fn constant(size: f64) -> Sizes {
    Sizes([size, 0.0, 0.0])
}

/// A polynomial in Bernstein form. Each coefficient is a list of the same length.
#[derive(Debug, Clone)]
struct Polynomial(Vec<Vec<Interval>>);

impl Polynomial {
    fn of<const N: usize>(value: Json) -> Result<Polynomial, String> {
        let rows: Vec<[f64; N]> = value.rows()?;
        if rows.is_empty() || rows.len() > 33 {
            return Err("a polynomial needs 1 to 33 coefficients".into());
        }
        Ok(Polynomial(rows.into_iter().map(|row| exact(row).to_vec()).collect()))
    }

    /// De Casteljau's algorithm: the coefficients on `[0, s]`, and those on `[s, 1]`.
    fn cut(&self, s: Interval) -> [Polynomial; 2] {
        let mut row = self.0.clone();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        while let (Some(first), Some(last)) = (row.first(), row.last()) {
            before.push(first.clone());
            after.push(last.clone());
            let mix = |a: &Vec<Interval>, b: &Vec<Interval>| {
                a.iter().zip(b).map(|(x, y)| *x * (Interval::ONE - s) + *y * s).collect()
            };
            row = row.windows(2).map(|pair| mix(&pair[0], &pair[1])).collect();
        }
        after.reverse();
        [Polynomial(before), Polynomial(after)]
    }

    fn at(&self, s: Interval) -> Vec<Interval> {
        self.cut(s)[1].0[0].clone()
    }

    /// The polynomial from `s[0]` to `s[1]`.
    fn within(&self, s: [Interval; 2]) -> Polynomial {
        self.cut(s[1])[0].cut(s[0].over(s[1]))[1].clone()
    }

    /// Bounds over `[0, 1]`: those of its coefficients and of their differences.
    fn sizes(&self) -> Sizes {
        let largest = |rows: &[Vec<Interval>]| rows.iter().fold(0.0, |most, row| larger(most, longest(row)));
        let differences = |rows: &[Vec<Interval>]| -> Vec<Vec<Interval>> {
            rows.windows(2).map(|pair| pair[1].iter().zip(&pair[0]).map(|(x, y)| *x - *y).collect()).collect()
        };
        let (first, degree) = (differences(&self.0), (self.0.len() - 1) as f64);
        let second = differences(&first);
        let slower = up(degree * (degree - 1.0) * largest(&second));
        Sizes([largest(&self.0), up(degree * largest(&first)), slower])
    }

    /// A lower bound of its length over `[0, 1]`: that in the middle, less half of the largest derivative.
    fn shortest(&self) -> f64 {
        let Sizes([_, speed, _]) = self.sizes();
        let middle = length(&self.at(Interval::of(0.5))) - Interval::of(0.5) * Interval::of(speed);
        middle.lo
    }
}

/// The larger number; NaN if one of them is none.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// An upper bound of a sum of products of numbers that are not negative. A NaN in any factor makes it NaN.
pub(crate) fn sum_up(products: &[&[f64]]) -> f64 {
    let product = |factors: &[f64]| match factors.contains(&0.0) {
        true => factors.iter().find(|factor| factor.is_nan()).copied().unwrap_or(0.0),
        false => factors.iter().fold(1.0, |product, factor| up(product * factor)),
    };
    let add = |sum: f64, factors: &&[f64]| match product(factors) {
        0.0 => sum,
        more => up(sum + more),
    };
    products.iter().fold(0.0, add)
}

/// One map of a move.
#[derive(Debug, Clone)]
enum Step {
    Pose(Matrix, Vector),
    Turn(Vector, Polynomial),
    Along(Vector, Polynomial),
    /// A shift along an axis that grows with the tangent of half an angle, as that of some screws.
    Tangent(Vector, f64, f64),
    Slide(Polynomial, Option<Polynomial>),
    Quat(Polynomial),
    Linear(Polynomial, Option<Polynomial>),
}

/// The map of a pose `x, y, z, qw, qx, qy, qz`.
pub(crate) fn pose(numbers: [f64; 7]) -> Map {
    let [x, y, z, q @ ..] = numbers;
    (rotation(&exact(q)), exact([x, y, z]))
}

impl Step {
    fn of(value: Json) -> Result<Step, String> {
        let mut step = Members::of(value)?;
        let weight = |step: &mut Members| step.optional("weight").map(Polynomial::of::<1>).transpose();
        let found = if step.has("pose") {
            let (matrix, translation) = pose(step.take("pose")?.row()?);
            Step::Pose(matrix, translation)
        } else if step.has("turn") {
            Step::Turn(unit(step.take("turn")?.row()?)?, Polynomial::of::<1>(step.take("angle")?)?)
        } else if step.has("along") {
            Step::Along(unit(step.take("along")?.row()?)?, Polynomial::of::<1>(step.take("distance")?)?)
        } else if step.has("tangent") {
            let axis = unit(step.take("tangent")?.row()?)?;
            let [angle, shift] = [step.take("angle")?.number()?, step.take("shift")?.number()?];
            if !(0.0 < angle && angle < 3.0) {
                return Err("the angle of a tangent is not from 0 to 3".into());
            }
            Step::Tangent(axis, angle, shift)
        } else if step.has("slide") {
            Step::Slide(Polynomial::of::<3>(step.take("slide")?)?, weight(&mut step)?)
        } else if step.has("quat") {
            Step::Quat(Polynomial::of::<4>(step.take("quat")?)?)
        } else {
            Step::Linear(Polynomial::of::<9>(step.take("linear")?)?, weight(&mut step)?)
        };
        step.end()?;
        Ok(found)
    }

    fn at(&self, s: Interval) -> Map {
        let none = [Interval::ZERO; 3];
        let quotient = |p: &Polynomial, weight: &Option<Polynomial>| -> Vec<Interval> {
            let value = p.at(s);
            let Some(weight) = weight else { return value };
            let weight = weight.at(s)[0];
            value.into_iter().map(|x| x.over(weight)).collect()
        };
        match self {
            Step::Pose(matrix, translation) => (*matrix, *translation),
            Step::Turn(axis, angle) => (turn(axis, angle.at(s)[0]), none),
            Step::Along(axis, distance) => (IDENTITY, axis.map(|x| x * distance.at(s)[0])),
            Step::Tangent(axis, angle, shift) => {
                let [grown, whole] = [s, Interval::ONE].map(|s| tangent(*angle, s).0);
                let distance = (Interval::of(*shift) * grown).over(whole);
                (IDENTITY, axis.map(|x| x * distance))
            }
            Step::Slide(p, weight) => {
                let p = quotient(p, weight);
                (IDENTITY, [p[0], p[1], p[2]])
            }
            Step::Quat(q) => (rotation(&q.at(s)), none),
            Step::Linear(p, weight) => {
                let m = quotient(p, weight);
                ([0, 1, 2].map(|row| [0, 1, 2].map(|k| m[3 * row + k])), none)
            }
        }
    }

    /// The bounds of `L` and of `p` over a window.
    fn sizes(&self, s: [Interval; 2]) -> [Sizes; 2] {
        let still = constant(0.0);
        let turning = |speed: f64, change: f64| Sizes([1.0, speed, sum_up(&[&[speed, speed], &[change]])]);
        let quotient = |p: &Polynomial, weight: &Option<Polynomial>| {
            let Sizes([p0, p1, p2]) = p.within(s).sizes();
            let Some(weight) = weight.as_ref().map(|weight| weight.within(s)) else {
                return Sizes([p0, p1, p2]);
            };
            let (Sizes([_, w1, w2]), least) = (weight.sizes(), positive(weight.shortest()));
            let size = up(p0 / least);
            let speed = up(sum_up(&[&[p1], &[size, w1]]) / least);
            Sizes([size, speed, up(sum_up(&[&[p2], &[2.0, speed, w1], &[size, w2]]) / least)])
        };
        match self {
            Step::Pose(_, translation) => [constant(1.0), constant(longest(translation))],
            Step::Turn(_, angle) => {
                let Sizes([_, speed, change]) = angle.within(s).sizes();
                [turning(speed, change), still]
            }
            Step::Along(axis, distance) => {
                let sizes = distance.within(s).sizes();
                [constant(1.0), Sizes(sizes.0.map(|size| sum_up(&[&[size, longest(axis)]])))]
            }
            Step::Tangent(axis, angle, shift) => {
                // With x = angle s / 2, (tan x)' = angle / (2 cos² x) and (tan x)'' = angle tan x (tan x)'. All grow
                // with s.
                let ((tan, cos), (whole, _)) = (tangent(*angle, s[1]), tangent(*angle, Interval::ONE));
                let (angle, width) = (Interval::of(*angle), s[1] - s[0]);
                let scale = (Interval::of(shift.abs()) * Interval::of(longest(axis))).over(whole);
                let speed = (Interval::of(0.5) * angle * scale * width).over(cos * cos);
                [constant(1.0), Sizes([(scale * tan).hi, speed.hi, (angle * tan * speed * width).hi])]
            }
            Step::Slide(p, weight) => [constant(1.0), quotient(p, weight)],
            Step::Quat(q) => {
                let q = q.within(s);
                let (Sizes([_, q1, q2]), least) = (q.sizes(), positive(q.shortest()));
                let speed = up(2.0 * q1 / least);
                [turning(speed, sum_up(&[&[2.0, up(q2 / least)], &[0.5, speed, speed]])), still]
            }
            Step::Linear(p, weight) => [quotient(p, weight), still],
        }
    }
}

/// Returns the composition of two maps; the inner one is applied first.
pub(crate) fn after(outer: &Map, inner: &Map) -> Map {
    (product(&outer.0, &inner.0), plus(&times(&outer.0, &inner.1), &outer.1))
}

/// The map of the steps of a move, at a time of its own.
fn compose(steps: &[Step], s: Interval) -> Map {
    let maps = steps.iter().map(|step| step.at(s));
    maps.reduce(|outer, inner| after(&outer, &inner)).unwrap_or((IDENTITY, [Interval::ZERO; 3]))
}

/// The tangent of half an angle times `s`, and its cosine.
fn tangent(angle: f64, s: Interval) -> (Interval, Interval) {
    let (sine, cosine) = (Interval::of(0.5 * angle) * s).sin_cos();
    (sine.over(cosine), cosine)
}

/// A divisor, or NaN, which proves nothing.
fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { f64::NAN }
}

/// A frame that moves in another.
#[derive(Debug)]
pub(crate) struct Frame {
    parent: Option<usize>,
    moves: Vec<(f64, Vec<Step>)>,
    within: [f64; 2],
    /// Number of frames between it and the world.
    depth: usize,
    /// True if it and all frames around it keep distances.
    pub(crate) is_rigid: bool,
}

impl Frame {
    pub(crate) fn of(mut line: Members, known: &[Frame]) -> Result<Frame, String> {
        let parent = known_frame(line.take("in")?, known.len())?;
        if let Some(name) = line.optional("name") {
            name.text()?;
        }
        let within = line.optional("within").map_or(Ok([0.0; 2]), Json::row)?;
        if within.iter().any(|&error| error < 0.0) {
            return Err("an error is negative".into());
        }
        let read_move = |value: Json| {
            let mut value = Members::of(value)?;
            let read = (value.take("until")?.number()?, value.take("by")?.each(Step::of)?);
            value.end()?;
            Ok(read)
        };
        let moves = line.take("moves")?.each(read_move)?;
        let times: Vec<f64> = std::iter::once(0.0).chain(moves.iter().map(|(until, _)| *until)).collect();
        if !times.is_sorted_by(|before, after| before < after) {
            return Err("the times of the moves do not increase".into());
        }
        line.end()?;
        let jumps = |pair: &[(f64, Vec<Step>)]| {
            let [before, after] = [compose(&pair[0].1, Interval::ONE), compose(&pair[1].1, Interval::ZERO)];
            let numbers = |map: &Map| [map.0[0], map.0[1], map.0[2], map.1].concat();
            let mut pairs = numbers(&before).into_iter().zip(numbers(&after));
            let far = |(x, y): (Interval, Interval)| {
                (x - y).size() > 2.0 * (within[0] + within[1]) + 1e-9 * (1.0 + x.size())
            };
            pairs.any(far)
        };
        if moves.windows(2).any(jumps) {
            return Err("it jumps between two moves".into());
        }
        let depth = parent.map_or(1, |parent| known[parent].depth + 1);
        if depth > LONGEST_CHAIN {
            return Err("too long a chain of frames".into());
        }
        let keeps = |step: &Step| !matches!(step, Step::Linear(..));
        let is_rigid = parent.is_none_or(|parent| known[parent].is_rigid)
            && moves.iter().all(|(_, steps)| steps.iter().all(keeps));
        Ok(Frame { parent, moves, within, depth, is_rigid })
    }

    /// The steps of the move that a window is in, and its ends in the time of that move.
    fn during(&self, window: [f64; 2]) -> Option<(&[Step], [Interval; 2])> {
        let k = self.moves.iter().position(|(until, _)| window[1] <= *until)?;
        let start = if k == 0 { 0.0 } else { self.moves[k - 1].0 };
        let (until, steps) = &self.moves[k];
        let local = |t: f64| {
            if (start, *until) == (0.0, 1.0) {
                return Interval::of(t);
            }
            (Interval::of(t) - Interval::of(start)).over(Interval::of(*until) - Interval::of(start))
        };
        (start <= window[0]).then(|| (&steps[..], window.map(local)))
    }
}

/// A frame by its index, or the world.
pub(crate) fn known_frame(value: Json, known: usize) -> Result<Option<usize>, String> {
    if value == Json::Null {
        return Ok(None);
    }
    let frame = value.index()?;
    if frame < known { Ok(Some(frame)) } else { Err(format!("frame {frame} is not known")) }
}

/// Bounds of a point over a window: its distance from the origin, its speed, its acceleration, and how far it may be
/// from where the formulas put it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Travel {
    pub(crate) distance: f64,
    pub(crate) speed: f64,
    pub(crate) acceleration: f64,
    pub(crate) error: f64,
}

/// All frames, with a cache of their maps.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pub(crate) list: Vec<Frame>,
    maps: HashMap<(usize, Option<usize>, u64, usize), Map>,
}

impl Frames {
    /// Returns whether a frame is another one, or in it.
    pub(crate) fn is_in(&self, frame: Option<usize>, base: Option<usize>) -> bool {
        let mut at = frame;
        while at != base {
            match at {
                Some(inner) => at = self.list[inner].parent,
                None => return false,
            }
        }
        true
    }

    /// The map from a frame to one that it is in, at the start or the end of a window. `None` if the window is in no
    /// single move.
    pub(crate) fn map(
        &mut self,
        frame: Option<usize>,
        base: Option<usize>,
        window: [f64; 2],
        end: usize,
    ) -> Option<Map> {
        if frame == base {
            return Some((IDENTITY, [Interval::ZERO; 3]));
        }
        let frame = frame?;
        // At an instant the move before it and the one after it have maps of their own.
        let key = (frame, base, window[end].to_bits(), end);
        if let Some(map) = self.maps.get(&key) {
            return Some(*map);
        }
        let outer = self.map(self.list[frame].parent, base, window, end)?;
        let (steps, local) = self.list[frame].during(window)?;
        let map = after(&outer, &compose(steps, local[end]));
        if self.maps.len() > 100_000 {
            self.maps.clear();
        }
        self.maps.insert(key, map);
        Some(map)
    }

    /// Bounds the motion of points of a frame over a window, as seen from a frame around it.
    pub(crate) fn travel(
        &self,
        from: Option<usize>,
        base: Option<usize>,
        window: [f64; 2],
        start: Travel,
    ) -> Option<Travel> {
        let mut travel = start;
        let mut at = from;
        while at != base {
            let frame = &self.list[at?];
            let (steps, local) = frame.during(window)?;
            let [turned, moved] = frame.within;
            let (mut size, inner) = (1.0, travel);
            for step in steps.iter().rev() {
                let [Sizes([n, n1, n2]), Sizes([p, p1, p2])] = step.sizes(local);
                let Travel { distance, speed, acceleration, error } = travel;
                size = sum_up(&[&[size, n]]);
                travel = Travel {
                    distance: sum_up(&[&[n, distance], &[p]]),
                    speed: sum_up(&[&[n1, distance], &[n, speed], &[p1]]),
                    acceleration: sum_up(&[&[n2, distance], &[2.0, n1, speed], &[n, acceleration], &[p2]]),
                    error,
                };
            }
            travel.error =
                sum_up(&[&[moved], &[turned, inner.distance], &[turned, inner.error], &[size, inner.error]]);
            at = frame.parent;
        }
        Some(travel)
    }
}
