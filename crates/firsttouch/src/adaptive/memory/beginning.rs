//! The first part of a step of a simulation: transforms, volumes, and the pairs that may touch.

use super::{Memory, Moved};
use crate::adaptive::culling::Gaps;
use crate::adaptive::nearby::{Kept, Nearby, OtherBody};
use crate::adaptive::transforms::Updates;
use crate::advancement::Limits;
use crate::error::{Error, Result, bounded};
use crate::numerics::Window;
use crate::numerics::rounding::up;
use crate::options::Options;
use crate::pair::NeededGap;
use crate::robot::JointMotion;

/// A step before its exact stage.
pub(super) struct Begun {
    pub(super) motions: Vec<(usize, JointMotion, bool)>,
    pub(super) jumped: Vec<usize>,
    pub(super) limits: Limits,
    /// The separation that must be proven of every pair, by culling, by its front, or in the exact stage.
    pub(super) gap: NeededGap,
    pub(super) rounding: f64,
    pub(super) rounding_covered: bool,
    /// The positions in the list of the pairs that are left to the exact stage.
    pub(super) open: Vec<usize>,
    pub(super) transforms: Updates,
}

/// The motions of the joints of a step.
struct Started {
    /// The joints whose transforms must be computed, by link, and whether each moves or is suspect.
    motions: Vec<(usize, JointMotion, bool)>,
    /// The links whose joints do not rest in the step, in order.
    moving: Vec<usize>,
    /// The links whose joints had other values before, and how they came from there.
    jumped: Vec<usize>,
    jumps: Vec<(usize, JointMotion)>,
}

impl Memory {
    /// The first two parts of a step: transforms, volumes, and the pairs that may touch.
    pub(super) fn begin(&mut self, moved: &[Moved], options: &Options) -> Result<Begun> {
        options.validate_reporting_start("a simulated body")?;
        self.refuse(moved)?;
        let Started { motions, moving, jumped, jumps } = self.start(moved, NeededGap::at_start(options))?;
        self.pending = None;
        let of_motions = motions.iter().map(|(link, motion, _)| (*link, motion));
        for (link, motion) in of_motions.chain(jumps.iter().map(|(link, motion)| (*link, motion))) {
            self.reaches.cover(link, motion);
        }
        let travels = |of: &mut dyn Iterator<Item = (usize, &JointMotion)>| -> Vec<(usize, f64)> {
            of.map(|(link, motion)| (link, self.reaches.travel(link, motion))).collect()
        };
        let of_jumps = travels(&mut jumps.iter().map(|(link, motion)| (*link, motion)));
        // A joint may turn by so little that its computed rate is 0. It rests only if its variables do.
        let is_moving = |(link, ..): &&(usize, JointMotion, bool)| moving.binary_search(link).is_ok();
        let of_step = travels(&mut motions.iter().filter(is_moving).map(|(link, motion, _)| (*link, motion)));
        if !of_jumps.is_empty() && self.nearby.as_mut().is_some_and(|list| !list.jump(&of_jumps)) {
            self.nearby = None;
        }
        let counts_before = self.culler.counts();
        let window = Window::between(0.0, options.t_max);
        self.culler.update(&self.tree, &motions, window);
        self.stirred = motions.iter().filter(|(_, _, moves)| *moves).map(|(link, ..)| *link).collect();

        let rounding = self.rounding_of(moved);
        let rounding_covered = rounding <= 0.01 * options.tolerance;
        let room = if rounding_covered { rounding } else { 0.0 };
        let limits = Limits {
            min_separation: if room == 0.0 {
                options.min_separation
            } else {
                up(options.min_separation + room)
            },
            tolerance: options.tolerance - room,
            ..Limits::of_valid(options)
        };
        // A pair within the tolerance at the start touches then.
        let gap = NeededGap::of((limits.min_separation + options.tolerance).next_up());
        let total = of_step.iter().fold(0.0, |sum, (_, travel)| up(sum + travel));
        match &mut self.nearby {
            Some(list) if list.serves(&self.stirred, total, gap) => list.begin(),
            _ => self.cull(gap, total, options.t_max),
        }
        let mut open = Vec::new();
        if let Some(list) = &mut self.nearby {
            list.set_travels(&of_step, total);
            let is_open = |pair: &Kept| !pair.is_proven && !pair.front.is_safe(pair.travel, gap);
            open.extend(list.pairs.iter().enumerate().filter(|(_, pair)| is_open(pair)).map(|(k, _)| k));
        }
        let transforms = self.culler.counts() - counts_before;
        Ok(Begun { motions, jumped, limits, gap, rounding, rounding_covered, open, transforms })
    }

    /// Makes the list of near pairs again, for a step with this travel of all joints.
    fn cull(&mut self, gap: NeededGap, total: f64, until: f64) {
        let Memory { robot, tree, culler, obstacle_tree, stirred, .. } = self;
        // A list with a wide margin holds most of the pairs, and one without any serves a single step. A travel that is
        // NaN has no margin.
        let widest = culler.typical_radius();
        let margin = if total <= widest { f64::min(self.margin * total, widest) } else { 0.0 }; // not a bound: either serves
        let with_margin = gap.before(margin);
        let gaps = Gaps { gap: gap.value(), with_margin: with_margin.value() };
        let pairs = culler.pairs(robot, tree, obstacle_tree, gaps);
        let position = |carrier: Option<usize>| {
            carrier.and_then(|link| stirred.binary_search(&link).ok()).map(|k| k as u32)
        };
        let mut next_joint = Vec::with_capacity(stirred.len());
        for &link in stirred.iter() {
            let above = robot.links()[link].parent().and_then(|parent| culler.start_of(tree, parent).1);
            next_joint.push(position(above));
        }
        let own = pairs.own.into_iter().map(|found| (found, OtherBody::Part(found.pair[1])));
        let others = pairs.with_obstacles.into_iter();
        let others = others.map(|found| (found, OtherBody::Obstacle(found.pair[1])));
        let mut known = self.nearby.take();
        for pair in known.iter_mut().flat_map(|known| &mut known.pairs) {
            // Fronts of pairs that are far from here on are collapsed: they need no details.
            pair.front.collapse(with_margin.before(total));
        }
        let joint_of = |part: usize| position(culler.start_of(tree, culler.parts()[part].link).1);
        self.nearby = Some(Nearby::new(
            stirred.clone(),
            own.chain(others),
            &next_joint,
            joint_of,
            (with_margin.shown(), until),
            known,
        ));
    }

    /// Returns an error for variables that do not exist or appear twice, and for values that are not finite.
    fn refuse(&self, moved: &[Moved]) -> Result<()> {
        let variables = self.robot.variables();
        for Moved { variable, from, to } in moved {
            let Some(described) = variables.get(*variable) else {
                let what = "variable of a step".into();
                return Err(Error::IndexOutOfRange { what, index: *variable, len: variables.len() });
            };
            for value in [*from, *to] {
                bounded(|| format!("joint \"{}\"", described.name), value)?;
            }
        }
        let mut order: Vec<usize> = moved.iter().map(|moved| moved.variable).collect();
        order.sort_unstable();
        match order.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => Err(Error::Unsupported { what: format!("variable {} twice in one step", pair[0]) }),
        }
    }

    /// Takes the values at the start of a step, and computes the motions of all joints that differ from those in the
    /// tree. Changes nothing if it fails.
    fn start(&mut self, moved: &[Moved], gap: NeededGap) -> Result<Started> {
        let (mut moving, mut jumped, mut before) = (Vec::new(), Vec::new(), Vec::new());
        let old: Vec<(usize, f64)> =
            moved.iter().map(|m| (m.variable, self.configuration[m.variable])).collect();
        for &Moved { variable, from, to } in moved {
            let followers = &self.followers[variable];
            before.push(self.configuration[variable]);
            if self.configuration[variable] != from {
                jumped.extend(followers);
            }
            if from != to {
                moving.extend(followers);
            }
            (self.configuration[variable], self.target[variable]) = (from, to);
        }
        let sorted = |mut links: Vec<usize>| {
            links.sort_unstable();
            links.dedup();
            links
        };
        let mut disturbed: Vec<usize> = self.proofs.suspects(gap).collect();
        disturbed.extend(moving.iter().chain(&jumped));
        let disturbed = sorted(disturbed);
        let given = sorted([&disturbed[..], &self.stirred].concat());
        let motion = |&link: &usize| {
            let moves = match self.robot.links()[link].joint() {
                None => JointMotion::still(self.base),
                Some(joint) => JointMotion::of(joint, &self.configuration, &self.target)?,
            };
            Ok((link, moves, disturbed.binary_search(&link).is_ok()))
        };
        let motions: Result<Vec<(usize, JointMotion, bool)>> = given.iter().map(motion).collect();
        let jumped = sorted(jumped);
        let jumps = self.jumps(&jumped, &old);
        for (&Moved { variable, from, .. }, before) in moved.iter().zip(before) {
            let value = if motions.is_ok() && jumps.is_ok() { from } else { before };
            (self.configuration[variable], self.target[variable]) = (value, value);
        }
        Ok(Started { motions: motions?, moving: sorted(moving), jumped, jumps: jumps? })
    }

    /// The motions of joints from their old values to those at the start of a step.
    fn jumps(&mut self, jumped: &[usize], old: &[(usize, f64)]) -> Result<Vec<(usize, JointMotion)>> {
        if jumped.is_empty() {
            return Ok(Vec::new());
        }
        // The target is set to the old values for a moment.
        let target: Vec<f64> = old.iter().map(|&(variable, _)| self.target[variable]).collect();
        for &(variable, value) in old {
            self.target[variable] = value;
        }
        let of = |&link: &usize| match self.robot.links()[link].joint() {
            None => Ok((link, JointMotion::still(self.base))),
            Some(joint) => Ok((link, JointMotion::of(joint, &self.target, &self.configuration)?)),
        };
        let motions = jumped.iter().map(of).collect();
        for (&(variable, _), value) in old.iter().zip(target) {
            self.target[variable] = value;
        }
        motions
    }
}
