//! The usual test of two features, in plain `f64`: for comparison only.
//!
//! Problem, input and output are those of [`crate::elementary`], but nothing is proven here.
//!
//! 1. Four linearly moving points are coplanar at the roots of a cubic. Its coefficients are computed in `f64`.
//! 2. The cubic is monotone between the roots of its derivative. A change of sign is refined by Newton's method,
//!    safeguarded by bisection.
//! 3. At each root, from first to last, the inside test is made with a relative slack of 1e-9.
//!
//! No guarantee. Rounded coefficients lose double roots and create false ones. So grazing and parallel features are
//! missed, features that are coplanar all the time have no cubic, and the slack accepts features that pass by. The
//! tests below have one case of each kind. `min_separation` is ignored.
//!
//! Reference: Provot 1997; the method that Tang, Kim and Manocha 2010 compare with in Tables I and II.

use firsttouch::deformable::{DeformReport, Deformable, ForeignTest, Start};
use firsttouch::{Options, Result};
use glam::DVec3;

use firsttouch::elementary::closest::{segment_segment, vertex_triangle};
use firsttouch::elementary::{Contact, EdgeEdge, Limits, Verdict, VertexFace};

/// Like [`Deformable::check`], but a cubic solver in plain `f64` has the final word about each pair of features. **Not
/// conservative**: it misses touches and reports false ones. It returns the same types, only so that tables can set
/// both side by side. The solver ignores `min_separation`.
///
/// ```
/// use firsttouch::Options;
/// use firsttouch::deformable::{Deformable, Start};
/// use firsttouch_lab::comparison::cubic;
/// use glam::dvec3;
/// // A point slides in the plane of a triangle and into it: the four points are coplanar all the time, and there is no cubic.
/// let at = |x| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(x, 0.25, 0.0)];
/// let mesh = Deformable::new(at(-1.0), at(0.5), vec![[0, 1, 2]], vec![], vec![3])?;
/// let proven = mesh.check(&Options::default(), Start::Report)?.answer;
/// assert_ne!(cubic(&mesh, &Options::default(), Start::Report)?.answer, proven);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn cubic(mesh: &Deformable, options: &Options, start: Start) -> Result<DeformReport> {
    mesh.check_by(options, start, ForeignTest { vertex_face, edge_edge })
}

/// Like [`Deformable::check`], but the last test of a pair always says that it is free. Its time is that of the walk
/// through the trees, which all methods in the same engine share.
pub fn walk(mesh: &Deformable, options: &Options, start: Start) -> Result<DeformReport> {
    mesh.check_by(
        options,
        start,
        ForeignTest { vertex_face: |_, _| Verdict::Free, edge_edge: |_, _| Verdict::Free },
    )
}

/// The slack relative to the size of the triangle, or of both edges.
const SLACK: f64 = 1e-9;

fn vertex_face(q: &VertexFace, p: &Limits) -> Verdict<Contact> {
    first(q.t0(), q.t1(), p.t_end(), |[p, a, b, c]| {
        let n = (b - a).cross(c - a);
        let square = n.length_squared();
        let inside =
            [(a, b), (b, c), (c, a)].into_iter().all(|(q, r)| (r - q).cross(p - q).dot(n) >= -SLACK * square);
        inside.then(|| (vertex_triangle(p, [a, b, c]).parameters, n))
    })
}

fn edge_edge(q: &EdgeEdge, p: &Limits) -> Verdict<Contact> {
    first(q.t0(), q.t1(), p.t_end(), |[a, b, c, d]| {
        let (e, f, w) = (b - a, d - c, c - a);
        let n = e.cross(f);
        let square = n.length_squared();
        let range = -SLACK * square..=(1.0 + SLACK) * square;
        let inside = range.contains(&w.cross(f).dot(n)) && range.contains(&w.cross(e).dot(n));
        inside.then(|| (segment_segment([a, b], [c, d]).parameters, n))
    })
}

/// Returns the first root in `[0, t_max]` at which `inside` returns the weights and a normal.
fn first(
    t0: &[DVec3; 4],
    t1: &[DVec3; 4],
    t_max: f64,
    inside: impl Fn([DVec3; 4]) -> Option<([f64; 3], DVec3)>,
) -> Verdict<Contact> {
    let relative = |i: usize| (t0[i] - t0[0], (t1[i] - t1[0]) - (t0[i] - t0[0]));
    let ((a, u), (b, v), (c, w)) = (relative(1), relative(2), relative(3));
    let k = [
        a.dot(b.cross(c)),
        u.dot(b.cross(c)) + a.dot(v.cross(c)) + a.dot(b.cross(w)),
        u.dot(v.cross(c)) + u.dot(b.cross(w)) + a.dot(v.cross(w)),
        u.dot(v.cross(w)),
    ];
    // Testing for a common sign of the Bernstein coefficients over [0, 1] is the usual shortcut.
    let bernstein = [k[0], k[0] + k[1] / 3.0, k[0] + (2.0 * k[1] + k[2]) / 3.0, k[0] + k[1] + k[2] + k[3]];
    if bernstein.iter().all(|&b| b > 0.0) || bernstein.iter().all(|&b| b < 0.0) {
        return Verdict::Free;
    }
    let f = |t: f64| ((k[3] * t + k[2]) * t + k[1]) * t + k[0];
    let slope = |t: f64| (3.0 * k[3] * t + 2.0 * k[2]) * t + k[1];
    let mut ends = [0.0, t_max, t_max, t_max];
    let mut count = 1;
    let discriminant = k[2] * k[2] - 3.0 * k[3] * k[1];
    if discriminant > 0.0 {
        let q = -(k[2] + k[2].signum() * discriminant.sqrt());
        let (r, s) = (q / (3.0 * k[3]), k[1] / q);
        for t in [r.min(s), r.max(s)] {
            if t > 0.0 && t < t_max {
                ends[count] = t;
                count += 1;
            }
        }
    }
    ends[count] = t_max;
    for piece in ends[..=count].windows(2) {
        let (mut l, mut r) = (piece[0], piece[1]);
        let (fl, fr) = (f(l), f(r));
        if fl * fr > 0.0 {
            continue;
        }
        let mut t = 0.5 * (l + r);
        for _ in 0..60 {
            let value = f(t);
            if (value > 0.0) == (fr > 0.0) {
                r = t
            } else {
                l = t
            }
            let next = t - value / slope(t);
            let next = if next > l && next < r { next } else { 0.5 * (l + r) };
            if (next - t).abs() < 1e-14 {
                break;
            }
            t = next;
        }
        let at = [0, 1, 2, 3].map(|i| t0[i] + (t1[i] - t0[i]) * t);
        if let Some((parameters, normal)) = inside(at) {
            let normal = normal.try_normalize().unwrap_or(DVec3::Z);
            return Verdict::Touch(Contact { toi: t, toi_upper: t, point: at[0], parameters, normal });
        }
    }
    Verdict::Free
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::elementary;
    use glam::dvec3;

    const FACE: [DVec3; 3] = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0)];

    fn both(from: DVec3, to: DVec3) -> [bool; 2] {
        let at = |p: DVec3| [p, FACE[0], FACE[1], FACE[2]];
        let q = VertexFace::new(at(from), at(to)).unwrap();
        let p = Limits::default();
        [vertex_face(&q, &p), elementary::vertex_face(&q, &p).outcome].map(|outcome| outcome != Verdict::Free)
    }

    #[test]
    fn plain_contact_is_found() {
        assert_eq!(both(dvec3(0.25, 0.25, 1.0), dvec3(0.25, 0.25, -3.0)), [true; 2]);
        assert_eq!(both(dvec3(0.75, 0.75, 1.0), dvec3(0.75, 0.75, -3.0)), [false; 2]);
        let b = [dvec3(0.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0)];
        let at = |z: f64| [dvec3(-1.0, 0.0, z), dvec3(1.0, 0.0, z), b[0], b[1]];
        let q = EdgeEdge::new(at(1.0), at(-3.0)).unwrap();
        let Verdict::Touch(contact) = edge_edge(&q, &Limits::default()) else { panic!() };
        assert!((contact.toi - 0.25).abs() < 1e-13 && contact.parameters == [0.5, 0.5, 0.0]);
    }

    /// The reason why the engine does not use this test: a vertex that slides into the face within its plane has no
    /// cubic, and one that passes by at 1e-10 is reported as a touch.
    #[test]
    fn known_failures_of_the_cubic() {
        let (sliding_from, to) = (dvec3(-1.0, 0.5, 0.0), dvec3(1.0, 0.5, 0.0));
        let q = VertexFace::new([sliding_from, FACE[0], FACE[1], FACE[2]], [to, FACE[0], FACE[1], FACE[2]])
            .unwrap();
        // The vertex reaches the face at 1/2. Here the "root" is wherever the iteration stops, and outside.
        let exact = elementary::vertex_face(&q, &Limits::default()).outcome;
        assert!(matches!(exact, Verdict::Touch(contact) if contact.toi == 0.5));
        assert_ne!(vertex_face(&q, &Limits::default()), exact);
        assert_eq!(both(dvec3(-1e-10, 0.5, 1.0), dvec3(-1e-10, 0.5, -1.0)), [true, false]);
    }
}
