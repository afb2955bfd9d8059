//! Checks that links and joints form one tree. An error names the links or joints and their lines.
//!
//! 1. Names: unique among links, unique among joints; parents and children exist.
//! 2. Every link is the child of at most one joint, and walking from child to parent never comes back: no loops.
//! 3. Exactly one link has no joint above it: the root.
//! 4. Mimic joints follow joints with one coordinate, and never in a circle.
//!
//! "Above" is a function (at most one joint above a joint; at most one joint that is mimicked). So one walk that visits
//! each joint once finds both an order and every circle, in linear time and without recursion.

use super::{JointFile, LinkFile};
use crate::error::{Fault, Place, Result, malformed};
use crate::source::shown;
use std::collections::HashMap;

/// Returns the joints, each after the one that moves its parent link, and the root.
pub(crate) fn check(links: &[LinkFile], joints: Vec<JointFile>) -> Result<(Vec<JointFile>, usize), Fault> {
    let link_of = unique("link", links.iter().map(|link| (&link.name, link.line)))?;
    let joint_of = unique("joint", joints.iter().map(|joint| (&joint.name, joint.line)))?;
    if links.is_empty() {
        return Err(malformed("there are no links").at(Place::File));
    }

    // The joint above each link.
    let mut above: Vec<Option<usize>> = vec![None; links.len()];
    let mut parents = Vec::with_capacity(joints.len());
    for (j, joint) in joints.iter().enumerate() {
        let known = |end: &str, name: &String| {
            link_of.get(name).copied().ok_or_else(|| {
                let text = format!(
                    "the {end} of joint {} is {}, which is not a link of the robot",
                    named(joint),
                    quoted(name)
                );
                malformed(text).at(Place::Line(joint.line))
            })
        };
        parents.push(known("parent", &joint.parent)?);
        if let Some(first) = above[known("child", &joint.child)?].replace(j) {
            let first = &joints[first];
            let text = format!(
                "link {} has two parents: {} by joint {} (line {}) and {} by joint {}; a robot is a tree here",
                quoted(&joint.child),
                quoted(&first.parent),
                named(first),
                first.line,
                quoted(&joint.parent),
                named(joint)
            );
            return Err(malformed(text).at(Place::Line(joint.line)));
        }
    }

    let next: Vec<Option<usize>> = parents.iter().map(|&link| above[link]).collect();
    let order = ends_first(&next).map_err(|circle| {
        let text = format!("the joints {} form a loop; a robot is a tree here", list(&joints, &circle));
        malformed(text).at(Place::Line(joints[circle[0]].line))
    })?;
    let mut roots = (0..links.len()).filter(|&link| above[link].is_none());
    // The root exists: every walk ends at a link without a joint.
    let root = roots.next().unwrap_or(0);
    if let Some(second) = roots.next() {
        let text = format!(
            "links {} (line {}) and {} both have no parent{}; a robot is one tree",
            quoted(&links[root].name),
            links[root].line,
            quoted(&links[second].name),
            match roots.count() {
                0 => String::new(),
                more => format!(", nor have {more} more"),
            }
        );
        return Err(malformed(text).at(Place::Line(links[second].line)));
    }
    check_mimics(&joints, &joint_of)?;

    let mut joints: Vec<Option<JointFile>> = joints.into_iter().map(Some).collect();
    Ok((order.into_iter().filter_map(|j| joints[j].take()).collect(), root))
}

fn check_mimics(joints: &[JointFile], joint_of: &HashMap<String, usize>) -> Result<(), Fault> {
    let mut next = vec![None; joints.len()];
    for (j, joint) in joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        let fail = |why: String| {
            let text = format!("joint {} mimics {}, which is {why}", named(joint), quoted(&mimic.joint));
            malformed(text).at(Place::Line(joint.line))
        };
        let &leader = joint_of.get(&mimic.joint).ok_or_else(|| fail("not a joint of the robot".into()))?;
        if !joints[leader].kind.has_one_coordinate() {
            return Err(fail(format!("{} (line {})", joints[leader].kind.name(), joints[leader].line)));
        }
        next[j] = Some(leader);
    }
    ends_first(&next).map(drop).map_err(|circle| {
        let text = format!("the joints {} mimic each other in a circle", list(joints, &circle));
        malformed(text).at(Place::Line(joints[circle[0]].line))
    })
}

/// Returns an order in which `next[i]` comes before `i`, and which otherwise is the order of the indices; or a circle.
fn ends_first(next: &[Option<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        Unvisited,
        OnThisWalk,
        Placed,
    }
    let mut state = vec![VisitState::Unvisited; next.len()];
    let mut order = Vec::with_capacity(next.len());
    for start in 0..next.len() {
        let mut walk = Vec::new();
        let mut at = Some(start);
        while let Some(i) = at
            && state[i] != VisitState::Placed
        {
            if state[i] == VisitState::OnThisWalk {
                let entry = walk.iter().position(|&w| w == i).unwrap_or(0);
                return Err(walk.split_off(entry));
            }
            state[i] = VisitState::OnThisWalk;
            walk.push(i);
            at = next[i];
        }
        for i in walk.into_iter().rev() {
            state[i] = VisitState::Placed;
            order.push(i);
        }
    }
    Ok(order)
}

fn unique<'a>(
    what: &str,
    names: impl Iterator<Item = (&'a String, usize)>,
) -> Result<HashMap<String, usize>, Fault> {
    let mut first: HashMap<String, (usize, usize)> = HashMap::new();
    for (i, (name, line)) in names.enumerate() {
        if let Some((_, earlier)) = first.insert(name.clone(), (i, line)) {
            let text = format!("a second {what} called {}; the first is in line {earlier}", quoted(name));
            return Err(malformed(text).at(Place::Line(line)));
        }
    }
    Ok(first.into_iter().map(|(name, (i, _))| (name, i)).collect())
}

fn list(joints: &[JointFile], which: &[usize]) -> String {
    const MOST: usize = 4;
    let names: Vec<String> = which.iter().take(MOST).map(|&j| named(&joints[j])).collect();
    names.join(", ") + if which.len() > MOST { ", ..." } else { "" }
}

fn named(joint: &JointFile) -> String {
    quoted(&joint.name)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", shown(name.as_bytes()))
}
