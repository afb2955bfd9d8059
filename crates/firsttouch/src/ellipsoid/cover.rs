//! A set of ellipsoids around a shape, each proven to contain its share: bounds of meshes, and of the links of a robot,
//! for the engines that are fastest on ellipsoids.
//!
//! 1. Every shape starts as one piece with one ellipsoid. It is the smallest around the corners of a mesh, a hull or a
//!    box (`fit`, on the corners of their convex hull), or a closed form for a capsule or a cylinder. A ball or an
//!    ellipsoid is its own ellipsoid.
//! 2. The piece with the largest ellipsoid is divided across each of the three axes of that ellipsoid, through its
//!    centre. The division whose ellipsoids are smallest, by total volume times greatest length, is kept if it saves
//!    enough volume. Otherwise the piece stays as it is. (The smallest ellipsoids around the halves of a box or a
//!    cylinder have half the volume of the one around the whole. This saves no volume, but their ends stick out half as
//!    far. Hence the length.)
//! 3. Step 2 repeats until the requested number is reached, or no piece is worth dividing. More ellipsoids refine a set
//!    of fewer: the total volume never grows, up to the accuracy of [`enclosing`](super::enclosing), one part in a
//!    thousand.
//!
//! # Why the ellipsoids contain the shape
//! - *Meshes.* A triangle belongs to one piece. All its corners are proven inside, hence all of it.
//! - *Hulls and boxes*, solid: `P = conv V`. Divide the corners into two colours in any way, and take a point on each
//!   edge between two colours. Let `L` and `R` be the corners of each colour with all these points. Then
//!   `P ⊆ conv L ∪ conv R`. Proof: let `x` of `P` be outside `conv L`. Then some half-space `H` contains `x` and no
//!   point of `L`. The part of `P` in `H` is the hull of two sets. One set are the corners in `H`, which are all of the
//!   colour of `R`. The other are the crossings of edges with the plane of `H`, from a corner in `H` to a corner
//!   outside. If the corner outside also has the colour of `R`, the crossing is between two points of `R`. If not, the
//!   point taken on the edge is not in `H`, and the crossing is between the corner in `H` and that point, both in `R`.
//!   So the whole part, including `x`, is in `conv R`.
//! - *Capsules and cylinders* are divided along their axis into shorter ones. A cylinder of radius `r` and half length
//!   `h` has its rim on the ellipsoid with `a² = 3/2 r²` and `c² = 3 h²`, the smallest. A capsule is inside if the
//!   support functions satisfy `(r + h |z|)² <= a² (1 − z²) + c² z²` at every slope `z = n_z`. The difference is a
//!   quadratic in `|z|` that is never negative if `(a² − r²) (c² − a² − h²) >= r² h²` with both factors positive. A
//!   search finds the best `a`, and the condition is proven.
//!
//! **Rounding.** Placing a shape in a link's frame and cutting edges moves points by a little; each piece carries a
//! bound of that, and the proof is for all points within it.

use glam::DVec3;

use super::fit::enclosing_padded;
use crate::error::{Error, Result};
use crate::motion::Pose;
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::portable::power_of_two;
use crate::numerics::rounding::UNIT;
use crate::numerics::{Interval, IntervalMat3, IntervalTransform, IntervalVec3};
use crate::shape::{Ellipsoid, Hull, Shape};

/// The resolution of a cover.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoverOptions {
    /// The largest number of ellipsoids; but every shape has at least one.
    pub most: usize,
    /// The least relative gain in volume for which a piece is divided. With zero, the smallest value, a piece is
    /// divided unless the volume grows.
    pub least_gain: f64,
}

impl Default for CoverOptions {
    /// Returns options for eight ellipsoids and any gain.
    fn default() -> CoverOptions {
        CoverOptions { most: 8, least_gain: 0.0 }
    }
}

/// An ellipsoid of a cover.
#[derive(Debug, Clone, PartialEq)]
pub struct CoverPiece {
    /// The ellipsoid.
    pub shape: Ellipsoid,
    /// The pose in the frame of the covered shape.
    pub pose: Pose,
    /// The index of the covered shape: 0 for a single shape.
    pub part: usize,
    /// The triangles of a mesh that are inside, in order; empty for a solid.
    pub triangles: Vec<u32>,
}

/// Returns ellipsoids that contain a shape, in its frame.
///
/// ```
/// use firsttouch::ellipsoid::{CoverOptions, cover};
/// use firsttouch::shape::{Cuboid, Shape};
/// use glam::DVec3;
/// // A rod of length 8 in one ellipsoid, whose longest semi-axis is sqrt(3) half lengths, and in two.
/// let rod = Shape::from(Cuboid::new(DVec3::new(8.0, 1.0, 1.0))?);
/// let longest = |most: usize| -> firsttouch::Result<f64> {
///     let pieces = cover(&rod, &CoverOptions { most, ..CoverOptions::default() })?;
///     assert_eq!(pieces.len(), most);
///     Ok(pieces[0].shape.semi_axes().max_element())
/// };
/// assert!((longest(1)? - 4.0 * 3.0_f64.sqrt()).abs() < 1e-2);
/// assert!((longest(2)? - 2.0 * 3.0_f64.sqrt()).abs() < 1e-2);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn cover(shape: &Shape, options: &CoverOptions) -> Result<Vec<CoverPiece>> {
    cover_all([(shape, Pose::IDENTITY)], options)
}

/// Returns ellipsoids that contain several shapes, each in its pose; for a robot, see
/// [`Link::ellipsoids`](crate::articulated::Link::ellipsoids).
///
/// ```
/// use firsttouch::ellipsoid::{CoverOptions, cover_all};
/// use firsttouch::motion::Pose;
/// use firsttouch::shape::{Shape, Sphere};
/// use glam::DVec3;
/// let ball = Shape::from(Sphere::new(0.5)?);
/// let shapes = [(&ball, Pose::IDENTITY), (&ball, Pose::from_translation(DVec3::X)?)];
/// let pieces = cover_all(shapes, &CoverOptions::default())?;
/// assert_eq!((pieces.len(), pieces[1].part), (2, 1));
/// assert_eq!(pieces[1].pose.translation(), DVec3::X);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn cover_all<'a>(
    shapes: impl IntoIterator<Item = (&'a Shape, Pose)>,
    options: &CoverOptions,
) -> Result<Vec<CoverPiece>> {
    let parts = shapes.into_iter().map(|(shape, pose)| Part::new(shape, pose)).collect::<Result<Vec<_>>>()?;
    let mut pieces = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let content = part.content();
        let (shape, pose) = part.fit(&content)?;
        pieces.push(Piece { part: index, content, shape, pose, is_final: false });
    }
    // In units of the largest, no volume overflows.
    let unit = largest_upper(pieces.iter().map(|piece| piece.shape.semi_axes().max_element()));
    let volume = |shape: &Ellipsoid| (shape.semi_axes() / unit).element_product();
    while pieces.len() < options.most {
        let open = pieces.iter().enumerate().filter(|(_, piece)| !piece.is_final);
        let largest = open.max_by(|(_, p), (_, q)| volume(&p.shape).total_cmp(&volume(&q.shape)));
        let Some((index, piece)) = largest else { break };
        let total = |halves: &[Piece; 2]| volume(&halves[0].shape) + volume(&halves[1].shape);
        let length = |halves: &[Piece; 2]| {
            let [p, q] = halves.each_ref().map(|half| half.shape.semi_axes().max_element());
            p.max(q) / unit // not a bound: a score
        };
        let score = |halves: &[Piece; 2]| total(halves) * length(halves);
        let ways = parts[piece.part].halves(piece)?;
        let best = ways.into_iter().min_by(|p, q| score(p).total_cmp(&score(q)));
        let enough = (1.0 + FIT_ACCURACY - options.least_gain) * volume(&piece.shape);
        match best.filter(|halves| total(halves) <= enough) {
            Some([first, second]) => {
                pieces[index] = first;
                pieces.push(second);
            }
            None => pieces[index].is_final = true,
        }
    }
    let named = |piece: Piece| CoverPiece {
        shape: piece.shape,
        pose: piece.pose,
        part: piece.part,
        triangles: match piece.content {
            Content::Triangles(members) => members,
            _ => Vec::new(),
        },
    };
    Ok(pieces.into_iter().map(named).collect())
}

/// More than the part by which the volume of [`enclosing`](super::enclosing) may be above the least.
const FIT_ACCURACY: f64 = 1e-3;

/// A share of a shape with its ellipsoid.
struct Piece {
    part: usize,
    content: Content,
    shape: Ellipsoid,
    pose: Pose,
    /// True if the piece is not worth dividing.
    is_final: bool,
}

enum Content {
    /// Triangles of the shape's mesh, in order.
    Triangles(Vec<u32>),
    /// The hull of points, up to `pad` in each coordinate.
    Polytope { points: Vec<DVec3>, pad: f64 },
    /// A capsule or cylinder between two heights of its axis.
    Between([f64; 2]),
    /// A ball or an ellipsoid.
    Whole,
}

/// A placed shape.
struct Part<'a> {
    shape: &'a Shape,
    pose: Pose,
    placement: IntervalTransform,
    /// The vertices of a mesh or a hull, placed, up to `pad` in each coordinate.
    points: Vec<DVec3>,
    pad: f64,
}

impl<'a> Part<'a> {
    fn new(shape: &'a Shape, pose: Pose) -> Result<Part<'a>> {
        let placement = IntervalTransform {
            rotation: IntervalMat3::from_quat(pose.rotation())?,
            translation: IntervalVec3::constant(pose.translation()),
        };
        let mut part = Part { shape, pose, placement, points: Vec::new(), pad: 0.0 };
        let corner = |half: DVec3, k: u32| {
            half * DVec3::from_array([0, 1, 2].map(|i| (k >> i & 1) as f64 * 2.0 - 1.0))
        };
        let vertices: Vec<DVec3> = match shape {
            Shape::Mesh(mesh) => mesh.vertices().to_vec(),
            Shape::Hull(hull) => hull.vertices().to_vec(),
            Shape::Box(cuboid) => (0..8).map(|k| corner(cuboid.half(), k)).collect(),
            Shape::SolidMesh(solid) => solid.mesh().hull().vertices().to_vec(),
            Shape::HalfSpace(_) => {
                return Err(Error::Unsupported { what: "ellipsoids around a half-space".into() });
            }
            Shape::Custom(_)
            | Shape::Compound(_)
            | Shape::Cone(_)
            | Shape::PointCloud(_)
            | Shape::Octree(_)
            | Shape::HeightField(_) => {
                // The corners of the box around the shape, enlarged by more than their rounding.
                let (center, half) = shape.bounds();
                let half = half + 8.0 * UNIT * (center.abs() + half);
                (0..8).map(|k| center + corner(half, k)).collect()
            }
            Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Ellipsoid(_) => Vec::new(),
        };
        for vertex in vertices {
            let (point, error) = part.place(vertex);
            part.points.push(point);
            part.pad = upper_max(part.pad, error);
        }
        Ok(part)
    }

    /// Returns the place of a point of the shape, and a bound of the error of each coordinate.
    fn place(&self, point: DVec3) -> (DVec3, f64) {
        let range = self.placement.apply(point).range();
        let middle = range.map(Interval::mid);
        let error = largest_upper(range.map(Interval::radius));
        (DVec3::from_array(middle), error)
    }

    /// Returns the whole shape as the content of a piece.
    fn content(&self) -> Content {
        match self.shape {
            Shape::Mesh(mesh) => Content::Triangles((0..mesh.triangles().len() as u32).collect()),
            Shape::Hull(_)
            | Shape::Box(_)
            | Shape::Custom(_)
            | Shape::Compound(_)
            | Shape::Cone(_)
            | Shape::HalfSpace(_)
            | Shape::SolidMesh(_)
            | Shape::PointCloud(_)
            | Shape::Octree(_)
            | Shape::HeightField(_) => Content::Polytope { points: self.points.clone(), pad: self.pad },
            Shape::Capsule(capsule) => Content::Between([-0.5 * capsule.length(), 0.5 * capsule.length()]),
            Shape::Cylinder(cylinder) => {
                Content::Between([-0.5 * cylinder.length(), 0.5 * cylinder.length()])
            }
            Shape::Sphere(_) | Shape::Ellipsoid(_) => Content::Whole,
        }
    }

    fn fit(&self, content: &Content) -> Result<(Ellipsoid, Pose)> {
        match content {
            Content::Triangles(members) => {
                let corners: Vec<DVec3> = self.corners(members).collect();
                enclosing_padded(Hull::new(&corners)?.vertices(), self.pad)
            }
            Content::Polytope { points, pad } => enclosing_padded(points, *pad),
            Content::Between([low, high]) => {
                // The half length about the rounded centre, not shorter than the exact one.
                let center = 0.5 * (low + high);
                let half = upper_max(high - center, center - low).next_up();
                let axes = match self.shape {
                    Shape::Capsule(capsule) => around_capsule(capsule.radius(), half),
                    Shape::Cylinder(cylinder) => around_cylinder(cylinder.radius(), half),
                    _ => self.own_axes(),
                };
                let (center, error) = self.place(DVec3::Z * center);
                let pose = Pose::new(center, self.pose.rotation())?;
                // An ellipsoid moved by d is inside the ellipsoid enlarged by the factor 1 + d / (its least semi-axis).
                // The pose may normalise its quaternion again, which turns it by a rounding.
                let turned = self.turned_by(&pose, axes)?;
                let axes = axes * ((1.0 + 2.0 * error / axes.min_element()) * turned * (1.0 + 8.0 * UNIT));
                Ok((Ellipsoid::new(axes)?, pose))
            }
            Content::Whole => Ok((Ellipsoid::new(self.own_axes())?, self.pose)),
        }
    }

    /// Returns a factor `λ`. An ellipsoid in the frame of a pose, enlarged by `λ`, contains the ellipsoid with the same
    /// semi-axes in the frame of this part.
    ///
    /// With `E` the rotation from one frame to the other and `D` the semi-axes, a point `D y`, `|y| <= 1`, is at
    /// `E D y` in the other frame, which is inside `λ D` if `|D⁻¹ E D| <= λ`. The norm is at most one more than the
    /// norm of `D⁻¹ (E − I) D`, which is at most the sum of the sizes of its entries.
    fn turned_by(&self, pose: &Pose, axes: DVec3) -> Result<f64> {
        if pose.rotation() == self.pose.rotation() {
            return Ok(1.0);
        }
        let (from, to) = (&self.placement.rotation, IntervalMat3::from_quat(pose.rotation())?);
        let mut sum = Interval::ONE;
        for i in 0..3 {
            for j in 0..3 {
                let unit = if i == j { Interval::ONE } else { Interval::ZERO };
                let entry = (0..3).fold(-unit, |sum, k| sum + to.0[k][i] * from.0[k][j]);
                sum = sum + Interval::point((entry * axes[j] / axes[i]).mag());
            }
        }
        Ok(sum.hi())
    }

    /// Returns the semi-axes of a ball or an ellipsoid. Other shapes have none, and their bounds are returned.
    fn own_axes(&self) -> DVec3 {
        match self.shape {
            Shape::Ellipsoid(ellipsoid) => ellipsoid.semi_axes(),
            other => other.bounds().1,
        }
    }

    fn corners<'b>(&'b self, members: &'b [u32]) -> impl Iterator<Item = DVec3> + 'b {
        let triangles = match self.shape {
            Shape::Mesh(mesh) => mesh.triangles(),
            _ => &[],
        };
        members.iter().flat_map(|&t| triangles[t as usize]).map(|v| self.points[v as usize])
    }

    /// Returns the ways to divide a piece, with their ellipsoids.
    fn halves(&self, piece: &Piece) -> Result<Vec<[Piece; 2]>> {
        let rotation = piece.pose.at().rotation;
        let center = piece.pose.translation();
        let mut ways: Vec<[Content; 2]> = Vec::new();
        match &piece.content {
            Content::Triangles(members) => {
                for axis in [rotation.x_axis, rotation.y_axis, rotation.z_axis] {
                    let is_low = |&t: &u32| {
                        self.corners(&[t]).map(|corner| axis.dot(corner - center)).sum::<f64>() <= 0.0
                    };
                    let (low, high): (Vec<u32>, Vec<u32>) = members.iter().copied().partition(is_low);
                    ways.push([Content::Triangles(low), Content::Triangles(high)]);
                }
                ways.retain(|way| {
                    way.iter().all(|half| matches!(half, Content::Triangles(members) if !members.is_empty()))
                });
            }
            Content::Polytope { points, pad } => {
                let hull = Hull::new(points)?;
                // A hull without edges cannot be cut.
                if hull.is_exact() && hull.dimension() == 3 {
                    for axis in [rotation.x_axis, rotation.y_axis, rotation.z_axis] {
                        ways.extend(cut(&hull, *pad, center, axis));
                    }
                }
            }
            Content::Between([low, high]) => {
                let middle = 0.5 * (low + high);
                if *low < middle && middle < *high {
                    ways.push([Content::Between([*low, middle]), Content::Between([middle, *high])]);
                }
            }
            Content::Whole => {}
        }
        let fitted = |content: Content| -> Result<Piece> {
            let (shape, pose) = self.fit(&content)?;
            Ok(Piece { part: piece.part, content, shape, pose, is_final: false })
        };
        ways.into_iter().map(|[low, high]| Ok([fitted(low)?, fitted(high)?])).collect()
    }
}

/// Returns the corners of a polytope on either side of a plane, with a point on each edge between them: see the header.
fn cut(hull: &Hull, pad: f64, center: DVec3, axis: DVec3) -> Option<[Content; 2]> {
    let heights: Vec<f64> = hull.vertices().iter().map(|&v| axis.dot(v - center)).collect();
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (&vertex, &height) in hull.vertices().iter().zip(&heights) {
        if height <= 0.0 { &mut low } else { &mut high }.push(vertex);
    }
    if low.is_empty() || high.is_empty() {
        return None;
    }
    for &[i, j] in hull.edges() {
        let (p, q) = (heights[i as usize], heights[j as usize]);
        if (p <= 0.0) != (q <= 0.0) {
            let (from, to) = (hull.vertices()[i as usize], hull.vertices()[j as usize]);
            let point = from + (to - from) * (p / (p - q)).clamp(0.0, 1.0);
            low.push(point);
            high.push(point);
        }
    }
    // For any division of the edge, the point is on the edge up to three roundings of at most twice the coordinates.
    let size = largest_upper(hull.vertices().iter().flat_map(|v| v.abs().to_array()));
    let pad = (pad + 16.0 * UNIT * size) * (1.0 + 4.0 * UNIT);
    Some([low, high].map(|points| Content::Polytope { points, pad }))
}

/// Returns the smallest ellipsoid around a cylinder along z. Each of the two squares in `r²/a² + h²/c²` has four
/// roundings against it.
fn around_cylinder(radius: f64, half: f64) -> DVec3 {
    let across = radius * 1.5_f64.sqrt();
    DVec3::new(across, across, half * 3.0_f64.sqrt()) * (1.0 + 16.0 * UNIT)
}

/// Returns a nearly smallest ellipsoid around a capsule along z.
fn around_capsule(radius: f64, half: f64) -> DVec3 {
    // In units of the radius, h = half / radius, with x = a² − 1: c² = 1 + x + h² + h² / x. The volume's square, a⁴ c²,
    // is least where its derivative by x vanishes; bisection with geometric means.
    let h2 = (half / radius) * (half / radius);
    let along = |x: f64| 1.0 + x + h2 + h2 / x;
    let slope = |x: f64| 2.0 * along(x) + (1.0 + x) * (1.0 - h2 / (x * x));
    let (mut low, mut x) = (power_of_two(-60), power_of_two(60));
    for _ in 0..80 {
        let middle = (low * x).sqrt();
        if slope(middle) < 0.0 { low = middle } else { x = middle }
    }
    let (across, mut along) = (radius * (1.0 + x).sqrt(), radius * along(x).sqrt());
    let square = |value: f64| Interval::point(value).sqr();
    for _ in 0..64 {
        let left = square(across) - square(radius);
        let right = square(along) - square(across) - square(half);
        let is_proven =
            left.lo() > 0.0 && right.lo() > 0.0 && (left * right - square(radius) * square(half)).lo() >= 0.0;
        if is_proven {
            return DVec3::new(across, across, along);
        }
        along *= 1.0 + 1e-13;
    }
    // The ball around the capsule, for proportions beyond f64.
    DVec3::splat((radius + half) * (1.0 + 4.0 * UNIT))
}

#[cfg(test)]
#[path = "cover_tests.rs"]
mod tests;
