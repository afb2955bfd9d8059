//! Contact response: impulses, and displacements that separate bodies that are too close.
//!
//! The check reports one touch. But a figure that lies on something has many contacts, and an impulse at one changes
//! the others. So the contacts of the last frames are kept, as points of their links with a normal, and all of them
//! that are still close take part:
//! 1. Each has a target for the normal velocity after the impact: that of restitution, or zero.
//! 2. Let `u = J s` with `s = s_0 + M⁻¹ Jᵀ j`. Find impulses `j >= 0` such that `u >= wanted`, and `j = 0` where `u` is
//!    larger. Rounds over the contacts, each solved by itself, find them (projected Gauss-Seidel). `M⁻¹ Jᵀ` are the
//!    responses to unit impulses.
//! 3. Friction acts at the new contact.
//!
//! The same rounds with displacements instead of velocities give the smallest displacement (in the norm of the kinetic
//! energy) that opens all contacts at once: a link that is wedged between two others does not go back and forth.
//!
//! A single impulse removes energy as long as the speed of leaving is at most the speed of arrival. Several at once may
//! add some; the bound of the energy then slows all bodies down.
//!
//! Reference: Mirtich 1996 for single impulses; Catto 2005, "Iterative dynamics with temporal coherence", for the
//! rounds.

use firsttouch::{Result, Touch};
use glam::DVec3;

use super::{FirstTouch, Simulation, StepReport, add};
use crate::dynamics::articulated_body::Factored;
use crate::dynamics::linkage::PlacedLinks;
use crate::dynamics::spatial::{Twist, Wrench};

/// The number of frames for which contacts are kept, the largest number of contacts, and the number of rounds that
/// solve them.
const REMEMBERED_FRAMES: usize = 2;
const REMEMBERED: usize = 24;
const ROUNDS: usize = 12;

/// A displacement below this part of the target is skipped.
const LEAST_OPENING: f64 = 0.1;

impl Simulation {
    /// Adds a contact to the list of kept contacts.
    pub(super) fn remember(&mut self, touch: &Touch) {
        let placed = self.linkage.place(&self.configuration);
        let (frame, near) = (self.frames, 4.0 * self.setup.clearance);
        self.contacts
            .retain(|contact| frame - contact.frame < REMEMBERED_FRAMES && contact.gap(&placed).abs() < near);
        if self.contacts.len() == REMEMBERED {
            self.contacts.remove(0);
        }
        self.contacts.extend(Contact::new(touch, &placed, frame));
    }

    /// Applies the impulse of the latest kept touch, together with those at the other contacts.
    pub(super) fn collide(&mut self) {
        let Some(last) = self.contacts.last() else { return };
        let linkage = &self.linkage;
        let placed = linkage.place(&self.configuration);
        let velocities = linkage.velocities(&placed, &self.speeds);
        if last.velocity(&placed, &velocities).dot(last.normal) >= 0.0 {
            return;
        }
        let wanted: Vec<f64> = self
            .contacts
            .iter()
            .map(|contact| {
                let approach = -contact.velocity(&placed, &velocities).dot(contact.normal);
                approach.min(self.setup.hop).max(approach * self.setup.restitution).max(0.0)
            })
            .collect();
        let mut speeds = self.speeds.clone();
        let pushes = self.push_apart(&placed, &mut speeds, &wanted);
        let push = pushes.last().copied().unwrap_or(0.0);
        let velocity = last.velocity(&placed, &linkage.velocities(&placed, &speeds));
        let sliding = velocity - last.normal * velocity.dot(last.normal);
        if let Some(direction) = sliding.try_normalize() {
            let factored = Factored::new(linkage, &placed, &self.active, |_| 0.0);
            let (answer, response) = self.response(&factored, &placed, last, direction);
            if response > 0.0 {
                let stop = sliding.length() / response;
                add(&mut speeds, &answer, -stop.min(self.setup.friction * push));
            }
        }
        let free = Factored::new(linkage, &placed, &vec![true; self.active.len()], |_| 0.0);
        let impulses: Vec<(usize, Wrench)> = self
            .contacts
            .iter()
            .zip(&pushes)
            .flat_map(|(contact, &push)| contact.impulse(&placed, contact.normal * push))
            .collect();
        let kicks = free.impulse(&impulses);
        for (kick, node) in self.kicks.iter_mut().zip(linkage.nodes()) {
            if node.is_joint() {
                *kick += kicks[node.speed].abs();
            }
        }
        self.speeds = speeds;
        self.keep_bound();
    }

    /// Gives every contact at least its wanted normal velocity, by impulses that push: rounds over all contacts, each
    /// solved by itself (projected Gauss-Seidel). Returns the impulses.
    fn push_apart(&self, placed: &PlacedLinks, speeds: &mut [f64], wanted: &[f64]) -> Vec<f64> {
        let factored = Factored::new(&self.linkage, placed, &self.active, |_| 0.0);
        let answers: Vec<(Vec<f64>, f64)> = self
            .contacts
            .iter()
            .map(|contact| self.response(&factored, placed, contact, contact.normal))
            .collect();
        let mut pushes = vec![0.0; self.contacts.len()];
        for _ in 0..ROUNDS {
            // The latest contact comes first: it is the one that must not approach.
            for (k, contact) in self.contacts.iter().enumerate().rev() {
                let (answer, response) = &answers[k];
                // Two links of one rigid group do not move relative to each other.
                if *response <= 0.0 {
                    continue;
                }
                let velocities = self.linkage.velocities(placed, speeds);
                let missing = wanted[k] - contact.velocity(placed, &velocities).dot(contact.normal);
                let push = (pushes[k] + missing / response).max(0.0);
                add(speeds, answer, push - pushes[k]);
                pushes[k] = push;
            }
        }
        pushes
    }

    /// Returns the changes of the speeds by a unit impulse along a direction, and the change of the velocity at the
    /// contact along it.
    pub(super) fn response(
        &self,
        factored: &Factored<'_>,
        placed: &PlacedLinks,
        contact: &Contact,
        direction: DVec3,
    ) -> (Vec<f64>, f64) {
        let answer = factored.impulse(&contact.impulse(placed, direction));
        let response = contact.velocity(placed, &self.linkage.velocities(placed, &answer)).dot(direction);
        // A response far below that of the whole linkage as one body is rounding.
        let least = 1e-9 / self.linkage.mass();
        if response > least { (answer, response) } else { (answer, 0.0) }
    }

    /// Moves close bodies apart, by up to the clearance and as far as the kinetic energy allows. Returns true if they
    /// moved.
    pub(super) fn open<T: FirstTouch>(
        &mut self,
        separation: f64,
        first_touch: &mut T,
        report: &mut StepReport,
    ) -> Result<bool> {
        let clearance = self.setup.clearance;
        let placed = self.linkage.place(&self.configuration);
        let mut speeds = vec![0.0; self.speeds.len()];
        let wanted: Vec<f64> = self
            .contacts
            .iter()
            .map(|contact| (clearance - contact.gap(&placed)).clamp(0.0, clearance))
            .collect();
        self.push_apart(&placed, &mut speeds, &wanted);
        let rates = self.linkage.rates(&placed, &self.configuration, &speeds);
        let moved_by = |part: f64| {
            let mut to = self.configuration.clone();
            add(&mut to, &rates, part);
            self.linkage.normalize(&mut to);
            to
        };
        let before = self.potential(&placed, &self.configuration);
        let kinetic = self.linkage.kinetic_energy(&placed, &self.speeds);
        let (mut part, mut to) = (1.0, moved_by(1.0));
        let price = self.potential(&self.linkage.place(&to), &to) - before;
        if price > 0.25 * kinetic {
            part = 0.25 * kinetic / price;
            to = moved_by(part);
        }
        let mut record = self.record_to(to);
        if part < LEAST_OPENING || record.moved.is_empty() {
            return Ok(false);
        }
        let until = self.check(&mut record, separation, first_touch)?.free_until(1.0);
        if until * part < LEAST_OPENING {
            return Ok(false);
        }
        self.arrive(record, until, first_touch, report)?;
        self.keep_bound();
        Ok(true)
    }
}

/// A contact of two bodies. A body that is not a link is at rest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub(super) links: [Option<usize>; 2],
    /// The closest points, in the links' frames.
    pub(super) points: [DVec3; 2],
    /// The normal from the first to the second, in the world.
    pub(super) normal: DVec3,
    /// The frame in which it was found.
    pub(super) frame: usize,
}

impl Contact {
    fn new(touch: &Touch, placed: &PlacedLinks, frame: usize) -> Option<Contact> {
        let links = touch.parts.map(|part| part.link());
        let points = [0, 1].map(|side| {
            let point = touch.points[side];
            links[side].map_or(point, |link| placed.poses[link].to_body(point))
        });
        Some(Contact { links, points, normal: touch.normal.try_normalize()?, frame })
    }

    fn point(&self, placed: &PlacedLinks, side: usize) -> DVec3 {
        self.links[side].map_or(self.points[side], |link| placed.poses[link].apply(self.points[side]))
    }

    /// Returns the distance along the normal of the points that were closest when it was found.
    fn gap(&self, placed: &PlacedLinks) -> f64 {
        (self.point(placed, 1) - self.point(placed, 0)).dot(self.normal)
    }

    /// Returns the velocity of the second relative to the first, from the velocities of the links.
    pub(super) fn velocity(&self, placed: &PlacedLinks, velocities: &[Twist]) -> DVec3 {
        let of = |side: usize| {
            self.links[side].map_or(DVec3::ZERO, |link| velocities[link].at(self.point(placed, side)))
        };
        of(1) - of(0)
    }

    /// Returns an impulse on the second, and its opposite on the first.
    fn impulse(&self, placed: &PlacedLinks, impulse: DVec3) -> Vec<(usize, Wrench)> {
        let on = |(side, impulse): (usize, DVec3)| {
            self.links[side].map(|link| (link, Wrench::at(impulse, self.point(placed, side))))
        };
        [(0, -impulse), (1, impulse)].into_iter().filter_map(on).collect()
    }
}
