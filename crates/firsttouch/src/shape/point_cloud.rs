//! A cloud of points with a radius: a ball about each point, under a k-d tree.
//!
//! 1. A node holds a range of the points, which are stored in the order of the tree. It is divided at the median along
//!    the longest side of its box, so the tree is balanced and its shape depends only on the number of points.
//! 2. The box of a node is that of its points, not of the cell of space that a k-d tree usually stores: the boxes of a
//!    scanned surface get as thin as the surface.
//! 3. Inner nodes are stored in the order of a depth-first walk. The left child of a node follows it, and the right
//!    child comes after the left one's `count - 1` inner nodes. A leaf is one point and has no stored node: a million
//!    points take 24 MB, and their tree 56 MB.
//!
//! **Guarantee.** The box of a node contains its points without rounding, because corners are minima and maxima of
//! coordinates.

use glam::DVec3;

use super::hierarchy::{Hierarchy, NodeBox, SmallPiece};
use super::local::{Ball, LocalSolid};
use super::median_split;
use crate::answer::Part;
use crate::error::{Error, Result, bounded_vector, positive};

/// A solid ball of one radius about each of many points, in one frame. A touch names the point by its place in the
/// given list: [`Part::Piece`](crate::Part::Piece).
///
/// ```
/// use firsttouch::glam::DVec3;
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::{PointCloud, Shape, Sphere};
/// use firsttouch::{Answer, Options, Part, first_touch};
/// // A wall of 100 × 100 points, each of radius 0.01, and a ball of radius 0.5 that flies towards it.
/// let wall: Vec<DVec3> = (0..10_000).map(|k| DVec3::new(5.0, f64::from(k / 100), f64::from(k % 100))).collect();
/// let wall = PointCloud::new(wall, 0.01)?.into();
/// let ball: Shape = Sphere::new(0.5)?.into();
/// let at = |x: f64| Pose::from_translation(DVec3::new(x, 50.0, 50.0));
/// let answer =
///     first_touch((&ball, &Motion::linear(at(0.0)?, at(10.0)?)), (&wall, &Motion::AT_REST), &Options::default())?;
/// let Answer::Touch(touch) = answer else { panic!("they touch") };
/// assert!(touch.toi <= 0.449 && touch.toi > 0.449 - 1e-6);
/// assert_eq!(touch.parts, [Part::Solid, Part::Piece(5050)]);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PointCloud {
    /// The points, in the order of the tree.
    points: Vec<DVec3>,
    /// The place of each point in the given list.
    places: Vec<u32>,
    radius: f64,
    /// The inner nodes.
    nodes: Vec<Node>,
}

/// An inner node: the box of a range of points.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    low: DVec3,
    high: DVec3,
    first: u32,
    count: u32,
}

impl PointCloud {
    /// Creates a cloud. Returns an error for an empty list, coordinates that are not finite, more than `2^31` points,
    /// and a radius that is not positive.
    pub fn new(points: Vec<DVec3>, radius: f64) -> Result<PointCloud> {
        let radius = positive(|| "radius of a point cloud".into(), radius)?;
        if points.is_empty() {
            return Err(Error::Empty { what: "point cloud".into() });
        }
        if points.len() > MOST_POINTS {
            let value = points.len() as f64;
            return Err(Error::OutOfRange {
                what: "number of points of a cloud".into(),
                expected: "at most 2^31",
                value,
            });
        }
        for (i, point) in points.iter().enumerate() {
            bounded_vector(|| format!("point {i} of a cloud"), *point)?;
        }
        // Points travel with their places: one list is faster to divide than two.
        let mut members: Vec<Member> =
            points.iter().enumerate().map(|(k, &point)| Member { point, place: k as u32 }).collect();
        let mut nodes = Vec::with_capacity(members.len() - 1);
        build(&mut members, 0, &mut nodes);
        let places = members.iter().map(|member| member.place).collect();
        let mut points = points;
        for (point, member) in points.iter_mut().zip(&members) {
            *point = member.point;
        }
        Ok(PointCloud { points, places, radius, nodes })
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns `false`: a cloud has a point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the radius of the balls.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns the points, each with its place in the given list, in the order of the tree: neighbours in space are
    /// near each other in this order.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (usize, DVec3)> + '_ {
        self.points.iter().zip(&self.places).map(|(&point, &place)| (place as usize, point))
    }

    /// Returns the centre of the box around the balls and half its side lengths, rounded up.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let NodeBox { center, half } = self.node_box(0);
        (center, (half + DVec3::splat(self.radius)).map(f64::next_up))
    }
}

/// The most points whose nodes have numbers of 32 bits.
const MOST_POINTS: usize = 1 << 31;

#[derive(Debug, Clone, Copy)]
struct Member {
    point: DVec3,
    place: u32,
}

/// Adds the inner nodes of some members, which begin at `first`, and puts the members in order.
fn build(members: &mut [Member], first: u32, nodes: &mut Vec<Node>) {
    if members.len() < 2 {
        return;
    }
    let (mut low, mut high) = (members[0].point, members[0].point);
    for member in members.iter() {
        low = low.min(member.point); // coordinates are finite
        high = high.max(member.point);
    }
    let count = members.len() as u32;
    nodes.push(Node { low, high, first, count });
    let axis = median_split::longest(high - low);
    let (left, right) = median_split::halves(members, |member| (member.point[axis], member.place as usize));
    build(left, first, nodes);
    build(right, first + left_count(count), nodes);
}

/// Returns the number of points in the left child.
#[inline]
fn left_count(count: u32) -> u32 {
    count / 2
}

impl PointCloud {
    /// Returns the id of the node of `count` points, the inner one at `inner` or the leaf at `first`.
    #[inline]
    fn id(&self, inner: u32, first: u32, count: u32) -> u32 {
        if count == 1 { self.nodes.len() as u32 + first } else { inner }
    }

    /// Returns the point of a leaf, in the order of the tree.
    #[inline]
    fn leaf(&self, leaf: u32) -> usize {
        leaf as usize - self.nodes.len()
    }
}

impl Hierarchy for PointCloud {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        let &Node { first, count, .. } = self.nodes.get(node as usize)?;
        let left = left_count(count);
        // The left child's inner nodes are one fewer than its points.
        Some([self.id(node + 1, first, left), self.id(node + left, first + left, count - left)])
    }

    #[inline]
    fn node_box(&self, node: u32) -> NodeBox {
        match self.nodes.get(node as usize) {
            Some(inner) => NodeBox::between(inner.low, inner.high),
            None => NodeBox::point(self.points[self.leaf(node)]),
        }
    }

    #[inline]
    fn margin(&self) -> f64 {
        self.radius
    }

    fn piece(&self, leaf: u32) -> SmallPiece {
        let center = self.points[self.leaf(leaf)];
        SmallPiece::Solid(LocalSolid::Ball(Ball { center, radius: self.radius }))
    }

    fn part(&self, leaf: u32) -> Part {
        Part::Piece(self.places[self.leaf(leaf)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(count: u32) -> Vec<DVec3> {
        let mut state = u64::from(count);
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        (0..count).map(|_| DVec3::new(draw(), draw(), 0.1 * draw())).collect()
    }

    /// Every point is in one leaf and in the boxes of all nodes above it, for any number of points.
    #[test]
    fn nodes_contain_their_points() {
        for count in (1..40).chain([1000]) {
            let given = scattered(count);
            let cloud = PointCloud::new(given.clone(), 0.5).unwrap();
            assert_eq!(cloud.nodes.len(), count as usize - 1);
            let mut seen = vec![0; count as usize];
            let mut open = vec![(0, Vec::<NodeBox>::new())];
            while let Some((node, mut above)) = open.pop() {
                above.push(cloud.node_box(node));
                match cloud.children(node) {
                    Some(children) => open.extend(children.map(|child| (child, above.clone()))),
                    None => {
                        let Part::Piece(place) = cloud.part(node) else { panic!("a point") };
                        seen[place as usize] += 1;
                        let point = given[place as usize];
                        for NodeBox { center, half } in above {
                            assert!((point - center).abs().cmple(half).all(), "{point} {center} {half}");
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&times| times == 1), "{count}");
        }
    }
}
