//! Which pairs of a robot's parts and obstacles may touch, and when: windows of time, halved only where that is needed.
//!
//! # The method
//! 1. A window and the pairs of coarse solids (`outline`) that are not known to be free in it. The second solid of a pair is seen
//!    from the frame of the first, which is at rest there: for two links only the joints between them matter.
//! 2. A pair is free in the window if there is a direction `n` such that all of the second solid stays beyond the
//!    first one's extent along `n`. For a point `x(t)` let `f = n · x`, known at the beginning, in the middle and at the end
//!    of the window, which is `2h` long. The parabola `q` through the three values differs from `f` by at most
//!    `max |f'''| |τ (τ² − h²)| / 6 <= J h³ / (9 √3)`. On either half of the window `q` is at least the lesser of its ends
//!    there, minus `q'' h² / 8 = (f_0 − 2 f_1 + f_2) / 8` if that is positive. So
//!    ```text
//!    f >= min(f_0, f_1, f_2) − max(0, f_0 − 2 f_1 + f_2) / 8 − J h³ / (9 √3)
//!    ```
//!    with `J = J_link + W³ |x|` from `kinematics`. The right-hand side is a concave function of the point (the `f_k` are
//!    linear, `|x|` is convex), so over a solid it is least at a corner: the corners are gone through, each with its own reach.
//!    The error is of third order in the window: for an arm that turns by a radian it is a few percent of the arm's
//!    length, in half the window less than one percent.
//! 3. Tried in this order: boxes around balls along the axes; the direction out of the first solid's box towards the
//!    second one's centre, or the one that served the window before; the direction between the closest points in the middle of
//!    the window (GJK).
//! 4. If none separates: where the solids are apart in the middle of the window it is halved; where they are not, a pair of
//!    groups is opened into pairs of parts, and a pair of parts is handed over, with its window, to the exact stage.
//!
//! All pairs of a window use the same three instants, and the halves of a window two of them.
//!
//! # Guarantee
//! Rigorous. Computed poses are off by what `kinematics` says, heights by 64 roundings of the sizes involved (as in
//! `narrow::convex_convex`). An error `e` of the three values changes the bound by at most `e + 4 e / 8`; `2 e` is taken, which also
//! covers that the middle is rounded. Directions need not be good.
//!
//! # Departures
//! The paper encloses whole links over the whole step by Taylor models of order 3, composed along the chain, and boxes along the
//! world's axes. Here the order is the same, the remainder is bounded in closed form, and every pair has its own direction.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.

use glam::{DMat3, DVec3};

use super::kinematics::{RobotMotion, Seen};
use super::outline::{Candidate, Of, Outline, Solid};
use crate::broad::{Aabb, overlapping_pairs};
use crate::distance::gjk::Gjk;
use crate::motion::PoseAt;
use crate::numerics::rounding::UNIT;
use crate::shape::Convex;

/// `1 / (9 √3)`, rounded up.
const CUBIC: f64 = 0.064_150_03;

const HERE: PoseAt = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

/// A window is halved at most so often.
const DEEPEST: u32 = 8;

/// A span of time and what is left to be looked at in it.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) t: [f64; 2],
    depth: u32,
    items: Vec<Item>,
}

/// A pair of solids, or of parts of them, with the direction that was found last.
#[derive(Debug, Clone, Copy)]
struct Item {
    pair: u32,
    solids: [u32; 2],
    normal: DVec3,
}

/// What came of a window: pairs of parts for the exact stage, and the halves with what is left.
#[derive(Debug, Default)]
pub(super) struct Sieved {
    pub(super) close: Vec<Candidate>,
    pub(super) halves: Option<[Span; 2]>,
}

/// The sieve for one motion.
pub(super) struct Sieve<'a> {
    outline: &'a Outline,
    motion: &'a RobotMotion<'a>,
    min_separation: f64,
    /// For each link the window that it was placed in last, and how.
    placed: Vec<(u32, Placed)>,
    /// For each solid likewise a box that it does not leave. Halves are not asked for often enough.
    boxes: Vec<(u32, Aabb)>,
    /// The last two links of which the second was seen from the first, and in which window.
    relative: ((u32, [usize; 2]), Placed),
    /// The number of the window looked at.
    window: u32,
    /// How many tests there were.
    pub(super) tests: u64,
}

/// A link in the window looked at, in the world.
#[derive(Debug, Clone, Copy)]
struct Placed {
    poses: [PoseAt; 3],
    seen: Seen,
}

impl Item {
    fn new(pair: usize, outline: &Outline) -> Item {
        let solids = outline.pairs[pair].solids.map(|solid| solid as u32);
        Item { pair: pair as u32, solids, normal: DVec3::ZERO }
    }
}

enum Verdict {
    Free,
    /// Apart in the middle, along this direction.
    Apart(DVec3),
    /// Not apart in the middle, as far as was found.
    Close,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(outline: &'a Outline, motion: &'a RobotMotion<'a>, min_separation: f64) -> Sieve<'a> {
        let nowhere = Placed { poses: [HERE; 3], seen: Seen::AT_REST };
        let nothing = Aabb { low: DVec3::ZERO, high: DVec3::ZERO };
        Sieve {
            outline,
            motion,
            min_separation,
            placed: vec![(0, nowhere); motion.robot().links().len()],
            boxes: vec![(0, nothing); outline.whole_solids],
            relative: ((0, [0, 0]), nowhere),
            window: 0,
            tests: 0,
        }
    }

    /// Everything, from 0 to `t_max`. Where that is much, only what the boxes of the whole window let through.
    pub(super) fn whole(&mut self, t_max: f64) -> Span {
        const MANY: usize = 500;
        let outline = self.outline;
        let all = 0..outline.roots;
        let roots = if all.len() <= MANY { all.collect() } else { self.by_boxes(t_max) };
        let items = roots.into_iter().map(|pair| Item::new(pair, outline)).collect();
        Span { t: [0.0, t_max], depth: 0, items }
    }

    /// The roots whose boxes meet in `[0, t_max]`, in ascending order.
    fn by_boxes(&mut self, t_max: f64) -> Vec<usize> {
        let (t, half) = ([0.0, 0.5 * t_max, t_max], 0.5 * t_max * (1.0 + 8.0 * UNIT));
        self.window += 1;
        let apart = self.min_separation;
        let boxes: Vec<Aabb> = (0..self.outline.whole_solids)
            .map(|solid| self.swept_box(solid, &t, half).inflated(apart))
            .collect();
        let mut roots: Vec<usize> = overlapping_pairs(&boxes)
            .iter()
            .filter_map(|pair| self.outline.roots_of.get(pair))
            .flatten()
            .copied()
            .collect();
        roots.sort_unstable();
        roots
    }

    /// Goes through a window. Two parts that overlap in the middle of it, as far as their solids tell, are `tried` there at
    /// once; if that settles everything, nothing is left.
    pub(super) fn sift(&mut self, span: Span, mut tried: impl FnMut(Candidate, f64) -> bool) -> Sieved {
        let [t_0, t_2] = span.t;
        let t = [t_0, 0.5 * (t_0 + t_2), t_2];
        // Rounded up: the halves may differ in the last bit.
        let half = 0.5 * (t_2 - t_0) * (1.0 + 8.0 * UNIT);
        self.window += 1;
        let mut found = Sieved::default();
        let mut left: Vec<Item> = Vec::new();
        let mut open = span.items;
        while let Some(item) = open.pop() {
            match self.test(item.solids.map(|i| i as usize), item.normal, &t, half) {
                Verdict::Free => {}
                Verdict::Apart(normal) if span.depth < DEEPEST => left.push(Item { normal, ..item }),
                verdict => {
                    let is_close = matches!(verdict, Verdict::Close);
                    if let Some(candidate) = self.open(item, is_close, &mut open, &mut found.close)
                        && tried(candidate, t[1])
                    {
                        return Sieved::default();
                    }
                }
            }
        }
        if !left.is_empty() {
            let depth = span.depth + 1;
            let early = Span { t: [t[0], t[1]], depth, items: left.clone() };
            found.halves = Some([early, Span { t: [t[1], t[2]], depth, items: left }]);
        }
        found
    }

    /// Rule 4 of the header. Returns two parts that likely touch in the middle of the window: a part and an obstacle that are
    /// close, whatever their halves may tell; two parts of the robot only if their halves, too, are close.
    fn open(
        &self,
        item: Item,
        is_close: bool,
        open: &mut Vec<Item>,
        close: &mut Vec<Candidate>,
    ) -> Option<Candidate> {
        let solid = |k: usize| &self.outline.solids[item.solids[k] as usize];
        match &self.outline.pairs[item.pair as usize].of {
            Of::Pairs(pairs) => open.extend(pairs.clone().map(|pair| Item::new(pair, self.outline))),
            Of::Parts(candidate) => {
                let larger = |a: &Solid, b: &Solid| b.halves.is_none() || a.hull.radius() >= b.hull.radius();
                let k = if solid(0).halves.is_some() && larger(solid(0), solid(1)) { 0 } else { 1 };
                let is_whole = item.solids.iter().all(|&i| (i as usize) < self.outline.whole_solids);
                let is_obstacle = matches!(candidate, Candidate::Obstacle(_, _));
                match solid(k).halves {
                    // One pair of halves is enough to hand the parts over.
                    _ if close.contains(candidate) => {}
                    // In the shortest window, solids that are apart or too blurred to tell are not looked at more closely.
                    Some(halves) if is_close => {
                        open.extend(halves.map(|half| {
                            let mut solids = item.solids;
                            solids[k] = half as u32;
                            Item { solids, normal: DVec3::ZERO, ..item }
                        }));
                        return (is_whole && is_obstacle).then_some(*candidate);
                    }
                    _ => {
                        close.push(*candidate);
                        return (is_close && (is_whole || !is_obstacle)).then_some(*candidate);
                    }
                }
            }
        }
        None
    }

    fn test(&mut self, [first, second]: [usize; 2], inherited: DVec3, t: &[f64; 3], half: f64) -> Verdict {
        self.tests += 1;
        let outline = self.outline;
        let [a, b] = [&outline.solids[first], &outline.solids[second]];
        let [box_a, box_b] = [first, second].map(|solid| self.swept_box(solid, t, half));
        if !box_a.inflated(self.min_separation).overlaps(&box_b) {
            return Verdict::Free;
        }
        let link_b = b.link.unwrap_or(0);
        let (poses, seen) = match a.link {
            None => (self.placed[link_b].1.poses, self.placed[link_b].1.seen),
            Some(link) => {
                let relative = self.relative(link, link_b);
                (relative.poses, relative.seen)
            }
        };
        let window = Seeing::new(a, b, &poses, &seen, half, self.min_separation);
        if !window.is_worth_it() {
            // Half the window, an eighth of the error.
            return Verdict::Apart(inherited);
        }
        if inherited != DVec3::ZERO && window.separates(inherited) {
            return Verdict::Free;
        }
        if inherited == DVec3::ZERO
            && let Some(n) = window.way_out()
            && window.separates(n)
        {
            return Verdict::Free;
        }
        let margins = a.hull.margin() + b.hull.margin() + self.min_separation;
        let accuracy = |distance: f64| (0.05 * (distance - margins)).max(1e-3 * margins);
        let found = Gjk::default().closest_points(&a.hull, &b.hull, &[HERE, poses[1]], accuracy);
        if window.separates(found.normal) {
            return Verdict::Free;
        }
        if (found.points[1] - found.points[0]).length() > margins {
            Verdict::Apart(found.normal)
        } else {
            Verdict::Close
        }
    }

    /// The second link as seen from the first in the window, both of which are placed.
    fn relative(&mut self, first: usize, second: usize) -> Placed {
        // Halves of the same parts come one after the other.
        let (key, known) = &self.relative;
        if *key == (self.window, [first, second]) {
            return *known;
        }
        let (poses_a, poses_b) = (&self.placed[first].1.poses, &self.placed[second].1.poses);
        let pose = |k: usize| {
            let (pose_a, pose_b): (&PoseAt, &PoseAt) = (&poses_a[k], &poses_b[k]);
            PoseAt {
                rotation: pose_a.rotation.transpose() * pose_b.rotation,
                translation: pose_a.to_body(pose_b.translation),
            }
        };
        let seen = self.motion.seen(second, Some(first));
        let relative = Placed { poses: [pose(0), pose(1), pose(2)], seen };
        self.relative = ((self.window, [first, second]), relative);
        relative
    }

    /// A box in the world that a solid does not leave during the window: that around a ball around it. Its link is placed,
    /// too.
    fn swept_box(&mut self, solid: usize, t: &[f64; 3], half: f64) -> Aabb {
        if let Some((window, bounds)) = self.boxes.get(solid)
            && *window == self.window
        {
            return *bounds;
        }
        let Solid { hull, link, .. } = &self.outline.solids[solid];
        let (center, half_sides) = hull.bounds();
        let bounds = match link {
            None => Aabb { low: center - half_sides, high: center + half_sides },
            Some(link) => {
                let (window, placed) = &mut self.placed[*link];
                if *window != self.window {
                    *window = self.window;
                    placed.poses = t.map(|t| self.motion.pose_between(*link, None, t));
                    placed.seen = self.motion.seen(*link, None);
                }
                let Placed { poses, seen } = &self.placed[*link].1;
                let [f_0, f_1, f_2] = poses.map(|pose| pose.apply(center));
                let bend = ((f_0 + f_2) - (f_1 + f_1)) * 0.125;
                // The middle of a box may be farther from the origin than any of its contents: of three points that are permutations
                // of (2, 1, 1), for example, by 6 percent.
                let away = center.length() * (1.0 + 8.0 * UNIT);
                let off = hull.radius()
                    + stray(seen, away, half)
                    + 2.0 * error(seen, hull.reach().max(away), poses);
                Aabb {
                    low: f_0.min(f_1).min(f_2) - bend.max(DVec3::ZERO) - off,
                    high: f_0.max(f_1).max(f_2) + (-bend).max(DVec3::ZERO) + off,
                }
            }
        };
        // What a box is rounded by here is less than the error of the heights, which is in it twice; that of a solid at
        // rest is rounded outwards where it is used.
        if let Some(slot) = self.boxes.get_mut(solid) {
            *slot = (self.window, bounds);
        }
        bounds
    }
}

/// How far a point at distance `reach` from its link's origin may stray from the parabola, rounded up.
fn stray(seen: &Seen, reach: f64, half: f64) -> f64 {
    // In this order nothing underflows that matters, and what overflows is infinite, never infinity times zero.
    let angle = seen.turning * half;
    let turned = angle * angle * (angle * reach);
    CUBIC * (seen.jerk * half * half * half + turned) * (1.0 + 32.0 * UNIT)
}

/// The error of a height of such a point.
fn error(seen: &Seen, reach: f64, poses: &[PoseAt; 3]) -> f64 {
    let size = poses.iter().fold(0.0_f64, |size, pose| size.max(pose.translation.abs().max_element()));
    (seen.error.rotation + 64.0 * UNIT) * reach + seen.error.translation + 128.0 * UNIT * size
}

/// A pair of solids in a window, the second as seen from the first.
struct Seeing<'a> {
    a: &'a Solid,
    b: &'a Solid,
    poses: &'a [PoseAt; 3],
    /// How far the second one's origin strays from its parabola, and how much a point at distance 1 from it.
    stray: [f64; 2],
    /// What must be left between the two.
    needed: f64,
}

impl<'a> Seeing<'a> {
    fn new(
        a: &'a Solid,
        b: &'a Solid,
        poses: &'a [PoseAt; 3],
        seen: &Seen,
        half: f64,
        min_separation: f64,
    ) -> Seeing<'a> {
        let origin = stray(seen, 0.0, half);
        let turning = stray(&Seen { jerk: 0.0, ..*seen }, 1.0, half);
        // The extent of the first solid is off by `64u` of its reach, with everything.
        let off = 2.0 * error(seen, b.hull.reach(), poses) + 64.0 * UNIT * a.hull.reach();
        let needed = (min_separation + off + origin) * (1.0 + 16.0 * UNIT);
        Seeing { a, b, poses, stray: [origin, turning], needed }
    }

    /// Whether the error is small enough for a test to have a chance.
    fn is_worth_it(&self) -> bool {
        let (center, _) = self.b.hull.bounds();
        let stray = self.stray[0] + self.stray[1] * (center.length() + self.b.hull.radius());
        // Not so for what is not a number.
        stray < 2.0 * self.b.hull.radius().max(self.a.hull.radius())
    }

    /// Rule 2 of the header.
    fn separates(&self, n: DVec3) -> bool {
        let along = self.poses.map(|pose| pose.direction_to_body(n));
        let offset = self.poses.map(|pose| n.dot(pose.translation));
        self.b.hull.lowest(&along, &offset, self.stray[1]) - self.a.hull.extent(n) > self.needed
    }

    /// The direction out of the first solid's box towards the second one's centre in the middle of the window.
    fn way_out(&self) -> Option<DVec3> {
        let (center, half) = self.a.hull.bounds();
        let from = self.poses[1].apply(self.b.hull.bounds().0) - center;
        (from - from.clamp(-half, half)).try_normalize()
    }
}
