//! The elements of COLLADA that the reader visits, with the children and attributes that they may have, and a walk that
//! notices all others.

use crate::error::{Fault, Place, malformed};
use crate::parts::Treatment::{Ignored, Read, Refused, Warned};
use crate::parts::{Doubts, Parts, Treatment};
use roxmltree::Node;

type Rows = &'static [(&'static [&'static str], Treatment)];

const fn children(within: &'static str, list: Rows) -> Parts {
    Parts { within, kind: "element", list }
}

const PHYSICS: &str = "shapes and motions for physics are not read; give them in the scene file";
const KINEMATICS: &str = "joints are not read; give the robot as URDF or MJCF";
const MOVES: &str = "an animation moves parts of the file, and is not read: the file's rest pose is taken; give the body a `motion`, or export \
                     two frames for a `deformable`";
const PRIMITIVE: Rows = &[(&["input", "p"], Read), (&["extra"], Ignored)];

/// The children of each element.
pub(crate) const TABLES: [Parts; 24] = [
    children(
        "`<COLLADA>`",
        &[
            (&["asset", "library_geometries", "library_nodes", "library_visual_scenes", "scene"], Read),
            (
                &[
                    "library_cameras",
                    "library_controllers",
                    "library_effects",
                    "library_images",
                    "library_lights",
                    "library_materials",
                    "extra",
                ],
                Ignored,
            ),
            (&["library_animations", "library_animation_clips"], Warned(MOVES)),
            (
                &[
                    "library_force_fields",
                    "library_physics_materials",
                    "library_physics_models",
                    "library_physics_scenes",
                ],
                Warned(PHYSICS),
            ),
            (
                &[
                    "library_articulated_systems",
                    "library_formulas",
                    "library_joints",
                    "library_kinematics_models",
                    "library_kinematics_scenes",
                ],
                Warned(KINEMATICS),
            ),
        ],
    ),
    children(
        "`<asset>`",
        &[
            (&["unit", "up_axis"], Read),
            (
                &[
                    "contributor",
                    "coverage",
                    "created",
                    "keywords",
                    "modified",
                    "revision",
                    "subject",
                    "title",
                    "extra",
                ],
                Ignored,
            ),
        ],
    ),
    children("`<library_geometries>`", &[(&["geometry"], Read), (&["asset", "extra"], Ignored)]),
    children("`<library_nodes>`", &[(&["node"], Read), (&["asset", "extra"], Ignored)]),
    children("`<library_visual_scenes>`", &[(&["visual_scene"], Read), (&["asset", "extra"], Ignored)]),
    children(
        "`<scene>`",
        &[
            (&["instance_visual_scene"], Read),
            (&["extra"], Ignored),
            (&["instance_physics_scene"], Warned(PHYSICS)),
            (&["instance_kinematics_scene"], Warned(KINEMATICS)),
        ],
    ),
    children("`<visual_scene>`", &[(&["node"], Read), (&["asset", "evaluate_scene", "extra"], Ignored)]),
    children(
        "`<node>`",
        &[
            (
                &[
                    "node",
                    "instance_geometry",
                    "instance_node",
                    "matrix",
                    "rotate",
                    "scale",
                    "translate",
                    "instance_controller",
                ],
                Read,
            ),
            (&["asset", "instance_camera", "instance_light", "extra"], Ignored),
            (&["lookat", "skew"], Refused("write it as a `<matrix>`")),
        ],
    ),
    children("`<instance_geometry>`", &[(&["bind_material", "extra"], Ignored)]),
    children("`<instance_node>`", &[(&["extra"], Ignored)]),
    children("`<instance_visual_scene>`", &[(&["extra"], Ignored)]),
    children(
        "`<geometry>`",
        &[
            (&["mesh"], Read),
            (&["asset", "extra"], Ignored),
            (&["convex_mesh", "spline", "brep"], Refused("export the geometry as a `<mesh>`")),
        ],
    ),
    children(
        "`<mesh>`",
        &[
            (
                &[
                    "source",
                    "vertices",
                    "triangles",
                    "polylist",
                    "polygons",
                    "tristrips",
                    "trifans",
                    "lines",
                    "linestrips",
                ],
                Read,
            ),
            (&["extra"], Ignored),
        ],
    ),
    children(
        "`<source>`",
        &[
            (&["float_array", "technique_common"], Read),
            (
                &[
                    "asset",
                    "technique",
                    "bool_array",
                    "IDREF_array",
                    "int_array",
                    "Name_array",
                    "SIDREF_array",
                    "token_array",
                ],
                Ignored,
            ),
        ],
    ),
    children("`<technique_common>`", &[(&["accessor"], Read)]),
    children("`<accessor>`", &[(&["param"], Read)]),
    children("`<vertices>`", &[(&["input"], Read), (&["extra"], Ignored)]),
    children("`<triangles>`", PRIMITIVE),
    children("`<tristrips>`", PRIMITIVE),
    children("`<trifans>`", PRIMITIVE),
    children("`<lines>`", PRIMITIVE),
    children("`<linestrips>`", PRIMITIVE),
    children("`<polylist>`", &[(&["input", "vcount", "p"], Read), (&["extra"], Ignored)]),
    children(
        "`<polygons>`",
        &[
            (&["input", "p"], Read),
            (&["extra"], Ignored),
            (&["ph"], Refused("a polygon with holes; export the mesh as triangles")),
        ],
    ),
];

/// The attributes of the elements that are read; the others have none.
const ATTRIBUTES: [(&[&str], &[&str]); 12] = [
    (&["COLLADA"], &["version", "base"]),
    (&["unit"], &["meter", "name"]),
    (&["geometry", "source", "vertices", "visual_scene"], &["id", "name"]),
    (&["library_geometries", "library_nodes", "library_visual_scenes"], &["id", "name"]),
    (&["float_array"], &["id", "name", "count", "digits", "magnitude"]),
    (&["accessor"], &["count", "offset", "source", "stride"]),
    (&["param"], &["name", "sid", "type", "semantic"]),
    (&["input"], &["semantic", "source", "offset", "set"]),
    (
        &["triangles", "polylist", "polygons", "tristrips", "trifans", "lines", "linestrips"],
        &["name", "count", "material"],
    ),
    (&["node"], &["id", "name", "sid", "type", "layer"]),
    (
        &["instance_geometry", "instance_node", "instance_visual_scene", "instance_controller"],
        &["url", "sid", "name", "proxy"],
    ),
    (&["matrix", "rotate", "scale", "translate"], &["sid"]),
];

/// Elements that may appear once in their parent: only the first would be read.
const SINGLE: [(&str, &[&str]); 7] = [
    ("COLLADA", &["asset", "scene"]),
    ("asset", &["unit", "up_axis"]),
    ("scene", &["instance_visual_scene"]),
    ("geometry", &["mesh"]),
    ("source", &["float_array", "technique_common"]),
    ("technique_common", &["accessor"]),
    ("polylist", &["vcount", "p"]),
];

/// The elements whose text is read. Text in the others is a warning.
const WITH_TEXT: [&str; 8] =
    ["float_array", "p", "vcount", "matrix", "rotate", "scale", "translate", "up_axis"];

/// Warns about elements and attributes that are not read, and refuses those that must not be left out. `place` is that
/// of an element.
pub(super) fn check(
    root: Node<'_, '_>,
    doubts: &Doubts<'_>,
    place: &dyn Fn(Node<'_, '_>) -> Place,
) -> Result<(), Fault> {
    static ALL: [Parts; 24] = TABLES;
    let mut open = vec![root];
    while let Some(element) = open.pop() {
        let name = element.tag_name().name();
        let attributes = ATTRIBUTES.iter().find(|(elements, _)| elements.contains(&name));
        let attributes = attributes.map_or(&[][..], |(_, attributes)| attributes);
        for attribute in element.attributes().filter(|attribute| attribute.namespace().is_none()) {
            if !attributes.contains(&attribute.name()) {
                let suggestion = crate::parts::suggestion(attribute.name(), attributes.iter().copied());
                let shown = crate::source::shown(attribute.name().as_bytes());
                let text = format!(
                    "the attribute \"{shown}\" of <{name}> is not known here and is not read{suggestion}"
                );
                doubts.warn(place(element), text);
            }
        }
        let texts = element.children().filter(Node::is_text).filter_map(|child| child.text());
        if let Some(text) = texts.map(str::trim).find(|text| !text.is_empty())
            && !WITH_TEXT.contains(&name)
        {
            let shown = crate::source::shown(text.as_bytes());
            doubts.warn(place(element), format!("the text \"{shown}\" in <{name}> is not read"));
        }
        for single in SINGLE.iter().filter(|(parent, _)| *parent == name).flat_map(|(_, single)| *single) {
            if let Some(second) = element.children().filter(|child| child.has_tag_name(*single)).nth(1) {
                return Err(malformed(format!("a second <{single}> in <{name}>")).at(place(second)));
            }
        }
        let within = format!("`<{name}>`");
        let parts = ALL.iter().find(|parts| parts.within == within);
        for child in element.children().filter(Node::is_element) {
            let child_name = child.tag_name().name();
            let Some(parts) = parts else {
                let text =
                    format!("the element \"{child_name}\" in <{name}> is not known here and is not read");
                doubts.warn(place(child), text);
                continue;
            };
            // An empty library holds nothing that could matter.
            let is_empty = child_name.starts_with("library_")
                && !child.has_children()
                && matches!(parts.treatment(child_name), Some(Warned(_)));
            if !is_empty && doubts.meet(parts, child_name, || place(child))? {
                open.push(child);
            }
        }
    }
    Ok(())
}
