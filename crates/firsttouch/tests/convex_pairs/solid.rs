//! Convex solids for the oracle: an inequality that separates inside from outside, the nearest point, and the farthest
//! point in a direction. These are closed formulas or loops over all faces, and none of the searches that the library
//! does.

use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Shape, Sphere};
use glam::{DVec2, DVec3};

#[derive(Clone, Debug)]
pub enum Solid {
    Box(DVec3),
    Sphere(f64),
    /// Radius and half the length of the straight part.
    Capsule(f64, f64),
    /// Radius and half the length.
    Cylinder(f64, f64),
    Ellipsoid(DVec3),
    Hull(Polytope),
}

#[derive(Clone, Debug)]
pub struct Polytope {
    pub points: Vec<DVec3>,
    /// Every triangle of points with all the others on one side, with its outward normal.
    facets: Vec<([DVec3; 3], DVec3)>,
}

impl Polytope {
    pub fn new(points: Vec<DVec3>) -> Polytope {
        let mut facets = Vec::new();
        let size = points.iter().fold(0.0_f64, |m, p| m.max(p.length()));
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                for k in j + 1..points.len() {
                    let normal = (points[j] - points[i]).cross(points[k] - points[i]).normalize_or_zero();
                    if normal == DVec3::ZERO {
                        continue;
                    }
                    let heights = || points.iter().map(|p| normal.dot(*p - points[i]));
                    let slack = 1e-14 * size;
                    for sign in [1.0, -1.0] {
                        if heights().all(|h| sign * h <= slack) {
                            facets.push(([points[i], points[j], points[k]], normal * sign));
                        }
                    }
                }
            }
        }
        Polytope { points, facets }
    }
}

impl Solid {
    pub fn shape(&self) -> Shape {
        match self {
            Solid::Box(half) => Cuboid::new(2.0 * *half).unwrap().into(),
            Solid::Sphere(r) => Sphere::new(*r).unwrap().into(),
            Solid::Capsule(r, h) => Capsule::new(*r, 2.0 * h).unwrap().into(),
            Solid::Cylinder(r, h) => Cylinder::new(*r, 2.0 * h).unwrap().into(),
            Solid::Ellipsoid(a) => Ellipsoid::new(*a).unwrap().into(),
            Solid::Hull(polytope) => Hull::new(&polytope.points).unwrap().into(),
        }
    }

    /// Returns the solid with every length multiplied.
    pub fn scaled(&self, by: f64) -> Solid {
        match self {
            Solid::Box(half) => Solid::Box(*half * by),
            Solid::Sphere(r) => Solid::Sphere(r * by),
            Solid::Capsule(r, h) => Solid::Capsule(r * by, h * by),
            Solid::Cylinder(r, h) => Solid::Cylinder(r * by, h * by),
            Solid::Ellipsoid(a) => Solid::Ellipsoid(*a * by),
            Solid::Hull(p) => Solid::Hull(Polytope::new(p.points.iter().map(|x| *x * by).collect())),
        }
    }

    /// Returns the radius of the smallest ball about the origin that contains the solid.
    pub fn radius(&self) -> f64 {
        match self {
            Solid::Box(half) => half.length(),
            Solid::Sphere(r) => *r,
            Solid::Capsule(r, h) => r + h,
            Solid::Cylinder(r, h) => r.hypot(*h),
            Solid::Ellipsoid(a) => a.max_element(),
            Solid::Hull(p) => p.points.iter().fold(0.0, |m, x| m.max(x.length())),
        }
    }

    /// Returns the largest `d · x` over the solid.
    pub fn extent(&self, d: DVec3) -> f64 {
        match self {
            Solid::Box(half) => half.x * d.x.abs() + half.y * d.y.abs() + half.z * d.z.abs(),
            Solid::Sphere(r) => r * d.length(),
            Solid::Capsule(r, h) => r * d.length() + h * d.z.abs(),
            Solid::Cylinder(r, h) => r * d.x.hypot(d.y) + h * d.z.abs(),
            Solid::Ellipsoid(a) => (*a * d).length(),
            Solid::Hull(p) => p.points.iter().fold(f64::NEG_INFINITY, |m, x| m.max(x.dot(d))),
        }
    }

    /// Returns the normals of the flat faces and the directions of the straight edges.
    pub fn facets(&self) -> (Vec<DVec3>, Vec<DVec3>) {
        let axes = vec![DVec3::X, DVec3::Y, DVec3::Z];
        match self {
            Solid::Box(_) => (axes.clone(), axes),
            Solid::Hull(p) => (
                p.facets.iter().map(|f| f.1).collect(),
                p.facets
                    .iter()
                    .flat_map(|(c, _)| [c[1] - c[0], c[2] - c[1], c[0] - c[2]])
                    .map(|e| e.normalize_or_zero())
                    .collect(),
            ),
            Solid::Cylinder(..) => (vec![DVec3::Z], vec![DVec3::Z]),
            Solid::Capsule(..) => (vec![], vec![DVec3::Z]),
            Solid::Sphere(_) | Solid::Ellipsoid(_) => (vec![], vec![]),
        }
    }

    /// Returns how far `x` is outside, or 0 inside.
    pub fn outside(&self, x: DVec3) -> f64 {
        (self.nearest(x) - x).length()
    }

    /// Returns the point of the solid nearest to `x`.
    pub fn nearest(&self, x: DVec3) -> DVec3 {
        match self {
            Solid::Box(half) => x.clamp(-*half, *half),
            Solid::Sphere(r) => ball(x, DVec3::ZERO, *r),
            Solid::Capsule(r, h) => ball(x, DVec3::new(0.0, 0.0, x.z.clamp(-h, *h)), *r),
            Solid::Cylinder(r, h) => {
                let across = DVec2::new(x.x, x.y);
                let distance = across.length();
                let across = if distance > *r { across * (r / distance) } else { across };
                across.extend(x.z.clamp(-h, *h))
            }
            Solid::Ellipsoid(a) => ellipsoid(*a, x),
            Solid::Hull(p) => polytope(p, x),
        }
    }
}

fn ball(x: DVec3, center: DVec3, radius: f64) -> DVec3 {
    let off = x - center;
    let distance = off.length();
    if distance > radius { center + off * (radius / distance) } else { x }
}

/// Returns the nearest point, `a² x / (a² + λ)` with the root `λ >= 0` of `Σ (a x / (a² + λ))² = 1`, a decreasing
/// convex function of `λ`: Newton's steps from below never pass the root.
fn ellipsoid(a: DVec3, x: DVec3) -> DVec3 {
    let scaled = x / a;
    if scaled.length_squared() <= 1.0 {
        return x;
    }
    let square = a * a;
    let (ax, mut lambda) = (a * x, 0.0);
    for _ in 0..100 {
        let term = ax / (square + lambda);
        let value = term.length_squared() - 1.0;
        let slope = -2.0 * (term * term / (square + lambda)).element_sum();
        let step = -value / slope;
        lambda += step;
        if step.abs() <= 1e-16 * lambda || value <= 0.0 {
            break;
        }
    }
    let y = square * x / (square + lambda);
    // Project onto the surface, for any error of the root.
    let off = (y / a).length();
    if off > 1.0 { y / off } else { y }
}

fn polytope(p: &Polytope, x: DVec3) -> DVec3 {
    let full = p.facets.len() > 2;
    if full && p.facets.iter().all(|(corners, normal)| normal.dot(x - corners[0]) <= 0.0) {
        return x;
    }
    let mut best = (f64::INFINITY, p.points[0]);
    for (corners, normal) in &p.facets {
        // A facet that x does not see, or whose plane is farther away than the best point, cannot hold the nearest
        // point.
        let height = normal.dot(x - corners[0]);
        if full && (height <= 0.0 || height * height >= best.0) {
            continue;
        }
        let y = triangle(corners, *normal, x);
        let distance = y.distance_squared(x);
        if distance < best.0 {
            best = (distance, y);
        }
    }
    best.1
}

fn triangle(c: &[DVec3; 3], normal: DVec3, x: DVec3) -> DVec3 {
    let foot = x - normal * normal.dot(x - c[0]);
    let side = |i: usize| normal.dot((c[(i + 1) % 3] - c[i]).cross(foot - c[i]));
    let sides = [side(0), side(1), side(2)];
    if sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0) {
        return foot;
    }
    let edge = |i: usize| {
        let (from, along) = (c[i], c[(i + 1) % 3] - c[i]);
        from + along * ((x - from).dot(along) / along.length_squared()).clamp(0.0, 1.0)
    };
    [edge(0), edge(1), edge(2)]
        .into_iter()
        .min_by(|p, q| p.distance_squared(x).total_cmp(&q.distance_squared(x)))
        .unwrap()
}
