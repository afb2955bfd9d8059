//! A robot among rigid bodies as pairs of parts, for methods that are compared with a [`Checker`].
//!
//! 1. Parts come in the order of the depths and names of their links, obstacles in that of their names, as in a
//!    checker: of touches at the same time the same one is named.
//! 2. Two parts of the robot are in the frame of the last common ancestor of their links, or in the world's frame if
//!    the method needs that.
//! 3. Rules about obstacles and paddings of a checker are not read: the scenarios that are compared have none.

use firsttouch::articulated::{Checker, LinkMotion, RobotMotion};
use firsttouch::broad::{Aabb, overlapping_pairs};
use firsttouch::motion::Motion;
use firsttouch::narrow::{Pieces, Subject};
use firsttouch::numerics::Window;
use firsttouch::pair::PairTouch;
use firsttouch::shape::Shape;
use firsttouch::{Answer, Body, BodyKind, Error, LinkPiece, Part, Result, Touch, TreeStats};
use glam::DVec3;

/// The answer of a method about a step, and its work.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The answer; bodies are those of a [`Checker`].
    pub answer: Answer,
    /// The number of pairs of parts before culling.
    pub pairs: u64,
    /// The number of pairs whose boxes over the step meet.
    pub close_pairs: u64,
    /// The work after culling.
    pub work: TreeStats,
}

/// A part of a link, and the box around it in its own frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellPart {
    pub(super) link: usize,
    pub(super) part: usize,
    pub(super) center: DVec3,
    pub(super) half: DVec3,
}

/// Two parts that may touch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pair {
    /// A part of the robot, and an obstacle.
    Obstacle(usize, usize),
    /// Two parts of the robot.
    Own(usize, usize),
}

/// A robot among rigid bodies.
pub(super) struct Cell<'a> {
    pub(super) checker: &'a Checker,
    pub(super) parts: Vec<CellPart>,
    /// The shapes and motions of the obstacles.
    obstacles: Vec<(&'a Shape, &'a Motion)>,
    /// Their indices, by name.
    by_name: Vec<usize>,
}

impl<'a> Cell<'a> {
    /// Returns an error for obstacles that deform or change their shape.
    pub(super) fn of(checker: &'a Checker, method: &str) -> Result<Cell<'a>> {
        let rigid = |body: &'a Body| match body.kind() {
            BodyKind::Rigid { shape, motion } => Ok((shape, motion)),
            _ => {
                let name = body.name();
                let what =
                    format!("{method} with obstacles that deform or change their shape, here \"{name}\"");
                Err(Error::Unsupported { what })
            }
        };
        let links = checker.robot().links();
        let depth = |link: usize| std::iter::successors(Some(link), |&i| links[i].parent()).count();
        let mut order: Vec<usize> = (0..links.len()).collect();
        order.sort_by_key(|&link| (depth(link), links[link].name()));
        let of_link = |link: usize| {
            links[link].parts().iter().enumerate().map(move |(part, own)| {
                let (center, half) = own.shape.bounds();
                CellPart { link, part, center, half }
            })
        };
        let mut by_name: Vec<usize> = (0..checker.obstacles().len()).collect();
        by_name.sort_by_key(|&k| checker.obstacle(k).name());
        let parts = order.into_iter().flat_map(of_link).collect();
        Ok(Cell {
            checker,
            parts,
            obstacles: checker.obstacles().map(rigid).collect::<Result<_>>()?,
            by_name,
        })
    }

    /// The motion of an obstacle.
    pub(super) fn motion_of(&self, obstacle: usize) -> &'a Motion {
        self.obstacles[obstacle].1
    }

    /// The pairs of parts whose boxes overlap: with obstacles first, in the order of names. `boxes` are those of the
    /// parts.
    pub(super) fn close_pairs(&self, boxes: &[Aabb]) -> Vec<Pair> {
        let whole = Window::new(0.0, 1.0).expect("the whole step is a window");
        let nowhere = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
        let swept =
            self.by_name.iter().map(|&k| self.checker.obstacle(k).swept_box(whole).unwrap_or(nowhere));
        let all: Vec<Aabb> = boxes.iter().copied().chain(swept).collect();
        let (mut close, mut own) = (Vec::new(), Vec::new());
        for [i, j] in overlapping_pairs(&all) {
            if j < boxes.len() {
                own.extend(self.is_checked(i, j).then_some(Pair::Own(i, j)));
            } else if i < boxes.len() {
                close.push(Pair::Obstacle(i, self.by_name[j - boxes.len()]));
            }
        }
        close.append(&mut own);
        close
    }

    fn is_checked(&self, i: usize, j: usize) -> bool {
        let (a, b) = (self.parts[i].link, self.parts[j].link);
        a != b && !self.checker.robot().is_allowed(a, b)
    }

    /// The number of pairs before culling.
    pub(super) fn pairs(&self) -> u64 {
        let count = self.parts.len();
        let own = (0..count).map(|i| (0..i).filter(|&j| self.is_checked(i, j)).count()).sum::<usize>();
        (count * self.obstacles.len() + own) as u64
    }

    /// The shape of a part, in pieces.
    pub(super) fn pieces(&self, i: usize) -> Pieces<'a> {
        let CellPart { link, part, .. } = self.parts[i];
        Pieces::of(&self.checker.robot().links()[link].parts()[part].shape)
    }

    /// The motions of the parts of a pair that belong to the robot, each in the world or in the frame of a link.
    pub(super) fn motions<'m>(
        &self,
        motion: &'m RobotMotion<'_>,
        pair: Pair,
        base: Option<usize>,
    ) -> [Option<LinkMotion<'m>>; 2] {
        let of = |i: usize| {
            let CellPart { link, part, .. } = self.parts[i];
            Some(motion.frame_in(motion.part_frame(link, part), base))
        };
        match pair {
            Pair::Obstacle(i, _) => [of(i), None],
            Pair::Own(i, j) => [of(i), of(j)],
        }
    }

    /// The last common ancestor of the links of a pair of parts of the robot.
    pub(super) fn base_of(&self, pair: Pair) -> Option<usize> {
        match pair {
            Pair::Obstacle(..) => None,
            Pair::Own(i, j) => {
                Some(self.checker.robot().common_ancestor(self.parts[i].link, self.parts[j].link))
            }
        }
    }

    /// A pair in the form that the engines take, with these motions of the robot's parts.
    pub(super) fn subjects<'s>(
        &'s self,
        pair: Pair,
        [of_a, of_b]: &'s [Option<LinkMotion<'_>>; 2],
    ) -> [Subject<'s>; 2] {
        let link = |i: usize, motion: &'s Option<LinkMotion<'_>>| Subject::Link {
            pieces: self.pieces(i),
            motion: motion.as_ref().expect("a part of the robot has a motion"),
        };
        match pair {
            Pair::Obstacle(i, k) => {
                let (shape, motion) = self.obstacles[k];
                [link(i, of_a), Subject::Rigid { shape, motion }]
            }
            Pair::Own(i, j) => [link(i, of_a), link(j, of_b)],
        }
    }

    /// A touch of a pair, in the names of a [`Checker`]. `frame` is the pose of the pair's frame at the touch.
    pub(super) fn touch(&self, mut touch: PairTouch, pair: Pair) -> Touch {
        let name = |part: &mut Part, i: usize| {
            let piece = match *part {
                Part::Triangle(index) => LinkPiece::Triangle(index),
                Part::Piece(index) => LinkPiece::Piece(index),
                _ => LinkPiece::Solid,
            };
            let CellPart { link, part: shape, .. } = self.parts[i];
            *part = Part::Link { link: link as u32, shape: shape as u32, piece };
        };
        match pair {
            Pair::Obstacle(i, k) => {
                name(&mut touch.parts[0], i);
                touch.between([0, 1 + k])
            }
            Pair::Own(i, j) => {
                name(&mut touch.parts[0], i);
                name(&mut touch.parts[1], j);
                let is_swapped = self.parts[j].link < self.parts[i].link;
                if is_swapped { touch.swapped() } else { touch }.between([0, 0])
            }
        }
    }

    /// The bodies of a pair.
    pub(super) fn bodies(pair: Pair) -> [usize; 2] {
        match pair {
            Pair::Obstacle(_, k) => [0, 1 + k],
            Pair::Own(..) => [0, 0],
        }
    }
}
