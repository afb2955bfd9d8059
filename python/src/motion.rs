//! Motions of rigid bodies.

use firsttouch::motion::{Motion, Rational, RigidMotion};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::convert::{PoseNumbers, homogeneous, pose, refused};

/// A motion of the core.
#[pyclass(frozen, name = "Motion", module = "firsttouch._core")]
pub(crate) struct RawMotion(pub(crate) Motion);

#[pymethods]
impl RawMotion {
    #[staticmethod]
    fn fixed(at: PoseNumbers) -> PyResult<RawMotion> {
        Ok(RawMotion(Motion::fixed(pose(at)?)))
    }

    #[staticmethod]
    fn linear(start: PoseNumbers, end: PoseNumbers) -> PyResult<RawMotion> {
        Ok(RawMotion(Motion::linear(pose(start)?, pose(end)?)))
    }

    #[staticmethod]
    fn screw(start: PoseNumbers, end: PoseNumbers) -> PyResult<RawMotion> {
        Ok(RawMotion(Motion::screw(pose(start)?, pose(end)?)))
    }

    #[staticmethod]
    fn contact_screw(start: PoseNumbers, end: PoseNumbers) -> PyResult<RawMotion> {
        Ok(RawMotion(Motion::contact_screw(pose(start)?, pose(end)?)))
    }

    /// Quotients of polynomials; entry k is the coefficient of t^k.
    #[staticmethod]
    fn rational(quat_wxyz: Vec<[f64; 4]>, xyz: Vec<[f64; 3]>, weight: Vec<f64>) -> PyResult<RawMotion> {
        let motion = Rational::from_power_basis(&quat_wxyz, &xyz, &weight).map_err(refused)?;
        Ok(RawMotion(motion.into()))
    }

    /// The quaternion and the origin interpolated linearly.
    #[staticmethod]
    fn rational_between(start: PoseNumbers, end: PoseNumbers) -> PyResult<RawMotion> {
        Ok(RawMotion(Motion::rational(pose(start)?, pose(end)?)))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// The homogeneous matrix at a time, row by row.
    fn pose_at(&self, t: f64) -> PyResult<[[f64; 4]; 4]> {
        if !(0.0..=1.0).contains(&t) {
            return Err(PyValueError::new_err(format!("t must be from 0 to 1, but is {t}")));
        }
        let at = self.0.pose_at(t);
        Ok(homogeneous(at.rotation, at.translation))
    }
}
