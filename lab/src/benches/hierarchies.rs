//! Other bounding volumes for the same tree, to compare them in the mesh engine.
//!
//! The tree over the triangles is that of the mesh. Only the volume of each node is replaced by another one around the
//! same triangles. Every volume is enlarged by a little more than its rounding, so the answers are also proven.

use firsttouch::Part;
use firsttouch::shape::{Convex, Mesh, Obb};
use firsttouch::tree::composite::{AnyPiece, Composite, Volume};
use glam::{DVec3, dvec3};

/// A bounding volume to compare.
pub trait OtherVolume: Copy {
    /// Its name.
    const NAME: &'static str;

    /// Returns the volume around points. `axis` is the direction of their largest extent; the volume is enlarged by
    /// `slack`.
    fn around(points: &[DVec3], axis: DVec3, slack: f64) -> Self;

    /// Returns the largest `direction · x` over the volume.
    fn extent(&self, direction: DVec3) -> f64;

    /// Returns its middle.
    fn center(&self) -> DVec3;

    /// Returns half its largest extent.
    fn size(&self) -> f64;

    /// Returns the vector from its point closest to `point` to that point.
    fn way_out(&self, point: DVec3) -> DVec3;
}

/// The tree of a mesh with other volumes.
pub struct VolumeTree<'a, V> {
    mesh: &'a Mesh,
    /// The volumes by the number of the node, with gaps.
    volumes: Vec<Option<V>>,
}

impl<'a, V: OtherVolume> VolumeTree<'a, V> {
    /// Builds the volumes around the triangles below each node.
    pub fn new(mesh: &'a Mesh) -> VolumeTree<'a, V> {
        let tree = mesh.tree();
        let slack = 1e-12 * tree.node(0).volume.reach;
        let volume = |node: u32| {
            let (mut points, mut open) = (Vec::new(), vec![node]);
            while let Some(node) = open.pop() {
                match tree.node(node).children() {
                    Some(children) => open.extend(children),
                    None => points.extend(mesh.triangle(tree.node(node).triangle()).corners()),
                }
            }
            V::around(&points, tree.node(node).volume.axes.x_axis, slack)
        };
        let mut volumes = Vec::new();
        for node in tree.numbers() {
            if volumes.len() <= node as usize {
                volumes.resize_with(node as usize + 1, || None);
            }
            volumes[node as usize] = Some(volume(node));
        }
        VolumeTree { mesh, volumes }
    }
}

impl<V: OtherVolume> Composite for VolumeTree<'_, V> {
    type Volume<'a>
        = OtherNode<V>
    where
        Self: 'a;

    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.mesh.children(node)
    }
    #[inline]
    fn volume(&self, node: u32) -> OtherNode<V> {
        let volume = self.volumes[node as usize].expect("a node of the tree");
        OtherNode { volume, reach: self.mesh.volume(node).reach() }
    }
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        self.mesh.piece(leaf)
    }
    fn part(&self, leaf: u32) -> Part {
        self.mesh.part(leaf)
    }
    fn hull(&self) -> Option<&dyn Convex> {
        Composite::hull(self.mesh)
    }
}

/// A node with another volume.
#[derive(Clone, Copy)]
pub struct OtherNode<V> {
    volume: V,
    reach: f64,
}

impl<V: OtherVolume> Volume for OtherNode<V> {
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.volume.extent(direction)
    }
    #[inline]
    fn center(&self) -> DVec3 {
        self.volume.center()
    }
    #[inline]
    fn reach(&self) -> f64 {
        self.reach
    }
    #[inline]
    fn size(&self) -> f64 {
        self.volume.size()
    }
    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        self.volume.way_out(point)
    }
}

/// The tree of a mesh with its boxes only: no node is a hull.
#[derive(Clone, Copy)]
pub struct BoxesOnly<'a>(pub &'a Mesh);

impl<'m> Composite for BoxesOnly<'m> {
    type Volume<'a>
        = BoxOnly<'m>
    where
        Self: 'a;

    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        self.0.children(node)
    }
    #[inline]
    fn volume(&self, node: u32) -> BoxOnly<'m> {
        BoxOnly(&self.0.tree().node(node).volume)
    }
    fn piece(&self, leaf: u32) -> AnyPiece<'_> {
        self.0.piece(leaf)
    }
    fn part(&self, leaf: u32) -> Part {
        self.0.part(leaf)
    }
    fn hull(&self) -> Option<&dyn Convex> {
        Composite::hull(self.0)
    }
}

/// A node with its box.
#[derive(Clone, Copy)]
pub struct BoxOnly<'a>(&'a Obb);

impl Volume for BoxOnly<'_> {
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.0.extent(direction)
    }
    #[inline]
    fn center(&self) -> DVec3 {
        self.0.center
    }
    #[inline]
    fn reach(&self) -> f64 {
        self.0.reach
    }
    #[inline]
    fn size(&self) -> f64 {
        self.0.half.x
    }
    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        self.0.way_out(point)
    }
}

/// A box along the axes of the body.
#[derive(Debug, Clone, Copy)]
pub struct AxisBox {
    center: DVec3,
    half: DVec3,
}

impl OtherVolume for AxisBox {
    const NAME: &'static str = "boxes along the axes";

    fn around(points: &[DVec3], _axis: DVec3, slack: f64) -> AxisBox {
        let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        AxisBox { center: 0.5 * (low + high), half: 0.5 * (high - low) + DVec3::splat(slack) }
    }
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.center.dot(direction) + self.half.dot(direction.abs())
    }
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }
    #[inline]
    fn size(&self) -> f64 {
        self.half.max_element()
    }
    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        let from = point - self.center;
        from - from.clamp(-self.half, self.half)
    }
}

/// A segment swept by a ball; with a segment of length 0, a ball.
#[derive(Debug, Clone, Copy)]
struct Sweep {
    center: DVec3,
    half: DVec3,
    radius: f64,
}

impl Sweep {
    fn around(points: &[DVec3], axis: DVec3, slack: f64, long: bool) -> Sweep {
        let center = AxisBox::around(points, axis, 0.0).center;
        let across = |p: &DVec3| {
            let from = *p - center;
            (from - axis * axis.dot(from)).length()
        };
        let along = |p: &DVec3| axis.dot(*p - center);
        let width = points.iter().map(across).fold(0.0, f64::max);
        let (low, high) = points
            .iter()
            .map(along)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        // At first the caps start at the ends, which is simple and leaves the corners inside. Then the segment is
        // shortened as far as the radius allows, and the radius is made to fit.
        let shorter = if long { (0.5 * (high - low) - width).max(0.0) } else { 0.0 };
        let middle = if long { center + axis * (0.5 * (low + high)) } else { center };
        let half = axis * shorter;
        let off = |p: &DVec3| {
            let from = *p - middle;
            let t = axis.dot(from).clamp(-shorter, shorter);
            (from - axis * t).length()
        };
        let radius = points.iter().map(off).fold(0.0, f64::max) + slack;
        Sweep { center: middle, half, radius }
    }
    #[inline]
    fn extent(&self, direction: DVec3) -> f64 {
        self.center.dot(direction) + self.half.dot(direction).abs() + self.radius * direction.length()
    }
    #[inline]
    fn way_out(&self, point: DVec3) -> DVec3 {
        let from = point - self.center;
        let squared = self.half.length_squared();
        let t = if squared > 0.0 { (from.dot(self.half) / squared).clamp(-1.0, 1.0) } else { 0.0 };
        let way = from - self.half * t;
        let length = way.length();
        if length > self.radius { way * (1.0 - self.radius / length) } else { dvec3(0.0, 0.0, 0.0) }
    }
}

/// A ball.
#[derive(Debug, Clone, Copy)]
pub struct Ball(Sweep);

/// A segment swept by a ball.
#[derive(Debug, Clone, Copy)]
pub struct SweptBall(Sweep);

macro_rules! swept {
    ($type:ident, $name:literal, $long:literal) => {
        impl OtherVolume for $type {
            const NAME: &'static str = $name;

            fn around(points: &[DVec3], axis: DVec3, slack: f64) -> $type {
                $type(Sweep::around(points, axis, slack, $long))
            }
            #[inline]
            fn extent(&self, direction: DVec3) -> f64 {
                self.0.extent(direction)
            }
            #[inline]
            fn center(&self) -> DVec3 {
                self.0.center
            }
            #[inline]
            fn size(&self) -> f64 {
                self.0.half.length() + self.0.radius
            }
            #[inline]
            fn way_out(&self, point: DVec3) -> DVec3 {
                self.0.way_out(point)
            }
        }
    };
}

swept!(Ball, "balls", false);
swept!(SweptBall, "swept balls", true);
