//! RRT-Connect in a changing world: obstacles move between the queries, and every edge of every path is proven free.
//!
//! Two trees grow towards each other (Kuffner, LaValle 2000). A change of the world is one call of `move_obstacle` per
//! obstacle; nothing is rebuilt. Run it with `cargo run -p firsttouch --example rrt_connect`.

#![allow(clippy::disallowed_methods, reason = "only the library gives the same bits everywhere")]

use std::f64::consts::PI;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Result};
use glam::{DQuat, DVec3, dvec3};

/// The angles of the three joints, in radians.
type Joints = [f64; 3];
/// Nodes with the index of their parent; a root is its own parent.
type Tree = Vec<(Joints, usize)>;

fn main() -> Result<()> {
    let balls = [("right", dvec3(0.9, 0.9, 0.0)), ("left", dvec3(-0.9, 0.9, 0.0)), ("low", DVec3::Y * -1.2)];
    let mut checker = Checker::new(arm()?, Pose::IDENTITY, vec![])?;
    for (name, at) in balls {
        let rest = Motion::fixed(Pose::from_translation(at)?);
        checker.add_obstacle(Body::new(name, Sphere::new(0.15)?, rest))?;
    }
    let mut seed = 2026;
    let (mut start, mut goal) = ([0.0, 0.0, 0.0], [PI - 0.3, 0.4, 0.4]);
    for query in 0..4 {
        // Between two queries every ball moves by 0.08.
        for (name, at) in balls {
            checker.move_obstacle(name, Pose::from_translation(at + DVec3::X * 0.08 * f64::from(query))?)?;
        }
        // The straight edge is not free: a ball is in the way.
        assert!(!is_free(&checker, start, goal)?);
        let path = plan(&checker, start, goal, &mut seed)?.expect("2000 samples are enough");
        println!("query {query}, {} edges: {path:.2?}", path.len() - 1);
        assert_eq!((path[0], path[path.len() - 1]), (start, goal));
        // Every edge once more, as one path and for the first touch: there is none.
        let waypoints: Vec<Vec<f64>> = path.iter().map(|joints| joints.to_vec()).collect();
        let report = checker.check_path(&waypoints, &Options::default(), |_| ())?;
        assert_eq!((report.answer, report.checked), (Answer::Free, path.len() - 1));
        (start, goal) = (goal, start);
    }
    Ok(())
}

/// A path whose edges are all proven free, or `None` after 2000 samples.
fn plan(checker: &Checker, start: Joints, goal: Joints, seed: &mut u64) -> Result<Option<Vec<Joints>>> {
    let mut trees: [Tree; 2] = [vec![(start, 0)], vec![(goal, 0)]];
    for sample in 0..2000 {
        let (growing, other) = (sample % 2, 1 - sample % 2);
        let target = [0; 3].map(|_| random_angle(seed));
        let Some(new) = extend(checker, &mut trees[growing], target)? else { continue };
        // The other tree grows towards the new node until it is blocked.
        let reached = trees[growing][new].0;
        while let Some(node) = extend(checker, &mut trees[other], reached)? {
            if trees[other][node].0 == reached {
                let ends = if growing == 0 { [new, node] } else { [node, new] };
                let mut path = branch(&trees[0], ends[0]);
                path.reverse();
                path.extend(&branch(&trees[1], ends[1])[1..]);
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// Adds a node, at most 0.4 away from its nearest neighbour towards the target, if the edge to it is free.
fn extend(checker: &Checker, tree: &mut Tree, target: Joints) -> Result<Option<usize>> {
    let distance = |k: usize| (0..3).map(|i| (tree[k].0[i] - target[i]).powi(2)).sum::<f64>().sqrt();
    let near = (0..tree.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
    let (from, share) = (tree[near].0, 0.4 / distance(near));
    let to = [0, 1, 2].map(|i| if share < 1.0 { from[i] + share * (target[i] - from[i]) } else { target[i] });
    if from == to || !is_free(checker, from, to)? {
        return Ok(None);
    }
    tree.push((to, near));
    Ok(Some(tree.len() - 1))
}

/// The nodes from a node to the root of its tree.
fn branch(tree: &Tree, node: usize) -> Vec<Joints> {
    std::iter::successors(Some(node), |&k| (tree[k].1 != k).then_some(tree[k].1)).map(|k| tree[k].0).collect()
}

/// Returns true if an edge is proven free. An undecided edge counts as not free.
fn is_free(checker: &Checker, from: Joints, to: Joints) -> Result<bool> {
    let any = Options { mode: Mode::Any, ..Options::default() };
    Ok(checker.check_step(&from, &to, &any)?.answer == Answer::Free)
}

/// Three capsules of length 0.48 in the plane z = 0; every joint turns about z.
fn arm() -> Result<Robot> {
    let pose = Pose::new(dvec3(0.25, 0.0, 0.0), DQuat::from_rotation_y(PI / 2.0))?;
    let (mut links, mut joints) = (vec![("link0".to_string(), vec![])], Vec::new());
    for (k, x) in [0.0, 0.5, 0.5].into_iter().enumerate() {
        let (parent, child) = (format!("link{k}"), format!("link{}", k + 1));
        links.push((child.clone(), vec![LinkPart { shape: Capsule::new(0.04, 0.4)?.into(), pose }]));
        let (origin, kind) = (Pose::from_translation(DVec3::X * x)?, JointKind::Revolute { axis: DVec3::Z });
        joints.push(Joint {
            name: format!("joint{k}"),
            parent,
            child,
            origin,
            kind,
            limits: None,
            mimic: None,
        });
    }
    Robot::new("arm", links, joints)
}

/// SplitMix64, from -π to π: the same numbers on every machine.
fn random_angle(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    PI * (((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
}
