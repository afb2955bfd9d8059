//! firsttouch finds the first time at which moving bodies touch, and proves when they never do.
//!
//! ```
//! use firsttouch::motion::{Motion, Pose};
//! use firsttouch::shape::{Cuboid, Sphere};
//! use firsttouch::{Answer, Body, Options, Scene};
//! use firsttouch::glam::DVec3;
//!
//! // A ball of radius 1 falls from z = 10 to z = 0, onto a slab whose top is at z = 1: they touch when it is at z = 2.
//! let at = |z: f64| Pose::from_translation(DVec3::Z * z);
//! let mut scene = Scene::default();
//! scene.add(Body::new("ball", Sphere::new(1.0)?, Motion::linear(at(10.0)?, at(0.0)?)))?;
//! scene.add(Body::new("slab", Cuboid::new(DVec3::new(8.0, 8.0, 2.0))?, Motion::fixed(Pose::IDENTITY)))?;
//!
//! let report = scene.check(&Options::default())?;
//! let Answer::Touch(touch) = report.answer else { panic!("it touches") };
//! assert!(touch.toi <= 0.8 && touch.toi > 0.8 - 1e-6);
//! assert_eq!(touch.normal.round(), -DVec3::Z);
//!
//! // With a gap of 1 to be kept, they may come no closer than at z = 3.
//! let wary = Options { min_separation: 1.0, ..Options::default() };
//! assert!(scene.check(&wary)?.answer.free_until(1.0) <= 0.7);
//!
//! // Up to t = 0.75 it is proven free.
//! let early = Options { t_max: 0.75, ..Options::default() };
//! assert_eq!(scene.check(&early)?.answer, Answer::Free);
//! # Ok::<(), firsttouch::Error>(())
//! ```
//!
//! # The core types
//!
//! - [`first_touch`] finds the first touch of two shapes in motion. [`distance()`], [`intersects`] and [`contacts`] are
//!   for two shapes at rest.
//! - [`Shape`](shape::Shape) is geometry at rest: box, sphere, capsule, cylinder, cone, ellipsoid, half-space, convex
//!   hull, triangle mesh as a surface or a solid, point cloud, octree, height field; your own convex solids and
//!   compounds.
//! - [`Motion`](motion::Motion) is the pose of a body over the time `[0, 1]`: fixed, `linear`, `screw`, `turn`, `path`,
//!   `spline`, `contact_screw`, `rational`, any of these within a moving frame, or your own.
//! - [`testing`] checks by sampling that your own shape or motion fulfils the contract of its trait.
//! - [`Body`] is a named rigid body, deforming mesh or robot. [`Scene`] holds bodies, and the pairs that are not
//!   checked.
//! - [`Options`] and [`Mode`] hold the question, the tolerance and the limits of the search.
//! - [`Answer`] is free, touch, touching at the start or undecided. [`Touch`] describes a touch.
//! - [`Report`] and [`Stats`] hold the answer and the statistics of the search.
//! - [`Scene::clearance`] and [`Scene::distance_at`] return the least distance over time and at an instant, proven from
//!   both sides.
//! - [`Scene::contacts`] returns all contacts at an instant, [`Scene::overlaps`] all times of overlap.
//! - [`Scene::toi_gradient`] returns the change of a time of contact with the motions. [`Scene::max_safe_scale`]
//!   returns the safe part of a change of the goal.
//! - [`Control`] and [`Interrupt`] stop a query early, or report its progress.
//! - [`articulated::Robot`] has links and joints. [`articulated::Checker`] checks a robot among obstacles, from one
//!   configuration to another, along a path or a trajectory.
//! - [`ScrewPair`] checks two meshes on a contact screw, by the method of CONTACT with its own options.
//! - [`planning::plan`] finds a path of a robot from one configuration to another, every edge of which is proven free.
//! - [`adaptive::Simulated`] checks a robot in a simulation, step by step. The cost of a step depends on the joints
//!   that move in it.
//! - [`deformable::Deformable`] checks a mesh whose vertices move linearly from one frame to the next, against itself.
//! - [`elementary`] has exact tests of a vertex against a face, and of two edges, whose vertices move linearly.
//! - [`ellipsoid`] has algebraic methods for ellipsoids: their relation at rest, all their times of overlap, groups of
//!   ellipsoids.
//!
//! # Guarantees
//!
//! - A [`Free`](Answer::Free) answer is a proof, and so is the [`free_until`](Touch::free_until) of a touch: lower
//!   bounds are rounded down, upper bounds up. The proof holds for the exact values of the given `f64` numbers. In the
//!   modes `First` and `All`, `free_until` equals [`toi`](Touch::toi), which is never after the first contact. The mode
//!   `Any` checks for contacts at the start first, and then stops at any touch: its `toi` may be later than the first
//!   contact, and its `free_until` is then less.
//! - At `toi` the gap is at most `min_separation + tolerance`: a pass that close may be reported as a touch.
//! - The answer is the same, bit for bit, for every order of the bodies and every number of threads.
//! - Constructors return an error for invalid input. After that, no query panics.
//!
//! # Not supported
//!
//! - Motions that change the shape, except [`motion::Affine`] for ellipsoids and the moving vertices of
//!   [`deformable::Deformable`].
//! - The inside of a [`Mesh`](shape::Mesh), which is a surface: a body inside a closed mesh does not touch it. A
//!   [`SolidMesh`](shape::SolidMesh) is a closed mesh with its inside.
//! - Two half-spaces of which one moves. Those at rest are not checked against each other.
//! - Loops of joints: a robot is a tree of links.
//! - Contact response.
//!
//! A case of this list is never ignored silently: the types cannot express it, or the call returns an [`Error`].
//!
//! # Features
//!
//! All are off by default.
//!
//! - `parallel` spreads work over threads with rayon; see [`Options::threads`]. Without it the crate starts no thread.
//! - `serde` adds `Serialize` and `Deserialize` for poses, options and answers. Input is validated as in the
//!   constructors.
//! - `mint` adds conversions between the vectors of [`glam`] and those of `mint`, and so of other crates.
//! - `internals` exposes the internal modules, for this project's laboratory and its tests. **It promises nothing**:
//!   any part of it may change or disappear in any release.
//!
//! The crate reads no files, prints nothing, reads no clock, and builds for wasm32.

// Without `internals` the modules below are private, so the `pub` of their items does not reach beyond the crate. This
// is intended.
#![cfg_attr(not(feature = "internals"), allow(unreachable_pub))]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests compare with the functions of the platform")
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod adaptive;
pub mod articulated;
pub mod deformable;
pub mod elementary;
pub mod ellipsoid;
pub mod motion;
pub mod planning;
pub mod shape;
pub mod testing;

mod answer;
mod ask;
mod body;
mod certificate;
mod clearance;
mod control;
mod error;
mod gradient;
mod intervals;
mod manifold;
mod names;
mod options;
mod questions;
mod robot;
mod scene;
mod screw_pair;
mod two_shapes;
mod world;

// The engines and the modules they use: public for the laboratory and the tests only.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod advancement;
#[cfg(not(feature = "internals"))]
mod advancement;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod broad;
#[cfg(not(feature = "internals"))]
mod broad;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod contact;
#[cfg(not(feature = "internals"))]
mod contact;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod convex;
#[cfg(not(feature = "internals"))]
mod convex;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod distance;
#[cfg(not(feature = "internals"))]
mod distance;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod narrow;
#[cfg(not(feature = "internals"))]
mod narrow;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod numerics;
#[cfg(not(feature = "internals"))]
mod numerics;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod pair;
#[cfg(not(feature = "internals"))]
mod pair;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod parallel;
#[cfg(not(feature = "internals"))]
mod parallel;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod tree;
#[cfg(not(feature = "internals"))]
mod tree;

pub use ask::Ask;
pub use glam;

pub use answer::{Answer, Feature, LinkPiece, Part, Touch};
pub use body::{Body, BodyKind};
pub use broad::Aabb;
pub use certificate::{Certificate, Source, Statement};
pub use clearance::{Clearance, PathClearance};
pub use contact::Tables as ContactTables;
pub use control::{Control, Interrupt, OnProgress, Progress};
pub use ellipsoid::AffineEllipsoid;
pub use error::{Error, LARGEST, Result, SMALLEST};
pub use gradient::{Degenerate, Gradient, MotionGradient, PoseGradient, VertexGradient};
pub use manifold::ContactPoint;
pub use names::matches_pattern;
pub use narrow::Engine;
pub use options::{Mode, Options, Start};
pub use pair::{ContactTests, Limits, TreeStats, Verdict};
pub use questions::{GoalChange, SafeScale};
pub use scene::{Penetration, Reason, Report, Scene, StageSeconds, Stats};
pub use screw_pair::{ScrewPair, ScrewPairOptions};
pub use two_shapes::{contacts, distance, first_touch, intersects};
pub use world::PairReport;
