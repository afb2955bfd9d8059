//! Guesses: whether a motion of the robot is probably free.
//!
//! The problem: a search asks about hundreds of motions, and the path that it finds has five. A proof of each costs
//! tens of microseconds; a guess costs one.
//!
//! 1. The robot is a few balls per link (`arm`), the obstacles are boxes, cylinders, slabs and hierarchies
//!    (`obstacles`).
//! 2. A motion is sampled, eight configurations at once (`lanes`): one rake covers the whole motion, the next ones lie
//!    between. The step is a share of the robot's reach ([`SPACING`]).
//! 3. With the first rake, a ball around each link is compared with each obstacle. Pairs that cannot come together
//!    between its samples are left out of the other rakes.
//! 4. For each pair that is near, the few balls of the link are compared with the obstacle. The pair that blocked the
//!    last motion comes first.
//! 5. Guesses learn: a configuration that is proven free makes balls smaller ([`Guesses::allow`]), a proven touch adds
//!    a ball at its place ([`Guesses::forbid`]), and if no way is found all balls shrink ([`Guesses::loosen`]).
//!
//! Guarantee: none. A guess may be wrong both ways. It is the same on every machine.

mod arm;
mod lanes;
mod obstacles;

use fearless_simd::{Level, Simd, SimdBase, SimdFloat, SimdMask, dispatch, mask32x8};

use super::{Edges, Space};
use crate::answer::{Answer, Touch};
use crate::articulated::Checker;
use crate::error::Result;
use crate::options::{Mode, Options};
use crate::world::padded;
use arm::{Arm, Course};
use lanes::{LANE_NUMBERS, LANES, Lanes, Point, PoseLanes, dot, minus, splat};
use obstacles::{Frame, Item};

/// The distance that the robot moves from sample to sample, as a share of its reach. With twice as much, motions pass
/// through thin plates between samples; with half, guesses take twice as long.
const SPACING: f64 = 0.02;

/// The radius of the first ball that a proven touch adds, as a share of the robot's reach.
const LESSON: f64 = 0.004;

/// The length by which balls shrink if no way is found, as a share of the robot's reach.
const LOOSEN: f64 = 0.001;

/// A pair of links that are checked against each other.
struct OwnPair {
    links: [usize; 2],
    margin: f32,
}

/// The link and the item that blocked a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Blocking {
    pair: [u32; 2],
}

/// Eight configurations, and the pairs that may touch there.
struct Rake<S: Simd> {
    poses: Vec<PoseLanes<S>>,
    /// The centres of the links.
    centers: Vec<Point<S>>,
    /// The centres of the balls of one link.
    balls: Vec<Point<S>>,
    /// Pairs of a link and an item.
    near: Vec<[u32; 2]>,
    /// The numbers of pairs of links.
    near_own: Vec<u32>,
}

impl<S: Simd> Rake<S> {
    fn new() -> Rake<S> {
        Rake {
            poses: Vec::with_capacity(16),
            centers: Vec::with_capacity(16),
            balls: Vec::with_capacity(48),
            near: Vec::with_capacity(32),
            near_own: Vec::with_capacity(8),
        }
    }
}

/// The robot and the obstacles in the form that guesses use.
pub(super) struct Guesses<'a> {
    checker: &'a Checker,
    min_separation: f64,
    /// A touch may be reported anywhere within it.
    tolerance: f64,
    arm: Arm,
    items: Vec<Item<'a>>,
    obstacles: usize,
    /// For each link of the arm and each obstacle, how far they keep apart; negative infinity if they are not checked.
    margins: Vec<f32>,
    own: Vec<OwnPair>,
    course: Course,
    level: Level,
    blocking: Blocking,
    /// The radius of the next ball that is learnt.
    lesson: f64,
    spacing: f64,
}

impl<'a> Guesses<'a> {
    pub(super) fn new(checker: &'a Checker, space: &Space, check: &Options) -> Guesses<'a> {
        let arm = Arm::new(checker, space);
        let unit = arm.unit;
        let mut items = Vec::with_capacity(checker.obstacles().len());
        for (k, body) in checker.obstacles().enumerate() {
            let Some((shape, motion)) = body.as_rigid() else { continue };
            let crate::motion::Motion::Fixed(pose) = motion else { continue };
            let pose = pose.at();
            let frame =
                Frame { rotation: pose.rotation, at: pose.translation - checker.base().translation(), unit };
            obstacles::add(&mut items, k, shape, &frame);
        }
        let mut guesses = Guesses {
            checker,
            min_separation: check.min_separation,
            tolerance: check.tolerance,
            arm,
            items,
            obstacles: checker.obstacles().len(),
            margins: vec![],
            own: vec![],
            course: Course::default(),
            level: Level::new(),
            blocking: Blocking { pair: [u32::MAX; 2] },
            lesson: LESSON,
            spacing: SPACING,
        };
        guesses.find_margins();
        guesses
    }

    /// Reads the rules of the checker about pairs.
    fn find_margins(&mut self) {
        let Guesses { checker, arm, .. } = self;
        let length = |x: f64| (x * arm.unit) as f32;
        self.margins.clear();
        for link in &arm.links {
            let name = Some(link.index as u32);
            let padding = checker.padding().of_link(link.index as u32);
            let margin = |k: usize| {
                let rule = checker.rule_of(k);
                if rule.allows([name, None]) {
                    return f32::NEG_INFINITY;
                }
                let separation = rule.separation([name, None]).unwrap_or(self.min_separation);
                length(padded(separation, padding) + self.tolerance)
            };
            self.margins.extend((0..self.obstacles).map(margin));
        }
        self.own.clear();
        let own = checker.own_rule();
        for (b, second) in arm.links.iter().enumerate() {
            for (a, first) in arm.links[..b].iter().enumerate() {
                let names = [first.index, second.index];
                let links = names.map(|index| Some(index as u32));
                let is_checked = first.frame != second.frame
                    && !checker.robot().is_allowed(names[0], names[1])
                    && !own.allows(links)
                    && !own.allows([links[1], links[0]]);
                if is_checked {
                    let separation = own.separation_within(links).unwrap_or(self.min_separation);
                    self.own.push(OwnPair { links: [a, b], margin: length(separation + self.tolerance) });
                }
            }
        }
    }

    /// Returns true if a motion is probably free.
    pub(super) fn is_free(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.arm.set_out(&mut self.course, from, to);
        let (is_free, blocking) = dispatch!(self.level, simd => self.is_course_free(simd));
        self.blocking = blocking;
        is_free
    }

    /// Returns the share of a motion that is probably free.
    pub(super) fn free_share(&mut self, from: &[f64], to: &[f64]) -> f64 {
        self.arm.set_out(&mut self.course, from, to);
        dispatch!(self.level, simd => self.free_share_of_course(simd))
    }

    fn rakes(&self) -> usize {
        let samples = (self.course.travel / self.spacing).ceil().clamp(1.0, 1e5) as usize;
        samples.div_ceil(LANES)
    }

    /// Returns what blocks the motion, too: it is likely to block the next one.
    #[inline(always)]
    fn is_course_free<S: Simd>(&self, simd: S) -> (bool, Blocking) {
        let rakes = self.rakes();
        let mut rake = Rake::new();
        let lanes = Lanes::from_slice(simd, &LANE_NUMBERS);
        let steps = 1.0 / (LANES * rakes) as f32;
        // The rakes in an order in which each lies far from the ones before: the bits of their numbers reversed.
        let bits = rakes.next_power_of_two().trailing_zeros();
        for k in 0..rakes.next_power_of_two() {
            let place = if bits == 0 { 0 } else { k.reverse_bits() >> (usize::BITS - bits) };
            if place >= rakes {
                continue;
            }
            // The last sample of the first rake is the end.
            let t = splat(simd, (rakes - place) as f32 * steps) + lanes * splat(simd, 1.0 / LANES as f32);
            self.arm.place(simd, &self.course, t, &mut rake.poses);
            self.place_centers(simd, &mut rake);
            if k == 0 {
                // Its samples are an eighth of the motion apart, and an eighth from the start.
                let share = if rakes == 1 { 0.0 } else { 1.0 / LANES as f32 };
                self.find_near(simd, &mut rake, share);
                if rake.near.is_empty() && rake.near_own.is_empty() {
                    return (true, self.blocking);
                }
            }
            let (found, blocking) = self.touching(simd, &mut rake, true);
            if found != 0 {
                return (false, blocking);
            }
        }
        (true, self.blocking)
    }

    #[inline(always)]
    fn free_share_of_course<S: Simd>(&self, simd: S) -> f64 {
        let rakes = self.rakes();
        let mut rake = Rake::new();
        let steps = 1.0 / (LANES * rakes) as f32;
        let lanes = Lanes::from_slice(simd, &LANE_NUMBERS);
        for place in 0..rakes {
            let t = (splat(simd, (place * LANES + 1) as f32) + lanes) * splat(simd, steps);
            self.arm.place(simd, &self.course, t, &mut rake.poses);
            self.place_centers(simd, &mut rake);
            self.find_near(simd, &mut rake, 0.0);
            let (touching, _) = self.touching(simd, &mut rake, false);
            if touching != 0 {
                return (place * LANES + touching.trailing_zeros() as usize) as f64 / (LANES * rakes) as f64;
            }
        }
        1.0
    }

    /// Places the centres of the links.
    #[inline(always)]
    fn place_centers<S: Simd>(&self, simd: S, rake: &mut Rake<S>) {
        rake.centers.clear();
        for link in &self.arm.links {
            rake.centers.push(rake.poses[link.frame].placed(simd, link.center));
        }
    }

    /// Finds the pairs that may touch anywhere on the motion, if no sample of it is farther than a share of it from one
    /// of the rake.
    #[inline(always)]
    fn find_near<S: Simd>(&self, simd: S, rake: &mut Rake<S>, share: f32) {
        rake.near.clear();
        rake.near_own.clear();
        for (k, link) in self.arm.links.iter().enumerate().rev() {
            // A link on the base does not move.
            if link.frame == 0 {
                continue;
            }
            let margins = &self.margins[k * self.obstacles..];
            let reach = link.radius + share * self.course.travels[link.frame];
            for (i, item) in self.items.iter().enumerate() {
                let margin = margins[item.obstacle];
                if margin != f32::NEG_INFINITY
                    && item.within(simd, &rake.centers[k], reach + margin).any_true()
                {
                    rake.near.push([k as u32, i as u32]);
                }
            }
        }
        if let Some(place) = rake.near.iter().position(|pair| *pair == self.blocking.pair) {
            rake.near.swap(0, place);
        }
        for (k, OwnPair { links: [a, b], margin }) in self.own.iter().enumerate() {
            let (first, second) = (&self.arm.links[*a], &self.arm.links[*b]);
            let travel = self.course.travels[first.frame] + self.course.travels[second.frame];
            let reach = first.radius + second.radius + margin + share * travel;
            if near(simd, &rake.centers[*a], &rake.centers[*b], reach).any_true() {
                rake.near_own.push(k as u32);
            }
        }
    }

    /// Returns the configurations of a rake in which something probably touches, as bits; at least one of them if
    /// `any`.
    #[inline(always)]
    fn touching<S: Simd>(&self, simd: S, rake: &mut Rake<S>, any: bool) -> (u64, Blocking) {
        let mut found = 0;
        let mut placed = u32::MAX;
        for &[k, i] in &rake.near {
            let (link, item) = (&self.arm.links[k as usize], &self.items[i as usize]);
            let margin = self.margins[k as usize * self.obstacles + item.obstacle];
            if !item.within(simd, &rake.centers[k as usize], link.radius + margin).any_true() {
                continue;
            }
            if placed != k {
                placed = k;
                rake.balls.clear();
                for ball in &link.balls {
                    rake.balls.push(rake.poses[link.frame].placed(simd, ball.center));
                }
            }
            for (ball, at) in link.balls.iter().zip(&rake.balls) {
                if ball.radius + margin > 0.0 {
                    found |= item.within(simd, at, ball.radius + margin).to_bitmask();
                    if any && found != 0 {
                        return (found, Blocking { pair: [k, i] });
                    }
                }
            }
        }
        for &k in &rake.near_own {
            let OwnPair { links: [a, b], margin } = &self.own[k as usize];
            let (first, second) = (&self.arm.links[*a], &self.arm.links[*b]);
            let reach = first.radius + second.radius + margin;
            if !near(simd, &rake.centers[*a], &rake.centers[*b], reach).any_true() {
                continue;
            }
            for ball in &first.balls {
                let at = rake.poses[first.frame].placed(simd, ball.center);
                let reach = ball.own_radius + second.radius + margin;
                if !near(simd, &at, &rake.centers[*b], reach).any_true() {
                    continue;
                }
                for other in &second.balls {
                    let reach = ball.own_radius + other.own_radius + margin;
                    if reach > 0.0 {
                        let there = rake.poses[second.frame].placed(simd, other.center);
                        found |= near(simd, &at, &there, reach).to_bitmask();
                        if any && found != 0 {
                            return (found, self.blocking);
                        }
                    }
                }
            }
        }
        (found, self.blocking)
    }

    /// Learns that no way is found: the balls become smaller.
    pub(super) fn loosen(&mut self) {
        let step = LOOSEN as f32;
        for ball in self.arm.links.iter_mut().flat_map(|link| &mut link.balls) {
            ball.radius -= step;
            ball.own_radius -= step;
        }
    }

    /// Learns that a configuration is free: balls that touch there become smaller.
    pub(super) fn allow(&mut self, configuration: &[f64]) {
        self.arm.set_out(&mut self.course, configuration, configuration);
        dispatch!(self.level, simd => self.allow_course(simd));
    }

    #[inline(always)]
    fn allow_course<S: Simd>(&mut self, simd: S) {
        let mut poses = Vec::with_capacity(16);
        self.arm.place(simd, &self.course, Lanes::splat(simd, 0.0), &mut poses);
        let step = (0.25 * self.lesson) as f32;
        for k in 0..self.arm.links.len() {
            let link = &mut self.arm.links[k];
            if link.frame == 0 {
                continue;
            }
            for ball in &mut link.balls {
                let at = poses[link.frame].placed(simd, ball.center);
                for item in &self.items {
                    let margin = self.margins[k * self.obstacles + item.obstacle];
                    if margin == f32::NEG_INFINITY {
                        continue;
                    }
                    let mut touches = false;
                    while ball.radius + margin > 0.0
                        && item.within(simd, &at, ball.radius + margin).any_true()
                    {
                        ball.radius -= step;
                        touches = true;
                    }
                    if touches {
                        ball.radius -= step;
                    }
                }
            }
        }
        for OwnPair { links: [a, b], margin } in &self.own {
            for i in 0..self.arm.links[*a].balls.len() {
                for j in 0..self.arm.links[*b].balls.len() {
                    let (first, second) = (&self.arm.links[*a], &self.arm.links[*b]);
                    let p = poses[first.frame].placed(simd, first.balls[i].center);
                    let q = poses[second.frame].placed(simd, second.balls[j].center);
                    let way = minus(&p, &q);
                    let distance = dot(&way, &way).sqrt().as_slice()[0];
                    let radii =
                        self.arm.links[*a].balls[i].own_radius + self.arm.links[*b].balls[j].own_radius;
                    let deep = radii + margin - distance;
                    if deep >= 0.0 {
                        self.arm.links[*a].balls[i].own_radius -= 0.5 * deep + step;
                        self.arm.links[*b].balls[j].own_radius -= 0.5 * deep + step;
                    }
                }
            }
        }
    }

    /// Learns that something touches on the way from one configuration to another.
    pub(super) fn forbid(&mut self, from: &[f64], to: &[f64], touch: &Touch) {
        self.arm.set_out(&mut self.course, from, to);
        let frames = dispatch!(self.level, simd => self.frames_at(simd, touch.toi as f32));
        for side in 0..2 {
            let Some(link) = touch.parts[side].link() else { continue };
            let pose = &frames[self.arm.frame_of(link)];
            let point = self.arm.seen(self.checker, touch.points[side]);
            let from_origin = [0, 1, 2].map(|k| point[k] - pose[3][k]);
            let center = [0, 1, 2].map(|c| (0..3).map(|k| pose[c][k] * from_origin[k]).sum());
            self.arm.add_ball(link, center, self.lesson as f32);
        }
        self.lesson *= 1.5;
        self.spacing *= 0.85;
        self.find_margins();
    }

    #[inline(always)]
    fn frames_at<S: Simd>(&self, simd: S, t: f32) -> Vec<lanes::Fixed> {
        let mut poses = Vec::new();
        self.arm.place(simd, &self.course, Lanes::splat(simd, t), &mut poses);
        poses.iter().map(|pose| pose.lane(0)).collect()
    }
}

/// Returns the configurations in which two points are within a distance.
#[inline(always)]
fn near<S: Simd>(simd: S, a: &Point<S>, b: &Point<S>, reach: f32) -> mask32x8<S> {
    let way = minus(a, b);
    dot(&way, &way).simd_le(splat(simd, reach * reach))
}

/// Guesses are no proofs. `guided` proves the path that a search finds with them.
impl Edges for Guesses<'_> {
    fn check(&mut self, from: &[f64], to: &[f64], mode: Mode) -> Result<Answer> {
        let blocked = |free_until: f64| Answer::Undecided { free_until, bodies: [0, 0] };
        Ok(match mode {
            Mode::First if from != to => {
                let share = self.free_share(from, to);
                if share >= 1.0 { Answer::Free } else { blocked(share) }
            }
            _ if self.is_free(from, to) => Answer::Free,
            _ => blocked(0.0),
        })
    }
}
