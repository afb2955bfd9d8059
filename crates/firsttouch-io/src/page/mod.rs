//! A motion with its answer as one page: a file that any browser shows, and that needs nothing else.
//!
//! A caller runs its query, adds the answer ([`Told`]) and further things to show, and gets a [`Document`];
//! [`Document::page`] is the page around it.
//!
//! - [`ScenePage`]: a scene, or one deforming mesh as a scene of one body.
//! - [`PathPage`]: the paths of a robot among obstacles, each as a run.
//! - `cast`: bodies and answers of a document; `geometry` and `motion`: shapes, and samples of motions.
//! - `questions`: the least distance over time, and contacts.
//! - `document`: the document itself, in the words of `viewer/FORMAT.md`; the page is built in `viewer/`.
//!
//! A page proves nothing. The displayed motion is exact at its samples, and there is one at each touch.
//!
//! ```
//! use firsttouch::motion::{Motion, Pose};
//! use firsttouch::shape::Sphere;
//! use firsttouch::{Body, Options, Scene};
//! use firsttouch_io::page::{Caption, ScenePage, Told};
//! use glam::DVec3;
//! let mut scene = Scene::default();
//! let flight = Motion::linear(Pose::from_translation(DVec3::X * 10.0)?, Pose::IDENTITY);
//! scene.add(Body::new("flying", Sphere::new(1.0)?, flight))?;
//! scene.add(Body::new("resting", Sphere::new(1.0)?, Motion::AT_REST))?;
//! let report = scene.check(&Options::default())?;
//! let page = ScenePage::new(&scene, Told::new(&report.answer, &scene));
//! let document = page.document(&Caption { title: "two balls", ..Caption::default() });
//! assert!(document.json().contains("\"answer\":\"touch\""));
//! assert!(document.page().starts_with("<!doctype html>"));
//! # Ok::<(), firsttouch::Error>(())
//! ```

mod cast;
mod document;
mod geometry;
mod motion;
mod path;
mod questions;
mod scene;
mod told;

use firsttouch::Options;

pub use document::{Document, around};
pub use path::{PathPage, PathRun};
pub use questions::ClearanceCurve;
pub use scene::{ScenePage, ToldPair, ToldSpan, scene_stats};
pub use told::{Names, OneBody, Told, within_link, word};

/// The texts of a page about itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Caption<'a> {
    /// The heading: usually the name of the input file.
    pub title: &'a str,
    /// The command that gives the same answer as text.
    pub command: Option<&'a str>,
    /// The options of the query, if they are known.
    pub options: Option<&'a Options>,
}
