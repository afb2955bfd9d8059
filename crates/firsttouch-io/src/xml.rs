//! XML of robot descriptions: line numbers for messages, and tolerance for harmless errors.
//!
//! 1. Bytes that are not UTF-8 (comments in Latin-1) become U+FFFD. This keeps names equal or makes them equal, never
//!    different, and equal names are refused where it matters.
//! 2. A prefix that was never declared (`controller:`, `xacro:`) is declared at the root, and the text is parsed again;
//!    the programs that these files were written for do not know namespaces. Line numbers stay the same.
//! 3. An element counts if it is in the namespace of the root, which is usually none.
//!
//! Document types, and with them entity bombs, are refused by the parser, which does not recurse.

use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::source::{finite, shown};
use crate::vocabulary;
use roxmltree::{Document, Node};

/// A parsed document that knows the lines of its nodes.
pub(crate) struct Xml<'a, 'i> {
    document: &'a Document<'i>,
    /// The start of each line. The parser would pass over the text for every line number.
    line_starts: Vec<usize>,
}

/// Files with more undeclared prefixes than this are refused: each costs another pass.
const MOST_UNDECLARED: usize = 16;

/// The start of the namespaces that undeclared prefixes get.
const UNDECLARED: &str = "undeclared:";

/// Parses `bytes`, whose root element must be `root`, and hands it to `read`.
pub(crate) fn read_xml<T>(
    bytes: &[u8],
    root: &str,
    read: impl FnOnce(&Xml<'_, '_>, Node<'_, '_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    read_xml_as(bytes, &[root], read)
}

/// Like [`read_xml`], with several names that the root element may have. Messages use the first.
pub(crate) fn read_xml_as<T>(
    bytes: &[u8],
    roots: &[&str],
    read: impl FnOnce(&Xml<'_, '_>, Node<'_, '_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let root = roots.first().copied().unwrap_or_default();
    let mut text = String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').to_string();
    let mut undeclared = 0;
    loop {
        let error = match Document::parse(&text) {
            Ok(document) => {
                let xml = Xml::new(&document);
                let found = document.root_element();
                if !roots.contains(&found.tag_name().name()) {
                    let name = shown(found.tag_name().name().as_bytes());
                    let text = format!("the root element is <{name}>, but should be <{root}>");
                    return Err(malformed(text).at(xml.place(found)));
                }
                return read(&xml, found);
            }
            Err(error) => error,
        };
        if let roxmltree::Error::UnknownNamespace(prefix, _) = &error
            && undeclared < MOST_UNDECLARED
            && let Some(end) = root_name_end(&text)
        {
            undeclared += 1;
            text.insert_str(end, &format!(" xmlns:{prefix}=\"{UNDECLARED}{prefix}\""));
            continue;
        }
        return Err(match error {
            roxmltree::Error::UnclosedRootNode => {
                Problem::Truncated { what: format!("<{root}>") }.at(Place::Line(text.lines().count()))
            }
            _ => {
                let message: String = error.to_string().chars().take(200).collect();
                malformed(format!("XML: {message}")).at(Place::Line(error.pos().row as usize))
            }
        });
    }
}

/// Returns the end of the root element's name, after the declaration, comments and processing instructions.
fn root_name_end(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        let close = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") => "?>",
            _ => return Some(at + 1 + rest[1..].find(|c: char| c.is_whitespace() || c == '>' || c == '/')?),
        };
        at += rest.find(close)?;
    }
}

impl<'a, 'i> Xml<'a, 'i> {
    fn new(document: &'a Document<'i>) -> Self {
        let newlines = document.input_text().bytes().enumerate().filter(|&(_, b)| b == b'\n');
        Xml { document, line_starts: std::iter::once(0).chain(newlines.map(|(i, _)| i + 1)).collect() }
    }

    pub(crate) fn line(&self, node: Node<'_, '_>) -> usize {
        self.line_starts.partition_point(|&start| start <= node.range().start)
    }

    pub(crate) fn place(&self, node: Node<'_, '_>) -> Place {
        Place::Line(self.line(node))
    }

    /// Returns the name of an element, with a prefix if it is not in the namespace of the root.
    pub(crate) fn qualified(&self, node: Node<'_, '_>) -> String {
        let (tag, root) = (node.tag_name(), self.document.root_element().tag_name());
        if tag.namespace() == root.namespace() {
            return tag.name().to_string();
        }
        with_prefix(node, tag.namespace(), tag.name())
    }

    /// Returns the attributes, those of a namespace with a prefix. Those of XML itself (`xml:base`) are left out.
    pub(crate) fn attributes(&self, node: Node<'_, '_>) -> Vec<(String, String)> {
        let own = node.attributes().filter(|a| a.namespace() != Some(roxmltree::NS_XML_URI));
        own.map(|a| {
            let name = match a.namespace() {
                None => a.name().to_string(),
                of => with_prefix(node, of, a.name()),
            };
            (name, a.value().to_string())
        })
        .collect()
    }

    /// Returns the children that are elements, of any namespace.
    pub(crate) fn all_children<'n, 'm>(&self, node: Node<'n, 'm>) -> impl Iterator<Item = Node<'n, 'm>> {
        node.children().filter(Node::is_element)
    }

    /// Returns the first text directly in an element that is not blank, at most its first hundred letters.
    pub(crate) fn stray_text(&self, node: Node<'_, '_>) -> Option<String> {
        let mut texts = node.children().filter(Node::is_text).filter_map(|child| child.text());
        let found = texts.find_map(|text| Some(text.trim()).filter(|text| !text.is_empty()))?;
        Some(found.chars().take(100).collect())
    }

    /// Returns returns the children that are elements of the root's namespace.
    pub(crate) fn children<'n, 'm>(&self, node: Node<'n, 'm>) -> impl Iterator<Item = Node<'n, 'm>> {
        let namespace = self.document.root_element().tag_name().namespace().map(str::to_string);
        node.children().filter(move |c| c.is_element() && c.tag_name().namespace() == namespace.as_deref())
    }

    /// Returns returns the children of that name.
    pub(crate) fn elements<'n, 'm>(
        &self,
        node: Node<'n, 'm>,
        name: &'static str,
    ) -> impl Iterator<Item = Node<'n, 'm>> {
        self.children(node).filter(move |child| child.tag_name().name() == name)
    }

    /// Returns the child of that name. Two of them are an error, because it is unclear which one is meant.
    pub(crate) fn element<'n, 'm>(
        &self,
        node: Node<'n, 'm>,
        name: &'static str,
    ) -> Result<Option<Node<'n, 'm>>, Fault> {
        let mut found = self.elements(node, name);
        match (found.next(), found.next()) {
            (Some(first), Some(second)) => {
                let text = format!("a second <{name}>; the first is in line {}", self.line(first));
                Err(malformed(text).at(self.place(second)))
            }
            (first, _) => Ok(first),
        }
    }

    /// Returns returns an attribute. An unexpanded xacro expression in it is refused.
    pub(crate) fn attribute<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<Option<&'n str>, Fault> {
        match node.attribute(name) {
            Some(value) if value.contains("${") => {
                let text =
                    format!("{name}=\"{}\" is for xacro: expand the file first", shown(value.as_bytes()));
                Err(malformed(text).at(self.place(node)))
            }
            value => Ok(value),
        }
    }

    /// Returns a required attribute, which must not be empty.
    pub(crate) fn required<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str, Fault> {
        let value = self.attribute(node, name)?.filter(|value| !value.is_empty());
        value.ok_or_else(|| malformed(format!("<{}> needs {name}=\"...\"", tag(node))).at(self.place(node)))
    }

    /// Returns returns the finite numbers in an attribute.
    pub(crate) fn numbers(&self, node: Node<'_, '_>, name: &str) -> Result<Option<Vec<f64>>, Fault> {
        let Some(value) = self.attribute(node, name)? else { return Ok(None) };
        let what = format!("{} {name}", tag(node));
        let numbers = value.split_ascii_whitespace().map(|word| finite(word.as_bytes(), &what));
        numbers.collect::<Result<Vec<f64>, Problem>>().map(Some).map_err(|e| e.at(self.place(node)))
    }

    /// Returns returns the `N` finite numbers in an attribute.
    pub(crate) fn fixed<const N: usize>(
        &self,
        node: Node<'_, '_>,
        name: &str,
    ) -> Result<Option<[f64; N]>, Fault> {
        let Some(numbers) = self.numbers(node, name)? else { return Ok(None) };
        let count = numbers.len();
        numbers.try_into().map(Some).map_err(|_| {
            let plural = if N == 1 { "number" } else { "numbers" };
            malformed(format!("{} {name} needs {N} {plural}, but has {count}", tag(node)))
                .at(self.place(node))
        })
    }
}

/// Returns a name with the prefix of its namespace. All spellings of xacro's namespace have one prefix.
fn with_prefix(node: Node<'_, '_>, namespace: Option<&str>, name: &str) -> String {
    let uri = namespace.unwrap_or_default();
    let prefix = if uri.contains("xacro") { "xacro" } else { node.lookup_prefix(uri).unwrap_or_default() };
    if prefix.is_empty() { format!("{{{uri}}}{name}") } else { format!("{prefix}:{name}") }
}

/// An element as the tables of formats see it.
#[derive(Clone, Copy)]
pub(crate) struct Named<'x> {
    pub(crate) xml: &'x Xml<'x, 'x>,
    pub(crate) node: Node<'x, 'x>,
}

impl vocabulary::Node for Named<'_> {
    fn tag(&self) -> String {
        self.xml.qualified(self.node)
    }

    fn attributes(&self) -> Vec<(String, String)> {
        self.xml.attributes(self.node)
    }

    fn text(&self) -> Option<String> {
        self.xml.stray_text(self.node)
    }

    fn children(&self) -> Vec<Self> {
        self.xml.all_children(self.node).map(|node| Named { xml: self.xml, node }).collect()
    }
}

impl Named<'_> {
    /// Checks the document against the table of its format. Returns warnings about the ignored parts, with their lines.
    pub(crate) fn check(self, format: &vocabulary::Format) -> Result<Vec<(usize, String)>, Fault> {
        let mut warnings = Vec::new();
        for found in format.check(self) {
            if found.is_error {
                return Err(Problem::Unsupported(found.text).at(self.xml.place(found.node.node)));
            }
            warnings.push((self.xml.line(found.node.node), found.text));
        }
        Ok(warnings)
    }
}

/// Returns the name of an element, as it may appear in a message.
pub(crate) fn tag(node: Node<'_, '_>) -> String {
    shown(node.tag_name().name().as_bytes())
}
