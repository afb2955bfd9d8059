//! A shape that the library does not know, added from outside as ARCHITECTURE.md says: a solid torus.
//!
//! A torus is a circle swept by a ball. It is not convex, so it is a hierarchy of convex pieces, a [`Composite`]: arcs of the
//! circle, halved down to short ones. The piece of a leaf is its chord swept by the ball, a little larger so that the arc is in
//! it: by the sagitta `R (1 − cos(α/2))`, which is below a tenth of the tolerance here. Everything else, advancement, queue and
//! all, is the engine's.

mod random;

use firsttouch::Options;
use firsttouch::advancement::{Limits, Verdict};
use firsttouch::answer::{Feature, Part};
use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::narrow::composite::{AnyPiece, Composite, Solid};
use firsttouch::narrow::tree_tree::{TreeStats, first_touch};
use firsttouch::pair;
use firsttouch::shape::{Convex, Sphere};
use glam::{DQuat, DVec3};
use random::Random;
use std::f64::consts::TAU;

/// A segment swept by a ball.
#[derive(Debug, Clone, Copy)]
struct Rounded {
    ends: [DVec3; 2],
    radius: f64,
    arc: u32,
}

impl Convex for Rounded {
    fn support(&self, direction: DVec3) -> DVec3 {
        let [a, b] = self.ends;
        if a.dot(direction) >= b.dot(direction) { a } else { b }
    }
    fn extent(&self, direction: DVec3) -> f64 {
        let [a, b] = self.ends.map(|end| end.dot(direction));
        a.max(b) + self.radius
    }
    fn margin(&self) -> f64 {
        self.radius
    }
    fn reach(&self) -> f64 {
        (self.ends[0].length().max(self.ends[1].length()) + self.radius) * (1.0 + 1e-14)
    }
    fn bounds(&self) -> (DVec3, DVec3) {
        let [a, b] = self.ends;
        (0.5 * (a + b), 0.5 * (b - a).abs() + self.radius * (1.0 + 1e-14))
    }
    fn feature(&self, _point: DVec3, _normal: DVec3) -> Feature {
        Feature::Face(self.arc)
    }
}

/// A solid torus about z. Node `k` has the children `2k + 1` and `2k + 2`; the leaves are the last level.
struct Torus {
    major: f64,
    minor: f64,
    levels: u32,
    leaves: Vec<Rounded>,
}

impl Torus {
    fn new(major: f64, minor: f64, levels: u32) -> Torus {
        let arcs = 1_u32 << levels;
        let step = TAU / f64::from(arcs);
        let at = |i: u32| major * DVec3::new((f64::from(i) * step).cos(), (f64::from(i) * step).sin(), 0.0);
        let radius = (minor + major * (1.0 - (0.5 * step).cos())) * (1.0 + 1e-14);
        let leaves = (0..arcs).map(|i| Rounded { ends: [at(i), at(i + 1)], radius, arc: i }).collect();
        Torus { major, minor, levels, leaves }
    }

    /// The level of a node and its place there.
    fn place(&self, node: u32) -> (u32, u32) {
        let level = (node + 1).ilog2();
        (level, node + 1 - (1 << level))
    }

    /// The ball around a node's arc: about the middle of its chord, half the chord or (for more than half a circle) the
    /// radius, and the ball that sweeps it.
    fn ball(&self, node: u32) -> (DVec3, f64) {
        let (level, i) = self.place(node);
        if level == 0 {
            return (DVec3::ZERO, (self.major + self.leaves[0].radius) * (1.0 + 1e-14));
        }
        let angle = TAU / f64::from(1_u32 << level);
        let middle = (f64::from(i) + 0.5) * angle;
        let (sine, cosine) = (0.5 * angle).sin_cos();
        let center = self.major * cosine * DVec3::new(middle.cos(), middle.sin(), 0.0);
        // The ends of the chord are the farthest points of the arc up to half a circle.
        (center, (self.major * sine + self.leaves[0].radius) * (1.0 + 1e-12))
    }
}

impl Composite for &Torus {
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        let (level, _) = self.place(node);
        (level < self.levels).then_some([2 * node + 1, 2 * node + 2])
    }
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        let (center, radius) = self.ball(node);
        center.dot(direction) + radius * direction.length()
    }
    fn center(&self, node: u32) -> DVec3 {
        self.ball(node).0
    }
    fn reach(&self, node: u32) -> f64 {
        let (center, radius) = self.ball(node);
        (center.length() + radius) * (1.0 + 1e-14)
    }
    fn size(&self, node: u32) -> f64 {
        self.ball(node).1
    }
    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        let (center, radius) = self.ball(node);
        let out = point - center;
        out * (1.0 - radius / out.length().max(radius))
    }
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        AnyPiece::Solid(&self.leaves[self.place(leaf).1 as usize])
    }
    fn part(&self, leaf: u32) -> Part {
        Part::Triangle(self.place(leaf).1)
    }
    fn hull(&self) -> Option<&dyn Convex> {
        None
    }
}

/// Either side of a pair: engines are compiled for one kind of side, here this one.
#[derive(Clone, Copy)]
enum Side<'a> {
    Torus(&'a Torus),
    Solid(Solid<'a>),
}

macro_rules! forward {
    ($self:ident, $side:ident => $call:expr) => {
        match $self {
            Side::Torus($side) => $call,
            Side::Solid($side) => $call,
        }
    };
}

impl Composite for Side<'_> {
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        forward!(self, side => side.children(node))
    }
    fn extent(&self, node: u32, direction: DVec3) -> f64 {
        forward!(self, side => side.extent(node, direction))
    }
    fn center(&self, node: u32) -> DVec3 {
        forward!(self, side => side.center(node))
    }
    fn reach(&self, node: u32) -> f64 {
        forward!(self, side => side.reach(node))
    }
    fn size(&self, node: u32) -> f64 {
        forward!(self, side => side.size(node))
    }
    fn way_out(&self, node: u32, point: DVec3) -> DVec3 {
        forward!(self, side => side.way_out(node, point))
    }
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        forward!(self, side => side.piece(leaf))
    }
    fn part(&self, leaf: u32) -> Part {
        forward!(self, side => side.part(leaf))
    }
    fn hull(&self) -> Option<&dyn Convex> {
        None
    }
}

/// How far a point is from the solid torus, negative inside: a formula that the engine knows nothing of.
fn distance(torus: &Torus, point: DVec3) -> f64 {
    let ring = point.truncate().length() - torus.major;
    (ring * ring + point.z * point.z).sqrt() - torus.minor
}

#[test]
fn balls_fly_at_and_through_a_torus() {
    let torus = Torus::new(2.0, 0.5, 14);
    let tolerance = 1e-5;
    assert!(torus.leaves[0].radius - torus.minor < 0.1 * tolerance);
    let mut random = Random(1999);
    let (mut hits, mut through) = (0, 0);
    for n in 0..400 {
        let radius = random.range(0.1, 1.2);
        let ball = Sphere::new(radius).unwrap();
        // Half of them are aimed at the hole.
        let aim = if n % 2 == 0 { random.vector(3.0) } else { random.vector(0.4) };
        let from = aim + DVec3::new(0.0, 0.0, 4.0) + random.vector(1.0);
        let motion = Motion::linear(
            Pose::from_translation(from).unwrap(),
            Pose::from_translation(2.0 * aim - from).unwrap(),
        );
        let [x, y, z, w] = [0; 4].map(|_| random.range(-1.0, 1.0));
        let spin = DQuat::from_xyzw(x, y, z, w).normalize();
        let turning = Motion::linear(Pose::IDENTITY, Pose::new(DVec3::ZERO, spin).unwrap());
        let pair = [
            pair::Side { pieces: Side::Torus(&torus), motion: &turning },
            pair::Side { pieces: Side::Solid(Solid(&ball)), motion: &motion },
        ];
        let limits = Limits::new(&Options { tolerance, ..Options::default() }).unwrap();
        let outcome = first_touch(&[pair], &limits, false, &mut TreeStats::default()).verdict;
        let gap = |t: f64| {
            let pose = turning.pose_at(t);
            distance(&torus, pose.to_body(motion.pose_at(t).translation)) - radius
        };
        let free_until = match outcome {
            Verdict::Free => 1.0,
            Verdict::Touch(touch) => {
                hits += 1;
                let larger = torus.leaves[0].radius - torus.minor;
                assert!(gap(touch.t) <= tolerance + larger, "{n}: {} at {}", gap(touch.t), touch.t);
                touch.t
            }
            Verdict::Undecided { .. } => panic!("{n}: {outcome:?}"),
        };
        for i in 0..2000 {
            let t = f64::from(i) / 2000.0;
            assert!(t >= free_until || gap(t) > 0.0, "{n}: {} at {t}, free until {free_until}", gap(t));
        }
        // From above the plane to below it, and inside of the ring when it crosses.
        let pose = turning.pose_at(0.5);
        if outcome == Verdict::Free && pose.to_body(aim).truncate().length() < torus.major - torus.minor {
            through += 1;
        }
    }
    assert!((100..300).contains(&hits) && through > 20, "{hits} hits, {through} through the hole");
}
