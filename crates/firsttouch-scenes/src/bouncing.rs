//! Bouncing objects: a body of thousands of triangles, thrown with any velocity, bounces on a floor and comes to rest.
//!
//! # One step
//! 1. *Flight.* Gravity and the torque-free rotation over the remaining time give the placement at its end. The body
//!    goes there by one in-between motion ([`Setup::between`]): the contact screw of the paper, or a straight line with
//!    a constant turning rate about one axis. The first touch of this motion with the floor is computed.
//! 2. *No touch*: the body is at that placement, with the velocities at the end of the flight.
//! 3. *Touch*: the body is put at its place at the time of the touch, an impulse with restitution and friction acts at
//!    the point of contact, and the flight goes on. No motion is ever undone.
//!
//! # The body never penetrates the floor
//! The floor is kept at a distance. Let `c` be a proven lower bound of the gap. The flight is checked with
//! `min_separation = c / 2` and a tolerance of `c / 8`, so it never touches at the start, and at the touch the gap is
//! at least `c / 2`. Then `c` is halved, and it returns to [`Setup::clearance`] as soon as the body has risen. A body
//! that does not rise by itself is lifted, and put to sleep if that does not help. A body that moves very little for
//! half a second is also put to sleep. So the number of contacts is finite. The number of touches of one step is
//! bounded too: after them the rest of the step is skipped.
//!
//! # The energy never grows
//! - *Flight to its end* conserves the energy exactly. The ballistic end points satisfy `g z + v² / 2 = const`. The
//!   rotation follows the implicit midpoint rule for Euler's equations in the body's frame,
//!   `L_1 = L_0 + h L_m × I⁻¹ L_m` with `L_m = (L_0 + L_1) / 2`, which conserves the two quadratic invariants `|L|²`
//!   and `L · I⁻¹ L`. Because `L_1 = Cay(−h ω_m) L_0` with `ω_m = I⁻¹ L_m`, the attitude that keeps the angular
//!   momentum in the world is `R_0 Cay(h ω_m)`: a turn by `2 atan(h |ω_m| / 2)` about a fixed axis, as in every
//!   in-between motion.
//! - *Flight that is cut short.* The straight line is below the parabola, by up to `g h² / 8`; the vertical speed is
//!   the one that conserves energy at the height reached. A screw goes around its axis and may be above the parabola.
//!   Energy that the vertical speed does not have is taken from the rest of the motion, and if that is not enough, the
//!   body stays where the flight began. The angular momentum is reduced if, at the attitude reached, it would carry
//!   more energy than before.
//! - *Impulses.* Let `u` be the normal velocity at the point of contact, `K` the inverse of the mass it sees there and
//!   `j = −(1 + e) u / K`. The energy changes by `j u + j² K / 2 = −(1 − e²) u² / (2 K) <= 0` for any `e` in `[0, 1]`.
//!   Friction of size `j_t`, at most the `s / K_t` that stops the sliding, changes it by `−j_t s + j_t² K_t / 2 <= 0`.
//! - *The lift* adds potential energy, which is taken from the kinetic energy. A lift that needs more than that does
//!   not happen.
//!
//! The remaining error is rounding: a few units in the last place per step.
//!
//! # Departures
//! The paper also handles contacts one at a time, and does not describe rest. Friction is an addition.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 5.2; Mirtich 1996 for the impulses.

use std::sync::Arc;

use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::shape::{Mesh, Shape};
use firsttouch::{Answer, Body, Options, Result, Scene, Touch};
use glam::{DMat3, DQuat, DVec3};

use crate::Frame;
use crate::manipulation::InBetween;
use crate::mass::MassProperties;
use crate::random::Random;
use crate::shapes::{floor, potato};

/// The parameters of the simulation. [`Setup::default`] suits bodies of about one metre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// The acceleration of gravity, towards -z.
    pub gravity: f64,
    /// The coefficient of restitution, from 0 to 1.
    pub restitution: f64,
    /// The coefficient of friction.
    pub friction: f64,
    /// The time between two frames.
    pub step: f64,
    /// The gap to the floor that the body keeps, relative to its size.
    pub clearance: f64,
    /// The motion of the body in a flight.
    pub between: InBetween,
}

impl Default for Setup {
    fn default() -> Self {
        let between = InBetween::ContactScrew;
        Setup { gravity: 9.81, restitution: 0.6, friction: 0.3, step: 1.0 / 60.0, clearance: 1e-4, between }
    }
}

/// A body above the floor z = 0.
#[derive(Debug, Clone)]
pub struct Bouncing {
    setup: Setup,
    shape: Shape,
    floor: Body,
    mass: f64,
    inertia: DMat3,
    inverse_inertia: DMat3,
    /// The mesh's own origin, seen from the centre of mass.
    origin: DVec3,
    /// [`Setup::clearance`] in units of length.
    clearance: f64,
    state: State,
}

/// The placement and the motion of the body. The body's origin is its centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
struct State {
    pose: Pose,
    velocity: DVec3,
    /// The angular momentum about the centre of mass, in world coordinates.
    angular_momentum: DVec3,
    /// A proven lower bound of the gap to the floor.
    gap: f64,
    /// The number of consecutive frames in which it moved very little.
    slow: usize,
    asleep: bool,
}

/// The events of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepReport {
    /// The number of flights that were checked.
    pub flights: usize,
    /// The number of flights that ended in a touch.
    pub touches: usize,
    /// The number of pairs of volumes that were bounded.
    pub volume_pairs: u64,
}

/// A motion and the time up to which the body followed it.
#[derive(Debug, Clone, PartialEq)]
struct Flight {
    motion: Motion,
    until: f64,
    touched: bool,
    volume_pairs: u64,
}

/// The largest numbers of touches and of flights of one step; the remaining time is skipped.
const MOST_TOUCHES: usize = 64;
const MOST_FLIGHTS: usize = 1024;

/// The largest turn of the body in one flight: the midpoint rule needs a small one.
const MOST_TURN: f64 = 0.5;

/// The parts of the clearance below which the body is lifted, and below which it sleeps.
const SMALL_GAP: f64 = 1.0 / 16.0;
const SMALLEST_GAP: f64 = 1.0 / 65536.0;

/// The body sleeps after this many frames in which its kinetic energy could not lift it by four times the clearance.
const SLOW_FRAMES: usize = 30;
const SLOW_LIFT: f64 = 4.0;

impl Bouncing {
    /// Creates a body of density 1 with its centre of mass at `pose`, at rest. It must be above the floor by more than
    /// the clearance.
    ///
    /// ```
    /// use firsttouch_scenes::bouncing::{Bouncing, Setup};
    /// use firsttouch_scenes::shapes::box_surface;
    /// use firsttouch::motion::Pose;
    /// use glam::DVec3;
    /// // A cube falls from 1 m without turning: after t = sqrt(2 / g) = 0.45 s, or 27.1 frames, it bounces.
    /// let cube = box_surface(DVec3::ONE)?;
    /// let mut run = Bouncing::new(&cube, Pose::from_translation(DVec3::Z * 1.5)?, Setup::default())?;
    /// let first = (0..60).find(|_| run.step().touches > 0);
    /// assert_eq!(first, Some(27));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(mesh: &Mesh, pose: Pose, setup: Setup) -> Result<Bouncing> {
        for (what, value, most) in [
            ("gravity", setup.gravity, f64::MAX),
            ("restitution", setup.restitution, 1.0),
            ("friction", setup.friction, f64::MAX),
            ("step", setup.step, f64::MAX),
            ("clearance", setup.clearance, 0.1),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(out_of_range(
                    what,
                    "zero or more, restitution at most 1 and clearance at most 0.1",
                    value,
                ));
            }
        }
        let properties = MassProperties::new(mesh, 1.0)?;
        let about_center: Vec<DVec3> = mesh.vertices().iter().map(|&v| v - properties.center).collect();
        let reach = about_center.iter().fold(0.0_f64, |most, v| most.max(v.length()));
        let clearance = setup.clearance.max(1e-9) * reach;
        let floor = Body::new("floor", floor(1e3 * reach)?, Motion::fixed(Pose::IDENTITY));
        let shape = Shape::Mesh(Arc::new(Mesh::new(about_center, mesh.triangles().to_vec())?));
        let state = State {
            pose,
            velocity: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            gap: clearance,
            slow: 0,
            asleep: false,
        };
        let run = Bouncing {
            setup,
            shape,
            floor,
            mass: properties.mass,
            inertia: properties.inertia,
            inverse_inertia: properties.inertia.inverse(),
            origin: -properties.center,
            clearance,
            state,
        };
        let lowest = run.positions().iter().fold(f64::INFINITY, |low, p| low.min(p.z));
        if lowest <= clearance {
            return Err(out_of_range("height above the floor", "more than the clearance", lowest));
        }
        Ok(run)
    }

    /// Returns a body thrown from some height with random linear and angular velocities.
    ///
    /// ```
    /// use firsttouch_scenes::{bouncing::{Bouncing, Setup}, shapes::potato};
    /// let mut run = Bouncing::thrown(&potato(10_000, 1)?, 7, Setup::default())?;
    /// let energy = run.energy();
    /// let touches: usize = (0..120).map(|_| run.step().touches).sum();
    /// assert!(touches > 0 && run.energy() < energy);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn thrown(mesh: &Mesh, seed: u64, setup: Setup) -> Result<Bouncing> {
        let mut random = Random::new(seed);
        let (center, half) = mesh.bounds();
        let size = center.length() + half.length();
        let height = size * random.between(1.5, 2.5);
        let mut run = Bouncing::new(mesh, Pose::new(DVec3::Z * height, random.orientation())?, setup)?;
        run.push(random.vector(2.0 * size), random.vector(5.0))?;
        Ok(run)
    }

    /// Sets the velocity of the centre of mass and the angular velocity. Wakes the body. Velocities that are not
    /// finite, or beyond 1e100, are refused.
    pub fn push(&mut self, velocity: DVec3, angular_velocity: DVec3) -> Result<()> {
        for (what, value) in [("velocity", velocity), ("angular velocity", angular_velocity)] {
            if !value.to_array().into_iter().all(|c| c.abs() <= 1e100) {
                return Err(out_of_range(what, "at most 1e100", value.length()));
            }
        }
        let rotation = self.state.pose.at().rotation;
        self.state.velocity = velocity;
        self.state.angular_momentum = rotation * (self.inertia * (rotation.transpose() * angular_velocity));
        self.state.asleep = false;
        self.state.slow = 0;
        Ok(())
    }

    /// Advances the world by [`Setup::step`].
    pub fn step(&mut self) -> StepReport {
        self.step_watched(|_, _| {})
    }

    /// Like [`Self::step`], but calls `watch` with every flight and the state after it.
    fn step_watched(&mut self, mut watch: impl FnMut(&Bouncing, &Flight)) -> StepReport {
        let mut report = StepReport::default();
        let mut left = self.setup.step;
        // On the straight line the body sinks at once, however slowly it falls. In contact it should not sink by more
        // than the clearance before the next check: after a touch flights are short, and become longer.
        let short = (2.0 * self.clearance / self.setup.gravity).sqrt();
        let mut longest = left;
        while left > 0.0
            && !self.state.asleep
            && report.touches < MOST_TOUCHES
            && report.flights < MOST_FLIGHTS
        {
            let time = self.flight_time(left.min(longest));
            let flight = self.fly(time);
            left -= time * flight.until;
            longest = if flight.touched { short } else { 2.0 * longest };
            report.flights += 1;
            report.touches += usize::from(flight.touched);
            report.volume_pairs += flight.volume_pairs;
            watch(self, &flight);
        }
        let slow = self.kinetic_energy() <= SLOW_LIFT * self.mass * self.setup.gravity * self.clearance;
        self.state.slow = if slow && report.touches > 0 { self.state.slow + 1 } else { 0 };
        if self.state.slow >= SLOW_FRAMES {
            self.sleep();
        }
        report
    }

    /// Returns the kinetic and potential energy; the latter is zero for the centre of mass on the floor.
    pub fn energy(&self) -> f64 {
        let height = self.state.pose.translation().z;
        self.mass * self.setup.gravity * height + self.kinetic_energy()
    }

    /// Returns the placement of the mesh as it was given.
    pub fn pose(&self) -> Pose {
        let pose = self.state.pose.at();
        placed(pose.apply(self.origin), self.state.pose.rotation())
    }

    /// Returns the positions of the mesh's vertices.
    pub fn positions(&self) -> Vec<DVec3> {
        let pose = self.state.pose.at();
        let Shape::Mesh(mesh) = &self.shape else { return Vec::new() };
        mesh.vertices().iter().map(|&v| pose.apply(v)).collect()
    }

    /// Returns true if the body has come to rest.
    pub fn is_asleep(&self) -> bool {
        self.state.asleep
    }

    /// Returns the time of the next flight: the time left, but no longer than up to the top of the parabola, where the
    /// straight line to a later point would go down at once. The body must also not turn by much.
    fn flight_time(&self, left: f64) -> f64 {
        let (rate, rise) = (self.angular_velocity().length(), self.state.velocity.z / self.setup.gravity);
        let time = if rise > 1e-6 * left { left.min(rise) } else { left };
        if rate * time > MOST_TURN { MOST_TURN / rate } else { time }
    }

    /// Makes a flight of the given time, or up to the first touch, with the impact.
    fn fly(&mut self, time: f64) -> Flight {
        let before = self.state;
        let to = self.end_of_flight(time);
        let motion = self.setup.between.motion(before.pose, to);
        let (answer, separation, volume_pairs) = self.first_touch(&motion);
        let (until, touch) = match answer {
            Answer::Free => (1.0, None),
            Answer::Touch(touch) => (touch.toi, Some(touch)),
            Answer::Undecided { free_until, .. } => (free_until, None),
            // The gap is at least twice the separation checked: only rounding can lead here.
            Answer::TouchingAtStart(_) => {
                self.sleep();
                (0.0, None)
            }
        };
        let pose = if until == 1.0 { to } else { pose_at(&motion, until) };
        self.arrive(pose, time * until, until == 1.0);
        self.state.gap = separation;
        if let Some(touch) = &touch {
            self.collide(touch);
        }
        if self.state.gap < SMALL_GAP * self.clearance {
            self.lift();
        }
        Flight { motion, until, touched: touch.is_some() || until < 1.0, volume_pairs }
    }

    /// Returns the first touch of the flight, and the separation that was kept up to it. Far from the floor the full
    /// clearance is kept; if the body is nearer, half of the known gap is kept.
    fn first_touch(&self, motion: &Motion) -> (Answer, f64, u64) {
        let mut volume_pairs = 0;
        let mut check = |separation: f64| {
            let options =
                Options { min_separation: separation, tolerance: 0.25 * separation, ..Options::default() };
            let mut scene = Scene::default();
            let report = scene
                .add(Body::new("body", self.shape.clone(), motion.clone()))
                .and_then(|_| scene.add(self.floor.clone()))
                .and_then(|_| scene.check(&options))
                .expect("two bodies with two names, and options in range");
            volume_pairs += report.stats.volume_pairs;
            report.answer
        };
        let mut separation = 0.5 * self.clearance;
        let mut answer = check(separation);
        if matches!(answer, Answer::TouchingAtStart(_)) && self.state.gap < self.clearance {
            separation = 0.5 * self.state.gap;
            answer = check(separation);
        }
        (answer, separation, volume_pairs)
    }

    /// Returns the placement after an uninterrupted flight of the given time.
    fn end_of_flight(&self, time: f64) -> Pose {
        let State { pose, velocity, angular_momentum, .. } = self.state;
        let fall = DVec3::Z * (0.5 * self.setup.gravity * time * time);
        let start = pose.at().rotation.transpose() * angular_momentum;
        let mut turn = DQuat::IDENTITY;
        let mut end = start;
        // Each round gains a factor of about the angle turned; the energy does not depend on the end of the iteration,
        // see `arrive`.
        for _ in 0..60 {
            let rate = self.inverse_inertia * (0.5 * (start + end));
            let half = 0.5 * time * rate;
            turn = DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize();
            let next = turn.conjugate() * start;
            let settled = (next - end).length() <= 1e-16 * start.length();
            end = next;
            if settled {
                break;
            }
        }
        placed(pose.translation() + (velocity * time - fall), pose.rotation() * turn)
    }

    /// Puts the body at `pose`, a time after it started to fly, with the velocities that conserve energy.
    fn arrive(&mut self, pose: Pose, time: f64, at_the_end: bool) {
        let before = self.state;
        let turning = self.turning_energy();
        self.state.pose = pose;
        let ballistic = before.velocity.z - self.setup.gravity * time;
        self.state.velocity.z = if at_the_end {
            ballistic
        } else {
            let height = pose.translation().z - before.pose.translation().z;
            let squared = before.velocity.z * before.velocity.z - 2.0 * self.setup.gravity * height;
            squared.max(0.0).sqrt().copysign(ballistic)
        };
        let now = self.turning_energy();
        if now > turning {
            self.state.angular_momentum *= (turning / now).sqrt();
        }
        if !at_the_end {
            self.pay_for_height(before);
        }
    }

    /// Removes from the motion the energy that the body has gained. Along a straight line there is none, except for
    /// rounding.
    fn pay_for_height(&mut self, before: State) {
        let energy = |run: &Bouncing| run.energy();
        let now = energy(self);
        let after = std::mem::replace(&mut self.state, before);
        let owed = now - energy(self);
        self.state = after;
        // Rounding is not compensated.
        if owed <= 1e-14 * now.abs() {
            return;
        }
        let kinetic = self.kinetic_energy();
        if owed > kinetic {
            self.state = before;
            return;
        }
        let slower = (1.0 - owed / kinetic).max(0.0).sqrt();
        self.state.velocity *= slower;
        self.state.angular_momentum *= slower;
    }

    /// Applies the impulse of a touch.
    fn collide(&mut self, touch: &Touch) {
        let (normal, point) = (-touch.normal, touch.points[0]);
        let arm = point - self.state.pose.translation();
        let approach = self.velocity_of(arm).dot(normal);
        if approach >= 0.0 {
            return;
        }
        // An impact slower than the speed that a few frames of gravity give counts as rest. It returns at most the
        // speed that takes the body back to the clearance. The body hops, too low to be seen, and continues to slide,
        // to roll or to fall over.
        let departure = if -approach < 4.0 * self.setup.gravity * self.setup.step {
            (-approach).min((2.0 * self.setup.gravity * self.clearance).sqrt())
        } else {
            -approach * self.setup.restitution
        };
        let push = (departure - approach) / self.response(arm, normal);
        self.impulse(arm, normal * push);
        let velocity = self.velocity_of(arm);
        let sliding = velocity - normal * velocity.dot(normal);
        let Some(direction) = sliding.try_normalize() else { return };
        let stop = sliding.length() / self.response(arm, direction);
        self.impulse(arm, direction * -stop.min(self.setup.friction * push));
    }

    /// Lifts the body towards the full clearance, as far as its kinetic energy allows, and puts it to sleep if it is
    /// still too near.
    fn lift(&mut self) {
        let weight = self.mass * self.setup.gravity;
        let kinetic = self.kinetic_energy();
        let wanted = self.clearance - self.state.gap;
        let lift = if weight * wanted <= 0.25 * kinetic { wanted } else { 0.25 * kinetic / weight };
        if lift > 0.0 && kinetic > 0.0 {
            let up = self.state.pose.translation() + DVec3::Z * lift;
            // The energy is that of the rounded lift.
            let paid = weight * (up.z - self.state.pose.translation().z);
            let slower = (1.0 - paid / kinetic).max(0.0).sqrt();
            self.state.pose = placed(up, self.state.pose.rotation());
            self.state.velocity *= slower;
            self.state.angular_momentum *= slower;
            self.state.gap += 0.5 * lift;
        }
        if self.state.gap < SMALLEST_GAP * self.clearance {
            self.sleep();
        }
    }

    fn sleep(&mut self) {
        self.state.asleep = true;
        self.state.velocity = DVec3::ZERO;
        self.state.angular_momentum = DVec3::ZERO;
    }

    fn impulse(&mut self, arm: DVec3, impulse: DVec3) {
        self.state.velocity += impulse / self.mass;
        self.state.angular_momentum += arm.cross(impulse);
    }

    /// Returns the change of the velocity at `arm`, along a unit vector, by a unit impulse along it.
    fn response(&self, arm: DVec3, direction: DVec3) -> f64 {
        let lever = arm.cross(direction);
        1.0 / self.mass + lever.dot(self.world_inverse_inertia(lever))
    }

    fn velocity_of(&self, arm: DVec3) -> DVec3 {
        self.state.velocity + self.angular_velocity().cross(arm)
    }

    fn angular_velocity(&self) -> DVec3 {
        self.world_inverse_inertia(self.state.angular_momentum)
    }

    fn world_inverse_inertia(&self, v: DVec3) -> DVec3 {
        let rotation = self.state.pose.at().rotation;
        rotation * (self.inverse_inertia * (rotation.transpose() * v))
    }

    fn turning_energy(&self) -> f64 {
        0.5 * self.state.angular_momentum.dot(self.angular_velocity())
    }

    fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.state.velocity.length_squared() + self.turning_energy()
    }
}

/// Returns the flight that ends in the first bounce of the demo, as a scene.
pub(crate) fn first_bounce() -> Result<Scene> {
    let mut run = Bouncing::thrown(&potato(10_000, 1)?, DEMO_SEED, Setup::default())?;
    let mut bounce = None;
    while bounce.is_none() && !run.is_asleep() {
        run.step_watched(|_, flight| {
            if flight.touched && bounce.is_none() {
                bounce = Some(flight.motion.clone());
            }
        });
    }
    let mut scene = Scene::default();
    scene.add(Body::new("potato", run.shape, bounce.unwrap_or(Motion::fixed(run.state.pose))))?;
    scene.add(run.floor)?;
    Ok(scene)
}

/// Returns the frames of the demo: five seconds.
pub(crate) fn frames() -> Result<Vec<Frame>> {
    let mesh = potato(10_000, 1)?;
    let ground = floor(20.0)?;
    let mut run = Bouncing::thrown(&mesh, DEMO_SEED, Setup::default())?;
    let frames = (0..300).map(|_| {
        let mut frame = Frame::default();
        frame.add(&mesh, &run.pose());
        frame.add(&ground, &Pose::IDENTITY);
        run.step();
        frame
    });
    Ok(frames.collect())
}

const DEMO_SEED: u64 = 2001;

/// Returns the pose of a motion at an instant.
pub fn pose_at(motion: &Motion, t: f64) -> Pose {
    let pose = motion.pose_at(t);
    placed(pose.translation, DQuat::from_mat3(&pose.rotation))
}

fn placed(translation: DVec3, rotation: DQuat) -> Pose {
    Pose::new(translation, rotation).expect("what moves from a finite pose at finite velocities stays finite")
}

fn out_of_range(what: &str, expected: &'static str, value: f64) -> firsttouch::Error {
    firsttouch::Error::OutOfRange { what: what.into(), expected, value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{box_surface, teapot, torus};

    /// Half the distance from 1 to the next number.
    const UNIT: f64 = f64::EPSILON / 2.0;

    /// Returns a lower bound of the height of the lowest vertex.
    fn lowest(mesh: &Mesh, motion: &Motion, t: f64) -> f64 {
        let (pose, error) = (motion.pose_at(t), motion.pose_error());
        let row = DVec3::new(pose.rotation.x_axis.z, pose.rotation.y_axis.z, pose.rotation.z_axis.z);
        let height = |v: &DVec3| {
            // The error of three products and three sums, and of the pose itself.
            let size = v.length() * 2.0 + pose.translation.z.abs();
            row.dot(*v) + pose.translation.z
                - 8.0 * UNIT * size
                - error.rotation * v.length()
                - error.translation
        };
        mesh.vertices().iter().map(height).fold(f64::INFINITY, f64::min)
    }

    /// Follows a body for some frames. At the end of every flight, and at a few times between, all of its vertices are
    /// above the floor; its energy never grows by more than rounding. Returns the number of touches and the remaining
    /// energy.
    fn follow(mesh: &Mesh, seed: u64, setup: Setup, frames: usize) -> (usize, f64) {
        let mut run = Bouncing::thrown(mesh, seed, setup).unwrap();
        let Shape::Mesh(shape) = run.shape.clone() else { unreachable!() };
        let first = run.energy();
        let (mut energy, mut touches) = (first, 0);
        for frame in 0..frames {
            let report = run.step_watched(|run, flight| {
                for i in 0..=4 {
                    let t = flight.until * f64::from(i) / 4.0;
                    let height = lowest(&shape, &flight.motion, t);
                    assert!(height > 0.0, "seed {seed}, frame {frame}: {height} below the floor");
                }
                let now = run.energy();
                let rounding = 64.0 * UNIT * first;
                assert!(now <= energy + rounding, "seed {seed}, frame {frame}: {energy} becomes {now}");
                energy = now;
            });
            touches += report.touches;
        }
        assert!(run.positions().iter().all(|p| p.z > 0.0));
        (touches, energy / first)
    }

    /// Bodies of every kind, thrown in every way: a soup, a hole, sharp edges.
    #[test]
    fn never_below_the_floor_and_never_more_energy() {
        let bodies =
            [potato(500, 1), teapot(600), torus(1.0, 0.3, 500), box_surface(DVec3::new(1.0, 0.6, 0.2))];
        let mut all = 0;
        for (i, mesh) in bodies.into_iter().enumerate() {
            let mesh = mesh.unwrap();
            for seed in 0..6 {
                let restitution = [0.0, 0.3, 0.6, 0.9, 1.0, 0.5][seed as usize];
                let friction = [0.0, 0.5, 0.3, 0.1, 0.0, 1.0][(seed as usize + i) % 6];
                let setup = Setup { restitution, friction, ..Setup::default() };
                let (touches, left) = follow(&mesh, 10 * i as u64 + seed, setup, 400);
                assert!(touches > 0);
                assert!(
                    restitution == 1.0 || left < 0.9,
                    "body {i}, seed {seed}: {left} of the energy is left"
                );
                all += touches;
            }
        }
        assert!(all > 500, "{all}");
    }

    /// If impacts lose no energy, only lifts do.
    #[test]
    fn elastic_bounces_keep_almost_all_energy() {
        let setup = Setup { restitution: 1.0, friction: 0.0, ..Setup::default() };
        let (touches, left) = follow(&potato(500, 1).unwrap(), 3, setup, 300);
        assert!(touches > 2 && left > 0.98, "{touches} touches, {left} left");
    }

    /// A body that loses energy comes to rest within ten seconds or so, and stays where it is.
    #[test]
    fn comes_to_rest() {
        for mesh in [potato(500, 1).unwrap(), box_surface(DVec3::new(1.0, 0.6, 0.2)).unwrap()] {
            let setup = Setup { restitution: 0.4, friction: 0.6, ..Setup::default() };
            let mut run = Bouncing::thrown(&mesh, 5, setup).unwrap();
            let frames = (0..6_000).find(|_| {
                run.step();
                run.is_asleep()
            });
            let frames = frames.expect("it rests in the end");
            assert!(frames > 60, "{frames}");
            let pose = run.pose();
            assert_eq!(run.step(), StepReport::default());
            assert_eq!(run.pose(), pose);
            run.push(DVec3::Z * 5.0, DVec3::X).unwrap();
            assert!(run.step().flights > 0 && run.pose() != pose);
        }
    }

    #[test]
    fn bad_setups_are_refused() {
        let mesh = box_surface(DVec3::ONE).unwrap();
        let high = Pose::from_translation(DVec3::Z * 2.0).unwrap();
        let bad = Setup { restitution: 1.5, ..Setup::default() };
        assert!(Bouncing::new(&mesh, high, bad).is_err());
        let bad = Setup { step: f64::NAN, ..Setup::default() };
        assert!(Bouncing::new(&mesh, high, bad).is_err());
        assert!(Bouncing::new(&mesh, Pose::IDENTITY, Setup::default()).is_err());
        let mut run = Bouncing::new(&mesh, high, Setup::default()).unwrap();
        assert!(
            run.push(DVec3::NAN, DVec3::ZERO).is_err() && run.push(DVec3::ZERO, DVec3::INFINITY).is_err()
        );
        // An absurd input, but it must not cause a panic.
        run.push(DVec3::splat(-1e100), DVec3::splat(1e50)).unwrap();
        run.step();
    }
}
