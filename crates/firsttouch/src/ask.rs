//! The arguments of a question, besides the world and the motion that it is about.

use std::fmt;

use crate::body::Body;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::options::Options;

/// A filter of the pairs of bodies that a question is about.
pub(crate) type PairFilter<'a> = &'a dyn Fn(&Body, &Body) -> bool;

/// Tells the time in seconds.
pub(crate) type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// The arguments of a question: options, and optionally a control that stops it, a filter of its pairs, and a clock.
///
/// Every question also takes `&Options`.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Ask, Body, Control, Interrupt, Options, Scene};
/// let mut scene = Scene::default();
/// for name in ["a", "b", "c"] {
///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
/// }
/// let options = Options::default();
/// assert!(matches!(scene.check(&options)?.answer, Answer::TouchingAtStart(_)));
///
/// // Only pairs with "c", and another thread can stop it with `interrupt.raise()`.
/// let interrupt = Interrupt::default();
/// let control = Control { interrupt: Some(&interrupt), progress: None };
/// let with_c = |a: &Body, b: &Body| a.name() == "c" || b.name() == "c";
/// let report = scene.check(Ask::from(&options).control(&control).filter(&with_c))?;
/// assert_eq!(report.stats.allowed, 1);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct Ask<'a> {
    pub(crate) options: Options,
    pub(crate) control: Control<'a>,
    pub(crate) filter: Option<PairFilter<'a>>,
    pub(crate) clock: Option<Clock<'a>>,
}

impl<'a> Ask<'a> {
    /// Gives the question a control, by which it may be stopped and its progress followed. A question that is stopped
    /// returns the results that are proven by then.
    pub fn control(self, control: &Control<'a>) -> Ask<'a> {
        Ask { control: *control, ..self }
    }

    /// Asks about the pairs of bodies that `filter` keeps. It is also called with a robot or a deforming mesh and
    /// itself. Pairs that are allowed to touch are left out in any case. A checker gives its robot at rest, in the
    /// configuration of zeros; bodies that the robot holds are a part of it there.
    pub fn filter(self, filter: &'a dyn Fn(&Body, &Body) -> bool) -> Ask<'a> {
        Ask { filter: Some(filter), ..self }
    }

    /// Times the stages of the question with this clock, in seconds. The library has none of its own.
    pub fn clock(self, clock: &'a (dyn Fn() -> f64 + Sync)) -> Ask<'a> {
        Ask { clock: Some(clock), ..self }
    }

    /// Returns the same question with other options.
    pub(crate) fn with(self, options: Options) -> Ask<'a> {
        Ask { options, ..self }
    }

    /// Returns this question, or an error if it has a clock: `question` names a question whose stages are not timed.
    pub(crate) fn without_clock(self, question: &str) -> Result<Ask<'a>> {
        if self.clock.is_some() {
            return Err(Error::Unsupported { what: format!("a clock for {question}") });
        }
        Ok(self)
    }
}

impl From<&Options> for Ask<'_> {
    fn from(options: &Options) -> Self {
        Ask { options: *options, control: Control::default(), filter: None, clock: None }
    }
}

impl fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ask { options, control, filter, clock } = self;
        let mut shown = f.debug_struct("Ask");
        shown.field("options", options).field("control", control);
        shown.field("filter", &filter.is_some()).field("clock", &clock.is_some()).finish()
    }
}
