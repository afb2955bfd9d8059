//! Ellipsoids by algebra: their relation at rest, decided exactly, and their times of contact under rational motions.
//!
//! Two ellipsoids are separate if and only if a certain quartic is positive somewhere in `(0, 1)`. In motion its
//! coefficients are polynomials of time, and the task is to find where in a strip of the plane a polynomial of two
//! variables is positive.
//!
//! | file | idea |
//! |---|---|
//! | `characteristic` | the quartic, without inverse matrices, and the proof of the sign of its maximum |
//! | `stationary`, `exact` | at rest: f64 with error bounds, then Sturm's sequence in exact arithmetic |
//! | `form`, `track`, `equation` | in motion: the polynomials of one side and of a pair, with error bounds |
//! | `chord` | a fast form for placements interpolated linearly |
//! | `linear_inverse` | a fast form for the interpolant of Appendix D |
//! | `shoot` | a fixed point in the strip proves separation up to a time; the first contact |
//! | `intervals` | all times of overlap |
//! | `pair`, `overlaps` | one pair by algebra, with advancement where algebra stops; all its overlaps |
//! | `changing` | an ellipsoid that changes its shape, with bounds for advancement |
//! | `group` | many against many |
//! | `fit`, `cover` | an ellipsoid around points; several around a shape |
//!
//! Proofs are about the given numbers: coefficients of motions, semi-axes and poses are taken as exact.
//!
//! This module does not handle a minimum separation other than zero, or motions that are not rational (`linear`,
//! `screw`). Such pairs go through conservative advancement, which uses the support function of an ellipsoid.
//!
//! Reference: Y.-K. Choi, J.-W. Chang, W. Wang, M.-S. Kim, G. Elber, "Continuous collision detection for ellipsoids",
//! IEEE TVCG 15(2) (2009).

mod affine;
mod changing;
mod characteristic;
mod chord;
mod cover;
mod equation;
mod exact;
mod fit;
mod form;
mod group;
mod intervals;
mod linear_inverse;
mod overlaps;
mod pair;
mod shoot;
mod stationary;
mod track;

pub use affine::AffineEllipsoid;
pub use cover::{CoverOptions, CoverPiece, cover, cover_all};
pub use fit::enclosing;
pub(crate) use group::PreparedEllipsoid;
pub use group::{Directions, Group, GroupStats, MemberTouch};
pub use intervals::{LOOP_RESOLUTION, Overlap, OverlapKind, RESOLUTION};
pub use overlaps::{EllipsoidMotion, overlaps};
pub(crate) use pair::first_touch_of;
pub use pair::{MovingEllipsoid, contact_at_time, overlap_intervals};
pub use stationary::{ContactPoint, Plane, Posed, Relation};

/// The distance of a [`MemberTouch`].
pub use crate::advancement::Separation;

// For the laboratory and the tests.
#[cfg(not(feature = "internals"))]
pub(crate) use {
    changing::{BallImage, ChangingEllipsoid, ChangingPiece},
    equation::Equation,
    pair::first_touch,
    shoot::FirstContact,
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use {
    changing::{BallImage, ChangingEllipsoid, ChangingPiece},
    equation::Equation,
    pair::first_touch,
    shoot::FirstContact,
    track::Track,
};
