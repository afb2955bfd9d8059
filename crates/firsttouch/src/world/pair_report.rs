//! The answer of one pair of bodies, and answers over another unit of time.

use crate::answer::Answer;
use crate::ellipsoid::Overlap;
use crate::numerics::error_free::two_product;

/// The answer of one pair.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Body, Mode, Options, Scene};
/// use glam::DVec3;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let mut scene = Scene::default();
/// for (name, x) in [("a", 0.0), ("b", 1.0), ("c", 9.0)] {
///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(at(x)?)))?;
/// }
/// let report = scene.check(&Options { mode: Mode::All, ..Options::default() })?;
/// assert_eq!(report.pairs[0].bodies, [0, 1]);
/// assert!(matches!(report.pairs[0].answer, Answer::TouchingAtStart(_)));
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PairReport {
    /// The two bodies; the same one twice for its own parts.
    pub bodies: [usize; 2],
    /// The proven answer.
    pub answer: Answer,
    /// All times at which the two touch or overlap, for two ellipsoids in rational motions without a minimum
    /// separation.
    pub overlaps: Option<Vec<Overlap>>,
}

impl PairReport {
    /// Returns the same report with its times over `[0, duration]` instead of `[0, 1]`. Those of the answer are rounded
    /// down. Overlaps are rounded outwards.
    #[must_use]
    pub fn over(mut self, duration: f64) -> PairReport {
        self.answer = self.answer.over(duration);
        for overlap in self.overlaps.iter_mut().flatten() {
            overlap.start = [down(overlap.start[0], duration), up(overlap.start[1], duration)];
            overlap.end = [down(overlap.end[0], duration), up(overlap.end[1], duration)];
        }
        self
    }
}

impl Answer {
    /// Returns the same answer with its times over `[0, duration]` instead of `[0, 1]`, rounded down.
    ///
    /// ```
    /// use firsttouch::Answer;
    /// let answer = Answer::Undecided { free_until: 0.25, bodies: [0, 1] };
    /// assert_eq!(answer.over(10.0).free_until(10.0), 2.5);
    /// ```
    #[must_use]
    pub fn over(mut self, duration: f64) -> Answer {
        match &mut self {
            Answer::Free => {}
            Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
                touch.toi = down(touch.toi, duration);
                touch.free_until = down(touch.free_until, duration);
            }
            Answer::Undecided { free_until, .. } => *free_until = down(*free_until, duration),
        }
        self
    }
}

/// Returns a product, rounded down. For factors of at most 1e100 the error of a rounded product is itself a
/// floating-point number, so its sign is known, unless the product is tiny: that is rounded down in any case.
fn down(a: f64, b: f64) -> f64 {
    let (product, error) = two_product(a, b);
    let is_tiny = product.abs() < 1e-270 && a != 0.0 && b != 0.0;
    let is_positive = (a < 0.0) == (b < 0.0);
    match error >= 0.0 && !is_tiny {
        true => product,
        // Zero is below a product of two positive numbers.
        false if is_positive && product == 0.0 => 0.0,
        false => product.next_down(),
    }
}

/// Returns a product, rounded up.
fn up(a: f64, b: f64) -> f64 {
    -down(-a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of tiny factors has no exact error in floating point. It is rounded outwards all the same.
    #[test]
    fn products_are_rounded_outwards() {
        assert_eq!((down(0.5, 3.0), up(0.5, 3.0), down(0.0, 7.0)), (1.5, 1.5, 0.0));
        assert!(down(0.1, 3.0) <= 0.3 && up(0.1, 3.0) > down(0.1, 3.0));
        for t in [5e-324, 1e-310, 1e-300, 3e-280] {
            let (low, high) = (down(t, 1.0 / 3.0), up(t, 1.0 / 3.0));
            // Three times a third that is rounded down is at most the whole.
            assert!(low >= 0.0 && 3.0 * low <= t && high > low && high > 0.0, "{t:e}: {low:e} {high:e}");
        }
    }
}
