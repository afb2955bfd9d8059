//! A moving ellipsoid as polynomials of time: the contribution of one side to all its CCD equations.
//!
//! With the notation of `characteristic`, a side is its centre and `S`, `adj S`, `det S`, all rational in time. They
//! are kept as numerators over powers of one polynomial `e`:
//!
//! - *Rigid*, with the quaternion `q`, and `N` its matrix times `|q|²`: `e = |q|⁴`, `S = N D² N^T / e`,
//!   `adj S = det(D²) N D⁻² N^T / e`, `det S = det D²`.
//! - *Affine*, with the matrix `L / w`: `e = w²`, `S = L L^T / e`, `adj S = cof L (cof L)^T / e²`,
//!   `det S = det(L)² / e³`.
//! - *The interpolant of Appendix D*, with `B = S⁻¹` linear: `e = det B`, `S = adj B / e`, `adj S = B / e`,
//!   `det S = 1 / e`.
//!
//! All denominators are positive, so clearing them keeps the sign of the equation.
//!
//! The equation is of sixth order in lengths, and its denominators of eighth order in quaternions. Each side is
//! therefore stored in its own unit of length, a power of two (one for ordinary sizes; see `stationary`). Quaternions
//! and weights far from one are also scaled by powers of two.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Appendices B and D.

use std::borrow::Cow;
use std::sync::OnceLock;

use glam::DVec3;

use super::characteristic::{MIX, Sym3};
use super::chord::Chord;
use super::form::{Form, Forms};
use super::linear_inverse::{AtRest, LinearInverse};
use super::stationary::unit_of;
use crate::motion::{Affine, AffineInterpolant, Motion, PoseAt, Rational, RigidMotion};
use crate::numerics::bernstein::Bernstein;
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::UNIT;
use crate::numerics::rounding::cold_path;
use crate::shape::Ellipsoid;

/// One ellipsoid in motion, prepared for pairs with many others.
///
/// ```
/// use firsttouch::ellipsoid::Track;
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Ellipsoid;
/// use glam::DVec3;
/// let egg = Ellipsoid::new(DVec3::new(2.0, 1.0, 1.0))?;
/// let to = Pose::from_translation(DVec3::X)?;
/// assert!(Track::new(&egg, &Motion::rational(Pose::IDENTITY, to)).is_some());
/// assert!(Track::new(&egg, &Motion::screw(Pose::IDENTITY, to)).is_none()); // not rational
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Track(pub(super) Kind);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A linear quaternion and centre, and the semi-axes in the same unit, in case the other side needs the general
    /// form.
    Chord(Box<Chord>, DVec3),
    /// The interpolant, in the unit 1.
    LinearInverse(Box<LinearInverse>, Box<LazyGeneral<AffineInterpolant>>),
    /// An ellipsoid at rest, in the unit 1.
    AtRest(Box<AtRest>, Box<LazyGeneral<Placement>>),
    General(Box<General>),
}

/// The source of a side, and its general form, in case the other side needs it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LazyGeneral<T> {
    source: T,
    general: OnceLock<General>,
}

/// An ellipsoid at rest. The rotation matrix is off by `error` in each entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placement {
    semi_axes: DVec3,
    pose: PoseAt,
    error: f64,
}

/// Numerators and denominators as in the header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct General {
    pub(super) forms: Forms,
    pub(super) s: Sym3<Form>,
    pub(super) adj: Sym3<Form>,
    pub(super) det: Form,
    /// `e`, and the powers of it under `s`, `adj` and `det`.
    pub(super) denominator: Form,
    pub(super) powers: [usize; 3],
    /// The centre is `center / weight`.
    pub(super) center: [Form; 3],
    pub(super) weight: Form,
    /// The unit of length.
    pub(super) unit: f64,
}

/// Rows and columns of the six entries of a symmetric matrix.
pub(super) const ENTRIES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

impl Track {
    /// Returns true if there is a track for a rigid motion.
    pub(super) fn is_for(motion: &Motion) -> bool {
        matches!(motion, Motion::Rational(_) | Motion::Fixed(_))
    }

    /// Returns an ellipsoid in a rigid motion; `None` if the motion is not rational.
    pub fn new(shape: &Ellipsoid, motion: &Motion) -> Option<Track> {
        match motion {
            Motion::Rational(motion) => Some(Track::rational(shape, motion)),
            Motion::Fixed(pose) => {
                let pose = pose.at();
                // The bound of the distance between the stored matrix and the given rotation.
                let error = motion.pose_error().rotation;
                let (semi_axes, unit) = in_own_unit(shape);
                let placement = Placement { semi_axes, pose, error };
                if unit != 1.0 {
                    return Some(General::at_rest(&placement, unit).into_track());
                }
                let quick = AtRest::new(semi_axes, pose.rotation, error, pose.translation);
                Some(Track(Kind::AtRest(Box::new(quick), Box::new(LazyGeneral::of(placement)))))
            }
            _ => None,
        }
    }

    /// Returns an ellipsoid in a rational rigid motion.
    pub fn rational(shape: &Ellipsoid, motion: &Rational) -> Track {
        let (semi_axes, unit) = in_own_unit(shape);
        // A rotation does not change a ball, so the equation of a ball has a lower degree.
        if is_ball(semi_axes) {
            let one = Bernstein::from_coefficients(&[1.0]).expect("one is finite");
            let zero = Bernstein::from_coefficients(&[0.0]).expect("zero is finite");
            let still = [one, zero.clone(), zero.clone(), zero];
            let scale = 1.0 / unit;
            return General::new(semi_axes, unit, &still, motion.xyz(), scale, motion.weight()).into_track();
        }
        match Chord::new(semi_axes, unit, motion) {
            Some(chord) => Track(Kind::Chord(Box::new(chord), semi_axes)),
            None => {
                let (quat, xyz) = (motion.quaternion(), motion.xyz());
                General::new(semi_axes, unit, quat, xyz, 1.0 / unit, motion.weight()).into_track()
            }
        }
    }

    /// Returns the image of the unit ball under a rational affine motion.
    pub fn affine(motion: &Affine) -> Track {
        let mut forms = Forms::with_capacity(256);
        let weight_scale = 1.0 / unit_of(largest_of([motion.weight()]));
        let unit = unit_of(largest_of(motion.linear().iter().flatten()) * weight_scale);
        let scale = weight_scale / unit;
        // A scale that is not finite is not used. This proves less, but is never wrong.
        let is_usable = scale > 0.0 && scale < f64::INFINITY && weight_scale < f64::INFINITY;
        let (weight_scale, unit, scale) =
            if is_usable { (weight_scale, unit, scale) } else { (1.0, 1.0, 1.0) };
        let linear =
            motion.linear().each_ref().map(|row| row.each_ref().map(|p| forms.bernstein_scaled(p, scale)));
        let cofactors = [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            [0, 1, 2].map(|l| {
                let (p, q) = ((l + 1) % 3, (l + 2) % 3);
                forms.sum(&[(1.0, linear[j][p], linear[k][q]), (-1.0, linear[j][q], linear[k][p])])
            })
        });
        let mut dot = |x: &[Form; 3], y: &[Form; 3]| forms.sum(&[0, 1, 2].map(|k| (1.0, x[k], y[k])));
        let volume = dot(&linear[0], &cofactors[0]);
        let s = ENTRIES.map(|(i, j)| dot(&linear[i], &linear[j]));
        let adj = ENTRIES.map(|(i, j)| dot(&cofactors[i], &cofactors[j]));
        let weight = forms.bernstein_scaled(motion.weight(), weight_scale);
        let denominator = forms.product(weight, weight);
        let det = forms.product(volume, volume);
        let center = motion.xyz().each_ref().map(|p| forms.bernstein_scaled(p, scale));
        General { forms, s, adj, det, denominator, powers: [1, 2, 3], center, weight, unit }.into_track()
    }

    /// Returns an ellipsoid that changes its shape by the interpolant of Appendix D.
    pub fn interpolant(motion: &AffineInterpolant) -> Track {
        let unit = unit_of_interpolant(motion);
        if unit != 1.0 {
            return General::interpolant(motion, unit).into_track();
        }
        let quick = LinearInverse::interpolant(motion);
        Track(Kind::LinearInverse(Box::new(quick), Box::new(LazyGeneral::of(*motion))))
    }

    /// Returns the general form, computed on first use.
    pub(super) fn to_general(&self) -> Cow<'_, General> {
        match &self.0 {
            Kind::Chord(chord, semi_axes) => {
                // These polynomials are already in the chord's unit.
                let (quat, xyz, weight) = chord.polynomials();
                Cow::Owned(General::new(*semi_axes, chord.unit, &quat, &xyz, 1.0, &weight))
            }
            Kind::LinearInverse(_, lazy) => {
                Cow::Borrowed(lazy.general.get_or_init(|| General::interpolant(&lazy.source, 1.0)))
            }
            Kind::AtRest(_, lazy) => {
                Cow::Borrowed(lazy.general.get_or_init(|| General::at_rest(&lazy.source, 1.0)))
            }
            Kind::General(general) => Cow::Borrowed(general),
        }
    }
}

impl<T> LazyGeneral<T> {
    fn of(source: T) -> LazyGeneral<T> {
        LazyGeneral { source, general: OnceLock::new() }
    }
}

impl General {
    fn into_track(self) -> Track {
        Track(Kind::General(Box::new(self)))
    }

    /// Returns an ellipsoid at rest, with its semi-axes in a unit of length.
    fn at_rest(&Placement { semi_axes, pose, error }: &Placement, unit: f64) -> General {
        let mut forms = Forms::with_capacity(64);
        let n = [0, 1, 2].map(|i| [0, 1, 2].map(|j| forms.constant(pose.rotation.col(j)[i], error)));
        let center = pose.translation.to_array().map(|x| forms.constant(x, 0.0));
        let center = center.map(|x| forms.scaled(x, 1.0 / unit));
        General::rigid(forms, semi_axes, unit, &n, Form::ONE, center, Form::ONE)
    }

    /// Returns the interpolant of Appendix D.
    fn interpolant(motion: &AffineInterpolant, unit: f64) -> General {
        let mut forms = Forms::with_capacity(64);
        let mut line = |a: f64, b: f64| {
            forms.bernstein(&Bernstein::from_coefficients(&[a, b]).expect("the constructor checks"))
        };
        let (b, c) = (motion.matrices(), motion.centers());
        let inverse: Sym3<Form> = [0, 1, 2, 3, 4, 5].map(|k| line(b[0][k], b[1][k]));
        let center = [0, 1, 2].map(|k| line(c[0][k], c[1][k]));
        let inverse = inverse.map(|form| forms.scaled(form, unit * unit));
        let center = center.map(|form| forms.scaled(form, 1.0 / unit));
        let s: Sym3<Form> = MIX.map(|([i, j], [k, l])| {
            forms.sum(&[(1.0, inverse[i], inverse[j]), (-1.0, inverse[k], inverse[l])])
        });
        let denominator = forms.sum(&[0, 5, 4].map(|k| (1.0, inverse[k], s[k])));
        let (det, weight) = (Form::ONE, Form::ONE);
        let powers = [1, 1, 1];
        General { forms, s, adj: inverse, det, denominator, powers, center, weight, unit }
    }

    /// Returns the general form, for any degree; `scale` converts the numerators of the centre to the unit.
    pub(super) fn new(
        semi_axes: DVec3,
        unit: f64,
        quat: &[Bernstein; 4],
        xyz: &[Bernstein; 3],
        scale: f64,
        weight: &Bernstein,
    ) -> General {
        let degree = quat.iter().map(Bernstein::degree).max().unwrap_or(0);
        let mut forms = Forms::with_capacity(40 * (2 * degree + 1));
        let quat_scale = 1.0 / unit_of(largest_of(quat));
        let q = quat.each_ref().map(|p| forms.bernstein_scaled(p, quat_scale));
        let n = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                if i == j {
                    let (k, l) = ((i + 1) % 3 + 1, (i + 2) % 3 + 1);
                    let squares = [(1.0, 0), (1.0, i + 1), (-1.0, k), (-1.0, l)];
                    forms.sum(&squares.map(|(sign, k)| (sign, q[k], q[k])))
                } else {
                    let twist = if (i + 1) % 3 == j { -2.0 } else { 2.0 };
                    forms.sum(&[(2.0, q[i + 1], q[j + 1]), (twist, q[0], q[4 - i - j])])
                }
            })
        });
        let length = forms.sum(&q.map(|q| (1.0, q, q)));
        let e = forms.product(length, length);
        let weight_scale = 1.0 / unit_of(largest_of([weight]));
        let weight_scale = if weight_scale * scale < f64::INFINITY { weight_scale } else { 1.0 };
        let center = xyz.each_ref().map(|p| forms.bernstein_scaled(p, scale * weight_scale));
        let weight = forms.bernstein_scaled(weight, weight_scale);
        General::rigid(forms, semi_axes, unit, &n, e, center, weight)
    }

    fn rigid(
        mut forms: Forms,
        semi_axes: DVec3,
        unit: f64,
        n: &[[Form; 3]; 3],
        e: Form,
        center: [Form; 3],
        weight: Form,
    ) -> General {
        let squares = semi_axes * semi_axes;
        let pairs = DVec3::new(squares.y * squares.z, squares.x * squares.z, squares.x * squares.y);
        // One rounding in a square, three in a product of two squares.
        let mut weights =
            |v: DVec3, roundings: f64| v.to_array().map(|x| forms.constant(x, roundings * UNIT * x));
        let (square_forms, pair_forms) = (weights(squares, 2.0), weights(pairs, 4.0));
        let det = forms.product(square_forms[0], pair_forms[0]);
        let mut matrix = |weights: [Form; 3], value: f64, error: f64| {
            if is_ball(semi_axes) {
                let factor = forms.constant(value, error * UNIT * value);
                let entry = forms.product(factor, e);
                return [entry, entry, entry, Form::ZERO, Form::ZERO, Form::ZERO];
            }
            let scaled = n.each_ref().map(|row| [0, 1, 2].map(|k| forms.product(weights[k], row[k])));
            ENTRIES.map(|(i, j)| forms.sum(&[0, 1, 2].map(|k| (1.0, scaled[i][k], n[j][k]))))
        };
        let s = matrix(square_forms, squares.x, 2.0);
        let adj = matrix(pair_forms, pairs.x, 4.0);
        General { forms, s, adj, det, denominator: e, powers: [1, 1, 0], center, weight, unit }
    }
}

fn is_ball(semi_axes: DVec3) -> bool {
    let DVec3 { x, y, z } = semi_axes;
    x == y && y == z
}

/// Returns the unit of length of an interpolant. `B` is of the order of the inverse square of a length.
fn unit_of_interpolant(motion: &AffineInterpolant) -> f64 {
    let square = unit_of(largest_upper(motion.matrices().iter().flatten().map(|x| x.abs())));
    unit_of(1.0 / square.sqrt())
}

/// Returns the semi-axes in a unit of length, and that unit.
fn in_own_unit(shape: &Ellipsoid) -> (DVec3, f64) {
    let semi_axes = shape.semi_axes();
    let unit = unit_of(semi_axes.max_element());
    if unit == 1.0 {
        return (semi_axes, unit);
    }
    cold_path();
    (semi_axes / unit, unit)
}

/// Returns the largest coefficient of polynomials.
fn largest_of<'a>(polynomials: impl IntoIterator<Item = &'a Bernstein>) -> f64 {
    largest_upper(polynomials.into_iter().flat_map(|p| p.coefficients()).map(|c| c.abs()))
}
