//! The names of robot formats. Each format has a table of all its elements and attributes, and one walk checks a file
//! against it.
//!
//! 1. A [`Row`] has elements of one kind, their parents, and the treatment of each attribute.
//! 2. [`Format::check`] walks over a file once. A name that is not in the table gives a warning with its line and the
//!    name that was probably meant. A name that is refused, or a value that changes an answer and is not read, gives an
//!    error or a warning, as the table says.
//! 3. Afterwards the readers look up the names that they know. They need no check of their own for other names.
//!
//! Guarantee: a name passes in silence only if the table has it. The page `docs/scene-files.md` shows the tables: a
//! test compares the two.
//!
//! The three formats keep all values in attributes. Text in an element that is read, such as `<axis>0 1 0</axis>`, is a
//! warning.
//!
//! Inside an element that changes no answer (a visual, an actuator) names are still checked, but values are not. An
//! element of another program (`<gazebo>`) may contain anything.

mod mjcf;
mod srdf;
mod urdf;

pub(crate) use mjcf::MJCF;
pub(crate) use srdf::SRDF;
pub(crate) use urdf::URDF;

use crate::spelling::meant;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::LazyLock;

/// A format and its table.
pub(crate) struct Format {
    /// Its name in messages.
    name: &'static str,
    rows: &'static [Row],
    /// True if an element in the wrong place is refused, as the format's own program does. Otherwise it is a warning.
    refuses_misplaced: bool,
    index: LazyLock<Index>,
}

/// For each element in its parent, the row and the attributes.
type Index = HashMap<(&'static str, &'static str), Entry>;

struct Entry {
    row: &'static Row,
    attributes: HashMap<&'static str, Use>,
}

/// Elements that stand in the same places, have the same attributes, and are treated alike.
pub(crate) struct Row {
    /// Their names, separated by blanks.
    elements: &'static str,
    /// The names of the elements that they stand in, separated by blanks. Empty for a root.
    inside: &'static str,
    treatment: Use,
    /// Attributes that are read, and attributes that change no answer.
    read: &'static str,
    ignored: &'static str,
    /// Attributes of which only some values are accepted.
    judged: &'static [Judged],
    /// Unknown elements in it are refused, because they may stand for geometry or motion.
    strict: bool,
    note: &'static str,
}

/// An attribute that changes answers and is not read. Harmless values are accepted.
pub(crate) struct Judged {
    attribute: &'static str,
    harmless: &'static [&'static str],
    verdict: Use,
}

/// The treatment of an element or an attribute.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    Read,
    /// Changes no geometry, no motion, and no pair that counts.
    Ignored,
    /// Belongs to another program. Its contents are not checked.
    Foreign,
    /// Not read although it matters; the text says what to do instead.
    Warned(&'static str),
    Refused(&'static str),
    /// As in `Row::judged`, for values that are not harmless.
    Judged(&'static Judged),
}

impl Row {
    const fn new(elements: &'static str, inside: &'static str, treatment: Use) -> Row {
        let (read, ignored, judged) = ("", "", &[]);
        Row { elements, inside, treatment, read, ignored, judged, strict: false, note: "" }
    }

    const fn read(elements: &'static str, inside: &'static str, attributes: &'static str) -> Row {
        Row { read: attributes, ..Row::new(elements, inside, Use::Read) }
    }

    const fn ignored(elements: &'static str, inside: &'static str, attributes: &'static str) -> Row {
        Row { ignored: attributes, ..Row::new(elements, inside, Use::Ignored) }
    }

    const fn and_ignores(self, attributes: &'static str) -> Row {
        Row { ignored: attributes, ..self }
    }

    const fn judging(self, judged: &'static [Judged]) -> Row {
        Row { judged, ..self }
    }

    const fn strict(self) -> Row {
        Row { strict: true, ..self }
    }

    const fn note(self, note: &'static str) -> Row {
        Row { note, ..self }
    }
}

/// An element of a file, as the walk sees it.
pub(crate) trait Node: Sized {
    /// Its name, with a prefix if it is not in the namespace of the root.
    fn tag(&self) -> String;
    fn attributes(&self) -> Vec<(String, String)>;
    /// Returns the first text in it, outside other elements, that is not blank.
    fn text(&self) -> Option<String>;
    fn children(&self) -> Vec<Self>;
}

/// Something that the walk found.
pub(crate) struct Finding<N> {
    pub(crate) node: N,
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// Deeper elements are refused by the readers, or stand in elements of other programs.
const DEEPEST: usize = 1000;

impl Format {
    /// Walks over the file. The findings come in the order of the file, one for each different text: the first place,
    /// and the number of later occurrences.
    pub(crate) fn check<N: Node + Clone>(&self, root: N) -> Vec<Finding<N>> {
        let mut walk =
            Walk { format: self, found: Vec::new(), of_text: HashMap::new(), of_name: HashMap::new() };
        let tag = root.tag();
        if let Some(entry) = self.index.get(&("", &tag[..])).or_else(|| self.index.get(&("*", &tag[..]))) {
            walk.element(root, &tag, entry, false, 0);
        }
        for (finding, more) in &mut walk.found {
            if *more > 0 {
                let places = if *more == 1 { "place" } else { "places" };
                let _ = write!(finding.text, " (and so in {more} more {places})");
            }
        }
        walk.found.into_iter().map(|(finding, _)| finding).collect()
    }

    /// Returns the known name that is closest to a wrong one.
    fn suggestion<'k>(wrong: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
        // A prefix is not part of the name that was meant.
        meant(wrong.rsplit(':').next().unwrap_or(wrong), known)
    }

    fn unknown_element(&self, tag: &str, parent: &str) -> String {
        let here = self.index.keys().filter(|(inside, _)| *inside == parent).map(|(_, name)| *name);
        let shown = shown_name(tag);
        let mut places: Vec<&str> =
            self.index.keys().filter(|(_, name)| *name == tag).map(|(inside, _)| *inside).collect();
        if !places.is_empty() {
            places.sort_unstable();
            places.truncate(4);
            return format!(
                "<{shown}> does not belong in <{parent}>: it belongs in <{}>",
                places.join(">, <")
            );
        }
        if let Some(meant) = Self::suggestion(tag, here) {
            return format!("<{shown}> in <{parent}> is not known: did you mean <{meant}>?");
        }
        let anywhere = self.index.keys().map(|(_, name)| *name);
        match Self::suggestion(tag, anywhere) {
            Some(meant) => format!("<{shown}> in <{parent}> is not known: did you mean <{meant}>?"),
            None => format!("<{shown}> in <{parent}> is not an element of {} that is known here", self.name),
        }
    }
}

struct Walk<'f, N> {
    format: &'f Format,
    found: Vec<(Finding<N>, usize)>,
    of_text: HashMap<String, usize>,
    /// The findings about unknown names: of an element in its parent, or of an attribute (with `=`) in its element.
    of_name: HashMap<(String, String), usize>,
}

/// Beyond this number of different unknown names, they are only counted and not compared with the table, which takes
/// time.
const MOST_UNKNOWN: usize = 100;

impl<N: Node + Clone> Walk<'_, N> {
    fn element(&mut self, node: N, tag: &str, entry: &Entry, is_idle: bool, depth: usize) {
        if matches!(entry.row.treatment, Use::Foreign) || depth > DEEPEST {
            return;
        }
        for (name, value) in node.attributes() {
            let text = match entry.attributes.get(&name[..]) {
                Some(Use::Judged(judged)) if !is_idle && !judged.harmless.contains(&value.trim()) => {
                    let shown = shown_name(&value);
                    match judged.verdict {
                        Use::Refused(why) => {
                            self.add(&node, format!("{tag} {name}=\"{shown}\": {why}"), true);
                            continue;
                        }
                        Use::Warned(why) => format!("{tag} {name}=\"{shown}\": {why}"),
                        _ => continue,
                    }
                }
                Some(_) => continue,
                None => {
                    self.unknown(&node, tag, &format!("{name}="), false, |_| {
                        let known = entry.attributes.keys().copied();
                        let meant = Format::suggestion(&name, known);
                        let meant =
                            meant.map(|meant| format!(": did you mean {meant}=?")).unwrap_or_default();
                        format!("{}= of <{tag}> is not known and is ignored{meant}", shown_name(&name))
                    });
                    continue;
                }
            };
            self.add(&node, text, false);
        }
        if matches!(entry.row.treatment, Use::Read)
            && !is_idle
            && let Some(text) = node.text()
        {
            let shown = shown_name(&text);
            self.add(
                &node,
                format!("the text \"{shown}\" in <{tag}> is not read: values stand in attributes"),
                false,
            );
        }
        for child in node.children() {
            let name = child.tag();
            let known = self.format.index.get(&(tag, &name[..]));
            let known = known.or_else(|| self.format.index.get(&("*", &name[..])));
            let Some(inner) = known else {
                let is_misplaced = self.format.refuses_misplaced
                    && self.format.index.keys().any(|(_, known)| *known == name);
                let is_error = (entry.row.strict || is_misplaced) && !is_idle;
                self.unknown(&child, tag, &name, is_error, |format| {
                    let text = format.unknown_element(&name, tag);
                    if is_error { text } else { text + "; it is ignored" }
                });
                continue;
            };
            let mut is_inner_idle = is_idle;
            match inner.row.treatment {
                Use::Refused(why) if !is_idle => {
                    self.add(&child, format!("<{name}> in <{tag}>: {why}"), true);
                    continue;
                }
                Use::Warned(why) if !is_idle => {
                    self.add(&child, format!("<{name}> in <{tag}>: {why}"), false)
                }
                Use::Ignored => is_inner_idle = true,
                _ => {}
            }
            self.element(child, &name, inner, is_inner_idle, depth + 1);
        }
    }

    /// Adds a finding about a name that the table does not have.
    fn unknown(
        &mut self,
        node: &N,
        parent: &str,
        name: &str,
        is_error: bool,
        text: impl FnOnce(&Format) -> String,
    ) {
        let key = (parent.to_string(), name.to_string());
        if let Some(&known) = self.of_name.get(&key).filter(|_| !is_error) {
            self.found[known].1 += 1;
        } else if is_error || self.of_name.len() < MOST_UNKNOWN {
            self.of_name.insert(key, self.found.len());
            let text = text(self.format);
            self.found.push((Finding { node: node.clone(), text, is_error }, 0));
        } else {
            self.add(node, "more names that are not known; they are ignored".into(), false);
        }
    }

    fn add(&mut self, node: &N, text: String, is_error: bool) {
        if let Some(&known) = self.of_text.get(&text) {
            self.found[known].1 += 1;
            return;
        }
        self.of_text.insert(text.clone(), self.found.len());
        self.found.push((Finding { node: node.clone(), text, is_error }, 0));
    }
}

fn shown_name(name: &str) -> String {
    crate::source::shown(name.as_bytes())
}

fn index(rows: &'static [Row]) -> Index {
    let mut index = Index::new();
    for row in rows {
        let uses = |names: &'static str, of: Use| names.split_ascii_whitespace().map(move |name| (name, of));
        let parents =
            if row.inside.is_empty() { vec![""] } else { row.inside.split_ascii_whitespace().collect() };
        for parent in parents {
            for element in row.elements.split_ascii_whitespace() {
                let attributes = uses(row.read, Use::Read).chain(uses(row.ignored, Use::Ignored));
                let judged = row.judged.iter().map(|judged| (judged.attribute, Use::Judged(judged)));
                let attributes = attributes.chain(judged).collect();
                let before = index.insert((parent, element), Entry { row, attributes });
                debug_assert!(before.is_none(), "<{element}> stands twice in <{parent}>");
            }
        }
    }
    index
}

/// A format of robot descriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotFormat {
    /// The description of a robot.
    Urdf,
    /// What MoveIt adds to it.
    Srdf,
    /// MuJoCo's format.
    Mjcf,
}

/// A name that a format has, and its treatment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownName {
    /// The element that it stands in. Empty for a root, `*` for any.
    pub inside: &'static str,
    /// The element.
    pub element: &'static str,
    /// The attribute; `None` for the element itself.
    pub attribute: Option<&'static str>,
    /// Its treatment.
    pub treatment: Treatment,
    /// For some values of an attribute, the values to which `treatment` does not apply.
    pub harmless: &'static [&'static str],
}

/// The treatment of an element or attribute by its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Treatment {
    /// It is applied. A value that cannot be applied is refused with its line.
    Read,
    /// It changes no geometry, no motion, and no pair that counts.
    Ignored,
    /// It belongs to another program, with everything in it.
    Foreign,
    /// It gives a warning with its line.
    Warned,
    /// It is refused with its line.
    Refused,
}

impl RobotFormat {
    fn format(self) -> &'static Format {
        match self {
            RobotFormat::Urdf => &URDF,
            RobotFormat::Srdf => &SRDF,
            RobotFormat::Mjcf => &MJCF,
        }
    }

    /// Returns all elements and attributes that are known, in the order of the tables. Any other gives a warning, or is
    /// refused.
    ///
    /// ```
    /// use firsttouch_io::{RobotFormat, Treatment};
    /// let known = RobotFormat::Urdf.known_names();
    /// let mimic = known.iter().find(|name| name.element == "mimic" && name.attribute == Some("multiplier"));
    /// assert_eq!(mimic.unwrap().treatment, Treatment::Read);
    /// ```
    pub fn known_names(self) -> Vec<KnownName> {
        let mut names = Vec::new();
        for row in self.format().rows {
            let parents =
                if row.inside.is_empty() { vec![""] } else { row.inside.split_ascii_whitespace().collect() };
            for inside in parents {
                for element in row.elements.split_ascii_whitespace() {
                    let mut add = |attribute, treatment, harmless| {
                        names.push(KnownName { inside, element, attribute, treatment, harmless });
                    };
                    add(None, row.treatment.plain(), &[]);
                    row.read.split_ascii_whitespace().for_each(|name| add(Some(name), Treatment::Read, &[]));
                    row.ignored
                        .split_ascii_whitespace()
                        .for_each(|name| add(Some(name), Treatment::Ignored, &[]));
                    for judged in row.judged {
                        add(Some(judged.attribute), judged.verdict.plain(), judged.harmless);
                    }
                }
            }
        }
        names
    }

    /// Returns the table as Markdown: the names that are read, refused and warned about, and then the names that are
    /// ignored.
    ///
    /// ```
    /// assert!(firsttouch_io::RobotFormat::Srdf.table().contains("| `disable_collisions` | `robot` | `link1` `link2` |"));
    /// ```
    pub fn table(self) -> String {
        let rows = self.format().rows;
        let ticked = |names: &str| {
            let names: Vec<String> = names.split_ascii_whitespace().map(|name| format!("`{name}`")).collect();
            names.join(" ")
        };
        let mut text = String::from("| element | in | read | not read |\n|---|---|---|---|\n");
        for row in rows.iter().filter(|row| !matches!(row.treatment, Use::Ignored | Use::Foreign)) {
            let inside = if row.inside == "*" { "any".into() } else { ticked(row.inside) };
            let mut other: Vec<String> = Vec::new();
            match row.treatment {
                Use::Warned(why) => other.push(format!("**warning**: {}", escaped(why))),
                Use::Refused(why) => other.push(format!("**refused**: {}", escaped(why))),
                _ => {}
            }
            for judged in row.judged {
                let (word, why) = match judged.verdict {
                    Use::Refused(why) => ("refused", why),
                    Use::Warned(why) => ("warning", why),
                    _ => continue,
                };
                let but =
                    judged.harmless.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
                other.push(format!("`{}` other than {but}: **{word}**, {}", judged.attribute, escaped(why)));
            }
            if !row.note.is_empty() {
                other.push(row.note.into());
            }
            if !row.ignored.is_empty() {
                other.push(format!("ignored: {}", ticked(row.ignored)));
            }
            let _ = writeln!(
                text,
                "| {} | {inside} | {} | {} |",
                ticked(row.elements),
                ticked(row.read),
                other.join("; ")
            );
        }
        for (treatment, says) in [
            (Treatment::Ignored, "These change no geometry, no motion and no pair that counts"),
            (Treatment::Foreign, "These belong to other programs, with everything in them"),
        ] {
            let lists = rows.iter().filter(|row| row.treatment.plain() == treatment);
            let lists: Vec<String> = lists
                .map(|row| {
                    let note = if row.note.is_empty() { String::new() } else { format!(" ({})", row.note) };
                    format!("{} in {}{note}", ticked(row.elements), ticked(row.inside))
                })
                .collect();
            if !lists.is_empty() {
                let _ = writeln!(text, "\n{says}: {}.", lists.join("; "));
            }
        }
        text
    }
}

/// Returns text of a message for a table of Markdown.
fn escaped(text: &str) -> String {
    text.replace('<', "&lt;")
}

impl Use {
    fn plain(self) -> Treatment {
        match self {
            Use::Read => Treatment::Read,
            Use::Ignored => Treatment::Ignored,
            Use::Foreign => Treatment::Foreign,
            Use::Warned(_) => Treatment::Warned,
            Use::Refused(_) => Treatment::Refused,
            Use::Judged(judged) => judged.verdict.plain(),
        }
    }
}
