//! The referee: the distance of two solids at an instant, bounded from both sides, by alternating projections.
//!
//! From any point, go to the nearest point `p` of the first solid, from there to the nearest `q` of the second, and
//! so on (Cheney and Goldstein 1959): `|p − q|` falls to the distance. At every step `|p − q|` is an upper bound of
//! the distance, and the separation along `q − p` a lower one. There are no simplices and no support points: nothing
//! in common with the library.

use super::path::{Place, Sampler};
use super::solid::Solid;
use firsttouch::Body;
use glam::DVec3;

/// A solid on a path.
#[derive(Clone, Debug)]
pub struct Mover {
    pub solid: Solid,
    pub path: super::path::Path,
}

impl Mover {
    pub fn body(&self, name: &str) -> Body {
        Body::new(name, self.solid.shape(), self.path.motion())
    }
}

/// Bounds of the distance at an instant.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub low: f64,
    pub high: f64,
}

pub struct Referee<'a> {
    a: &'a Solid,
    b: &'a Solid,
    paths: [Sampler; 2],
    /// The last direction that separated them.
    axis: DVec3,
    /// The point at which the last search ended, in the second body's frame.
    near: DVec3,
}

impl<'a> Referee<'a> {
    pub fn new(a: &'a Mover, b: &'a Mover) -> Referee<'a> {
        Referee {
            a: &a.solid,
            b: &b.solid,
            paths: [a.path.sampler(), b.path.sampler()],
            axis: DVec3::X,
            near: DVec3::ZERO,
        }
    }

    fn separation(&self, n: DVec3, [at_a, at_b]: &[Place; 2]) -> f64 {
        let in_a = at_a.to_body(n + at_a.at);
        let in_b = at_b.to_body(n + at_b.at);
        n.dot(at_b.at - at_a.at) - self.a.extent(in_a) - self.b.extent(-in_b)
    }

    /// Bounds the distance. Stops as soon as it is known to be above or below `limit`.
    pub fn distance(&mut self, t: f64, limit: f64) -> Bounds {
        let places = [self.paths[0].at(t), self.paths[1].at(t)];
        let mut bounds = Bounds { low: self.separation(self.axis, &places), high: f64::INFINITY };
        if bounds.low > limit {
            return bounds;
        }
        let [at_a, at_b] = &places;
        let reach = 0.1 * (self.a.radius() + self.b.radius());
        let mut q = at_b.apply(self.near);
        let (mut before, mut step) = (q, DVec3::ZERO);
        for i in 0..500 {
            let p = at_a.apply(self.a.nearest(at_a.to_body(q)));
            q = at_b.apply(self.b.nearest(at_b.to_body(p)));
            // Near a touch of curved solids the steps shrink very slowly, by the factor `ratio` each: jump to their
            // limit. Any point is a valid start, so no bound depends on it.
            let last = std::mem::replace(&mut step, q - before);
            before = q;
            let ratio = step.dot(last) / last.length_squared();
            let start = if i % 3 == 2 && ratio > 0.3 {
                let jump = step * (1.0 / (1.0 - ratio.min(1.0 - 1e-9)));
                Some(q + jump.clamp_length_max(reach))
            } else {
                None
            };
            let off = q - p;
            let distance = off.length();
            bounds.high = bounds.high.min(distance);
            if distance > 0.0 {
                let n = off / distance;
                let low = self.separation(n, &places);
                if low > bounds.low {
                    bounds.low = low;
                    self.axis = n;
                }
            }
            if bounds.low > limit || bounds.high <= limit {
                break;
            }
            if let Some(start) = start {
                q = start;
                before = q;
            }
        }
        self.near = at_b.to_body(before);
        if bounds.low <= limit && bounds.high > limit {
            self.separating_axis(&places, &mut bounds);
        }
        bounds
    }

    /// For two polytopes: the largest separation along a facet's normal or across an edge of each. If it is attained
    /// by a vertex against a vertex, this is not the distance, but it is positive if they are apart.
    fn separating_axis(&mut self, places: &[Place; 2], bounds: &mut Bounds) {
        let ((normals_a, edges_a), (normals_b, edges_b)) = (self.a.facets(), self.b.facets());
        let world = |place: &Place, d: &DVec3| place.apply(*d) - place.at;
        let edges_b: Vec<DVec3> = edges_b.iter().map(|e| world(&places[1], e)).collect();
        let across = edges_a.iter().flat_map(|e| {
            let e = world(&places[0], e);
            edges_b.iter().map(move |f| e.cross(*f).normalize_or_zero())
        });
        let normals = normals_a
            .iter()
            .map(|n| world(&places[0], n))
            .chain(normals_b.iter().map(|n| world(&places[1], n)));
        for n in normals.chain(across).flat_map(|n| [n, -n]) {
            let low = self.separation(n, places);
            if low > bounds.low {
                bounds.low = low;
                self.axis = n;
            }
        }
    }
}
