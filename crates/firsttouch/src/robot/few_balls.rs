//! A few balls about a link, for guesses.
//!
//! The problem: for each motion that it keeps, a planner tests thousands of places of a robot. Balls decide such a test
//! in a few instructions, and need not be exact.
//!
//! 1. A ball and a capsule are balls as they are; a compound has those of its pieces.
//! 2. Any other part is sampled: points on its surface, with outward normals. Of a convex solid, the surface is the
//!    hull of its support points.
//! 3. The candidates are balls around the points of a grid inside of the part, each of which sticks out of the surface
//!    by a given share of the part's size. Balls around the samples, whose radius is the same share of the size, are
//!    candidates as well.
//! 4. The candidate that covers the most samples is taken, until all samples are covered. If that takes more than
//!    [`MOST_BALLS`], the balls may stick out farther.
//! 5. Each ball shrinks to the samples that no other ball covers.
//!
//! Guarantee: none. Nothing may be proven with these balls.
//!
//! A link caches its balls: they follow from its parts, which never change.

use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::model::Link;
use crate::motion::PoseAt;
use crate::shape::{Convex, Hull, Mesh, Shape};

/// A part has at most this many balls, unless it needs more of the largest size. More balls are closer to the part and
/// take longer. With 14, balls about the hand of a Panda stick out so far that some places between shelves are only
/// found by proven motions.
const MOST_BALLS: usize = 40;

/// The distances by which a ball may stick out, as shares of half the diagonal of the part's box, tried in this order.
const STICK_OUT: [f64; 7] = [0.05, 0.07, 0.1, 0.14, 0.2, 0.3, 0.6];

/// The number of samples of a surface.
const SAMPLES: usize = 384;

/// The number of points of the grid along the longest side of the part's box.
const GRID: usize = 15;

/// A ball in the frame of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FewBall {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

/// The balls of a link, once they were needed.
#[derive(Debug, Clone, Default)]
pub(super) struct CachedBalls(OnceLock<Arc<[FewBall]>>);

/// The balls follow from the parts, which are compared.
impl PartialEq for CachedBalls {
    fn eq(&self, _: &CachedBalls) -> bool {
        true
    }
}

impl Link {
    /// Returns a few balls about the link, in its frame. They only guess where the link is.
    pub(crate) fn few_balls(&self) -> &[FewBall] {
        self.few_balls.0.get_or_init(|| {
            let of_part = |part: &super::LinkPart| moved(fit(&part.shape), &part.pose.at());
            self.parts.iter().flat_map(of_part).collect()
        })
    }
}

fn moved(mut balls: Vec<FewBall>, pose: &PoseAt) -> Vec<FewBall> {
    balls.iter_mut().for_each(|ball| ball.center = pose.apply(ball.center));
    balls
}

/// Returns the balls of a shape, in its frame.
fn fit(shape: &Shape) -> Vec<FewBall> {
    match shape {
        Shape::Sphere(sphere) => vec![FewBall { center: DVec3::ZERO, radius: sphere.radius() }],
        Shape::Capsule(capsule) => {
            let (radius, length) = (capsule.radius(), capsule.length());
            let steps = (length / (0.8 * radius)).ceil().clamp(1.0, 30.0);
            // Between two balls the surface is half a step away from either centre.
            let half_step = 0.5 * length / steps;
            let radius = (radius * radius + half_step * half_step).sqrt();
            let at = |k: usize| DVec3::Z * (length * (k as f64 / steps - 0.5));
            (0..=steps as usize).map(|k| FewBall { center: at(k), radius }).collect()
        }
        Shape::Compound(compound) => (0..compound.len()).flat_map(|k| fit_piece(compound.piece(k))).collect(),
        Shape::Mesh(mesh) => Samples::of_mesh(mesh).balls(),
        Shape::SolidMesh(solid) => Samples::of_mesh(solid.mesh()).balls(),
        // No link carries it.
        Shape::HalfSpace(_) => Vec::new(),
        Shape::PointCloud(_) | Shape::Octree(_) | Shape::HeightField(_) => {
            shape.as_hierarchy().map(|boxes| Samples::of_boxes(boxes).balls()).unwrap_or_default()
        }
        Shape::Box(_)
        | Shape::Cylinder(_)
        | Shape::Ellipsoid(_)
        | Shape::Hull(_)
        | Shape::Custom(_)
        | Shape::Cone(_) => shape.as_convex().map(fit_convex).unwrap_or_default(),
    }
}

fn fit_piece(piece: &(dyn Convex + Send + Sync)) -> Vec<FewBall> {
    match piece.as_placed() {
        Some(placed) => {
            let pose = PoseAt {
                rotation: glam::DMat3::from_quat(placed.rotation()),
                translation: placed.translation(),
            };
            moved(fit(placed.shape()), &pose)
        }
        None => fit_convex(piece),
    }
}

fn fit_convex(solid: &(dyn Convex + Sync)) -> Vec<FewBall> {
    let points: Vec<DVec3> = directions(6).into_iter().map(|n| solid.support(n)).collect();
    let Ok(hull) = Hull::new(&points) else { return Vec::new() };
    let corner = |k: u32| hull.vertices()[k as usize];
    let triangles: Vec<[DVec3; 3]> = hull.faces().iter().map(|face| face.map(corner)).collect();
    let mut samples = Samples::of_triangles(&triangles, triangles.len());
    let (center, half) = solid.bounds();
    samples.bounds = (center, half);
    samples.add_extremes(&points);
    // The margin of a rounded solid lies outside of its support points.
    let margin = solid.margin();
    let mut balls = samples.balls();
    balls.iter_mut().for_each(|ball| ball.radius += margin);
    balls
}

/// Returns unit vectors to a grid of `side · side` points on each side of a cube.
fn directions(side: usize) -> Vec<DVec3> {
    let place = |k: usize| (2 * k + 1) as f64 / side as f64 - 1.0;
    let mut found = Vec::with_capacity(6 * side * side);
    for i in 0..side * side {
        let (u, v) = (place(i / side), place(i % side));
        for w in [1.0, -1.0] {
            found.extend(
                [DVec3::new(w, u, v), DVec3::new(u, w, v), DVec3::new(u, v, w)].map(DVec3::normalize),
            );
        }
    }
    found
}

/// Points on a surface.
struct Samples {
    points: Vec<DVec3>,
    /// The outward normal at each point; zero where there is none.
    normals: Vec<DVec3>,
    /// The centre and half the sides of a box around the part.
    bounds: (DVec3, DVec3),
}

impl Samples {
    fn of_mesh(mesh: &Mesh) -> Samples {
        let corner = |k: u32| mesh.vertices()[k as usize];
        let triangles: Vec<[DVec3; 3]> = mesh.triangles().iter().map(|ids| ids.map(corner)).collect();
        let mut samples = Samples::of_triangles(&triangles, SAMPLES);
        samples.bounds = mesh.bounds();
        samples.add_extremes(triangles.as_flattened());
        samples
    }

    /// Samples in proportion to the areas. The normals point outwards if the triangles are oriented and closed.
    fn of_triangles(triangles: &[[DVec3; 3]], at_least: usize) -> Samples {
        let area = |[a, b, c]: &[DVec3; 3]| (b - a).cross(c - a);
        let total: f64 = triangles.iter().map(|triangle| area(triangle).length()).sum();
        let volume: f64 = triangles.iter().map(|[a, b, c]| a.dot(b.cross(*c))).sum();
        let sign = if volume < 0.0 { -1.0 } else { 1.0 };
        let step = total / at_least.clamp(SAMPLES, 4 * SAMPLES) as f64;
        let mut samples = Samples { points: vec![], normals: vec![], bounds: (DVec3::ZERO, DVec3::ZERO) };
        let mut due = 0.5 * step;
        for triangle @ [a, b, c] in triangles {
            let normal = area(triangle);
            let size = normal.length();
            due -= size;
            while due < 0.0 && step > 0.0 {
                due += step;
                // A sequence of low discrepancy: multiples of powers of the plastic number.
                let k = samples.points.len() as f64;
                let [mut u, mut v] =
                    [0.754_877_666_246_692_7, 0.569_840_290_998_053_2].map(|x| (k * x).fract());
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                samples.points.push(a + (b - a) * u + (c - a) * v);
                samples.normals.push(normal * (sign / size));
            }
        }
        samples
    }

    /// Returns the leaves of a hierarchy, or the upper nodes of a large one.
    fn of_boxes(boxes: &dyn crate::shape::hierarchy::Hierarchy) -> Samples {
        let mut open = vec![0];
        let mut next = 0;
        while next < open.len() && open.len() < 2 * SAMPLES {
            match boxes.children(open[next]) {
                Some(children) => {
                    open.swap_remove(next);
                    open.extend(children);
                }
                None => next += 1,
            }
        }
        let whole = boxes.node_box(0);
        let points: Vec<DVec3> = open.iter().map(|&node| boxes.node_box(node).center).collect();
        Samples { normals: vec![DVec3::ZERO; points.len()], points, bounds: (whole.center, whole.half) }
    }

    /// Adds the corners that are highest along 26 directions: a surface is sampled inside of its triangles.
    fn add_extremes(&mut self, corners: &[DVec3]) {
        for n in (0..27).filter(|&k| k != 13) {
            let n = DVec3::new((n / 9) as f64 - 1.0, (n / 3 % 3) as f64 - 1.0, (n % 3) as f64 - 1.0);
            let highest = corners.iter().max_by(|a, b| a.dot(n).total_cmp(&b.dot(n)));
            if let Some(&corner) = highest
                && !self.points.contains(&corner)
            {
                self.points.push(corner);
                self.normals.push(n.normalize());
            }
        }
    }

    /// Returns the nearest sample, and the square of its distance.
    fn nearest(&self, point: DVec3) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for (k, sample) in self.points.iter().enumerate() {
            let square = sample.distance_squared(point);
            if square < best.1 {
                best = (k, square);
            }
        }
        best
    }

    /// Steps 3 to 5.
    fn balls(&self) -> Vec<FewBall> {
        let (center, half) = self.bounds;
        let size = half.length();
        if self.points.is_empty() || size == 0.0 {
            return vec![FewBall { center, radius: size }];
        }
        let inside = self.inside();
        let mut balls = Vec::new();
        for share in STICK_OUT {
            balls = self.cover(&inside, share * size);
            if balls.len() <= MOST_BALLS {
                break;
            }
        }
        self.shrink(&mut balls);
        balls
    }

    /// Returns the points of the grid inside of the part, each with its distance from the surface.
    fn inside(&self) -> Vec<(DVec3, f64)> {
        let (center, half) = self.bounds;
        let cell = 2.0 * half.max_element() / GRID as f64;
        let count = (half * 2.0 / cell).ceil().max(DVec3::splat(3.0)); // not a bound: a count
        let step = half * 2.0 / count;
        let [nx, ny, nz] = count.to_array().map(|n| n as usize);
        let mut found = Vec::new();
        for k in 0..nx * ny * nz {
            let at = DVec3::new((k / (ny * nz)) as f64, (k / nz % ny) as f64, (k % nz) as f64);
            let point = center - half + step * (at + DVec3::splat(0.5));
            let (nearest, square) = self.nearest(point);
            if (point - self.points[nearest]).dot(self.normals[nearest]) < 0.0 {
                found.push((point, square.sqrt()));
            }
        }
        found
    }

    /// Step 4: balls that stick out by `out` and cover all samples.
    fn cover(&self, inside: &[(DVec3, f64)], out: f64) -> Vec<FewBall> {
        let words = self.points.len().div_ceil(64);
        let of_surface = self.points.iter().map(|&point| FewBall { center: point, radius: out });
        let of_inside = inside.iter().map(|&(center, depth)| FewBall { center, radius: depth + out });
        let candidates: Vec<FewBall> = of_inside.chain(of_surface).collect();
        let mut covers = vec![0_u64; words * candidates.len()];
        for (ball, covers) in candidates.iter().zip(covers.chunks_exact_mut(words)) {
            let square = ball.radius * ball.radius;
            for (k, point) in self.points.iter().enumerate() {
                covers[k / 64] |= u64::from(point.distance_squared(ball.center) <= square) << (k % 64);
            }
        }
        let mut open = vec![u64::MAX; words];
        if !self.points.len().is_multiple_of(64) {
            open[words - 1] = (1 << (self.points.len() % 64)) - 1;
        }
        let mut chosen = Vec::new();
        while open.iter().any(|&word| word != 0) {
            let gain = |covers: &[u64]| {
                covers.iter().zip(&open).map(|(covers, open)| (covers & open).count_ones()).sum::<u32>()
            };
            let mut best = (0, 0);
            for (k, covers) in covers.chunks_exact(words).enumerate() {
                let gain = gain(covers);
                if gain > best.0 {
                    best = (gain, k);
                }
            }
            // A ball about an open sample covers that at least.
            if best.0 == 0 {
                break;
            }
            chosen.push(candidates[best.1]);
            open.iter_mut().zip(&covers[words * best.1..]).for_each(|(open, covers)| *open &= !covers);
        }
        chosen
    }

    /// Step 5.
    fn shrink(&self, balls: &mut [FewBall]) {
        for k in 0..balls.len() {
            let is_covered = |point: DVec3| {
                let covers = |(i, ball): (usize, &FewBall)| {
                    i != k && ball.center.distance_squared(point) <= ball.radius * ball.radius
                };
                balls.iter().enumerate().any(covers)
            };
            let ball = balls[k];
            let mut square: f64 = 0.0;
            for &point in &self.points {
                let distance = point.distance_squared(ball.center);
                if distance <= ball.radius * ball.radius && distance > square && !is_covered(point) {
                    square = distance;
                }
            }
            balls[k].radius = square.sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Cuboid, Cylinder, Ellipsoid};

    /// The balls of solids cover their surfaces, are few, and do not stick out far.
    #[test]
    fn a_few_balls_cover_a_solid() {
        let shapes: [Shape; 4] = [
            Cuboid::new(DVec3::new(2.0, 1.0, 0.5)).unwrap().into(),
            Cuboid::new(DVec3::new(4.0, 0.4, 0.4)).unwrap().into(),
            Cylinder::new(0.5, 3.0).unwrap().into(),
            Ellipsoid::new(DVec3::new(1.0, 0.5, 0.7)).unwrap().into(),
        ];
        for shape in &shapes {
            let balls = fit(shape);
            let solid = shape.as_convex().unwrap();
            let size = solid.bounds().1.length();
            assert!((2..=MOST_BALLS).contains(&balls.len()), "{} {}", shape.kind(), balls.len());
            for n in directions(12) {
                let point = solid.support(n);
                let outside = balls
                    .iter()
                    .map(|ball| ball.center.distance(point) - ball.radius)
                    .fold(f64::INFINITY, f64::min);
                assert!(outside < 0.05 * size, "{} {outside}", shape.kind());
                let extent = balls.iter().map(|ball| ball.center.dot(n) + ball.radius).fold(0.0, f64::max);
                assert!(extent <= solid.extent(n) + 0.3 * size, "{} {n}", shape.kind());
            }
        }
    }
}
