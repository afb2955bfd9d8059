//! Pairs that CONTACT decides on request of the scene.
//!
//! The dispatcher takes the tree engine for a mesh on a contact screw, because that was measured to be faster.
//! [`Scene::decide_by_contact`] takes CONTACT for one pair: one mesh on a contact screw and one at rest. If the pair is
//! anything else at the check, this is an error: no other engine decides it silently. The trees of spheres belong to
//! the two meshes; they are built by the first check and kept with the pair until a body gets another shape.

use std::sync::{Arc, OnceLock};

use super::Scene;
use crate::body::Body;
use crate::error::{Error, Result};
use crate::motion::{ContactScrew, FixedPose, Motion};
use crate::narrow::Dispatched;
use crate::options::{Options, Start};
use crate::pair::{Limits, PairTouch, TreeStats};
use crate::screw_pair::{ScrewPair, ScrewPairOptions};
use crate::shape::{Mesh, Shape};
use crate::world::{BodyId, IdPair};

/// A pair that CONTACT decides, with its trees of spheres once they are built.
#[derive(Debug, Clone)]
pub(super) struct ContactChoice {
    options: ScrewPairOptions,
    /// The trees of the meshes that the two bodies had when they were built, the moving one first.
    built: OnceLock<Arc<ScrewPair>>,
}

impl ContactChoice {
    /// Returns the trees of these two meshes, the moving one first. Trees of other meshes, which a body had before, are
    /// not used.
    fn trees(&self, meshes: [&Arc<Mesh>; 2]) -> Result<Arc<ScrewPair>> {
        let fits = |pair: &Arc<ScrewPair>| {
            pair.meshes().into_iter().zip(meshes).all(|(known, mesh)| Arc::ptr_eq(known, mesh))
        };
        if let Some(pair) = self.built.get().filter(|pair| fits(pair)) {
            return Ok(Arc::clone(pair));
        }
        let [moving, resting] = meshes.map(Arc::clone);
        let pair = Arc::new(ScrewPair::new(moving, resting, self.options)?);
        // Another thread may have built the same trees.
        let _ = self.built.set(Arc::clone(&pair));
        Ok(pair)
    }
}

/// A pair for CONTACT.
pub(super) struct ContactSides {
    pair: Arc<ScrewPair>,
    motion: ContactScrew,
    at_rest: FixedPose,
    /// True if the second body is the one that moves.
    second_moves: bool,
}

impl Scene {
    /// Lets CONTACT decide a pair: a mesh on a contact screw and a mesh at rest. The answers have the same guarantee as
    /// those of the tree engine, which otherwise decides such pairs. The two differ by no more than the tolerance
    /// allows. [`Stats::contact`](crate::Stats) counts the tests.
    ///
    /// A check returns an error if the two bodies are anything else by then, with
    /// [`Start::Ignore`](crate::Start::Ignore), and in a scene with a robot on a path.
    ///
    /// ```
    /// use firsttouch::motion::{ContactScrew, Motion, Pose};
    /// use firsttouch::shape::Mesh;
    /// use firsttouch::{Body, Options, Scene, ScrewPairOptions};
    /// use glam::DVec3;
    /// // A triangle flies from z = 2 to z = -2 through another at z = 0.
    /// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
    /// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("flying", mesh.clone(), Motion::ContactScrew(ContactScrew::new(at(2.0)?, at(-2.0)?))))?;
    /// scene.add(Body::new("resting", mesh, Motion::fixed(at(0.0)?)))?;
    /// scene.decide_by_contact("flying", "resting", ScrewPairOptions::default())?;
    /// let report = scene.check(&Options::default())?;
    /// let touch = report.answer.touch().expect("they touch");
    /// assert!(touch.toi <= 0.5 && touch.toi > 0.5 - 1e-6);
    /// assert!(report.stats.contact.total() > 0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn decide_by_contact(&mut self, a: &str, b: &str, options: ScrewPairOptions) -> Result<()> {
        let pair = self.pair_of(a, b)?;
        if let Some(radius) = options.leaf_radius {
            crate::error::positive(|| "leaf radius".into(), radius)?;
        }
        self.contact_shapes(pair)?;
        self.contacts.insert(self.ids_of(pair), ContactChoice { options, built: OnceLock::new() });
        Ok(())
    }

    /// Returns the pairs that CONTACT decides ([`Scene::decide_by_contact`]), by their indices, in ascending order.
    pub fn pairs_by_contact(&self) -> Vec<([usize; 2], ScrewPairOptions)> {
        let with_index =
            |(ids, choice): (&IdPair, &ContactChoice)| Some((self.indices_of(*ids)?, choice.options));
        let mut pairs: Vec<_> = self.contacts.iter().filter_map(with_index).collect();
        pairs.sort_unstable_by_key(|(pair, _)| *pair);
        pairs
    }

    /// Forgets the trees of spheres of all pairs of a body, whose shape has changed.
    pub(super) fn forget_contact_trees(&mut self, id: BodyId) {
        let changed = self.contacts.iter_mut().filter(|(pair, _)| pair.contains(&id));
        changed.for_each(|(_, choice)| choice.built = OnceLock::new());
    }

    /// Checks that CONTACT applies to every pair that it must decide, and builds the missing trees.
    pub(super) fn validate_contact_pairs(&self, options: &Options) -> Result<()> {
        for (pair, _) in self.pairs_by_contact() {
            if self.is_allowed(pair) {
                continue;
            }
            self.contact_sides(pair)?;
            let [a, b] = pair.map(|i| self.bodies[i].name());
            let refuse = |what: &str| {
                Err(Error::Unsupported { what: format!("method \"contact\" for \"{a}\" and \"{b}\" {what}") })
            };
            if options.start == Start::Ignore {
                return refuse("with start = \"ignore\"; use start = \"report\" or leave out the method");
            }
            if self.has_paths() {
                return refuse("in a scene with a robot on a path; leave out the method");
            }
        }
        Ok(())
    }

    /// Returns the pair for CONTACT, if the scene requests it. Returns `None` for all other pairs.
    pub(super) fn contact_pair(&self, pair: [usize; 2]) -> Option<ContactSides> {
        if self.contacts.is_empty() || !self.contacts.contains_key(&self.ids_of(pair)) {
            return None;
        }
        Some(self.contact_sides(pair).expect("it was validated before the check"))
    }

    /// Returns the two sides of a pair that CONTACT is to decide. Returns an error that says why it cannot.
    fn contact_sides(&self, pair: [usize; 2]) -> Result<ContactSides> {
        let [mesh_a, mesh_b] = self.contact_shapes(pair)?;
        let choice = &self.contacts[&self.ids_of(pair)];
        let motion = |i: usize| self.bodies[i].as_rigid().map(|(_, motion)| motion);
        match pair.map(motion) {
            [Some(Motion::ContactScrew(screw)), Some(Motion::Fixed(pose))] => Ok(ContactSides {
                pair: choice.trees([mesh_a, mesh_b])?,
                motion: *screw,
                at_rest: *pose,
                second_moves: false,
            }),
            [Some(Motion::Fixed(pose)), Some(Motion::ContactScrew(screw))] => Ok(ContactSides {
                pair: choice.trees([mesh_b, mesh_a])?,
                motion: *screw,
                at_rest: *pose,
                second_moves: true,
            }),
            [a, b] => {
                let kind = |motion: Option<&Motion>| motion.map_or("none", Motion::kind);
                Err(self.no_contact(pair, [kind(a), kind(b)]))
            }
        }
    }

    /// Returns the meshes of a pair that CONTACT is to decide.
    fn contact_shapes(&self, pair: [usize; 2]) -> Result<[&Arc<Mesh>; 2]> {
        let shape = |i: usize| self.bodies[i].as_rigid().map(|(shape, _)| shape);
        match pair.map(shape) {
            [Some(Shape::Mesh(a)), Some(Shape::Mesh(b))] if pair[0] != pair[1] => Ok([a, b]),
            [a, b] => {
                let kind = |shape: Option<&Shape>| shape.map_or("no rigid body", Shape::kind);
                Err(self.no_contact(pair, [kind(a), kind(b)]))
            }
        }
    }

    fn no_contact(&self, pair: [usize; 2], kinds: [&str; 2]) -> Error {
        let name = |k: usize| self.bodies.get(pair[k]).map_or("", Body::name);
        Error::Unsupported {
            what: format!(
                "method \"contact\" for \"{}\" ({}) and \"{}\" ({}): it needs two meshes, one on a contact screw and one at rest",
                name(0),
                kinds[0],
                name(1),
                kinds[1]
            ),
        }
    }
}

impl ContactSides {
    /// Returns the first touch, with the sides in the order of the pair.
    pub(super) fn first_touch(&self, limits: &Limits, any: bool, work: &mut TreeStats) -> Dispatched {
        let mut found = self.pair.first_touch(&self.motion, self.at_rest, limits, any, work);
        if self.second_moves {
            found.verdict = found.verdict.map(PairTouch::swapped);
        }
        found
    }
}
