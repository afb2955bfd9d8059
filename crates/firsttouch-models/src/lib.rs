//! The demo and benchmark scenes of firsttouch, generated in code.
//!
//! Each scene is defined once, here, and used by the tests, the benchmarks and `firsttouch demo`. [`all`] is the
//! catalogue; the modules have the generators themselves, with their parameters. The same parameters give the same
//! scene on every machine.
//!
//! ```
//! use firsttouch::{Answer, Options};
//! let model = firsttouch_models::named("near_miss").unwrap();
//! assert_eq!(model.build()?.check(&Options::default())?.answer, Answer::Free);
//! # Ok::<(), firsttouch::Error>(())
//! ```

pub mod adaptive;
pub mod bouncing;
pub mod crowd;
pub mod deforming;
pub mod dynamics;
pub mod ellipsoids;
mod frame;
pub mod manipulation;
pub mod mass;
pub mod plates;
mod random;
pub mod shapes;
pub mod solids;
pub mod turned;

pub use frame::{Frame, triangles};

use firsttouch::{Result, Scene};

/// A scene of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub about: &'static str,
    /// What moves in it, in a few words.
    pub moves: &'static str,
    build: fn() -> Result<Scene>,
}

impl Model {
    /// Generates the scene.
    pub fn build(&self) -> Result<Scene> {
        (self.build)()
    }
}

/// The catalogue, in the order in which the demo shows it.
///
/// ```
/// assert!(firsttouch_models::all().iter().any(|model| model.name == "tumbling_boxes"));
/// ```
pub fn all() -> &'static [Model] {
    &CATALOGUE
}

/// The scene of the catalogue with this name.
///
/// ```
/// assert_eq!(firsttouch_models::named("capsule_sweep").unwrap().build()?.bodies().len(), 4);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn named(name: &str) -> Option<&'static Model> {
    CATALOGUE.iter().find(|model| model.name == name)
}

static CATALOGUE: [Model; 6] = [
    Model {
        name: "tumbling_boxes",
        about: "Two boxes fly towards each other while both tumble, and meet vertex against face.",
        moves: "2 boxes, linear",
        build: solids::tumbling_boxes,
    },
    Model {
        name: "capsule_sweep",
        about: "An arm swings about the vertical through a row of posts and touches the second one.",
        moves: "1 capsule, screw",
        build: solids::capsule_sweep,
    },
    Model {
        name: "near_miss",
        about: "A cube rolls over a slab and misses it by 1e-4 at mid-turn: proven free, however close.",
        moves: "1 box, linear",
        build: || solids::near_miss(1e-4),
    },
    Model {
        name: "box_pile",
        about: "500 boxes and other solids leave the cells of a grid, tumbling; the broad phase drops most pairs.",
        moves: "500 solids, mixed",
        build: || solids::box_pile(500, 2007),
    },
    Model {
        name: "manipulation",
        about: "A teapot follows a recorded path around a potato and into it: the step in which it is stopped.",
        moves: "2 meshes of 4000, screw",
        build: manipulation::teapot_stops,
    },
    Model {
        name: "bouncing",
        about: "A potato of 10000 triangles is thrown on a floor: the flight that ends in its first bounce.",
        moves: "1 mesh of 10000, linear",
        build: bouncing::first_bounce,
    },
];

/// The whole run that a scene of the catalogue is taken from, frame by frame; none where the scene is all there is.
///
/// ```
/// let frames = firsttouch_models::frames("manipulation").unwrap()?;
/// // Along a path of 60 placements the teapot is stopped in the last third.
/// assert!(frames.len() > 40 && frames.len() < 60);
/// assert!(firsttouch_models::frames("near_miss").is_none());
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn frames(name: &str) -> Option<Result<Vec<Frame>>> {
    match name {
        "manipulation" => Some(manipulation::teapot_frames()),
        "bouncing" => Some(bouncing::frames()),
        _ => None,
    }
}

/// The example in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
