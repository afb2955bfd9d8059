//! The transforms of an assembly tree, and their recursive update.
//!
//! **Method.**
//! 1. *From the leaves up* ([`Transforms::update`]): where a joint moves, or moved in the update before, its node gets
//!    a new principal joint transform, child-to-parent transform and products for its secondary handles. A changed
//!    transform changes those above it that are computed from it, and no others: the changes of a joint on a side
//!    branch end at the branch.
//! 2. *From the root down* ([`Transforms::world`]): world transforms on the way to the queried bodies. Each is stored
//!    with the update in which it was computed, and computed again only when something on its way has changed since.
//! 3. Every transform is stored with its *carrier*: the last joint on its way that moves. Two links with the same
//!    carrier do not move relative to each other; all links with one carrier are a rigid group.
//!
//! **Cost.** If the joints that move are a top part of the tree, as adaptive dynamics chooses them, step 1 computes at
//! most three transforms for each of the `m`. For any `m` joints it is `O(m log(n / m))`, because those above them that
//! depend on them are updated too. Step 2 computes at most one for every level above each of the `k` bodies.
//! [`Updates`] counts them.
//!
//! **Guarantee.** All transforms are products of joint transforms that are computed from the joints' values. Each is a
//! product of at most as many as the robot has joints on the way. No product is carried over from one update to the
//! next, so nothing drifts: the state after a million updates is that of an update from scratch, bit for bit.
//!
//! The kind of transform is generic ([`Transform`]): interval matrices, as in the paper, Taylor models, or a pose with
//! its error.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 2.2, 2.3 and 3.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{Add, AddAssign, Sub};

use smallvec::SmallVec;

use super::assembly::{Assembly, AssemblyTree, Place};
use crate::motion::{PoseAt, PoseError};
use crate::numerics::rounding::UNIT;
use crate::numerics::{Enclosure, EnclosureTransform};

/// A rigid transform, or a bound of one.
pub trait Transform: Copy {
    /// Returns the identity.
    fn identity() -> Self;
    /// Returns the product of `self` and `inner`: `inner` is applied first.
    fn compose(&self, inner: &Self) -> Self;
}

impl<E: Enclosure> Transform for EnclosureTransform<E> {
    fn identity() -> Self {
        EnclosureTransform::identity()
    }
    fn compose(&self, inner: &Self) -> Self {
        EnclosureTransform::compose(self, inner)
    }
}

/// A computed pose with a bound of its error.
///
/// ```
/// use firsttouch::adaptive::{Placed, Transform};
/// use firsttouch::motion::Pose;
/// let step = Placed::from(Pose::from_translation(glam::DVec3::X)?);
/// let two = step.compose(&step);
/// assert_eq!(two.pose.translation, 2.0 * glam::DVec3::X);
/// assert!(two.error.translation < 1e-13);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// The computed pose.
    pub pose: PoseAt,
    /// A bound of the error of the pose.
    pub error: PoseError,
}

/// The difference of two rotations is at most 2 in norm, so no error needs to be larger than this.
const LARGEST_TURN: f64 = 4.0;

/// Bounds of errors are sums and products of less than 20 non-negative numbers.
const UP: f64 = 1.0 + 32.0 * UNIT;

impl Placed {
    /// Returns this pose in the frame of `base`. Both must be given in one frame.
    ///
    /// `Rᵦᵀ R` and `Rᵦᵀ (p − pᵦ)`: the same products and sums as in [`Transform::compose`], and the difference.
    pub fn relative_to(&self, base: &Placed) -> Placed {
        let arm = self.pose.translation - base.pose.translation;
        let size = self.pose.translation.length() + base.pose.translation.length();
        let [of_base, of_self] = [base.error, self.error];
        Placed {
            pose: PoseAt {
                rotation: base.pose.rotation.transpose() * self.pose.rotation,
                translation: base.pose.direction_to_body(arm),
            },
            error: PoseError {
                rotation: rotation_error(of_base.rotation, of_self.rotation),
                translation: (of_self.translation
                    + of_base.translation
                    + of_base.rotation * arm.length()
                    + (1.0 + of_base.rotation) * 16.0 * UNIT * size)
                    * UP,
            },
        }
    }
}

impl From<crate::motion::Pose> for Placed {
    fn from(pose: crate::motion::Pose) -> Placed {
        // The matrix of a pose's quaternion has an error of 36 units in norm; see `motion::turn`.
        Placed { pose: pose.at(), error: PoseError { rotation: 40.0 * UNIT, translation: 0.0 } }
    }
}

/// The error of a product of two rotations with errors `a` and `b`: `|A'B' − AB| <= |A' − A| |B'| + |A| |B' − B|`, and
/// the product's own rounding, three per entry, `9u` in norm. No two rotations are farther apart than `LARGEST_TURN`,
/// for all `a` and `b`.
fn rotation_error(a: f64, b: f64) -> f64 {
    ((a * (1.0 + b) + b + 16.0 * UNIT) * UP).min(LARGEST_TURN) // not a bound: either holds alone
}

impl Transform for Placed {
    fn identity() -> Self {
        Placed {
            pose: PoseAt { rotation: glam::DMat3::IDENTITY, translation: glam::DVec3::ZERO },
            error: PoseError::default(),
        }
    }

    /// The error of the translation `R p + q` is the error of `R` times `|p|`, the errors of `p` and `q`, three
    /// roundings per coordinate of `R p` (`6u |p|` in length) and one of the sum.
    fn compose(&self, inner: &Self) -> Self {
        let (outer_error, inner_error) = (self.error, inner.error);
        let length = inner.pose.translation.length();
        let size = length * (1.0 + outer_error.rotation) + self.pose.translation.length();
        Placed {
            pose: PoseAt {
                rotation: self.pose.rotation * inner.pose.rotation,
                translation: self.pose.apply(inner.pose.translation),
            },
            error: PoseError {
                rotation: rotation_error(outer_error.rotation, inner_error.rotation),
                translation: (outer_error.rotation * length
                    + inner_error.translation
                    + outer_error.translation
                    + 16.0 * UNIT * size)
                    * UP,
            },
        }
    }
}

/// The number of transforms of each kind that were computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Updates {
    /// The number of principal joint transforms.
    pub joint: u64,
    /// The number of child-to-parent transforms of lower parts; those of upper parts are the identity.
    pub child_to_parent: u64,
    /// The number of principal-to-secondary transforms that are products; the others are held elsewhere.
    pub principal_to_secondary: u64,
    /// The number of world transforms.
    pub world: u64,
}

impl Updates {
    /// Returns the sum over all kinds.
    pub fn total(&self) -> u64 {
        self.joint + self.child_to_parent + self.principal_to_secondary + self.world
    }
}

impl Add for Updates {
    type Output = Updates;
    fn add(self, other: Updates) -> Updates {
        Updates {
            joint: self.joint + other.joint,
            child_to_parent: self.child_to_parent + other.child_to_parent,
            principal_to_secondary: self.principal_to_secondary + other.principal_to_secondary,
            world: self.world + other.world,
        }
    }
}

impl AddAssign for Updates {
    fn add_assign(&mut self, other: Updates) {
        *self = *self + other;
    }
}

impl Sub for Updates {
    type Output = Updates;
    fn sub(self, other: Updates) -> Updates {
        Updates {
            joint: self.joint - other.joint,
            child_to_parent: self.child_to_parent - other.child_to_parent,
            principal_to_secondary: self.principal_to_secondary - other.principal_to_secondary,
            world: self.world - other.world,
        }
    }
}

/// The new transform of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointUpdate<T> {
    /// The joint, named by the link that it carries. The root link stands for the base, whose transform does not
    /// change.
    pub joint: usize,
    /// The new transform of the joint.
    pub transform: T,
    /// True if the joint moves. A joint that moves must also be part of the next update, moving or not.
    pub moves: bool,
}

/// The transforms of an assembly tree.
///
/// ```
/// use firsttouch::adaptive::{AssemblyTree, JointUpdate, Placed, Transforms};
/// use firsttouch::articulated::{Joint, JointKind, Robot};
/// use firsttouch::motion::Pose;
/// use glam::DVec3;
/// let links = (0..4).map(|i| (format!("link{i}"), vec![])).collect();
/// let joints = (1..4).map(|i| Joint {
///     name: format!("joint{i}"),
///     parent: format!("link{}", i - 1),
///     child: format!("link{i}"),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis: DVec3::X },
///     limits: None,
///     mimic: None,
/// });
/// let chain = Robot::new("chain", links, joints.collect())?;
/// let tree = AssemblyTree::balanced(&chain);
/// // Three joints, each 1 long, from a base at the origin.
/// let shift = |x: f64| Ok::<Placed, firsttouch::Error>(Pose::from_translation(DVec3::X * x)?.into());
/// let mut transforms = Transforms::new(&tree, shift(0.0)?, |_| shift(1.0))?;
/// assert_eq!(transforms.world(&tree, tree.leaf(3)).0.pose.translation.x, 3.0);
/// // The first one moves: so do all links behind it, in one group.
/// transforms.update(&tree, &[JointUpdate { joint: 1, transform: shift(5.0)?, moves: true }]);
/// assert_eq!(transforms.world(&tree, tree.leaf(3)).0.pose.translation.x, 7.0);
/// assert_eq!(transforms.world(&tree, tree.leaf(2)).1, Some(1));
/// assert_eq!(transforms.world(&tree, tree.leaf(0)).1, None);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Transforms<T> {
    /// The number of updates so far.
    update: u64,
    base: T,
    base_moves: bool,
    /// The joint transforms, by node.
    joints: Vec<T>,
    /// The update in which each node's joint was given, and whether it moves.
    given: Vec<(u64, bool)>,
    lower: Vec<Held<T>>,
    products: Vec<SmallVec<[Held<T>; 1]>>,
    world: Vec<World<T>>,
    /// The last update in which a joint inside the node moves.
    moves_inside: Vec<u64>,
    /// The nodes of the last update, children before parents.
    touched: Vec<usize>,
    open: BinaryHeap<Reverse<usize>>,
    counts: Updates,
}

/// A transform, the last joint on its way that moves, and the update in which it was made.
#[derive(Debug, Clone, Copy)]
struct Held<T> {
    transform: T,
    carrier: Option<usize>,
    made: u64,
}

/// The same for a world transform; `seen` is the last update in which it was queried.
#[derive(Debug, Clone, Copy)]
struct World<T> {
    held: Held<T>,
    seen: u64,
}

impl<T: Transform> Transforms<T> {
    /// Creates the transforms of a tree whose base is at `base` and whose joints, named by the links that they carry,
    /// are at `joint`.
    pub fn new<Failure>(
        tree: &AssemblyTree,
        base: T,
        mut joint: impl FnMut(usize) -> Result<T, Failure>,
    ) -> Result<Transforms<T>, Failure> {
        let nothing = Held { transform: T::identity(), carrier: None, made: 0 };
        let mut joints = vec![T::identity(); tree.len()];
        let mut products = vec![SmallVec::new(); tree.len()];
        for node in 0..tree.len() {
            if let Assembly::Joined { joint: link, products: places, .. } = tree.assembly(node) {
                products[node].resize(places.len(), nothing);
                if let Some(link) = link {
                    joints[node] = joint(*link)?;
                }
            }
        }
        let mut transforms = Transforms {
            update: 1,
            base,
            base_moves: false,
            joints,
            given: vec![(1, false); tree.len()],
            lower: vec![nothing; tree.len()],
            products,
            world: vec![World { held: nothing, seen: 0 }; tree.len()],
            moves_inside: vec![0; tree.len()],
            touched: (0..tree.len()).collect(),
            open: BinaryHeap::new(),
            counts: Updates::default(),
        };
        for node in 0..tree.len() {
            transforms.remake(tree, node);
        }
        Ok(transforms)
    }

    /// Sets new transforms of some joints and updates all transforms that depend on them. All other joints are at rest.
    pub fn update(&mut self, tree: &AssemblyTree, joints: &[JointUpdate<T>]) {
        self.update += 1;
        self.base_moves = false;
        self.touched.clear();
        for given in joints {
            match tree.joint(given.joint) {
                None => self.base_moves = given.moves,
                Some(node) => {
                    self.joints[node] = given.transform;
                    self.given[node] = (self.update, given.moves);
                    self.counts.joint += 1;
                    self.open.push(Reverse(node));
                }
            }
        }
        // Children have lower indices than their parents.
        while let Some(Reverse(node)) = self.open.pop() {
            if self.touched.last() == Some(&node) {
                continue;
            }
            self.touched.push(node);
            self.remake(tree, node);
            if let Some(parent) = tree.parent(node) {
                self.open.push(Reverse(parent));
            }
        }
    }

    /// Computes the transforms of a node again if its parts have changed in this update.
    fn remake(&mut self, tree: &AssemblyTree, node: usize) {
        let Assembly::Joined { upper, lower, joint, hook, products } = tree.assembly(node) else { return };
        let is_given = self.given[node].0 == self.update;
        let moves = is_given && self.given[node].1;
        if moves || self.moves_inside(*upper) || self.moves_inside(*lower) {
            self.moves_inside[node] = self.update;
        }
        let update = self.update;
        let is_new = |held: Option<&Held<T>>| held.is_some_and(|held| held.made == update);
        let hook = self.held(*hook);
        if is_given || is_new(hook) {
            let own = &self.joints[node];
            let transform = hook.map_or(*own, |hook| hook.transform.compose(own));
            let carrier = if moves { *joint } else { hook.and_then(|hook| hook.carrier) };
            self.lower[node] = Held { transform, carrier, made: self.update };
            self.counts.child_to_parent += 1;
        }
        for (slot, place) in products.iter().enumerate() {
            let (below, inner) = (&self.lower[node], self.held(*place));
            if is_new(Some(below)) || is_new(inner) {
                let transform =
                    inner.map_or(below.transform, |held| below.transform.compose(&held.transform));
                let carrier = inner.and_then(|held| held.carrier).or(below.carrier);
                self.products[node][slot] = Held { transform, carrier, made: self.update };
                self.counts.principal_to_secondary += 1;
            }
        }
    }

    fn held(&self, place: Place) -> Option<&Held<T>> {
        match place {
            Place::Principal => None,
            Place::Lower(node) => Some(&self.lower[node]),
            Place::Product(node, slot) => Some(&self.products[node][slot]),
        }
    }

    /// Returns the transform from a node's principal handle to the world, and the last joint on the way from the base
    /// that moves.
    pub fn world(&mut self, tree: &AssemblyTree, node: usize) -> (&T, Option<usize>) {
        let holder = self.seen(tree, node);
        let World { held, .. } = &self.world[holder];
        (&held.transform, held.carrier)
    }

    /// Brings the world transform of a node up to date and returns the update in which it was computed.
    pub(super) fn world_made(&mut self, tree: &AssemblyTree, node: usize) -> u64 {
        let holder = self.seen(tree, node);
        self.world[holder].held.made
    }

    /// Brings the world transform of a node up to date and returns the node that holds it.
    fn seen(&mut self, tree: &AssemblyTree, node: usize) -> usize {
        let holder = tree.holder(node);
        if self.world[holder].seen == self.update {
            return holder;
        }
        // The way up to a node that was seen in this update, and down again.
        let mut way: SmallVec<[usize; 32]> = SmallVec::new();
        let mut next = Some(holder);
        while let Some(node) = next.filter(|&node| self.world[node].seen != self.update) {
            way.push(node);
            next = tree.parent(node).map(|parent| tree.holder(parent));
        }
        for &node in way.iter().rev() {
            let made = self.world[node].held.made;
            let (carrier, renewed) = match tree.parent(node) {
                None => (self.base_moves.then_some(0), (made == 0).then_some(self.base)),
                Some(parent) => {
                    let (above, below) = (&self.world[tree.holder(parent)].held, &self.lower[parent]);
                    let is_old = made == 0 || made < above.made.max(below.made); // not a bound: counts
                    let renewed = is_old.then(|| above.transform.compose(&below.transform));
                    (below.carrier.or(above.carrier), renewed)
                }
            };
            let World { held, seen } = &mut self.world[node];
            (held.carrier, *seen) = (carrier, self.update);
            if let Some(transform) = renewed {
                (held.transform, held.made) = (transform, self.update);
                self.counts.world += 1;
            }
        }
        holder
    }

    /// Returns `true` if a joint inside a node moves. If none does, the node is rigid.
    pub fn moves_inside(&self, node: usize) -> bool {
        self.moves_inside[node] == self.update
    }

    /// Returns the child-to-parent transform of the lower part of a node.
    pub fn child_to_parent(&self, node: usize) -> &T {
        &self.lower[node].transform
    }

    /// Returns the nodes of the last update, children before parents: all that contain a joint that was passed to it.
    pub fn touched(&self) -> &[usize] {
        &self.touched
    }

    /// Returns the number of updates; the first is that of [`Transforms::new`].
    pub fn updates(&self) -> u64 {
        self.update
    }

    /// Returns the number of transforms that were computed so far.
    pub fn counts(&self) -> Updates {
        self.counts
    }
}
