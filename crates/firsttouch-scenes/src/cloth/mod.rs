//! A square of cloth that falls on a ball, drapes over it and is dragged along when the ball turns. It never passes
//! through itself.
//!
//! The problem: a cloth solver proposes the positions of the vertices at the end of a step. Turn this into a motion
//! without any touch that keeps the cloth moving.
//!
//! 1. **Propose.** Extended position-based dynamics: vertices continue under gravity. Then springs along the sides and
//!    diagonals of the cells (stiff) and across two cells (soft, against bending) are satisfied one after the other, in
//!    a few rounds. The ball is turned. Contacts are ignored: this is the motion that a simulator hands to a collision
//!    library.
//! 2. **Contacts.** These are features that are nearer than the thickness at the start of the step
//!    ([`Deformable::candidates_within`]), and features that touch during the proposed motion ([`Deformable::check`],
//!    all touches). Each contact is a normal and four weights; the gap along the normal must not fall below its target.
//!    There is friction.
//! 3. **Solve** springs and contacts together, and check for touches again. The touches found also become contacts.
//! 4. **Slow down.** If there is still a touch after a few rounds, the vertices of touching features go only part of
//!    their way, repeatedly while there are touches. If that does not end, all vertices stop before the first touch
//!    ([`Deformable::safe_step`]), or as a last resort do not move in this step.
//! 5. **Accept** only motions that the exact check has proven free.
//!
//! Guarantee: no vertex, edge or face of cloth and ball touches another at any time of any accepted step. Proof by
//! induction: the first frame is checked for crossings, and every step is free up to and including its end, where the
//! next one starts. The guarantee does not depend on steps 1 to 3.
//!
//! The ball's vertices are on circles at every frame and on the chords in between; a step that is cut short cuts the
//! angle, so the ball keeps its size.
//!
//! [`draped`] makes the scene of the paper in seconds. A coarse cloth is simulated until it hangs, each of its cells is
//! cut into 4 by 4, which changes no point of the surface, and the fine cloth takes a few short steps.
//!
//! Reference: Macklin, Müller, Chentanez 2016, "XPBD"; the scene: Tang, Kim and Manocha 2010, Fig. 6 (b).

mod contacts;
mod springs;

use contacts::{Contact, push, weights};
use firsttouch::deformable::{Deformable, Settings, Start};
use firsttouch::{Answer, Error, Feature, Mode, Options, Result, Touch};
use glam::{DQuat, DVec3, dvec3};
use springs::{Spring, pull, springs};

use crate::Frame;
use crate::deforming::Frames;
use crate::random::Random;
use crate::shapes::sphere;

/// The side of the square; the ball has the radius 1, so the middle of a side ends below the equator.
const SIDE: f64 = 3.6;
const GRAVITY: DVec3 = dvec3(0.0, 0.0, -9.8);
/// The share of its velocity that the cloth loses to the air in a second.
const DRAG: f64 = 0.8;
/// The number of rounds over all springs in a step.
const ROUNDS: usize = 12;
/// The number of times that vertices of touching features are slowed down before the whole step is.
const SLOWDOWNS: usize = 12;

/// Sizes and speeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draping {
    /// The number of vertices along a side of the cloth: it has `2 (side − 1)²` triangles.
    pub side: usize,
    /// The approximate number of triangles of the ball.
    pub ball_triangles: usize,
    /// The seconds from a frame to the next.
    pub step: f64,
    /// The turning speed of the ball about the vertical, in radians per second.
    pub spin: f64,
    /// The time in seconds at which it starts to turn.
    pub spin_from: f64,
}

impl Default for Draping {
    fn default() -> Draping {
        Draping { side: 52, ball_triangles: 6_480, step: 1.0 / 60.0, spin: 2.5, spin_from: 0.5 }
    }
}

/// The cloth, the ball and their motion.
///
/// ```
/// use firsttouch_scenes::cloth::{Cloth, Draping};
/// let mut cloth = Cloth::new(Draping { side: 12, ball_triangles: 180, ..Draping::default() })?;
/// let before = cloth.lowest();
/// for _ in 0..5 {
///     cloth.step()?;
/// }
/// assert!(cloth.lowest() < before);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cloth {
    draping: Draping,
    mesh: Deformable,
    /// The vertices of the cloth, row by row, then those of the ball.
    positions: Vec<DVec3>,
    /// The velocities of the cloth's vertices.
    velocities: Vec<DVec3>,
    springs: Vec<Spring>,
    /// The ball as it was at first.
    ball: Vec<DVec3>,
    angle: f64,
    time: f64,
    /// The approximate distance that features keep.
    thickness: f64,
    /// The number of times that touches become contacts before their vertices are slowed down.
    corrections: usize,
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The proposed end of the step, without contacts.
    pub proposed: Vec<DVec3>,
    /// The number of pairs of features that touch on the way there.
    pub touches: usize,
    /// The number of contacts when the step was accepted.
    pub contacts: usize,
    /// The number of exact checks.
    pub checks: usize,
    /// The number of vertices that went only part of their way.
    pub slowed: usize,
    /// The part of the step that was done: 1 unless all had to stop early.
    pub done: f64,
}

impl Cloth {
    /// Creates the cloth, lying flat a little above the top of the ball; it has at least one cell. Refuses steps that
    /// take no time or more than a second.
    pub fn new(draping: Draping) -> Result<Cloth> {
        let side = draping.side.max(2);
        let spacing = SIDE / (side - 1) as f64;
        let mut random = Random::new(side as u64);
        // Uneven by a hundredth of a cell, so that symmetry does not decide where folds form.
        let mut at = |i: usize, j: usize| {
            let flat = dvec3(i as f64 * spacing - 0.5 * SIDE, j as f64 * spacing - 0.5 * SIDE, 0.0);
            flat + random.vector(0.01 * spacing) + DVec3::Z * (1.0 + 0.4 * spacing)
        };
        let positions = (0..side * side).map(|v| at(v / side, v % side)).collect();
        Cloth::with_positions(
            Draping { side, ..draping },
            positions,
            vec![DVec3::ZERO; side * side],
            0.0,
            0.0,
        )
    }

    /// Returns the cloth with every cell cut into `factor²`, and with steps that are shorter by `factor`. The surface
    /// does not change.
    ///
    /// ```
    /// use firsttouch_scenes::cloth::{Cloth, Draping};
    /// let cloth = Cloth::new(Draping { side: 10, ball_triangles: 180, ..Draping::default() })?;
    /// assert_eq!(cloth.refined(4)?.triangles().len() - 180, 16 * (cloth.triangles().len() - 180));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn refined(&self, factor: usize) -> Result<Cloth> {
        let factor = factor.max(1);
        let coarse = self.draping.side;
        let side = (coarse - 1) * factor + 1;
        let refine = |values: &[DVec3]| -> Vec<DVec3> {
            let at = |i: usize, j: usize| values[i * coarse + j];
            let point = |v: usize| {
                let (i, j) = ((v / side / factor).min(coarse - 2), (v % side / factor).min(coarse - 2));
                let (x, y) = ((v / side - i * factor) as f64, (v % side - j * factor) as f64);
                let (x, y) = (x / factor as f64, y / factor as f64);
                // The point is within the triangle of the cell on whose side of the diagonal it lies.
                let (corner, x, y, along, across) = if x + y <= 1.0 {
                    (at(i, j), x, y, at(i + 1, j), at(i, j + 1))
                } else {
                    (at(i + 1, j + 1), 1.0 - x, 1.0 - y, at(i, j + 1), at(i + 1, j))
                };
                corner * (1.0 - x - y) + along * x + across * y
            };
            (0..side * side).map(point).collect()
        };
        let draping = Draping { side, step: self.draping.step / factor as f64, ..self.draping };
        let count = coarse * coarse;
        let (positions, velocities) = (refine(&self.positions[..count]), refine(&self.velocities));
        Cloth::with_positions(draping, positions, velocities, self.angle, self.time)
    }

    fn with_positions(
        draping: Draping,
        mut positions: Vec<DVec3>,
        velocities: Vec<DVec3>,
        angle: f64,
        time: f64,
    ) -> Result<Cloth> {
        if !(draping.step > 0.0 && draping.step <= 1.0) {
            return Err(Error::OutOfRange {
                what: "the time step".into(),
                expected: "positive and at most 1",
                value: draping.step,
            });
        }
        let side = draping.side;
        let ball = sphere(draping.ball_triangles)?;
        let mut triangles = sheet(side);
        triangles.extend(ball.triangles().iter().map(|ids| ids.map(|i| (side * side) as u32 + i)));
        let ball = ball.vertices().to_vec();
        positions.extend(turned(&ball, angle));
        let settings = Settings { threads: 0, ..Settings::default() };
        let mesh = Deformable::with_settings(
            positions.clone(),
            positions.clone(),
            triangles,
            vec![],
            vec![],
            settings,
        )?;
        let report = mesh.check(&Options { threads: 0, ..Options::default() }, Start::Report)?;
        if report.answer != Answer::Free {
            return Err(Error::Unsupported {
                what: "a cloth that touches itself or the ball at the start".into(),
            });
        }
        let spacing = SIDE / (side - 1) as f64;
        let springs = springs(side, spacing);
        Ok(Cloth {
            draping,
            mesh,
            positions,
            velocities,
            springs,
            ball,
            angle,
            time,
            thickness: 0.2 * spacing,
            corrections: 5,
        })
    }

    /// Advances by one frame: the header's steps 1 to 5.
    pub fn step(&mut self) -> Result<Step> {
        let (start, dt) = (self.positions.clone(), self.draping.step);
        let turn = self.turn(dt);
        let (mut end, mut pulls) = self.propose(dt);
        let proposed = end.clone();
        self.mesh.set_frames(&start, &end)?;
        let mut contacts = self.near(&start);
        let mut touches = self.touches()?;
        let mut out = Step { proposed, touches: touches.len(), contacts: 0, checks: 1, slowed: 0, done: 1.0 };
        for correction in 0..self.corrections {
            if touches.is_empty() && correction > 0 {
                break;
            }
            contacts.extend(touches.iter().filter_map(|touch| self.contact_of(touch, &start, &end)));
            // Springs and contacts alternate in the first correction; later corrections solve contacts only.
            let rounds = if correction == 0 { ROUNDS } else { 4 };
            for round in 0..rounds {
                if correction == 0 {
                    pull(&self.springs, &mut end, &mut pulls, round, dt);
                }
                push(&mut contacts, self.velocities.len(), &start, &mut end);
            }
            self.mesh.set_frames(&start, &end)?;
            touches = self.touches()?;
            out.checks += 1;
        }
        let mut part = vec![1.0_f64; self.velocities.len()];
        for _ in 0..SLOWDOWNS {
            if touches.is_empty() {
                break;
            }
            for touch in &touches {
                for v in self.vertices_of(touch.features) {
                    if let Some(part) = part.get_mut(v as usize) {
                        *part = part.min((0.8 * touch.toi).max(0.1));
                    }
                }
            }
            for v in 0..part.len() {
                if part[v] < 1.0 {
                    end[v] = start[v] + (end[v] - start[v]) * part[v];
                }
            }
            out.slowed += part.iter().filter(|&&part| part < 1.0).count();
            part.fill(1.0);
            self.mesh.set_frames(&start, &end)?;
            touches = self.touches()?;
            out.checks += 1;
        }
        if !touches.is_empty() {
            out.done = self.stop_early(&start, &mut end, turn, &mut out.checks)?;
        }
        out.contacts = contacts.len();
        for (v, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity = (end[v] - start[v]) / dt;
        }
        self.angle += turn * out.done;
        self.time += dt;
        self.positions = end;
        Ok(out)
    }

    /// Takes step 1 of the header, for a step of this length: the end positions without contacts.
    pub fn proposal(&self, dt: f64) -> Vec<DVec3> {
        self.propose(dt).0
    }

    /// The pull of every spring.
    fn propose(&self, dt: f64) -> (Vec<DVec3>, Vec<f64>) {
        let mut end: Vec<DVec3> = Vec::with_capacity(self.positions.len());
        for (position, velocity) in self.positions.iter().zip(&self.velocities) {
            let velocity = *velocity * (1.0 - (DRAG * dt).min(1.0)) + GRAVITY * dt;
            end.push(*position + velocity * dt);
        }
        end.extend(turned(&self.ball, self.angle + self.turn(dt)));
        let mut pulls = vec![0.0; self.springs.len()];
        for round in 0..ROUNDS {
            pull(&self.springs, &mut end, &mut pulls, round, dt);
        }
        (end, pulls)
    }

    /// Returns the angle by which the ball turns.
    fn turn(&self, dt: f64) -> f64 {
        if self.time >= self.draping.spin_from { self.draping.spin * dt } else { 0.0 }
    }

    /// Moves all vertices by the same part of their way, and returns that part. The motion to `end` is then proven
    /// free.
    fn stop_early(
        &mut self,
        start: &[DVec3],
        end: &mut Vec<DVec3>,
        turn: f64,
        checks: &mut usize,
    ) -> Result<f64> {
        let wanted = end.clone();
        let options = Options { threads: 0, ..Options::default() };
        let mut part = self.mesh.safe_step(&options, Start::Ignore, 0.8)?;
        for _ in 0..10 {
            for v in 0..self.velocities.len() {
                end[v] = start[v] + (wanted[v] - start[v]) * part;
            }
            end.truncate(self.velocities.len());
            end.extend(turned(&self.ball, self.angle + turn * part));
            self.mesh.set_frames(start, end)?;
            *checks += 1;
            if self.mesh.check(&options, Start::Ignore)?.answer == Answer::Free {
                return Ok(part);
            }
            part *= 0.5;
        }
        end.copy_from_slice(start);
        self.mesh.set_frames(start, start)?;
        Ok(0.0)
    }

    fn touches(&self) -> Result<Vec<Touch>> {
        let options = Options { mode: Mode::All, threads: 0, ..Options::default() };
        Ok(self.mesh.check(&options, Start::Ignore)?.touches)
    }

    /// Features nearer than the thickness at the start, among those that come near in the step.
    fn near(&self, start: &[DVec3]) -> Vec<Contact> {
        let mut out = Vec::new();
        let cloth = self.velocities.len() as u32;
        // Contacts are solved one after the other, so their order counts. The order of the candidates is the order of
        // the tree.
        let mut near: Vec<[Feature; 2]> = Vec::new();
        self.mesh.candidates_within(self.thickness, |features| near.push(in_order(features)));
        near.sort_unstable_by_key(|&features| {
            (matches!(features[0], Feature::Edge(_)), self.vertices_of(features))
        });
        for features in near {
            let vertices = self.vertices_of(features);
            if vertices.iter().all(|&v| v >= cloth) {
                continue;
            }
            let weights = weights(features, vertices.map(|v| start[v as usize]));
            let gap: DVec3 = (0..4).map(|i| start[vertices[i] as usize] * weights[i]).sum();
            let distance = gap.length();
            if distance > 0.0 && distance < self.thickness {
                // A part of the missing gap in every step, to avoid jumps.
                let target = distance + 0.25 * (self.thickness - distance);
                out.push(Contact::new(vertices, weights, gap / distance, target));
            }
        }
        out
    }

    fn contact_of(&self, touch: &Touch, start: &[DVec3], end: &[DVec3]) -> Option<Contact> {
        let vertices = self.vertices_of(touch.features);
        let at = |v: u32| {
            let (p, q) = (start[v as usize], end[v as usize]);
            p + (q - p) * touch.toi
        };
        let weights = weights(touch.features, vertices.map(at));
        let before: DVec3 = (0..4).map(|i| start[vertices[i] as usize] * weights[i]).sum();
        // Along the normal of the touch, to the side it came from; sideways, back to the place it came from.
        let height = touch.normal.dot(before);
        let normal = if height.abs() > 0.1 * before.length() {
            touch.normal * height.signum()
        } else {
            before.try_normalize()?
        };
        Some(Contact::new(vertices, weights, normal, 0.25 * self.thickness))
    }

    fn vertices_of(&self, features: [Feature; 2]) -> [u32; 4] {
        match features {
            [Feature::Vertex(v), Feature::Face(f)] => {
                let [a, b, c] = self.mesh.triangles()[f as usize];
                [v, a, b, c]
            }
            [Feature::Edge(e), Feature::Edge(f)] => {
                let ([a, b], [c, d]) = (self.mesh.edges()[e as usize], self.mesh.edges()[f as usize]);
                [a, b, c, d]
            }
            // No other pairs are reported.
            _ => [0; 4],
        }
    }

    /// Returns all vertices: those of the cloth row by row, then the ball's.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Returns all triangles: the cloth's, then the ball's.
    pub fn triangles(&self) -> &[[u32; 3]] {
        self.mesh.triangles()
    }

    /// Returns the angle by which the ball has turned, in radians.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// Returns the height of the lowest point of the cloth; the ball's centre is at 0.
    pub fn lowest(&self) -> f64 {
        self.positions[..self.velocities.len()].iter().fold(f64::INFINITY, |low, p| low.min(p.z))
    }

    /// Returns cloth and ball in their current positions, as one soup.
    pub fn frame(&self) -> Frame {
        Frame { positions: self.positions.clone(), triangles: self.triangles().to_vec() }
    }
}

/// Returns a whole run, frame by frame, including the first.
///
/// ```
/// use firsttouch_scenes::cloth::{Draping, frames};
/// let frames = frames(Draping { side: 10, ball_triangles: 180, ..Draping::default() }, 3)?;
/// assert_eq!((frames.len(), frames[3].positions.len()), (4, 10 * 10 + 92));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn frames(draping: Draping, steps: usize) -> Result<Vec<Frame>> {
    let mut cloth = Cloth::new(draping)?;
    let mut out = vec![cloth.frame()];
    for _ in 0..steps {
        cloth.step()?;
        out.push(cloth.frame());
    }
    Ok(out)
}

/// Returns the scene of the paper. The cloth hangs over the turning ball, and its fine solver proposes a motion for the
/// next sixtieth of a second, at each of `steps` accepted frames. Cloth and ball have about `triangles` triangles.
/// Before that, a sixteenth of the triangles are simulated for `coarse_steps`.
///
/// ```
/// let steps = firsttouch_scenes::cloth::draped(3_000, 30, 2)?;
/// assert_eq!(steps.len(), 2);
/// assert!((2_500..3_500).contains(&steps[0].triangles.len()));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn draped(triangles: usize, coarse_steps: usize, steps: usize) -> Result<Vec<Frames>> {
    let mut cloth = hanging(triangles, coarse_steps)?;
    let mut out = Vec::new();
    for _ in 0..steps {
        let (t0, t1) = (cloth.positions.clone(), cloth.proposal(Draping::default().step));
        out.push(Frames { t0, t1, triangles: cloth.triangles().to_vec() });
        cloth.step()?;
    }
    Ok(out)
}

/// Returns the fine cloth of [`draped`], before its first step.
pub fn hanging(triangles: usize, coarse_steps: usize) -> Result<Cloth> {
    let ball_triangles = (triangles / 14).clamp(20, 6_480);
    let cells = (triangles.saturating_sub(ball_triangles) as f64 / 32.0).sqrt().round() as usize;
    let mut cloth = Cloth::new(Draping { side: cells.max(2) + 1, ball_triangles, ..Draping::default() })?;
    for _ in 0..coarse_steps {
        cloth.step()?;
    }
    cloth.refined(4)
}

/// Returns the triangles of a square of `side` by `side` vertices, row by row.
fn sheet(side: usize) -> Vec<[u32; 3]> {
    let at = |i: usize, j: usize| (i * side + j) as u32;
    let cells = (0..side - 1).flat_map(|i| (0..side - 1).map(move |j| (i, j)));
    cells
        .flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)]]
        })
        .collect()
}

fn turned(ball: &[DVec3], angle: f64) -> impl Iterator<Item = DVec3> {
    let turn = DQuat::from_rotation_z(angle);
    ball.iter().map(move |&p| turn * p)
}

/// Returns two edges with the lower index first.
fn in_order(features: [Feature; 2]) -> [Feature; 2] {
    match features {
        [Feature::Edge(e), Feature::Edge(f)] if f < e => [Feature::Edge(f), Feature::Edge(e)],
        _ => features,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cloth of 1800 triangles falls, drapes and is dragged along; a separate mesh checks every frame and every
    /// motion between two frames again.
    #[test]
    fn a_cloth_drapes_over_a_turning_ball_and_never_crosses() {
        let draping = Draping { side: 31, ball_triangles: 500, spin_from: 0.4, ..Draping::default() };
        let mut cloth = Cloth::new(draping).unwrap();
        let (mut touches, mut stopped) = (0, 0);
        for step in 0..60 {
            let before = cloth.positions().to_vec();
            let said = cloth.step().unwrap();
            let check = Deformable::new(
                before,
                cloth.positions().to_vec(),
                cloth.triangles().to_vec(),
                vec![],
                vec![],
            )
            .unwrap()
            .check(&Options::default(), Start::Report)
            .unwrap();
            assert_eq!((check.answer, check.crossings_at_start), (Answer::Free, Some(0)), "step {step}");
            touches += said.touches;
            stopped += usize::from(said.done < 1.0);
        }
        // It hangs below the equator because it drapes, not because it is torn: no spring along a side is twice its
        // length.
        assert!(cloth.lowest() < -0.2, "{}", cloth.lowest());
        let stretch = cloth.springs.iter().filter(|s| s.compliance == 0.0).map(|s| {
            let [a, b] = s.ends.map(|v| cloth.positions[v as usize]);
            a.distance(b) / s.rest
        });
        let worst = stretch.fold(0.0, f64::max);
        assert!(worst < 1.5, "{worst}");
        // The ball has turned and taken the middle of the cloth with it, which was at first halfway to the equator
        // along x.
        let mark = cloth.positions[(15 + 5) * 31 + 15];
        let turned = mark.y.atan2(mark.x);
        assert!(cloth.angle() > 1.0 && turned > 0.3 * cloth.angle(), "{turned} of {}", cloth.angle());
        assert!(touches > 100 && stopped <= 6, "{touches} {stopped}");
    }

    /// Without contacts from touches, vertices have to be slowed down and whole steps cut short, and still no features
    /// cross.
    #[test]
    fn whatever_the_solver_does_nothing_crosses() {
        let draping = Draping { side: 21, ball_triangles: 320, spin_from: 0.0, ..Draping::default() };
        let mut cloth = Cloth::new(draping).unwrap();
        cloth.corrections = 0;
        let (mut slowed, mut cut) = (0, 0);
        for step in 0..45 {
            let before = cloth.positions().to_vec();
            let said = cloth.step().unwrap();
            let frames =
                Frames { t0: before, t1: cloth.positions().to_vec(), triangles: cloth.triangles().to_vec() };
            let check = frames.build(Settings::default()).unwrap();
            let check = check.check(&Options::default(), Start::Report).unwrap();
            assert_eq!(check.answer, Answer::Free, "step {step}");
            slowed += said.slowed;
            cut += usize::from(said.done < 1.0);
        }
        assert!(slowed > 20 && cut > 0, "{slowed} {cut}");
        let radii = cloth.positions()[21 * 21..].iter().map(|p| p.length());
        assert!(radii.fold(1.0, f64::min) > 1.0 - 1e-12);
    }

    #[test]
    fn a_refined_cloth_is_the_same_surface() {
        let mut cloth = Cloth::new(Draping { side: 9, ball_triangles: 180, ..Draping::default() }).unwrap();
        for _ in 0..25 {
            cloth.step().unwrap();
        }
        let fine = cloth.refined(3).unwrap();
        for i in 0..9 {
            for j in 0..9 {
                let (p, q) = (cloth.positions[i * 9 + j], fine.positions[3 * i * 25 + 3 * j]);
                assert!(p.distance(q) < 1e-15);
            }
        }
        let area = |cloth: &Cloth, count: usize| -> f64 {
            let twice = |ids: &[u32; 3]| {
                let [a, b, c] = ids.map(|v| cloth.positions[v as usize]);
                (b - a).cross(c - a).length()
            };
            cloth.triangles()[..count].iter().map(twice).sum::<f64>() * 0.5
        };
        assert!((area(&cloth, 128) - area(&fine, 128 * 9)).abs() < 1e-12);
    }
}
