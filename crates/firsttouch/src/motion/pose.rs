//! The pose of a body: a rotation followed by a translation.

use glam::{DMat3, DQuat, DVec3};

use crate::error::{Error, Result, bounded, bounded_vector};
use crate::numerics::bound::largest_upper;

/// A rigid placement: a point `x` of the body is at `rotation · x + translation` in the world.
///
/// ```
/// use firsttouch::motion::Pose;
/// use glam::{DQuat, DVec3};
/// let pose = Pose::new(DVec3::X, DQuat::from_xyzw(0.0, 0.0, 2.0, 0.0))?; // half a turn about z
/// assert_eq!(pose.at().apply(DVec3::X), DVec3::ZERO);
/// assert!(Pose::new(DVec3::X, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).is_err());
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "PoseData"))]
pub struct Pose {
    translation: DVec3,
    rotation: DQuat,
}

impl Pose {
    /// No rotation, no translation.
    pub const IDENTITY: Pose = Pose { translation: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// Creates a pose. Returns an error for coordinates that are not finite and for a zero quaternion. The quaternion
    /// need not have unit length.
    pub fn new(translation: DVec3, rotation: DQuat) -> Result<Pose> {
        bounded_vector(|| "pose translation".into(), translation)?;
        for (name, value) in ["x", "y", "z", "w"].into_iter().zip(rotation.to_array()) {
            bounded(|| format!("pose quaternion {name}"), value)?;
        }
        // Scaling by the largest component first prevents overflow and underflow of the squares.
        let largest = largest_upper(rotation.to_array().map(f64::abs));
        if largest == 0.0 {
            return Err(Error::OutOfRange {
                what: "pose quaternion length".into(),
                expected: "positive",
                value: 0.0,
            });
        }
        let scaled = DQuat::from_array(rotation.to_array().map(|c| c / largest));
        // Components below 2^-200 change the rotation by less than a rounding error. Without them, products of
        // components, and the errors of such products, never underflow.
        let component = |c: f64| if c.abs() < NEGLIGIBLE { 0.0 } else { c };
        let length = scaled.length();
        Ok(Pose {
            translation,
            rotation: DQuat::from_array(scaled.to_array().map(|c| component(c / length))),
        })
    }

    /// Creates a pose that is only a translation.
    pub fn from_translation(translation: DVec3) -> Result<Pose> {
        Pose::new(translation, DQuat::IDENTITY)
    }

    /// Returns the translation.
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// Returns the rotation, of unit length up to rounding.
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// Returns the pose with its rotation as a matrix.
    pub fn at(&self) -> PoseAt {
        PoseAt { rotation: DMat3::from_quat(self.rotation), translation: self.translation }
    }
}

/// The serialized form of a pose, before validation: the rotation as `x, y, z, w`.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseData {
    #[serde(default)]
    translation: DVec3,
    #[serde(default)]
    rotation: DQuat,
}

#[cfg(feature = "serde")]
impl TryFrom<PoseData> for Pose {
    type Error = Error;

    fn try_from(data: PoseData) -> Result<Pose> {
        Pose::new(data.translation, data.rotation)
    }
}

/// 2^-200.
const NEGLIGIBLE: f64 = f64::from_bits((1023 - 200) << 52);

/// A pose evaluated at an instant, ready to be applied to many points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoseAt {
    /// The rotation.
    pub rotation: DMat3,
    /// The translation.
    pub translation: DVec3,
}

impl PoseAt {
    /// Returns the world coordinates of a point of the body.
    #[inline]
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Returns a world direction in the body's frame.
    #[inline]
    pub fn direction_to_body(&self, direction: DVec3) -> DVec3 {
        // The rows of the transpose are the columns, so three dot products need no transposed copy.
        DVec3::new(
            self.rotation.x_axis.dot(direction),
            self.rotation.y_axis.dot(direction),
            self.rotation.z_axis.dot(direction),
        )
    }

    /// Returns the extent of a box of the body along each world axis from its centre, given half its side lengths.
    #[inline]
    pub(crate) fn box_extent(&self, half: DVec3) -> DVec3 {
        let DMat3 { x_axis, y_axis, z_axis } = self.rotation;
        x_axis.abs() * half.x + y_axis.abs() * half.y + z_axis.abs() * half.z
    }

    /// Returns the body coordinates of a world point.
    #[inline]
    pub fn to_body(&self, point: DVec3) -> DVec3 {
        self.direction_to_body(point - self.translation)
    }
}

/// A pose at rest, ready to be applied. It is created from a [`Pose`], so its matrix is a rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedPose(PoseAt);

impl FixedPose {
    /// No rotation, no translation.
    pub const IDENTITY: FixedPose = FixedPose(PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO });

    /// Returns the pose, which is the same at any time.
    #[inline]
    pub fn at(&self) -> PoseAt {
        self.0
    }

    /// Returns the same rotation at another position.
    pub(crate) fn moved_to(&self, translation: DVec3) -> FixedPose {
        FixedPose(PoseAt { translation, ..self.0 })
    }
}

impl From<Pose> for FixedPose {
    fn from(pose: Pose) -> FixedPose {
        FixedPose(pose.at())
    }
}

/// An upper bound of the error of an evaluated pose.
///
/// A point at distance `r` from the body's origin is at most `rotation · r + translation` from its computed position.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PoseError {
    /// The spectral norm of the difference of the rotations.
    pub rotation: f64,
    /// The length of the difference of the translations.
    pub translation: f64,
}
