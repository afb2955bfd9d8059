//! The exact stage: the first touch of pairs of bodies, which move in rigid groups when few joints move.
//!
//! Links with the same last moving joint before them do not move relative to each other: they are one group, in the
//! frame of the link that the joint carries. So the motion of a body is a product of as many moving transforms as there
//! are joints *that move* on its way,
//! ```text
//! H_1 J_1(t) H_2 J_2(t) ... H_r J_r(t) S
//! ```
//! with constant transforms in between: `H_i` from where joint `i` hangs to the frame of the group that it hangs on,
//! `S` from the body to its group's frame. The constant ones are quotients of world transforms at the start of the
//! step, which the assembly tree has; each comes with its error. There are at most two frames for each joint that moves
//! and one for each queried body, and only those on the way to such a body are built.
//!
//! For a pair that its front (`fronts`) does not prove free, the coarse solids around the two are tried first: at both
//! ends of the step (`chords`), along the direction that separated them last, before any frame is built; their distance
//! now, which the front keeps; and then the sieve of robots (`articulated::windows`) over the whole step. If none of
//! these proves the pair free, the two trees are searched. If the two rest, or nearly so, the front is measured again,
//! and the search begins at its nodes. Otherwise it begins where the last search ended (`cuts`), or at the roots. The
//! pairs all go through one queue of the tree engine. Everything else is the kinematics of robots in `articulated`:
//! positions, velocities and their bounds along chains of frames, cached for each queried instant. Two bodies move
//! relative to the last frame that both hang on, so that the motion of the rest of the robot cancels.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 3.2, where transforms of potentially colliding bodies alone are updated.

use std::collections::HashMap;
use std::sync::OnceLock;

use glam::DVec3;

use super::assembly::AssemblyTree;
use super::bounding::{AnyCuller, Bounding};
use super::chords::AtEnds;
use super::culling::placed_in_link;
use super::cuts::Cut;
use super::fronts::Near;
use super::index_hash::ByIndex;
use super::nearby::{Kept, OtherBody};
use super::transforms::{Placed, Transform};
use crate::answer::Answer;
use crate::articulated::obstacle_side;
use crate::articulated::windows::{PlacedSolid, distance_at_start, is_apart};
use crate::body::{Body, BodyKind};
use crate::motion::Motion;
use crate::narrow::{Pieces, Side, touch_of_leaves};
use crate::numerics::rounding::up;
use crate::pair::{Limits, NeededGap};
use crate::robot::{Frame, JointMotion, Robot, RobotMotion};
use crate::tree::composite::Composite;
use crate::tree::{Ends, StartNodes, TreeStats, first_touch_from};
use crate::world::part_pairs::{LinkShape, PartPair, PartSide};

/// Runs the exact stage for these pairs of the list. Returns their first touch, and the work.
pub(super) fn exact(
    scene: Exact<'_>,
    list: &mut [Kept],
    mut open: Vec<usize>,
    step: &ExactStep<'_>,
    work: &mut ExactWork,
) -> Answer {
    let Exact { robot, tree, culler, obstacles, solids } = scene;
    let limits = step.limits;
    // A search for any touch ends with a time that depends on all its pairs, so it gets all of them.
    let are_sieved = !step.any && !limits.watch.is_raised();
    let by_chords = are_sieved && culler.bounding() == Bounding::Chord;
    if by_chords {
        open.retain(|&k| {
            let kept = &mut list[k];
            let Some(own) = culler.chord_of(tree, kept.part) else { return true };
            let shape = |part: usize| {
                let part = culler.parts()[part];
                &robot.links()[part.link].parts()[part.part].shape
            };
            let solid_of =
                |part: usize| solids.parts[part].get_or_init(|| PlacedSolid::of_shape(shape(part))).as_ref();
            let solid = match kept.other {
                OtherBody::Part(part) => solid_of(part),
                OtherBody::Obstacle(k) => {
                    solids.obstacles[k].get_or_init(|| resting_solid(&obstacles[k])).as_ref()
                }
            };
            let (Some(hull), Some(other)) = (solid_of(kept.part), solid) else { return true };
            let own = AtEnds::new(hull.hull(), &own);
            let other = match kept.other {
                OtherBody::Obstacle(_) => AtEnds::at_rest(other.hull()),
                OtherBody::Part(part) => match culler.chord_of(tree, part) {
                    Some(chord) => AtEnds::new(other.hull(), &chord),
                    None => return true,
                },
            };
            !kept.are_apart_by_chords(&own, &other, step)
        });
        if open.is_empty() {
            return Answer::Free;
        }
    }
    // Of pairs that touch at the same time the first in the list is reported, and swapping the sides of a pair may
    // change the last bits. So the list must not depend on the order of the obstacles or of the attached bodies.
    let rank = |i: usize| {
        let part = &culler.parts()[i];
        (robot.rank(part.link), part.part)
    };
    // Pairs with obstacles come first.
    let in_order = |kept: &Kept| match kept.other {
        OtherBody::Obstacle(_) => [kept.part; 2],
        OtherBody::Part(other) if rank(other) < rank(kept.part) => [other, kept.part],
        OtherBody::Part(other) => [kept.part, other],
    };
    open.sort_unstable_by(|&x, &y| {
        let key = |k: usize| {
            let kept = &list[k];
            let ([first, second], obstacle) = (
                in_order(kept),
                match kept.other {
                    OtherBody::Obstacle(k) => obstacles[k].name(),
                    OtherBody::Part(_) => "",
                },
            );
            (matches!(kept.other, OtherBody::Part(_)), rank(first), obstacle, rank(second))
        };
        key(x).cmp(&key(y))
    });
    let ordered: Vec<[usize; 2]> = open.iter().map(|&k| in_order(&list[k])).collect();
    let mut groups = Groups::new(robot, step.moves);
    let mut frame_of = |groups: &mut Groups<'_>, i: usize| {
        let part = culler.parts()[i];
        groups.part(i, part.link, placed_in_link(&part), &mut |link| culler.start_of(tree, link))
    };
    let mut close: Vec<Candidate> = Vec::with_capacity(open.len());
    for (&k, &[i, j]) in open.iter().zip(&ordered) {
        let frame = frame_of(&mut groups, i);
        close.push(match list[k].other {
            OtherBody::Obstacle(obstacle) => {
                Candidate { part: i, frame, other: Other::Obstacle(obstacle), base: None }
            }
            OtherBody::Part(_) => {
                let of_other = frame_of(&mut groups, j);
                let base = groups.common(frame, of_other);
                Candidate { part: i, frame, other: Other::Part { part: j, frame: of_other }, base }
            }
        });
    }
    work.bodies += groups.parts();
    let motion = RobotMotion::of_frames(robot, groups.frames);
    let parts = culler.parts();
    let side = |i: usize, frame: usize, base: Option<usize>| {
        let part = parts[i];
        PartSide::Link {
            pieces: Pieces::of(&robot.links()[part.link].parts()[part.part].shape),
            motion: motion.frame_in(frame, base),
            label: Some(LinkShape { link: part.link as u32, shape: part.part as u32 }),
        }
    };
    let pairs: Vec<PartPair<'_>> = close
        .iter()
        .map(|candidate| {
            let base = candidate.base;
            let other = match candidate.other {
                Other::Obstacle(k) => obstacle_side(&obstacles[k]),
                Other::Part { part, frame } => side(part, frame, base),
            };
            let sides = [side(candidate.part, candidate.frame, base), other];
            PartPair { sides, frame: base.map(|base| (&motion, base)), separation: limits.min_separation }
        })
        .collect();
    let sides: Vec<[Side<'_>; 2]> = pairs.iter().map(PartPair::sides).collect();
    let solid = |i: usize, frame: usize| {
        let part = parts[i];
        let shape = &robot.links()[part.link].parts()[part.part].shape;
        let solid = solids.parts[i].get_or_init(|| PlacedSolid::of_shape(shape));
        solid.as_ref().map(|solid| solid.in_frame(&motion, frame))
    };
    let mut starts: Vec<StartNodes> = Vec::with_capacity(open.len());
    // The pairs of which this search has a cut in the end, and whether it begins at their roots.
    let mut renewed: Vec<Option<bool>> = vec![None; open.len()];
    for (pair, (&k, sides)) in open.iter().zip(&sides).enumerate() {
        let Kept { front, cut, travel, is_proven, may_be_apart, .. } = &mut list[k];
        let is_measured = sides.iter().all(|side| {
            // The distance from the surface of a solid mesh says nothing about its inside, and a half-space is
            // unbounded.
            side.pieces.solid_mesh().is_none() && !side.pieces.is_unbounded()
        });
        if is_measured && are_sieved && *may_be_apart {
            let candidate = &close[pair];
            let other = match candidate.other {
                Other::Obstacle(k) => {
                    solids.obstacles[k].get_or_init(|| resting_solid(&obstacles[k])).clone()
                }
                Other::Part { part, frame } => solid(part, frame),
            };
            if let (Some(own), Some(other)) = (solid(candidate.part, candidate.frame), other) {
                if !by_chords {
                    front.are_apart(distance_at_start(&own, &other));
                    if front.is_safe(*travel, step.gap) {
                        continue;
                    }
                }
                if is_apart(&own, &other, limits.t_end, step.gap.value()) {
                    *is_proven = true;
                    continue;
                }
            }
        }
        // In a step of a long travel the distances that a front measures are of no use in the next step, and a search
        // from its many small nodes costs more than one from the roots. A travel that is NaN is long.
        let pair_of = |Near { nodes, normal }| StartNodes { pair: pair as u32, nodes, normal };
        if is_measured && *travel <= step.gap.value() {
            let near = front.near(sides, *travel, step.gap, &mut work.measured);
            starts.extend(near.into_iter().map(pair_of));
        } else if is_measured && !step.any && Cut::serves(sides, *travel) {
            renewed[pair] = Some(cut.begin(pair as u32, &mut starts));
        } else {
            starts.push(pair_of(Near::ROOTS));
        }
    }
    let mut ends = Ends::default();
    let mut first_touch = |limits: &Limits| {
        let ends = if step.any { None } else { Some(&mut ends) };
        let found = first_touch_from(&sides, &starts, limits, step.any, ends, &mut work.tree);
        let verdict = found.verdict.map(|leaves| {
            let mut touch = touch_of_leaves(&sides[found.pair], &leaves);
            pairs[found.pair].describe(&mut touch);
            touch
        });
        (verdict, found.pair)
    };
    let (mut verdict, mut pair) = first_touch(limits);
    if step.any && verdict.touch().is_some_and(|touch| touch.toi > 0.0) {
        // Contacts at the start come before any other.
        let at_start = first_touch(&Limits { t_end: limits.t_start, ..*limits });
        if at_start.0.touch().is_some() {
            (verdict, pair) = at_start;
        }
    }
    if !ends.nodes.is_empty() && !limits.watch.is_raised() {
        for (&k, from_roots) in open.iter().zip(&renewed) {
            if let Some(from_roots) = *from_roots {
                list[k].cut.renew(from_roots);
            }
        }
        for end in ends.nodes.into_iter().filter(|end| renewed[end.pair as usize].is_some()) {
            list[open[end.pair as usize]].cut.add(end);
        }
        // From the roots, these begin later in the step.
        for pair in ends.late_hulls {
            list[open[pair as usize]].cut = Cut::default();
        }
    }
    let Some(candidate) = close.get(pair) else { return Answer::Free };
    let answer = verdict.map(|touch| match candidate.other {
        // Pairs are processed by rank, but answers use indices.
        Other::Part { part, .. } if parts[part].link < parts[candidate.part].link => touch.swapped(),
        _ => touch,
    });
    answer.answer(candidate.bodies())
}

impl Kept {
    /// Returns true if the solids around the two are proven apart over the step, by their chords, or by their
    /// remembered distance and the travel that the chords give. Tries the direction that separated them last, and then
    /// the one between their closest points.
    fn are_apart_by_chords(&mut self, own: &AtEnds<'_>, other: &AtEnds<'_>, step: &ExactStep<'_>) -> bool {
        // The chords are those of a whole step.
        if self.travel != 0.0 && step.limits.t_end == 1.0 {
            let (own, other) = (own.way(), other.way());
            let bulge = up(own[1] + other[1]);
            let travel = up(up(own[0] + other[0]) + bulge);
            // This is `false` for NaN.
            if travel < self.travel {
                (self.travel, self.bulge) = (travel, bulge);
                if self.front.is_safe(travel, step.gap) {
                    return true;
                }
            }
        }
        let of_own = |n: DVec3| match self.other {
            OtherBody::Obstacle(_) => n,
            OtherBody::Part(_) => own.start().direction_to_body(n),
        };
        let known = match self.other {
            OtherBody::Obstacle(_) => self.normal,
            OtherBody::Part(_) => own.start().rotation * self.normal,
        };
        if let Some(n) = known.try_normalize() {
            let separation = own.separation(other, n);
            if own.stay_apart(other, separation, step.gap.value()) {
                self.front.are_apart(separation[0]);
                self.is_proven = true;
                return true;
            }
        }
        let n = own.direction_to(other);
        let separation = own.separation(other, n);
        self.normal = of_own(n);
        self.front.are_apart(separation[0]);
        if self.front.is_safe(self.travel, step.gap) {
            return true;
        }
        self.is_proven = own.stay_apart(other, separation, step.gap.value());
        // Solids that are closer than that at the start are not proven apart by any other direction either, and not in
        // parts of the step.
        self.may_be_apart = separation[0] > step.gap.value();
        self.is_proven
    }
}

/// The coarse solid of an obstacle at rest.
fn resting_solid(obstacle: &Body) -> Option<PlacedSolid<'static>> {
    match obstacle.kind() {
        BodyKind::Rigid { shape, motion: Motion::Fixed(pose) } => PlacedSolid::at_rest(shape, pose.at()),
        _ => None,
    }
}

/// The input of the exact stage.
pub(super) struct Exact<'a> {
    pub(super) robot: &'a Robot,
    pub(super) tree: &'a AssemblyTree,
    pub(super) culler: &'a mut AnyCuller,
    pub(super) obstacles: &'a [Body],
    pub(super) solids: &'a CoarseSolids,
}

/// The coarse solids of all parts of the robot, each in its own frame, and of the obstacles, in the world. Each is
/// computed on first use. They hold for any configuration and any options: the robot and the obstacles of a simulation
/// never change.
#[derive(Debug, Clone)]
pub(super) struct CoarseSolids {
    parts: Vec<OnceLock<Option<PlacedSolid<'static>>>>,
    obstacles: Vec<OnceLock<Option<PlacedSolid<'static>>>>,
}

impl CoarseSolids {
    pub(super) fn new(parts: usize, obstacles: usize) -> CoarseSolids {
        CoarseSolids { parts: vec![OnceLock::new(); parts], obstacles: vec![OnceLock::new(); obstacles] }
    }
}

/// The step, and the separation that must be proven in it.
pub(super) struct ExactStep<'a> {
    pub(super) moves: &'a [(usize, JointMotion, bool)],
    pub(super) limits: &'a Limits,
    /// The separation of pairs that need no look.
    pub(super) gap: NeededGap,
    pub(super) any: bool,
}

/// The work of the exact stage.
#[derive(Debug, Default)]
pub(super) struct ExactWork {
    /// The number of parts.
    pub(super) bodies: usize,
    /// The number of pairs of nodes that fronts measured.
    pub(super) measured: u64,
    pub(super) tree: TreeStats,
}

/// A pair that was not proven before. Its motions are in the frame `base`, or in the world.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    part: usize,
    frame: usize,
    other: Other,
    base: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Other {
    Obstacle(usize),
    Part { part: usize, frame: usize },
}

impl Candidate {
    fn bodies(&self) -> [usize; 2] {
        match self.other {
            Other::Obstacle(obstacle) => [0, 1 + obstacle],
            Other::Part { .. } => [0, 0],
        }
    }
}

/// Returns the pose of a link at the start of a step, and the joint that carries it.
type StartOf<'a> = dyn FnMut(usize) -> (Placed, Option<usize>) + 'a;

/// Frames of groups and bodies, parents before children.
struct Groups<'a> {
    robot: &'a Robot,
    /// The motions of the joints that are not at rest, by the link they carry, in order.
    moves: &'a [(usize, JointMotion, bool)],
    frames: Vec<Frame>,
    of_carrier: HashMap<usize, usize, ByIndex>,
    of_part: HashMap<usize, usize, ByIndex>,
}

impl<'a> Groups<'a> {
    fn new(robot: &'a Robot, moves: &'a [(usize, JointMotion, bool)]) -> Groups<'a> {
        let (of_carrier, of_part) = (HashMap::default(), HashMap::default());
        Groups { robot, moves, frames: Vec::new(), of_carrier, of_part }
    }

    /// The frame of a part, which is at `placed` in the frame of its link, or at its origin.
    fn part(
        &mut self,
        part: usize,
        link: usize,
        placed: Option<Placed>,
        start_of: &mut StartOf<'_>,
    ) -> usize {
        if let Some(&frame) = self.of_part.get(&part) {
            return frame;
        }
        let (start, carrier) = start_of(link);
        let frame = match placed {
            // The link that the joint carries, in its own frame.
            None if carrier == Some(link) => self.group(link, start_of),
            None => self.resting_in(carrier, start, start_of),
            Some(placed) => self.resting_in(carrier, start.compose(&placed), start_of),
        };
        self.of_part.insert(part, frame);
        frame
    }

    /// A frame at rest in the group of a carrier, given by its pose in the world at the start.
    fn resting_in(&mut self, carrier: Option<usize>, start: Placed, start_of: &mut StartOf<'_>) -> usize {
        let (parent, placed) = match carrier {
            None => (None, start),
            Some(carrier) => {
                let group = self.group(carrier, start_of);
                (Some(group), start.relative_to(&start_of(carrier).0))
            }
        };
        self.push(parent, JointMotion::resting_at(placed.pose, placed.error))
    }

    fn push(&mut self, parent: Option<usize>, moves: JointMotion) -> usize {
        self.frames.push(Frame { parent, moves });
        self.frames.len() - 1
    }

    /// The frame of the link that a joint carries.
    fn group(&mut self, carrier: usize, start_of: &mut StartOf<'_>) -> usize {
        // Goes up to a group that exists already, and down again.
        let mut way = Vec::new();
        let mut next = Some(carrier);
        while let Some(link) = next.filter(|link| !self.of_carrier.contains_key(link)) {
            way.push(link);
            next = self.robot.links()[link].parent().and_then(|parent| start_of(parent).1);
        }
        for link in way.into_iter().rev() {
            let frame = match self.robot.links()[link].parent() {
                // The base, which does not move.
                None => {
                    let Placed { pose, error } = start_of(link).0;
                    self.push(None, JointMotion::resting_at(pose, error))
                }
                Some(parent) => {
                    let (start, above) = start_of(parent);
                    let hook = match above.filter(|&above| above == parent) {
                        Some(same) => self.of_carrier[&same],
                        None => self.resting_in(above, start, start_of),
                    };
                    let at = self.moves.partition_point(|(other, ..)| *other < link);
                    self.push(Some(hook), self.moves[at].1)
                }
            };
            self.of_carrier.insert(link, frame);
        }
        self.of_carrier[&carrier]
    }

    /// The number of parts that were queried.
    fn parts(&self) -> usize {
        self.of_part.len()
    }

    /// The last common ancestor of two frames; `None` if it is the world.
    fn common(&self, a: usize, b: usize) -> Option<usize> {
        let (mut a, mut b) = (Some(a), Some(b));
        // A parent has the lower index, and the world is before all.
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            *later = later.and_then(|frame| self.frames[frame].parent);
        }
        a
    }
}
