//! The binding of firsttouch for Python: it converts and forwards. What users see is the Python layer in `firsttouch/`.
//!
//! | file | what is in it |
//! |---|---|
//! | `convert` | numpy arrays, poses, errors |
//! | `options` | the options of a query |
//! | `supervise`, `threads` | long work that Ctrl-C ends; tasks over threads |
//! | `answer` | what checks return |
//! | `questions` | what other queries return: least distances, contacts, derivatives |
//! | `shape`, `motion`, `robot`, `scene`, `screw_pair`, `checker`, `deformable`, `elementary`, `ellipsoids` | one part of the core each |
//! | `planning`, `simulated` | planners, and a robot step by step |
//! | `certificate` | proofs that can be written |
//! | `load` | scene files |
//! | `page` | pages of `firsttouch_io` |

mod answer;
mod certificate;
mod checker;
mod convert;
mod deformable;
mod elementary;
mod ellipsoids;
mod load;
mod motion;
mod options;
mod page;
mod planning;
mod questions;
mod robot;
mod scene;
mod screw_pair;
mod shape;
mod simulated;
mod supervise;
mod threads;
mod trajectory;

/// The module `firsttouch._core`.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::answer::RawAnswer;
    #[pymodule_export]
    use super::certificate::RawCertificate;
    #[pymodule_export]
    use super::checker::RawChecker;
    #[pymodule_export]
    use super::convert::{
        matrix_from_pose, pose_from_matrix, read_heights, read_mesh, read_octree, read_points,
    };
    #[pymodule_export]
    use super::deformable::RawDeformable;
    #[pymodule_export]
    use super::elementary::{edge_edge_many, edge_edge_one, vertex_face_many, vertex_face_one};
    #[pymodule_export]
    use super::ellipsoids::{contact_at, enclosing, overlap_intervals, relation};
    #[pymodule_export]
    use super::load::load_scene;
    #[pymodule_export]
    use super::motion::RawMotion;
    #[pymodule_export]
    use super::page::{page_around, path_page, scene_page};
    #[pymodule_export]
    use super::planning::RawRoadmap;
    #[pymodule_export]
    use super::robot::RawRobot;
    #[pymodule_export]
    use super::scene::{RawScene, first_touch};
    #[pymodule_export]
    use super::screw_pair::RawScrewPair;
    #[pymodule_export]
    use super::shape::RawShape;
    #[pymodule_export]
    use super::simulated::RawSimulated;
    #[pymodule_export]
    use super::trajectory::RawTrajectory;

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
