//! A roadmap: free configurations, joined with their neighbours. An edge is proven when a way uses it, and kept.
//!
//! 1. Random configurations are checked, and the free ones become nodes.
//! 2. Each is a neighbour of the nearest nodes. These edges are not proven yet.
//! 3. A search finds the shortest way from the start to the goal. Its edges are proven one after the other. If one is
//!    not free, it is removed, and the search begins again.
//! 4. If there is no way, more configurations are sampled. In between, what hangs on the start and on the goal by
//!    proven edges grows towards random configurations, by edges that are proven at once: a narrow passage that begins
//!    at an end is found in this way, while random configurations seldom are in it. Kavraki et al. expand nodes in
//!    difficult regions by random walks.
//!
//! For many queries in one space, nodes are kept. The answers about edges are kept while the world and the options stay
//! the same: [`Edges::statement`].
//!
//! References: Kavraki, Svestka, Latombe, Overmars 1996; Bohlin, Kavraki 2000 for step 3.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::rrt_connect::advance;
use super::{Outcome, PlanControl, PlanOptions, Search, Space, plan_with};
use crate::answer::Answer;
use crate::error::{Error, Result};
use crate::options::Mode;
use crate::planning::edges::{EdgeStatement, Edges};

/// The number of samples that are added when there is no way.
const BATCH: usize = 50;

/// A roadmap for many queries of one robot in one [`Space`].
///
/// Its answers about edges hold for one world and one set of options: [`Edges::statement`] says which. If an obstacle
/// comes or goes, or the options change, it forgets these answers, and keeps the configurations: edges are proven again
/// where a path uses them. A query in another space is an error.
///
/// ```
/// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::planning::{Outcome, PlanControl, PlanOptions, ProvenEdges, Roadmap, Space};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Body, Options};
/// # use glam::DVec3;
/// # let slide = |name: &str, parent: &str, child: &str, axis: DVec3| Joint {
/// #     name: name.into(),
/// #     parent: parent.into(),
/// #     child: child.into(),
/// #     origin: Pose::IDENTITY,
/// #     kind: JointKind::Prismatic { axis },
/// #     limits: Some([-10.0, 10.0]),
/// #     mimic: None,
/// # };
/// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// # let links = vec![("ground".into(), vec![]), ("cart".into(), vec![]), ("ball".into(), vec![ball])];
/// # let joints = vec![slide("x", "ground", "cart", DVec3::X), slide("y", "cart", "ball", DVec3::Y)];
/// # let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 5.0)?));
/// # let robot = Robot::new("slider", links, joints)?;
/// // A ball of radius 1 that slides in a plane, and a post of radius 1 at x = 5.
/// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
/// let (from, to) = ([0.0, 0.0], [9.0, 0.0]);
/// let space = Space::new(checker.robot(), [&from, &to], &[])?;
/// let mut roadmap = Roadmap::default();
/// let (options, control) = (PlanOptions::default(), PlanControl::default());
/// for ends in [[&from[..], &to[..]], [&to[..], &from[..]]] {
///     let mut edges = ProvenEdges::new(&checker, Options::default(), None)?;
///     assert!(matches!(roadmap.plan(&space, ends, &options, &control, &mut edges)?, Outcome::Found(_)));
/// }
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Roadmap {
    nodes: Vec<Vec<f64>>,
    /// The neighbours of each node, in both directions.
    neighbours: Vec<Vec<usize>>,
    /// The edges that were checked, lower index first, and whether they are proven free. It holds for `statement`
    /// alone.
    known: BTreeMap<[usize; 2], bool>,
    /// The world and the options in which `known` was found out.
    statement: Option<EdgeStatement>,
    /// The space of all nodes, once there was a query.
    space: Option<Space>,
}

impl Roadmap {
    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of edges that are proven free.
    pub fn proven_edges(&self) -> usize {
        self.known.values().filter(|&&is_free| is_free).count()
    }

    /// Plans a path with the roadmap, which grows where it must: see [`plan_with`].
    ///
    /// Returns an error if the roadmap was made in another space.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::planning::{Outcome, PlanControl, PlanOptions, ProvenEdges, Roadmap, Space};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Answer, Body, Options};
    /// # use glam::{DVec3, dvec3};
    /// # let slide = |name: &str, parent: &str, child: &str, axis: DVec3| Joint {
    /// #     name: name.into(),
    /// #     parent: parent.into(),
    /// #     child: child.into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Prismatic { axis },
    /// #     limits: Some([-10.0, 10.0]),
    /// #     mimic: None,
    /// # };
    /// # let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let links = vec![("ground".into(), vec![]), ("cart".into(), vec![]), ("ball".into(), vec![ball])];
    /// # let joints = vec![slide("x", "ground", "cart", DVec3::X), slide("y", "cart", "ball", DVec3::Y)];
    /// # let post = |name: &str, x: f64, y: f64| Ok::<Body, firsttouch::Error>(Body::new(
    /// #     name,
    /// #     Sphere::new(1.0)?,
    /// #     Motion::fixed(Pose::from_translation(dvec3(x, y, 0.0))?),
    /// # ));
    /// # let robot = Robot::new("slider", links, joints)?;
    /// // A ball of radius 1 that slides in a plane, and a post of radius 1 at x = 5.
    /// let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post("first", 5.0, 0.0)?])?;
    /// let (from, to) = ([0.0, 0.0], [9.0, 0.0]);
    /// let space = Space::new(checker.robot(), [&from, &to], &[])?;
    /// let (mut roadmap, options, control) = (Roadmap::default(), PlanOptions::default(), PlanControl::default());
    /// let mut edges = ProvenEdges::new(&checker, Options::default(), None)?;
    /// let Outcome::Found(first) = roadmap.plan(&space, [&from, &to], &options, &control, &mut edges)? else { panic!() };
    /// // Another post is put on the path that was found: the second path leads around both.
    /// let [x, y] = first.waypoints[1][..] else { panic!() };
    /// checker.add_obstacle(post("second", 0.6 * x, 0.6 * y)?)?;
    /// let mut edges = ProvenEdges::new(&checker, Options::default(), None)?;
    /// let second = roadmap.plan(&space, [&from, &to], &options, &control, &mut edges)?;
    /// if let Outcome::Found(second) = second {
    ///     assert_eq!(checker.check_path(&second.waypoints, &Options::default(), |_| ())?.answer, Answer::Free);
    /// }
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn plan(
        &mut self,
        space: &Space,
        ends: [&[f64]; 2],
        options: &PlanOptions,
        control: &PlanControl<'_>,
        edges: &mut dyn Edges,
    ) -> Result<Outcome> {
        plan_with(space, ends, options, control, edges, Some(self))
    }

    /// Begins a query in a space, with edges that make this statement. Answers about edges that made another statement
    /// are forgotten.
    pub(super) fn begin(&mut self, space: &Space, statement: Option<EdgeStatement>) -> Result<()> {
        if let Some(reason) = self.space.as_ref().and_then(|known| known.difference(space)) {
            return Err(Error::Unsupported {
                what: format!("a roadmap in another space than its own: {reason}"),
            });
        }
        self.space.get_or_insert_with(|| space.clone());
        if statement.is_none() || statement != self.statement {
            self.known.clear();
            self.statement = statement;
        }
        Ok(())
    }

    /// Adds a node, and joins it with its nearest neighbours.
    fn add(&mut self, space: &Space, configuration: Vec<f64>, neighbours: usize) -> usize {
        if let Some(known) = self.nodes.iter().position(|node| *node == configuration) {
            return known;
        }
        let mut near: Vec<(f64, usize)> = self
            .nodes
            .iter()
            .enumerate()
            .map(|(i, node)| (space.distance(node, &configuration), i))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(neighbours);
        let new = self.nodes.len();
        self.nodes.push(configuration);
        self.neighbours.push(near.iter().map(|&(_, i)| i).collect());
        for (_, i) in near {
            self.neighbours[i].push(new);
        }
        new
    }

    pub(super) fn search(
        &mut self,
        search: &mut Search<'_>,
        ends: [&[f64]; 2],
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let neighbours = search.options.neighbours.max(1); // not a bound: a count
        let [start, goal] = ends.map(|end| self.add(search.space, end.to_vec(), neighbours));
        loop {
            while let Some(way) = self.shortest(search.space, start, goal) {
                if self.prove(search, &way)? {
                    return Ok(Some(way.into_iter().map(|node| self.nodes[node].clone()).collect()));
                }
                if search.is_stopped() {
                    return Ok(None);
                }
            }
            for k in 0..BATCH {
                if search.is_over() {
                    return Ok(None);
                }
                match k % 4 {
                    1 => self.expand(search, start, neighbours)?,
                    3 => self.expand(search, goal, neighbours)?,
                    _ => {}
                }
                if k % 2 == 1 {
                    continue;
                }
                let sample = search.sample();
                if search.check(&sample, &sample, Mode::Any)? == Answer::Free {
                    self.add(search.space, sample, neighbours);
                }
            }
            search.stats.nodes = self.nodes.len();
        }
    }

    /// Step 4 for one of the ends.
    fn expand(&mut self, search: &mut Search<'_>, end: usize, neighbours: usize) -> Result<()> {
        let target = search.sample();
        let distance = |&k: &usize| search.space.distance(&self.nodes[k], &target);
        let near = self.proven_from(end).into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let Some(near) = near else { return Ok(()) };
        let from = self.nodes[near].clone();
        if let Some((reached, _)) = advance(search, &from, &target, Some(search.options.reach))? {
            let new = self.add(search.space, reached, neighbours);
            if new != near && !self.neighbours[new].contains(&near) {
                self.neighbours[new].push(near);
                self.neighbours[near].push(new);
            }
            self.known.insert([near.min(new), near.max(new)], true);
        }
        Ok(())
    }

    /// The nodes that a node is joined with by edges that are proven free.
    fn proven_from(&self, node: usize) -> Vec<usize> {
        let mut found = vec![node];
        let mut is_found = vec![false; self.nodes.len()];
        is_found[node] = true;
        let mut next = 0;
        while next < found.len() {
            let node = found[next];
            next += 1;
            for &other in &self.neighbours[node] {
                let is_proven = self.known.get(&[node.min(other), node.max(other)]) == Some(&true);
                if is_proven && !std::mem::replace(&mut is_found[other], true) {
                    found.push(other);
                }
            }
        }
        found
    }

    /// Proves the edges of a way, from both ends inwards: edges at the ends are the most likely to be blocked.
    fn prove(&mut self, search: &mut Search<'_>, way: &[usize]) -> Result<bool> {
        let mut order: Vec<[usize; 2]> = way.windows(2).map(|ends| [ends[0], ends[1]]).collect();
        let middle = order.len() / 2;
        let back = order.split_off(middle);
        let mut mixed = Vec::new();
        let (mut front, mut back) = (order.into_iter(), back.into_iter().rev());
        loop {
            match (front.next(), back.next()) {
                (None, None) => break,
                (a, b) => mixed.extend(a.into_iter().chain(b)),
            }
        }
        for [a, b] in mixed {
            let key = [a.min(b), a.max(b)];
            let is_free = match self.known.get(&key) {
                Some(&known) => known,
                None => {
                    let is_free = search.is_free(&self.nodes[a], &self.nodes[b])?;
                    // An interrupted check proves nothing about the edge.
                    if is_free || !search.is_stopped() {
                        self.known.insert(key, is_free);
                    }
                    is_free
                }
            };
            if !is_free {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The shortest way whose edges are not known to be blocked (A*).
    fn shortest(&self, space: &Space, start: usize, goal: usize) -> Option<Vec<usize>> {
        let ahead = |node: usize| space.distance(&self.nodes[node], &self.nodes[goal]);
        let mut best: Vec<(f64, usize)> = vec![(f64::INFINITY, start); self.nodes.len()];
        best[start].0 = 0.0;
        let mut open = BinaryHeap::from([(Reverse(Ordered(ahead(start))), Reverse(start))]);
        let mut is_done = vec![false; self.nodes.len()];
        while let Some((_, Reverse(node))) = open.pop() {
            if node == goal {
                let parent = |&k: &usize| (k != start).then(|| best[k].1);
                let mut way: Vec<usize> = std::iter::successors(Some(goal), parent).collect();
                way.reverse();
                return Some(way);
            }
            if std::mem::replace(&mut is_done[node], true) {
                continue;
            }
            for &next in &self.neighbours[node] {
                if self.known.get(&[node.min(next), node.max(next)]) == Some(&false) || is_done[next] {
                    continue;
                }
                let length = best[node].0 + space.distance(&self.nodes[node], &self.nodes[next]);
                if length < best[next].0 {
                    best[next] = (length, node);
                    open.push((Reverse(Ordered(length + ahead(next))), Reverse(next)));
                }
            }
        }
        None
    }
}

/// A number with a total order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ordered(f64);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
