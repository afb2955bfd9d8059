//! Spatial vectors: velocities, forces and inertias of rigid bodies as six numbers and six by six.
//!
//! Everything is in world axes and about the world's origin. A velocity is `(ω, v)`, with `v` that of the point of the
//! body that passes through the origin; a force is `(n, f)`, with the moment `n` about the origin. So bodies that are
//! joined need no transforms between them: velocities add up outwards, forces and inertias inwards, and a spatial
//! acceleration is simply the derivative of the velocity.
//!
//! Reference: Featherstone 2008, "Rigid Body Dynamics Algorithms", chapter 2.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use glam::{DMat3, DVec3};

/// A velocity or an acceleration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Twist {
    pub(crate) angular: DVec3,
    pub(crate) linear: DVec3,
}

/// A force, an impulse or a momentum.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Wrench {
    pub(crate) moment: DVec3,
    pub(crate) force: DVec3,
}

/// A symmetric map from velocities to momenta, `[[rotation, coupling], [couplingᵀ, mass]]`: of a rigid body, or of one
/// with others attached by active joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inertia {
    rotation: DMat3,
    coupling: DMat3,
    mass: DMat3,
}

impl Twist {
    /// Returns the velocity of turning at unit rate about an axis through a point.
    pub(crate) fn about(axis: DVec3, point: DVec3) -> Twist {
        Twist { angular: axis, linear: point.cross(axis) }
    }

    /// Returns the velocity of sliding at unit rate.
    pub(crate) fn along(axis: DVec3) -> Twist {
        Twist { angular: DVec3::ZERO, linear: axis }
    }

    /// Returns the velocity of a point.
    pub(crate) fn at(self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point)
    }

    /// Returns the rate of change of `other`, fixed in a body with this velocity.
    pub(crate) fn cross(self, other: Twist) -> Twist {
        Twist {
            angular: self.angular.cross(other.angular),
            linear: self.angular.cross(other.linear) + self.linear.cross(other.angular),
        }
    }

    /// Returns the rate of change of a wrench fixed in a body with this velocity.
    pub(crate) fn cross_wrench(self, other: Wrench) -> Wrench {
        Wrench {
            moment: self.angular.cross(other.moment) + self.linear.cross(other.force),
            force: self.angular.cross(other.force),
        }
    }

    /// Returns the power.
    pub(crate) fn dot(self, wrench: Wrench) -> f64 {
        self.angular.dot(wrench.moment) + self.linear.dot(wrench.force)
    }

    pub(crate) fn to_array(self) -> [f64; 6] {
        let ([a, b, c], [d, e, f]) = (self.angular.to_array(), self.linear.to_array());
        [a, b, c, d, e, f]
    }

    /// Reads it from the first six numbers of a slice.
    pub(crate) fn from_slice(numbers: &[f64]) -> Twist {
        Twist { angular: DVec3::from_slice(numbers), linear: DVec3::from_slice(&numbers[3..]) }
    }
}

impl Wrench {
    /// Returns a force that acts at a point.
    pub(crate) fn at(force: DVec3, point: DVec3) -> Wrench {
        Wrench { moment: point.cross(force), force }
    }
}

impl Inertia {
    /// The inertia of an empty body.
    pub(crate) const ZERO: Inertia =
        Inertia { rotation: DMat3::ZERO, coupling: DMat3::ZERO, mass: DMat3::ZERO };

    /// Returns the inertia of a rigid body with its centre of mass and its inertia about it, in world axes.
    pub(crate) fn rigid(mass: f64, center: DVec3, about_center: DMat3) -> Inertia {
        let cross = DMat3::from_cols(center.cross(DVec3::X), center.cross(DVec3::Y), center.cross(DVec3::Z));
        Inertia {
            rotation: about_center - cross * cross * mass,
            coupling: cross * mass,
            mass: DMat3::from_diagonal(DVec3::splat(mass)),
        }
    }

    /// Returns the inertia without its free direction `U / D`: `I − U Uᵀ / D`.
    pub(crate) fn without(self, u: Wrench, d: f64) -> Inertia {
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * (b.x / d), a * (b.y / d), a * (b.z / d));
        Inertia {
            rotation: self.rotation - outer(u.moment, u.moment),
            coupling: self.coupling - outer(u.moment, u.force),
            mass: self.mass - outer(u.force, u.force),
        }
    }

    /// Returns the velocity that has this momentum: six equations by Cholesky's method. Returns `None` if the inertia
    /// is not positive definite.
    pub(crate) fn solve(self, momentum: Wrench) -> Option<Twist> {
        let entry = |i: usize, j: usize| match (i / 3, j / 3) {
            (0, 0) => self.rotation.col(j)[i],
            (0, _) => self.coupling.col(j - 3)[i],
            (_, 0) => self.coupling.col(i - 3)[j],
            _ => self.mass.col(j - 3)[i - 3],
        };
        let mut lower = [[0.0; 6]; 6];
        for i in 0..6 {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
                let rest = entry(i, j) - sum;
                lower[i][j] = if i == j { rest.sqrt() } else { rest / lower[j][j] };
            }
            if lower[i][i].is_nan() || lower[i][i] <= 0.0 {
                return None;
            }
        }
        let ([a, b, c], [d, e, f]) = (momentum.moment.to_array(), momentum.force.to_array());
        let mut x = [a, b, c, d, e, f];
        for i in 0..6 {
            let sum: f64 = (0..i).map(|k| lower[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / lower[i][i];
        }
        for i in (0..6).rev() {
            let sum: f64 = (i + 1..6).map(|k| lower[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / lower[i][i];
        }
        Some(Twist::from_slice(&x))
    }
}

impl Mul<Twist> for Inertia {
    type Output = Wrench;
    fn mul(self, v: Twist) -> Wrench {
        Wrench {
            moment: self.rotation * v.angular + self.coupling * v.linear,
            force: self.coupling.transpose() * v.angular + self.mass * v.linear,
        }
    }
}

impl AddAssign for Inertia {
    fn add_assign(&mut self, other: Inertia) {
        self.rotation += other.rotation;
        self.coupling += other.coupling;
        self.mass += other.mass;
    }
}

impl Add for Twist {
    type Output = Twist;
    fn add(self, other: Twist) -> Twist {
        Twist { angular: self.angular + other.angular, linear: self.linear + other.linear }
    }
}

impl Mul<f64> for Twist {
    type Output = Twist;
    fn mul(self, factor: f64) -> Twist {
        Twist { angular: self.angular * factor, linear: self.linear * factor }
    }
}

impl Add for Wrench {
    type Output = Wrench;
    fn add(self, other: Wrench) -> Wrench {
        Wrench { moment: self.moment + other.moment, force: self.force + other.force }
    }
}

impl AddAssign for Wrench {
    fn add_assign(&mut self, other: Wrench) {
        *self = *self + other;
    }
}

impl Sub for Wrench {
    type Output = Wrench;
    fn sub(self, other: Wrench) -> Wrench {
        self + -other
    }
}

impl Neg for Wrench {
    type Output = Wrench;
    fn neg(self) -> Wrench {
        Wrench { moment: -self.moment, force: -self.force }
    }
}

impl Mul<f64> for Wrench {
    type Output = Wrench;
    fn mul(self, factor: f64) -> Wrench {
        Wrench { moment: self.moment * factor, force: self.force * factor }
    }
}
