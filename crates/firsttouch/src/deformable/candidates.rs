//! The candidates of a step: pairs of features whose moving volumes overlap, for simulators with custom tests.

use crate::answer::Feature;
use crate::elementary::LARGEST_COORDINATE;

use super::feature_pairs::{FeaturePairs, Spare};
use super::fit::Fit;
use super::mesh::{Deformable, Fitted};
use super::normal_cones::Patches;
use super::traversal::leaves_near;
use super::volume::Groups;

impl Deformable {
    /// Calls `visit` for every pair of features that do not share a vertex and whose volumes overlap during the step,
    /// for simulators with custom tests. Each pair, a vertex and a face or two edges, is visited once.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::dvec3;
    /// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
    /// let mesh = Deformable::new(at(1.0), at(-1.0), vec![[0, 1, 2]], vec![], vec![3])?;
    /// let mut pairs = vec![];
    /// mesh.candidates(|pair| pairs.push(pair.map(|feature| feature.to_string())));
    /// assert_eq!(pairs[0], ["vertex 3", "face 0"]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn candidates(&self, visit: impl FnMut([Feature; 2])) {
        let Fitted { one, three, four } = &self.fitted;
        match self.settings.dop.groups() {
            Groups::One => self.candidates_of(self.whole_step(one, false), visit),
            Groups::Three => self.candidates_of(self.whole_step(three, false), visit),
            Groups::Four => self.candidates_of(self.whole_step(four, false), visit),
        }
    }

    /// Like [`candidates`](Deformable::candidates), for features that may come within `separation` of each other, for
    /// example to compute repulsion between close features.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::dvec3;
    /// // A point rests half a unit above a triangle.
    /// let at = vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, 0.5)];
    /// let mesh = Deformable::new(at.clone(), at, vec![[0, 1, 2]], vec![], vec![3])?;
    /// let count = |separation: f64| {
    ///     let mut count = 0;
    ///     mesh.candidates_within(separation, |_| count += 1);
    ///     count
    /// };
    /// assert!(count(0.1) == 0 && count(0.6) > 0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn candidates_within(&self, separation: f64, visit: impl FnMut([Feature; 2])) {
        let separation = if separation > 0.0 { separation.min(LARGEST_COORDINATE) } else { 0.0 };
        match self.settings.dop.groups() {
            Groups::One => self.candidates_of(&self.fit::<1>(1.0, separation, false), visit),
            Groups::Three => self.candidates_of(&self.fit::<3>(1.0, separation, false), visit),
            Groups::Four => self.candidates_of(&self.fit::<4>(1.0, separation, false), visit),
        }
    }

    fn candidates_of<const N: usize>(&self, fit: &Fit<N>, mut visit: impl FnMut([Feature; 2])) {
        let tree = &self.tree;
        let number = &self.edge_numbers().number;
        let spare = Spare::new();
        let mut near = FeaturePairs::new((tree, fit), &spare);
        for a in 0..tree.leaves {
            leaves_near(
                fit,
                &Patches::none(),
                (1, a),
                &mut visit,
                |_| 1.0,
                |visit, b| {
                    near.visit(
                        (a, b),
                        (1.0, false),
                        visit,
                        |visit, v, f| {
                            visit([Feature::Vertex(tree.vertex_id[v]), Feature::Face(tree.faces[f].id)])
                        },
                        |visit, i, j| visit([Feature::Edge(number[i]), Feature::Edge(number[j])]),
                    );
                },
            );
        }
    }
}
