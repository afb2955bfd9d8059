//! The elements of an MJCF file, with included files in the place of `<include>`.
//!
//! As in MuJoCo, an include may stand anywhere and is replaced by the children of the included root, paths are relative
//! to the folder of the main file, and no file is included twice. So includes always end.

use crate::error::{Error, Place, Problem, Result, malformed};
use crate::source::{finite, shown};
use crate::urdf::RobotWarning;
use crate::vocabulary::{self, MJCF};
use crate::xml::{Xml, read_xml_as};
use roxmltree::Node;
use std::path::{Path, PathBuf};

/// All elements of a model.
pub(super) struct Document {
    /// The main file, and then the included ones.
    files: Vec<PathBuf>,
    pub(super) root: Element,
    /// The elements without their children: the includes, and the roots of included files.
    replaced: Vec<Element>,
}

/// An element.
pub(super) struct Element {
    pub(super) tag: String,
    attributes: Vec<(String, String)>,
    /// Text in the element; this format has no element with text.
    text: Option<String>,
    pub(super) children: Vec<Element>,
    file: usize,
    line: usize,
    /// The line in the main file: its own, or that of the include.
    pub(super) main_line: usize,
}

/// Elements that are nested more deeply are refused. Bodies nest as deeply as the chains of a robot are long.
const DEEPEST: usize = 200;

/// More included files than any model has.
const MOST_FILES: usize = 100;

const ROOTS: [&str; 2] = ["mujoco", "mujocoinclude"];

/// Returns true if the root element is that of an MJCF file, judged by its first start tag.
pub(crate) fn is_mjcf(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = &text[..];
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = match rest.as_bytes().first() {
            Some(b'!') if rest.starts_with("!--") => "-->",
            Some(b'!' | b'?') => ">",
            _ => {
                let name_end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/');
                return ROOTS.contains(&&rest[..name_end.unwrap_or(rest.len())]);
            }
        };
        let Some(skip) = rest.find(end) else { return false };
        rest = &rest[skip..];
    }
    false
}

impl Document {
    pub(super) fn read(
        bytes: &[u8],
        path: &Path,
        load: &mut dyn FnMut(&Path) -> Result<Vec<u8>>,
    ) -> Result<Document> {
        let mut reader = Reader { files: Vec::new(), replaced: Vec::new(), load };
        let root = reader.file(bytes, path, None, 0)?;
        Ok(Document { files: reader.files, root, replaced: reader.replaced })
    }

    /// Checks all elements against the table of the format. Returns warnings about the ignored ones.
    pub(super) fn check(&self) -> Result<Vec<RobotWarning>> {
        let mut warnings = Vec::new();
        for found in std::iter::once(&self.root).chain(&self.replaced).flat_map(|root| MJCF.check(root)) {
            if found.is_error {
                return Err(self.unsupported(found.node, found.text));
            }
            let Element { file, line, .. } = *found.node;
            warnings.push(RobotWarning { file: self.files[file].clone(), line, text: found.text });
        }
        Ok(warnings)
    }

    /// Returns the path of the main file.
    pub(super) fn path(&self) -> &Path {
        &self.files[0]
    }

    /// Returns an error about an element.
    pub(super) fn error(&self, element: &Element, problem: Problem) -> Error {
        problem.at(Place::Line(element.line)).in_file(&self.files[element.file])
    }

    pub(super) fn malformed(&self, element: &Element, text: impl Into<String>) -> Error {
        self.error(element, malformed(text))
    }

    pub(super) fn unsupported(&self, element: &Element, text: impl Into<String>) -> Error {
        self.error(element, Problem::Unsupported(text.into()))
    }

    /// Returns the children of the root with this tag, from all files.
    pub(super) fn sections(&self, tag: &'static str) -> impl Iterator<Item = &Element> {
        self.root.children.iter().filter(move |child| child.tag == tag)
    }

    /// Returns the finite numbers in a value of an attribute.
    pub(super) fn numbers(&self, element: &Element, name: &str, value: &str) -> Result<Vec<f64>> {
        let what = format!("{} {name}", shown(element.tag.as_bytes()));
        let words = value.split_ascii_whitespace();
        let numbers: Result<Vec<f64>, Problem> = words.map(|word| finite(word.as_bytes(), &what)).collect();
        numbers.map_err(|problem| self.error(element, problem))
    }

    /// Returns the `N` finite numbers in a value of an attribute.
    pub(super) fn fixed<const N: usize>(
        &self,
        element: &Element,
        name: &str,
        value: &str,
    ) -> Result<[f64; N]> {
        let numbers = self.numbers(element, name, value)?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| {
            let plural = if N == 1 { "number" } else { "numbers" };
            let tag = shown(element.tag.as_bytes());
            self.malformed(element, format!("{tag} {name} needs {N} {plural}, but has {count}"))
        })
    }
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| &value[..])
    }

    pub(super) fn attributes(&self) -> &[(String, String)] {
        &self.attributes
    }

    /// Returns the name, which must not be empty.
    pub(super) fn name(&self) -> Option<&str> {
        self.attribute("name").filter(|name| !name.is_empty())
    }
}

impl vocabulary::Node for &Element {
    fn tag(&self) -> String {
        self.tag.clone()
    }

    fn attributes(&self) -> Vec<(String, String)> {
        self.attributes.clone()
    }

    fn text(&self) -> Option<String> {
        self.text.clone()
    }

    fn children(&self) -> Vec<Self> {
        self.children.iter().collect()
    }
}

struct Reader<'l> {
    files: Vec<PathBuf>,
    replaced: Vec<Element>,
    load: &'l mut dyn FnMut(&Path) -> Result<Vec<u8>>,
}

impl Reader<'_> {
    /// Reads the root element of a file. `main_line` is the line of the outermost include, if there is one.
    fn file(&mut self, bytes: &[u8], path: &Path, main_line: Option<usize>, depth: usize) -> Result<Element> {
        let file = self.files.len();
        self.files.push(path.to_path_buf());
        // The closure below returns this reader's errors, which may concern other files.
        let read = read_xml_as(bytes, if file == 0 { &ROOTS[..1] } else { &ROOTS }, |xml, root| {
            Ok(self.element(xml, root, file, main_line, depth))
        });
        read.map_err(|fault| fault.in_file(path))?
    }

    fn element(
        &mut self,
        xml: &Xml<'_, '_>,
        node: Node<'_, '_>,
        file: usize,
        main_line: Option<usize>,
        depth: usize,
    ) -> Result<Element> {
        let line = xml.line(node);
        let mut element = Element {
            tag: xml.qualified(node),
            attributes: xml.attributes(node),
            text: xml.stray_text(node),
            children: Vec::new(),
            file,
            line,
            main_line: main_line.unwrap_or(line),
        };
        let fail = |text: String| malformed(text).at(Place::Line(line)).in_file(&self.files[file]);
        if depth > DEEPEST {
            return Err(fail(format!("elements are nested more than {DEEPEST} deep")));
        }
        for child in xml.all_children(node) {
            let name = xml.qualified(child);
            if name == "include" {
                let mut included = self.include(xml, child, file, main_line, depth)?;
                element.children.append(&mut included.children);
                let attributes = xml.attributes(child);
                let line = xml.line(child);
                let main_line = main_line.unwrap_or(line);
                self.replaced.push(Element {
                    tag: name,
                    attributes,
                    text: xml.stray_text(child),
                    children: Vec::new(),
                    file,
                    line,
                    main_line,
                });
                self.replaced.push(included);
            } else {
                element.children.push(self.element(xml, child, file, main_line, depth + 1)?);
            }
        }
        Ok(element)
    }

    fn include(
        &mut self,
        xml: &Xml<'_, '_>,
        node: Node<'_, '_>,
        file: usize,
        main_line: Option<usize>,
        depth: usize,
    ) -> Result<Element> {
        let line = xml.line(node);
        let fail = |problem: Problem| problem.at(Place::Line(line)).in_file(&self.files[file]);
        let written = xml.required(node, "file").map_err(|fault| fault.in_file(&self.files[file]))?;
        let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).join(written.trim());
        // Files that are included by an included one are usually beside it.
        let beside = folder(&self.files[file]);
        let main = folder(&self.files[0]);
        let path = if main != beside && !main.is_file() && beside.is_file() { beside } else { main };
        if self.files.contains(&path) {
            return Err(fail(malformed(format!("\"{}\" is included twice", shown(written.as_bytes())))));
        }
        if self.files.len() >= MOST_FILES {
            return Err(fail(malformed(format!("more than {MOST_FILES} files are included"))));
        }
        let bytes = (self.load)(&path)
            .map_err(|error| fail(Problem::Named { context: String::new(), error: Box::new(error) }))?;
        self.file(&bytes, &path, Some(main_line.unwrap_or(line)), depth + 1)
    }
}
