//! The closest points of two parts at an instant, also with one of them displaced, and everything that is near in a
//! span of time. Derivatives come from the closest points; the other near places decide whether the derivatives exist.

use glam::{DQuat, DVec3};

use super::{Measured, Pairs};
use crate::answer::{Part, Touch};
use crate::clearance::{Question, SidePair, least_distance_in, near_instants};
use crate::control::Control;
use crate::error::Result;
use crate::motion::{Motion, Pose, PoseAt};
use crate::narrow::touch_of_leaves;
use crate::numerics::portable::rotation_by;
use crate::options::Options;
use crate::pair::TreeStats;

/// A small displacement of one of two parts: a turn about a point, by a rotation vector, and a shift.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Displacement {
    pub(crate) about: DVec3,
    pub(crate) turn: DVec3,
    pub(crate) shift: DVec3,
}

impl Displacement {
    /// Returns the same in the frame with this pose.
    fn within(&self, frame: &PoseAt) -> Displacement {
        let direction = |v: DVec3| frame.rotation.transpose() * v;
        Displacement {
            about: frame.to_body(self.about),
            turn: direction(self.turn),
            shift: direction(self.shift),
        }
    }

    fn of(&self, pose: &PoseAt) -> Result<Pose> {
        let turn = rotation_by(self.turn);
        let place = self.about + turn * (pose.translation - self.about) + self.shift;
        Pose::new(place, (turn * DQuat::from_mat3(&pose.rotation)).normalize())
    }
}

/// Everything that is within a level.
pub(crate) struct Near {
    /// Instants at which two parts are, with their closest points.
    pub(crate) touches: Vec<Touch>,
    /// True if these are all places and times, up to short windows.
    pub(crate) is_complete: bool,
}

/// Distances up to which parts are near.
#[derive(Clone, Copy)]
pub(crate) enum Level<'a> {
    /// The same for all pairs.
    Same(f64),
    /// This much beyond the separation of each pair under some options.
    Beyond(&'a Options, f64),
}

/// Returns all pairs of parts that come within a level in a span of time, and when. Distances are measured to a
/// thousandth of `resolution`. After an interrupt the list is not complete.
pub(crate) fn near<P: Pairs>(
    world: &P,
    span: [f64; 2],
    level: &Level<'_>,
    resolution: f64,
    control: &Control<'_>,
) -> Near {
    let (min_separation, largest) = match *level {
        Level::Same(level) => (Options::default().min_separation, level),
        Level::Beyond(options, by) => (options.min_separation, world.largest_separation(options) + by),
    };
    let measured = Measured::new(world, world.within(span, largest), min_separation);
    let sides = measured.sides();
    let of_pair = |pair: usize| match *level {
        Level::Same(level) => level,
        Level::Beyond(_, by) => sides[pair].separation + by,
    };
    let found = near_instants(&sides, span, of_pair, resolution, control.watch());
    let touches = found
        .instants
        .into_iter()
        .map(|(pair, leaves)| measured.touch(pair, touch_of_leaves(&sides[pair].sides, &leaves)));
    Near { touches: touches.collect(), is_complete: found.is_complete }
}

/// Returns the closest points of two parts at an instant, as exact as rounding allows, with the second one displaced;
/// `None` if there are no such parts, or for two parts of one deforming mesh that are displaced.
pub(crate) fn closest<P: Pairs>(
    world: &P,
    bodies: [usize; 2],
    parts: [Part; 2],
    t: f64,
    by: Option<&Displacement>,
) -> Option<Touch> {
    let (pair, is_reversed) = world.pair_of(bodies, parts)?;
    if world.is_with_itself(&pair) && by.is_some() {
        return None;
    }
    let exact = Options { tolerance: f64::MIN_POSITIVE, ..Options::default() };
    let measured = Measured::new(world, vec![pair], exact.min_separation);
    let SidePair { mut sides, with_itself, separation } = measured.sides()[0];
    let second = usize::from(is_reversed == world.is_swapped(&pair));
    let moved;
    if let Some(by) = by {
        let frame = measured.built(0).frame.map(|(motion, frame)| motion.link_pose(frame, t));
        let by = frame.map_or(*by, |frame| by.within(&frame));
        moved = Motion::fixed(by.of(&sides[second].motion.pose_at(t)).ok()?);
        sides[second].motion = &moved;
    }
    let sides = [SidePair { sides, with_itself, separation }];
    let question = Question { span: [t, t], ..Question::new(&exact) };
    let windows = [(0, [t, t])];
    let (_, leaves) = least_distance_in(&sides, &windows, &question, &mut TreeStats::default()).nearest?;
    let touch = measured.described(0, touch_of_leaves(&sides[0].sides, &leaves));
    let touch = if is_reversed { touch.swapped() } else { touch };
    Some(touch.between(bodies))
}
