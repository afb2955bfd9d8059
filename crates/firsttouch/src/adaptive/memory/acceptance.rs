//! The state of a simulation after a step, at a time inside it, and the rounding of that state.

use glam::{DQuat, DVec3};

use super::{Memory, Moved, Pending};
use crate::error::{Error, Result};
use crate::motion::{Pose, SteadyRotation};
use crate::numerics::rounding::UNIT;
use crate::robot::JointKind;

impl Memory {
    /// See [`Simulated::accept`](crate::adaptive::Simulated::accept).
    pub(in crate::adaptive) fn accept(&mut self, t: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "time of a step".into(), expected: "in [0, 1]", value: t });
        }
        let pending = self.pending.take();
        let Some(Pending { moved, proven_until, rounding, rounding_covered, .. }) = pending else {
            return Err(Error::Unsupported { what: "accepting a step that was not asked for".into() });
        };
        let is_exact = t == 0.0 || t == 1.0;
        let is_proven = proven_until.is_some_and(|until| t <= until) && (is_exact || rounding_covered);
        let mut reached: Vec<(usize, f64)> = Vec::with_capacity(moved.len());
        for &Moved { variable, from, to } in &moved {
            // At the ends the values are exact.
            let value = if t == 0.0 {
                from
            } else if t == 1.0 {
                to
            } else {
                from + (to - from) * t
            };
            reached.push((variable, value));
        }
        if !is_exact {
            self.turn_floating(&moved, t, &mut reached)?;
        }
        for (variable, value) in reached {
            (self.configuration[variable], self.target[variable]) = (value, value);
        }
        if !is_proven {
            // The proofs at the start still hold for pairs that do not move relative to each other.
            for Moved { variable, .. } in moved.iter().filter(|moved| moved.from != moved.to) {
                self.proofs.forget(&self.followers[*variable]);
            }
        }
        if let Some(list) = &mut self.nearby {
            list.accept(t, if is_exact { 0.0 } else { rounding });
        }
        Ok(())
    }

    /// A bound of the error of the distance of two bodies due to the rounding of the values at a time inside the step.
    ///
    /// A value `from + (to − from) t` has three roundings of terms no larger than `|from| + |to|`. It turns or shifts
    /// everything behind the joint, which is no farther away from it than its reach. The rotation of a floating or ball
    /// joint is converted to a matrix (with an error of some `400u`, see `motion::turn`) and back to a quaternion,
    /// which makes a few times that.
    pub(super) fn rounding_of(&self, moved: &[Moved]) -> f64 {
        let mut rounding = 0.0;
        for Moved { variable, from, to } in moved.iter().filter(|moved| moved.from != moved.to) {
            let off = 4.0 * UNIT * (from.abs() + to.abs());
            let followers = self.followers[*variable].iter();
            let joints = followers.filter_map(|&link| Some((link, self.robot.links()[link].joint()?)));
            for (link, joint) in joints {
                let arm = self.reaches.behind(link);
                rounding += match joint.kind {
                    JointKind::Fixed => 0.0,
                    JointKind::Revolute { .. } => off * joint.scale.0.abs() * arm,
                    JointKind::Prismatic { .. } => off * joint.scale.0.abs(),
                    JointKind::Planar { .. } => off * (1.0 + arm),
                    JointKind::Floating | JointKind::Ball => off + 4096.0 * UNIT * arm,
                };
            }
        }
        // Both bodies may have this error. The factor also rounds up the sums above.
        2.0 * rounding * (1.0 + 1e-6)
    }

    /// The orientations of floating and ball joints at time `t`, which are not linear in their variables.
    fn turn_floating(&self, moved: &[Moved], t: f64, reached: &mut Vec<(usize, f64)>) -> Result<()> {
        let mut floating: Vec<usize> = moved
            .iter()
            .flat_map(|moved| &self.followers[moved.variable])
            .copied()
            .filter(|&link| {
                self.robot.links()[link].joint().is_some_and(|joint| joint.kind.quaternion().is_some())
            })
            .collect();
        floating.sort_unstable();
        floating.dedup();
        for joint in floating.into_iter().filter_map(|link| self.robot.links()[link].joint()) {
            let Some(quaternion) = joint.kind.quaternion() else { continue };
            let first = joint.variable + quaternion;
            let start: [f64; 4] = std::array::from_fn(|k| self.configuration[first + k]);
            let mut end = start;
            for moved in moved.iter().filter(|moved| (first..first + 4).contains(&moved.variable)) {
                end[moved.variable - first] = moved.to;
            }
            if start != end {
                let [start, end] = [start, end].map(|q| Pose::new(DVec3::ZERO, DQuat::from_array(q)));
                let turn = SteadyRotation::between(start?.rotation(), end?.rotation());
                let turned = DQuat::from_mat3(&turn.at(t)).normalize();
                reached.extend((first..).zip(turned.to_array()));
            }
        }
        Ok(())
    }
}
