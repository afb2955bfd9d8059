//! The padding of a robot: the distance that it keeps from other bodies beyond the separation of the pair.

use crate::error::{Error, Result, bounded};
use crate::numerics::bound::upper_max;

/// The distances by which a robot is enlarged towards other bodies. Pairs of its own links are not padded.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Padding {
    /// The padding of all links, also of those that stand for held bodies.
    all: f64,
    /// The further padding of single links of the robot itself, by their indices.
    links: Vec<(u32, f64)>,
    /// The largest padding of any link.
    largest: f64,
}

impl Padding {
    /// Sets the padding of all links.
    pub(crate) fn set_all(&mut self, padding: f64) -> Result<()> {
        self.all = valid(padding)?;
        self.find_largest();
        Ok(())
    }

    /// Sets the further padding of one link.
    pub(crate) fn set_link(&mut self, link: u32, padding: f64) -> Result<()> {
        let padding = valid(padding)?;
        self.links.retain(|(known, _)| *known != link);
        if padding > 0.0 {
            self.links.push((link, padding));
            self.links.sort_unstable_by_key(|(link, _)| *link);
        }
        self.find_largest();
        Ok(())
    }

    /// Returns the padding of a link, rounded up.
    #[inline]
    pub(crate) fn of_link(&self, link: u32) -> f64 {
        match self.links.iter().find(|(known, _)| *known == link) {
            Some((_, own)) => padded(self.all, *own),
            None => self.all,
        }
    }

    /// Returns the largest padding of any link.
    #[inline]
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    fn find_largest(&mut self) {
        let links = self.links.iter().map(|(link, _)| self.of_link(*link));
        self.largest = links.fold(self.all, upper_max);
    }
}

/// Returns the sum of a separation and a padding, rounded up: a pair never keeps less than both. Without a padding it
/// is the separation itself.
#[inline]
pub(crate) fn padded(separation: f64, padding: f64) -> f64 {
    if padding == 0.0 { separation } else { (separation + padding).next_up() }
}

fn valid(padding: f64) -> Result<f64> {
    if (0.0..=1e100).contains(&padding) {
        return Ok(padding);
    }
    Err(Error::OutOfRange { what: "padding".into(), expected: "zero or more", value: padding })
}

/// Checks a separation of its own for two bodies or links.
pub(crate) fn valid_separation([a, b]: [&str; 2], separation: f64) -> Result<f64> {
    let what = || format!("min_separation of \"{a}\" and \"{b}\"");
    let value = bounded(what, separation)?;
    if value < 0.0 {
        return Err(Error::OutOfRange { what: what(), expected: "zero or more", value });
    }
    Ok(value)
}
