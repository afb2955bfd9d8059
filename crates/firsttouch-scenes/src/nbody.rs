//! A crowd of soft balls that fall into a basin, bounce off each other and off posts, and are flattened where they
//! touch.
//!
//! 1. Centres move under gravity. A spring with some damping pushes two overlapping balls apart, or a ball and a wall
//!    or post; there are short steps between frames.
//! 2. The surface of a ball is its sphere, cut flat radially. Every vertex stays, by a gap, behind the plane in which
//!    its sphere meets that of a neighbour (the radical plane), the wall, or the tangent plane of the post. Balls spin.
//!
//! Frames do not cross: each ball lies in a convex cell (its sphere cut by planes) that no other ball enters, and it is
//! star-shaped about its centre. Between frames they may touch, and a check finds these touches.
//!
//! Reference: the N-body scene of Tang, Kim and Manocha 2010, Fig. 6 (c).

use firsttouch::Result;
use glam::{DQuat, DVec3, dvec3};

use crate::deforming::{Frames, Sequence};
use crate::random::Random;
use crate::shapes::sphere;

/// Numbers and sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crowd {
    /// The number of soft balls.
    pub balls: usize,
    /// The approximate number of triangles of each ball, and of each of the three posts.
    pub triangles: usize,
    /// The seconds from a frame to the next.
    pub step: f64,
    /// The seed for sizes, places and spins.
    pub seed: u64,
}

impl Default for Crowd {
    /// As many triangles as in the paper: 145 balls and 3 posts of 980, and the basin.
    fn default() -> Crowd {
        Crowd { balls: 145, triangles: 980, step: 1.0 / 30.0, seed: 2010 }
    }
}

/// Shortest distance of flattened balls from each other.
const GAP: f64 = 0.01;
const GRAVITY: f64 = 9.8;
/// Per unit of mass: two balls that meet at speed 5 overlap by about 5 / √STIFFNESS = 0.14 radii.
const STIFFNESS: f64 = 1_200.0;
const DAMPING: f64 = 2.0;
/// The number of short steps between frames.
const SUBSTEPS: usize = 32;
const POSTS: [(DVec3, f64); 3] =
    [(dvec3(-2.5, -1.5, 1.2), 1.2), (dvec3(2.5, -1.0, 1.2), 1.2), (dvec3(0.0, 2.8, 1.2), 1.2)];

#[derive(Debug, Clone, Copy)]
struct Ball {
    center: DVec3,
    velocity: DVec3,
    radius: f64,
    turn: DQuat,
    axis: DVec3,
    spin: f64,
}

/// The crowd at an instant, and its next motion.
///
/// ```
/// use firsttouch_scenes::nbody::{Crowd, Nbody};
/// let mut crowd = Nbody::new(Crowd { balls: 10, triangles: 80, ..Crowd::default() })?;
/// assert_eq!(crowd.triangles().len(), 13 * 80 + 5 * 32);
/// crowd.advance();
/// assert_eq!(crowd.positions().len(), 13 * 42 + 5 * 25);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Nbody {
    crowd: Crowd,
    balls: Vec<Ball>,
    directions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// The vertices of the parts at rest.
    fixed: Vec<DVec3>,
    /// The walls are at this distance, the floor at height 0.
    half: f64,
}

impl Nbody {
    /// Creates the balls in layers above the basin, at rest.
    pub fn new(crowd: Crowd) -> Result<Nbody> {
        let mut random = Random::new(crowd.seed);
        let ball = sphere(crowd.triangles)?;
        let half = 4.8;
        let across = 7;
        let balls = (0..crowd.balls)
            .map(|i| {
                let cell =
                    dvec3((i % across) as f64, (i / across % across) as f64, (i / across / across) as f64);
                let place = (cell - dvec3(3.0, 3.0, 0.0)) * dvec3(1.3, 1.3, 1.3) + dvec3(0.0, 0.0, 3.4);
                Ball {
                    center: place + random.vector(0.1),
                    velocity: random.vector(1.0),
                    radius: random.between(0.4, 0.52),
                    turn: DQuat::IDENTITY,
                    axis: random.vector(1.0).try_normalize().unwrap_or(DVec3::Z),
                    spin: random.between(0.0, 4.0),
                }
            })
            .collect();
        let mut triangles = Vec::new();
        let count = ball.vertices().len();
        for i in 0..crowd.balls + POSTS.len() {
            triangles.extend(ball.triangles().iter().map(|ids| ids.map(|v| v + (i * count) as u32)));
        }
        let mut fixed = Vec::new();
        for (center, radius) in POSTS {
            fixed.extend(ball.vertices().iter().map(|&u| center + u * radius));
        }
        let first = ((crowd.balls + POSTS.len()) * count) as u32;
        basin(half, first, &mut fixed, &mut triangles);
        Ok(Nbody { crowd, balls, directions: ball.vertices().to_vec(), triangles, fixed, half })
    }

    /// Advances by one frame.
    pub fn advance(&mut self) {
        let dt = self.crowd.step / SUBSTEPS as f64;
        for _ in 0..SUBSTEPS {
            let mut forces = vec![DVec3::NEG_Z * GRAVITY; self.balls.len()];
            for i in 0..self.balls.len() {
                let a = self.balls[i];
                for j in i + 1..self.balls.len() {
                    let b = self.balls[j];
                    let (between, reach) = (a.center - b.center, a.radius + b.radius);
                    if between.length_squared() < reach * reach {
                        let push = spring(between, reach, a.velocity - b.velocity);
                        forces[i] += push;
                        forces[j] -= push;
                    }
                }
                for (normal, distance) in self.planes(a.center) {
                    if distance < a.radius {
                        forces[i] += spring(normal * -distance, a.radius, a.velocity);
                    }
                }
            }
            for (ball, force) in self.balls.iter_mut().zip(forces) {
                ball.velocity += force * dt;
                ball.center += ball.velocity * dt;
                ball.turn = DQuat::from_axis_angle(ball.axis, ball.spin * dt) * ball.turn;
            }
        }
    }

    /// Returns walls, floor and the tangent planes of the posts: their normals away from the point, and their
    /// distances.
    fn planes(&self, center: DVec3) -> impl Iterator<Item = (DVec3, f64)> {
        let half = self.half;
        let walls = [
            (DVec3::X, half - center.x),
            (DVec3::NEG_X, half + center.x),
            (DVec3::Y, half - center.y),
            (DVec3::NEG_Y, half + center.y),
            (DVec3::NEG_Z, center.z),
        ];
        let posts = POSTS.into_iter().map(move |(post, radius)| {
            let towards = post - center;
            (towards.try_normalize().unwrap_or(DVec3::NEG_Z), towards.length() - radius)
        });
        walls.into_iter().chain(posts)
    }

    /// Returns the vertices: ball by ball, then posts and basin.
    pub fn positions(&self) -> Vec<DVec3> {
        self.placed(|ball| (ball.center, ball.turn))
    }

    /// Returns the positions of the vertices a frame later if every ball kept its velocity and shape.
    pub fn proposed(&self) -> Vec<DVec3> {
        let dt = self.crowd.step;
        self.placed(|ball| {
            let velocity = ball.velocity + DVec3::NEG_Z * (GRAVITY * dt);
            (ball.center + velocity * dt, DQuat::from_axis_angle(ball.axis, ball.spin * dt) * ball.turn)
        })
    }

    fn placed(&self, place: impl Fn(&Ball) -> (DVec3, DQuat)) -> Vec<DVec3> {
        let mut out = Vec::with_capacity(self.balls.len() * self.directions.len() + self.fixed.len());
        let mut cuts = Vec::new();
        for ball in &self.balls {
            cuts.clear();
            cuts.extend(self.planes(ball.center).filter(|cut| cut.1 < ball.radius + GAP));
            for other in &self.balls {
                let towards = other.center - ball.center;
                let distance = towards.length();
                if distance > 0.0 && distance < ball.radius + other.radius + 2.0 * GAP {
                    // The point where its powers to both spheres are equal.
                    let along = (distance * distance + ball.radius * ball.radius
                        - other.radius * other.radius)
                        / (2.0 * distance);
                    cuts.push((towards / distance, along));
                }
            }
            let (center, turn) = place(ball);
            let shift = turn * ball.turn.inverse();
            for &direction in &self.directions {
                let direction = ball.turn * direction;
                let mut radius = ball.radius;
                for &(normal, distance) in &cuts {
                    let slope = normal.dot(direction);
                    if slope > 0.0 {
                        radius = radius.min((distance - GAP).max(0.05 * ball.radius) / slope);
                    }
                }
                out.push(center + shift * (direction * radius));
            }
        }
        out.extend_from_slice(&self.fixed);
        out
    }

    /// Returns the triangles of everything.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the motion that a simulator would check now: from the frame to the uninterrupted end of all flights.
    pub fn step(&self) -> Frames {
        Frames { t0: self.positions(), t1: self.proposed(), triangles: self.triangles.clone() }
    }
}

/// Returns the frames of a simulated crowd.
pub fn sequence(crowd: Crowd, frames: usize) -> Result<Sequence> {
    let mut nbody = Nbody::new(crowd)?;
    let mut positions = vec![nbody.positions()];
    for _ in 1..frames {
        nbody.advance();
        positions.push(nbody.positions());
    }
    Ok(Sequence { positions, triangles: nbody.triangles })
}

/// Returns the force on the first of two bodies whose distance is below their reach.
fn spring(between: DVec3, reach: f64, velocity: DVec3) -> DVec3 {
    let distance = between.length();
    if distance == 0.0 {
        return DVec3::ZERO;
    }
    let normal = between / distance;
    normal * (STIFFNESS * (reach - distance) - DAMPING * normal.dot(velocity))
}

/// Returns floor and four walls, each a separate grid with edges that stay clear of the others.
fn basin(half: f64, first: u32, vertices: &mut Vec<DVec3>, triangles: &mut Vec<[u32; 3]>) {
    const CELLS: usize = 4;
    let sides = [
        (dvec3(0.0, 0.0, 0.0), DVec3::X, DVec3::Y),
        (dvec3(half, 0.0, half), DVec3::Y, DVec3::Z),
        (dvec3(-half, 0.0, half), DVec3::Y, DVec3::Z),
        (dvec3(0.0, half, half), DVec3::Z, DVec3::X),
        (dvec3(0.0, -half, half), DVec3::Z, DVec3::X),
    ];
    let mut first = first;
    for (center, u, v) in sides {
        for i in 0..=CELLS {
            for j in 0..=CELLS {
                let at = |k: usize| (2.0 * k as f64 / CELLS as f64 - 1.0) * (half - 0.5 * GAP);
                vertices.push(center + u * at(i) + v * at(j));
            }
        }
        let row = CELLS as u32 + 1;
        for i in 0..CELLS as u32 {
            for j in 0..CELLS as u32 {
                let corner = first + i * row + j;
                triangles.push([corner, corner + row, corner + 1]);
                triangles.push([corner + row + 1, corner + 1, corner + row]);
            }
        }
        first += row * row;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::deformable::{Settings, Start};
    use firsttouch::{Answer, Mode, Options};

    /// Frames never cross. Between frames there are also few touches, but a crowd that flies on straight does touch.
    #[test]
    fn flattened_balls_never_cross() {
        let mut crowd = Nbody::new(Crowd { balls: 80, triangles: 80, ..Crowd::default() }).unwrap();
        let (mut free, mut touches) = (0, 0);
        for frame in 0..40 {
            let straight = crowd.step();
            let t0 = crowd.positions();
            crowd.advance();
            let frames = Frames { t0, t1: crowd.positions(), triangles: crowd.triangles().to_vec() };
            let mesh = frames.build(Settings::default()).unwrap();
            let report = mesh.check(&Options::default(), Start::Report).unwrap();
            assert_eq!(report.crossings_at_start, Some(0), "frame {frame}");
            free += usize::from(report.answer == Answer::Free);
            let mesh = straight.build(Settings::default()).unwrap();
            let all = Options { mode: Mode::All, ..Options::default() };
            touches += mesh.check(&all, Start::Report).unwrap().touches.len();
        }
        let height = crowd.balls.iter().map(|ball| ball.center.z).fold(0.0, f64::max);
        assert!(free > 20 && touches > 1000, "{free} {touches}");
        assert!(height < 6.0, "{height}");
    }

    #[test]
    fn as_large_as_in_the_paper() {
        let crowd = Nbody::new(Crowd::default()).unwrap();
        assert_eq!(crowd.triangles().len(), 145_200);
    }
}
