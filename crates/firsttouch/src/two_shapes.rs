//! Two shapes in motion, without a scene.

use crate::answer::Answer;
use crate::error::{Error, Result};
use crate::motion::Motion;
use crate::narrow::{self, Subject, balls};
use crate::numerics::Window;
use crate::options::{Mode, Options};
use crate::pair::{Limits, TreeStats, Verdict};
use crate::shape::Shape;

/// Returns the first touch of two shapes in motion. In the answer `a` is body 0 and `b` body 1.
///
/// The answer is that of [`Scene::check`](crate::Scene::check) for a scene of these two bodies, in this order, without
/// the names and the broad phase. `Mode::All` is the same as `Mode::First` here.
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::{Cuboid, Sphere};
/// use firsttouch::{Answer, Options, first_touch};
///
/// // A ball of radius 1 falls from z = 10 to z = 0 onto a slab whose top is at z = 1: they touch when it is at z = 2.
/// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
/// let (ball, falling) = (Sphere::new(1.0)?.into(), Motion::linear(at(10.0)?, at(0.0)?));
/// let slab = Cuboid::new(DVec3::new(8.0, 8.0, 2.0))?.into();
/// let answer = first_touch((&ball, &falling), (&slab, &Motion::AT_REST), &Options::default())?;
/// let Answer::Touch(touch) = answer else { panic!("they touch") };
/// assert!(touch.toi <= 0.8 && touch.toi > 0.8 - 1e-6);
/// assert!((touch.points[1] - DVec3::Z).length() < 1e-5);
/// assert!((touch.normal + DVec3::Z).length() < 1e-5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn first_touch(a: (&Shape, &Motion), b: (&Shape, &Motion), options: &Options) -> Result<Answer> {
    let limits = Limits::new(options)?;
    if a.0.is_unbounded() && b.0.is_unbounded() {
        return Err(Error::Unsupported { what: "two half-spaces".into() });
    }
    // Shapes that are far apart are free, at little cost. Within the tolerance they would touch at the start.
    let apart = limits.touching();
    if balls::earliest_contact(a, b, apart, Window::between(0.0, limits.t_end)) > limits.t_end {
        return Ok(Answer::Free);
    }
    let pair = [a, b].map(|(shape, motion)| Subject::Rigid { shape, motion });
    let any = options.mode == Mode::Any;
    let find = |limits: &Limits| narrow::first_touch(&[pair], limits, any, &mut TreeStats::default()).verdict;
    if any {
        // In the mode `Any`, contacts at the start are checked first.
        let at_start = find(&Limits { t_end: 0.0, ..limits });
        if let Verdict::Touch(_) = at_start {
            return Ok(at_start.answer([0, 1]));
        }
    }
    Ok(find(&limits).answer([0, 1]))
}
