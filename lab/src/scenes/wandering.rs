//! Ellipsoids that wander about in motions of high degree, for measurements of the algebra.

use firsttouch::Result;
use firsttouch::motion::Rational;
use firsttouch::numerics::bernstein::Bernstein;
use firsttouch::shape::Ellipsoid;
use glam::DVec3;

use crate::scenes::ellipsoids::MovingEllipsoid;
use crate::scenes::random::Random;

/// Returns pairs that both wander about in a cube of side 2, with quaternions of degree 10 and translations of degree
/// 8: their equation has degree 96 in time.
///
/// ```
/// use firsttouch::ellipsoid::{Equation, Track};
/// let [a, b] = &firsttouch_lab::scenes::wandering::wandering_pairs(1)?[0];
/// let track = |moving: &(_, _)| Track::new(&moving.0, &moving.1).unwrap();
/// assert_eq!(Equation::new(&track(a), &track(b)).degree(), 96);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn wandering_pairs(count: usize) -> Result<Vec<[MovingEllipsoid; 2]>> {
    let mut random = Random::new(9);
    let mut wanderer = || -> Result<MovingEllipsoid> {
        // Control points: the path is in their hull. A real part above zero keeps the quaternion from vanishing.
        let mut polynomial = |degree: usize, low: f64, high: f64| {
            let points: Vec<f64> = (0..=degree).map(|_| random.between(low, high)).collect();
            Bernstein::from_coefficients(&points)
        };
        let quat = [
            polynomial(10, 0.2, 1.0)?,
            polynomial(10, -1.0, 1.0)?,
            polynomial(10, -1.0, 1.0)?,
            polynomial(10, -1.0, 1.0)?,
        ];
        let xyz = [polynomial(8, -1.0, 1.0)?, polynomial(8, -1.0, 1.0)?, polynomial(8, -1.0, 1.0)?];
        let one = Bernstein::from_coefficients(&[1.0])?;
        Ok((Ellipsoid::new(DVec3::new(0.3, 0.2, 0.1))?, Rational::new(quat, xyz, one)?.into()))
    };
    (0..count).map(|_| Ok([wanderer()?, wanderer()?])).collect()
}
