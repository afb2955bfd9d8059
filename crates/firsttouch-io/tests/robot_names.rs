//! Every element and attribute that a URDF, an SRDF or an MJCF may have, in a file: its effect is the one in the
//! tables.
//!
//! 1. `PLACES` has a file for each element that may contain others, with `{}` where they stand. `ELEMENTS` has the
//!    elements that are read, with `@` where an attribute goes, and values that change something.
//! 2. An attribute that is read changes the robot, or is refused. An attribute that is ignored has no effect and gives
//!    no warning. All others give a warning or an error.
//! 3. Every name of every file here and in `testdata` is misspelt in turn: none of them passes in silence.
//! 4. The page for users shows the same tables.

use firsttouch_io::{KnownName, RobotFile, RobotFormat, Treatment, parse_mjcf, parse_srdf, parse_urdf};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Returns the reader's result for a file: the robot without its warnings, or the error; and the warnings.
fn read(format: RobotFormat, text: &str) -> (Result<String, String>, Vec<String>) {
    let robot = |read: firsttouch_io::Result<RobotFile>| match read {
        Err(error) => (Err(error.to_string()), Vec::new()),
        Ok(mut file) => {
            let warnings =
                std::mem::take(&mut file.warnings).into_iter().map(|warning| warning.text).collect();
            (Ok(format!("{file:?}")), warnings)
        }
    };
    match format {
        RobotFormat::Urdf => robot(parse_urdf(text.as_bytes(), "r.urdf")),
        RobotFormat::Mjcf => robot(parse_mjcf(text.as_bytes(), "r.xml")),
        _ => {
            let links = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
                <joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>
                <joint name='k' type='fixed'><parent link='a'/><child link='c'/></joint></robot>";
            match parse_srdf(text.as_bytes(), "r.srdf", &parse_urdf(links.as_bytes(), "r.urdf").unwrap()) {
                Err(error) => (Err(error.to_string()), Vec::new()),
                Ok(file) => (
                    Ok(format!("{:?}", file.disabled)),
                    file.warnings.iter().map(ToString::to_string).collect(),
                ),
            }
        }
    }
}

struct Tables {
    format: RobotFormat,
    places: &'static [(&'static str, &'static str)],
    /// The element, itself, and its attributes with values.
    elements: &'static [(&'static str, &'static str, &'static str)],
}

const URDF: Tables = Tables {
    format: RobotFormat::Urdf,
    places: &[
        ("", "{}"),
        (
            "robot",
            "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link>{}</robot>",
        ),
        (
            "link",
            "<robot name='r'><link name='a'>{}<collision><geometry><sphere radius='1'/></geometry></collision></link></robot>",
        ),
        (
            "collision",
            "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>{}</collision></link></robot>",
        ),
        (
            "geometry",
            "<robot name='r'><link name='a'><collision><geometry>{}</geometry></collision></link></robot>",
        ),
        (
            "joint",
            "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
            <joint name='k' type='revolute'><parent link='a'/><child link='c'/></joint>
            <joint name='j' type='revolute'><parent link='a'/><child link='b'/>{}</joint></robot>",
        ),
        (
            "ends",
            "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'>{}</joint></robot>",
        ),
        ("visual", "<robot name='r'><link name='a'><visual>{}</visual></link></robot>"),
        ("material", "<robot name='r'><link name='a'/><material name='m'>{}</material></robot>"),
        ("inertial", "<robot name='r'><link name='a'><inertial>{}</inertial></link></robot>"),
    ],
    elements: &[
        ("robot", "<robot @><link name='a'/></robot>", "name='r'"),
        (
            "link",
            "<link @/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>",
            "name='b'",
        ),
        ("collision", "<collision @><geometry><sphere radius='2'/></geometry></collision>", "name='c'"),
        ("origin", "<origin @/>", "xyz='1 2 3' rpy='1 2 3' quat_xyzw='0 0 1 1'"),
        ("geometry", "<geometry @/>", ""),
        ("box", "<box @/>", "size='1 2 3'"),
        ("sphere", "<sphere @/>", "radius='2'"),
        ("cylinder", "<cylinder radius='1' @/><!-- length -->", "length='2'"),
        ("cylinder", "<cylinder length='1' @/>", "radius='2'"),
        ("capsule", "<capsule radius='1' @/>", "length='2'"),
        ("capsule", "<capsule length='1' @/>", "radius='2'"),
        ("mesh", "<mesh @/>", "filename='a.stl'"),
        ("mesh", "<mesh filename='a.stl' @/>", "scale='2'"),
        (
            "joint",
            "<link name='b'/><joint type='fixed' @><parent link='a'/><child link='b'/></joint>",
            "name='j'",
        ),
        (
            "joint",
            "<link name='b'/><joint name='j' @><parent link='a'/><child link='b'/></joint>",
            "type='floating'",
        ),
        ("parent", "<child link='b'/><parent @/>", "link='a'"),
        ("child", "<parent link='a'/><child @/>", "link='b'"),
        ("axis", "<axis @/>", "xyz='0 0 1'"),
        ("limit", "<limit @/>", "lower='-1' upper='1' velocity='2'"),
        ("mimic", "<mimic @/>", "joint='k'"),
        ("mimic", "<mimic joint='k' @/>", "multiplier='2' offset='1'"),
    ],
};

const SRDF: Tables = Tables {
    format: RobotFormat::Srdf,
    places: &[
        ("", "{}"),
        ("robot", "<robot name='r'>{}</robot>"),
        ("group", "<robot name='r'><group name='g'>{}</group></robot>"),
        ("group_state", "<robot name='r'><group_state name='g'>{}</group_state></robot>"),
        (
            "link_sphere_approximation",
            "<robot name='r'><link_sphere_approximation>{}</link_sphere_approximation></robot>",
        ),
        ("rotor_params", "<robot name='r'><rotor_params>{}</rotor_params></robot>"),
    ],
    elements: &[
        ("robot", "<robot @/>", "name='r'"),
        ("disable_collisions", "<disable_collisions link2='b' @/>", "link1='a'"),
        ("disable_collisions", "<disable_collisions link1='b' @/>", "link2='c'"),
    ],
};

macro_rules! mujoco {
    ($($content:expr),*) => {
        concat!(
            "<mujoco><default><default class='k'><geom size='.7'/><joint axis='1 0 0'/><mesh scale='2 2 2'/><equality active='false'/></default></default>",
            "<asset><mesh name='m' file='d/a.obj'/><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset>",
            $($content,)* "</mujoco>"
        )
    };
}

const POSES: &str =
    "pos='1 2 3' quat='0 1 0 0' axisangle='0 0 1 9' euler='1 2 3' xyaxes='0 1 0 1 0 0' zaxis='1 0 0'";

const MJCF: Tables = Tables {
    format: RobotFormat::Mjcf,
    places: &[
        ("", "{}"),
        ("*", mujoco!("{}")),
        (
            "mujoco",
            mujoco!(
                "{}<worldbody><geom type='box' size='1 1 1' euler='1 2 3'/><geom type='mesh' mesh='m'/><body name='b'><joint name='x' ref='1' range='1 2'/><geom size='1'/>
                <body name='c'><joint name='y'/><geom size='1'/></body></body></worldbody><equality><joint joint1='x' joint2='y'/></equality>"
            ),
        ),
        ("compiler", mujoco!("<compiler>{}</compiler>")),
        (
            "option",
            mujoco!(
                "<option>{}</option><worldbody><body name='b'><joint name='x'/><geom size='1'/><body name='c'><joint name='y'/><geom size='1'/></body>
                </body></worldbody><equality><joint joint1='x' joint2='y'/></equality>"
            ),
        ),
        ("default", mujoco!("<default>{}</default><worldbody><body><joint name='x'/><geom name='g' size='1'/></body></worldbody>")),
        ("shapes", mujoco!("<default>{}</default><worldbody><geom name='g'/></worldbody>")),
        (
            "scaled",
            mujoco!(
                "<default>{}</default><asset><mesh name='n' file='a.obj'/></asset><worldbody><geom type='mesh' mesh='n'/></worldbody>"
            ),
        ),
        ("ties", mujoco!("<default>{}</default><worldbody><geom size='1'/></worldbody><equality><weld/></equality>")),
        ("asset", mujoco!("<asset>{}</asset>")),
        ("meshes", mujoco!("<asset>{}</asset><worldbody><geom type='mesh' mesh='n'/></worldbody>")),
        ("fields", mujoco!("<asset>{}</asset><worldbody><geom type='hfield' hfield='n'/></worldbody>")),
        ("worldbody", mujoco!("<worldbody>{}</worldbody>")),
        ("body", mujoco!("<worldbody><body>{}</body></worldbody>")),
        ("frame", mujoco!("<worldbody><frame>{}</frame></worldbody>")),
        ("jointed", mujoco!("<worldbody><body><frame>{}</frame></body></worldbody>")),
        (
            "contact",
            mujoco!(
                "<contact>{}</contact><worldbody><body name='a'><joint/><geom name='ga' size='1'/></body><body name='b'><joint/><geom name='gb' size='1'/>
                </body></worldbody>"
            ),
        ),
        (
            "equality",
            mujoco!("<equality>{}</equality><worldbody><body><joint name='x'/></body><body><joint name='y'/></body></worldbody>"),
        ),
        ("deformable", mujoco!("<deformable>{}</deformable>")),
        ("mesh", mujoco!("<asset><mesh file='b.obj'>{}</mesh></asset>")),
        ("geom", mujoco!("<worldbody><geom size='1'>{}</geom></worldbody>")),
        ("flexcomp", mujoco!("<worldbody><geom size='1'/>{}</worldbody>")),
        ("plugin", mujoco!("<extension><plugin>{}</plugin></extension>")),
        ("instance", mujoco!("<extension><plugin><instance>{}</instance></plugin></extension>")),
        ("skin", mujoco!("<deformable><skin>{}</skin></deformable>")),
        ("material", mujoco!("<asset><material>{}</material></asset>")),
        ("visual", mujoco!("<visual>{}</visual>")),
        ("tendon", mujoco!("<tendon>{}</tendon>")),
        ("fixed", mujoco!("<tendon><fixed>{}</fixed></tendon>")),
        ("spatial", mujoco!("<tendon><spatial>{}</spatial></tendon>")),
        ("actuator", mujoco!("<actuator>{}</actuator>")),
        ("sensor", mujoco!("<sensor>{}</sensor>")),
        ("custom", mujoco!("<custom>{}</custom>")),
        ("tuple", mujoco!("<custom><tuple>{}</tuple></custom>")),
        ("keyframe", mujoco!("<keyframe>{}</keyframe>")),
        ("extension", mujoco!("<extension>{}</extension>")),
    ],
    elements: &[
        ("mujoco", "<mujoco @/>", "model='a'"),
        ("include", "<include @/>", "file='a.xml'"),
        ("compiler", "<compiler @/>", "angle='radian' eulerseq='zyx' autolimits='false' meshdir='x' assetdir='x' strippath='true' coordinate='global'"),
        ("compiler", "<compiler @/><worldbody><body><freejoint/></body></worldbody>", "alignfree='true'"),
        ("option", "<option @/>", ""),
        ("flag", "<flag @/>", "filterparent='disable' equality='disable' constraint='disable'"),
        ("mujoco/default", "<default><default @><geom size='1'/></default></default>", "class='z'"),
        ("default/default", "<default @><geom size='1'/></default>", "class='z'"),
        ("default/mesh", "<mesh @/>", "scale='2 3 4' refpos='1 2 3' refquat='0 1 0 0'"),
        ("default/equality", "<equality @/>", "active='false'"),
        ("asset", "<asset @><mesh name='n' file='n.obj'/></asset><worldbody><geom type='mesh' mesh='n'/></worldbody>", ""),
        ("contact", "<contact @><exclude body1='b' body2='world'/></contact>", ""),
        ("equality", "<equality @><weld/></equality>", ""),
        ("worldbody", "<worldbody @><body name='z'/></worldbody>", ""),
        ("deformable", "<deformable @><flex/></deformable>", ""),
        ("mesh", "<mesh name='n' @/>", "file='a.obj'"),
        ("mesh", "<mesh file='a.obj' @/>", "name='n'"),
        (
            "mesh",
            "<mesh name='n' file='a.obj' @/>",
            "class='k' scale='2 3 4' refpos='1 2 3' refquat='0 1 0 0' vertex='0 0 0' builtin='sphere'",
        ),
        ("hfield", "<hfield nrow='2' ncol='2' size='1 1 1 1' @/>", "name='n'"),
        ("hfield", "<hfield name='n' nrow='2' ncol='2' @/>", "size='1 1 1 2'"),
        ("hfield", "<hfield name='n' ncol='2' size='1 1 1 1' @/>", "nrow='2'"),
        ("hfield", "<hfield name='n' nrow='2' size='1 1 1 1' @/>", "ncol='2'"),
        ("hfield", "<hfield name='n' nrow='2' ncol='2' size='1 1 1 1' @/>", "elevation='1 2 3 4'"),
        ("hfield", "<hfield name='n' size='1 1 1 1' @/>", "file='a.png'"),
        ("hfield", "<hfield name='n' file='a.png' size='1 1 1 1' @/>", "content_type='image/jpeg'"),
        ("body", "<body @><geom size='1'/></body>", "name='z'"),
        ("body", "<body @><geom/></body>", "childclass='k'"),
        ("body", "<body @><joint/><geom size='1'/></body>", "POSES"),
        ("frame", "<frame @><geom size='1'/></frame>", "POSES"),
        ("frame", "<frame @><geom/></frame>", "childclass='k'"),
        ("joint", "<joint @/>", "name='z' class='k' type='slide' pos='1 2 3' axis='1 0 0' ref='1' range='1 2'"),
        ("joint", "<joint range='1 2' @/>", "limited='false'"),
        ("freejoint", "<freejoint @/>", "name='z' align='true'"),
        ("geom", "<geom size='1' @/>", "name='z' mesh='m' POSES"),
        ("geom", "<geom size='1' conaffinity='0' @/>", "contype='0'"),
        ("geom", "<geom size='1' contype='0' @/>", "conaffinity='0'"),
        ("geom", "<geom size='1 1 1' @/>", "type='box'"),
        ("geom", "<geom @/>", "size='2' class='k'"),
        ("geom", "<geom type='capsule' size='1 1' @/>", "fromto='0 0 0 1 2 3'"),
        ("geom", "<geom type='hfield' @/>", "hfield='h'"),
        ("contact/pair", "<pair geom2='gb' @/>", "geom1='ga'"),
        ("contact/pair", "<pair geom1='ga' @/>", "geom2='gb'"),
        ("exclude", "<exclude body2='b' @/>", "body1='a'"),
        ("exclude", "<exclude body1='a' @/>", "body2='b'"),
        ("equality/joint", "<joint joint2='y' @/>", "joint1='x'"),
        ("equality/joint", "<joint joint1='x' @/>", "joint2='y'"),
        ("equality/joint", "<joint joint1='x' joint2='y' @/>", "polycoef='1 2' active='false' class='k'"),
        ("connect", "<connect @/>", "active='false' class='k'"),
        ("weld", "<weld @/>", "active='false' class='k'"),
        ("tendon", "<tendon @/>", "active='false' class='k'"),
        ("flex", "<flex @/>", "active='false' class='k'"),
        ("flexvert", "<flexvert @/>", "active='false' class='k'"),
        ("flexstrain", "<flexstrain @/>", "active='false' class='k'"),
        ("distance", "<distance @/>", "active='false' class='k'"),
    ],
};

impl Tables {
    fn place(&self, inside: &str) -> &'static str {
        self.places
            .iter()
            .find(|(name, _)| *name == inside)
            .unwrap_or_else(|| panic!("no place <{inside}>"))
            .1
    }

    /// Returns the places in which an element can be tried.
    fn places_of(&self, name: &KnownName) -> Vec<&'static str> {
        let special = match (self.format, name.inside, name.element) {
            (RobotFormat::Urdf, "joint", "parent" | "child") => Some("ends"),
            (RobotFormat::Urdf | RobotFormat::Srdf, "*", _) => Some("robot"),
            (RobotFormat::Mjcf, "asset", "hfield") => Some("fields"),
            (RobotFormat::Mjcf, "asset", "mesh") => Some("meshes"),
            (RobotFormat::Mjcf, "default", "geom") => Some("shapes"),
            (RobotFormat::Mjcf, "default", "mesh") => Some("scaled"),
            (RobotFormat::Mjcf, "default", "equality") if name.attribute == Some("active") => Some("ties"),
            (RobotFormat::Mjcf, "frame", "joint" | "freejoint") => Some("jointed"),
            _ => None,
        };
        vec![self.place(special.unwrap_or(name.inside))]
    }

    /// Returns the files without and with an attribute, and the value.
    fn with_and_without(&self, name: &KnownName, attribute: &str) -> Option<Vec<[String; 2]>> {
        let mut files = Vec::new();
        for (element, text, attributes) in self.elements {
            let (inside, element) = element.split_once('/').unwrap_or(("", element));
            if element != name.element || (!inside.is_empty() && inside != name.inside) {
                continue;
            }
            let is_equality = name.inside == "equality";
            if inside.is_empty() && is_equality && element == "joint" {
                continue;
            }
            let attributes = attributes.replace("POSES", POSES);
            let start = format!("{attribute}='");
            let Some(at) = attributes
                .match_indices(&start)
                .map(|(at, _)| at)
                .find(|&at| at == 0 || attributes.as_bytes()[at - 1] == b' ')
            else {
                continue;
            };
            let end = at + start.len() + attributes[at + start.len()..].find('\'').unwrap() + 1;
            for place in self.places_of(name) {
                files.push(
                    ["", &attributes[at..end]].map(|value| place.replace("{}", &text.replace('@', value))),
                );
            }
        }
        (!files.is_empty()).then_some(files)
    }
}

/// An attribute that is read changes the robot, or is refused. One that has no effect in one file has an effect in
/// another. Values stand in attributes. As text they used to be dropped, and `<axis>0 1 0</axis>` was the axis x.
#[test]
fn text_in_elements() {
    let [urdf, srdf, mjcf] = [RobotFormat::Urdf, RobotFormat::Srdf, RobotFormat::Mjcf];
    let joint = |axis: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>
            <joint name='j' type='prismatic'><parent link='a'/><child link='b'/>{axis}<limit lower='0' upper='1'/></joint></robot>"
        )
    };
    let ball = |text: &str| {
        format!(
            "<mujoco><worldbody>{text}<body name='b'><joint type='slide'/><geom size='1'/></body></worldbody></mujoco>"
        )
    };
    for (format, file, expected) in [
        (urdf, joint("<axis>0 1 0</axis>"), "the text \"0 1 0\" in <axis>"),
        (urdf, joint("<axis><![CDATA[0 1 0]]></axis>"), "the text \"0 1 0\" in <axis>"),
        (urdf, joint("origin"), "the text \"origin\" in <joint>"),
        (srdf, "<robot name='r'>link1='a'</robot>".into(), "in <robot>"),
        (mjcf, ball("pos='1 0 0'"), "in <worldbody>"),
    ] {
        let (found, warnings) = read(format, &file);
        assert!(found.is_ok(), "{found:?}");
        assert!(warnings.len() == 1 && warnings[0].contains(expected), "{warnings:?}\n{expected}");
    }
    // Blanks and comments are not text, and elements without effect may have any text.
    for (format, file) in [
        (urdf, joint("<axis> <!-- up --> </axis><dynamics>none</dynamics>")),
        (urdf, joint("").replace("</robot>", "<gazebo><static>true</static></gazebo></robot>")),
        (mjcf, ball("\n<camera>front</camera>")),
    ] {
        assert!(read(format, &file).1.is_empty(), "{file}");
    }
}

#[test]
fn what_is_read_changes_the_robot() {
    let mut tried = 0;
    for tables in [&URDF, &SRDF, &MJCF] {
        for name in tables.format.known_names() {
            let (Some(attribute), Treatment::Read) = (name.attribute, name.treatment) else { continue };
            let files = tables.with_and_without(&name, attribute);
            let what = format!("{:?} <{}> in <{}>, {attribute}=", tables.format, name.element, name.inside);
            let files = files.unwrap_or_else(|| panic!("{what} is not in this table"));
            // The name of an SRDF must be that of the robot, or there is a warning.
            let is_changed = files.iter().any(|[without, with]| {
                let [before, after] = [without, with].map(|text| read(tables.format, text));
                before != after && after.1.is_empty()
            });
            assert!(is_changed, "{what} changes nothing: {files:#?} {:?}", read(tables.format, &files[0][1]));
            tried += 1;
        }
    }
    assert!(tried > 160, "{tried}");
}

/// Returns an element with everything that it needs, and a hole for an attribute.
fn sample(tables: &Tables, name: &KnownName) -> String {
    let exact = format!("{}/{}", name.inside, name.element);
    let of = |wish: &str| tables.elements.iter().find(|(element, ..)| *element == wish);
    let found = of(&exact).or_else(|| of(name.element));
    let (mut text, needed) = match found {
        Some((_, text, attributes)) => {
            (text.to_string(), attributes.split_once("' ").map_or(*attributes, |(first, _)| first))
        }
        None => (format!("<{} @/>", name.element), ""),
    };
    let needed = match needed {
        "" => String::new(),
        value if value.ends_with('\'') => value.to_string(),
        value => format!("{value}'"),
    };
    let is_needed = [
        "name=",
        "radius",
        "length",
        "size",
        "filename",
        "file=",
        "link",
        "type=",
        "joint",
        "class='z'",
        "active",
        "geom",
        "body",
    ];
    // The contents of a default have no name.
    let has_name = name.inside != "default" || name.element == "default";
    if has_name
        && is_needed.iter().any(|start| needed.starts_with(start))
        && !name.attribute.is_some_and(|own| needed.starts_with(&format!("{own}=")))
    {
        text = text.replace('@', &format!("{needed} @"));
    }
    text
}

/// An ignored part has no effect and gives no warning; any other part gives a warning, or is refused.
#[test]
fn what_is_not_read_is_said() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for tables in [&URDF, &SRDF, &MJCF] {
        for name in tables.format.known_names() {
            if name.treatment == Treatment::Read || name.inside.is_empty() {
                continue;
            }
            for place in tables.places_of(&name) {
                let (without, with) = match name.attribute {
                    None if name.treatment == Treatment::Foreign => (
                        String::new(),
                        format!("<{0} a='1'><b c='2'><link name='x'/></b></{0}>", name.element),
                    ),
                    None => (String::new(), format!("<{}/>", name.element)),
                    Some(attribute) => {
                        let text = sample(tables, &name);
                        (text.replace('@', ""), text.replace('@', &format!("{attribute}='17'")))
                    }
                };
                let with =
                    with.replace("<xacro:macro ", "<xacro:macro xmlns:xacro='http://ros.org/wiki/xacro' ");
                let with = with.replace("<xacro:arg ", "<xacro:arg xmlns:xacro='http://ros.org/wiki/xacro' ");
                let with = with
                    .replace("<xacro:property ", "<xacro:property xmlns:xacro='http://ros.org/wiki/xacro' ");
                let (before, known) = read(tables.format, &place.replace("{}", &without));
                let (after, warnings) = read(tables.format, &place.replace("{}", &with));
                let what =
                    format!("{:?} {name:?}: {with}\n{before:?}\n{after:?}\n{warnings:?}", tables.format);
                match name.treatment {
                    Treatment::Ignored | Treatment::Foreign => {
                        assert!(before.is_ok() && before == after && known == warnings, "{what}");
                    }
                    Treatment::Warned => {
                        assert!(
                            before.is_ok() && before == after && known.len() + 1 == warnings.len(),
                            "{what}"
                        );
                    }
                    _ => assert!(before != after && after.is_err(), "{what}"),
                }
                *counts.entry(format!("{:?} {:?}", tables.format, name.treatment)).or_default() += 1;
            }
        }
    }
    let expected = [
        ("Mjcf Ignored", 1000),
        ("Mjcf Refused", 10),
        ("Mjcf Warned", 5),
        ("Srdf Ignored", 20),
        ("Srdf Warned", 1),
        ("Urdf Foreign", 10),
        ("Urdf Ignored", 50),
        ("Urdf Refused", 1),
        ("Urdf Warned", 2),
    ];
    for (what, least) in expected {
        assert!(counts.get(what).is_some_and(|&count| count >= least), "{what}: {counts:?}");
    }
}

/// An attribute that is judged by its value gives no warning for the values that have no effect.
#[test]
fn harmless_values() {
    let mut tried = 0;
    for name in RobotFormat::Mjcf.known_names() {
        let Some(attribute) = name.attribute else { continue };
        for value in name.harmless {
            let text = sample(&MJCF, &name).replace('@', &format!("{attribute}='{value}'"));
            let (_, warnings) = read(RobotFormat::Mjcf, &MJCF.places_of(&name)[0].replace("{}", &text));
            assert!(warnings.is_empty(), "{text} {warnings:?}");
            tried += 1;
        }
    }
    assert!(tried >= 20, "{tried}");
}

/// Returns the names in a file: the start, the end, and true for the name of an element.
fn names(text: &str) -> Vec<(usize, usize, bool)> {
    let bytes = text.as_bytes();
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"_:-.".contains(&b);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(open) = text[at..].find('<').map(|i| i + at) {
        let skipped = ["<!--", "<?", "</"]
            .into_iter()
            .zip(["-->", "?>", ">"])
            .find(|(start, _)| text[open..].starts_with(start));
        if let Some((_, end)) = skipped {
            at = open + text[open..].find(end).unwrap();
            continue;
        }
        let name_end = (open + 1..).find(|&i| !is_name(bytes[i])).unwrap();
        found.push((open + 1, name_end, true));
        at = name_end;
        while bytes[at] != b'>' {
            if is_name(bytes[at]) {
                let end = (at..).find(|&i| !is_name(bytes[i])).unwrap();
                found.push((at, end, false));
                let quote = (end..).find(|&i| b"'\"".contains(&bytes[i])).unwrap();
                at = (quote + 1..).find(|&i| bytes[i] == bytes[quote]).unwrap();
            }
            at += 1;
        }
    }
    found
}

/// Returns the file with a name replaced; the name of an element is also replaced where it ends.
fn renamed(text: &str, (start, end, is_element): (usize, usize, bool), wrong: &str) -> String {
    let (name, mut rest) = (&text[start..end], text[end..].to_string());
    if is_element {
        let own_end = rest.find('>').unwrap();
        if !rest[..own_end].ends_with('/') {
            // The end tag that belongs to it.
            let (mut depth, mut at) = (1, 0);
            let close = loop {
                let next = at + rest[at..].find(name).unwrap();
                let after = rest.as_bytes()[next + name.len()];
                let is_whole = !(after.is_ascii_alphanumeric() || b"_:-.".contains(&after));
                if is_whole && rest[..next].ends_with("</") {
                    depth -= 1;
                    if depth == 0 {
                        break next;
                    }
                } else if is_whole && rest[..next].ends_with('<') {
                    let tag_end = next + rest[next..].find('>').unwrap();
                    depth += i32::from(!rest[..tag_end].ends_with('/'));
                }
                at = next + name.len();
            };
            rest.replace_range(close..close + name.len(), wrong);
        }
    }
    format!("{}{wrong}{rest}", &text[..start])
}

/// Ways to misspell a name.
fn misspelt(name: &str) -> Vec<String> {
    let mut ways = vec![format!("{name}x"), format!("{}{name}", &name[..1])];
    if name.len() > 2 {
        ways.push(name[..name.len() - 1].into());
        let mut swapped: Vec<char> = name.chars().collect();
        swapped.swap(1, 2);
        ways.push(swapped.into_iter().collect());
    }
    ways.retain(|way| way != name);
    ways
}

/// A misspelt name is an error or a warning, wherever it stands. `<colision>` and `rpi=` used to be skipped.
#[test]
fn no_misspelt_name_passes_in_silence() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/robots");
    let mut files: Vec<(RobotFormat, String)> = Vec::new();
    for (format, name) in [
        (RobotFormat::Urdf, "plain.urdf"),
        (RobotFormat::Urdf, "untidy.urdf"),
        (RobotFormat::Mjcf, "arm.xml"),
        (RobotFormat::Mjcf, "terrain.xml"),
        (RobotFormat::Srdf, "plain.srdf"),
        (RobotFormat::Srdf, "untidy.srdf"),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        files.push((format, text.replace("<include file=\"arm_sensors.xml\"/>", "")));
    }
    // Every element in its place, with all its attributes that are ignored.
    for tables in [&URDF, &SRDF, &MJCF] {
        let mut elements: BTreeMap<(&str, &str), (KnownName, Vec<&str>)> = BTreeMap::new();
        for name in tables.format.known_names() {
            if matches!(name.treatment, Treatment::Refused | Treatment::Foreign | Treatment::Warned)
                || name.inside.is_empty()
            {
                continue;
            }
            let entry = elements.entry((name.inside, name.element)).or_insert((name.clone(), Vec::new()));
            if name.treatment == Treatment::Ignored {
                entry.1.extend(name.attribute);
            }
        }
        for (name, ignored) in elements.into_values() {
            let attributes: Vec<String> =
                ignored.iter().map(|attribute| format!("{attribute}='17'")).collect();
            let text = sample(tables, &name).replace('@', &attributes.join(" "));
            files.push((tables.format, tables.places_of(&name)[0].replace("{}", &text)));
        }
    }
    let (mut wrong, mut valid, mut errors, mut meant, mut seen) = (0, 0, 0, 0, BTreeSet::new());
    for (format, text) in &files {
        let known = format.known_names();
        let is_known =
            |name: &str| known.iter().any(|known| known.element == name || known.attribute == Some(name));
        let (whole, before) = read(*format, text);
        valid += usize::from(whole.is_ok());
        let foreign = foreign_parts(text);
        for place in names(text) {
            let name = &text[place.0..place.1];
            if name.starts_with("xmlns")
                || foreign.iter().any(|&(start, end)| place.0 > start && place.0 < end)
            {
                continue;
            }
            // A prefix says that the name is not one of the format's.
            if name.contains(':') {
                continue;
            }
            for way in misspelt(name).into_iter().filter(|way| !is_known(way)) {
                // A file that is refused in any case proves nothing.
                if whole.is_err() && !seen.insert((format!("{format:?}"), text.len(), place.0)) {
                    continue;
                }
                let (after, warnings) = read(*format, &renamed(text, place, &way));
                wrong += 1;
                errors += usize::from(after.is_err());
                let is_said = after.is_err() || warnings.iter().any(|warning| !before.contains(warning));
                assert!(is_said, "{format:?}: {name} as {way} in\n{text}\n{warnings:?}");
                let wish = [format!("<{name}>?"), format!("{name}=?")];
                let said = warnings.iter().chain(after.as_ref().err());
                meant +=
                    usize::from(said.into_iter().any(|text| wish.iter().any(|wish| text.contains(wish))));
            }
        }
    }
    // Most are warnings, and most of them give the name that was meant.
    println!(
        "{} files, {valid} valid, {wrong} misspelt names, {errors} errors, {meant} with the right name",
        files.len()
    );
    assert!(
        files.len() > 150 && valid * 10 > files.len() * 9 && wrong > 5000,
        "{} {valid} {wrong}",
        files.len()
    );
    assert!(errors * 2 < wrong && meant * 10 > wrong * 7, "{wrong} {errors} {meant}");
}

/// Returns the contents of elements of other programs, in which names are not checked.
fn foreign_parts(text: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    for name in ["gazebo", "transmission", "xacro:macro", "xacro:property"] {
        let mut at = 0;
        while let Some(start) = text[at..].find(&format!("<{name}")).map(|i| i + at) {
            let tag_end = start + text[start..].find('>').unwrap();
            let end = if text[..tag_end].ends_with('/') {
                tag_end
            } else {
                start + text[start..].find(&format!("</{name}>")).unwrap()
            };
            // The name of the element itself is checked.
            parts.push((start + 1, end));
            at = end;
        }
    }
    parts
}

/// The page for users has the tables between marks. To update it, copy the output of this test.
#[test]
fn the_page_shows_the_tables() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-files.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (format, mark) in
        [(RobotFormat::Urdf, "urdf"), (RobotFormat::Srdf, "srdf"), (RobotFormat::Mjcf, "mjcf")]
    {
        let mark = format!("<!-- names of {mark} -->\n");
        let shown = page.split(&mark).nth(1).unwrap_or_default().trim();
        let table = format.table();
        assert!(
            shown == table.trim(),
            "docs/scene-files.md needs between two lines `{}`:\n{table}",
            mark.trim()
        );
    }
}
