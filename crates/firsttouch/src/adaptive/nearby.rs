//! The pairs of bodies that are near each other, kept from step to step as long as nothing else can have come near.
//!
//! Culling finds all pairs of parts on two sides of joints that move or are suspect, whose boxes over the step come
//! within a separation `gap` and a margin. All others stay farther apart than both together in that step. In the steps
//! after it they come closer by no more than the sum of the travels of all joints (`travel`): while the rest is more
//! than the separation that a step must prove, and no other joint moves, the list still serves, and neither volumes nor
//! boxes are computed. Each listed pair has a front, with its own travel: that of the joints between the two parts.
//!
//! **What the list states.** The pairs on two sides of its joints that may be near each other, and a [`ProvenGap`] for
//! all others, in the current state of the simulation, among its obstacles. It holds for any options: `serves` compares
//! the gap with the separation that a step needs. Four fields of a listed pair (`travel`, `bulge`, `is_proven`,
//! `may_be_apart`) are about one step and its options. [`Nearby::begin`] and [`Nearby::set_travels`] set them again.
//! Directions and cuts only say where a search begins.
//!
//! The list is made again when it no longer serves. Pairs that are in both lists keep their fronts.

use std::collections::HashMap;

use glam::DVec3;
use smallvec::SmallVec;

use super::culling::Found;
use super::cuts::Cut;
use super::fronts::Front;
use super::index_hash::ByIndex;
use crate::numerics::rounding::up;
use crate::pair::{NeededGap, ProvenGap};

/// A pair of a part of the robot and something else.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) part: usize,
    pub(super) other: OtherBody,
    /// The positions, in the list's joints, of those between the two.
    pub(super) between: SmallVec<[u32; 8]>,
    pub(super) front: Front,
    /// The nodes at which the last search through both trees ended.
    pub(super) cut: Cut,
    /// The travel between the two in the current step.
    pub(super) travel: f64,
    /// The part of it that a shorter step has as well; 0 where the travel comes from the joints.
    pub(super) bulge: f64,
    /// The direction that separated the two last, in the frame of the part, or in the world if the other is an
    /// obstacle; zero if there is none.
    pub(super) normal: DVec3,
    /// True if the coarse solids of the two may be proven apart in the current step.
    pub(super) may_be_apart: bool,
    /// True if culling or coarse solids have proven the pair in the current step.
    pub(super) is_proven: bool,
}

/// The other body of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum OtherBody {
    Obstacle(usize),
    Part(usize),
}

/// The list.
#[derive(Debug, Clone)]
pub(super) struct Nearby {
    /// The joints that moved or were suspect when it was made, by link, in order.
    pub(super) joints: Vec<usize>,
    pub(super) pairs: Vec<Kept>,
    /// The proof about the pairs on two sides of these joints that are not in the list.
    room: ProvenGap,
    /// The travel of all joints in the current step.
    total: f64,
    /// The end of the step in which the list was made: culling covered the whole of that step.
    culled_until: f64,
}

impl Nearby {
    /// The list that follows from culling with this room, in a step that ends at `until`. `next_joint` is, for each of
    /// the joints, the position of the next one on the way to the base, and `joint_of` that of the last one on the way
    /// to a part.
    pub(super) fn new(
        joints: Vec<usize>,
        found: impl Iterator<Item = (Found, OtherBody)>,
        next_joint: &[Option<u32>],
        mut joint_of: impl FnMut(usize) -> Option<u32>,
        (room, until): (ProvenGap, f64),
        known: Option<Nearby>,
    ) -> Nearby {
        let known_pairs = known.map_or(Vec::new(), |known| known.pairs);
        let mut remembered: HashMap<(usize, OtherBody), (Front, Cut, DVec3), ByIndex> =
            HashMap::with_capacity_and_hasher(known_pairs.len(), ByIndex::default());
        for pair in known_pairs {
            remembered.insert((pair.part, pair.other), (pair.front, pair.cut, pair.normal));
        }
        let pairs = found
            .map(|(Found { pair: [part, _], is_close }, other)| {
                let of_other = match other {
                    OtherBody::Obstacle(_) => None,
                    OtherBody::Part(other) => joint_of(other),
                };
                let before = remembered.remove(&(part, other));
                let (front, cut, normal) =
                    before.unwrap_or_else(|| (Front::unknown(), Cut::default(), DVec3::ZERO));
                Kept {
                    part,
                    other,
                    between: between(joint_of(part), of_other, next_joint),
                    front,
                    cut,
                    travel: 0.0,
                    bulge: 0.0,
                    normal,
                    may_be_apart: true,
                    is_proven: !is_close,
                }
            })
            .collect();
        Nearby { joints, pairs, room, total: 0.0, culled_until: until }
    }

    /// Returns true if the list serves a step in which these joints move or are suspect, with this travel of all
    /// together.
    pub(super) fn serves(&self, stirred: &[usize], total: f64, gap: NeededGap) -> bool {
        let is_listed = |link: &usize| self.joints.binary_search(link).is_ok();
        self.room.after(total).covers(gap) && stirred.iter().all(is_listed)
    }

    /// The list is that of a step already, and a new one begins.
    pub(super) fn begin(&mut self) {
        self.culled_until = f64::NEG_INFINITY;
        self.pairs.iter_mut().for_each(|pair| pair.is_proven = false);
    }

    /// Sets the travels of the current step: of the joints, and of all together.
    pub(super) fn set_travels(&mut self, travels: &[(usize, f64)], total: f64) {
        self.total = total;
        let of_joint = by_position(&self.joints, travels);
        for pair in &mut self.pairs {
            (pair.travel, pair.bulge) = (sum(&pair.between, &of_joint), 0.0);
            pair.may_be_apart = true;
        }
    }

    /// Joints have been set to other values, with these travels. Returns `false` if the list says nothing about one of
    /// them.
    pub(super) fn jump(&mut self, travels: &[(usize, f64)]) -> bool {
        if travels.iter().any(|(link, _)| self.joints.binary_search(link).is_err()) {
            return false;
        }
        let of_joint = by_position(&self.joints, travels);
        for pair in &mut self.pairs {
            let travel = sum(&pair.between, &of_joint);
            if travel != 0.0 {
                pair.front.travel(travel);
            }
        }
        self.room = self.room.after(travels.iter().fold(0.0, |sum, (_, travel)| up(sum + travel)));
        true
    }

    /// The state goes to the time `t` of the current step. Rounding moves two bodies by at most `rounding` besides.
    pub(super) fn accept(&mut self, t: f64, rounding: f64) {
        // If no joint moves between the two, there is no rounding either. A travel that is NaN is not 0.
        for pair in self.pairs.iter_mut().filter(|pair| pair.travel != 0.0) {
            // The bulge also counts in a part of the step.
            let travel = up(up(up(pair.travel * t) + pair.bulge) + rounding);
            pair.front.travel(travel);
        }
        // In the step in which the list was made culling has covered all times: there the travel costs no room.
        let travel = if t <= self.culled_until { 0.0 } else { up(self.total * t) };
        self.room = self.room.after(up(travel + rounding));
    }
}

/// The travels in the order of the joints; 0 for those that rest.
fn by_position(joints: &[usize], travels: &[(usize, f64)]) -> Vec<f64> {
    let mut of_joint = vec![0.0; joints.len()];
    for (link, travel) in travels {
        if let Ok(k) = joints.binary_search(link) {
            of_joint[k] = *travel;
        }
    }
    of_joint
}

fn sum(between: &[u32], of_joint: &[f64]) -> f64 {
    let moving = between.iter().map(|&k| of_joint[k as usize]).filter(|travel| *travel != 0.0);
    moving.fold(0.0, |sum, travel| up(sum + travel))
}

/// The joints on one of two ways to the base and not on both. Joints have lower positions towards the base.
fn between(mut a: Option<u32>, mut b: Option<u32>, next: &[Option<u32>]) -> SmallVec<[u32; 8]> {
    let mut found = SmallVec::new();
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        if let Some(joint) = *later {
            found.push(joint);
            *later = next[joint as usize];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joints 0 and 1 hang on the base, 2 on 1, 3 on 2 and 4 on 2.
    #[test]
    fn the_joints_between_two_bodies() {
        let next = [None, None, Some(1), Some(2), Some(2)];
        let joints = |a, b| {
            let mut joints = between(a, b, &next).to_vec();
            joints.sort_unstable();
            joints
        };
        assert_eq!(joints(Some(3), Some(4)), [3, 4]);
        assert_eq!(joints(Some(3), Some(0)), [0, 1, 2, 3]);
        assert_eq!(joints(Some(3), None), [1, 2, 3]);
        assert_eq!(joints(Some(3), Some(3)), [0_u32; 0]);
    }

    /// A list of one pair with one joint between the two, known to be 10 apart.
    fn list(travel: f64, bulge: f64) -> Nearby {
        let mut front = Front::unknown();
        front.are_apart(10.0);
        let room = ProvenGap::beyond(10.0);
        let pair = Kept {
            part: 0,
            other: OtherBody::Obstacle(0),
            between: SmallVec::from_slice(&[0]),
            front,
            cut: Cut::default(),
            travel,
            bulge,
            normal: DVec3::ZERO,
            may_be_apart: true,
            is_proven: false,
        };
        Nearby { joints: vec![3], pairs: vec![pair], room, total: travel, culled_until: f64::NEG_INFINITY }
    }

    /// In a quarter of a step a body may have gone a quarter of the way, and all of the bulge beside its chord.
    #[test]
    fn a_part_of_a_step_has_the_whole_bulge() {
        let mut list = list(4.0, 2.0);
        list.accept(0.25, 0.5);
        // 10 less 1, 2 and 0.5.
        let gap = NeededGap::of;
        assert!(list.pairs[0].front.is_safe(0.0, gap(6.4)) && !list.pairs[0].front.is_safe(0.0, gap(6.5)));
        assert!(list.serves(&[3], 0.0, gap(8.4)) && !list.serves(&[3], 0.0, gap(8.5)));
    }

    /// A joint that is set to another value has travelled, both for listed pairs and for all others.
    #[test]
    fn a_jump_is_a_travel() {
        let mut list = list(0.0, 0.0);
        assert!(list.jump(&[(3, 4.0)]));
        let gap = NeededGap::of;
        assert!(list.pairs[0].front.is_safe(0.0, gap(5.9)) && !list.pairs[0].front.is_safe(0.0, gap(6.0)));
        assert!(list.serves(&[3], 0.0, gap(5.9)) && !list.serves(&[3], 0.0, gap(6.0)));
        assert!(!list.jump(&[(4, 0.1)]));
    }
}
