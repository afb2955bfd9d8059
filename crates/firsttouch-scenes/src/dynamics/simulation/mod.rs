//! An adaptive simulation: only the `m` most active joints move, the rest are rigid, and no bodies penetrate.
//!
//! # One frame
//! 1. *Choice*, every few frames. With all joints free, each gets a motion metric `I (|q'| + T |q''| + k)²`. It is the
//!    energy of the bodies that it carries (`I` about its axis) if it went on for the time `T` until the next choice.
//!    `k` is the speed that the impacts since the last choice would have given it. The metric of an assembly is the sum
//!    over its joints. From the root of the assembly tree down, the assembly with the largest metric is opened next:
//!    its joint becomes active, until `m` joints are active. So the active joints are a top part of the assembly tree,
//!    as in the paper.
//! 2. *Flight.* The equations of motion over the rest of the frame give a configuration and speeds at its end. The
//!    linkage goes there with every joint at a constant rate, and the first touch on that way is computed.
//! 3. *No touch*: the linkage is at that configuration. *Touch*: the linkage is put at its configuration at the time of
//!    the touch, an impulse with restitution and friction acts at the point of contact, and the next flight begins. No
//!    motion is ever undone.
//!
//! # Nothing penetrates
//! A flight is checked with a minimum separation: half the clearance, or less if the closest pair would otherwise touch
//! at the start. So the linkage is always in a configuration that was proven free. A pair that has come much closer
//! than the clearance is opened: a displacement along the response to an impulse at the contact. This is also a checked
//! step, and its energy is taken from the kinetic energy. The touches of a frame are bounded: the remaining time is
//! skipped. A linkage that moves very little for half a second in contact is put to sleep; so is one that has no
//! clearance left and no energy to open a contact.
//!
//! # The energy never grows
//! - *Flights* follow the classical Runge-Kutta rule of order 4 without damping. Its gain or loss is taken out of the
//!   speeds: they are scaled to the energy at the start, less the energy that damping took. A bound of the energy is
//!   carried along that never grows. After a flight that was cut short, and everywhere else, speeds are only ever
//!   scaled down to it.
//! - *Damping* follows the implicit rule `(M + h C) s_1 = M s_0`; multiplied by `s_1` it gives
//!   `T_1 <= T_0 − h s_1 · C s_1` for any `h`. The damping of a spring is an impulse that takes its rate from `u` to
//!   `u exp(−c K h)`.
//! - *A new set of active joints* is an inelastic impact inside the joints: rigid joints stop, on the others no impulse
//!   acts, `M_aa s_a' = (M s)_a`. This is the projection of `s` in the norm of the kinetic energy, in which it loses
//!   `|s − s'|² / 2`.
//! - *Impacts*: let `u` be the normal velocity at the contact, `K` the response to a unit impulse and `e` in `[0, 1]`.
//!   The energy changes by `−(1 − e²) u² / (2 K)`; friction that at most stops the sliding only removes more.
//!
//! Two errors remain: rounding and, if a flight is cut short before the linkage has any speed, the potential energy on
//! the chord. The latter is a debt to the bound, which does not grow with it.
//!
//! # Departures
//! The metric of Redon, Galoppo and Lin is a weighted sum of squares of joint accelerations, or of joint velocities;
//! this one has both, with the inertia as weight. [`Choice::AnyJoints`] takes the `m` largest metrics, regardless of
//! the places of the joints. The paper does not describe contact response.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 3 and 4; Redon, Galoppo, Lin 2005; Mirtich 1996 for the impulses.

mod contact;
mod integration;

use firsttouch::adaptive::AssemblyTree;
use firsttouch::{Answer, Error, Options, Result};
use glam::DVec3;

use self::contact::Contact;
use super::articulated_body::Factored;
use super::linkage::{Freedom, Linkage};
use super::spatial::Twist;
use crate::Frame;

/// The parameters of the simulation. [`Setup::default`] suits bodies of about one metre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// The time between two frames.
    pub step: f64,
    /// The number of steps of the integrator in a flight.
    pub substeps: usize,
    /// The number of joints that are active at a time, not counting floating ones.
    pub active: usize,
    /// The choice of active joints.
    pub choice: Choice,
    /// The number of frames for which a set of active joints stays.
    pub choose_every: usize,
    /// The coefficient of restitution, from 0 to 1.
    pub restitution: f64,
    /// Slower impacts return up to this speed: a body at rest on something hops, too low to be seen, instead of
    /// touching it without end.
    pub hop: f64,
    /// The coefficient of friction.
    pub friction: f64,
    /// The gap that is kept between bodies, in the unit of length.
    pub clearance: f64,
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            gravity: DVec3::new(0.0, 0.0, -9.81),
            step: 1.0 / 60.0,
            substeps: 4,
            active: usize::MAX,
            choice: Choice::default(),
            choose_every: 4,
            restitution: 0.3,
            hop: 0.1,
            friction: 0.3,
            clearance: 5e-4,
        }
    }
}

/// The rule by which active joints are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// A top part of the assembly tree, the assembly with the largest metric first: the paper's rule.
    #[default]
    TopOfTree,
    /// The joints with the largest metrics, anywhere.
    AnyJoints,
}

/// A spring between two points, each fixed to a link. A fixed point belongs to the root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// The links.
    pub links: [usize; 2],
    /// The points, in the links' frames.
    pub points: [DVec3; 2],
    /// Force by length.
    pub stiffness: f64,
    /// The length at rest.
    pub length: f64,
    /// Force by velocity.
    pub damping: f64,
}

/// One flight: a motion of the robot from one configuration towards another, with every joint at a constant rate.
///
/// Records follow each other without a gap: [`StepRecord::until`] is the start of the next one on the way of this one.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRecord {
    /// The moving variables: variable, from, to. All variables of a moving joint are listed.
    pub moved: Vec<(usize, f64, f64)>,
    /// The whole configuration at the start.
    pub from: Vec<f64>,
    /// The whole configuration at the end.
    pub to: Vec<f64>,
    /// The completed part of the way: 1 unless there was a touch.
    pub until: f64,
    /// The minimum separation of the check; the tolerance was a quarter of it.
    pub min_separation: f64,
}

/// Finds the first touch of a step. A closure implements it, if it does not need to know the completed parts of the
/// steps.
pub trait FirstTouch {
    /// Returns the first touch of a step; the options have the minimum separation to keep. Body 0 is the robot and its
    /// parts are links; all other bodies are taken to be at rest.
    fn first_touch(&mut self, step: &StepRecord, options: &Options) -> Result<Answer>;

    /// Reports that the last checked step was taken, up to [`StepRecord::until`]. It is not called for a step that was
    /// not taken.
    fn accept(&mut self, step: &StepRecord) -> Result<()> {
        let _ = step;
        Ok(())
    }
}

impl<F: FnMut(&StepRecord, &Options) -> Result<Answer>> FirstTouch for F {
    fn first_touch(&mut self, step: &StepRecord, options: &Options) -> Result<Answer> {
        self(step, options)
    }
}

/// The events of a frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepReport {
    /// The flights, in order, with the displacements that opened contacts.
    pub records: Vec<StepRecord>,
    /// The number of flights that ended in a touch.
    pub touches: usize,
    /// The time that was skipped after too many touches.
    pub skipped: f64,
}

/// A linkage that moves.
#[derive(Debug, Clone)]
pub struct Simulation {
    linkage: Linkage,
    setup: Setup,
    springs: Vec<Spring>,
    configuration: Vec<f64>,
    speeds: Vec<f64>,
    tree: AssemblyTree,
    /// One entry per link.
    active: Vec<bool>,
    kicks: Vec<f64>,
    contacts: Vec<Contact>,
    /// The upper bound of the energy.
    bound: f64,
    frames: usize,
    slow: usize,
    asleep: bool,
}

/// The largest numbers of touches and of flights of a frame; the remaining time is skipped.
const MOST_TOUCHES: usize = 32;
const MOST_FLIGHTS: usize = 128;

/// The shortest flight, as a part of a frame.
const SHORTEST: f64 = 1.0 / 128.0;

/// The largest turn of a joint in one flight: the chord must be near the path.
const MOST_TURN: f64 = 0.5;

/// The largest factor by which speeds are scaled up to make up for the loss of the integrator; a larger loss is made up
/// only in part.
const MOST_FASTER: f64 = 1.001;

/// The parts of the clearance below which a contact is opened, and below which everything is put to sleep.
const SMALL_GAP: f64 = 1.0 / 16.0;
const SMALLEST_GAP: f64 = 1.0 / 65536.0;

/// Everything sleeps after this many frames in contact in which it was slower than a hop.
const SLOW_FRAMES: usize = 30;

impl Simulation {
    /// Creates a linkage at rest. All joints are active until the first frame begins.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot};
    /// use firsttouch::{Answer, Options, motion::Pose};
    /// use firsttouch_scenes::dynamics::{Linkage, Setup, Simulation, StepRecord};
    /// use firsttouch_scenes::shapes::box_surface;
    /// use glam::DVec3;
    /// // A cube falls for a second: by g / 2.
    /// let cube = LinkPart { shape: box_surface(DVec3::ONE)?.into(), pose: Pose::IDENTITY };
    /// let root = Joint {
    ///     name: "root".into(), parent: "world".into(), child: "cube".into(), origin: Pose::IDENTITY,
    ///     kind: JointKind::Floating, limits: None, mimic: None,
    /// };
    /// let links = vec![("world".into(), vec![]), ("cube".into(), vec![cube])];
    /// let robot = Robot::new("cube", links, vec![root.clone()])?;
    /// let start = robot.zero();
    /// let mut run = Simulation::new(Linkage::new(robot, &[root], 1.0)?, start, vec![], Setup::default())?;
    /// for _ in 0..60 {
    ///     run.step(&mut |_: &StepRecord, _: &Options| Ok(Answer::Free))?;
    /// }
    /// assert!((run.configuration()[2] + 9.81 / 2.0).abs() < 1e-9);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(
        linkage: Linkage,
        configuration: Vec<f64>,
        springs: Vec<Spring>,
        setup: Setup,
    ) -> Result<Simulation> {
        for (what, value, most) in [
            ("step", setup.step, 1e3),
            ("restitution", setup.restitution, 1.0),
            ("hop", setup.hop, 1e100),
            ("friction", setup.friction, 1e100),
            ("clearance", setup.clearance, 1e100),
            ("gravity", setup.gravity.length(), 1e100),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(out_of_range(what, "zero or more, restitution at most 1", value));
            }
        }
        if setup.clearance < 1e-12 {
            return Err(out_of_range("clearance", "at least 1e-12", setup.clearance));
        }
        for spring in &springs {
            if let Some(link) = spring.links.into_iter().find(|&link| link >= linkage.nodes().len()) {
                return Err(out_of_range("link of a spring", "one of the links", link as f64));
            }
            for (what, value) in
                [("stiffness", spring.stiffness), ("length", spring.length), ("damping", spring.damping)]
            {
                if !(0.0..1e100).contains(&value) {
                    return Err(out_of_range(&format!("spring {what}"), "zero or more", value));
                }
            }
        }
        linkage.link_poses(&configuration)?;
        if let Some(value) = configuration.iter().find(|value| !is_moderate(value)) {
            return Err(out_of_range("joint value", "finite", *value));
        }
        let (links, speeds) = (linkage.nodes().len(), linkage.speeds());
        let mut simulation = Simulation {
            tree: AssemblyTree::balanced(linkage.robot()),
            linkage,
            setup,
            springs,
            configuration,
            speeds: vec![0.0; speeds],
            active: vec![true; links],
            kicks: vec![0.0; links],
            contacts: Vec::new(),
            bound: 0.0,
            frames: 0,
            slow: 0,
            asleep: false,
        };
        simulation.bound = simulation.energy();
        if !is_moderate(&simulation.bound) {
            return Err(out_of_range("energy", "at most 1e100", simulation.bound));
        }
        Ok(simulation)
    }

    /// Sets the speeds: one number for a joint that turns or slides; for a floating one angular velocity and linear
    /// velocity (of the point at the world's origin, if it moved along). Wakes everything.
    pub fn push(&mut self, speeds: &[f64]) -> Result<()> {
        if speeds.len() != self.speeds.len() {
            return Err(out_of_range("number of speeds", "what the linkage has", speeds.len() as f64));
        }
        if let Some(&value) = speeds.iter().find(|value| !is_moderate(value)) {
            return Err(out_of_range("speed", "finite", value));
        }
        self.speeds.copy_from_slice(speeds);
        self.active.fill(true);
        (self.asleep, self.slow, self.frames) = (false, 0, 0);
        self.contacts.clear();
        self.bound = self.energy();
        Ok(())
    }

    /// Returns the linkage.
    pub fn linkage(&self) -> &Linkage {
        &self.linkage
    }

    /// Returns the configuration.
    pub fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// Returns the speeds.
    pub fn speeds(&self) -> &[f64] {
        &self.speeds
    }

    /// Returns, for each link, true if the joint that carries it is active; floating joints always are.
    pub fn active(&self) -> &[bool] {
        &self.active
    }

    /// Returns true if the whole linkage has come to rest.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Returns the kinetic and potential energy: of gravity and of all springs.
    pub fn energy(&self) -> f64 {
        let placed = self.linkage.place(&self.configuration);
        self.linkage.kinetic_energy(&placed, &self.speeds) + self.potential(&placed, &self.configuration)
    }

    /// Returns all meshes as they are placed now.
    pub fn frame(&self) -> Result<Frame> {
        self.linkage.frame(&self.configuration)
    }

    /// Advances the world by [`Setup::step`].
    ///
    /// ```
    /// use firsttouch_scenes::adaptive;
    /// let scene = adaptive::pendulum(500)?;
    /// let mut pendulum = scene.simulation(5)?;
    /// let report = pendulum.step(&mut scene.checker()?)?;
    /// // Five joints of 30 have moved.
    /// assert_eq!(report.records[0].moved.len(), 5);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn step<T: FirstTouch>(&mut self, first_touch: &mut T) -> Result<StepReport> {
        let mut report = StepReport::default();
        if self.asleep {
            return Ok(report);
        }
        if self.frames.is_multiple_of(self.setup.choose_every.max(1)) {
            self.choose();
        }
        self.frames += 1;
        // On the chord the linkage sinks at once, even if it first rises. In contact it should not sink by more than
        // the clearance before the next check: after a touch flights are short, and become longer.
        let mut left = self.setup.step;
        let short = (2.0 * self.setup.clearance / self.setup.gravity.length().max(1.0)).sqrt();
        let mut longest = left;
        let mut flights = 0;
        while left > 0.0 && !self.asleep && report.touches < MOST_TOUCHES && flights < MOST_FLIGHTS {
            let time = self.flight_time(left.min(longest));
            let until = self.fly(time, first_touch, &mut report)?;
            left -= time * until;
            longest = if until < 1.0 {
                (0.5 * time).clamp(SHORTEST * self.setup.step, short)
            } else {
                2.0 * longest
            };
            flights += 1;
        }
        report.skipped = if self.asleep { 0.0 } else { left.max(0.0) };
        let placed = self.linkage.place(&self.configuration);
        let kinetic = self.linkage.kinetic_energy(&placed, &self.speeds);
        let slow = kinetic <= 0.5 * self.linkage.mass() * self.setup.hop * self.setup.hop;
        self.slow = if slow && report.touches > 0 { self.slow + 1 } else { 0 };
        if self.slow >= SLOW_FRAMES {
            self.sleep();
        }
        Ok(report)
    }

    /// Chooses the active joints and makes the others rigid.
    fn choose(&mut self) {
        let linkage = &self.linkage;
        let placed = linkage.place(&self.configuration);
        let free = Factored::new(linkage, &placed, &vec![true; self.active.len()], |_| 0.0);
        let accelerations = self.accelerations(&free, &placed, &self.configuration, &self.speeds);
        let inertia = linkage.carried_inertia(&placed);
        let ahead = self.setup.step * self.setup.choose_every.max(1) as f64;
        let activity = |i: usize| {
            let speed = linkage.nodes()[i].speed;
            let expected = self.speeds[speed].abs() + ahead * accelerations[speed].abs() + self.kicks[i];
            inertia[i] * expected * expected
        };
        let mut joints: Vec<(f64, usize)> = linkage.joints().into_iter().map(|i| (activity(i), i)).collect();
        let mut active: Vec<bool> = linkage.nodes().iter().map(|node| !node.is_joint()).collect();
        match self.setup.choice {
            Choice::AnyJoints => joints.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))),
            Choice::TopOfTree => joints = self.top_of_tree(&joints),
        }
        for &(_, joint) in joints.iter().take(self.setup.active) {
            active[joint] = true;
        }
        let momenta = linkage.momenta(&placed, &self.speeds);
        let speeds = Factored::new(linkage, &placed, &active, |_| 0.0).speeds_of(&momenta);
        self.active = active;
        self.speeds = speeds;
        self.kicks.fill(0.0);
        self.keep_bound();
    }

    /// Returns the joints in the order in which the assembly tree is opened from its root, the assembly with the
    /// largest metric first.
    fn top_of_tree(&self, metrics: &[(f64, usize)]) -> Vec<(f64, usize)> {
        let tree = &self.tree;
        let mut of_joint = vec![None; self.active.len()];
        metrics.iter().for_each(|&(metric, joint)| of_joint[joint] = Some(metric));
        // Children have lower indices than their parents.
        let mut of_node: Vec<f64> = vec![0.0; tree.len()];
        for node in 0..tree.len() {
            if let Some(([upper, lower], joint)) = tree.parts(node) {
                let own = joint.and_then(|joint| of_joint[joint]).unwrap_or(0.0);
                of_node[node] = of_node[upper] + of_node[lower] + own;
            }
        }
        let (mut order, mut open) = (Vec::with_capacity(metrics.len()), vec![tree.root()]);
        // Of equal ones, the one with the higher index.
        let larger = |a: &usize, b: &usize| of_node[*a].total_cmp(&of_node[*b]).then(a.cmp(b));
        while let Some(next) = (0..open.len()).max_by(|&i, &k| larger(&open[i], &open[k])) {
            if let Some((parts, joint)) = tree.parts(open.swap_remove(next)) {
                order.extend(joint.and_then(|joint| Some((of_joint[joint]?, joint))));
                open.extend(parts);
            }
        }
        order
    }

    /// Returns the time of the next flight: the time left, but not so long that a joint turns by much.
    fn flight_time(&self, left: f64) -> f64 {
        let rates = self.linkage.nodes().iter().map(|node| match node.freedom {
            Freedom::Fixed | Freedom::Slide(_) => 0.0,
            Freedom::Turn(_) => self.speeds[node.speed].abs(),
            Freedom::Floating => Twist::from_slice(&self.speeds[node.speed..]).angular.length(),
        });
        let rate = rates.fold(0.0, f64::max);
        if rate * left > MOST_TURN { MOST_TURN / rate } else { left }
    }

    /// Makes a flight of the given time, or up to the first touch, with the impact. Returns the part of it that was
    /// flown.
    fn fly<T: FirstTouch>(&mut self, time: f64, first_touch: &mut T, report: &mut StepReport) -> Result<f64> {
        let (to, speeds, lost) = self.end_of_flight(time);
        let mut record = self.record_to(to);
        let mut separation = 0.5 * self.setup.clearance;
        let answer = loop {
            match self.check(&mut record, separation, first_touch)? {
                Answer::TouchingAtStart(touch) => self.remember(&touch),
                answer => break answer,
            }
            separation *= 0.5;
            if separation < SMALLEST_GAP * self.setup.clearance {
                self.sleep();
                return Ok(1.0);
            }
        };
        if separation < SMALL_GAP * self.setup.clearance
            && self.open(0.5 * separation, first_touch, report)?
        {
            return Ok(0.0);
        }
        let until = answer.free_until(1.0);
        self.speeds = self.speeds.iter().zip(&speeds).map(|(from, to)| from + (to - from) * until).collect();
        self.arrive(record, until, first_touch, report)?;
        if until == 1.0 {
            self.settle(self.bound - lost, MOST_FASTER);
        } else {
            self.keep_bound();
        }
        if let Some(touch) = answer.touch() {
            report.touches += 1;
            self.remember(touch);
            self.collide();
        }
        Ok(until)
    }

    /// Follows the way of a record for a part of it.
    fn arrive<T: FirstTouch>(
        &mut self,
        mut record: StepRecord,
        until: f64,
        first_touch: &mut T,
        report: &mut StepReport,
    ) -> Result<()> {
        record.until = until;
        self.configuration = self.linkage.between(&record.from, &record.to, until);
        first_touch.accept(&record)?;
        report.records.push(record);
        Ok(())
    }

    fn record_to(&self, to: Vec<f64>) -> StepRecord {
        let from = self.configuration.clone();
        StepRecord { moved: self.linkage.moved(&from, &to), from, to, until: 1.0, min_separation: 0.0 }
    }

    fn check<T: FirstTouch>(
        &self,
        record: &mut StepRecord,
        separation: f64,
        first_touch: &mut T,
    ) -> Result<Answer> {
        record.min_separation = separation;
        first_touch.first_touch(record, &record.options())
    }

    /// Slows all joints down if there is more energy than the bound, and lowers the bound if there is less.
    fn keep_bound(&mut self) {
        self.settle(self.bound, 1.0);
    }

    /// Scales the speeds to the wanted energy, and makes it the bound; the speeds may not grow by more than a factor.
    fn settle(&mut self, energy: f64, most: f64) {
        let placed = self.linkage.place(&self.configuration);
        let potential = self.potential(&placed, &self.configuration);
        let kinetic = self.linkage.kinetic_energy(&placed, &self.speeds);
        let factor =
            if kinetic > 0.0 { ((energy - potential) / kinetic).max(0.0).sqrt().min(most) } else { 1.0 };
        self.speeds.iter_mut().for_each(|speed| *speed *= factor);
        self.bound = energy.min(potential + kinetic * factor * factor);
    }

    fn sleep(&mut self) {
        self.asleep = true;
        self.speeds.fill(0.0);
        self.keep_bound();
    }
}

impl StepRecord {
    /// Returns the options of its check.
    pub fn options(&self) -> Options {
        let separation = self.min_separation;
        Options { min_separation: separation, tolerance: 0.25 * separation, ..Options::default() }
    }
}

fn add(to: &mut [f64], values: &[f64], factor: f64) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += factor * value);
}

fn is_moderate(value: &f64) -> bool {
    value.abs() < 1e100
}

fn out_of_range(what: &str, expected: &'static str, value: f64) -> Error {
    Error::OutOfRange { what: what.into(), expected, value }
}
