//! SRDF: the pairs of links of a robot that need not be checked against each other.
//!
//! Only `<disable_collisions link1="..." link2="..."/>` is read; groups, states, end effectors and virtual joints say
//! nothing about contact. `reason` is ignored.
//!
//! An entry that does not apply gives a warning, and more checks rather than fewer. Such entries are: a link that the
//! robot does not have (one SRDF often serves several variants of a robot), a link paired with itself, the file of
//! another robot, and `<disable_default_collisions>`. A pair without names is an error.
//!
//! Reference: <http://wiki.ros.org/srdf>.

use crate::error::{Error, Fault, Place, Result, malformed};
use crate::files::Files;
use crate::source::shown;
use crate::urdf::RobotFile;
use crate::vocabulary::SRDF;
use crate::xml::{Named, read_xml};
use std::collections::HashSet;
use std::path::Path;

/// The pairs of links that an SRDF file disables.
#[derive(Debug, Default)]
pub struct SrdfFile {
    /// Pairs of links of the robot, each pair once, in the order of the file and of its attributes.
    pub disabled: Vec<[String; 2]>,
    /// Warnings about ignored entries, with their places.
    pub warnings: Vec<Error>,
}

/// A pair of links that needs no check, to be written to an SRDF file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisabledPair<'a> {
    /// The names of the links.
    pub links: [&'a str; 2],
    /// The reason: `Adjacent`, `Always` or `Never`, as MoveIt's assistant writes it.
    pub reason: &'a str,
    /// Further information, as a comment.
    pub note: Option<&'a str>,
}

/// Writes an SRDF file with pairs of links that need no check, in the order of their names; `header` is a comment.
///
/// ```
/// use firsttouch_io::{DisabledPair, parse_srdf, parse_urdf, write_srdf};
/// let pair = DisabledPair { links: ["hand", "base"], reason: "Never", note: None };
/// let mut text = Vec::new();
/// write_srdf(&mut text, "arm", "an arm", &[pair])?;
/// let arm = br#"<robot name="arm"><link name="base"/><link name="hand"/>
///     <joint name="j" type="fixed"><parent link="base"/><child link="hand"/></joint></robot>"#;
/// let read = parse_srdf(&text, "arm.srdf", &parse_urdf(arm, "arm.urdf").unwrap()).unwrap();
/// assert_eq!(read.disabled, [["base", "hand"]]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_srdf(
    mut out: impl std::io::Write,
    robot: &str,
    header: &str,
    pairs: &[DisabledPair<'_>],
) -> std::io::Result<()> {
    let escaped = |text: &str| {
        let mut safe = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                '\n' | '\r' | '\t' => safe.push_str(&format!("&#{};", u32::from(c))),
                _ => safe.push(c),
            }
        }
        safe
    };
    // Two hyphens end a comment.
    let comment = |text: &str| text.replace("--", "- -");
    let mut sorted: Vec<DisabledPair<'_>> = pairs.to_vec();
    sorted.iter_mut().for_each(|pair| pair.links.sort_unstable());
    sorted.sort_unstable_by_key(|pair| pair.links);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<!-- {} -->", comment(header))?;
    writeln!(out, "<robot name=\"{}\">", escaped(robot))?;
    for DisabledPair { links: [a, b], reason, note } in sorted {
        let (a, b, reason) = (escaped(a), escaped(b), escaped(reason));
        write!(out, "    <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>")?;
        match note {
            Some(note) => writeln!(out, " <!-- {} -->", comment(note))?,
            None => writeln!(out)?,
        }
    }
    writeln!(out, "</robot>")
}

/// Reads an SRDF file for a robot.
///
/// ```
/// use firsttouch_io::{read_srdf, read_urdf};
/// let robot = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// let srdf = read_srdf("../../testdata/robots/plain.srdf".as_ref(), &robot)?;
/// assert_eq!(srdf.disabled, [["base", "hand"]]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_srdf(path: &Path, robot: &RobotFile) -> Result<SrdfFile> {
    Files::default().read_srdf(path, robot)
}

impl Files {
    /// Like [`read_srdf`].
    pub fn read_srdf(&self, path: &Path, robot: &RobotFile) -> Result<SrdfFile> {
        parse_srdf(&self.load(path)?, path, robot)
    }
}

/// Reads the text of an SRDF file for a robot; `name` is for messages.
///
/// ```
/// use firsttouch_io::{parse_srdf, parse_urdf};
/// let robot = parse_urdf(br#"<robot name="arm"><link name="base"/></robot>"#, "arm.urdf")?;
/// let text = br#"<robot name="arm"><disable_collisions link1="base" link2="hand"/></robot>"#;
/// let srdf = parse_srdf(text, "arm.srdf", &robot)?;
/// assert!(srdf.disabled.is_empty());
/// assert_eq!(srdf.warnings[0].to_string(), "arm.srdf:1: \"hand\" is not a link of the robot: the pair is ignored");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn parse_srdf(bytes: &[u8], name: impl AsRef<Path>, robot: &RobotFile) -> Result<SrdfFile> {
    let name = name.as_ref();
    let mut warnings = Vec::new();
    let disabled = pairs(bytes, robot, &mut |fault: Fault| warnings.push(fault.in_file(name)));
    Ok(SrdfFile { disabled: disabled.map_err(|fault| fault.in_file(name))?, warnings })
}

fn pairs(bytes: &[u8], robot: &RobotFile, warn: &mut dyn FnMut(Fault)) -> Result<Vec<[String; 2]>, Fault> {
    let links: HashSet<&str> = robot.links.iter().map(|link| &link.name[..]).collect();
    read_xml(bytes, "robot", |xml, root| {
        let of = xml.attribute(root, "name")?.unwrap_or_default();
        if of != robot.name {
            let names = [of, &robot.name].map(|name| shown(name.as_bytes()));
            let text = format!("this is for the robot \"{}\", but the URDF has \"{}\"", names[0], names[1]);
            warn(malformed(text).at(xml.place(root)));
        }
        for (line, text) in (Named { xml, node: root }).check(&SRDF)? {
            warn(malformed(text).at(Place::Line(line)));
        }
        let mut seen = HashSet::new();
        let mut disabled = Vec::new();
        for node in xml.elements(root, "disable_collisions") {
            let (a, b) = (xml.required(node, "link1")?, xml.required(node, "link2")?);
            if let Some(name) = [a, b].iter().find(|name| !links.contains(*name)) {
                let text =
                    format!("\"{}\" is not a link of the robot: the pair is ignored", shown(name.as_bytes()));
                warn(malformed(text).at(xml.place(node)));
            } else if a == b {
                let text = format!("\"{}\" is paired with itself, which means nothing", shown(a.as_bytes()));
                warn(malformed(text).at(xml.place(node)));
            } else if seen.insert((a.min(b), a.max(b))) {
                disabled.push([a.to_string(), b.to_string()]);
            }
        }
        Ok(disabled)
    })
}
