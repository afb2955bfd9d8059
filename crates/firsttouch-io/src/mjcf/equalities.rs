//! Joints that are tied to others: the `<equality>` section.
//!
//! MuJoCo holds `y − y0 = a0 + a1 (x − x0)` with forces, where `y0` and `x0` are the values at the start (`ref`). So
//! the first joint follows the second one: `y = a1 x + (y0 + a0 − a1 x0)`, which is a mimic. Values are in radians or
//! lengths; the file's unit of angles does not apply.
//!
//! Guarantee: a constraint that holds in MuJoCo holds here, or the file is refused. A constraint is left out only where
//! MuJoCo also leaves it out: with `active="false"`, or with a flag that switches off all of them.

use super::elements::{Document, Element};
use super::settings::{MAIN, Settings};
use crate::error::Result;
use crate::source::shown;
use crate::urdf::{JointFile, MimicFile};
use std::collections::BTreeMap;

/// Advice for a constraint that is not read.
const WAY_OUT: &str =
    "remove it or set active=\"false\", and give the coordinates of all joints as it holds them";

/// Makes joints follow others. `zero` has the values at the start; the entries of joints that follow are removed.
pub(super) fn tie(
    document: &Document,
    settings: &Settings,
    joints: &mut [JointFile],
    zero: &mut BTreeMap<String, f64>,
) -> Result<()> {
    if !settings.equalities {
        return Ok(());
    }
    let start = zero.clone();
    for element in document.sections("equality").flat_map(|section| &section.children) {
        let styled = settings.styled_as(document, element, "equality", MAIN)?;
        match styled.attribute("active") {
            Some("false") => continue,
            None | Some("true") => {}
            Some(other) => {
                let text = format!("active is true or false, not \"{}\"", shown(other.as_bytes()));
                return Err(document.malformed(element, text));
            }
        }
        if element.tag != "joint" {
            let text =
                format!("<{}> in <equality> ties bodies together: {WAY_OUT}", shown(element.tag.as_bytes()));
            return Err(document.unsupported(element, text));
        }
        let follower = joint(document, element, joints, "joint1")?
            .ok_or_else(|| document.malformed(element, "<joint> in <equality> needs joint1=\"...\""))?;
        let Some(leader) = joint(document, element, joints, "joint2")? else {
            let text = "a joint that is held at a constant: leave out the joint, so that its body is fixed";
            return Err(document.unsupported(element, text));
        };
        let name = joints[follower].name.clone();
        if joints[follower].mimic.is_some() {
            let text = format!("a second equality of the joint \"{}\": {WAY_OUT}", shown(name.as_bytes()));
            return Err(document.unsupported(element, text));
        }
        let [constant, factor] = line(document, element)?;
        let at_start = |joint: usize| start.get(&joints[joint].name).copied().unwrap_or(0.0);
        let offset = at_start(follower) + constant - factor * at_start(leader);
        if !offset.is_finite() {
            return Err(document.malformed(element, "the numbers of polycoef are too large"));
        }
        let mimic = MimicFile { joint: joints[leader].name.clone(), multiplier: factor, offset };
        joints[follower].mimic = Some(mimic);
        zero.remove(&name);
    }
    Ok(())
}

/// Returns the joint that an attribute names. The joint must turn or slide.
fn joint(document: &Document, element: &Element, joints: &[JointFile], key: &str) -> Result<Option<usize>> {
    let Some(name) = element.attribute(key) else { return Ok(None) };
    let quoted = shown(name.as_bytes());
    let found = joints.iter().position(|joint| joint.name == name);
    let found =
        found.ok_or_else(|| document.malformed(element, format!("there is no joint \"{quoted}\"")))?;
    if joints[found].kind.has_one_coordinate() {
        return Ok(Some(found));
    }
    let text = format!(
        "joint \"{quoted}\" is {}: only hinge and slide can follow or lead",
        joints[found].kind.name()
    );
    Err(document.malformed(element, text))
}

/// Returns the constant and the factor of a linear polynomial.
fn line(document: &Document, element: &Element) -> Result<[f64; 2]> {
    let Some(value) = element.attribute("polycoef") else { return Ok([0.0, 1.0]) };
    let numbers = document.numbers(element, "polycoef", value)?;
    if numbers.len() > 5 {
        return Err(document.malformed(element, "polycoef has more than 5 numbers"));
    }
    if numbers.iter().skip(2).any(|&number| number != 0.0) {
        let text = format!("a polynomial of joints that is not linear: {WAY_OUT}");
        return Err(document.unsupported(element, text));
    }
    Ok([numbers.first().copied().unwrap_or(0.0), numbers.get(1).copied().unwrap_or(1.0)])
}
