//! Two solids of a robot with two turning joints between them: cells of the two angles in which they are proven apart.
//!
//! # The problem
//! Some links are close to each other in all configurations: a forearm and the wrist after the next joint. Their boxes
//! overlap in every window, and directions separate them in short windows only. But their distance depends on two
//! angles, and the same angles come back query after query.
//!
//! # The method
//! 1. In the frame between the two joints, each of the two solids turns about an axis at rest, by one of the two
//!    angles.
//! 2. The circle of either angle is divided into sectors. The arc of a corner through a sector of half-width `h` lies
//!    in the triangle of its two ends and of the point where the tangents there meet, which is at `1 / cos h` times the
//!    radius. So the solid that has these three corners for each corner of a coarse solid (`outline`) contains all that
//!    the coarse solid sweeps. A part that is round about its joint becomes only a little larger.
//! 3. A cell is a pair of sectors. Its bound is the distance of the two swept solids along one direction. If that is
//!    small, a group is opened into its parts, and a part into its halves.
//! 4. A step at constant rates is a straight line in the plane of the two angles. The pair is free if the bounds of all
//!    cells on the line are larger than the requested separation. If one is not, the part of the line in it is tested
//!    with smaller cells.
//!
//! A bound is measured when it is first needed, and kept. It is a function of the robot and the cell alone. So the
//! proof about a step does not depend on earlier queries, and neither does the answer.
//!
//! # Guarantee
//! Rigorous. The swept solids contain the swept parts: [`SLACK`] covers every rounding. A line passes through no cell
//! that is not visited: see [`JointCells::is_line_apart`]. A pair that is not proven apart here goes through the
//! windows as usual. So does a pair with other joints between its links, and every pair on a trajectory of polynomials.

use std::f64::consts::TAU;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use glam::{DMat3, DVec3};

use super::outline::{Group, Outline};
use super::separation::distance_up_to;
use crate::distance::rounded_hull::RoundedHull;
use crate::motion::PoseAt;
use crate::numerics::sin_cos;
use crate::robot::{JointKind, LinkBounds, Robot, RobotMotion};
use crate::shape::Convex;

/// The number of sectors of a circle on the coarsest level, a power of two. 8 and 32 of them prove as much, and 16 take
/// the least time.
const SECTORS: usize = 16;

/// The number of levels. Each has twice as many sectors as the one before. A third one proves little more.
const LEVELS: usize = 2;

/// Sectors of the coarsest level in a radian.
const PER_RADIAN: f64 = SECTORS as f64 / TAU;

/// A sector is swept with this much more on either side, in sectors.
const OVERLAP: f64 = 1e-6;

/// Cells that a line comes this close to are visited, in sectors.
const NEAR: f64 = 1e-7;

/// The largest error of an angle, in sectors of any level.
const ANGLE_ERROR: f64 = 1e-8;

/// Angles beyond this many sectors are not reduced to a turn.
const FARTHEST: f64 = 1e4;

/// Lines that go through more sectors than this, in either direction, are not followed: two turns.
const LONGEST: f64 = 2.0 * SECTORS as f64;

/// A corner of a swept solid is off by at most this part of the lengths that it was computed from. It has a few hundred
/// roundings at most for every joint on the way, each of `2^-53` of these lengths; this is as much as eight million of
/// them.
const SLACK: f64 = 1e-9;

/// A cell is not opened further if the solids are farther apart than this part of their size.
const ENOUGH: f64 = 2e-3;

/// The most pairs of solids that are measured for one cell.
const MOST_TESTS: usize = 64;

/// A bound that proves nothing. A bound that is not measured yet is 0, which proves nothing either.
const NOTHING: f32 = -1.0;

const HERE: PoseAt = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

/// The bounds of the distance of two solids of a robot, cell by cell.
#[derive(Debug)]
pub(super) struct JointCells {
    solids: [u32; 2],
    sides: [TurningSide; 2],
    levels: [OnceLock<Level>; LEVELS],
}

/// The cells of one size.
#[derive(Debug)]
struct Level {
    /// For every cell the bits of a lower bound of the distance; 0 if it is not measured yet.
    bounds: Box<[AtomicU32]>,
    /// For each side and each sector, the volume that the whole solid sweeps.
    swept: [Box<[OnceLock<RoundedHull>]>; 2],
}

/// A point `x` of a solid is at `after · Rot(axis, sign · angle) · before · x` in the frame between the joints.
#[derive(Debug)]
struct TurningSide {
    /// The link that the joint carries.
    joint: usize,
    before: PoseAt,
    axis: DVec3,
    /// -1 if the solid is on the parent's side of the joint.
    sign: f64,
    after: PoseAt,
    /// The sum of the lengths of all translations on the way.
    length: f64,
}

/// A joint on the way from one link to another.
#[derive(Debug, Clone, Copy)]
struct Passage {
    /// The link that the joint carries.
    link: usize,
    /// True if the way goes from the parent's frame to that of the link.
    is_outwards: bool,
}

/// The robot and its solids, and the requested distance.
#[derive(Clone, Copy)]
pub(super) struct CellQuery<'a> {
    pub(super) robot: &'a Robot,
    pub(super) outline: &'a Outline,
    pub(super) min_separation: f64,
}

impl JointCells {
    /// Returns the cells of two solids; `None` if there are not exactly two joints between them, both of which turn.
    pub(super) fn between(robot: &Robot, outline: &Outline, solids: [u32; 2]) -> Option<JointCells> {
        let [a, b] = solids.map(|solid| outline.frames[solid as usize]);
        let base = robot.common_ancestor(a, b);
        let up = |link: usize| {
            let parents = std::iter::successors(Some(link), |&i| robot.links()[i].parent());
            parents.take_while(move |&i| i != base)
        };
        let mut way: Vec<Passage> = up(a).map(|link| Passage { link, is_outwards: false }).collect();
        let down: Vec<Passage> = up(b).map(|link| Passage { link, is_outwards: true }).collect();
        way.extend(down.into_iter().rev());
        let kind = |passage: &Passage| robot.links()[passage.link].joint().map(|joint| joint.kind);
        let first = way.iter().position(|passage| kind(passage) != Some(JointKind::Fixed))?;
        let (to_middle, from_middle) = way.split_at(first + 1);
        let back = from_middle.iter().rev();
        let back = back.map(|passage| Passage { is_outwards: !passage.is_outwards, ..*passage });
        let sides = [TurningSide::of(robot, to_middle.iter().copied())?, TurningSide::of(robot, back)?];
        Some(JointCells { solids, sides, levels: Default::default() })
    }

    /// Returns true if the two solids are proven farther apart than `min_separation` all through a part of a step.
    #[inline]
    pub(super) fn is_apart(&self, query: &CellQuery<'_>, motion: &RobotMotion<'_>, t: [f64; 2]) -> bool {
        let mut line = [[0.0; 2]; 2];
        for (ends, side) in line.iter_mut().zip(&self.sides) {
            let Some((angles, error)) = motion.turn(side.joint, t) else { return false };
            *ends = angles.map(|angle| angle * PER_RADIAN);
            // Every level has twice as many sectors as the one before.
            let is_exact = error * PER_RADIAN * f64::from(1 << LEVELS) < 0.5 * ANGLE_ERROR;
            let is_near = ends[0].abs() < FARTHEST && ends[1].abs() < FARTHEST;
            if !is_exact || !is_near || (ends[1] - ends[0]).abs() > LONGEST {
                return false;
            }
        }
        self.is_line_apart(query, line, 0)
    }

    /// Returns true if a line in the plane of the angles, given in sectors of a level, passes only through cells of
    /// this level and the further ones whose bounds are large enough.
    ///
    /// In sectors, a computed angle is off by at most [`ANGLE_ERROR`]: by the errors that [`RobotMotion::turn`] states,
    /// and by a few roundings of numbers up to [`FARTHEST`]. Let `X` be the exact angles at some time, `x` the point of
    /// the computed line at that time, and `i` the sector of `x` along the coordinate that changes more. The column `i`
    /// is visited, from where the line enters it to where it leaves it. In between the other coordinate changes by no
    /// more than the first, so that it is as exact: it is between its values at both places, up to such an error, and
    /// all sectors within [`NEAR`] of these values are visited. So a cell is visited that contains `X` up to
    /// `ANGLE_ERROR + NEAR`, and cells were made with an [`OVERLAP`] of more. The same holds for a part of the line,
    /// which is made longer by `NEAR` at both ends.
    fn is_line_apart(&self, query: &CellQuery<'_>, mut line: [[f64; 2]; 2], level: usize) -> bool {
        let travel = |ends: &[f64; 2]| (ends[1] - ends[0]).abs();
        let long = usize::from(travel(&line[1]) > travel(&line[0]));
        if line[long][1] < line[long][0] {
            line.iter_mut().for_each(|ends| ends.reverse());
        }
        let ([x_0, x_1], [y_0, y_1]) = (line[long], line[1 - long]);
        let slope = if x_1 > x_0 { (y_1 - y_0) / (x_1 - x_0) } else { 0.0 };
        let height = |x: f64| y_0 + slope * (x - x_0);
        for column in sector(x_0 - NEAR)..=sector(x_1 + NEAR) {
            let enters = if f64::from(column) > x_0 { f64::from(column) } else { x_0 };
            let leaves = if f64::from(column + 1) < x_1 { f64::from(column + 1) } else { x_1 };
            let (low, high) = (height(enters), height(leaves));
            let (low, high) = if low < high { (low, high) } else { (high, low) };
            let mut rows = sector(low - NEAR)..=sector(high + NEAR);
            let is_large = |row: i32| {
                let cell = if long == 0 { [column, row] } else { [row, column] };
                self.bound(query, cell, level) > query.min_separation
            };
            if rows.all(is_large) {
                continue;
            }
            if level + 1 == LEVELS {
                return false;
            }
            let part = [enters - NEAR, leaves + NEAR];
            let (xs, ys) = (part.map(|x| 2.0 * x), part.map(|x| 2.0 * height(x)));
            if !self.is_line_apart(query, if long == 0 { [xs, ys] } else { [ys, xs] }, level + 1) {
                return false;
            }
        }
        true
    }

    /// Returns the bound of a cell, which is measured unless it is known.
    #[inline]
    fn bound(&self, query: &CellQuery<'_>, cell: [i32; 2], level: usize) -> f64 {
        let sectors = cell.map(|sector| sector as usize & ((SECTORS << level) - 1));
        let kept = &self.level(level).bounds[sectors[0] * (SECTORS << level) + sectors[1]];
        let mut bound = f32::from_bits(kept.load(Ordering::Relaxed));
        if bound == 0.0 {
            // Several threads may measure a cell at once: they find the same bits.
            bound = self.measure(query, sectors, level);
            kept.store(bound.to_bits(), Ordering::Relaxed);
        }
        f64::from(bound)
    }

    #[inline]
    fn level(&self, level: usize) -> &Level {
        self.levels[level].get_or_init(|| Level::new(SECTORS << level))
    }

    /// Measures the bound of a cell: rule 3 of the header.
    #[cold]
    fn measure(&self, query: &CellQuery<'_>, sectors: [usize; 2], level: usize) -> f32 {
        let &CellQuery { robot, outline, .. } = query;
        let size = |k: usize| outline.solids[self.solids[k] as usize].whole().radius();
        let enough = ENOUGH * (size(0) + size(1));
        let mut swept = [0, 1].map(|k| SweptNodes::new(self, k, sectors[k], level));
        let mut open = vec![SolidPair { solids: self.solids, nodes: [0, 0] }];
        let (mut least, mut tests) = (f64::INFINITY, 0);
        while let Some(pair) = open.pop() {
            tests += 1;
            if tests > MOST_TESTS {
                return NOTHING;
            }
            let [of_a, of_b] = &mut swept;
            let hulls = [of_a.hull(outline, &pair), of_b.hull(outline, &pair)];
            let towards = (hulls[1].bounds().0 - hulls[0].bounds().0).try_normalize().unwrap_or(DVec3::ZERO);
            let distance = distance_up_to(enough, towards, hulls, &HERE, &LinkBounds::AT_REST);
            if distance < enough && pair.open(robot, outline, hulls.map(RoundedHull::radius), &mut open) {
                continue;
            }
            if distance <= 0.0 {
                return NOTHING;
            }
            least = if distance < least { distance } else { least };
        }
        let bound = least as f32;
        if f64::from(bound) > least { bound.next_down() } else { bound }
    }
}

impl Level {
    fn new(sectors: usize) -> Level {
        let swept = || (0..sectors).map(|_| OnceLock::new()).collect();
        let bounds = (0..sectors * sectors).map(|_| AtomicU32::new(0)).collect();
        Level { bounds, swept: [swept(), swept()] }
    }
}

/// A pair of solids of the outline, each with a node of its tree.
struct SolidPair {
    solids: [u32; 2],
    nodes: [u32; 2],
}

impl SolidPair {
    /// Opens the pair into pairs of the parts of groups, or of halves, the larger solid first. Returns `false` if
    /// neither can be opened.
    fn open(&self, robot: &Robot, outline: &Outline, radii: [f64; 2], open: &mut Vec<SolidPair>) -> bool {
        let group = |solid: u32| -> (&Group, bool) {
            match (solid as usize).checked_sub(outline.parts.len()) {
                None => (&outline.groups[outline.group_of_part[solid as usize]], false),
                Some(k) => (&outline.groups[outline.group_of_solid[k]], true),
            }
        };
        let [(group_a, is_group_a), (group_b, is_group_b)] = self.solids.map(group);
        if is_group_a || is_group_b {
            let parts = outline.own_pairs_of(robot, group_a, group_b);
            open.extend(parts.map(|solids| SolidPair { solids, nodes: [0, 0] }));
            return true;
        }
        let halves = [0, 1].map(|k| {
            let solid = self.solids[k] as usize;
            outline.solids[solid].halves(outline.shape_of(solid), self.nodes[k])
        });
        let larger = halves[1].is_none() || radii[0] >= radii[1];
        let k = if halves[0].is_some() && larger { 0 } else { 1 };
        let Some(first) = halves[k] else { return false };
        open.extend([first, first + 1].map(|half| {
            let mut nodes = self.nodes;
            nodes[k] = half;
            SolidPair { nodes, ..*self }
        }));
        true
    }
}

/// The solids of one side, swept through a sector.
struct SweptNodes<'a> {
    cells: &'a JointCells,
    /// The index of the side.
    k: usize,
    /// The volume that the whole solid sweeps, once it is computed.
    whole: &'a OnceLock<RoundedHull>,
    /// The poses at both ends of the sector, and the one that gives the corners between these.
    corners: [PoseAt; 3],
    nodes: Vec<((u32, u32), RoundedHull)>,
}

impl<'a> SweptNodes<'a> {
    fn new(cells: &'a JointCells, k: usize, sector: usize, level: usize) -> SweptNodes<'a> {
        let width = TAU / (SECTORS << level) as f64;
        let (middle, half) = (width * (sector as f64 + 0.5), width * (0.5 + OVERLAP));
        let (_, cos_half) = sin_cos(half);
        let side = &cells.sides[k];
        let ends = [side.turned(middle - half, 1.0), side.turned(middle + half, 1.0)];
        let corners = [ends[0], ends[1], side.turned(middle, 1.0 / cos_half)];
        SweptNodes { cells, k, whole: &cells.level(level).swept[k][sector], corners, nodes: Vec::new() }
    }

    /// Returns the volume that a solid of a pair sweeps.
    fn hull(&mut self, outline: &Outline, pair: &SolidPair) -> &RoundedHull {
        let (solid, node) = (pair.solids[self.k], pair.nodes[self.k]);
        let (side, corners) = (&self.cells.sides[self.k], &self.corners);
        let swept = || {
            let hull = outline.solids[solid as usize].hull(outline.shape_of(solid as usize), node);
            hull.images(corners, SLACK * (hull.reach() + side.length))
        };
        if (solid, node) == (self.cells.solids[self.k], 0) {
            return self.whole.get_or_init(swept);
        }
        let known = self.nodes.iter().position(|(key, _)| *key == (solid, node));
        let known = known.unwrap_or_else(|| {
            self.nodes.push(((solid, node), swept()));
            self.nodes.len() - 1
        });
        &self.nodes[known].1
    }
}

impl TurningSide {
    /// Returns the way over some joints, of which one turns and the others are fixed, from the frame of a solid; `None`
    /// for other joints.
    fn of(robot: &Robot, way: impl Iterator<Item = Passage>) -> Option<TurningSide> {
        let mut turn: Option<TurningSide> = None;
        let (mut fixed, mut length) = (HERE, 0.0);
        let then = |fixed: &PoseAt, pose: &PoseAt| PoseAt {
            rotation: pose.rotation * fixed.rotation,
            translation: pose.apply(fixed.translation),
        };
        for Passage { link, is_outwards } in way {
            let joint = robot.links()[link].joint()?;
            let origin = joint.origin.at();
            length += origin.translation.length();
            if is_outwards {
                let inverse = PoseAt {
                    rotation: origin.rotation.transpose(),
                    translation: -origin.direction_to_body(origin.translation),
                };
                fixed = then(&fixed, &inverse);
            }
            match joint.kind {
                JointKind::Fixed => {}
                JointKind::Revolute { axis } if turn.is_none() => {
                    let sign = if is_outwards { -1.0 } else { 1.0 };
                    let axis = axis.normalize();
                    turn = Some(TurningSide { joint: link, before: fixed, axis, sign, after: HERE, length });
                    fixed = HERE;
                }
                _ => return None,
            }
            if !is_outwards {
                fixed = then(&fixed, &origin);
            }
        }
        Some(TurningSide { after: fixed, length, ..turn? })
    }

    /// Returns the map that turns the solid by an angle and takes it to the frame between the joints, with all
    /// distances from the axis multiplied by `scale`.
    fn turned(&self, angle: f64, scale: f64) -> PoseAt {
        let (sin, cos) = sin_cos(self.sign * angle);
        let axis = self.axis;
        let along = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        let across = DMat3::IDENTITY - along;
        let side = DMat3::from_cols(axis.cross(DVec3::X), axis.cross(DVec3::Y), axis.cross(DVec3::Z));
        let turn = along + across * (scale * cos) + side * (scale * sin);
        PoseAt {
            rotation: self.after.rotation * turn * self.before.rotation,
            translation: self.after.apply(turn * self.before.translation),
        }
    }
}

/// Returns the sector that an angle is in, given in sectors.
#[inline]
fn sector(angle: f64) -> i32 {
    angle.floor() as i32
}

#[cfg(test)]
#[path = "joint_cells_tests.rs"]
mod tests;
