//! A moving ellipsoid as polynomials of time: what one side contributes to every CCD equation it takes part in.
//!
//! With the notation of `characteristic`, a side is its centre and `S`, `adj S`, `det S`, all rational in time. They are kept
//! as numerators over powers of one polynomial `e`:
//!
//! | motion | `e` | `S` | `adj S` | `det S` |
//! |---|---|---|---|---|
//! | rigid: quaternion `q`, `N` its matrix times `|q|²` | `|q|⁴` | `N D² N^T / e` | `det(D²) N D⁻² N^T / e` | `det D²` |
//! | affine: `L / w` | `w²` | `L L^T / e` | `cof L (cof L)^T / e²` | `det(L)² / e³` |
//! | the interpolant of Appendix D: `B = S⁻¹` linear | `det B` | `adj B / e` | `B / e` | `1 / e` |
//!
//! All denominators are positive, so clearing them keeps the sign of the equation.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Appendices B and D.

use glam::DVec3;

use super::characteristic::{MIX, Sym3};
use super::form::{Form, Sum};
use crate::motion::{Affine, AffineInterpolant, Motion, Rational, RigidMotion};
use crate::numerics::bernstein::Bernstein;
use crate::numerics::rounding::UNIT;
use crate::shape::Ellipsoid;

/// One ellipsoid in motion, ready to meet many others.
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
pub struct Track {
    pub(super) s: Sym3<Form>,
    pub(super) adj: Sym3<Form>,
    pub(super) det: Form,
    /// `e`, and the powers of it under `s`, `adj` and `det`.
    pub(super) denominator: Form,
    pub(super) powers: [usize; 3],
    /// The centre is `center / weight`.
    pub(super) center: [Form; 3],
    pub(super) weight: Form,
}

/// Rows and columns of the six entries of a symmetric matrix.
const ENTRIES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

impl Track {
    /// An ellipsoid in a rigid motion; `None` if the motion is not rational.
    pub fn new(shape: &Ellipsoid, motion: &Motion) -> Option<Track> {
        match motion {
            Motion::Rational(motion) => Some(Track::rational(shape, motion)),
            Motion::Fixed(pose) => {
                // The stored matrix is within this of the rotation that was given.
                let error = motion.pose_error().rotation;
                let n = [0, 1, 2].map(|i| [0, 1, 2].map(|j| Form::constant(pose.rotation.col(j)[i], error)));
                let center = pose.translation.to_array().map(|x| Form::constant(x, 0.0));
                Some(Track::rigid(shape, &n, Form::constant(1.0, 0.0), center, Form::constant(1.0, 0.0)))
            }
            _ => None,
        }
    }

    /// An ellipsoid in a rational rigid motion.
    pub fn rational(shape: &Ellipsoid, motion: &Rational) -> Track {
        let q = motion.quaternion().each_ref().map(Form::from_bernstein);
        let degree = q.iter().map(Form::degree).max().unwrap_or(0);
        let sum = |terms: &[(f64, usize, usize)]| {
            let mut sum = Sum::new(2 * degree);
            for &(factor, i, j) in terms {
                sum.add(factor, &q[i], &q[j]);
            }
            sum.finish()
        };
        let n = [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let k = 3 - (i + j).min(3);
                if i == j {
                    let (k, l) = ((i + 1) % 3, (i + 2) % 3);
                    sum(&[(1.0, 0, 0), (1.0, i + 1, i + 1), (-1.0, k + 1, k + 1), (-1.0, l + 1, l + 1)])
                } else {
                    let twist = if (i + 1) % 3 == j { -2.0 } else { 2.0 };
                    sum(&[(2.0, i + 1, j + 1), (twist, 0, k + 1)])
                }
            })
        });
        let length = sum(&[(1.0, 0, 0), (1.0, 1, 1), (1.0, 2, 2), (1.0, 3, 3)]);
        let center = motion.xyz().each_ref().map(Form::from_bernstein);
        Track::rigid(shape, &n, length.product(&length), center, Form::from_bernstein(motion.weight()))
    }

    fn rigid(shape: &Ellipsoid, n: &[[Form; 3]; 3], e: Form, center: [Form; 3], weight: Form) -> Track {
        let squares = shape.semi_axes() * shape.semi_axes();
        let pairs = DVec3::new(squares.y * squares.z, squares.x * squares.z, squares.x * squares.y);
        // One rounding in a square, three in a product of two.
        let weights = |v: DVec3, roundings: f64| v.to_array().map(|x| Form::constant(x, roundings * UNIT * x));
        let (squares, pairs) = (weights(squares, 2.0), weights(pairs, 4.0));
        let det = squares[0].product(&pairs[0]);
        let degree = 2 * n[0][0].degree();
        let [mut s, mut adj] = [squares, pairs].map(|weights| {
            let scaled = n.each_ref().map(|row| [0, 1, 2].map(|k| row[k].product(&weights[k])));
            ENTRIES.map(|(i, j)| {
                let mut sum = Sum::new(degree);
                for k in 0..3 {
                    sum.add(1.0, &scaled[i][k], &n[j][k]);
                }
                sum.finish()
            })
        });
        if is_ball(shape) {
            let zero = Form::constant(0.0, 0.0);
            let radius = shape.semi_axes().x * shape.semi_axes().x;
            let diagonal = |value: f64, roundings: f64| {
                let entry = e.product(&Form::constant(value, roundings * UNIT * value));
                let z = || zero.clone();
                [entry.clone(), entry.clone(), entry, z(), z(), z()]
            };
            (s, adj) = (diagonal(radius, 2.0), diagonal(radius * radius, 4.0));
        }
        Track { s, adj, det, denominator: e, powers: [1, 1, 0], center, weight }
    }

    /// The image of the unit ball under a rational affine motion.
    pub fn affine(motion: &Affine) -> Track {
        let form = |p: &Bernstein| Form::from_bernstein(p);
        let linear = motion.linear().each_ref().map(|row| row.each_ref().map(form));
        let degree = linear.iter().flatten().map(Form::degree).max().unwrap_or(0);
        let cofactors = [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            [0, 1, 2].map(|l| {
                let (p, q) = ((l + 1) % 3, (l + 2) % 3);
                let mut sum = Sum::new(2 * degree);
                sum.add(1.0, &linear[j][p], &linear[k][q]);
                sum.add(-1.0, &linear[j][q], &linear[k][p]);
                sum.finish()
            })
        });
        let dot = |x: &[Form; 3], y: &[Form; 3], degree: usize| {
            let mut sum = Sum::new(degree);
            for k in 0..3 {
                sum.add(1.0, &x[k], &y[k]);
            }
            sum.finish()
        };
        let volume = dot(&linear[0], &cofactors[0], 3 * degree);
        let weight = form(motion.weight());
        let denominator = if weight.is_one() { weight.clone() } else { weight.product(&weight) };
        Track {
            s: ENTRIES.map(|(i, j)| dot(&linear[i], &linear[j], 2 * degree)),
            adj: ENTRIES.map(|(i, j)| dot(&cofactors[i], &cofactors[j], 4 * degree)),
            det: volume.product(&volume),
            denominator,
            powers: [1, 2, 3],
            center: motion.xyz().each_ref().map(form),
            weight,
        }
    }

    /// An ellipsoid that changes its shape by the interpolant of Appendix D.
    pub fn interpolant(motion: &AffineInterpolant) -> Track {
        let line = |a: f64, b: f64| {
            Form::from_bernstein(&Bernstein::from_coefficients(&[a, b]).expect("the constructor checks"))
        };
        let (b, c) = (motion.matrices(), motion.centers());
        let inverse: Sym3<Form> = [0, 1, 2, 3, 4, 5].map(|k| line(b[0][k], b[1][k]));
        let s: Sym3<Form> = MIX.map(|([i, j], [k, l])| {
            let mut sum = Sum::new(2);
            sum.add(1.0, &inverse[i], &inverse[j]);
            sum.add(-1.0, &inverse[k], &inverse[l]);
            sum.finish()
        });
        let mut determinant = Sum::new(3);
        for k in [0, 5, 4] {
            determinant.add(1.0, &inverse[k], &s[k]);
        }
        Track {
            s,
            adj: inverse,
            det: Form::constant(1.0, 0.0),
            denominator: determinant.finish(),
            powers: [1, 1, 1],
            center: [0, 1, 2].map(|k| line(c[0][k], c[1][k])),
            weight: Form::constant(1.0, 0.0),
        }
    }
}

fn is_ball(shape: &Ellipsoid) -> bool {
    let DVec3 { x, y, z } = shape.semi_axes();
    x == y && y == z
}
