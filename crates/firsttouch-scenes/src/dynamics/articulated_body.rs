//! The forward dynamics of a linkage some of whose joints are rigid, in time proportional to the number of its links.
//!
//! # Method
//! The articulated-body algorithm in world coordinates (see `spatial`). `S` is the axis of a joint, `q'` its speed, `v`
//! the velocity of the link it carries, `I` that link's inertia, `f` the forces on it.
//! 1. *Outwards*: `v = v_parent + S q'` and `c = v × S q'`, the part of the acceleration that does not depend on `q''`.
//! 2. *Inwards*: the force of a link, with its subtree, under an acceleration: `f = A a + p`, with `A = I` and
//!    `p = v ×* I v − f` at a leaf. An active joint removes its direction: with `U = A S` and `D = S · U`,
//!    `A − U Uᵀ / D` and `p + (A − U Uᵀ / D) c + U (τ − S · p) / D` are added to the parent's.
//! 3. *Outwards*: `a = a_parent + c`, `q'' = (τ − S · p − U · a) / D`, and `S q''` is added to `a`.
//!
//! A joint that is not active is rigid: its `A` and `p` are added to the parent's unchanged, so links between such
//! joints are one body. A floating root has six degrees of freedom, `a = −A⁻¹ p`.
//!
//! `A`, `U` and `D` depend on the configuration and on the set of active joints only. They are computed once
//! (`Factored`) and used for forces, for impulses and for changes of the active set, each in two sweeps:
//! `q' += M⁻¹ Jᵀ j` has no `c`, and the impulses instead of `−p`.
//!
//! # Departures
//! The paper's adaptive dynamics (Redon, Galoppo, Lin 2005) takes time proportional to the number of active joints, by
//! an assembly tree with cached inertias. Here a step is a sweep over all the links, and a rigid link costs one
//! addition.
//!
//! Reference: Featherstone 2008, "Rigid Body Dynamics Algorithms", Sec. 7.3; Kim, Redon, Kim 2008.

use glam::DVec3;

use super::linkage::{Freedom, Linkage, Node, PlacedLinks};
use super::spatial::{Inertia, Twist, Wrench};

/// The factored dynamics of a linkage in a configuration with some of its joints rigid; see the header.
#[derive(Debug)]
pub(super) struct Factored<'a> {
    linkage: &'a Linkage,
    placed: &'a PlacedLinks,
    answers: Vec<JointResponse>,
}

/// `A`, `U` and `D`; `D` is zero for a joint that is rigid.
#[derive(Debug, Clone, Copy)]
struct JointResponse {
    inertia: Inertia,
    u: Wrench,
    d: f64,
}

impl<'a> Factored<'a> {
    /// `extra` is added to the `D` of a joint, as if it had a flywheel.
    pub(super) fn new(
        linkage: &'a Linkage,
        placed: &'a PlacedLinks,
        active: &[bool],
        extra: impl Fn(&Node) -> f64,
    ) -> Factored<'a> {
        let nothing = JointResponse { inertia: Inertia::ZERO, u: Wrench::default(), d: 0.0 };
        let mut answers = vec![nothing; linkage.nodes().len()];
        for (i, node) in linkage.nodes().iter().enumerate().rev() {
            answers[i].inertia += placed.inertias[i];
            let JointResponse { inertia, .. } = answers[i];
            let mut inwards = inertia;
            if node.is_joint() && active[i] {
                let axis = placed.axes[i];
                let u = inertia * axis;
                let d = axis.dot(u) + extra(node);
                // A joint that carries no mass cannot accelerate.
                if d > 0.0 {
                    (answers[i].u, answers[i].d) = (u, d);
                    inwards = inertia.without(u, d);
                }
            }
            if let (Some(parent), false) = (node.parent, node.freedom == Freedom::Floating) {
                answers[parent].inertia += inwards;
            }
        }
        Factored { linkage, placed, answers }
    }

    /// Returns the accelerations under forces on the links and torques at the joints.
    pub(super) fn forward(&self, speeds: &[f64], forces: &[Wrench], torques: &[f64]) -> Vec<f64> {
        let (nodes, placed) = (self.linkage.nodes(), self.placed);
        let velocities = self.linkage.velocities(placed, speeds);
        let mut drift = vec![Twist::default(); nodes.len()];
        let mut bias = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            let v = velocities[i];
            if node.is_joint() {
                drift[i] = v.cross(placed.axes[i] * speeds[node.speed]);
            }
            bias.push(v.cross_wrench(placed.inertias[i] * v) - forces[i]);
        }
        self.solve(bias, Some(&drift), torques)
    }

    /// Returns the accelerations for given `p`, `c` and torques; for impulses instead of `−p`, the changes of the
    /// speeds.
    pub(super) fn solve(&self, mut bias: Vec<Wrench>, drift: Option<&[Twist]>, torques: &[f64]) -> Vec<f64> {
        let nodes = self.linkage.nodes();
        let drift = |i: usize| drift.map_or(Twist::default(), |drift| drift[i]);
        for (i, node) in nodes.iter().enumerate().rev() {
            let JointResponse { inertia, u, d } = self.answers[i];
            let Some(parent) = node.parent.filter(|_| node.freedom != Freedom::Floating) else { continue };
            let mut inwards = bias[i] + inertia * drift(i);
            if d > 0.0 {
                let rest = torques[node.speed] - self.placed.axes[i].dot(bias[i]) - drift(i).dot(u);
                inwards += u * (rest / d);
            }
            bias[parent] += inwards;
        }
        let mut result = vec![0.0; self.linkage.speeds()];
        let mut accelerations: Vec<Twist> = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            let JointResponse { inertia, u, d } = self.answers[i];
            let parent = node.parent.map_or(Twist::default(), |parent| accelerations[parent]);
            let mut acceleration = parent + drift(i);
            if node.freedom == Freedom::Floating {
                let torque = &torques[node.speed..node.speed + 6];
                let applied =
                    Wrench { moment: DVec3::from_slice(torque), force: DVec3::from_slice(&torque[3..]) };
                acceleration = inertia.solve(applied - bias[i]).unwrap_or_default();
                result[node.speed..node.speed + 6].copy_from_slice(&acceleration.to_array());
            } else if d > 0.0 {
                let rest = torques[node.speed] - self.placed.axes[i].dot(bias[i]);
                let change = (rest - acceleration.dot(u)) / d;
                result[node.speed] = change;
                acceleration = acceleration + self.placed.axes[i] * change;
            }
            accelerations.push(acceleration);
        }
        result
    }

    /// Returns the speeds with the given generalised momenta: `M⁻¹ p`. The momenta of rigid joints are free.
    pub(super) fn speeds_of(&self, momenta: &[f64]) -> Vec<f64> {
        self.solve(vec![Wrench::default(); self.linkage.nodes().len()], None, momenta)
    }

    /// Returns the changes of the speeds by impulses on links.
    pub(super) fn impulse(&self, impulses: &[(usize, Wrench)]) -> Vec<f64> {
        let mut bias = vec![Wrench::default(); self.linkage.nodes().len()];
        for &(link, impulse) in impulses {
            bias[link] += -impulse;
        }
        self.solve(bias, None, &vec![0.0; self.linkage.speeds()])
    }
}
