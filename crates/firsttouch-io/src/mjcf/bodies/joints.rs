//! The joints of a body: their kinds, anchors, axes and limits.

use super::Builder;
use crate::error::Result;
use crate::mjcf::elements::Element;
use crate::mjcf::settings::{Styled, unit};
use crate::scene::Pose;
use crate::source::shown;
use crate::urdf::{JointKind, JointLimits};
use glam::DVec3;

/// A joint of a body.
pub(super) struct BodyJoint<'a> {
    pub(super) element: &'a Element,
    pub(super) name: Option<String>,
    pub(super) kind: JointKind,
    /// In the frame of the body.
    pub(super) anchor: DVec3,
    pub(super) axis: DVec3,
    pub(super) reference: f64,
    pub(super) limits: Option<JointLimits>,
}

impl<'a> BodyJoint<'a> {
    fn free(element: &'a Element) -> BodyJoint<'a> {
        BodyJoint {
            element,
            name: element.name().map(str::to_string),
            kind: JointKind::Floating,
            anchor: DVec3::ZERO,
            axis: DVec3::X,
            reference: 0.0,
            limits: None,
        }
    }
}

impl<'a> Builder<'a, '_> {
    /// Returns the joints of a body, including those in frames of the body, in the order of the file.
    pub(super) fn joints_in(
        &self,
        element: &'a Element,
        pose: Pose,
        class: &'a str,
        joints: &mut Vec<BodyJoint<'a>>,
    ) -> Result<()> {
        for child in &element.children {
            match &child.tag[..] {
                "frame" => {
                    let (pose, class) = self.frame(child, pose, class)?;
                    self.joints_in(child, pose, class, joints)?;
                }
                "freejoint" => joints.push(BodyJoint::free(child)),
                "joint" => {
                    let styled = self.settings.styled(self.document, child, class)?;
                    joints.push(self.joint(styled, &pose)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn joint(&self, styled: Styled<'a>, pose: &Pose) -> Result<BodyJoint<'a>> {
        let Builder { document, settings, .. } = self;
        let element = styled.element;
        let three = |name: &str, otherwise: DVec3| match styled.attribute(name) {
            Some(value) => document.fixed(element, name, value).map(DVec3::from_array),
            None => Ok(otherwise),
        };
        let kind = match styled.attribute("type").unwrap_or("hinge") {
            "hinge" => JointKind::Continuous,
            "slide" => JointKind::Prismatic,
            "ball" => JointKind::Ball,
            "free" => return Ok(BodyJoint::free(element)),
            other => {
                let text = format!(
                    "\"{}\" is not a type of joint: use hinge, slide, ball or free",
                    shown(other.as_bytes())
                );
                return Err(document.malformed(element, text));
            }
        };
        let unit_of = if kind == JointKind::Continuous { settings.radians } else { 1.0 };
        let axis = unit(three("axis", DVec3::Z)?)
            .ok_or_else(|| document.malformed(element, "the axis of a joint is zero, or nearly"))?;
        let reference = match styled.attribute("ref") {
            Some(value) if kind != JointKind::Ball => {
                let [value]: [f64; 1] = document.fixed(element, "ref", value)?;
                value * unit_of
            }
            _ => 0.0,
        };
        let limits = if kind == JointKind::Ball { None } else { self.limits(styled, unit_of)? };
        Ok(BodyJoint {
            element,
            name: element.name().map(str::to_string),
            kind: if kind == JointKind::Continuous && limits.is_some() { JointKind::Revolute } else { kind },
            anchor: pose.xyz + pose.quat * three("pos", DVec3::ZERO)?,
            axis: pose.quat * axis,
            reference,
            limits,
        })
    }

    fn limits(&self, styled: Styled<'_>, unit_of: f64) -> Result<Option<JointLimits>> {
        let (document, element) = (self.document, styled.element);
        let range = match styled.attribute("range") {
            Some(value) => Some(document.fixed::<2>(element, "range", value)?),
            None => None,
        };
        let is_limited = match styled.attribute("limited").unwrap_or("auto") {
            "true" => true,
            "false" => false,
            "auto" => self.settings.autolimits && range.is_some_and(|range| range != [0.0, 0.0]),
            other => {
                let text =
                    format!("joint limited is true, false or auto, not \"{}\"", shown(other.as_bytes()));
                return Err(document.malformed(element, text));
            }
        };
        if !is_limited {
            return Ok(None);
        }
        let [lower, upper] = range.unwrap_or([0.0; 2]).map(|end| end * unit_of);
        if lower >= upper {
            let text = format!("the lower limit {lower} of a joint is not below the upper {upper}");
            return Err(document.malformed(element, text));
        }
        Ok(Some(JointLimits { lower, upper }))
    }
}
