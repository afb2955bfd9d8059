//! Seeded vertex/face and edge/edge queries, family by family, most of them designed to be hard.
//!
//! Every family draws both kinds, mixes touching and missing queries (the share is part of its description and
//! checked by the test that uses it), and returns the same queries for the same seed.
//!
//! Two constructions serve most families:
//! - `meeting`: the four points at the time of a contact, at chosen weights (corners and edges included) and spread
//!   over time by a velocity each; exact if the numbers are short, otherwise a near miss by rounding.
//! - `designed`: a pair whose coplanarity determinant is any given cubic (see there).

// Each test crate that includes this module uses a part of it.
#![allow(dead_code)]

mod families;

use glam::{DVec3, dvec3};

use crate::oracle::{Kind, Query, first_contact};

pub(crate) use families::FAMILIES;

/// A named way to draw queries.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The number of queries of each kind that the test draws.
    pub(crate) count: usize,
    /// The smallest and largest share of touching queries.
    pub(crate) hit_rate: (f64, f64),
    draw: Draw,
}

enum Draw {
    One(fn(Kind, &mut Random) -> Query),
    /// Bisects one coordinate of a touching query until touching and missing are one f64 apart.
    Bisected(fn(Kind, &mut Random) -> Query),
}

impl Family {
    /// Bisected families call the oracle some 50 times per query.
    pub(crate) fn slow(&self) -> bool {
        matches!(self.draw, Draw::Bisected(_))
    }

    /// Returns true if sizes and distances are about 0.01 to 10, for which a distance of about 0.1 is neither
    /// negligible nor everything.
    pub(crate) fn of_moderate_scale(&self) -> bool {
        let others = ["times powers of two", "far offsets", "mixed scales", "extreme scales"];
        !self.slow() && !others.iter().any(|name| self.name.contains(name))
    }

    /// One query of a family that is not slow.
    pub(crate) fn draw(&self, kind: Kind, random: &mut Random) -> Query {
        match self.draw {
            Draw::One(draw) | Draw::Bisected(draw) => draw(kind, random),
        }
    }

    /// Returns at least `count` queries.
    pub(crate) fn draw_many(&self, kind: Kind, random: &mut Random, count: usize) -> Vec<Query> {
        let mut queries = Vec::with_capacity(count);
        while queries.len() < count {
            match self.draw {
                Draw::One(draw) => queries.push(draw(kind, random)),
                Draw::Bisected(draw) => bisect(draw(kind, random), random, &mut queries),
            }
        }
        queries
    }
}

/// Moves one coordinate of a touching query until it misses, bisects between the two values down to neighbouring
/// f64s, and adds the last probes: half a dozen queries within some ulps of the border.
fn bisect(touching: Query, random: &mut Random, queries: &mut Vec<Query>) {
    if first_contact(&touching).is_none() {
        return;
    }
    let (point, axis, at_end) = (random.below(4), random.below(3), random.chance(0.5));
    let coordinate = |query: &mut Query, value: Option<f64>| {
        let slot = &mut (if at_end { &mut query.t1 } else { &mut query.t0 })[point][axis];
        std::mem::replace(slot, value.unwrap_or(*slot))
    };
    let moved = |value: f64| {
        let mut query = touching;
        coordinate(&mut query, Some(value));
        query
    };
    let start = coordinate(&mut { touching }, None);
    let direction = if random.chance(0.5) { 1.0 } else { -1.0 };
    let Some(miss) = (-30..6)
        .step_by(4)
        .map(|k| start + direction * 2f64.powi(k))
        .find(|&value| first_contact(&moved(value)).is_none())
    else {
        return;
    };
    let (mut hit, mut miss) = (ordered(start), ordered(miss));
    let mut probes = Vec::new();
    while hit.abs_diff(miss) > 1 {
        let middle = (i128::from(hit) + i128::from(miss)).div_euclid(2) as i64;
        let query = moved(from_ordered(middle));
        probes.push(query);
        *(if first_contact(&query).is_some() { &mut hit } else { &mut miss }) = middle;
    }
    queries.extend([moved(from_ordered(hit)), moved(from_ordered(miss))]);
    queries.extend(probes.into_iter().rev().take(6));
}

/// Returns the f64s numbered in ascending order, both zeros being number 0.
fn ordered(value: f64) -> i64 {
    let magnitude = (value.to_bits() & (u64::MAX >> 1)) as i64;
    if value.is_sign_negative() { -magnitude } else { magnitude }
}

fn from_ordered(number: i64) -> f64 {
    let magnitude = f64::from_bits(number.unsigned_abs());
    if number < 0 { -magnitude } else { magnitude }
}

/// Splitmix64: every seed gives a good stream, the same one everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Returns an integer from lo to hi, both included.
    pub(crate) fn integer(&mut self, lo: i32, hi: i32) -> f64 {
        f64::from(lo + self.below((hi - lo + 1) as usize) as i32)
    }

    /// In `[lo, hi)`, with 53 random bits.
    pub(crate) fn float(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * ((self.next() >> 11) as f64 * 2f64.powi(-53))
    }

    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.float(0.0, 1.0) < p
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn integer_vector(&mut self, radius: i32) -> DVec3 {
        let mut coordinate = || self.integer(-radius, radius);
        dvec3(coordinate(), coordinate(), coordinate())
    }

    pub(crate) fn float_vector(&mut self, radius: f64) -> DVec3 {
        let mut coordinate = || self.float(-radius, radius);
        dvec3(coordinate(), coordinate(), coordinate())
    }
}

/// Returns the four points at a contact: weights 0 and 1 make it a contact of corners or edges.
///
/// `shape` holds the three corners of the face, or the ends of the first edge and the extent of the second.
fn meeting(kind: Kind, random: &mut Random, shape: [DVec3; 3], weights: &[f64]) -> [DVec3; 4] {
    let (s, r) = (random.pick(weights), random.pick(weights));
    let [a, b, c] = shape;
    match kind {
        Kind::VertexFace => {
            // Halved, so that s = r = 1 is on the far edge.
            let v = a + (b - a) * (0.5 * s) + (c - a) * (0.5 * r);
            [v, a, b, c]
        }
        Kind::EdgeEdge => {
            let meet = a + (b - a) * s;
            [a, b, meet - c * r, meet + c * (1.0 - r)]
        }
    }
}

/// Turns four points known at a time, each with its velocity, into a query.
fn spread(kind: Kind, points: [DVec3; 4], velocities: [DVec3; 4], time: f64) -> Query {
    Query {
        kind,
        t0: std::array::from_fn(|i| points[i] - velocities[i] * time),
        t1: std::array::from_fn(|i| points[i] + velocities[i] * (1.0 - time)),
    }
}

/// Returns a query whose determinant is a constant multiple of c0 + c1 t + c2 t² + c3 t³, for given coefficients.
///
/// The plane through the origin spanned by F1 = (1, 0, t) and F2 = (t, 1, 0) has the normal F1 × F2 = (-t, t², 1). A
/// point w = (x0 + x1 t, y0 + y1 t, z0 + z1 t) is in it where `z0 + (z1 - x0) t + (y0 - x1) t² + y1 t³ = 0`. So any
/// cubic is possible, with x0 and y0 free. There it has the plane coordinates s = x - y t along F1 and r = y along F2.
/// The corners of a face at fixed plane coordinates move linearly, and so do the ends of an edge along F1 and of one
/// through w along F2. `time` is the time at which the features are placed around the contact. Exact for short dyadic
/// numbers.
fn designed(kind: Kind, random: &mut Random, c: [f64; 4], time: f64) -> Query {
    let (x0, y0) = (random.integer(-2, 2), random.integer(-2, 2));
    let start = dvec3(x0, y0, c[0]);
    let velocity = dvec3(y0 - c[2], c[3], c[1] + x0);
    let contact = start + velocity * time;
    // The position of the features: the plane coordinates of the contact, on a grid of halves.
    let (s, r) = (((contact.x - contact.y * time) * 2.0).round() / 2.0, (contact.y * 2.0).round() / 2.0);
    let mut extent = || random.integer(0, 4);
    let at = |t: f64, extents: [f64; 4]| {
        let in_plane = |s: f64, r: f64| dvec3(s + r * t, r, s * t);
        let w = start + velocity * t;
        let [e0, e1, e2, e3] = extents;
        match kind {
            Kind::VertexFace => {
                [w, in_plane(s - e0, r - e1), in_plane(s + e2, r - e1), in_plane(s + e3 - e0, r + e3)]
            }
            Kind::EdgeEdge => {
                let along = |r: f64| w + dvec3(r * t, r, 0.0);
                [in_plane(s - e0, 0.0), in_plane(s + e1, 0.0), along(-r - e2), along(-r + e3)]
            }
        }
    };
    let extents = [extent(), extent(), extent(), extent()];
    Query { kind, t0: at(0.0, extents), t1: at(1.0, extents) }
}

/// Applies a map to all points of a query.
fn mapped(query: Query, map: impl Fn(DVec3) -> DVec3) -> Query {
    Query { kind: query.kind, t0: query.t0.map(&map), t1: query.t1.map(&map) }
}

/// One coordinate of one point, moved to a neighbouring f64 or by `step`.
fn nudged(mut query: Query, random: &mut Random, step: Option<f64>) -> Query {
    let (point, axis) = (random.below(4), random.below(3));
    let slot = &mut (if random.chance(0.5) { &mut query.t1 } else { &mut query.t0 })[point][axis];
    let up = random.chance(0.5);
    *slot = match step {
        Some(step) => *slot + if up { step } else { -step },
        None if up => slot.next_up(),
        None => slot.next_down(),
    };
    query
}
