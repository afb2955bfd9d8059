//! The assembly tree of a branched articulated body: the order in which its links are joined.
//!
//! **Problem.** When a few joints of many move, update few transforms: neither those of the whole chain behind each
//! joint, nor those of bodies that no query needs.
//!
//! **Structure** (Featherstone). A leaf is a link. Any other node is an *assembly* `C` of two others, `A` and `B`,
//! joined by one joint, its *principal joint*. A link with joints that lead out of an assembly is a *handle* of it.
//!
//! 1. The robot has a root, so of every assembly one link is the topmost: that is its **principal handle**. The joint
//!    of `C` hangs the principal handle of `B` (the *lower* part) on some handle `a` of `A` (the *upper* part), whose
//!    principal handle is also that of `C`.
//! 2. All other handles are **secondary**. The frame of a handle is the frame of its link.
//! 3. The transforms, `J` being that of the principal joint, from the frame of `B`'s principal handle to that of `a`:
//!    - child to parent: `T_A^C` is the identity, `T_B^C = T_a^A J`;
//!    - principal to secondary: a handle `h` of `A` has the same transform in `C` as in `A`; one of `B` has
//!      `T_B^C T_h^B`;
//!    - world: `T_A = T_C`, `T_B = T_C T_B^C`.
//!
//!    So a node holds its joint's transform, its lower part's, and one product for each handle that comes from its
//!    lower part; everything else is the same transform under another name ([`Place`] says where it is held). Nodes
//!    with one principal handle share one world transform ([`AssemblyTree::holder`]).
//!
//! **Balance.** [`AssemblyTree::balanced`]: the heavy path from the root (always to the child with the most links below
//! it) is cut in two where half of the links are on each side, and so on recursively. The other branches of a link on
//! the path are built in the same way and joined to that link first. A leaf is then `O(log n)` levels deep, no assembly
//! has more than one secondary handle, and a motion on a side branch changes no transform outside it. A link with many
//! side branches is split into several copies of one frame, welded together: a star has `O(log n)` levels too.
//!
//! **Departures from the paper.** There the principal handle of `A` is the one that its parent joint uses, so that half
//! of the transforms are inverses of others. With the topmost link no inverse is needed anywhere, which halves the
//! products. Also, the product of bounds of a transform and bounds of its inverse is far wider than the exact product,
//! because the two bounds are independent of each other.
//!
//! Reference: S. Kim, S. Redon, Y. J. Kim, "Continuous collision detection for adaptive simulations of articulated
//! bodies" (2008), Sec. 2; R. Featherstone, IJRR 18(9) (1999).

use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::robot::Robot;

/// The place where the transform from an assembly's principal handle to one of its links is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The transform is not held: the link is the principal handle, and the transform is the identity.
    Principal,
    /// The transform is the child-to-parent transform of the lower part of this node.
    Lower(usize),
    /// The transform is one of the products of this node.
    Product(usize, usize),
}

/// The content of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assembly {
    /// One link. A copy has the link's frame and none of its parts.
    Body {
        /// The index of the link.
        link: usize,
        /// True if the body is a copy.
        copy: bool,
    },
    /// Two assemblies, joined by a joint.
    Joined {
        /// The node of the part with the same principal handle.
        upper: usize,
        /// The node of the part that the joint carries.
        lower: usize,
        /// The link that the joint carries, which names the joint; `None` where two copies of a link are welded
        /// together.
        joint: Option<usize>,
        /// The handle of the upper part that the joint hangs on.
        hook: Place,
        /// The handles that come from the lower part, as they are held there.
        products: SmallVec<[Place; 1]>,
    },
}

/// The order in which a robot's links are joined: a binary tree, children before their parents.
///
/// ```
/// use firsttouch::adaptive::AssemblyTree;
/// use firsttouch::articulated::{Joint, JointKind, Robot};
/// use firsttouch::motion::Pose;
/// // A chain of eight links: seven joints, three levels above the links.
/// let links = (0..8).map(|i| (format!("link{i}"), vec![])).collect();
/// let joints = (1..8).map(|i| Joint {
///     name: format!("joint{i}"),
///     parent: format!("link{}", i - 1),
///     child: format!("link{i}"),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Revolute { axis: glam::DVec3::Z },
///     limits: None,
///     mimic: None,
/// });
/// let chain = Robot::new("chain", links, joints.collect())?;
/// let tree = AssemblyTree::balanced(&chain);
/// assert_eq!((tree.len(), tree.depth()), (15, 3));
/// // The joint of the fourth link joins the two halves.
/// let ([upper, lower], joint) = tree.parts(tree.root()).unwrap();
/// assert_eq!((tree.parts(upper).is_some(), tree.parts(lower).is_some(), joint), (true, true, Some(4)));
/// // By hand, one link after the other: as deep as there are joints.
/// let one_by_one = AssemblyTree::in_order(&chain, &[1, 2, 3, 4, 5, 6, 7])?;
/// assert_eq!((one_by_one.len(), one_by_one.depth()), (15, 7));
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblyTree {
    nodes: Vec<Node>,
    /// For each link its leaf, and the node whose principal joint carries it.
    leaves: Vec<usize>,
    joints: Vec<Option<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    parent: Option<usize>,
    holder: usize,
    assembly: Assembly,
}

impl AssemblyTree {
    /// Builds a balanced tree: every link is `O(log n)` levels below the root, for every robot.
    pub fn balanced(robot: &Robot) -> AssemblyTree {
        let n = robot.links().len();
        let mut weight = vec![1; n];
        let mut children = vec![Vec::new(); n];
        // Parents come before their children.
        for link in (1..n).rev() {
            if let Some(parent) = robot.links()[link].parent() {
                weight[parent] += weight[link];
                children[parent].push(link);
            }
        }
        for of_link in &mut children {
            of_link.sort_by_key(|&child| (std::cmp::Reverse(weight[child]), robot.rank(child)));
        }
        let mut builder = Builder::new(robot);
        builder.subtree(0, &Branches { weight, children });
        builder.finish(n)
    }

    /// Builds a tree from an explicit order of the joints. A joint is named by the link that it carries; every link but
    /// the root must appear once.
    pub fn in_order(robot: &Robot, joints: &[usize]) -> Result<AssemblyTree> {
        let n = robot.links().len();
        if joints.len() + 1 != n {
            return Err(Error::OutOfRange {
                what: "number of joints in an order of assembly".into(),
                expected: "one for every link but the root",
                value: joints.len() as f64,
            });
        }
        let mut builder = Builder::new(robot);
        // The assembly that contains a link, found in a forest with path halving.
        let mut part_of: Vec<usize> = (0..n).map(|link| builder.leaf(link, link)).collect();
        let mut up: Vec<usize> = (0..2 * n).collect();
        let root_of = |up: &mut Vec<usize>, mut node: usize| {
            while up[node] != node {
                up[node] = up[up[node]];
                node = up[node];
            }
            node
        };
        let mut done = vec![false; n];
        for &joint in joints {
            let parent = robot.links().get(joint).and_then(|link| link.parent());
            let Some(parent) = parent.filter(|_| !std::mem::replace(&mut done[joint], true)) else {
                return Err(Error::IndexOutOfRange {
                    what: "joint of an order of assembly, each once and without the root,".into(),
                    index: joint,
                    len: n,
                });
            };
            let [upper, lower] = [parent, joint].map(|link| root_of(&mut up, part_of[link]));
            let joined = builder.join(upper, lower, parent, Some(joint));
            (up[upper], up[lower]) = (joined, joined);
            (part_of[parent], part_of[joint]) = (joined, joined);
        }
        Ok(builder.finish(n))
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns `false`: every robot has a link.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the node of the whole robot.
    pub fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Returns the two parts that a node joins, the upper and the lower one, and the link that the joint between them
    /// carries. The link is `None` where two copies of a link are welded together. Returns `None` for a link.
    pub fn parts(&self, node: usize) -> Option<([usize; 2], Option<usize>)> {
        match self.assembly(node) {
            Assembly::Body { .. } => None,
            Assembly::Joined { upper, lower, joint, .. } => Some(([*upper, *lower], *joint)),
        }
    }

    /// Returns the content of a node.
    #[cfg_attr(not(feature = "internals"), doc(hidden))]
    pub fn assembly(&self, node: usize) -> &Assembly {
        &self.nodes[node].assembly
    }

    /// Returns the parent of a node.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent
    }

    /// Returns the highest node with the same principal handle: the one that holds the world transform.
    pub fn holder(&self, node: usize) -> usize {
        self.nodes[node].holder
    }

    /// Returns the leaf of a link.
    pub fn leaf(&self, link: usize) -> usize {
        self.leaves[link]
    }

    /// Returns the node whose principal joint carries a link; `None` for the root.
    pub fn joint(&self, link: usize) -> Option<usize> {
        self.joints[link]
    }

    /// Returns the number of levels above the deepest leaf.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        // Parents have higher indices.
        for node in (0..self.root()).rev() {
            depths[node] = self.nodes[node].parent.map_or(0, |parent| depths[parent] + 1);
        }
        depths.into_iter().max().unwrap_or(0)
    }
}

/// The robot's branches: the number of links below each link, and its children, the heaviest first.
struct Branches {
    weight: Vec<usize>,
    children: Vec<Vec<usize>>,
}

/// Builds the nodes. Bodies are the links and then the copies of links.
struct Builder {
    nodes: Vec<Node>,
    /// For every body the number of its child joints that are not joined yet.
    open: Vec<usize>,
    /// For every node the bodies with joints that lead out of it, and where they are held.
    handles: Vec<Vec<(usize, Place)>>,
}

impl Builder {
    fn new(robot: &Robot) -> Builder {
        let mut open = vec![0; robot.links().len()];
        for parent in robot.links().iter().filter_map(|link| link.parent()) {
            open[parent] += 1;
        }
        Builder { nodes: Vec::new(), open, handles: Vec::new() }
    }

    fn leaf(&mut self, link: usize, body: usize) -> usize {
        self.push(Assembly::Body { link, copy: body != link }, vec![(body, Place::Principal)])
    }

    fn push(&mut self, assembly: Assembly, handles: Vec<(usize, Place)>) -> usize {
        self.nodes.push(Node { parent: None, holder: 0, assembly });
        self.handles.push(handles);
        self.nodes.len() - 1
    }

    /// Joins `lower` to the body `on` of `upper`.
    fn join(&mut self, upper: usize, lower: usize, on: usize, joint: Option<usize>) -> usize {
        let node = self.nodes.len();
        let mut handles = std::mem::take(&mut self.handles[upper]);
        let of_lower = std::mem::take(&mut self.handles[lower]);
        let hook = handles.iter().find(|(body, _)| *body == on).map_or(Place::Principal, |(_, place)| *place);
        self.open[on] -= 1;
        handles.retain(|(body, _)| self.open[*body] > 0);
        let mut products = SmallVec::new();
        for (body, place) in of_lower.into_iter().filter(|(body, _)| self.open[*body] > 0) {
            let place = if place == Place::Principal {
                Place::Lower(node)
            } else {
                products.push(place);
                Place::Product(node, products.len() - 1)
            };
            handles.push((body, place));
        }
        for part in [upper, lower] {
            self.nodes[part].parent = Some(node);
        }
        self.push(Assembly::Joined { upper, lower, joint, hook, products }, handles)
    }

    /// Builds the node of a link and all its descendants.
    fn subtree(&mut self, link: usize, branches: &Branches) -> usize {
        let heaviest = |link: &usize| branches.children[*link].first().copied();
        let path: Vec<usize> = std::iter::successors(Some(link), heaviest).collect();
        let mut parts = Vec::with_capacity(path.len());
        // The number of links before each part of the path.
        let mut before = vec![0];
        for &link in &path {
            let sides = branches.children[link].get(1..).unwrap_or_default();
            parts.push(self.with_sides(link, link, sides, branches));
            let sides = sides.iter().map(|&side| branches.weight[side]).sum::<usize>();
            before.push(before[before.len() - 1] + 1 + sides);
        }
        self.segment(&path, &parts, &before)
    }

    /// Builds a body of `link` with its branches beside the path. Two branches are joined one after the other; of more,
    /// half go onto a copy of the link.
    fn with_sides(&mut self, body: usize, link: usize, sides: &[usize], branches: &Branches) -> usize {
        if sides.len() <= 2 {
            let mut node = self.leaf(link, body);
            for &side in sides.iter().rev() {
                let lower = self.subtree(side, branches);
                node = self.join(node, lower, body, Some(side));
            }
            return node;
        }
        // The heaviest come first; dealt out in turn, the halves weigh about the same.
        let [near, far] = [0, 1].map(|k| sides.iter().copied().skip(k).step_by(2).collect::<Vec<usize>>());
        let copy = self.open.len();
        self.open.push(far.len());
        // The branches on the copy no longer hang on the body, but the copy does.
        self.open[body] = self.open[body] + 1 - far.len();
        let upper = self.with_sides(body, link, &near, branches);
        let lower = self.with_sides(copy, link, &far, branches);
        self.join(upper, lower, body, None)
    }

    /// Builds the node of a piece of a path, halved by weight. `before` has one number more than there are parts.
    fn segment(&mut self, path: &[usize], parts: &[usize], before: &[usize]) -> usize {
        let [first, last] = [before[0], before[parts.len()]];
        if let [part] = parts {
            return *part;
        }
        // The first cut with at least half before it, or the one before that if it is nearer to the middle.
        let excess = |cut: usize| (2 * before[cut]).abs_diff(first + last);
        let cut = before[1..parts.len()].partition_point(|&b| 2 * b < first + last) + 1;
        let cut = cut.min(parts.len() - 1); // not a bound: an index
        let cut = if cut > 1 && excess(cut - 1) <= excess(cut) { cut - 1 } else { cut };
        let upper = self.segment(&path[..cut], &parts[..cut], &before[..=cut]);
        let lower = self.segment(&path[cut..], &parts[cut..], &before[cut..]);
        self.join(upper, lower, path[cut - 1], Some(path[cut]))
    }

    fn finish(mut self, links: usize) -> AssemblyTree {
        let (mut leaves, mut joints) = (vec![0; links], vec![None; links]);
        for node in (0..self.nodes.len()).rev() {
            let holder = match self.nodes[node].parent {
                None => node,
                Some(parent) => match self.nodes[parent].assembly {
                    // A welded copy has the frame of the link, which is the principal handle of both.
                    Assembly::Joined { lower, joint: Some(_), .. } if lower == node => node,
                    _ => self.nodes[parent].holder,
                },
            };
            self.nodes[node].holder = holder;
            match self.nodes[node].assembly {
                Assembly::Body { link, copy: false } => leaves[link] = node,
                Assembly::Joined { joint: Some(link), .. } => joints[link] = Some(node),
                _ => {}
            }
        }
        AssemblyTree { nodes: self.nodes, leaves, joints }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Pose;
    use crate::robot::{Joint, JointKind};

    /// A robot whose link `i` hangs on link `parents[i - 1]`.
    fn robot(parents: &[usize]) -> Robot {
        let links = (0..=parents.len()).map(|i| (format!("{i:05}"), vec![])).collect();
        let joints = parents.iter().enumerate().map(|(i, parent)| Joint {
            name: format!("joint{i}"),
            parent: format!("{parent:05}"),
            child: format!("{:05}", i + 1),
            origin: Pose::IDENTITY,
            kind: JointKind::Revolute { axis: glam::DVec3::Z },
            limits: None,
            mimic: None,
        });
        Robot::new("tree", links, joints.collect()).unwrap()
    }

    fn shapes(n: usize) -> [(&'static str, Vec<usize>); 5] {
        let mut state = 7_u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        [
            ("chain", (0..n).collect()),
            ("star", vec![0; n]),
            ("binary", (0..n).map(|i| i / 2).collect()),
            ("comb", (0..n).map(|i| if i % 2 == 0 { i } else { i - 1 }).collect()),
            ("random", (0..n).map(|i| below(i + 1)).collect()),
        ]
    }

    /// Every link and joint is there once, and the levels are few: a path of weight `W` takes a part of weight `w` at
    /// most `log2(W / w) + 2` levels down, a side branch three or so, and there are at most `log2 n` side branches in a
    /// row.
    #[test]
    fn balanced_trees_are_shallow() {
        for n in [1, 2, 7, 29, 300, 3000] {
            for (name, parents) in shapes(n) {
                let robot = robot(&parents);
                let tree = AssemblyTree::balanced(&robot);
                let log = (n as f64 + 1.0).log2();
                assert!(tree.depth() as f64 <= 2.6 * log + 2.0, "{name} of {n}: {} levels", tree.depth());
                let mut secondary = 0;
                for link in 0..=n {
                    let Assembly::Body { link: there, copy: false } = tree.assembly(tree.leaf(link)) else {
                        panic!("{name} of {n}: link {link} has no leaf")
                    };
                    assert_eq!(*there, link);
                    assert_eq!(tree.joint(link).is_some(), link > 0);
                }
                for node in 0..tree.len() {
                    if let Assembly::Joined { upper, lower, products, .. } = tree.assembly(node) {
                        assert!(*upper < node && *lower < node);
                        assert_eq!((tree.parent(*upper), tree.parent(*lower)), (Some(node), Some(node)));
                        secondary = secondary.max(products.len()); // not a bound: a count
                    }
                }
                assert!(secondary <= 1, "{name} of {n}");
                assert!(tree.len() <= 4 * n + 1);
            }
        }
    }

    #[test]
    fn an_order_by_hand_is_checked() {
        let robot = robot(&[0, 1, 1]);
        let tree = AssemblyTree::in_order(&robot, &[3, 1, 2]).unwrap();
        assert_eq!(tree.len(), 7);
        for wrong in [&[1, 2][..], &[1, 1, 2], &[0, 1, 2], &[1, 2, 4]] {
            assert!(AssemblyTree::in_order(&robot, wrong).is_err(), "{wrong:?}");
        }
    }
}
