//! The pose of a body, computed differently from the library.
//!
//! The orientation is computed by spherical interpolation of quaternions, and the origin of a screw by the
//! exponential of its twist: `p(t) = p + V(ωt) t v` with `V(ω) = I + (1 − cos θ)/θ² [ω] + (θ − sin θ)/θ³ [ω]²` and
//! `v = V(ω)⁻¹ Δ`. The library uses matrices by Rodrigues' formula and a ratio of sines.

use dashu_ratio::RBig;
use firsttouch::motion::{Motion, Pose};
use glam::{DQuat, DVec3};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Path {
    Fixed(Place),
    Linear(Place, Place),
    Screw(Place, Place),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub at: DVec3,
    pub turn: DQuat,
}

impl Place {
    pub fn apply(&self, x: DVec3) -> DVec3 {
        rotate(self.turn, x) + self.at
    }

    pub fn to_body(self, x: DVec3) -> DVec3 {
        rotate(self.turn.conjugate(), x - self.at)
    }

    pub fn pose(&self) -> Pose {
        Pose::new(self.at, self.turn).unwrap()
    }

    fn unit(&self) -> Place {
        Place { at: self.at, turn: self.pose().rotation() }
    }

    /// Returns this place relative to the world, given the place of its frame.
    pub fn moved(&self, frame: &Place) -> Place {
        Place { at: frame.apply(self.at), turn: frame.turn * self.turn }
    }
}

/// `x + 2 w (v × x) + 2 v × (v × x)`.
fn rotate(q: DQuat, x: DVec3) -> DVec3 {
    let v = DVec3::new(q.x, q.y, q.z);
    let t = 2.0 * v.cross(x);
    x + q.w * t + v.cross(t)
}

impl Path {
    pub fn motion(&self) -> Motion {
        match self {
            Path::Fixed(place) => Motion::fixed(place.pose()),
            Path::Linear(from, to) => Motion::linear(from.pose(), to.pose()),
            Path::Screw(from, to) => Motion::screw(from.pose(), to.pose()),
        }
    }

    pub fn map(&self, f: impl Fn(&Place) -> Place) -> Path {
        match self {
            Path::Fixed(place) => Path::Fixed(f(place)),
            Path::Linear(from, to) => Path::Linear(f(from), f(to)),
            Path::Screw(from, to) => Path::Screw(f(from), f(to)),
        }
    }

    pub fn shifted(&self, by: DVec3) -> Path {
        self.map(|place| Place { at: place.at + by, turn: place.turn })
    }

    pub fn reversed(&self) -> Path {
        match *self {
            Path::Fixed(place) => Path::Fixed(place),
            Path::Linear(from, to) => Path::Linear(to, from),
            Path::Screw(from, to) => Path::Screw(to, from),
        }
    }

    pub fn sampler(&self) -> Sampler {
        match *self {
            Path::Fixed(place) => Sampler {
                start: place.unit(),
                to: place.unit().turn,
                half: 0.0,
                rate: DVec3::ZERO,
                velocity: DVec3::ZERO,
                screw: false,
            },
            Path::Linear(from, to) => Sampler::new(from.unit(), to.unit(), false),
            Path::Screw(from, to) => Sampler::new(from.unit(), to.unit(), true),
        }
    }

    pub fn at(&self, t: f64) -> Place {
        self.sampler().at(t)
    }
}

/// A path prepared for evaluation at many times.
pub struct Sampler {
    start: Place,
    to: DQuat,
    /// Half the rotation angle.
    half: f64,
    /// The rotation vector, in the world.
    rate: DVec3,
    /// The velocity of the origin; for a screw its twist at the start.
    velocity: DVec3,
    screw: bool,
}

/// Decided exactly: at half a turn the last bit decides the direction of rotation.
fn dot_is_negative(a: DQuat, b: DQuat) -> bool {
    let exact = |x: f64| RBig::try_from(x).unwrap();
    let dot = a.dot(b);
    if dot.abs() > 1e-14 {
        return dot < 0.0;
    }
    let products = a.to_array().into_iter().zip(b.to_array()).map(|(x, y)| exact(x) * exact(y));
    products.fold(RBig::ZERO, |sum, product| sum + product) < RBig::ZERO
}

impl Sampler {
    fn new(start: Place, end: Place, screw: bool) -> Sampler {
        let from = start.turn;
        let to = if dot_is_negative(from, end.turn) { -end.turn } else { end.turn };
        // The angle between two unit vectors of four components, accurate at both ends.
        let half = 2.0 * (to - from).length().atan2((to + from).length());
        let quotient = to * from.conjugate();
        let axis = DVec3::new(quotient.x, quotient.y, quotient.z).normalize_or_zero();
        let rate = axis * (2.0 * half);
        let shift = end.at - start.at;
        let velocity = if screw {
            // V⁻¹ = I − [ω]/2 + (1 − θ cot(θ/2) / 2) / θ² [ω]².
            let theta = 2.0 * half;
            let c = if theta < 0.02 {
                1.0 / 12.0 + theta * theta / 720.0 + theta.powi(4) / 30240.0
            } else {
                (1.0 - half / half.tan()) / (theta * theta)
            };
            shift - 0.5 * rate.cross(shift) + c * rate.cross(rate.cross(shift))
        } else {
            shift
        };
        Sampler { start, to, half, rate, velocity, screw }
    }

    pub fn at(&self, t: f64) -> Place {
        let turn = if self.half < 1e-300 {
            self.start.turn
        } else {
            let (from, to) = (self.start.turn, self.to);
            let s = self.half.sin();
            (from * (((1.0 - t) * self.half).sin() / s) + to * ((t * self.half).sin() / s)).normalize()
        };
        let v = self.velocity * t;
        let shift = if self.screw {
            let omega = self.rate * t;
            let theta = 2.0 * self.half * t;
            let square = theta * theta;
            let (a, b) = if theta < 0.02 {
                (
                    0.5 - square / 24.0 + square * square / 720.0,
                    1.0 / 6.0 - square / 120.0 + square * square / 5040.0,
                )
            } else {
                ((1.0 - theta.cos()) / square, (theta - theta.sin()) / (square * theta))
            };
            v + a * omega.cross(v) + b * omega.cross(omega.cross(v))
        } else {
            v
        };
        Place { at: self.start.at + shift, turn }
    }

    pub fn angular_velocity(&self) -> DVec3 {
        self.rate
    }

    /// Returns the velocity of the body's point that is at the world point `y` at `t`. A screw's twist is the same at
    /// all times.
    pub fn velocity(&self, y: DVec3, t: f64) -> DVec3 {
        let center = if self.screw { self.start.at } else { self.at(t).at };
        self.velocity + self.rate.cross(y - center)
    }

    pub fn acceleration(&self, y: DVec3, t: f64) -> DVec3 {
        let relative = if self.screw { self.velocity(y, t) } else { self.velocity(y, t) - self.velocity };
        self.rate.cross(relative)
    }
}
