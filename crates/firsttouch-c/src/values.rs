//! The plain data that crosses the border, and its counterparts in Rust. No field is padding, so answers can be
//! compared byte by byte.
//!
//! Kinds are plain numbers instead of enumerations: C may pass any number.

use firsttouch::motion::Pose;
use firsttouch::{Answer, Feature, LinkPiece, Mode, Options, Part, Start, Touch};
use glam::{DQuat, DVec3};

use crate::border::{Failure, Out, Outcome, given};

/// A placement. `quat_wxyz` need not have unit length; a zero quaternion is refused.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_pose {
    /// The translation.
    pub xyz: [f64; 3],
    /// The rotation: w, x, y, z.
    pub quat_wxyz: [f64; 4],
}

/// Returns the pose without translation and rotation.
#[unsafe(no_mangle)]
pub extern "C" fn ft_pose_identity() -> ft_pose {
    ft_pose { xyz: [0.0; 3], quat_wxyz: [1.0, 0.0, 0.0, 0.0] }
}

impl ft_pose {
    pub(crate) fn read(&self) -> Outcome<Pose> {
        let [w, x, y, z] = self.quat_wxyz;
        Ok(Pose::new(DVec3::from_array(self.xyz), DQuat::from_xyzw(x, y, z, w))?)
    }
}

impl From<Pose> for ft_pose {
    fn from(pose: Pose) -> ft_pose {
        let [x, y, z, w] = pose.rotation().to_array();
        ft_pose { xyz: pose.translation().to_array(), quat_wxyz: [w, x, y, z] }
    }
}

/// The question: `ft_options.mode`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_mode {
    /// The earliest touch of all.
    First = 0,
    /// Any touch: the query ends as soon as one is known. The time before `free_until` is proven free, not the time
    /// before `toi`.
    Any = 1,
    /// The first touch of every pair.
    All = 2,
}

/// The treatment of contacts at time 0: `ft_options.start`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_start {
    /// The answer is `FT_ANSWER_KIND_TOUCHING_AT_START`.
    Report = 0,
    /// They are left out while they do not deepen by more than the tolerance. Checkers refuse this.
    Ignore = 1,
}

/// The settings of a query. Start from `ft_options_default()`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_options {
    /// One of `ft_mode`.
    pub mode: u32,
    /// One of `ft_start`.
    pub start: u32,
    /// At the reported time the gap is at most `min_separation + tolerance`.
    pub tolerance: f64,
    /// Bodies closer than this count as touching.
    pub min_separation: f64,
    /// The end of the time to check, in (0, 1].
    pub t_max: f64,
    /// The number of steps of advancement that one pair may take before the answer is undecided.
    pub max_iterations: u64,
    /// The number of threads; 0 is one per core. Answers do not depend on it.
    pub threads: u64,
    /// Zero, reserved for future options.
    pub reserved: [u64; 4],
}

/// Returns the defaults: mode first, tolerance 1e-6, no separation, all of [0, 1], 10,000 iterations, one thread,
/// contacts at the start reported.
#[unsafe(no_mangle)]
pub extern "C" fn ft_options_default() -> ft_options {
    Options::DEFAULT.into()
}

impl From<Options> for ft_options {
    fn from(options: Options) -> ft_options {
        let Options { mode, tolerance, min_separation, t_max, max_iterations, threads, start } = options;
        let mode = match mode {
            Mode::First => ft_mode::First,
            Mode::Any => ft_mode::Any,
            Mode::All => ft_mode::All,
        };
        let start = match start {
            Start::Report => ft_start::Report,
            Start::Ignore => ft_start::Ignore,
        };
        ft_options {
            mode: mode as u32,
            start: start as u32,
            tolerance,
            min_separation,
            t_max,
            max_iterations: max_iterations as u64,
            threads: threads as u64,
            reserved: [0; 4],
        }
    }
}

/// Reads the options of a query; NULL stands for the default.
#[inline]
pub(crate) fn options(given: Option<&ft_options>) -> Outcome<Options> {
    let Some(given) = given else { return Ok(Options::DEFAULT) };
    const MODES: [Mode; 3] = [Mode::First, Mode::Any, Mode::All];
    const STARTS: [Start; 2] = [Start::Report, Start::Ignore];
    let (Some(&mode), Some(&start)) = (MODES.get(given.mode as usize), STARTS.get(given.start as usize))
    else {
        return Err(Failure::invalid(format!(
            "options: there is no mode {} with start {}",
            given.mode, given.start
        )));
    };
    if given.reserved != [0; 4] {
        return Err(Failure::invalid("options: `reserved` must be zero; start from ft_options_default()"));
    }
    Ok(Options {
        mode,
        start,
        tolerance: given.tolerance,
        min_separation: given.min_separation,
        t_max: given.t_max,
        max_iterations: usize::try_from(given.max_iterations).unwrap_or(usize::MAX),
        threads: usize::try_from(given.threads).unwrap_or(usize::MAX),
    })
}

/// The four answers: `ft_answer.kind`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_answer_kind {
    /// The distance is at least `min_separation` in all of [0, t_max]. This is proven.
    Free = 0,
    /// At `toi` the gap is at most `min_separation + tolerance`; free on [0, free_until).
    Touch = 1,
    /// Within `min_separation + tolerance`, or overlapping, at time 0.
    TouchingAtStart = 2,
    /// The budget ran out, or the query was interrupted; free on [0, free_until).
    Undecided = 3,
}

/// The kind of the touching part: `ft_part.kind` and, within a link, `ft_part.piece_kind`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_part_kind {
    /// The body is one convex solid.
    Solid = 0,
    /// Triangle `index` of a mesh.
    Triangle = 1,
    /// Piece `index` of a compound.
    Piece = 2,
    /// Shape number `shape` of link `link` of a robot, and its piece, given by `piece_kind` and `index`.
    Link = 3,
    /// Loose edge `index` of a deforming mesh.
    LooseEdge = 4,
    /// Loose point `index` of a deforming mesh.
    LoosePoint = 5,
    /// A kind that this version of the header does not name.
    Other = 6,
}

/// The part of a body that touches. Fields that its kind does not mention are 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ft_part {
    /// One of `ft_part_kind`.
    pub kind: u32,
    /// The index of the triangle, piece, loose edge or loose point.
    pub index: u32,
    /// The link of the robot.
    pub link: u32,
    /// The shape of the link.
    pub shape: u32,
    /// One of `ft_part_kind`: solid, triangle or piece.
    pub piece_kind: u32,
}

/// The kind of the touching feature: `ft_feature.kind`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_feature_kind {
    /// A corner.
    Vertex = 0,
    /// An edge, straight or curved.
    Edge = 1,
    /// A face, flat or curved.
    Face = 2,
}

/// The feature of a part that touches.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ft_feature {
    /// One of `ft_feature_kind`.
    pub kind: u32,
    /// Its index.
    pub index: u32,
}

/// The answer of a query. Without a touch, all fields that describe one are 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ft_answer {
    /// One of `ft_answer_kind`.
    pub kind: u32,
    /// Zero.
    pub reserved: u32,
    /// A time of touch. In the modes first and all it is never after the first contact, and equal to `free_until`.
    pub toi: f64,
    /// The time before which there is no touch. This is proven for every kind: `t_max` if free, 0 if touching at the
    /// start.
    pub free_until: f64,
    /// An upper bound of the gap at `toi`; 0 if the two overlap.
    pub gap: f64,
    /// The two bodies that touch, or whose budget ran out. In a scene: their indices. In a checker: 0 is the robot, 1 +
    /// k obstacle k.
    pub bodies: [u64; 2],
    /// The part of each that touches.
    pub parts: [ft_part; 2],
    /// The feature of each part.
    pub features: [ft_feature; 2],
    /// The closest point on each side, in world coordinates at `toi`.
    pub points: [[f64; 3]; 2],
    /// The unit normal from the first to the second.
    pub normal: [f64; 3],
}

impl From<Part> for ft_part {
    fn from(part: Part) -> ft_part {
        let of = |kind: ft_part_kind, index: u32| ft_part { kind: kind as u32, index, ..Default::default() };
        match part {
            Part::Solid => of(ft_part_kind::Solid, 0),
            Part::Triangle(index) => of(ft_part_kind::Triangle, index),
            Part::Piece(index) => of(ft_part_kind::Piece, index),
            Part::LooseEdge(index) => of(ft_part_kind::LooseEdge, index),
            Part::LoosePoint(index) => of(ft_part_kind::LoosePoint, index),
            Part::Link { link, shape, piece } => {
                let (piece_kind, index) = match piece {
                    LinkPiece::Solid => (ft_part_kind::Solid, 0),
                    LinkPiece::Triangle(index) => (ft_part_kind::Triangle, index),
                    LinkPiece::Piece(index) => (ft_part_kind::Piece, index),
                    _ => (ft_part_kind::Other, 0),
                };
                ft_part { link, shape, piece_kind: piece_kind as u32, ..of(ft_part_kind::Link, index) }
            }
            _ => of(ft_part_kind::Other, 0),
        }
    }
}

impl ft_part {
    /// Returns the part in Rust, or `None` if it has no name there.
    pub(crate) fn read(&self) -> Outcome<Part> {
        let unknown =
            || Failure::invalid(format!("there is no part of kind {}.{}", self.kind, self.piece_kind));
        const SOLID: u32 = ft_part_kind::Solid as u32;
        const TRIANGLE: u32 = ft_part_kind::Triangle as u32;
        const PIECE: u32 = ft_part_kind::Piece as u32;
        const LINK: u32 = ft_part_kind::Link as u32;
        const LOOSE_EDGE: u32 = ft_part_kind::LooseEdge as u32;
        const LOOSE_POINT: u32 = ft_part_kind::LoosePoint as u32;
        Ok(match self.kind {
            SOLID => Part::Solid,
            TRIANGLE => Part::Triangle(self.index),
            PIECE => Part::Piece(self.index),
            LOOSE_EDGE => Part::LooseEdge(self.index),
            LOOSE_POINT => Part::LoosePoint(self.index),
            LINK => {
                let piece = match self.piece_kind {
                    SOLID => LinkPiece::Solid,
                    TRIANGLE => LinkPiece::Triangle(self.index),
                    PIECE => LinkPiece::Piece(self.index),
                    _ => return Err(unknown()),
                };
                Part::Link { link: self.link, shape: self.shape, piece }
            }
            _ => return Err(unknown()),
        })
    }
}

impl From<Feature> for ft_feature {
    fn from(feature: Feature) -> ft_feature {
        let (kind, index) = match feature {
            Feature::Vertex(index) => (ft_feature_kind::Vertex, index),
            Feature::Edge(index) => (ft_feature_kind::Edge, index),
            Feature::Face(index) => (ft_feature_kind::Face, index),
        };
        ft_feature { kind: kind as u32, index }
    }
}

/// Reads the options, runs a query and writes its answer.
#[inline]
pub(crate) fn answered(
    answer: Out<'_, ft_answer>,
    options: Option<&ft_options>,
    query: impl FnOnce(&Options) -> Outcome<Answer>,
) -> Outcome {
    let answer = given("answer", answer)?;
    let options = self::options(options)?;
    answer.write(ft_answer::new(&query(&options)?, options.t_max));
    Ok(())
}

impl ft_answer {
    /// Returns the answer of a query up to `t_max`.
    #[inline]
    pub(crate) fn new(answer: &Answer, t_max: f64) -> ft_answer {
        match answer {
            Answer::Free => ft_answer::without_touch(ft_answer_kind::Free, t_max),
            Answer::Touch(touch) => ft_answer::of_touch(ft_answer_kind::Touch, touch, touch.free_until),
            Answer::TouchingAtStart(touch) => {
                ft_answer::of_touch(ft_answer_kind::TouchingAtStart, touch, 0.0)
            }
            Answer::Undecided { free_until, bodies } => ft_answer {
                bodies: bodies.map(|body| body as u64),
                ..ft_answer::without_touch(ft_answer_kind::Undecided, *free_until)
            },
        }
    }

    fn without_touch(kind: ft_answer_kind, free_until: f64) -> ft_answer {
        ft_answer { kind: kind as u32, free_until, ..ft_answer::default() }
    }

    fn of_touch(kind: ft_answer_kind, touch: &Touch, free_until: f64) -> ft_answer {
        ft_answer {
            kind: kind as u32,
            reserved: 0,
            toi: touch.toi,
            free_until,
            gap: touch.gap,
            bodies: touch.bodies.map(|body| body as u64),
            parts: touch.parts.map(ft_part::from),
            features: touch.features.map(ft_feature::from),
            points: touch.points.map(|point| point.to_array()),
            normal: touch.normal.to_array(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every part is unchanged after a round trip, and no struct has bytes that are never written.
    #[test]
    fn parts_and_sizes() {
        let link = |piece| Part::Link { link: 4, shape: 2, piece };
        for part in [
            Part::Solid,
            Part::Triangle(7),
            Part::Piece(3),
            Part::LooseEdge(9),
            Part::LoosePoint(1),
            link(LinkPiece::Solid),
            link(LinkPiece::Triangle(8)),
            link(LinkPiece::Piece(5)),
        ] {
            assert_eq!(ft_part::from(part).read().ok(), Some(part));
        }
        assert!(ft_part { kind: 99, ..Default::default() }.read().is_err());
        assert_eq!(size_of::<ft_answer>(), 4 + 4 + 3 * 8 + 2 * 8 + 2 * 20 + 2 * 8 + 2 * 24 + 24);
        assert_eq!(size_of::<ft_options>(), 4 + 4 + 3 * 8 + 2 * 8 + 4 * 8);
    }

    #[test]
    fn options_are_the_default_of_rust() {
        assert_eq!(options(Some(&ft_options_default())).ok(), Some(Options::default()));
        assert_eq!(options(None).ok(), Some(Options::default()));
        for broken in [
            ft_options { mode: 3, ..ft_options_default() },
            ft_options { start: 2, ..ft_options_default() },
            ft_options { reserved: [0, 0, 0, 1], ..ft_options_default() },
        ] {
            assert!(options(Some(&broken)).is_err());
        }
    }
}
