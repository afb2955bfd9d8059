//! The closest points of two parts of a scene at an instant, also with one of them displaced, and all that is near in a
//! span of time. The derivatives come from the closest points, and the rest says whether they exist.

use glam::{DQuat, DVec3};

use super::Scene;
use super::parts::{MovingPart, Robots, parts_with_boxes};
use crate::answer::{Part, Touch};
use crate::body::BodyKind;
use crate::clearance::{Question, SidePair, least_distance_in, near_instants};
use crate::error::Result;
use crate::motion::{Motion, Pose, PoseAt};
use crate::narrow::touch_of_leaves;
use crate::numerics::Window;
use crate::options::Options;
use crate::pair::TreeStats;

/// A small change of where one of two parts is: a turn about a point, by a rotation vector, and a shift.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Displacement {
    pub(super) about: DVec3,
    pub(super) turn: DVec3,
    pub(super) shift: DVec3,
}

impl Displacement {
    /// The same in the frame with this pose.
    fn within(&self, frame: &PoseAt) -> Displacement {
        let direction = |v: DVec3| frame.rotation.transpose() * v;
        Displacement {
            about: frame.to_body(self.about),
            turn: direction(self.turn),
            shift: direction(self.shift),
        }
    }

    fn of(&self, pose: &PoseAt) -> Result<Pose> {
        let turn = DQuat::from_scaled_axis(self.turn);
        let place = self.about + turn * (pose.translation - self.about) + self.shift;
        Pose::new(place, (turn * DQuat::from_mat3(&pose.rotation)).normalize())
    }
}

/// All that is within a level.
pub(super) struct Near {
    /// Instants at which two parts are, with their closest points.
    pub(super) touches: Vec<Touch>,
    /// Whether these are all places and times, up to short windows.
    pub(super) is_complete: bool,
}

/// Distances up to which parts are near.
#[derive(Clone, Copy)]
pub(super) enum Level<'a> {
    /// The same for all pairs.
    Same(f64),
    /// This much beyond the separation of each pair under some options.
    Beyond(&'a Options, f64),
}

impl Scene {
    /// All pairs of parts that come within a level in a span of time, and when. Distances are measured to a thousandth of
    /// `resolution`.
    pub(super) fn near(&self, span: [f64; 2], level: &Level<'_>, resolution: f64) -> Result<Near> {
        if self.has_paths() {
            return self.near_of_spans(span, level, resolution);
        }
        let (options, largest) = match *level {
            Level::Same(level) => (&Options::default(), level),
            Level::Beyond(options, by) => (options, self.largest_separation(options) + by),
        };
        let robots = Robots::of(&self.bodies, 0..self.bodies.len());
        let (parts, boxes) = parts_with_boxes(&self.bodies, Window::between(span[0], span[1]));
        let pairs = self.measured_pairs(&parts, &boxes, None, largest);
        let measured = self.measured_of(&robots, &parts, pairs, options);
        let sides = measured.sides();
        let of_pair = |pair: usize| match *level {
            Level::Same(level) => level,
            Level::Beyond(_, by) => sides[pair].separation + by,
        };
        let found = near_instants(&sides, span, of_pair, resolution);
        let touches = found.instants.into_iter().map(|(pair, leaves)| {
            let touch = measured.described(pair, touch_of_leaves(&sides[pair].sides, &leaves));
            touch.between(measured.pairs[pair].bodies)
        });
        Ok(Near { touches: touches.collect(), is_complete: found.is_complete })
    }

    /// The closest points of two parts at an instant, as exact as rounding allows, with the second one displaced. The
    /// scene must have no robots on trajectories. `None` if there are no such parts, or for two parts of one deforming
    /// mesh that are displaced.
    pub(super) fn closest(
        &self,
        bodies: [usize; 2],
        parts: [Part; 2],
        t: f64,
        by: Option<&Displacement>,
    ) -> Option<Touch> {
        let robots = Robots::of(&self.bodies, 0..self.bodies.len());
        let (all, _) = parts_with_boxes(&self.bodies, Window::between(t, t));
        let is_wanted = |side: usize, part: &MovingPart| {
            part.body as usize == bodies[side]
                && match (self.bodies[bodies[side]].kind(), parts[side], part.of_robot) {
                    (BodyKind::Robot(_), Part::Link { link, shape, .. }, Some((_, of))) => {
                        of.link == link && of.shape == shape
                    }
                    (BodyKind::Robot(_), ..) => false,
                    _ => true,
                }
        };
        let index = |side: usize| all.iter().position(|part| is_wanted(side, part));
        let pair = [index(0)?, index(1)?];
        if pair[0] == pair[1] && by.is_some() {
            return None;
        }
        let measured = self.measured_of(
            &robots,
            &all,
            vec![self.measured_pair(&all, &self.ranks(), pair)],
            &Options::default(),
        );
        let SidePair { mut sides, with_itself, separation } = measured.sides()[0];
        // Two parts of one robot may be in the other order.
        let is_swapped = bodies[0] == bodies[1] && pair[0] > pair[1];
        let second = usize::from(!(is_swapped || measured.pairs[0].swapped));
        let moved;
        if let Some(by) = by {
            let frame = measured.built[0].frame.map(|(motion, frame)| motion.link_pose(frame, t));
            let by = frame.map_or(*by, |frame| by.within(&frame));
            moved = Motion::fixed(by.of(&sides[second].motion.pose_at(t)).ok()?);
            sides[second].motion = &moved;
        }
        let sides = [SidePair { sides, with_itself, separation }];
        let exact = Options { tolerance: f64::MIN_POSITIVE, ..Options::default() };
        let question = Question { span: [t, t], ..Question::new(&exact) };
        let (_, leaves) =
            least_distance_in(&sides, &[(0, [t, t])], &question, &mut TreeStats::default()).nearest?;
        let touch = measured.described(0, touch_of_leaves(&sides[0].sides, &leaves));
        let touch = if is_swapped { touch.swapped() } else { touch };
        Some(touch.between(bodies))
    }
}
