//! The demo and benchmark scenes of firsttouch, generated in code.
//!
//! Each scene is defined once, here. The command shows them with `firsttouch demo` and `firsttouch view --demo`; the
//! laboratory measures them and uses them in tests. [`all`] is the catalogue. The modules have the generators, with
//! their parameters, and the simulators that drive some of them. The same parameters give the same scene on every
//! machine.
//!
//! The crate uses only the public interface of the library. It has no stable interface itself.
//!
//! ```
//! use firsttouch::{Answer, Options};
//! let model = firsttouch_scenes::named("near_miss").unwrap();
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
pub mod manipulation;
pub mod mannequin;
pub mod mass;
pub mod nbody;
pub mod planning;
pub mod play;
pub mod random;
mod rope;
pub mod scan;
pub mod shapes;
pub mod solids;
pub mod surface;
pub mod trains;
pub mod turned;
pub mod workplace;

pub use catalogue::{Model, Run, all, frames, named, runs};
pub use frame::{Frame, triangles};
