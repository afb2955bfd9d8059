//! Two shapes, in motion or at rest, without a scene.

use crate::answer::Answer;
use crate::clearance::{Clearance, Question, SidePair, least_distance};
use crate::control::Watch;
use crate::error::{Error, Result};
use crate::manifold::{ContactPoint, all_contacts};
use crate::motion::{Motion, Pose};
use crate::narrow::{self, Pieces, Subject, balls, touch_of_leaves};
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
    refuse_half_spaces([a.0, b.0])?;
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

/// Returns the distance of two shapes at rest, bounded from both sides as exactly as rounding allows; 0 if they
/// overlap.
///
/// The bodies of the answer are 0 for `a` and 1 for `b`. The only option used is the budget: if it is spent,
/// [`Clearance::is_tight`] is false and both bounds still hold.
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::Pose;
/// use firsttouch::shape::{Cuboid, Sphere};
/// use firsttouch::{Options, distance};
///
/// // A ball of radius 1 whose centre is 5 above the top of a slab.
/// let (ball, high) = (Sphere::new(1.0)?.into(), Pose::from_translation(DVec3::Z * 6.0)?);
/// let slab = Cuboid::new(DVec3::new(8.0, 8.0, 2.0))?.into();
/// let found = distance((&ball, &high), (&slab, &Pose::IDENTITY), &Options::default())?;
/// assert!(found.lower <= 4.0 && 4.0 <= found.upper && found.upper - found.lower < 1e-12);
/// assert!((found.points[1] - DVec3::Z).length() < 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn distance(a: (&Shape, &Pose), b: (&Shape, &Pose), options: &Options) -> Result<Clearance> {
    Limits::new(options)?;
    refuse_half_spaces([a.0, b.0])?;
    let motions = [a.1, b.1].map(|pose| Motion::fixed(*pose));
    let pairs = [at_rest([a.0, b.0], &motions, 0.0)];
    let exact = Options { tolerance: f64::MIN_POSITIVE, ..*options };
    let question = Question { span: [0.0, 0.0], least_budget: 0, ..Question::new(&exact) };
    let found = least_distance(&pairs, &question, &mut TreeStats::default());
    // Without a known upper bound, a pair that can be measured has one.
    let Some((_, leaves)) = found.nearest else {
        return Err(Error::Unsupported { what: "the distance of these two shapes".into() });
    };
    let nearest = touch_of_leaves(&pairs[0].sides, &leaves);
    Ok(Clearance::new(found.lower, nearest, [0, 1], options.tolerance).until(0.0))
}

/// Returns false if two shapes at rest are proven farther apart than `min_separation`.
///
/// Returns true if they come within `min_separation + tolerance`, and also if the budget is spent before they are
/// proven apart: a false answer is a proof, as [`Answer::Free`] is.
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::Pose;
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Options, intersects};
///
/// // Two balls of radius 1 touch if their centres are at most 2 apart.
/// let ball = Sphere::new(1.0)?.into();
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let options = Options::default();
/// assert!(intersects((&ball, &at(0.0)?), (&ball, &at(1.9)?), &options)?);
/// assert!(!intersects((&ball, &at(0.0)?), (&ball, &at(2.1)?), &options)?);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn intersects(a: (&Shape, &Pose), b: (&Shape, &Pose), options: &Options) -> Result<bool> {
    let limits = Limits { t_end: 0.0, ..Limits::new(options)? };
    refuse_half_spaces([a.0, b.0])?;
    let motions = [a.1, b.1].map(|pose| Motion::fixed(*pose));
    let pair =
        [(a.0, &motions[0]), (b.0, &motions[1])].map(|(shape, motion)| Subject::Rigid { shape, motion });
    let found = narrow::first_touch(&[pair], &limits, true, &mut TreeStats::default());
    Ok(!matches!(found.verdict, Verdict::Free))
}

/// Returns all contacts of two shapes at rest within `min_separation + tolerance`; none if they are farther apart.
///
/// Two faces in contact give the corners of the area that they share, as in
/// [`Scene::contacts`](crate::Scene::contacts). The bodies of a contact are 0 for `a` and 1 for `b`.
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::Pose;
/// use firsttouch::shape::Cuboid;
/// use firsttouch::{Options, contacts};
///
/// // A cube of side 2 stands on a slab whose top is at z = 0: four contacts, one at each lower corner.
/// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
/// let cube = Cuboid::new(DVec3::splat(2.0))?.into();
/// let slab = Cuboid::new(DVec3::new(8.0, 8.0, 2.0))?.into();
/// let found = contacts((&cube, &at(1.0)?), (&slab, &at(-1.0)?), &Options::default())?;
/// assert_eq!(found.len(), 4);
/// assert!(found.iter().all(|contact| (contact.normal + DVec3::Z).length() < 1e-6 && contact.gap <= 1e-6));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn contacts(a: (&Shape, &Pose), b: (&Shape, &Pose), options: &Options) -> Result<Vec<ContactPoint>> {
    Limits::new(options)?;
    refuse_half_spaces([a.0, b.0])?;
    let motions = [a.1, b.1].map(|pose| Motion::fixed(*pose));
    let pairs = [at_rest([a.0, b.0], &motions, options.min_separation)];
    let found = all_contacts(&pairs, 0.0, options.tolerance, Watch::NONE);
    Ok(found.into_iter().map(|(_, touch)| ContactPoint::new(touch, [0, 1])).collect())
}

/// Returns two shapes as a pair that is measured.
fn at_rest<'a>(
    shapes: [&'a Shape; 2],
    motions: &'a [Motion; 2],
    separation: f64,
) -> SidePair<'a, Pieces<'a>> {
    let side = |side: usize| Subject::Rigid { shape: shapes[side], motion: &motions[side] }.side();
    SidePair { sides: [side(0), side(1)], with_itself: false, separation }
}

/// Rejects two half-spaces: no engine takes them.
fn refuse_half_spaces(shapes: [&Shape; 2]) -> Result<()> {
    if shapes.iter().all(|shape| shape.is_unbounded()) {
        return Err(Error::Unsupported { what: "two half-spaces".into() });
    }
    Ok(())
}
