//! The motions of a scene file.

use super::Checker;
use crate::error::{Fault, Place, Result, malformed, number_text};
use crate::scene::raw::{RawKey, RawMotion};
use crate::scene::values::{key_pose, largest_turn, leg, motion, number, out_of_range};
use crate::scene::{LegFile, MotionFile, Pose};
use glam::{DQuat, DVec3};
use toml::Spanned;

impl Checker<'_> {
    /// Reads a motion; one that only says how it turns starts at `start`.
    pub(super) fn motion(&self, raw: Spanned<Box<RawMotion>>, start: Pose) -> Result<MotionFile, Fault> {
        let place = self.at(&raw);
        let mut raw = *raw.into_inner();
        let is_given = [
            raw.fixed.is_some(),
            raw.linear.is_some(),
            raw.screw.is_some(),
            raw.contact_screw.is_some(),
            raw.turn.is_some(),
            raw.path.is_some(),
            raw.spline.is_some(),
            raw.rational.is_some(),
            raw.affine.is_some(),
            raw.interpolant.is_some(),
        ];
        if is_given.iter().filter(|&&given| given).count() != 1 {
            let list =
                "fixed, linear, screw, contact_screw, turn, path, spline, rational, affine or interpolant";
            return Err(malformed(format!("a motion is exactly one of {list}")).at(place));
        }
        if let Some(keys) = raw.path.take() {
            return self.path(keys, place);
        }
        if let Some(keys) = raw.spline.take() {
            return self.spline(keys, place);
        }
        for (kind, ends) in
            [("linear", &raw.linear), ("screw", &raw.screw), ("contact_screw", &raw.contact_screw)]
        {
            if let Some(angle) = ends.as_ref().and_then(largest_turn) {
                let text = format!(
                    "`from` and `to` of a `{kind}` motion differ by {:.0} degrees, but it turns the shorter way, by less than half a \
                     turn: use `turn` for a larger angle",
                    angle.to_degrees()
                );
                self.warn(&place, text);
            }
        }
        motion(raw, start).map_err(|problem| problem.at(place))
    }

    /// Checks the times of a list of keyframes, one after the other.
    fn key_time(&self, key: &Spanned<RawKey>, before: Option<f64>) -> Result<f64, Fault> {
        let place = self.at(key);
        let t = number("t", key.get_ref().t).map_err(|problem| problem.at(place.clone()))?;
        if t < 0.0 || t > self.duration {
            let range = format!("from 0 to the duration, which is {}", number_text(self.duration));
            return Err(out_of_range("t", &range, t).at(place));
        }
        match before {
            Some(before) if t <= before => {
                let text = format!("t must increase, but {} follows {}", number_text(t), number_text(before));
                Err(malformed(text).at(place))
            }
            _ => Ok(t),
        }
    }

    fn path(&self, keys: Vec<Spanned<RawKey>>, place: Place) -> Result<MotionFile, Fault> {
        let mut keys = keys.into_iter();
        let Some(first) = keys.next() else { return Err(malformed("a path has no entries").at(place)) };
        let start = self.key_time(&first, None)?;
        let first_place = self.at(&first);
        let from = if first.get_ref().by.is_some() {
            Err(malformed("the first entry of a path is where it starts: it has no `by`"))
        } else {
            key_pose(first.into_inner())
        };
        let (xyz, quat) = from.map_err(|problem| problem.at(first_place))?;
        let from = Pose { xyz: xyz.unwrap_or(DVec3::ZERO), quat: quat.unwrap_or(DQuat::IDENTITY) };
        let mut legs = Vec::with_capacity(keys.len());
        let mut time = start;
        for key in keys {
            time = self.key_time(&key, Some(time))?;
            let place = self.at(&key);
            let by = leg(key.into_inner()).map_err(|problem| problem.at(place))?;
            legs.push(LegFile { until: time, by });
        }
        Ok(MotionFile::Path { from, start, legs })
    }

    fn spline(&self, keys: Vec<Spanned<RawKey>>, place: Place) -> Result<MotionFile, Fault> {
        if keys.len() < 2 {
            return Err(malformed("a spline needs two entries or more").at(place));
        }
        let mut keyframes: Vec<(f64, Pose)> = Vec::with_capacity(keys.len());
        for key in keys {
            let before = keyframes.last().copied();
            let t = self.key_time(&key, before.map(|(t, _)| t))?;
            let place = self.at(&key);
            let pose = if key.get_ref().by.is_some() {
                Err(malformed("an entry of a spline has no `by`: use `path`"))
            } else {
                key_pose(key.into_inner())
            };
            let (xyz, quat) = pose.map_err(|problem| problem.at(place))?;
            let last = before.map_or(Pose::IDENTITY, |(_, pose)| pose);
            keyframes.push((t, Pose { xyz: xyz.unwrap_or(last.xyz), quat: quat.unwrap_or(last.quat) }));
        }
        Ok(MotionFile::Spline { keyframes })
    }
}
