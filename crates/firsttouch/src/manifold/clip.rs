//! The intersection of two convex sets in the plane, each a point, a segment or a polygon, with a height over every
//! point.

use glam::DVec2;

/// A convex set: its corners in counter-clockwise order, with their heights.
pub(super) struct Polygon {
    corners: Vec<(DVec2, f64)>,
    /// The length below which differences are rounding.
    slack: f64,
}

impl Polygon {
    /// Returns the hull of points with heights, by Andrew's monotone chain.
    pub(super) fn new(mut points: Vec<(DVec2, f64)>) -> Polygon {
        let size = points.iter().map(|p| p.0.length()).fold(0.0, f64::max); // not a bound: measured
        let slack = 1e-12 * size;
        points.sort_by(|p, q| p.0.x.total_cmp(&q.0.x).then(p.0.y.total_cmp(&q.0.y)));
        points.dedup_by(|p, q| p.0.distance(q.0) <= slack);
        if points.len() < 3 {
            return Polygon { corners: points, slack };
        }
        let mut corners: Vec<(DVec2, f64)> = Vec::with_capacity(points.len() + 1);
        let push = |corners: &mut Vec<(DVec2, f64)>, floor: usize, next: (DVec2, f64)| {
            while let [.., a, b] = &corners[floor..]
                && (b.0 - a.0).perp_dot(next.0 - a.0) <= slack * (next.0 - a.0).length()
            {
                corners.pop();
            }
            corners.push(next);
        };
        for &point in &points {
            push(&mut corners, 0, point);
        }
        let floor = corners.len() - 1;
        for &point in points.iter().rev().skip(1) {
            push(&mut corners, floor, point);
        }
        corners.pop(); // the first point again
        Polygon { corners, slack }
    }

    /// Returns the corners of the intersection; empty if there is none.
    pub(super) fn intersection(&self, other: &Polygon) -> Vec<DVec2> {
        let slack = 1e-9 * self.span().max(other.span()) + 4.0 * (self.slack + other.slack); // not a bound: measured
        let (subject, clip) =
            if self.corners.len() <= other.corners.len() { (self, other) } else { (other, self) };
        let places: Vec<DVec2> = subject.corners.iter().map(|corner| corner.0).collect();
        let found = match (&places[..], &clip.corners[..]) {
            ([p, q], [a, b]) => segments([*p, *q], [a.0, b.0], slack),
            ([p], [a]) => {
                if p.distance(a.0) <= slack {
                    vec![*p]
                } else {
                    vec![]
                }
            }
            ([p], [a, b]) => {
                if distance_to_segment(*p, [a.0, b.0]) <= slack {
                    vec![*p]
                } else {
                    vec![]
                }
            }
            _ => clipped(places, clip, slack),
        };
        let mut distinct: Vec<DVec2> = Vec::with_capacity(found.len());
        for place in found {
            if distinct.iter().all(|known| known.distance(place) > 2.0 * slack) {
                distinct.push(place);
            }
        }
        distinct
    }

    /// Returns the height over a point of the set, interpolated between the corners.
    pub(super) fn height(&self, place: DVec2) -> f64 {
        match &self.corners[..] {
            [] => 0.0,
            [(_, height)] => *height,
            [(p, from), (q, to)] => {
                let along = *q - *p;
                let x = ((place - *p).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                from + (to - from) * x
            }
            [first, rest @ ..] => {
                // The triangle of the fan that contains the point, or is nearest to it.
                let mut best = (f64::NEG_INFINITY, first.1);
                for pair in rest.windows(2) {
                    let (e, f, d) = (pair[0].0 - first.0, pair[1].0 - first.0, place - first.0);
                    let area = e.perp_dot(f);
                    let (x, y) = (d.perp_dot(f) / area, e.perp_dot(d) / area);
                    let inside = x.min(y).min(1.0 - x - y); // not a bound: measured
                    if inside > best.0 {
                        best = (inside, first.1 + (pair[0].1 - first.1) * x + (pair[1].1 - first.1) * y);
                    }
                }
                best.1
            }
        }
    }

    fn span(&self) -> f64 {
        let first = self.corners.first().map_or(DVec2::ZERO, |corner| corner.0);
        self.corners.iter().map(|corner| corner.0.distance(first)).fold(0.0, f64::max) // not a bound: measured
    }
}

/// Clips a point, a segment or a polygon by the sides of a polygon (Sutherland and Hodgman).
fn clipped(mut subject: Vec<DVec2>, clip: &Polygon, slack: f64) -> Vec<DVec2> {
    let count = clip.corners.len();
    for k in 0..count {
        let (a, b) = (clip.corners[k].0, clip.corners[(k + 1) % count].0);
        let inward = (b - a).perp().normalize_or_zero();
        let depth = |p: DVec2| (p - a).dot(inward);
        let mut kept = Vec::with_capacity(subject.len() + 2);
        for (i, &p) in subject.iter().enumerate() {
            let (here, next) = (depth(p), subject[(i + 1) % subject.len()]);
            if here >= -slack {
                kept.push(p);
            }
            let there = depth(next);
            let crosses = (here > slack && there < -slack) || (here < -slack && there > slack);
            if crosses {
                kept.push(p + (next - p) * (here / (here - there)));
            }
        }
        subject = kept;
    }
    subject
}

/// Returns the common points of two segments: the ends of their overlap if they are on one line, or else their
/// crossing.
fn segments([p, q]: [DVec2; 2], [a, b]: [DVec2; 2], slack: f64) -> Vec<DVec2> {
    let along = (q - p).normalize_or_zero();
    let is_parallel = along.perp_dot(b - a).abs() <= slack.max(1e-9 * (b - a).length()); // not a bound: measured
    if is_parallel {
        if along.perp_dot(a - p).abs() > slack {
            return vec![];
        }
        let place = |x: DVec2| (x - p).dot(along);
        let (length, [mut from, mut to]) = (place(q), [place(a), place(b)]);
        if from > to {
            (from, to) = (to, from);
        }
        let (from, to) = (from.max(0.0), to.min(length)); // not a bound: measured
        return match to - from {
            overlap if overlap < -slack => vec![],
            overlap if overlap <= slack => vec![p + along * from],
            _ => vec![p + along * from, p + along * to],
        };
    }
    let (e, f) = (q - p, b - a);
    let cross = e.perp_dot(f);
    let (x, y) = ((a - p).perp_dot(f) / cross, (a - p).perp_dot(e) / cross);
    let inside = |x: f64, length: f64| x * length >= -slack && (x - 1.0) * length <= slack;
    if inside(x, e.length()) && inside(y, f.length()) { vec![p + e * x] } else { vec![] }
}

fn distance_to_segment(p: DVec2, [a, b]: [DVec2; 2]) -> f64 {
    let along = b - a;
    let x = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(a + along * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(points: &[(f64, f64)]) -> Polygon {
        Polygon::new(points.iter().map(|&(x, y)| (DVec2::new(x, y), x + 2.0 * y)).collect())
    }

    #[test]
    fn two_squares_meet_in_a_square() {
        let a = polygon(&[(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 1.0)]);
        let b = polygon(&[(1.0, 1.0), (3.0, 1.0), (3.0, 3.0), (1.0, 3.0)]);
        let found = a.intersection(&b);
        assert_eq!(found.len(), 4);
        for (x, y) in [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)] {
            assert!(found.iter().any(|p| p.distance(DVec2::new(x, y)) < 1e-12), "{found:?}");
        }
        assert!((a.height(DVec2::new(0.5, 1.5)) - 3.5).abs() < 1e-12);
    }

    #[test]
    fn segments_and_points() {
        let segment = polygon(&[(0.0, 0.0), (2.0, 0.0)]);
        let square = polygon(&[(1.0, -1.0), (3.0, -1.0), (3.0, 1.0), (1.0, 1.0)]);
        assert_eq!(segment.intersection(&square), [DVec2::new(1.0, 0.0), DVec2::new(2.0, 0.0)]);
        assert_eq!(square.intersection(&polygon(&[(2.0, 0.5)])), [DVec2::new(2.0, 0.5)]);
        assert_eq!(segment.intersection(&polygon(&[(1.0, -1.0), (1.0, 1.0)])), [DVec2::new(1.0, 0.0)]);
        assert_eq!(segment.intersection(&polygon(&[(1.5, 0.0), (9.0, 0.0)])).len(), 2);
        assert!(segment.intersection(&polygon(&[(0.0, 1.0), (2.0, 1.0)])).is_empty());
        assert!(square.intersection(&polygon(&[(0.0, 0.0)])).is_empty());
    }
}
