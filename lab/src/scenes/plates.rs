//! Two near-parallel plates: the scene of Figure 3 and Table 1 of the 2001 paper.
//!
//! Two equal slabs with large flat faces. One is at rest; the other follows a recorded path of placements. It starts
//! far away, comes so close that the leaf spheres of the two facing sides overlap all over, glides along, and goes away
//! again. It never touches. Between two placements it moves on a contact screw.
//!
//! Each large face is covered by many leaf spheres. Without labels and tables the same pairs of faces and edges are
//! tested for every pair of spheres that meet; Table 1 counts these tests. The paper shows its object without its
//! dimensions, and the saving by the tables depends on them; [`Plates::like_figure_3`] has about as many tests of
//! spheres as the paper counts.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 4.4.

use firsttouch::ContactTests;
use firsttouch::Result;
use firsttouch::advancement::{Limits, Verdict};
use firsttouch::contact::{ContactPair, Covered, FaceTouch, Tables, first_touch};
use firsttouch::motion::{ContactScrew, Pose};
use firsttouch::shape::{Mesh, SphereTree};
use firsttouch::tree::TreeStats;
use glam::{DQuat, DVec3};

/// The scene.
#[derive(Debug, Clone)]
pub struct Plates {
    /// Both slabs.
    pub plate: Mesh,
    /// The tree of spheres over it.
    pub tree: SphereTree,
    /// The placements of the first slab, step by step.
    pub path: Vec<Pose>,
}

impl Plates {
    /// Creates slabs of 2 by 2 by 0.1 whose large sides are grids of `cells` by `cells` squares, leaf spheres of a
    /// given radius and a path of `steps` steps.
    ///
    /// ```
    /// let plates = firsttouch_lab::scenes::plates::Plates::new(4, 0.1, 10)?;
    /// assert_eq!(plates.plate.triangles().len(), 4 * 4 * 4 + 4 * 4 * 2);
    /// assert_eq!(plates.path.len(), 11);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(cells: u32, leaf_radius: f64, steps: u32) -> Result<Plates> {
        let plate = slab(cells.max(1), 1.0, 0.05)?;
        let tree = SphereTree::new(&plate, leaf_radius)?;
        let at = |k: u32| placement(f64::from(k) / f64::from(steps.max(1)));
        let path = (0..=steps).map(at).collect::<Result<Vec<Pose>>>()?;
        Ok(Plates { plate, tree, path })
    }

    /// Returns the scene with about the paper's number of tests.
    pub fn like_figure_3() -> Result<Plates> {
        Plates::new(2, 0.1, 60)
    }

    /// Follows the path with these tables. Returns the numbers of tests, and the result of each step.
    pub fn follow(&self, tables: Tables) -> (ContactTests, Vec<Verdict<FaceTouch>>) {
        let limits = Limits::default();
        let side = Covered { mesh: &self.plate, tree: &self.tree };
        let mut work = TreeStats::default();
        let outcomes = self
            .path
            .windows(2)
            .map(|step| {
                let motion = ContactScrew::new(step[0], step[1]);
                let at_rest = Pose::IDENTITY.into();
                let pair = ContactPair { moving: side, motion: &motion, resting: side, at_rest };
                first_touch(&pair, &limits, false, tables, &mut work)
            })
            .collect();
        (work.contact, outcomes)
    }
}

/// Returns the path, for `u` from 0 to 1. It goes down from a height of 1.6 to a gap of about 0.04 between the slabs,
/// and up again. It drifts and turns all the while, and is nearly parallel where it is close.
fn placement(u: f64) -> Result<Pose> {
    let from_middle = 2.0 * u - 1.0;
    let height = 0.16 + 1.5 * from_middle.powi(4);
    let drift = DVec3::new(0.6 * from_middle, 0.25 * (3.0 * u).sin() - 0.2, height);
    // A tilt of at most a degree in the middle, more farther away, and a slow turn about the vertical.
    let tilt = 0.004 + 0.3 * from_middle * from_middle;
    let turn = DQuat::from_rotation_z(0.4 * from_middle)
        * DQuat::from_axis_angle(DVec3::new(0.8, 0.6, 0.0), tilt * (5.0 * u).cos());
    Pose::new(drift, turn)
}

/// Returns a closed slab with the large sides cut into `n` by `n` squares and the narrow ones into `n`.
fn slab(n: u32, half_side: f64, half_thickness: f64) -> Result<Mesh> {
    let row = n + 1;
    let mut vertices = Vec::new();
    for z in [half_thickness, -half_thickness] {
        for j in 0..row {
            for i in 0..row {
                let at = |k: u32| half_side * (2.0 * f64::from(k) / f64::from(n) - 1.0);
                vertices.push(DVec3::new(at(i), at(j), z));
            }
        }
    }
    let top = |i: u32, j: u32| j * row + i;
    let bottom = |i: u32, j: u32| row * row + j * row + i;
    let mut triangles = Vec::new();
    let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
    for j in 0..n {
        for i in 0..n {
            quad(top(i, j), top(i + 1, j), top(i + 1, j + 1), top(i, j + 1));
            quad(bottom(i, j), bottom(i, j + 1), bottom(i + 1, j + 1), bottom(i + 1, j));
        }
    }
    for k in 0..n {
        quad(bottom(k, 0), bottom(k + 1, 0), top(k + 1, 0), top(k, 0));
        quad(bottom(k + 1, n), bottom(k, n), top(k, n), top(k + 1, n));
        quad(bottom(0, k + 1), bottom(0, k), top(0, k), top(0, k + 1));
        quad(bottom(n, k), bottom(n, k + 1), top(n, k + 1), top(n, k));
    }
    Mesh::new(vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over the plates of the table, all four tables save between about a fifth of all tests, as in the paper, and more
    /// than half. No table changes an answer.
    #[test]
    fn tables_save_what_the_paper_says_and_change_no_answer() {
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for (cells, leaf_radius) in crate::papers::contact_plates() {
            let plates = Plates::new(cells, leaf_radius, 60).unwrap();
            let (none, expected) = plates.follow(Tables::NONE);
            // It comes close and never touches.
            assert!(expected.iter().all(|outcome| *outcome == Verdict::Free));
            let saved = |tests: &ContactTests| 1.0 - tests.total() as f64 / none.total() as f64;
            let mut shares = [0.0; 3];
            for (share, tables) in shares.iter_mut().zip([Tables::LABELS, Tables::PRIMITIVES, Tables::ALL]) {
                let (tests, outcomes) = plates.follow(tables);
                assert_eq!(outcomes, expected);
                *share = saved(&tests);
            }
            println!("{cells} cells, leaves of {leaf_radius}: {shares:?}");
            let [labels, primitives, all] = shares;
            assert!(labels > 0.0 && primitives > 0.0 && all >= labels.max(primitives), "{shares:?}");
            range = [range[0].min(all), range[1].max(all)];
            let (all, _) = plates.follow(Tables::ALL);
            assert!(all.edge_edge < none.edge_edge && all.vertex_face < none.vertex_face);
        }
        assert!(range[0] > 0.14 && range[0] < 0.2 && range[1] > 0.5 && range[1] < 0.7, "{range:?}");
    }

    #[test]
    fn the_slab_is_closed() {
        let plates = Plates::new(3, 0.2, 2).unwrap();
        // Euler: V - E + F = 2.
        let vertices = plates.plate.vertices().len() as i64;
        let (edges, faces) = (plates.tree.edges().len() as i64, plates.plate.triangles().len() as i64);
        assert_eq!(vertices - edges + faces, 2);
    }
}
