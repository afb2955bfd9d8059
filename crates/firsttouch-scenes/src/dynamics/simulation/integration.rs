//! Forces, and the motion of a linkage under them in a given time without contacts.

use glam::DVec3;

use super::contact::Contact;
use super::{Simulation, Spring, add};
use crate::dynamics::articulated_body::Factored;
use crate::dynamics::linkage::PlacedLinks;
use crate::dynamics::spatial::Wrench;

impl Simulation {
    /// Returns the configuration and the speeds after an uninterrupted flight, and the energy lost to damping.
    pub(super) fn end_of_flight(&self, time: f64) -> (Vec<f64>, Vec<f64>, f64) {
        let (mut configuration, mut speeds) = (self.configuration.clone(), self.speeds.clone());
        let part = time / self.setup.step.max(f64::MIN_POSITIVE);
        let substeps = (self.setup.substeps as f64 * part).ceil().clamp(1.0, 1e6);
        let h = time / substeps;
        let mut lost = 0.0;
        for _ in 0..substeps as usize {
            lost += self.damp(&configuration, &mut speeds, h);
            self.runge_kutta(&mut configuration, &mut speeds, h);
        }
        (configuration, speeds, lost)
    }

    /// A step without damping.
    pub(in crate::dynamics) fn runge_kutta(&self, configuration: &mut [f64], speeds: &mut [f64], h: f64) {
        let slope = |configuration: &[f64], speeds: &[f64]| {
            let placed = self.linkage.place(configuration);
            let factored = Factored::new(&self.linkage, &placed, &self.active, |_| 0.0);
            let accelerations = self.accelerations(&factored, &placed, configuration, speeds);
            (self.linkage.rates(&placed, configuration, speeds), accelerations)
        };
        let ahead = |from: &[f64], slope: &[f64], h: f64| {
            let mut to = from.to_vec();
            add(&mut to, slope, h);
            to
        };
        let slopes = {
            let first = slope(configuration, speeds);
            let next = |(rates, accelerations): &(Vec<f64>, Vec<f64>), h: f64| {
                slope(&ahead(configuration, rates, h), &ahead(speeds, accelerations, h))
            };
            let second = next(&first, 0.5 * h);
            let third = next(&second, 0.5 * h);
            let fourth = next(&third, h);
            [(first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)]
        };
        for ((rates, accelerations), weight) in slopes {
            add(configuration, &rates, weight * h / 6.0);
            add(speeds, &accelerations, weight * h / 6.0);
        }
        self.linkage.normalize(configuration);
    }

    /// Applies the damping of a step, see the header, and returns the energy it takes.
    fn damp(&self, configuration: &[f64], speeds: &mut Vec<f64>, h: f64) -> f64 {
        let linkage = &self.linkage;
        let of_joints = linkage.nodes().iter().any(|node| node.is_joint() && node.law.damping > 0.0);
        let of_springs = self.springs.iter().any(|spring| spring.damping > 0.0);
        if !of_joints && !of_springs {
            return 0.0;
        }
        let placed = linkage.place(configuration);
        let before = linkage.kinetic_energy(&placed, speeds);
        if of_joints {
            let momenta = linkage.momenta(&placed, speeds);
            let damped = Factored::new(linkage, &placed, &self.active, |node| h * node.law.damping);
            *speeds = damped.speeds_of(&momenta);
        }
        if of_springs {
            let factored = Factored::new(linkage, &placed, &self.active, |_| 0.0);
            for spring in self.springs.iter().filter(|spring| spring.damping > 0.0) {
                let [a, b] = spring.ends(&placed);
                let Some(normal) = (b - a).try_normalize() else { continue };
                let ends = Contact { links: spring.links.map(Some), points: spring.points, normal, frame: 0 };
                let rate = ends.velocity(&placed, &linkage.velocities(&placed, speeds)).dot(normal);
                let (answer, response) = self.response(&factored, &placed, &ends, normal);
                if response > 0.0 {
                    let decay = (-spring.damping * response * h).exp_m1();
                    add(speeds, &answer, decay * rate / response);
                }
            }
        }
        (before - linkage.kinetic_energy(&placed, speeds)).max(0.0)
    }

    /// Returns the accelerations without damping.
    pub(super) fn accelerations(
        &self,
        factored: &Factored<'_>,
        placed: &PlacedLinks,
        configuration: &[f64],
        speeds: &[f64],
    ) -> Vec<f64> {
        let linkage = &self.linkage;
        let mut forces: Vec<Wrench> =
            (0..linkage.nodes().len()).map(|i| linkage.weight(placed, i, self.setup.gravity)).collect();
        for spring in &self.springs {
            let [a, b] = spring.ends(placed);
            let Some(along) = (b - a).try_normalize() else { continue };
            let pull = along * (spring.stiffness * (a.distance(b) - spring.length));
            forces[spring.links[0]] += Wrench::at(pull, a);
            forces[spring.links[1]] += Wrench::at(-pull, b);
        }
        factored.forward(speeds, &forces, &linkage.joint_torques(configuration))
    }

    pub(super) fn potential(&self, placed: &PlacedLinks, configuration: &[f64]) -> f64 {
        let of_springs: f64 = self
            .springs
            .iter()
            .map(|spring| {
                let [a, b] = spring.ends(placed);
                0.5 * spring.stiffness * (a.distance(b) - spring.length).powi(2)
            })
            .sum();
        self.linkage.potential_energy(placed, configuration, self.setup.gravity) + of_springs
    }
}

impl Spring {
    fn ends(&self, placed: &PlacedLinks) -> [DVec3; 2] {
        [0, 1].map(|side| placed.poses[self.links[side]].apply(self.points[side]))
    }
}
