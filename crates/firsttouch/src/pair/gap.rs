//! Proven distances and needed distances: two kinds of numbers with one kind of comparison.
//!
//! A cached distance outlives the query that computed it, so its type must record its meaning. Take a check with a
//! separation of 0.05 and a tolerance of 0.05: it decides if two things are closer than 0.05, and may report a touch up
//! to 0.1. "Free" proves that they are farther apart than 0.05. It does not prove 0.1, so it does not answer a later
//! query for 0.0995.
//!
//! - [`ProvenGap`]: the two are farther apart than this. It comes from a proof, and becomes smaller when the two
//!   travel.
//! - [`NeededGap`]: a step must prove that the two are farther apart than this. It comes from the options of a query.
//!
//! [`ProvenGap::covers`] is the only comparison of the two. Neither type compares with a plain number, so neither is
//! compared with a tolerance by accident.

use crate::numerics::rounding::{down, up};
use crate::options::Options;

/// A proven gap of two things, or of all pairs of a set: they are farther apart than this.
///
/// ```
/// use firsttouch::Options;
/// use firsttouch::pair::{NeededGap, ProvenGap};
/// let options = Options { min_separation: 0.05, tolerance: 0.05, ..Options::default() };
/// let (free, needed) = (ProvenGap::beyond(options.min_separation), NeededGap::at_start(&options));
/// assert!(!free.covers(needed) && ProvenGap::at_least(0.11).covers(needed));
/// // A travel of 0.02 may bring the two within 0.09.
/// assert!(!ProvenGap::at_least(0.11).after(0.02).covers(needed));
/// assert!(!ProvenGap::at_least(f64::NAN).covers(needed));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProvenGap(f64);

/// The gap that must be proven so that a query need not examine two things: they are farther apart than this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeededGap(f64);

impl ProvenGap {
    /// Returns a distance of at least `lower`, which was rounded down. NaN proves nothing.
    #[inline]
    pub fn at_least(lower: f64) -> ProvenGap {
        ProvenGap(if lower.is_nan() { f64::NEG_INFINITY } else { lower.next_down() })
    }

    /// Returns the proof of a check that looked for pairs within `separation` and found none. NaN proves nothing.
    #[inline]
    pub fn beyond(separation: f64) -> ProvenGap {
        ProvenGap(if separation.is_nan() { f64::NEG_INFINITY } else { separation })
    }

    /// Returns the gap that is left after the two have travelled relative to each other. A NaN travel leaves no gap.
    #[inline]
    #[must_use]
    pub fn after(self, travel: f64) -> ProvenGap {
        ProvenGap::beyond(down(self.0 - travel))
    }

    /// Returns the proof about two pairs together.
    #[inline]
    #[must_use]
    pub(crate) fn lesser(self, other: ProvenGap) -> ProvenGap {
        if other.0 < self.0 { other } else { self }
    }

    /// Returns true if this gap proves the needed one.
    #[inline]
    pub fn covers(self, needed: NeededGap) -> bool {
        self.0 >= needed.0
    }

    /// Returns the bits of a proven separation, in the order of the separations; `None`, which comes first, if none is
    /// proven.
    #[inline]
    pub(crate) fn order(self) -> Option<u64> {
        // The sum makes a negative zero a positive one.
        (self.0 >= 0.0).then(|| (self.0 + 0.0).to_bits())
    }
}

impl NeededGap {
    /// Returns the gap beyond which a pair does not touch at the start: see [`Options::touching`].
    #[inline]
    pub fn at_start(options: &Options) -> NeededGap {
        NeededGap(options.touching())
    }

    /// Returns [`NeededGap::at_start`] for a pair with a padding, rounded up.
    #[inline]
    pub fn padded(options: &Options, padding: f64) -> NeededGap {
        NeededGap(up(up(options.touching()) + padding))
    }

    /// Returns a gap of this size. NaN needs more than any proof provides.
    #[inline]
    pub fn of(gap: f64) -> NeededGap {
        NeededGap(if gap.is_nan() { f64::INFINITY } else { gap })
    }

    /// Returns the gap that two things must have at first, so that they keep this gap over a travel.
    #[inline]
    #[must_use]
    pub fn before(self, travel: f64) -> NeededGap {
        NeededGap::of(up(travel + self.0))
    }

    /// Returns the gap, for engines that look for pairs within it.
    #[inline]
    pub fn value(self) -> f64 {
        self.0
    }

    /// Returns the proof of engines that compared all pairs with this and found each to be farther apart.
    #[inline]
    pub fn shown(self) -> ProvenGap {
        ProvenGap::beyond(self.0)
    }

    /// Returns the bits of the gap, comparable with [`ProvenGap::order`].
    #[inline]
    pub(crate) fn order(self) -> Option<u64> {
        Some((self.0 + 0.0).to_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;

    /// Rounded against the proof at each step; NaN on either side proves nothing.
    #[test]
    fn a_proof_never_grows() {
        let needed = NeededGap::of(1.0);
        assert!(ProvenGap::beyond(1.0).covers(needed) && !ProvenGap::at_least(1.0).covers(needed));
        assert!(ProvenGap::at_least(1.0_f64.next_up()).covers(needed));
        assert!(
            !ProvenGap::beyond(3.0).after(2.0).covers(needed)
                && ProvenGap::beyond(3.1).after(2.0).covers(needed)
        );
        assert!(
            !ProvenGap::beyond(3.0).covers(needed.before(2.0))
                && ProvenGap::beyond(3.1).covers(needed.before(2.0))
        );
        for proof in [
            ProvenGap::at_least(NAN),
            ProvenGap::beyond(NAN),
            ProvenGap::beyond(9.0).after(NAN),
            ProvenGap::beyond(9.0).after(f64::INFINITY),
        ] {
            assert!(!proof.covers(NeededGap::of(0.0)) && proof.order().is_none(), "{proof:?}");
        }
        assert!(!ProvenGap::beyond(9.0).covers(NeededGap::of(NAN)));
        assert!(!ProvenGap::beyond(9.0).covers(NeededGap::of(1.0).before(NAN)));
    }

    /// A proof that covers a gap comes after it in the order of bits, or is the same.
    #[test]
    fn the_order_of_bits_is_that_of_the_proofs() {
        let values = [-0.0, 0.0, 1e-300, 0.5, 2.0, f64::INFINITY];
        for proven in values {
            for needed in values {
                let (proof, need) = (ProvenGap::beyond(proven), NeededGap::of(needed));
                assert_eq!(proof.covers(need), proof.order() >= need.order(), "{proven} {needed}");
            }
        }
    }
}
