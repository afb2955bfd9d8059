//! Methods kept for comparison. **None of them is conservative**: they miss touches and report false ones.
//!
//! They return the same types as [`Deformable::check`], so that tables can list them side by side, and serve no other
//! purpose. Nothing they return is proven: not `Free`, not a time, not a gap.

use crate::error::Result;
use crate::options::Options;

use super::mesh::Deformable;
use super::query::FeatureTest;
use super::report::{DeformReport, Start};

/// Like [`Deformable::check`], but a cubic solver in plain `f64` decides each pair of features. **Not conservative.**
/// The solver ignores `min_separation`.
///
/// ```
/// use firsttouch::deformable::{Deformable, Start, comparison};
/// use firsttouch::{Answer, Options};
/// use glam::dvec3;
/// // A point slides in the plane of a triangle and into it: the four points are always coplanar.
/// // The cubic vanishes.
/// let at = |x| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(x, 0.25, 0.0)];
/// let mesh = Deformable::new(at(-1.0), at(0.5), vec![[0, 1, 2]], vec![], vec![3])?;
/// let proven = mesh.check(&Options::default(), Start::Report)?.answer;
/// assert_ne!(comparison::cubic(&mesh, &Options::default(), Start::Report)?.answer, proven);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn cubic(mesh: &Deformable, options: &Options, start: Start) -> Result<DeformReport> {
    mesh.check_with(options, start, &|_| true, FeatureTest::Cubic)
}
