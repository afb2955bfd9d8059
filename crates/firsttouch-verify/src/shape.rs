//! Shapes: how far they reach along a direction.
//!
//! A shape has one or more pieces, and a *support* of some of them is an upper bound of `u · y` over all their
//! points `y`, for all directions `u` in a box.
//!
//! **Rounding of points.** Let `c` be the centre of the box, off by at most `δ` from `u`, and `|y| <= r`. The f64
//! value of `c · y` has three products and two sums, so it is off by less than `4 · 2⁻⁵³ |c| r`. So `u · y` is at
//! most the largest f64 value plus `(2⁻⁵⁰ |c| + δ) r`. For vertices that move it is the mean of two such values,
//! with three roundings more. `r` itself is off by less than a factor of `1 + 2⁻⁵⁰`. Products that underflow are off
//! by less than [`UNDERFLOW`], unless numbers are of that size.

use std::ops::Range;

use crate::interval::{IDENTITY, Interval, Vector, dot, exact, longest, transposed_times, up};
use crate::json::{Json, Members};
use crate::motion::{Map, larger, pose, sum_up};

const ROUNDING: f64 = 8.0 * f64::EPSILON;
const UNDERFLOW: f64 = 1e-140;

type Point = [f64; 3];

/// A convex solid.
#[derive(Debug)]
pub(crate) enum Solid {
    Box(Point),
    Ellipsoid(Point),
    Sphere(f64),
    Capsule([f64; 2]),
    Cylinder([f64; 2]),
    Cone([f64; 2]),
    /// Its points, and an upper bound of their distances from the origin.
    Hull(Vec<Point>, f64),
}

/// A shape.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Convex solids, each at a place. Boxes and single solids are also such a list.
    Solids(Vec<(Map, Solid)>),
    /// A normal, and the offset along it.
    HalfSpace(Point, f64),
    Balls(Vec<Point>, f64),
    /// Triangles, edges and points by their vertices. With a second list, each vertex moves to its place there.
    Surface {
        vertices: Vec<Point>,
        to: Option<Vec<Point>>,
        pieces: Vec<[usize; 3]>,
        solid: bool,
    },
}

fn positive<const N: usize>(sizes: [f64; N]) -> Result<[f64; N], String> {
    if sizes.iter().all(|&size| size > 0.0) { Ok(sizes) } else { Err("a size is not positive".into()) }
}

impl Solid {
    fn of(line: &mut Members) -> Result<Option<Solid>, String> {
        for kind in ["box", "ellipsoid", "sphere", "capsule", "cylinder", "cone", "hull"] {
            let Some(value) = line.optional(kind) else { continue };
            let sizes = |value: Json| value.row().and_then(positive);
            return Ok(Some(match kind {
                "box" => Solid::Box(value.row().and_then(positive)?),
                "ellipsoid" => Solid::Ellipsoid(value.row().and_then(positive)?),
                "sphere" => Solid::Sphere(positive([value.number()?])?[0]),
                "capsule" => Solid::Capsule(sizes(value)?),
                "cylinder" => Solid::Cylinder(sizes(value)?),
                "cone" => Solid::Cone(sizes(value)?),
                _ => {
                    let points = some(value.rows()?)?;
                    let reach = reach_of(points.iter().copied());
                    Solid::Hull(points, reach)
                }
            }));
        }
        Ok(None)
    }

    fn support(&self, u: &Vector) -> f64 {
        let [x, y, z] = u.map(Interval::size);
        let round = longest(&u[..2]);
        match self {
            Solid::Box([a, b, c]) => sum_up(&[&[*a, x], &[*b, y], &[*c, z]]),
            Solid::Ellipsoid(axes) => {
                let scaled = [0, 1, 2].map(|k| Interval::of(axes[k]) * u[k]);
                longest(&scaled)
            }
            Solid::Sphere(r) => sum_up(&[&[*r, longest(u)]]),
            Solid::Capsule([r, h]) => sum_up(&[&[*r, longest(u)], &[*h, z]]),
            Solid::Cylinder([r, h]) => sum_up(&[&[*r, round], &[*h, z]]),
            Solid::Cone([r, h]) => {
                let along = Interval::of(*h) * u[2];
                larger(along.hi, up(sum_up(&[&[*r, round]]) - along.lo))
            }
            Solid::Hull(points, reach) => points_support(points.iter().copied(), u, *reach),
        }
    }

    /// An upper bound of the distance of its points from the origin.
    fn reach(&self) -> f64 {
        match self {
            Solid::Box(half) => longest(&exact(*half)),
            Solid::Ellipsoid(axes) => axes.iter().fold(0.0, |most, axis| larger(most, *axis)),
            Solid::Sphere(r) => *r,
            Solid::Capsule([r, h]) => up(r + h),
            Solid::Cylinder(sizes) | Solid::Cone(sizes) => longest(&exact(*sizes)),
            Solid::Hull(_, reach) => *reach,
        }
    }
}

fn some<T>(list: Vec<T>) -> Result<Vec<T>, String> {
    if list.is_empty() { Err("a list is empty".into()) } else { Ok(list) }
}

fn product(c: Point, y: Point) -> f64 {
    c[0] * y[0] + c[1] * y[1] + c[2] * y[2]
}

/// An upper bound of the distance of points from the origin.
fn reach_of(points: impl Iterator<Item = Point>) -> f64 {
    let square = points.fold(0.0, |most, y| larger(most, product(y, y)));
    up(up(square.sqrt() * (1.0 + ROUNDING)) + UNDERFLOW)
}

/// The support of points within a distance of the origin; see the header.
fn points_support(points: impl Iterator<Item = Point>, u: &Vector, reach: f64) -> f64 {
    moving_support(points.map(|y| [y; 2]), u, 0.0, reach)
}

/// The support of points that move straight from one place to another, at a time.
fn moving_support(points: impl Iterator<Item = [Point; 2]>, u: &Vector, t: f64, reach: f64) -> f64 {
    let c = u.map(|x| x.center().0);
    let height = |[from, to]: [Point; 2]| (1.0 - t) * product(c, from) + t * product(c, to);
    let most = points.map(height).fold(f64::NEG_INFINITY, larger);
    let [center, radius] = [exact(c), u.map(|x| Interval::of(x.center().1))].map(|v| longest(&v));
    up(most + up(sum_up(&[&[ROUNDING, center, reach], &[radius, reach]]) + UNDERFLOW))
}

impl Shape {
    pub(crate) fn of(mut line: Members) -> Result<Shape, String> {
        let shape = if let Some(solid) = Solid::of(&mut line)? {
            Shape::Solids(vec![((IDENTITY, [Interval::ZERO; 3]), solid)])
        } else if let Some(value) = line.optional("half_space") {
            let [x, y, z, offset] = value.row()?;
            if longest(&exact([x, y, z])) < 0.5 {
                return Err("the normal is too short".into());
            }
            Shape::HalfSpace([x, y, z], offset)
        } else if let Some(points) = line.optional("points") {
            let radius = line.take("radius")?.number()?;
            if radius < 0.0 {
                return Err("the radius is negative".into());
            }
            Shape::Balls(some(points.rows()?)?, radius)
        } else if let Some(boxes) = line.optional("boxes") {
            let piece = |[x, y, z, half @ ..]: [f64; 6]| {
                Ok(((IDENTITY, exact([x, y, z])), Solid::Box(positive(half)?)))
            };
            Shape::Solids(some(boxes.rows()?)?.into_iter().map(piece).collect::<Result<_, String>>()?)
        } else if let Some(solids) = line.optional("compound") {
            let piece = |value: Json| {
                let mut value = Members::of(value)?;
                let at = pose(value.take("at")?.row()?);
                let solid = Solid::of(&mut value)?.ok_or("a piece of a compound is no convex solid")?;
                value.end()?;
                Ok((at, solid))
            };
            Shape::Solids(some(solids.each(piece)?)?)
        } else {
            Shape::surface(&mut line)?
        };
        line.end()?;
        Ok(shape)
    }

    fn surface(line: &mut Members) -> Result<Shape, String> {
        let vertices: Vec<Point> = line.take("vertices")?.rows()?;
        let to: Option<Vec<Point>> = line.optional("to").map(Json::rows).transpose()?;
        if to.as_ref().is_some_and(|to| to.len() != vertices.len()) {
            return Err("the two lists of vertices have different lengths".into());
        }
        let mut pieces = Vec::new();
        for (name, corners) in [("triangles", 3), ("edges", 2), ("loose", 1)] {
            let Some(list) = line.optional(name) else { continue };
            let list = list.each(Json::index)?;
            if list.len() % corners != 0 || list.iter().any(|&vertex| vertex >= vertices.len()) {
                return Err(format!("the {name} are not made of vertices"));
            }
            pieces.extend(list.chunks(corners).map(|piece| [0, 1, 2].map(|k| piece[k % corners])));
        }
        let solid = match line.optional("solid") {
            None => false,
            Some(Json::Bool(solid)) => solid,
            Some(_) => return Err("true or false was expected".into()),
        };
        if solid && to.is_some() {
            return Err("a solid mesh does not deform".into());
        }
        Ok(Shape::Surface { vertices, to, pieces: some(pieces)?, solid })
    }

    /// The number of its pieces.
    pub(crate) fn pieces(&self) -> usize {
        match self {
            Shape::HalfSpace(..) => 1,
            Shape::Balls(points, _) => points.len(),
            Shape::Solids(solids) => solids.len(),
            Shape::Surface { pieces, .. } => pieces.len(),
        }
    }

    /// Returns true for a surface that includes its inside.
    pub(crate) fn is_solid_mesh(&self) -> bool {
        matches!(self, Shape::Surface { solid: true, .. })
    }

    /// Returns true if its vertices move.
    pub(crate) fn deforms(&self) -> bool {
        matches!(self, Shape::Surface { to: Some(_), .. })
    }

    /// The support of some pieces at a time, whose points are within a distance of the origin.
    pub(crate) fn support(&self, some: &Range<usize>, u: &Vector, t: f64, reach: f64) -> f64 {
        match self {
            Shape::HalfSpace(..) => f64::INFINITY,
            Shape::Balls(points, radius) => {
                let points = points_support(points[some.clone()].iter().copied(), u, reach);
                up(points + sum_up(&[&[*radius, longest(u)]]))
            }
            Shape::Solids(solids) => solids[some.clone()]
                .iter()
                .map(
                    |((turn, shift), solid)| up(dot(u, shift).hi + solid.support(&transposed_times(turn, u))),
                )
                .fold(f64::NEG_INFINITY, larger),
            Shape::Surface { vertices, to, pieces, .. } => {
                let corners = pieces[some.clone()].iter().flatten().copied();
                match to {
                    None => points_support(corners.map(|vertex| vertices[vertex]), u, reach),
                    Some(to) => {
                        moving_support(corners.map(|vertex| [vertices[vertex], to[vertex]]), u, t, reach)
                    }
                }
            }
        }
    }

    /// Upper bounds of the distance of the points of some pieces from the origin, and of how far they move over a
    /// window.
    pub(crate) fn sizes(&self, some: &Range<usize>, window: [f64; 2]) -> [f64; 2] {
        match self {
            Shape::HalfSpace(..) => [f64::INFINITY, 0.0],
            Shape::Balls(points, radius) => {
                [up(reach_of(points[some.clone()].iter().copied()) + radius), 0.0]
            }
            Shape::Solids(solids) => {
                let far = |((_, shift), solid): &(Map, Solid)| up(longest(shift) + solid.reach());
                [solids[some.clone()].iter().map(far).fold(0.0, larger), 0.0]
            }
            Shape::Surface { vertices, to, pieces, .. } => {
                let corners = || pieces[some.clone()].iter().flatten().copied();
                let reach = reach_of(corners().map(|vertex| vertices[vertex]));
                let Some(to) = to else { return [reach, 0.0] };
                let moved = |vertex: usize| {
                    let [x, y] = [exact(vertices[vertex]), exact(to[vertex])];
                    longest(&[y[0] - x[0], y[1] - x[1], y[2] - x[2]])
                };
                let time = (Interval::of(window[1]) - Interval::of(window[0])).hi;
                let speed = sum_up(&[&[corners().map(moved).fold(0.0, larger), time]]);
                [larger(reach, reach_of(corners().map(|vertex| to[vertex]))), speed]
            }
        }
    }
}
