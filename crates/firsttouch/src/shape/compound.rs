//! Convex solids in one frame that form one shape, under a hierarchy of boxes.
//!
//! # Rounding
//! The box of a node is that of its pieces, made larger by `16 u (|centre| + |half|)` on each side. Its support
//! function `c · d + h · |d|` has 6 roundings of terms that are no larger than `(|c| + |h|) |d|`, so the computed value
//! is never below the exact value of the pieces.

use glam::DVec3;

use super::convex::Convex;
use super::custom::CustomShape;
use super::median_split;
use crate::error::{Error, Result};
use crate::numerics::bound::{high_corner, largest_upper, low_corner};
use crate::numerics::rounding::UNIT;

/// Several convex solids that move as one; see [`Shape::compound`](super::Shape::compound). They may overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound {
    /// The pieces, in the given order.
    pieces: Vec<CustomShape>,
    /// The nodes. Node 0 is the root; children come after their parent.
    nodes: Vec<Node>,
}

/// A box around some of the pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Node {
    pub(crate) center: DVec3,
    pub(crate) half: DVec3,
    /// An upper bound of the distance from the origin of the frame to any point of the pieces.
    pub(crate) reach: f64,
    /// An upper bound of the same distance to the cores of the pieces.
    pub(crate) core_reach: f64,
    pub(crate) content: Content,
}

/// The content of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// One piece.
    Piece(u32),
    /// Two nodes.
    Halves([u32; 2]),
}

impl Compound {
    pub(super) fn new(pieces: Vec<CustomShape>) -> Result<Compound> {
        if pieces.is_empty() {
            return Err(Error::Empty { what: "list of the pieces of a compound".into() });
        }
        let mut compound = Compound { nodes: Vec::with_capacity(2 * pieces.len() - 1), pieces };
        let mut order: Vec<u32> = (0..compound.pieces.len() as u32).collect();
        compound.build(&mut order);
        Ok(compound)
    }

    /// Returns the node of some pieces, divided at the median of the centres along the longest side.
    fn build(&mut self, members: &mut [u32]) -> u32 {
        let solid = |k: u32| self.pieces[k as usize].get();
        let boxes = members.iter().map(|&k| solid(k).bounds());
        let (low, high) = boxes.fold(
            (DVec3::INFINITY, DVec3::NEG_INFINITY),
            |(low, high), (center, half): (DVec3, DVec3)| {
                (low_corner(low, center - half), high_corner(high, center + half))
            },
        );
        let center = 0.5 * (low + high);
        let half = high_corner(high - center, center - low);
        let slack = 16.0 * UNIT * (center.length() + half.length());
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            center,
            half: half + DVec3::splat(slack),
            reach: largest_upper(members.iter().map(|&k| solid(k).reach())),
            core_reach: largest_upper(members.iter().map(|&k| solid(k).core_reach())),
            content: Content::Piece(members[0]),
        });
        if members.len() > 1 {
            let axis = median_split::longest(half);
            let place = |&k: &u32| (self.pieces[k as usize].get().bounds().0[axis], k as usize);
            let (left, right) = median_split::halves(members, place);
            let halves = [self.build(left), self.build(right)];
            self.nodes[index as usize].content = Content::Halves(halves);
        }
        index
    }

    /// Returns the number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns `false`: a compound has a piece.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns a piece, by its place in the given list.
    ///
    /// ```
    /// use firsttouch::shape::{Shape, Sphere};
    /// use firsttouch::glam::{DQuat, DVec3};
    /// let ball = Shape::from(Sphere::new(1.0)?);
    /// let pair = Shape::compound_of(&[(ball.clone(), DQuat::IDENTITY, DVec3::X), (ball, DQuat::IDENTITY, DVec3::Y)])?;
    /// let Shape::Compound(pair) = pair else { panic!("a compound") };
    /// let second = pair.piece(1).as_placed().unwrap();
    /// assert_eq!((second.shape().kind(), second.translation()), ("sphere", DVec3::Y));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn piece(&self, index: usize) -> &(dyn Convex + Send + Sync) {
        self.pieces[index].get()
    }

    /// Returns the box around all pieces: its centre and half its side lengths, rounded up.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        (self.nodes[0].center, self.nodes[0].half)
    }

    #[inline]
    pub(crate) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }
}
