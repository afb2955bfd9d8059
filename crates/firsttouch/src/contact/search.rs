//! The descent of both trees, the tests of two leaves, and the confirmation of candidates. See the header of
//! `contact`.

use glam::DVec3;

use super::elementary::Elementary;
use super::frame::{Extent, Frame};
use super::spheres::{Ball, may_meet};
use super::tables::TestedPairs;
use super::{ContactPair, Tables};
use crate::advancement::{Limits, PieceTouch, Separation, Verdict, advance};
use crate::convex::{ConvexPair, Moving};
use crate::motion::{Motion, RigidMotion};
use crate::numerics::bound::lower_min;
use crate::pair::Side;
use crate::shape::{Mesh, SphereTree, Triangle};
use crate::tree::{self, LeafTouch, TreeStats};

/// The first touch of two meshes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceTouch {
    /// The time of the touch.
    pub t: f64,
    /// The meshes are farther apart than `min_separation` before this time: `t`, or less in a search for any touch.
    pub free_until: f64,
    /// A triangle of each mesh that takes part in the touch.
    pub faces: [u32; 2],
    /// The separation of the touching primitives at that time.
    pub separation: Separation,
}

/// Returns the first touch of a pair within the limits. With `any`, the touch need not be the first.
///
/// ```
/// use firsttouch::advancement::{Limits, Verdict};
/// use firsttouch::motion::{ContactScrew, Pose};
/// use firsttouch::contact::{ContactPair, Covered, Tables, first_touch};
/// use firsttouch::shape::Mesh;
/// use glam::DVec3;
/// // A triangle flies from z = 2 to z = -2 through another at z = 0.
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let motion = ContactScrew::new(
///     Pose::from_translation(DVec3::Z * 2.0)?, Pose::from_translation(DVec3::Z * -2.0)?);
/// let mesh = Covered::natural(&mesh);
/// let pair = ContactPair { moving: mesh, motion: &motion, resting: mesh, at_rest: Pose::IDENTITY.into() };
/// let limits = Limits::default();
/// let Verdict::Touch(touch) = first_touch(&pair, &limits, false, Tables::ALL, &mut Default::default())
///     else { panic!("they must touch") };
/// assert!(touch.t <= 0.5 && touch.t > 0.5 - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn first_touch(
    pair: &ContactPair<'_>,
    limits: &Limits,
    any: bool,
    tables: Tables,
    work: &mut TreeStats,
) -> Verdict<FaceTouch> {
    // If two surfaces intersect, there may be neither a vertex on a face nor a common point of two edges. The algebra
    // does not detect this, so the start must be checked separately.
    let at_start = Limits { t_end: limits.t_start, ..*limits };
    let at_rest = Motion::Fixed(pair.at_rest);
    let (a, b) = (pair.moving.mesh, pair.resting.mesh);
    let moving = Side { pieces: a, motion: pair.motion };
    let resting = Side { pieces: b, motion: &at_rest };
    match tree::first_touch(&[[moving, resting]], &at_start, true, work).verdict {
        Verdict::Free => {}
        Verdict::Undecided { free_until } => return Verdict::Undecided { free_until },
        Verdict::Touch(LeafTouch { t, free_until, leaves, separation, .. }) => {
            let faces = [a.tree().node(leaves[0]).triangle(), b.tree().node(leaves[1]).triangle()];
            return Verdict::Touch(FaceTouch { t, free_until, faces, separation });
        }
    }
    if limits.t_end <= limits.t_start {
        return Verdict::Free;
    }
    let pieces = pair.motion.pace().pieces();
    for piece in 0..pieces {
        let ends = f64::from(piece + 1) / f64::from(pieces);
        if ends <= limits.t_start && piece + 1 < pieces {
            continue;
        }
        let mut search = Search::new(pair, &at_rest, piece, ends.min(limits.t_end), limits, tables, work); // not a bound: finite times
        let progress = search.descend(any);
        // The time before the piece is already tested.
        let starts = f64::from(piece) / f64::from(pieces);
        let starts = if starts > limits.t_start { starts } else { limits.t_start };
        if progress == Progress::Interrupted {
            return Verdict::Undecided { free_until: starts };
        }
        if let Some(event) = search.event {
            return match event {
                // The descent is ordered by space and not by time: pairs that it has not visited may touch as soon as
                // the piece starts.
                (_, Ok(touch)) if progress == Progress::Partial => {
                    Verdict::Touch(FaceTouch { free_until: lower_min(touch.t, starts), ..touch })
                }
                (_, Ok(touch)) => Verdict::Touch(touch),
                (free_until, Err(OutOfSteps)) => Verdict::Undecided { free_until },
            };
        }
        if ends >= limits.t_end {
            break;
        }
    }
    Verdict::Free
}

/// A pair of primitives ran out of steps.
struct OutOfSteps;

/// The part of a piece that a descent has tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The whole time before the event, if there is one.
    Complete,
    /// A part that suffices to find any touch.
    Partial,
    /// The query was interrupted.
    Interrupted,
}

/// Two nodes that must still be tested, with their spheres in the frame. Spheres are computed from their nodes when
/// these are opened, and are not stored: a tree can have millions of nodes, of which a query visits few.
#[derive(Clone, Copy)]
struct OpenPair {
    nodes: [u32; 2],
    balls: [Ball; 2],
}

struct Search<'a> {
    pair: &'a ContactPair<'a>,
    at_rest: &'a Motion,
    frame: Frame,
    limits: Limits,
    tested_labels: TestedPairs,
    tested_edges: TestedPairs,
    tested_vertex_face: TestedPairs,
    tested_face_vertex: TestedPairs,
    /// The end of the piece, and the current first time, as values of `x`.
    x_end: f64,
    x_first: f64,
    event: Option<(f64, Result<FaceTouch, OutOfSteps>)>,
    work: &'a mut TreeStats,
}

/// The number of pairs of nodes between two tests for an interrupt.
const POLL: u32 = 256;

/// The indices of the two sides of the pair.
const MOVING: usize = 0;
const RESTING: usize = 1;

impl<'a> Search<'a> {
    fn new(
        pair: &'a ContactPair<'a>,
        at_rest: &'a Motion,
        piece: u32,
        t_end: f64,
        limits: &Limits,
        tables: Tables,
        work: &'a mut TreeStats,
    ) -> Search<'a> {
        let reach = |mesh: &Mesh| mesh.tree().node(0).volume.reach;
        let bodies = [
            Extent { reach: reach(pair.moving.mesh), pose_error: pair.motion.pose_error() },
            Extent { reach: reach(pair.resting.mesh), pose_error: at_rest.pose_error() },
        ];
        let frame = Frame::new(pair.motion, piece, pair.at_rest.at(), bodies);
        let x_end = frame.x_above(t_end);
        Search {
            pair,
            at_rest,
            frame,
            limits: Limits { t_end, ..*limits },
            tested_labels: TestedPairs::new(tables.labels),
            tested_edges: TestedPairs::new(tables.edge_edge),
            tested_vertex_face: TestedPairs::new(tables.vertex_face),
            tested_face_vertex: TestedPairs::new(tables.face_vertex),
            x_end,
            x_first: x_end,
            event: None,
            work,
        }
    }

    fn mesh(&self, side: usize) -> &'a Mesh {
        [self.pair.moving, self.pair.resting][side].mesh
    }

    fn tree(&self, side: usize) -> &'a SphereTree {
        [self.pair.moving, self.pair.resting][side].tree
    }

    /// Searches for the first event, or with `any` for a touch. A pair that runs out of steps proves nothing about the
    /// others, so it never ends the search.
    fn descend(&mut self, any: bool) -> Progress {
        let roots = OpenPair { nodes: [0, 0], balls: [self.ball(MOVING, 0), self.ball(RESTING, 0)] };
        let mut open = vec![roots];
        let distance = self.limits.min_separation + self.frame.uncertainty;
        let mut visited = 0_u32;
        while let Some(OpenPair { nodes, balls }) = open.pop() {
            visited = visited.wrapping_add(1);
            if visited.is_multiple_of(POLL) && self.limits.watch.is_raised() {
                return Progress::Interrupted;
            }
            let [a, b] = [*self.tree(MOVING).node(nodes[0]), *self.tree(RESTING).node(nodes[1])];
            if self.tested_labels.contains(a.label, b.label) {
                continue;
            }
            self.work.contact.sphere_sphere += 1;
            if !may_meet(&self.frame, &balls[0], &balls[1], distance, self.x_first) {
                continue;
            }
            let (split, children) = match (a.children(), b.children()) {
                (None, None) => {
                    self.test_leaves(a.label, b.label);
                    if any && matches!(self.event, Some((_, Ok(_)))) {
                        return if open.is_empty() { Progress::Complete } else { Progress::Partial };
                    }
                    self.tested_labels.insert(a.label, b.label);
                    continue;
                }
                (Some(children), None) => (MOVING, children),
                (None, Some(children)) => (RESTING, children),
                (Some(of_a), Some(of_b)) => {
                    if a.radius >= b.radius {
                        (MOVING, of_a)
                    } else {
                        (RESTING, of_b)
                    }
                }
            };
            let [near, far] = children.map(|child| {
                let mut pair = OpenPair { nodes, balls };
                pair.nodes[split] = child;
                pair.balls[split] = self.ball(split, child);
                pair
            });
            // The pair that is closer at the start is likely to touch first, so it goes on top.
            let away = |pair: &OpenPair| pair.balls[0].center.distance_squared(pair.balls[1].center);
            let swap = away(&far) < away(&near);
            open.extend(if swap { [near, far] } else { [far, near] });
        }
        Progress::Complete
    }

    /// Tests all primitives of one label against all of another.
    fn test_leaves(&mut self, label_a: u32, label_b: u32) {
        let (a, b) = (self.tree(MOVING).primitives(label_a), self.tree(RESTING).primitives(label_b));
        for &v in &a.vertices {
            let vertex = self.vertex(MOVING, v);
            for &f in &b.faces {
                if self.tested_vertex_face.insert(v, f) {
                    self.work.contact.vertex_face += 1;
                    let face = self.face(RESTING, f);
                    if self.is_early(|test| test.vertex_face(vertex, &face))
                        && let Some(x) = self.elementary().vertex_face(vertex, &face)
                    {
                        self.confirm(x, [Primitive::Vertex(v), Primitive::Face(f)]);
                    }
                }
            }
        }
        for &f in &a.faces {
            let face = self.face(MOVING, f);
            for &v in &b.vertices {
                if self.tested_face_vertex.insert(f, v) {
                    self.work.contact.face_vertex += 1;
                    let vertex = self.vertex(RESTING, v);
                    if self.is_early(|test| test.face_vertex(&face, vertex))
                        && let Some(x) = self.elementary().face_vertex(&face, vertex)
                    {
                        self.confirm(x, [Primitive::Face(f), Primitive::Vertex(v)]);
                    }
                }
            }
        }
        for &e in &a.edges {
            let edge_a = self.edge(MOVING, e);
            for &f in &b.edges {
                if self.tested_edges.insert(e, f) {
                    self.work.contact.edge_edge += 1;
                    let edge_b = self.edge(RESTING, f);
                    if self.is_early(|test| test.edge_edge(&edge_a, &edge_b))
                        && let Some(x) = self.elementary().edge_edge(&edge_a, &edge_b)
                    {
                        self.confirm(x, [Primitive::Edge(e), Primitive::Edge(f)]);
                    }
                }
            }
        }
    }

    /// Returns the tests of primitives. They cover the whole piece, for any current first time, so they always find the
    /// same candidates. [`Search::is_early`] leaves out those that cannot be before that time.
    fn elementary(&self) -> Elementary<'_> {
        Elementary {
            frame: &self.frame,
            distance: self.limits.min_separation + self.frame.uncertainty,
            slack: 0.25 * self.limits.tolerance,
            x_end: self.x_end,
        }
    }

    /// Returns true if two primitives may touch before the current first time (Sec. 4.3). `first` is their test.
    ///
    /// Advancement reports a touch as soon as the gap is `min_separation + tolerance`. So a pair can be left out
    /// without a change of the answer only if it is farther apart than that up to the current first time.
    fn is_early(&mut self, first: impl FnOnce(&Elementary<'_>) -> Option<f64>) -> bool {
        if self.x_first >= self.x_end {
            return true;
        }
        let whole = self.elementary();
        let early =
            Elementary { distance: whole.distance + self.limits.tolerance, x_end: self.x_first, ..whole };
        let is_early = first(&early).is_some();
        self.work.contact.too_late += u64::from(!is_early);
        is_early
    }

    /// Advances two primitives from a candidate, and keeps the event if it is the first.
    fn confirm(&mut self, x: f64, primitives: [Primitive; 2]) {
        // Skips candidates that are known to be later. NaN is confirmed.
        if x > self.x_first {
            return;
        }
        self.work.contact.confirmations += 1;
        let [a, b] = [self.piece(MOVING, primitives[0]), self.piece(RESTING, primitives[1])];
        let mut pair = ConvexPair::new(
            Moving { shape: &a, motion: self.pair.motion },
            Moving { shape: &b, motion: self.at_rest },
            self.limits.min_separation,
            self.limits.tolerance,
        );
        let t_start = self.frame.t_below(x).max(self.limits.t_start).min(self.limits.t_end); // not a bound: NaN becomes the start
        let limits = Limits { t_start, ..self.limits };
        let (t, what) = match advance(&mut pair, &limits, &mut self.work.iterations) {
            Verdict::Free => return,
            Verdict::Touch(PieceTouch { t, separation }) => {
                (t, Ok(FaceTouch { t, free_until: t, faces: [a.index(), b.index()], separation }))
            }
            Verdict::Undecided { free_until } => (free_until, Err(OutOfSteps)),
        };
        if self.event.as_ref().is_none_or(|(known, _)| t < *known) {
            self.event = Some((t, what));
            self.x_first = self.frame.x_above(t).min(self.x_end); // not a bound: NaN becomes the end
        }
    }

    /// Returns a primitive as a convex piece: a triangle, possibly with equal corners.
    fn piece(&self, side: usize, primitive: Primitive) -> Triangle {
        let (mesh, tree) = (self.mesh(side), self.tree(side));
        let (corners, face) = match primitive {
            Primitive::Vertex(v) => ([v, v, v], tree.face_of_vertex(v)),
            Primitive::Edge(e) => {
                let edge = tree.edges()[e as usize];
                ([edge.ends[0], edge.ends[1], edge.ends[1]], edge.face)
            }
            Primitive::Face(f) => (mesh.triangles()[f as usize], f),
        };
        Triangle::new(corners.map(|v| mesh.vertices()[v as usize]), corners, face)
    }

    #[inline]
    fn ball(&self, side: usize, node: u32) -> Ball {
        let sphere = self.tree(side).node(node);
        Ball::new(self.to_frame(side, sphere.center), sphere.radius)
    }

    #[inline]
    fn vertex(&self, side: usize, v: u32) -> DVec3 {
        self.to_frame(side, self.mesh(side).vertices()[v as usize])
    }

    fn face(&self, side: usize, f: u32) -> [DVec3; 3] {
        self.mesh(side).triangles()[f as usize].map(|v| self.vertex(side, v))
    }

    fn edge(&self, side: usize, e: u32) -> [DVec3; 2] {
        self.tree(side).edges()[e as usize].ends.map(|v| self.vertex(side, v))
    }

    #[inline]
    fn to_frame(&self, side: usize, point: DVec3) -> DVec3 {
        if side == MOVING { self.frame.of_moving(point) } else { self.frame.of_resting(point) }
    }
}

#[derive(Debug, Clone, Copy)]
enum Primitive {
    Vertex(u32),
    Edge(u32),
    Face(u32),
}
