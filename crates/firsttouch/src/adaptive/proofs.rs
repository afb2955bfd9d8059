//! What earlier steps have proven, and which joints a step has to look at although they rest.
//!
//! A step looks at every pair of bodies on two sides of a joint that moves or is *suspect*, and proves that they are farther apart
//! than some separation, up to the first touch. Of all other pairs it proves nothing; they do not move relative to each other,
//! so what was proven before still holds. It is enough to remember one number per joint: a separation that the last step to look at
//! it proved of all pairs on its two sides.
//!
//! A pair was last looked at when a joint between the two was, by the last step that looked at any of those joints. What that
//! step proved of the pair is at least the number of one of them. So if the numbers of all joints between the two are at least
//! `s`, the pair is farther apart than `s`; and if one of them is not, the pair is looked at again when that joint is suspect.
//!
//! The root link stands for what keeps the robot's base apart from the obstacles.

use std::collections::BTreeSet;

/// For each joint, by the link that it carries, the separation proven of the pairs on its two sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Proofs {
    of_joint: Vec<Proof>,
    /// The same by separation, the least first.
    by_separation: BTreeSet<(Proof, usize)>,
}

/// The bits of a separation, which is not negative, so that they are in its order; before all of them, nothing.
type Proof = Option<u64>;

impl Proofs {
    /// Of so many links nothing is known.
    pub(super) fn none(links: usize) -> Proofs {
        Proofs { of_joint: vec![None; links], by_separation: (0..links).map(|link| (None, link)).collect() }
    }

    /// The joints that are suspect in a step with this separation, which is not negative.
    pub(super) fn suspects(&self, separation: f64) -> impl Iterator<Item = usize> {
        self.by_separation.range(..(proof(separation), 0)).map(|&(_, link)| link)
    }

    /// The pairs on two sides of these joints are farther apart than the separation.
    pub(super) fn prove(&mut self, joints: &[usize], separation: f64) {
        self.set(joints, proof(separation));
    }

    /// Of the pairs on two sides of these joints nothing is known.
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

fn proof(separation: f64) -> Proof {
    // The sum makes a negative zero a positive one.
    Some((separation + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspects_are_those_proven_of_less() {
        let suspects = |proofs: &Proofs, separation: f64| proofs.suspects(separation).collect::<Vec<usize>>();
        let mut proofs = Proofs::none(4);
        assert_eq!(suspects(&proofs, 0.0), [0, 1, 2, 3]);
        proofs.prove(&[0, 1, 2, 3], 0.5);
        assert!(suspects(&proofs, 0.5).is_empty());
        proofs.prove(&[1, 2], -0.0);
        assert!(suspects(&proofs, 0.0).is_empty());
        assert_eq!(suspects(&proofs, 1e-300), [1, 2]);
        proofs.forget(&[3]);
        assert_eq!(suspects(&proofs, 0.0), [3]);
        assert_eq!(suspects(&proofs, 0.6), [3, 1, 2, 0]);
    }
}
