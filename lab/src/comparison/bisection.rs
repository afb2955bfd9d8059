//! A method kept for comparison only: the first touch of a robot by plain intervals and bisection of time. Use
//! [`Checker::check_step`] for everything else.
//!
//! # The method
//! 1. *Culling.* Every part's box over the whole step, from interval matrices multiplied along the chain; pairs whose
//!    boxes meet are candidates, with the roots of their trees.
//! 2. *A window of time and its candidates*, pairs of tree nodes. The transforms are enclosed again for this window.
//!    Take a node and a world axis `i`. Let row `i` of the interval rotation have the middle `m` and a radius of norm
//!    `ρ`. Every point `x` of the node, at most `reach` from its origin, has a coordinate of at most
//!    `extent(m) + ρ reach + T_i`. So the node has a box along the axes that it does not leave in the window. Pairs
//!    whose boxes are apart are free in it.
//! 3. Otherwise, if the motion blurs the boxes by less than a part of the larger node's size, that node is opened; if
//!    by more, the pair is *kept*: a shorter window will tell more.
//! 4. Two leaves are free if their distance at the beginning of the window, less the largest way of both in it, is more
//!    than `min_separation`. They touch at the beginning of the window if the distance is at most
//!    `min_separation + tolerance`. Otherwise they are kept.
//! 5. If any pair is kept, the window is halved, and both halves are searched with the pairs kept, the earlier one
//!    first.
//!
//! # Guarantee
//! Conservative: windows come in the order of time, and a window is left behind only when everything is free in it; so
//! nothing touches before the time returned. Interval arithmetic is rounded outwards, support functions are off by 16
//! roundings of the reach at most (`Volume::extent`), and distances at an instant by what `convex` proves.
//!
//! # Departures
//! The program that the paper compares itself with (Redon, Kim, Lin, Manocha 2004) tests the swept volumes of lines
//! against the environment in between, on graphics hardware, and ignores self-collisions; this one does everything by
//! intervals.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 8.2 and Figure 12.

use std::ops::ControlFlow;

use firsttouch::advancement::{Approach, Separation};
use firsttouch::articulated::{Checker, LinkMotion, RobotMotion};
use firsttouch::broad::Aabb;
use firsttouch::convex::{ConvexPair, Moving};
use firsttouch::motion::RigidMotion;
use firsttouch::narrow::{Side, touch_of_leaves};
use firsttouch::numerics::rounding::UNIT;
use firsttouch::numerics::{Enclosure, EnclosureTransform, Interval, Window};
use firsttouch::tree::LeafTouch;
use firsttouch::tree::composite::{Composite, Volume};
use firsttouch::{Answer, Options, Result, TreeStats};
use glam::DVec3;

use super::by_boxes::{Bounds, boxes_of};
use super::cell::{Cell, Compared, Pair};

/// Answers the same question as [`Checker::check_step`] by interval arithmetic and bisection of time, for comparison. A
/// window counts as an iteration.
///
/// Returns an error for obstacles that deform or change their shape: the leaves are tested at one instant.
///
/// ```
/// use firsttouch_lab::comparison::first_touch_by_bisection;
/// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Body, Options};
/// use glam::DVec3;
/// let slide = Joint {
///     name: "slide".into(),
///     parent: "rail".into(),
///     child: "ball".into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis: DVec3::X },
///     limits: None,
///     mimic: None,
/// };
/// let ball = || LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
/// let links = vec![("rail".into(), vec![]), ("ball".into(), vec![ball()])];
/// let robot = Robot::new("ball on a rail", links, vec![slide])?;
/// let place = Pose::from_translation(DVec3::X * 10.0)?;
/// let wall = Body::new("ball", Sphere::new(1.0)?, Motion::fixed(place));
/// let checker = Checker::new(robot, Pose::IDENTITY, vec![wall])?;
/// // From x = 0 to x = 16: the balls, of radius 1, touch at x = 8.
/// let report = first_touch_by_bisection(&checker, &[0.0], &[16.0], &Options::default())?;
/// let toi = report.answer.touch().unwrap().toi;
/// assert!(toi <= 0.5 && toi > 0.5 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn first_touch_by_bisection(
    checker: &Checker,
    from: &[f64],
    to: &[f64],
    options: &Options,
) -> Result<Compared> {
    options.validate()?;
    let cell = Cell::of(checker, "bisection")?;
    let motion = RobotMotion::new(checker.robot(), checker.base(), from, to)?;
    let whole = Window::new(0.0, options.t_max)?;
    let boxes: Vec<Aabb> = boxes_of(&motion, &cell.parts, whole, Bounds::Interval)
        .into_iter()
        .map(|bounds| bounds.inflated(options.min_separation + options.tolerance))
        .collect();
    let close = cell.close_pairs(&boxes);
    // Everything is in the world's frame, because the enclosures of the windows are.
    let motions: Vec<[Option<LinkMotion<'_>>; 2]> =
        close.iter().map(|&pair| cell.motions(&motion, pair, None)).collect();
    let of_pair = |(&pair, motions)| cell.subjects(pair, motions).map(|subject| subject.side());
    let sides: Vec<[Side<'_>; 2]> = close.iter().zip(&motions).map(of_pair).collect();
    let mut bisection = Bisection {
        cell: &cell,
        motion: &motion,
        close: &close,
        pairs: &sides,
        options,
        work: TreeStats::default(),
    };
    let answer = match bisection.run()? {
        Found::Free => Answer::Free,
        Found::Undecided { free_until, pair } => {
            Answer::Undecided { free_until, bodies: Cell::bodies(close[pair as usize]) }
        }
        Found::Touch(pair, leaves) => {
            let touch = cell.touch(touch_of_leaves(&sides[pair], &leaves), close[pair]);
            if touch.toi == 0.0 { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
        }
    };
    let work = bisection.work;
    Ok(Compared { answer, pairs: cell.pairs(), close_pairs: close.len() as u64, work })
}

struct Bisection<'a> {
    cell: &'a Cell<'a>,
    motion: &'a RobotMotion<'a>,
    close: &'a [Pair],
    pairs: &'a [[Side<'a>; 2]],
    options: &'a Options,
    work: TreeStats,
}

/// Pairs are opened as long as the motion in the window blurs them by less than this part of their size. Measured on
/// the walking mannequin: a half or twice of it costs a tenth more.
const BLURRED: f64 = 0.35;

/// A pair of nodes of one of the pairs.
#[derive(Debug, Clone, Copy)]
struct NodePair {
    pair: u32,
    nodes: [u32; 2],
}

enum Found {
    Free,
    Touch(usize, LeafTouch),
    Undecided { free_until: f64, pair: u32 },
}

impl Bisection<'_> {
    fn run(&mut self) -> Result<Found> {
        let roots = (0..self.pairs.len() as u32).map(|pair| NodePair { pair, nodes: [0, 0] }).collect();
        let mut open: Vec<([f64; 2], Vec<NodePair>)> = vec![([0.0, self.options.t_max], roots)];
        // The last one is the earliest.
        while let Some(([t0, t1], candidates)) = open.pop() {
            let Some(first) = candidates.first().copied() else { continue };
            let middle = 0.5 * (t0 + t1);
            let spent = self.work.iterations >= self.options.max_iterations as u64;
            if spent || middle <= t0 || middle >= t1 {
                return Ok(Found::Undecided { free_until: t0, pair: first.pair });
            }
            self.work.iterations += 1;
            match self.look_at(Window::new(t0, t1)?, candidates) {
                ControlFlow::Break((pair, touch)) => return Ok(Found::Touch(pair, touch)),
                ControlFlow::Continue(kept) => {
                    open.push(([middle, t1], kept.clone()));
                    open.push(([t0, middle], kept));
                }
            }
        }
        Ok(Found::Free)
    }

    /// The pairs that may come too close in the window, or a touch at its beginning.
    fn look_at(
        &mut self,
        window: Window,
        mut open: Vec<NodePair>,
    ) -> ControlFlow<(usize, LeafTouch), Vec<NodePair>> {
        let frames = self.motion.enclosures::<Interval>(window);
        let sides: Vec<EnclosedSide> = frames.iter().map(EnclosedSide::of).collect();
        let parts = &self.cell.parts;
        let of_part = |i: usize| sides[self.motion.part_frame(parts[i].link, parts[i].part)];
        let mut of_obstacles: Vec<Option<EnclosedSide>> = vec![None; self.cell.checker.obstacles().len()];
        let mut kept = Vec::new();
        let mut axis_before = 0;
        // The difference of two bounds is rounded once, relative to itself.
        let apart = self.options.min_separation * (1.0 + 4.0 * UNIT);
        while let Some(candidate) = open.pop() {
            self.work.volume_pairs += 1;
            let [a, b] = &self.pairs[candidate.pair as usize];
            let [node_a, node_b] = candidate.nodes;
            let (side_a, side_b) = match self.close[candidate.pair as usize] {
                Pair::Obstacle(i, k) => {
                    let of_obstacle = || EnclosedSide::of(&self.cell.motion_of(k).enclosure(window));
                    (of_part(i), *of_obstacles[k].get_or_insert_with(of_obstacle))
                }
                Pair::Own(i, j) => (of_part(i), of_part(j)),
            };
            let (volume_a, volume_b) = (a.pieces.volume(node_a), b.pieces.volume(node_b));
            // The separating axis is likely the same as for the pair before. Intervals that overflowed are not apart
            // from anything.
            let is_apart = |axis: usize| {
                let [low_a, high_a] = side_a.bounds(&volume_a, axis);
                let [low_b, high_b] = side_b.bounds(&volume_b, axis);
                low_b - high_a > apart || low_a - high_b > apart
            };
            if let Some(axis) = (0..3).map(|k| (axis_before + k) % 3).find(|&axis| is_apart(axis)) {
                axis_before = axis;
                continue;
            }
            let blur = side_a.travel(volume_a.reach()) + side_b.travel(volume_b.reach());
            let (size_a, size_b) = (volume_a.size(), volume_b.size());
            let children = match (a.pieces.children(node_a), b.pieces.children(node_b)) {
                (None, None) => {
                    match self.leaves(candidate, window.t0(), blur) {
                        Leaves::Free => {}
                        Leaves::Touch(separation) => {
                            let pair = candidate.pair as usize;
                            let (t, leaves) = (window.t0(), candidate.nodes);
                            let touch = LeafTouch { t, free_until: t, leaves, separation, features: None };
                            return ControlFlow::Break((pair, touch));
                        }
                        Leaves::Unknown => kept.push(candidate),
                    }
                    continue;
                }
                _ if blur.is_nan() || blur > BLURRED * size_a.max(size_b) => {
                    // not a bound: whether to divide
                    kept.push(candidate);
                    continue;
                }
                (Some(children), Some(_)) if size_a >= size_b => children.map(|child| [child, node_b]),
                (_, Some(children)) => children.map(|child| [node_a, child]),
                (Some(children), None) => children.map(|child| [child, node_b]),
            };
            open.extend(children.map(|nodes| NodePair { nodes, ..candidate }));
        }
        ControlFlow::Continue(kept)
    }

    /// Rule 4 of the header.
    fn leaves(&mut self, candidate: NodePair, t: f64, blur: f64) -> Leaves {
        self.work.piece_pairs += 1;
        let [a, b] = &self.pairs[candidate.pair as usize];
        let [piece_a, piece_b] = [a.pieces.piece(candidate.nodes[0]), b.pieces.piece(candidate.nodes[1])];
        let Options { min_separation, tolerance, .. } = *self.options;
        let mut pieces = ConvexPair::new(
            Moving { shape: piece_a.as_convex(), motion: a.motion },
            Moving { shape: piece_b.as_convex(), motion: b.motion },
            min_separation,
            tolerance,
        );
        let separation = pieces.separation(t);
        if separation.upper <= min_separation + tolerance {
            Leaves::Touch(separation)
        } else if separation.lower - blur > (min_separation + blur * 4.0 * UNIT) * (1.0 + 4.0 * UNIT) {
            Leaves::Free
        } else {
            Leaves::Unknown
        }
    }
}

enum Leaves {
    Free,
    Touch(Separation),
    Unknown,
}

/// A transform over a window, as intervals: for each world axis the middle of the rotation's row, a bound of the length
/// of its radius, and the translation.
#[derive(Debug, Clone, Copy)]
struct EnclosedSide {
    rows: [DVec3; 3],
    radii: [f64; 3],
    translation: [Interval; 3],
}

impl EnclosedSide {
    fn of<E: Enclosure>(transform: &EnclosureTransform<E>) -> EnclosedSide {
        let ranges = transform.rotation.0.map(|row| row.map(|entry| entry.range()));
        let rows = ranges.map(|row| DVec3::from_array(row.map(Interval::mid)));
        let radii =
            ranges.map(|row| DVec3::from_array(row.map(Interval::radius)).length() * (1.0 + 8.0 * UNIT));
        EnclosedSide { rows, radii, translation: transform.translation.range() }
    }

    /// The interval of a world coordinate that a node does not leave.
    fn bounds<V: Volume>(&self, volume: &V, axis: usize) -> [f64; 2] {
        let (reach, row, at) = (volume.reach(), self.rows[axis], self.translation[axis]);
        // Extents are off by 16 roundings of the reach times the row's length; the sums have a few more. Rows are of
        // about unit length unless the intervals are wide.
        let size = reach * (1.0 + row.length()) + at.mag();
        let out = self.radii[axis] * reach + 64.0 * UNIT * size;
        [at.lo() - volume.extent(-row) - out, at.hi() + volume.extent(row) + out]
    }

    /// An upper bound of the distance that a point within `reach` of the origin moves in the window: along each axis at
    /// most twice the radii.
    fn travel(&self, reach: f64) -> f64 {
        let along = |axis: usize| self.radii[axis] * reach + self.translation[axis].radius();
        2.0 * DVec3::new(along(0), along(1), along(2)).length() * (1.0 + 16.0 * UNIT)
    }
}
