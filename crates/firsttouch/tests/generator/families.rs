//! The families of queries; `FAMILIES` lists them with the number of queries of each.

use glam::{DMat3, DVec3, dvec3};

use super::{Draw, Family, Random, designed, mapped, meeting, nudged, spread};
use crate::oracle::{Kind, Query};

/// Mixed families hold at least 5 % and at most 95 % of touching queries.
const MIXED: (f64, f64) = (0.05, 0.95);

/// Every family: together more than 10^6 queries of each kind.
pub(crate) const FAMILIES: &[Family] = &[
    one("integers up to 2", 250_000, |k, r| integers(k, r, 2)),
    one("integers up to 3", 250_000, |k, r| integers(k, r, 3)),
    one("integers up to 8", 150_000, |k, r| integers(k, r, 8)),
    one("integers times powers of two", 50_000, powers_of_two),
    one("degenerate elements", 60_000, degenerate_elements),
    one("coplanar sliding", 50_000, coplanar_sliding),
    one("parallel and collinear", 40_000, parallel_and_collinear),
    one("contact at 0, 1/2 or 1", 40_000, contact_at_round_times),
    one("multiple roots", 40_000, multiple_roots),
    one("static features", 30_000, static_features),
    one("random floats", 30_000, random_floats),
    one("simulation steps", 30_000, simulation_steps),
    one("far offsets", 20_000, far_offsets),
    one("long and thin", 20_000, long_and_thin),
    one("mixed scales", 5_000, mixed_scales),
    one("extreme scales", 500, extreme_scales),
    Family {
        name: "near misses, generic",
        count: 6_000,
        hit_rate: MIXED,
        draw: Draw::Bisected(near_contact),
    },
    Family {
        name: "near misses, degenerate",
        count: 6_000,
        hit_rate: MIXED,
        draw: Draw::Bisected(contact_at_round_times),
    },
    Family {
        name: "near misses, multiple roots",
        count: 4_000,
        hit_rate: MIXED,
        draw: Draw::Bisected(multiple_roots),
    },
];

const fn one(name: &'static str, count: usize, draw: fn(Kind, &mut Random) -> Query) -> Family {
    Family { name, count, hit_rate: MIXED, draw: Draw::One(draw) }
}

/// Weights with which contacts are on corners and edges as often as inside.
const DYADIC_WEIGHTS: &[f64] = &[0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0];

/// Integer coordinates in ±radius at both ends.
fn integers(kind: Kind, random: &mut Random, radius: i32) -> Query {
    let mut points = || std::array::from_fn(|_| random.integer_vector(radius));
    Query { kind, t0: points(), t1: points() }
}

/// Small integers, each axis multiplied by its own power of two.
fn powers_of_two(kind: Kind, random: &mut Random) -> Query {
    let common = random.integer(-40, 40);
    let mut scale = || 2f64.powf(common + random.integer(-20, 20));
    let scales = dvec3(scale(), scale(), scale());
    mapped(integers(kind, random, 3), |p| p * scales)
}

/// Repeated points, collinear corners, edges and faces without extent: at one end of the step or at both.
fn degenerate_elements(kind: Kind, random: &mut Random) -> Query {
    let mut query = if random.chance(0.5) {
        integers(kind, random, 2)
    } else {
        let shape = std::array::from_fn(|_| random.integer_vector(4));
        let points = meeting(kind, random, shape, DYADIC_WEIGHTS);
        let time = random.pick(&[0.0, 0.25, 0.5, 0.75, 1.0]);
        let velocities = std::array::from_fn(|_| random.integer_vector(2));
        spread(kind, points, velocities, time)
    };
    let ends = random.below(4);
    for _ in 0..=random.below(3) {
        let (i, j, k) = (random.below(4), random.below(4), random.below(4));
        let collinear = random.chance(0.4);
        for (bit, points) in [(1, &mut query.t0), (2, &mut query.t1)] {
            if ends == 0 || ends & bit != 0 {
                points[i] = if collinear { (points[j] + points[k]) * 0.5 } else { points[j] };
            }
        }
    }
    query
}

/// Draws all points in one tilted plane throughout; the plane may move along with the points.
fn coplanar_sliding(kind: Kind, random: &mut Random) -> Query {
    let (u, w) = (random.integer_vector(3), random.integer_vector(3));
    let fine = random.pick(&[1.0, 1.0, 1.0 / 16.0, 1.0 / 65536.0]);
    let steps = (3.0 / fine) as i32;
    let mut positions = |offset: DVec3| {
        std::array::from_fn(|_| {
            offset + u * (random.integer(-steps, steps) * fine) + w * (random.integer(-steps, steps) * fine)
        })
    };
    let (t0, t1) = (positions(DVec3::ZERO), positions(dvec3(3.0, -1.0, 2.0)));
    let query = Query { kind, t0, t1 };
    if random.chance(0.1) { nudged(query, random, None) } else { query }
}

/// Edges along parallel lines that may be or become the same line; faces collapsed to such a line.
fn parallel_and_collinear(kind: Kind, random: &mut Random) -> Query {
    let along = random.integer_vector(3);
    let mut lines = || {
        let offset = if random.chance(0.4) { random.integer_vector(1) } else { DVec3::ZERO };
        let mut on = |offset: DVec3| offset + along * random.integer(-4, 4);
        match kind {
            Kind::VertexFace => [on(offset), on(DVec3::ZERO), on(DVec3::ZERO), on(DVec3::ZERO)],
            Kind::EdgeEdge => [on(offset), on(offset), on(DVec3::ZERO), on(DVec3::ZERO)],
        }
    };
    let (t0, t1) = (lines(), lines());
    let offset = random.integer_vector(2);
    Query { kind, t0, t1: t1.map(|p| p + offset) }
}

/// Draws a contact, on a corner or an edge half of the time, at exactly t = 0, 1/2 or 1; half of them are perturbed
/// again.
fn contact_at_round_times(kind: Kind, random: &mut Random) -> Query {
    let shape = std::array::from_fn(|_| random.integer_vector(4) * 4.0);
    let points = meeting(kind, random, shape, DYADIC_WEIGHTS);
    let time = random.pick(&[0.0, 0.5, 1.0]);
    let velocities = std::array::from_fn(|_| random.integer_vector(6));
    let query = spread(kind, points, velocities, time);
    match random.below(4) {
        0 | 1 => query,
        2 => nudged(query, random, None),
        _ => nudged(query, random, Some(1.0)),
    }
}

/// Determinants with double and triple roots on a grid of eighths, unchanged or with the roots split or lifted off
/// zero by a nudge; in general position by a linear map with integer entries.
fn multiple_roots(kind: Kind, random: &mut Random) -> Query {
    let [p, q] = [(); 2].map(|()| random.integer(0, 8) / 8.0);
    // Coefficients of (t - p)³, (t - p)²(t - q), (t - p)².
    let (cubic, at) = match random.below(4) {
        0 => ([-p * p * p, 3.0 * p * p, -3.0 * p, 1.0], p),
        1 | 2 => {
            ([-p * p * q, p * p + 2.0 * p * q, -2.0 * p - q, 1.0], if random.chance(0.7) { p } else { q })
        }
        _ => ([p * p, -2.0 * p, 1.0, 0.0], p),
    };
    let scale = random.pick(&[1.0, -1.0, 4.0, -0.25]);
    let query = designed(kind, random, cubic.map(|c| c * scale), at);
    let columns = [0, 1, 2].map(|i| {
        let mut column = random.integer_vector(1);
        column[i] += random.pick(&[2.0, 3.0]);
        column
    });
    let query = mapped(query, |x| DMat3::from_cols(columns[0], columns[1], columns[2]) * x);
    match random.below(4) {
        0 | 1 => query,
        2 => nudged(query, random, None),
        _ => {
            let step = 2f64.powf(random.integer(-50, -10));
            nudged(query, random, Some(step))
        }
    }
}

/// Some or all points at rest.
fn static_features(kind: Kind, random: &mut Random) -> Query {
    let mut query = match random.below(3) {
        0 => integers(kind, random, 2),
        1 => contact_at_round_times(kind, random),
        _ => random_floats(kind, random),
    };
    let own = match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    let resting = random.pick(&[0..own, own..4, own..4, 0..4].map(Resting::from));
    query.t1[resting.from..resting.to].copy_from_slice(&query.t0[resting.from..resting.to]);
    query
}

#[derive(Clone, Copy)]
struct Resting {
    from: usize,
    to: usize,
}

impl From<std::ops::Range<usize>> for Resting {
    fn from(range: std::ops::Range<usize>) -> Resting {
        Resting { from: range.start, to: range.end }
    }
}

/// Uniform in a cube at both ends; every other query is aimed at a contact.
fn random_floats(kind: Kind, random: &mut Random) -> Query {
    if random.chance(0.4) {
        return near_contact(kind, random);
    }
    let mut points = || std::array::from_fn(|_| random.float_vector(1.0));
    Query { kind, t0: points(), t1: points() }
}

/// Random floats that meet up to rounding, inside or on a border.
fn near_contact(kind: Kind, random: &mut Random) -> Query {
    let shape = std::array::from_fn(|_| random.float_vector(1.0));
    let weights = [0.0, 1.0, random.float(0.0, 1.0), random.float(0.0, 1.0), random.float(0.0, 1.0)];
    let points = meeting(kind, random, shape, &weights);
    let velocities = std::array::from_fn(|_| random.float_vector(1.0));
    let time = random.float(0.0, 1.0);
    spread(kind, points, velocities, time)
}

/// As from a cloth step: features of about 0.01, small motion, coordinates of 24 bits.
fn simulation_steps(kind: Kind, random: &mut Random) -> Query {
    let shape = std::array::from_fn(|_| random.float_vector(0.01));
    let weights = [-0.1, 0.0, random.float(0.0, 1.0), random.float(0.0, 1.0), 1.0, 1.1];
    let points = meeting(kind, random, shape, &weights);
    let common = random.float_vector(0.1);
    let velocities = std::array::from_fn(|_| common + random.float_vector(0.005));
    let time = random.float(-0.3, 1.3);
    let offset = random.float_vector(1.0);
    mapped(spread(kind, points, velocities, time), |p| (p + offset).as_vec3().as_dvec3())
}

/// Around 1e6 from the origin, with gaps and motions of about 1e-9: ten f64 steps there.
fn far_offsets(kind: Kind, random: &mut Random) -> Query {
    let shape = std::array::from_fn(|_| random.integer_vector(3));
    let weights = [0.0, 1.0, random.float(0.0, 1.0), random.float(0.0, 1.0)];
    let points = meeting(kind, random, shape, &weights);
    let offset = dvec3(1e6, -1e6, 1e6) + random.integer_vector(1000);
    let mut at = || points.map(|p| p + offset + random.float_vector(1e-9));
    Query { kind, t0: at(), t1: at() }
}

/// Faces of aspect 1e8, edges of very unequal length, met near the thin side.
fn long_and_thin(kind: Kind, random: &mut Random) -> Query {
    let (long, across) = (random.float_vector(1.0), random.float_vector(1e-8));
    let a = random.float_vector(1.0);
    let shape = match kind {
        Kind::VertexFace => [a, a + long, a + long * random.float(0.0, 1.0) + across],
        Kind::EdgeEdge => [a, a + long, across],
    };
    let weights = [0.0, 1.0, random.float(0.0, 1.0), random.float(0.0, 1.0)];
    let points = meeting(kind, random, shape, &weights);
    let common = random.float_vector(1.0);
    // The thin feature keeps its shape; the other passes through it within about 1e-9.
    let turning = random.pick(&[0.0, 1e-9]);
    let own = match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    let velocities = std::array::from_fn(|i| {
        let wobble = random.float_vector(1.0) * turning;
        if i < own { wobble - common } else { wobble + common }
    });
    let time = random.float(0.0, 1.0);
    let query = spread(kind, points, velocities, time);
    if random.chance(0.5) { nudged(query, random, Some(3e-9)) } else { query }
}

/// Each axis has its own scale between 1e-150 and 1e30, zeros are replaced by 1e-150.
fn mixed_scales(kind: Kind, random: &mut Random) -> Query {
    scaled_axes(kind, random, (-500, 100), 1e-150)
}

/// From the smallest numbers to the largest accepted ones, 1e60.
fn extreme_scales(kind: Kind, random: &mut Random) -> Query {
    scaled_axes(kind, random, (-1060, 194), 5e-324)
}

fn scaled_axes(kind: Kind, random: &mut Random, (lo, hi): (i32, i32), speck: f64) -> Query {
    let query = match random.below(3) {
        0 => integers(kind, random, 2),
        1 => contact_at_round_times(kind, random),
        _ => near_contact(kind, random),
    };
    // 2^k in two halves: k may be below the smallest normal exponent.
    let mut scale = || {
        let k = random.integer(lo, hi) as i32;
        (2f64.powi(k / 2), 2f64.powi(k - k / 2))
    };
    let scales = [scale(), scale(), scale()];
    let specks = random.chance(0.3);
    let mut query =
        mapped(query, |p| DVec3::from_array(std::array::from_fn(|i| p[i] * scales[i].0 * scales[i].1)));
    if specks {
        for point in query.t0.iter_mut().chain(&mut query.t1) {
            for axis in 0..3 {
                if point[axis] == 0.0 && random.chance(0.5) {
                    point[axis] = random.pick(&[speck, -speck]);
                }
            }
        }
    }
    query
}
