//! Motions of rigid bodies.

use firsttouch::glam::DVec3;
use firsttouch::motion::{By, Leg, Motion, Path, Pose, Rational, RigidMotion, Spline};
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

    /// A rotation about a line in space, by any angle in radians.
    #[staticmethod]
    fn turn(start: PoseNumbers, axis: [f64; 3], point: [f64; 3], angle: f64) -> PyResult<RawMotion> {
        let (axis, point) = (DVec3::from_array(axis), DVec3::from_array(point));
        Motion::turn(pose(start)?, axis, point, angle).map(RawMotion).map_err(refused)
    }

    /// One leg after another; see `LegNumbers`.
    #[staticmethod]
    fn path(start: PoseNumbers, legs: Vec<LegNumbers>, duration: f64) -> PyResult<RawMotion> {
        let legs = legs.into_iter().map(leg).collect::<PyResult<Vec<_>>>()?;
        let path = Path::new(pose(start)?, &legs, duration).map_err(refused)?;
        Ok(RawMotion(path.into()))
    }

    /// Through poses at times. With a duration, times run from 0 to it, and the body waits before the first pose and
    /// after the last.
    #[staticmethod]
    fn spline(keyframes: Vec<(f64, PoseNumbers)>, duration: Option<f64>) -> PyResult<RawMotion> {
        let spline = spline_through(&keyframes)?;
        let (first, last) = (keyframes[0].0, keyframes[keyframes.len() - 1].0);
        let Some(duration) = duration.filter(|&duration| first != 0.0 || last != duration) else {
            return Ok(RawMotion(spline.into()));
        };
        let wait = (first != 0.0).then_some(Leg { until: first, by: By::Hold });
        let start = spline.start();
        let legs: Vec<Leg> = wait.into_iter().chain([Leg { until: last, by: By::Spline(spline) }]).collect();
        Ok(RawMotion(Path::new(start, &legs, duration).map_err(refused)?.into()))
    }

    /// This motion in a frame that moves itself.
    fn within(&self, frame: &RawMotion) -> RawMotion {
        RawMotion(self.0.within(&frame.0))
    }

    /// The times at which the velocity jumps.
    #[getter]
    fn kinks(&self) -> Vec<f64> {
        self.0.kinks().collect()
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

/// A leg of a path as it crosses the border: when it ends, how the body moves, and the numbers that this takes.
/// `"hold"` takes none, `"linear"` and `"screw"` a pose, `"turn"` an axis, a point and an angle, `"spline"` a time and
/// a pose for each of its poses.
pub(crate) type LegNumbers = (f64, String, Vec<f64>);

fn leg((until, by, numbers): LegNumbers) -> PyResult<Leg> {
    let wrong =
        || PyValueError::new_err(format!("a leg by \"{by}\" does not take {} numbers", numbers.len()));
    let to = || PoseNumbers::try_from(&numbers[..]).map_err(|_| wrong()).and_then(pose);
    let by = match by.as_str() {
        "hold" => By::Hold,
        "linear" => By::Linear(to()?),
        "screw" => By::Screw(to()?),
        "turn" => {
            let [a, b, c, x, y, z, angle] = numbers[..] else { return Err(wrong()) };
            By::Turn { axis: DVec3::new(a, b, c), point: DVec3::new(x, y, z), angle }
        }
        "spline" => {
            let (keyframes, []) = numbers.as_chunks::<8>() else { return Err(wrong()) };
            let keyframe = |&[t, x, y, z, w, i, j, k]: &[f64; 8]| (t, [x, y, z, w, i, j, k]);
            By::Spline(spline_through(&keyframes.iter().map(keyframe).collect::<Vec<_>>())?)
        }
        _ => {
            return Err(PyValueError::new_err(format!(
                "a leg is by \"linear\", \"screw\", \"hold\", a turn or a spline, not by \"{by}\""
            )));
        }
    };
    Ok(Leg { until, by })
}

fn spline_through(keyframes: &[(f64, PoseNumbers)]) -> PyResult<Spline> {
    let keyframes = keyframes.iter().map(|(t, at)| Ok((*t, pose(*at)?)));
    Spline::new(&keyframes.collect::<PyResult<Vec<(f64, Pose)>>>()?).map_err(refused)
}
