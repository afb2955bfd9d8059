//! The result of a query: the four answers, and the description of a touch.

use std::fmt;

use glam::DVec3;

/// The proven result for a pair, or for a whole scene, over `[0, t_max]`.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Answer, Options, first_touch};
/// use glam::DVec3;
/// // A ball of radius 1 flies from x = 0 to x = 8, past nothing but another one at x = 4: they touch at x = 2.
/// let ball = Sphere::new(1.0)?.into();
/// let flight = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 8.0)?);
/// let post = Motion::fixed(Pose::from_translation(DVec3::X * 4.0)?);
/// match first_touch((&ball, &flight), (&ball, &post), &Options::default())? {
///     Answer::Touch(touch) => assert!(touch.toi <= 0.25 && touch.toi > 0.25 - 1e-6),
///     Answer::Free | Answer::TouchingAtStart(_) | Answer::Undecided { .. } => panic!("they touch on the way"),
/// }
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "answer", rename_all = "snake_case"))]
pub enum Answer {
    /// No pair comes closer than `min_separation` at any time in `[0, t_max]`.
    Free,
    /// At `toi` the gap is at most `min_separation + tolerance`; free on `[0, free_until)`. In the modes `First` and
    /// `All` the two times are equal.
    Touch(Touch),
    /// The gap at time 0 is at most `min_separation + tolerance`, or the two overlap.
    TouchingAtStart(Touch),
    /// The iteration budget ran out; free on `[0, free_until)`.
    Undecided {
        /// The time up to which no pair touches.
        free_until: f64,
        /// The pair of bodies whose budget ran out.
        bodies: [usize; 2],
    },
}

impl Answer {
    /// Returns the touch, if there is one, at the start or later.
    pub fn touch(&self) -> Option<&Touch> {
        match self {
            Answer::Touch(touch) | Answer::TouchingAtStart(touch) => Some(touch),
            Answer::Free | Answer::Undecided { .. } => None,
        }
    }

    /// Returns the time before which no pair touches. The time is proven: 0 for a touch at the start, `t_max` if free,
    /// otherwise the `free_until` of the touch or of the undecided answer.
    ///
    /// ```
    /// use firsttouch::Answer;
    /// assert_eq!(Answer::Free.free_until(0.75), 0.75);
    /// assert_eq!(Answer::Undecided { free_until: 0.25, bodies: [0, 1] }.free_until(1.0), 0.25);
    /// ```
    pub fn free_until(&self, t_max: f64) -> f64 {
        match self {
            Answer::Free => t_max,
            Answer::Touch(touch) => touch.free_until,
            Answer::TouchingAtStart(_) => 0.0,
            Answer::Undecided { free_until, .. } => *free_until,
        }
    }
}

/// A touch: its time, its place and the two parts that touch.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Options, first_touch};
/// use glam::DVec3;
/// let ball = Sphere::new(1.0)?.into();
/// let flight = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 8.0)?);
/// let post = Motion::fixed(Pose::from_translation(DVec3::X * 4.0)?);
/// let answer = first_touch((&ball, &flight), (&ball, &post), &Options::default())?;
/// let touch = answer.touch().expect("they touch");
/// assert!((touch.points[1] - DVec3::X * 3.0).length() < 1e-5);
/// assert!((touch.normal - DVec3::X).length() < 1e-5); // from the first to the second
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Touch {
    /// A time at which the two touch. In the modes `First` and `All` it is never after the exact first contact; in
    /// the mode `Any` it may be.
    pub toi: f64,
    /// The time before which provably no pair touches. Equal to `toi` in the modes `First` and `All`; in the mode `Any`
    /// it may be less.
    pub free_until: f64,
    /// An upper bound of the gap at `toi`; 0 when the two overlap.
    pub gap: f64,
    /// The two bodies, as indices into the scene, in the scene's order.
    pub bodies: [usize; 2],
    /// The part of each body that touches.
    pub parts: [Part; 2],
    /// The feature of each part that touches.
    pub features: [Feature; 2],
    /// The closest point on each side, in world coordinates at `toi`.
    pub points: [DVec3; 2],
    /// The unit normal from the first body to the second.
    pub normal: DVec3,
}

impl Touch {
    /// Returns the same touch with the two sides swapped.
    pub fn swapped(mut self) -> Touch {
        self.bodies.swap(0, 1);
        self.parts.swap(0, 1);
        self.features.swap(0, 1);
        self.points.swap(0, 1);
        self.normal = -self.normal;
        self
    }
}

/// The part of a body that touches.
///
/// ```
/// use firsttouch::{LinkPiece, Part};
/// assert_eq!(Part::Triangle(7).to_string(), "tri 7");
/// let part = Part::Link { link: 2, shape: 0, piece: LinkPiece::Triangle(7) };
/// assert_eq!((part.to_string().as_str(), part.link()), ("link 2/shape 0/tri 7", Some(2)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Part {
    /// The body is one convex solid.
    Solid,
    /// A triangle of a mesh.
    Triangle(u32),
    /// A link of a robot: which of its shapes, and which piece of that shape.
    /// [`Robot::part_path`](crate::articulated::Robot::part_path) formats it with the name of the link.
    Link {
        /// The link, in the order of [`Robot::links`](crate::articulated::Robot::links).
        link: u32,
        /// The shape, in the order of [`Link::parts`](crate::articulated::Link::parts).
        shape: u32,
        /// The piece of the shape.
        piece: LinkPiece,
    },
    /// A piece of a compound.
    Piece(u32),
    /// A loose edge of a deforming mesh.
    LooseEdge(u32),
    /// A loose point of a deforming mesh.
    LoosePoint(u32),
}

/// The piece of a link's shape that touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LinkPiece {
    /// The shape is one convex solid.
    Solid,
    /// A triangle of a mesh.
    Triangle(u32),
    /// A piece of a compound.
    Piece(u32),
}

impl Part {
    /// Returns the index of the link, if the part belongs to a robot.
    pub fn link(&self) -> Option<usize> {
        match self {
            Part::Link { link, .. } => Some(*link as usize),
            Part::Solid | Part::Triangle(_) | Part::Piece(_) | Part::LooseEdge(_) | Part::LoosePoint(_) => {
                None
            }
        }
    }

    /// Returns this part as a part of a shape of a link.
    pub(crate) fn of_link(self, link: u32, shape: u32) -> Part {
        let piece = match self {
            Part::Triangle(index) => LinkPiece::Triangle(index),
            Part::Piece(index) => LinkPiece::Piece(index),
            Part::Solid | Part::Link { .. } | Part::LooseEdge(_) | Part::LoosePoint(_) => LinkPiece::Solid,
        };
        Part::Link { link, shape, piece }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Solid => write!(f, "solid"),
            Part::Triangle(index) => write!(f, "tri {index}"),
            Part::Link { link, shape, piece: LinkPiece::Solid } => write!(f, "link {link}/shape {shape}"),
            Part::Link { link, shape, piece: LinkPiece::Triangle(index) } => {
                write!(f, "link {link}/shape {shape}/tri {index}")
            }
            Part::Link { link, shape, piece: LinkPiece::Piece(index) } => {
                write!(f, "link {link}/shape {shape}/piece {index}")
            }
            Part::Piece(index) => write!(f, "piece {index}"),
            Part::LooseEdge(index) => write!(f, "loose edge {index}"),
            Part::LoosePoint(index) => write!(f, "loose point {index}"),
        }
    }
}

/// The feature of a part that touches. Each shape documents the numbers of its features.
///
/// ```
/// assert_eq!(firsttouch::Feature::Vertex(3).to_string(), "vertex 3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Feature {
    /// A corner of the part.
    Vertex(u32),
    /// An edge, straight or (the rim of a cylinder) curved.
    Edge(u32),
    /// A face, flat or curved.
    Face(u32),
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Vertex(index) => write!(f, "vertex {index}"),
            Feature::Edge(index) => write!(f, "edge {index}"),
            Feature::Face(index) => write!(f, "face {index}"),
        }
    }
}
