//! Finds the obstacles of a checker that a moving part of the robot can reach, by a tree of boxes that is kept between
//! queries.
//!
//! A robot is in one place, and most of many obstacles are far from it. The tree is over the boxes that the coarse
//! solids of the obstacles never leave. It is built by the first query that needs it and shared by the clones of a
//! checker. Moving an obstacle refits the nodes above it. The tree is built again when the number of moves reaches the
//! number of obstacles, and after every other change.
//!
//! Obstacles are numbered by their ranks in the order of names, so that nothing depends on the order in which they were
//! added.
//!
//! The tree has [`Facts`] about all obstacles beside it: a query examines an obstacle only if it may be close.
//!
//! Guarantee: every obstacle whose box overlaps the given one is found. A box with NaN bounds overlaps every box.

use std::sync::{Arc, OnceLock};

use super::outline::Obstacle;
use crate::broad::{Aabb, BoxTree};
use crate::pair::ProvenGap;

/// The tree of a checker, built when it is first needed. It holds for the obstacles of one version of the checker's
/// world, and proves nothing of a robot.
#[derive(Debug, Clone, Default)]
pub(super) struct LazyObstacleTree {
    tree: OnceLock<Arc<ObstacleTree>>,
    facts: OnceLock<Facts>,
}

/// Facts about all obstacles of one version of a checker's world. They hold under all options.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// True if one is a cloud, an octree or a height field; see `scans`.
    pub(super) has_scans: bool,
    /// The least of the proven distances of all obstacles from the parts that are fixed to the base; `None` without
    /// such a pair.
    pub(super) at_rest: Option<ProvenGap>,
}

impl LazyObstacleTree {
    /// Returns the tree of these obstacles, in the order of their names.
    pub(super) fn get(&self, obstacles: &[Arc<Obstacle>], by_name: &[u32]) -> &ObstacleTree {
        self.tree.get_or_init(|| Arc::new(ObstacleTree::new(obstacles, by_name)))
    }

    pub(super) fn facts(&self, obstacles: &[Arc<Obstacle>]) -> &Facts {
        self.facts.get_or_init(|| Facts {
            has_scans: obstacles.iter().any(|obstacle| obstacle.is_scan()),
            at_rest: obstacles
                .iter()
                .filter_map(|obstacle| obstacle.nearest_at_rest())
                .reduce(ProvenGap::lesser),
        })
    }

    /// An obstacle was moved, or replaced by one of the same name.
    pub(super) fn moved(&mut self, rank: usize, obstacle: &Obstacle) {
        self.rested();
        let Some(tree) = self.tree.get_mut() else { return };
        let tree = Arc::make_mut(tree);
        tree.boxes[rank] = obstacle.bounds();
        tree.tree.refit(&tree.boxes, rank);
        tree.moves += 1;
        if tree.moves >= tree.boxes.len() {
            self.forget();
        }
    }

    /// The obstacles are not the same any more.
    pub(super) fn forget(&mut self) {
        self.rested();
        self.tree.take();
    }

    /// The obstacles have other distances from the parts that are fixed to the base.
    pub(super) fn rested(&mut self) {
        self.facts.take();
    }
}

/// The boxes of all obstacles, by rank.
#[derive(Debug, Clone)]
pub(super) struct ObstacleTree {
    boxes: Vec<Aabb>,
    tree: BoxTree,
    /// The number of obstacles that were moved since the tree was built.
    moves: usize,
}

impl ObstacleTree {
    fn new(obstacles: &[Arc<Obstacle>], by_name: &[u32]) -> ObstacleTree {
        let boxes: Vec<Aabb> = by_name.iter().map(|&k| obstacles[k as usize].bounds()).collect();
        ObstacleTree { tree: BoxTree::new(&boxes), boxes, moves: 0 }
    }

    /// Returns the ranks of the obstacles whose boxes overlap `bounds`, in ascending order.
    pub(super) fn overlapping(&self, bounds: &Aabb) -> Vec<usize> {
        let mut ranks = Vec::new();
        self.tree.overlapping(&self.boxes, bounds, |rank| ranks.push(rank));
        ranks.sort_unstable();
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::articulated::Checker;
    use crate::body::Body;
    use crate::motion::{Motion, Pose};
    use crate::robot::{LinkPart, Robot};
    use crate::shape::Sphere;
    use glam::DVec3;

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Obstacles are added, moved and removed at random, in one checker and in a clone of it. The tree finds the same
    /// obstacles as a comparison with all boxes.
    #[test]
    fn the_same_obstacles_as_all_against_one() {
        let mut state = 5;
        let robot = Robot::new("none", vec![("base".into(), vec![])], vec![]).unwrap();
        let mut checker = Checker::new(robot, Pose::IDENTITY, vec![]).unwrap();
        let mut clone = checker.clone();
        let (mut names, mut found, mut possible) = (Vec::new(), 0, 0);
        for round in 0..400 {
            if round % 50 == 0 {
                std::mem::swap(&mut checker, &mut clone);
                checker = clone.clone();
            }
            let at = Pose::from_translation(
                DVec3::new(unit(&mut state), unit(&mut state), unit(&mut state)) * 9.0,
            )
            .unwrap();
            let chosen = (unit(&mut state) * names.len() as f64) as usize;
            match round % 5 {
                0 | 1 => {
                    // Names whose order is not that of the additions.
                    let name = format!("{:04}", (round * 7919) % 10_007);
                    let ball = Sphere::new(0.1 + unit(&mut state)).unwrap();
                    checker.add_obstacle(Body::new(&name, ball, Motion::fixed(at))).unwrap();
                    names.push(name);
                }
                4 if round % 3 == 0 => checker.remove_obstacle(&names.swap_remove(chosen)).unwrap(),
                _ => checker.move_obstacle(&names[chosen], at).unwrap(),
            }
            let around = checker.surroundings();
            let low = DVec3::new(unit(&mut state), unit(&mut state), unit(&mut state)) * 8.0;
            let asked = Aabb { low, high: low + DVec3::splat(6.0 * unit(&mut state)) };
            let is_found =
                |rank: &usize| around.obstacles[around.by_name[*rank] as usize].bounds().overlaps(&asked);
            let expected: Vec<usize> = (0..around.by_name.len()).filter(is_found).collect();
            assert_eq!(around.tree().overlapping(&asked), expected, "round {round}");
            found += expected.len();
            possible += around.by_name.len();
        }
        let rate = found as f64 / possible as f64;
        assert!((0.05..0.5).contains(&rate), "{rate}");
    }

    /// A base of one ball among others that come, move and go: all balls at rest beside it are found.
    #[test]
    fn what_rests_beside_the_base() {
        let mut state = 9;
        let ball = |radius: f64| Sphere::new(radius).unwrap();
        let part = LinkPart { shape: ball(1.0).into(), pose: Pose::IDENTITY };
        let robot = Robot::new("base", vec![("base".into(), vec![part])], vec![]).unwrap();
        let mut checker = Checker::new(robot, Pose::IDENTITY, vec![]).unwrap();
        let (mut close, mut none) = (0, 0);
        for round in 0..300 {
            let mut unit = || unit(&mut state);
            let at = Pose::from_translation(DVec3::new(unit(), unit(), unit()) * 6.0).unwrap();
            let name = format!("{}", (unit() * 12.0) as usize);
            match (checker.index_of(&name), round % 3) {
                (None, _) => {
                    checker.add_obstacle(Body::new(&name, ball(0.3), Motion::fixed(at))).unwrap();
                }
                (Some(_), 0) => checker.remove_obstacle(&name).unwrap(),
                (Some(_), 1) => checker.move_obstacle(&name, at).unwrap(),
                (Some(_), _) => checker.set_base(Pose::from_translation(at.translation() * 0.2).unwrap()),
            }
            for apart in [0.0, 0.1, 1.0, 5.0] {
                let outline = checker.outline();
                let rests =
                    |k: &u32| checker.obstacle_data()[*k as usize].at_rest(outline, apart).next().is_some();
                let expected = checker.surroundings().by_name.iter().filter(|k| rests(k)).count();
                assert_eq!(checker.at_rest(apart).len(), expected, "round {round}, {apart}");
                close += expected;
                none += usize::from(expected == 0);
            }
        }
        assert!(close > 500 && none > 200, "{close} {none}");
    }
}
