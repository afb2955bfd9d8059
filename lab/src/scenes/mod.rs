//! The demo and benchmark scenes of firsttouch, generated in code.
//!
//! Each scene is defined once, here, and used by the tests, the benchmarks and `firsttouch demo`. [`all`] is the
//! catalogue; the modules have the generators themselves, with their parameters. The same parameters give the same
//! scene on every machine.
//!
//! ```
//! use firsttouch::{Answer, Options};
//! let model = firsttouch_lab::scenes::named("near_miss").unwrap();
//! assert_eq!(model.build()?.check(&Options::default())?.answer, Answer::Free);
//! # Ok::<(), firsttouch::Error>(())
//! ```

pub mod adaptive;
pub mod bouncing;
mod catalogue;
pub mod chessboard;
pub mod cloth;
pub mod construction;
pub mod crowd;
pub mod deforming;
pub mod dynamics;
pub mod ellipsoids;
pub mod exploding;
mod frame;
pub mod machines;
pub mod manipulation;
pub mod mannequin;
pub mod mass;
pub mod nbody;
pub mod planning;
pub mod plates;
pub mod play;
pub(crate) mod random;
mod rope;
pub mod scan;
pub mod shapes;
pub mod solids;
mod surface;
pub mod tasks;
pub mod trains;
pub mod turned;
pub mod workplace;

pub use catalogue::{Model, Run, all, frames, named, runs};
pub use frame::{Frame, triangles};
