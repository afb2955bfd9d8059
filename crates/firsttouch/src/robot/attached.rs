//! Bodies that a robot holds: each is one more link, on a fixed joint.

use super::few_balls::CachedBalls;
use super::joint::{JointKind, LinkJoint};
use super::model::{Link, LinkPart, Robot};
use crate::error::{Error, Result};
use crate::motion::Pose;
use crate::names::is_named;

impl Robot {
    /// Returns `true` if a link is an attached body.
    pub fn is_attached(&self, link: usize) -> bool {
        self.links[link].is_attached
    }

    /// Returns the sort key of a link that does not depend on the order of attachment: the robot's own links by index,
    /// then attached bodies by name.
    pub(crate) fn rank(&self, link: usize) -> (bool, &str, usize) {
        let Link { name, is_attached, .. } = &self.links[link];
        if *is_attached { (true, name, 0) } else { (false, "", link) }
    }

    /// Attaches a body to a link and returns the index of the new link that represents it. Like any link it is checked
    /// against the others, except the one that holds it and those in `touch_links`, which may be patterns with `*` and
    /// `?`. [`Robot::release`] removes it again.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot};
    /// use firsttouch::motion::Pose;
    /// use firsttouch::shape::Sphere;
    /// let mut robot = Robot::new("gripper", vec![("hand".into(), vec![])], vec![])?;
    /// let ball = LinkPart { shape: Sphere::new(0.1)?.into(), pose: Pose::IDENTITY };
    /// assert_eq!(robot.hold("hand", "ball", ball, &[])?, 1);
    /// assert!(robot.is_allowed(0, 1));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn hold(&mut self, link: &str, name: &str, part: LinkPart, touch_links: &[&str]) -> Result<usize> {
        let index = |name: &str| self.link(name).ok_or_else(|| Error::UnknownName { name: name.into() });
        let parent = index(link)?;
        let touching = touch_links.iter().map(|name| self.links_named(name)).collect::<Result<Vec<_>>>()?;
        if self.link(name).is_some() {
            return Err(Error::DuplicateName { name: name.into() });
        }
        part.check(name)?;
        let held = self.links.len();
        self.allowed.extend(touching.into_iter().flatten().chain([parent]).map(|other| [other, held]));
        let joint = LinkJoint {
            name: format!("{link} holds {name}"),
            parent,
            origin: Pose::IDENTITY,
            kind: JointKind::Fixed,
            variable: 0,
            scale: (1.0, 0.0),
        };
        let at = self.links_by_name.partition_point(|&i| self.links[i].name.as_str() < name);
        self.links_by_name.insert(at, held);
        self.links.push(Link {
            name: name.into(),
            parts: vec![part],
            joint: Some(joint),
            is_attached: true,
            few_balls: CachedBalls::default(),
        });
        Ok(held)
    }

    /// Returns the link of this name, or else all links whose names match it as a pattern.
    pub(crate) fn links_named(&self, name: &str) -> Result<Vec<usize>> {
        if let Some(link) = self.link(name) {
            return Ok(vec![link]);
        }
        let links = 0..self.links.len();
        let found: Vec<usize> = links.filter(|&link| is_named(name, &self.links[link].name)).collect();
        if found.is_empty() { Err(Error::UnknownName { name: name.into() }) } else { Ok(found) }
    }

    /// Removes an attached body and returns the index that it had. The indices of later links decrease by one. Returns
    /// an error for links of the robot itself, and for a body that carries another attached body.
    pub fn release(&mut self, name: &str) -> Result<usize> {
        let held = self.link(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
        let holds = self.links.iter().find(|link| link.parent() == Some(held));
        if !self.links[held].is_attached {
            return Err(Error::Unsupported { what: format!("releasing \"{name}\", which is not held") });
        }
        if let Some(other) = holds {
            let what = format!("releasing \"{name}\" while it holds \"{}\"", other.name);
            return Err(Error::Unsupported { what });
        }
        self.links.remove(held);
        self.links_by_name.retain(|&link| link != held);
        let moved = |link: usize| if link > held { link - 1 } else { link };
        self.links_by_name.iter_mut().for_each(|link| *link = moved(*link));
        let kept = self.allowed.iter().filter(|pair| !pair.contains(&held));
        self.allowed = kept.map(|pair| pair.map(moved)).collect();
        for joint in self.links.iter_mut().filter_map(|link| link.joint.as_mut()) {
            joint.parent = moved(joint.parent);
        }
        Ok(held)
    }
}
