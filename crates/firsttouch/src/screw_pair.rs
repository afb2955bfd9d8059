//! Two meshes on a contact screw, by the method of CONTACT.
//!
//! [`Scene::check`](crate::Scene::check) and [`first_touch`](crate::first_touch) take the tree engine for such a pair,
//! which was measured to be faster. This type takes CONTACT, with its own options: the radius of the leaf spheres, and
//! the kept tables of tested pairs. A scene takes it for chosen pairs:
//! [`Scene::decide_by_contact`](crate::Scene::decide_by_contact). The guarantee is the same.
//!
//! Two moving bodies are checked by their relative motion, as the paper does: [`ScrewPair::check_relative`].
//!
//! Reference: Redon, Kheddar, Coquillart 2001.

use std::sync::Arc;

use glam::DQuat;

use crate::answer::{Answer, Part};
use crate::contact::{self, ContactPair, Covered, FaceTouch, Tables};
use crate::error::Result;
use crate::motion::{ContactScrew, FixedPose, Motion, Pose};
use crate::narrow::{Dispatched, Engine, touch_of_triangles};
use crate::options::{Mode, Options};
use crate::pair::{Limits, PairTouch, TreeStats};
use crate::shape::{Mesh, SphereTree};

/// The options of CONTACT.
///
/// ```
/// use firsttouch::{ContactTables, ScrewPairOptions};
/// let plain = ScrewPairOptions { tables: ContactTables::NONE, ..Default::default() };
/// assert_eq!(plain.leaf_radius, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScrewPairOptions {
    /// The radius of the leaf spheres of both meshes. The paper requires one radius for both, small against the
    /// distances that matter. `None` takes about the size of the smaller triangles. It takes more if one mesh is so
    /// much larger than the other that there would be too many spheres. [`ScrewPair::leaf_radius`] returns the radius.
    pub leaf_radius: Option<f64>,
    /// The kept tables of tested pairs (Sec. 4.4). They change the work, not the answer.
    pub tables: Tables,
}

/// A moving mesh and one at rest, with their trees of spheres, ready for any number of queries.
///
/// ```
/// use firsttouch::motion::{ContactScrew, Pose};
/// use firsttouch::shape::Mesh;
/// use firsttouch::{Answer, Options, ScrewPair, ScrewPairOptions};
/// use glam::DVec3;
/// // A triangle flies from z = 2 to z = -2 through another at z = 0.
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
/// let options = ScrewPairOptions { leaf_radius: Some(0.3), ..Default::default() };
/// let pair = ScrewPair::new(mesh.clone(), mesh, options)?;
/// let motion = ContactScrew::new(at(2.0)?, at(-2.0)?);
/// let answer = pair.check(&motion, Pose::IDENTITY, &Options::default())?;
/// let Answer::Touch(touch) = answer else { panic!("they touch") };
/// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
/// // Both move, towards each other: relative to the second the first does the same.
/// let answer = pair.check_relative([at(1.0)?, at(-1.0)?], [at(-1.0)?, at(1.0)?], &Options::default())?;
/// let Answer::Touch(touch) = answer else { panic!("they touch") };
/// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ScrewPair {
    meshes: [Arc<Mesh>; 2],
    /// They follow from the meshes and the leaf radius; tables of tested pairs live for one query.
    trees: Arc<[SphereTree; 2]>,
    options: ScrewPairOptions,
}

impl ScrewPair {
    /// Builds the trees of spheres of a moving mesh and one at rest. Returns an error for a leaf radius that is not
    /// positive, or so small that there would be too many spheres.
    pub fn new(
        moving: impl Into<Arc<Mesh>>,
        resting: impl Into<Arc<Mesh>>,
        options: ScrewPairOptions,
    ) -> Result<ScrewPair> {
        let meshes = [moving.into(), resting.into()];
        let trees = Arc::new(SphereTree::for_both([&meshes[0], &meshes[1]], options.leaf_radius)?);
        Ok(ScrewPair { meshes, trees, options })
    }

    /// Returns the radius of the leaf spheres of both trees: the radius of the options enlarged by a few parts in a
    /// billion, or the default.
    pub fn leaf_radius(&self) -> f64 {
        self.trees[0].leaf_radius()
    }

    /// Returns the two meshes, the moving one first.
    pub fn meshes(&self) -> [&Arc<Mesh>; 2] {
        self.meshes.each_ref()
    }

    /// Returns the options that the pair was built with.
    pub fn options(&self) -> &ScrewPairOptions {
        &self.options
    }

    /// Finds the first touch. In the answer the moving mesh is body 0 and the one at rest body 1.
    pub fn check(&self, motion: &ContactScrew, at_rest: Pose, options: &Options) -> Result<Answer> {
        self.check_counting(motion, at_rest, options, &mut TreeStats::default())
    }

    /// Like [`ScrewPair::check`], and adds the work to `work`.
    pub fn check_counting(
        &self,
        motion: &ContactScrew,
        at_rest: Pose,
        options: &Options,
        work: &mut TreeStats,
    ) -> Result<Answer> {
        options.validate_reporting_start("a check by CONTACT")?;
        let limits = Limits::new(options)?;
        let any = options.mode == Mode::Any;
        Ok(self.first_touch(motion, FixedPose::from(at_rest), &limits, any, work).verdict.answer([0, 1]))
    }

    /// Returns the first touch within the limits, for the dispatcher of a scene. Contacts at the start are reported.
    pub(crate) fn first_touch(
        &self,
        motion: &ContactScrew,
        at_rest: FixedPose,
        limits: &Limits,
        any: bool,
        work: &mut TreeStats,
    ) -> Dispatched {
        let covered = |k: usize| Covered { mesh: &self.meshes[k], tree: &self.trees[k] };
        let pair = ContactPair { moving: covered(0), motion, resting: covered(1), at_rest };
        let motions = [Motion::ContactScrew(*motion), Motion::Fixed(at_rest)];
        let verdict = contact::first_touch(&pair, limits, any, self.options.tables, work);
        let verdict = verdict.map(|FaceTouch { t, free_until, faces, separation }| {
            let triangles = [self.meshes[0].triangle(faces[0]), self.meshes[1].triangle(faces[1])];
            let (motions, parts) = ([&motions[0], &motions[1]], faces.map(Part::Triangle));
            PairTouch { free_until, ..touch_of_triangles(&triangles, motions, t, separation, parts) }
        });
        Dispatched { verdict, pair: 0, engine: Engine::Contact }
    }

    /// Finds the first touch of two moving meshes, each given by its first and its last pose. The motion of the first
    /// relative to the second is the contact screw between its first and last pose in the second one's frame. The
    /// points and the normal of a touch are in the frame of the second mesh.
    ///
    /// This is the paper's choice (Sec. 2), and it defines the motion of this pair only: a third body would see another
    /// motion. For motions that are the same for all, give each body its own motion and use a [`Scene`](crate::Scene).
    ///
    /// The relative poses are computed, and rounded; the proof is about the rounded ones.
    pub fn check_relative(&self, first: [Pose; 2], second: [Pose; 2], options: &Options) -> Result<Answer> {
        let motion = ContactScrew::relative(first, second)?;
        self.check(&motion, Pose::IDENTITY, options)
    }
}

impl ContactScrew {
    /// Creates the contact screw of one body relative to another, from the first and last poses of both: the motion of
    /// the first in the frame of the second. The relative poses are rounded.
    pub fn relative(first: [Pose; 2], second: [Pose; 2]) -> Result<ContactScrew> {
        let [from, to] = [0, 1].map(|k| {
            let back: DQuat = second[k].rotation().inverse();
            Pose::new(back * (first[k].translation() - second[k].translation()), back * first[k].rotation())
        });
        Ok(ContactScrew::new(from?, to?))
    }
}
