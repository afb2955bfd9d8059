//! The proofs of earlier steps, and the resting joints that a step must check nevertheless.
//!
//! A step checks every pair of bodies on two sides of a joint that moves or is *suspect*, and proves that they are
//! farther apart than some separation, up to the first touch. It proves nothing about the other pairs; they do not move
//! relative to each other, so earlier proofs still hold. One number per joint is enough: a separation that the last
//! step to check the joint proved of all pairs on its two sides.
//!
//! A pair was last checked together with a joint between the two, by the last step that checked any of those joints.
//! The separation which that step proved of the pair is at least the number of one of them. So if the numbers of all
//! joints between the two are at least `s`, the pair is farther apart than `s`; and if one of them is not, the pair is
//! checked again when that joint is suspect.
//!
//! The number of the root link is the separation of the robot's base from the obstacles.
//!
//! **What the proofs state.** Two bodies are farther apart than the least number of the joints between them, in the
//! current configuration of the simulation, among its obstacles, which never change. No options belong to a number: a
//! step with any options compares it with the separation that it needs.

use std::collections::BTreeSet;

use crate::pair::{NeededGap, ProvenGap};

/// For each joint, by the link that it carries, the separation proven of the pairs on its two sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Proofs {
    of_joint: Vec<Proof>,
    /// The same numbers ordered by separation, the least first.
    by_separation: BTreeSet<(Proof, usize)>,
}

/// The bits of a separation. It is not negative, so the bits have the same order. `None` means that nothing is proven,
/// and comes first.
type Proof = Option<u64>;

impl Proofs {
    /// Creates the proofs of a robot with this many links. It proves nothing yet.
    pub(super) fn none(links: usize) -> Proofs {
        Proofs { of_joint: vec![None; links], by_separation: (0..links).map(|link| (None, link)).collect() }
    }

    /// The joints that are suspect in a step that needs this gap, which is not negative.
    pub(super) fn suspects(&self, needed: NeededGap) -> impl Iterator<Item = usize> {
        self.by_separation.range(..(needed.order(), 0)).map(|&(_, link)| link)
    }

    /// Records the gap that is proven of the pairs on two sides of these joints.
    pub(super) fn prove(&mut self, joints: &[usize], gap: ProvenGap) {
        self.set(joints, gap.order());
    }

    /// Forgets the proofs about the pairs on two sides of these joints.
    pub(super) fn forget(&mut self, joints: &[usize]) {
        self.set(joints, None);
    }

    fn set(&mut self, joints: &[usize], proof: Proof) {
        for &link in joints {
            let before = std::mem::replace(&mut self.of_joint[link], proof);
            if before != proof {
                self.by_separation.remove(&(before, link));
                self.by_separation.insert((proof, link));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspects_are_those_proven_of_less() {
        let suspects =
            |proofs: &Proofs, gap: f64| proofs.suspects(NeededGap::of(gap)).collect::<Vec<usize>>();
        let mut proofs = Proofs::none(4);
        assert_eq!(suspects(&proofs, 0.0), [0, 1, 2, 3]);
        proofs.prove(&[0, 1, 2, 3], ProvenGap::beyond(0.5));
        assert!(suspects(&proofs, 0.5).is_empty());
        proofs.prove(&[1, 2], ProvenGap::beyond(-0.0));
        assert!(suspects(&proofs, 0.0).is_empty());
        assert_eq!(suspects(&proofs, 1e-300), [1, 2]);
        proofs.forget(&[3]);
        assert_eq!(suspects(&proofs, 0.0), [3]);
        assert_eq!(suspects(&proofs, 0.6), [3, 1, 2, 0]);
        proofs.prove(&[0], ProvenGap::beyond(f64::NAN));
        assert_eq!(suspects(&proofs, 0.0), [0, 3]);
    }
}
