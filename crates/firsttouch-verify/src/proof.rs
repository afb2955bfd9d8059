//! The proof: a tree for some pairs of parts, whose leaves are separating directions.
//!
//! **Lemma.** Let `d` be linear over the window, whose time runs from 0 to 1, with `|d| <= D` at both ends and the
//! change `δ`. For points with `|a''| <= A`, `|b''| <= B`, `|a'| <= α`, `|b'| <= β`, the function `φ = d · (b − a)`
//! has `|φ''| <= D (A + B) + 2 |δ| (α + β)`, so it is above the smaller of its values at the ends minus an eighth of
//! that. If the points are off by `e` and `f`, `φ` is off by `D (e + f)`. If the rest is larger than `D s`, then `|b
//! − a| > s`.
//!
//! **Coverage.** A proof begins with two ranges of parts, all of their pieces, and the time from 0 to the end of the
//! claim. A node divides exactly one of these, and both halves are proven. So every piece of every pair is proven at
//! all times. A table of all pairs shows at the end that none is left out.
//!
//! **Solid meshes.** The inside of a mesh is in the hull of its triangles. So a leaf with all of its triangles is about
//! the solid. Where they are divided, the leaves are about the surface alone. A point of the other part that is outside
//! at one time is then outside at all times, because it would have to cross the surface. So for such a pair there has
//! to be a window in which the triangles are not divided, and all of the other part is there.

use std::collections::HashMap;
use std::ops::Range;

use crate::interval::{Interval, Vector, dot, exact, longest, times, transposed_times, up};
use crate::json::{Json, Members};
use crate::motion::{Travel, known_frame, larger, sum_up};
use crate::shape::Shape;
use crate::statement::{Rule, Statement};
use crate::{Claim, Verified};

/// A deeper tree is refused.
const DEEPEST: usize = 400;

/// One line of the proof.
pub(crate) struct Tree {
    parts: [Range<usize>; 2],
    frame: Json,
    nodes: Vec<Node>,
}

enum Node {
    SplitTime(f64),
    Split(usize, usize),
    Apart(Vec<f64>),
}

pub(crate) fn read(mut line: Members) -> Result<Tree, String> {
    let ranges = line.take("proof")?.each(Json::pair)?;
    let [a, b]: [[usize; 2]; 2] = ranges.try_into().map_err(|_| "two ranges of parts were expected")?;
    let frame = line.take("frame")?;
    let nodes = line.take("nodes")?.each(|value| {
        let mut value = Members::of(value)?;
        let node = match ["split_t", "split_a", "split_b"].map(|name| value.optional(name)) {
            [Some(time), None, None] => Node::SplitTime(time.number()?),
            [None, Some(place), None] => Node::Split(0, place.index()?),
            [None, None, Some(place)] => Node::Split(1, place.index()?),
            _ => Node::Apart(value.take("apart")?.each(Json::number)?),
        };
        value.end().map(|()| node)
    })?;
    line.end()?;
    Ok(Tree { parts: [a[0]..a[1], b[0]..b[1]], frame, nodes })
}

/// Some parts, or some pieces of one part.
#[derive(Debug, Clone)]
struct Side {
    parts: Range<usize>,
    pieces: Range<usize>,
}

/// The task of a subtree: two sides are apart all through a window.
#[derive(Debug, Clone)]
struct Task {
    sides: [Side; 2],
    window: [f64; 2],
    /// True until the pieces of a part are divided.
    is_whole: bool,
}

/// Supports of a side along the directions at both ends of a window, and bounds of its motion.
struct Reach {
    along: [f64; 2],
    travel: Travel,
}

/// True for each side with a solid mesh that a subtree divides.
type Divided = [bool; 2];

/// Facts about a solid mesh and another part: some proof divides it; some window has all of both.
#[derive(Debug, Clone, Copy, Default)]
struct Solid {
    divided: bool,
    whole: bool,
}

/// All proofs that were checked.
pub(crate) struct Proof {
    parts: usize,
    proven: Vec<u64>,
    /// By the solid mesh, and the other part.
    solids: HashMap<[usize; 2], Solid>,
    nodes: usize,
}

impl Proof {
    pub(crate) fn new(statement: &Statement) -> Proof {
        let parts = statement.parts.len();
        Proof { parts, proven: vec![0; (parts * parts).div_ceil(64)], solids: HashMap::new(), nodes: 0 }
    }

    /// Checks one line, and notes its pairs as proven.
    pub(crate) fn check(&mut self, statement: &mut Statement, tree: Tree) -> Result<(), String> {
        let [a, b] = tree.parts;
        let valid = |range: &Range<usize>| range.start < range.end && range.end <= self.parts;
        if !valid(&a) || !valid(&b) || (a.start < b.end && b.start < a.end) {
            return Err("the two ranges of parts are empty, unknown, or have parts in common".into());
        }
        let base = known_frame(tree.frame, statement.frames.list.len())?;
        if base.is_some_and(|base| !statement.frames.list[base].is_rigid) {
            return Err("the frame of the directions does not keep distances".into());
        }
        let inside = |part: usize| statement.frames.is_in(statement.parts[part].frame, base);
        if let Some(part) = a.clone().chain(b.clone()).find(|part| !inside(*part)) {
            return Err(format!("{} is not in the frame of the directions", statement.name_of(part)));
        }
        let sides = [&a, &b].map(|parts| Side { parts: parts.clone(), pieces: pieces(statement, parts) });
        let task = Task { sides, window: [0.0, statement.claim.free_until], is_whole: true };
        let mut walk = Walk { statement, base, solids: &mut self.solids, nodes: tree.nodes.iter(), count: 0 };
        let checked = walk.prove(&task, 0);
        let count = walk.count;
        let place = |why: String| format!("node {count} of the proof: {why}");
        checked.map_err(place)?;
        if walk.nodes.next().is_some() {
            return Err(place("a node after the end of the tree".into()));
        }
        self.nodes += count;
        for p in a {
            for q in b.clone() {
                let bit = p.min(q) * self.parts + p.max(q);
                self.proven[bit / 64] |= 1 << (bit % 64);
            }
        }
        Ok(())
    }

    /// Refuses what leaves out a pair.
    pub(crate) fn end(&self, statement: &Statement) -> Result<Verified, String> {
        let mut pairs = 0;
        let mut unchecked: Vec<(String, usize)> =
            statement.reasons.iter().map(|why| (why.clone(), 0)).collect();
        for p in 0..self.parts {
            for q in p..self.parts {
                let bit = p * self.parts + q;
                if let Some(&Rule::Unchecked(reason)) = statement.rules.get(&[p, q]) {
                    unchecked[reason].1 += 1;
                } else if p != q && self.proven[bit / 64] >> (bit % 64) & 1 == 1 {
                    pairs += 1;
                } else if p != q {
                    let [a, b] = [p, q].map(|part| statement.name_of(part));
                    return Err(format!("{a} and {b} are not proven apart"));
                } else if statement.shape_of(p).deforms() {
                    return Err(format!("nothing is said about {} against itself", statement.name_of(p)));
                }
            }
        }
        if let Some((pair, _)) = self.solids.iter().find(|(_, solid)| solid.divided && !solid.whole) {
            let [solid, other] = pair.map(|part| statement.name_of(part));
            return Err(format!("{other} may be inside of {solid}, a solid mesh, at all times"));
        }
        let claim: Claim = statement.claim;
        Ok(Verified { claim, parts: self.parts, pairs, unchecked, nodes: self.nodes })
    }
}

/// All pieces of a range of parts, if it is a single one.
fn pieces(statement: &Statement, parts: &Range<usize>) -> Range<usize> {
    0..if parts.len() == 1 { statement.shape_of(parts.start).pieces() } else { 1 }
}

/// The way through one tree.
struct Walk<'a> {
    statement: &'a mut Statement,
    base: Option<usize>,
    solids: &'a mut HashMap<[usize; 2], Solid>,
    nodes: std::slice::Iter<'a, Node>,
    count: usize,
}

impl Walk<'_> {
    /// Checks the next node and all that belong to it.
    fn prove(&mut self, task: &Task, depth: usize) -> Result<Divided, String> {
        if depth > DEEPEST {
            return Err("the tree is too deep".into());
        }
        let node = self.nodes.next().ok_or("the tree has no end")?;
        self.count += 1;
        let mut divided = [false; 2];
        let mut halves = [task.clone(), task.clone()];
        match node {
            Node::Apart(direction) => {
                self.apart(task, direction)?;
                return Ok(self.note(task, divided));
            }
            Node::SplitTime(t) => {
                let window = task.window;
                if !(window[0] < *t && *t < window[1]) {
                    return Err(format!("{t} is not inside of the window {window:?}"));
                }
                (halves[0].window[1], halves[1].window[0]) = (*t, *t);
            }
            Node::Split(side, place) => {
                let Side { parts, pieces: some } = &task.sides[*side];
                let is_single = parts.len() == 1;
                let split = if is_single { some } else { parts };
                if !(split.start < *place && *place < split.end) {
                    return Err(format!("{place} is not inside of {split:?}"));
                }
                divided[*side] = is_single && self.statement.shape_of(parts.start).is_solid_mesh();
                for (half, range) in halves.iter_mut().zip([split.start..*place, *place..split.end]) {
                    if is_single {
                        (half.sides[*side].pieces, half.is_whole) = (range, false);
                    } else {
                        half.sides[*side] = Side { pieces: pieces(self.statement, &range), parts: range };
                    }
                }
            }
        }
        for half in &halves {
            let below = self.prove(half, depth + 1)?;
            divided = [divided[0] || below[0], divided[1] || below[1]];
        }
        Ok(self.note(task, divided))
    }

    /// Notes for each pair with a solid mesh whether that was divided, or is whole in a window in which all of the
    /// other part is there.
    fn note(&mut self, Task { sides, is_whole, .. }: &Task, divided: Divided) -> Divided {
        for side in 0..2 {
            let is_solid = |part: &usize| self.statement.shape_of(*part).is_solid_mesh();
            for solid in sides[side].parts.clone().filter(is_solid) {
                for other in sides[1 - side].parts.clone() {
                    let known = self.solids.entry([solid, other]).or_default();
                    known.divided |= divided[side];
                    known.whole |= *is_whole && !divided[side];
                }
            }
        }
        divided
    }

    /// Checks that the first side is before the second one along a direction, all through the window.
    fn apart(&mut self, Task { sides, window, .. }: &Task, numbers: &[f64]) -> Result<(), String> {
        let window = *window;
        let (directions, half_space) = match numbers {
            [] => self.normal(sides, window)?,
            &[x, y, z] => ([exact([x, y, z]); 2], None),
            &[x, y, z, u, v, w] => ([exact([x, y, z]), exact([u, v, w])], None),
            _ => return Err("a direction has 0, 3 or 6 numbers".into()),
        };
        let opposite = directions.map(|d| d.map(|x| -x));
        let Reach { along: a, travel: travel_a } = self.reach(&sides[0], window, &directions, half_space)?;
        let Reach { along: b, travel: travel_b } = self.reach(&sides[1], window, &opposite, half_space)?;
        let largest = larger(longest(&directions[0]), longest(&directions[1]));
        let change = longest(&[0, 1, 2].map(|k| directions[1][k] - directions[0][k]));
        let [acceleration, speed, error] = [
            up(travel_a.acceleration + travel_b.acceleration),
            up(travel_a.speed + travel_b.speed),
            up(travel_a.error + travel_b.error),
        ];
        let dip = sum_up(&[&[0.125, largest, acceleration], &[0.25, change, speed]]);
        let needed = sum_up(&[&[dip], &[largest, up(error + self.separation(sides))]]);
        for end in 0..2 {
            // The least of `d · b` less the largest of `d · a`.
            let gap = -up(a[end] + b[end]);
            // A comparison with a NaN is false, and refuses.
            let is_apart = gap > needed;
            if !is_apart {
                let t = window[end];
                return Err(format!("not apart in {window:?}: {gap:e} at {t}, where {needed:e} is needed"));
            }
        }
        Ok(())
    }

    /// The largest separation of the pairs of two sides.
    fn separation(&self, sides: &[Side; 2]) -> f64 {
        let Statement { claim, rules, .. } = &*self.statement;
        let of_pair = |[p, q]: [usize; 2]| match rules.get(&[p.min(q), p.max(q)]) {
            Some(Rule::Apart(separation)) => *separation,
            _ => claim.separation,
        };
        let [a, b] = sides.each_ref().map(|side| side.parts.clone());
        if rules.is_empty() {
            return claim.separation;
        }
        a.flat_map(|p| b.clone().map(move |q| [p, q])).map(of_pair).fold(0.0, larger)
    }

    /// The direction out of the half-space that is one of the sides, from the first side to the second, and the part
    /// that it is.
    fn normal(
        &mut self,
        sides: &[Side; 2],
        window: [f64; 2],
    ) -> Result<([Vector; 2], Option<usize>), String> {
        let half_space = |side: &Side| match self.statement.shape_of(side.parts.start) {
            Shape::HalfSpace(normal, _) if side.parts.len() == 1 => Some((*normal, side.parts.start)),
            _ => None,
        };
        let (normal, part, sign) = match sides.each_ref().map(half_space) {
            [Some((normal, part)), None] => (normal, part, 1.0),
            [None, Some((normal, part))] => (normal, part, -1.0),
            _ => return Err("not one of the sides is a half-space".into()),
        };
        let frame = self.statement.parts[part].frame;
        let still = Travel { distance: 1.0, ..Travel::default() };
        let travel = self.statement.frames.travel(frame, self.base, window, still);
        if !travel.is_some_and(|travel| [travel.speed, travel.acceleration, travel.error] == [0.0; 3]) {
            return Err("the half-space moves in the frame of the directions".into());
        }
        let (turn, _) =
            self.statement.frames.map(frame, self.base, window, 0).ok_or("the half-space is nowhere")?;
        let normal = times(&turn, &exact(normal));
        Ok(([normal.map(|x| x * Interval::of(sign)); 2], Some(part)))
    }

    /// Computes the supports and bounds of a side. `half_space` is the part whose normal the direction is.
    fn reach(
        &mut self,
        side: &Side,
        window: [f64; 2],
        directions: &[Vector; 2],
        half_space: Option<usize>,
    ) -> Result<Reach, String> {
        let mut all = Reach { along: [f64::NEG_INFINITY; 2], travel: Travel::default() };
        for part in side.parts.clone() {
            let own = pieces(self.statement, &(part..part + 1));
            let some = if side.parts.len() == 1 { &side.pieces } else { &own };
            let Statement { shapes, frames, parts, .. } = &mut *self.statement;
            let (frame, shape) = (parts[part].frame, &shapes[parts[part].shape]);
            let [distance, speed] = shape.sizes(some, window);
            let travel = match shape {
                Shape::HalfSpace(..) if half_space == Some(part) => Some(Travel::default()),
                Shape::HalfSpace(..) => return Err("the direction is not the normal of a half-space".into()),
                _ => frames.travel(frame, self.base, window, Travel { distance, speed, ..Travel::default() }),
            };
            let maps = [0, 1].map(|end| frames.map(frame, self.base, window, end));
            let (Some(travel), [Some(first), Some(last)]) = (travel, maps) else {
                return Err(format!("{} has a kink in the window {window:?}", self.statement.name_of(part)));
            };
            for (end, (turn, shift)) in [first, last].iter().enumerate() {
                let own = match shape {
                    Shape::HalfSpace(_, offset) => *offset,
                    _ => {
                        shape.support(some, &transposed_times(turn, &directions[end]), window[end], distance)
                    }
                };
                all.along[end] = larger(all.along[end], up(dot(&directions[end], shift).hi + own));
            }
            all.travel.speed = larger(all.travel.speed, travel.speed);
            all.travel.acceleration = larger(all.travel.acceleration, travel.acceleration);
            all.travel.error = larger(all.travel.error, travel.error);
        }
        Ok(all)
    }
}
