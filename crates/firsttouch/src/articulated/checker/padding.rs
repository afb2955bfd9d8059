//! How much farther than the minimum separation a robot keeps obstacles away.

use super::Checker;
use crate::articulated::outline::Candidate;
use crate::error::{Error, Result};
use crate::numerics::bound::upper_max;

/// How much larger the robot is than its shapes, towards obstacles.
#[derive(Debug, Clone, Default)]
pub(super) struct Padding {
    /// Of everything.
    all: f64,
    /// Of single links of the robot itself; zero for those beyond the end.
    links: Vec<f64>,
    /// The largest of all.
    largest: f64,
}

impl Checker {
    /// Keeps all obstacles this much farther away from the robot than the minimum separation, which applies to pairs of links as well.
    /// Queries for a touch respect it; distances do not.
    ///
    /// ```
    /// # use firsttouch::articulated::{Checker, LinkPart, Robot};
    /// # use firsttouch::motion::{Motion, Pose};
    /// # use firsttouch::shape::Sphere;
    /// # use firsttouch::{Answer, Body, Options};
    /// # use glam::DVec3;
    /// # let part = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
    /// # let robot = Robot::new("post", vec![("post".into(), vec![part])], vec![])?;
    /// # let other = Body::new("other", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 3.0)?));
    /// // Two balls of radius 1 whose centres are 3 apart.
    /// let mut checker = Checker::new(robot, Pose::IDENTITY, vec![other])?;
    /// checker.set_padding(0.5)?;
    /// assert_eq!(checker.check_state(&[], &Options::default())?.answer, Answer::Free);
    /// checker.set_link_padding("post", 0.6)?;
    /// assert_ne!(checker.check_state(&[], &Options::default())?.answer, Answer::Free);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_padding(&mut self, padding: f64) -> Result<()> {
        let all = valid_padding(padding)?;
        let padding = &mut self.world.edit().padding;
        padding.all = all;
        padding.add_up();
        Ok(())
    }

    /// Keeps all obstacles this much farther away from a link of the robot, in addition to [`Checker::set_padding`].
    pub fn set_link_padding(&mut self, link: &str, padding: f64) -> Result<()> {
        let unknown = || Error::UnknownName { name: link.into() };
        let index =
            self.world.robot.link(link).filter(|&i| !self.world.robot.is_attached(i)).ok_or_else(unknown)?;
        let of_link = valid_padding(padding)?;
        let padding = &mut self.world.edit().padding;
        padding.links.resize(padding.links.len().max(index + 1), 0.0); // not a bound: a count
        padding.links[index] = of_link;
        padding.add_up();
        Ok(())
    }

    /// The padding between two parts.
    pub(in crate::articulated) fn padding_of(&self, candidate: &Candidate) -> f64 {
        match *candidate {
            Candidate::Own(_, _) => 0.0,
            Candidate::Obstacle(part, _) => self.world.padding.of_link(self.parts()[part].link),
        }
    }

    /// The padding of all links; `None` if some have one of their own.
    pub(crate) fn common_padding(&self) -> Option<f64> {
        (self.world.padding.largest == self.world.padding.all).then_some(self.world.padding.all)
    }

    /// The largest padding of any pair.
    pub(in crate::articulated) fn largest_padding(&self) -> f64 {
        self.world.padding.largest
    }
}

impl Padding {
    fn of_link(&self, link: usize) -> f64 {
        let own = self.links.get(link).copied().unwrap_or(0.0);
        // Rounded up: what is kept is never less than what was asked for.
        if own == 0.0 { self.all } else { (self.all + own).next_up() }
    }

    fn add_up(&mut self) {
        let links = (0..self.links.len()).map(|link| self.of_link(link));
        self.largest = links.fold(self.all, upper_max);
    }
}

fn valid_padding(padding: f64) -> Result<f64> {
    if (0.0..=1e100).contains(&padding) {
        return Ok(padding);
    }
    Err(Error::OutOfRange { what: "padding".into(), expected: "zero or more", value: padding })
}
