//! Robots: read from files, or put together from links and joints.

use std::path::PathBuf;
use std::sync::Arc;

use firsttouch::adaptive::forest;
use firsttouch::articulated::{
    Joint, JointKind, LinkPart, Mimic, PairFinding, Robot, RobotMotion, SurveyOptions,
};
use firsttouch::glam::DVec3;
use firsttouch::motion::Pose;
use firsttouch_io::Files;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::convert::{PoseNumbers, file_refused, homogeneous, pose, pose_numbers, refused};
use super::shape::RawShape;

/// A robot of the core.
#[pyclass(frozen, name = "Robot", module = "firsttouch._core")]
pub(crate) struct RawRobot(pub(crate) Arc<Robot>);

/// Name, parent, child, origin, kind, axis, limits, and the joint that it mimics with factor and offset.
type JointTuple =
    (String, String, String, PoseNumbers, String, [f64; 3], Option<(f64, f64)>, Option<(String, f64, f64)>);

/// Name, and shapes with their poses.
type LinkTuple = (String, Vec<(Py<RawShape>, PoseNumbers)>);

#[pymethods]
impl RawRobot {
    #[new]
    fn new(
        py: Python<'_>,
        name: String,
        links: Vec<LinkTuple>,
        joints: Vec<JointTuple>,
        allowed: Vec<(String, String)>,
    ) -> PyResult<RawRobot> {
        let part = |(shape, at): (Py<RawShape>, PoseNumbers)| {
            Ok(LinkPart { shape: shape.get().0.clone(), pose: pose(at)? })
        };
        let links = links.into_iter().map(|(name, parts)| {
            Ok((name, parts.into_iter().map(part).collect::<PyResult<Vec<LinkPart>>>()?))
        });
        let links = links.collect::<PyResult<Vec<_>>>()?;
        let joints = joints.into_iter().map(joint).collect::<PyResult<Vec<_>>>()?;
        let mut robot = py.detach(|| Robot::new(name, links, joints)).map_err(refused)?;
        for (a, b) in &allowed {
            robot.allow(a, b).map_err(refused)?;
        }
        Ok(RawRobot(Arc::new(robot)))
    }

    /// Returns the robot, and warnings about elements of the files that were ignored. The file is a URDF or an MJCF
    /// file.
    #[staticmethod]
    #[pyo3(signature = (urdf, srdf=None))]
    fn from_urdf(py: Python<'_>, urdf: PathBuf, srdf: Option<PathBuf>) -> PyResult<(RawRobot, Vec<String>)> {
        let read = py.detach(|| Files::default().read_robot(&urdf, srdf.as_deref()));
        let (robot, warnings) = read.map_err(file_refused)?;
        Ok((RawRobot(Arc::new(robot)), warnings.iter().map(ToString::to_string).collect()))
    }

    /// The same from the text of a URDF; paths in it are relative to the folder of `path`.
    #[staticmethod]
    #[pyo3(signature = (text, path, srdf=None))]
    fn from_urdf_text(
        py: Python<'_>,
        text: &str,
        path: PathBuf,
        srdf: Option<PathBuf>,
    ) -> PyResult<(RawRobot, Vec<String>)> {
        let files = Files::default();
        let read = py.detach(|| files.robot_of(&files.robot_from(text.as_bytes(), &path)?, srdf.as_deref()));
        let (robot, warnings) = read.map_err(file_refused)?;
        Ok((RawRobot(Arc::new(robot)), warnings.iter().map(ToString::to_string).collect()))
    }

    /// Several robots with different names as one, each with its base.
    #[staticmethod]
    fn join(py: Python<'_>, name: &str, robots: Vec<(Py<RawRobot>, PoseNumbers)>) -> PyResult<RawRobot> {
        let one = |(robot, at): &(Py<RawRobot>, PoseNumbers)| Ok((Robot::clone(&robot.get().0), pose(*at)?));
        let robots = robots.iter().map(one).collect::<PyResult<Vec<_>>>()?;
        let joined = py.detach(|| forest(name, &robots)).map_err(refused)?;
        Ok(RawRobot(Arc::new(joined)))
    }

    /// Returns every pair of links with shapes, and the finding about it.
    fn survey_pairs(
        &self,
        py: Python<'_>,
        samples: usize,
        seed: u64,
        boxes: usize,
    ) -> PyResult<Vec<(String, String, &'static str)>> {
        let options = SurveyOptions { samples, seed, boxes };
        let found = py.detach(|| self.0.survey_pairs(&options)).map_err(refused)?;
        let name = |link: usize| self.0.links()[link].name().to_string();
        let pair = found.iter().map(|pair| {
            let [a, b] = pair.links;
            (name(a), name(b), finding(pair.finding))
        });
        Ok(pair.collect())
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.0.variables().iter().map(|variable| variable.name.clone()).collect()
    }

    #[getter]
    fn limits(&self) -> Vec<Option<(f64, f64)>> {
        self.0.variables().iter().map(|variable| variable.limits.map(|[low, high]| (low, high))).collect()
    }

    #[getter]
    fn zero(&self) -> Vec<f64> {
        self.0.zero()
    }

    #[getter]
    fn link_names(&self) -> Vec<String> {
        self.0.links().iter().map(|link| link.name().to_string()).collect()
    }

    /// The links with their shapes, as the constructor takes them.
    fn links(&self, py: Python<'_>) -> PyResult<Vec<LinkTuple>> {
        // Meshes that several links share stay shared.
        let part =
            |part: &LinkPart| Ok((Py::new(py, RawShape(part.shape.clone()))?, pose_numbers(&part.pose)));
        let link = self.0.links().iter().map(|link| {
            Ok((link.name().to_string(), link.parts().iter().map(part).collect::<PyResult<Vec<_>>>()?))
        });
        link.collect()
    }

    /// The joints, as the constructor takes them.
    fn joints(&self) -> Vec<JointTuple> {
        (0..self.0.links().len()).filter_map(|link| self.0.joint_of(link)).map(joint_tuple).collect()
    }

    /// The pairs of links that are not checked and not joined by a joint.
    fn allowed(&self) -> Vec<(String, String)> {
        let links = self.0.links();
        let mut pairs = Vec::new();
        for (j, link) in links.iter().enumerate() {
            for (i, other) in links[..j].iter().enumerate() {
                if link.parent() != Some(i) && self.0.is_allowed(i, j) {
                    pairs.push((other.name().to_string(), link.name().to_string()));
                }
            }
        }
        pairs
    }

    /// The pose of each link in a configuration.
    fn link_poses(&self, base: PoseNumbers, q: Vec<f64>) -> PyResult<Vec<[[f64; 4]; 4]>> {
        let motion = RobotMotion::new(&self.0, pose(base)?, &q, &q).map_err(refused)?;
        let at = |link: usize| {
            let at = motion.link_pose(link, 0.0);
            homogeneous(at.rotation, at.translation)
        };
        Ok((0..self.0.links().len()).map(at).collect())
    }
}

/// Returns the word for the finding about a pair.
fn finding(found: PairFinding) -> &'static str {
    match found {
        PairFinding::Adjacent => "adjacent",
        PairFinding::RigidTouching => "rigid_touching",
        PairFinding::RigidApart => "rigid_apart",
        PairFinding::AlwaysSeen => "always_seen",
        PairFinding::NeverProven => "never_proven",
        PairFinding::NeverSeen => "never_seen",
        // A pair with an unknown finding is not left out of any check.
        _ => "sometimes",
    }
}

fn joint((name, parent, child, origin, kind, axis, limits, mimic): JointTuple) -> PyResult<Joint> {
    let axis = DVec3::from_array(axis);
    let kind = match &kind[..] {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis },
        "prismatic" => JointKind::Prismatic { axis },
        "planar" => JointKind::Planar { normal: axis },
        "floating" => JointKind::Floating,
        "ball" => JointKind::Ball,
        other => {
            return Err(PyValueError::new_err(format!(
                "joint \"{name}\" is of the kind \"{other}\", which is unknown"
            )));
        }
    };
    Ok(Joint {
        name,
        parent,
        child,
        origin: pose(origin)?,
        kind,
        limits: limits.map(|(low, high)| [low, high]),
        mimic: mimic.map(|(joint, multiplier, offset)| Mimic { joint, multiplier, offset }),
    })
}

fn joint_tuple(joint: Joint) -> JointTuple {
    let (kind, axis) = match joint.kind {
        JointKind::Fixed => ("fixed", DVec3::ZERO),
        JointKind::Revolute { axis } => ("revolute", axis),
        JointKind::Prismatic { axis } => ("prismatic", axis),
        JointKind::Planar { normal } => ("planar", normal),
        JointKind::Floating => ("floating", DVec3::ZERO),
        JointKind::Ball => ("ball", DVec3::ZERO),
        // A kind that the constructor here does not know, and refuses.
        _ => ("unknown", DVec3::ZERO),
    };
    (
        joint.name,
        joint.parent,
        joint.child,
        pose_numbers(&joint.origin),
        kind.into(),
        axis.to_array(),
        joint.limits.map(|[low, high]| (low, high)),
        joint.mimic.map(|mimic| (mimic.joint, mimic.multiplier, mimic.offset)),
    )
}

/// The pose of a base, or none.
pub(crate) fn base(numbers: Option<PoseNumbers>) -> PyResult<Pose> {
    numbers.map_or(Ok(Pose::IDENTITY), pose)
}
