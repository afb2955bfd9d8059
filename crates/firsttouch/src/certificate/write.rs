//! The file of a certificate: JSON lines, and numbers as the shortest decimals that read back to the same f64.

use std::fmt::{self, Display, Write};

use glam::DVec3;

use super::certifier::{Certificate, Node, Proof};
use super::statement::{Place, StatedShape, StatedSolid, Statement, Step, Surface};

/// A file that entered a certificate, for the first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name of the file.
    pub file: String,
    /// Its hash, in hexadecimal digits.
    pub sha256: String,
}

impl Certificate {
    /// Writes the file. The core reads no files, so `sources` are given.
    pub fn write(&self, sources: &[Source], out: &mut dyn Write) -> fmt::Result {
        let count = 1 + self.statement.count() + self.proofs.len();
        write!(out, r#"{{"format":"firsttouch-certificate","version":1,"lines":{count},"#)?;
        let (until, separation) = (Number(self.free_until), Number(self.statement.separation));
        write!(out, r#""claim":{{"free_until":{until},"separation":{separation}}},"sources":["#)?;
        for (k, Source { file, sha256 }) in sources.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            write!(out, r#"{comma}{{"file":{},"sha256":{}}}"#, Text(file), Text(sha256))?;
        }
        writeln!(out, "]}}")?;
        write!(out, "{}", self.statement)?;
        for proof in &self.proofs {
            proof.write(out)?;
        }
        Ok(())
    }
}

impl Proof {
    fn write(&self, out: &mut dyn Write) -> fmt::Result {
        let [a, b] = self.parts;
        write!(
            out,
            r#"{{"proof":[[{},{}],[{},{}]],"frame":{},"nodes":["#,
            a[0],
            a[1],
            b[0],
            b[1],
            Index(self.base)
        )?;
        for (k, node) in self.nodes.iter().enumerate() {
            if k > 0 {
                out.write_char(',')?;
            }
            match node {
                Node::SplitTime(t) => write!(out, r#"{{"split_t":{}}}"#, Number(*t))?,
                Node::Split(side, place) => write!(out, r#"{{"split_{}":{place}}}"#, ["a", "b"][*side])?,
                Node::Normal => out.write_str(r#"{"apart":[]}"#)?,
                Node::Apart([d, e]) if d == e => write!(out, r#"{{"apart":[{}]}}"#, List(&[*d]))?,
                Node::Apart(both) => write!(out, r#"{{"apart":[{}]}}"#, List(both))?,
            }
        }
        writeln!(out, "]}}")
    }
}

impl Statement {
    /// Returns the number of its lines.
    fn count(&self) -> usize {
        self.shapes.len() + self.frames.len() + self.parts.len() + self.rules().len() + self.unchecked.len()
    }

    /// Returns the separations that differ from the common one, and their pairs.
    fn rules(&self) -> Vec<(f64, Vec<[usize; 2]>)> {
        let mut rules: Vec<(f64, Vec<[usize; 2]>)> = Vec::new();
        for &(pair, separation) in &self.separations {
            match rules.iter_mut().find(|(known, _)| *known == separation) {
                Some((_, pairs)) => pairs.push(pair),
                None => rules.push((separation, vec![pair])),
            }
        }
        rules
    }
}

impl Display for Statement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, shape) in self.shapes.iter().enumerate() {
            write!(out, r#"{{"shape":{k},"#)?;
            write_shape(&shape.shape, out)?;
            writeln!(out, "}}")?;
        }
        for (k, frame) in self.frames.iter().enumerate() {
            let (name, parent) = (Text(&frame.name), Index(frame.parent));
            write!(out, r#"{{"frame":{k},"name":{name},"in":{parent},"moves":["#)?;
            for (k, (until, steps)) in frame.moves.iter().enumerate() {
                write!(out, r#"{}{{"until":{},"by":["#, if k == 0 { "" } else { "," }, Number(*until))?;
                for (k, step) in steps.iter().enumerate() {
                    out.write_str(if k == 0 { "{" } else { ",{" })?;
                    write_step(step, out)?;
                    out.write_char('}')?;
                }
                out.write_str("]}")?;
            }
            out.write_char(']')?;
            if frame.within != [0.0; 2] {
                write!(out, r#","within":[{}]"#, List(&frame.within))?;
            }
            writeln!(out, "}}")?;
        }
        for (k, part) in self.parts.iter().enumerate() {
            let (body, name, frame) = (Text(&part.body), Text(&part.name), Index(part.frame));
            writeln!(
                out,
                r#"{{"part":{k},"body":{body},"name":{name},"frame":{frame},"shape":{}}}"#,
                part.shape
            )?;
        }
        for (separation, pairs) in self.rules() {
            writeln!(out, r#"{{"separation":{},"pairs":[{}]}}"#, Number(separation), Pairs(&pairs))?;
        }
        for (why, pairs) in &self.unchecked {
            writeln!(out, r#"{{"unchecked":[{}],"why":{}}}"#, Pairs(pairs), Text(why))?;
        }
        Ok(())
    }
}

fn write_shape(shape: &StatedShape, out: &mut dyn Write) -> fmt::Result {
    match shape {
        StatedShape::Solid(solid) => write_solid(solid, out),
        StatedShape::HalfSpace(normal, offset) => {
            write!(out, r#""half_space":[{},{}]"#, List(&[*normal]), Number(*offset))
        }
        StatedShape::Balls(points, radius) => {
            write!(out, r#""points":[{}],"radius":{}"#, List(points), Number(*radius))
        }
        StatedShape::Boxes(boxes) => write!(out, r#""boxes":[{}]"#, List(boxes)),
        StatedShape::Compound(solids) => {
            out.write_str(r#""compound":["#)?;
            for (k, (place, solid)) in solids.iter().enumerate() {
                write!(out, r#"{}{{"at":[{}],"#, if k == 0 { "" } else { "," }, List(&[*place]))?;
                write_solid(solid, out)?;
                out.write_char('}')?;
            }
            out.write_char(']')
        }
        StatedShape::Surface(Surface { vertices, to, pieces, counts: [triangles, edges], solid }) => {
            write!(out, r#""vertices":[{}]"#, List(vertices))?;
            if let Some(to) = to {
                write!(out, r#","to":[{}]"#, List(to))?;
            }
            let (triangles, others) = pieces.split_at(*triangles);
            let (edges, loose) = others.split_at(*edges);
            write!(out, r#","triangles":[{}]"#, Corners(triangles, 3))?;
            if !others.is_empty() {
                write!(out, r#","edges":[{}],"loose":[{}]"#, Corners(edges, 2), Corners(loose, 1))?;
            }
            if *solid { out.write_str(r#","solid":true"#) } else { Ok(()) }
        }
    }
}

fn write_solid(solid: &StatedSolid, out: &mut dyn Write) -> fmt::Result {
    match solid {
        StatedSolid::Box(half) => write!(out, r#""box":[{}]"#, List(&[*half])),
        StatedSolid::Ellipsoid(axes) => write!(out, r#""ellipsoid":[{}]"#, List(&[*axes])),
        StatedSolid::Sphere(radius) => write!(out, r#""sphere":{}"#, Number(*radius)),
        StatedSolid::Capsule(sizes) => write!(out, r#""capsule":[{}]"#, List(sizes)),
        StatedSolid::Cylinder(sizes) => write!(out, r#""cylinder":[{}]"#, List(sizes)),
        StatedSolid::Cone(sizes) => write!(out, r#""cone":[{}]"#, List(sizes)),
        StatedSolid::Hull(points) => write!(out, r#""hull":[{}]"#, List(points)),
    }
}

fn write_step(step: &Step, out: &mut dyn Write) -> fmt::Result {
    let weighted = |out: &mut dyn Write, weight: &[f64]| {
        if weight.is_empty() { Ok(()) } else { write!(out, r#","weight":[{}]"#, List(weight)) }
    };
    match step {
        Step::Pose(place) => write!(out, r#""pose":[{}]"#, List(&[*place])),
        Step::Turn(axis, angle) => write!(out, r#""turn":[{}],"angle":[{}]"#, List(&[*axis]), List(angle)),
        Step::Along(axis, distance) => {
            write!(out, r#""along":[{}],"distance":[{}]"#, List(&[*axis]), List(distance))
        }
        Step::Tangent(axis, angle, shift) => {
            let [angle, shift] = [*angle, *shift].map(Number);
            write!(out, r#""tangent":[{}],"angle":{angle},"shift":{shift}"#, List(&[*axis]))
        }
        Step::Slide(xyz, weight) => {
            write!(out, r#""slide":[{}]"#, List(xyz))?;
            weighted(out, weight)
        }
        Step::Quat(rows) => write!(out, r#""quat":[{}]"#, List(rows)),
        Step::Linear(rows, weight) => {
            write!(out, r#""linear":[{}]"#, List(rows))?;
            weighted(out, weight)
        }
    }
}

/// A number, without a point if it is whole.
struct Number(f64);

impl Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.trunc() == self.0 && self.0.abs() < 1e15 {
            return write!(out, "{}", self.0 as i64);
        }
        write!(out, "{:?}", self.0)
    }
}

/// Something that is written as a few numbers.
trait Numbers {
    fn write(&self, out: &mut dyn FnMut(f64) -> fmt::Result) -> fmt::Result;
}

impl Numbers for f64 {
    fn write(&self, out: &mut dyn FnMut(f64) -> fmt::Result) -> fmt::Result {
        out(*self)
    }
}

impl Numbers for DVec3 {
    fn write(&self, out: &mut dyn FnMut(f64) -> fmt::Result) -> fmt::Result {
        self.to_array().into_iter().try_for_each(out)
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn write(&self, out: &mut dyn FnMut(f64) -> fmt::Result) -> fmt::Result {
        self.iter().try_for_each(|one| one.write(out))
    }
}

impl Numbers for Place {
    fn write(&self, out: &mut dyn FnMut(f64) -> fmt::Result) -> fmt::Result {
        self.translation.write(out)?;
        let q = self.rotation;
        [q.w, q.x, q.y, q.z].write(out)
    }
}

struct List<'a, T>(&'a [T]);

impl<T: Numbers> Display for List<'_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        let mut one = |x: f64| {
            if !std::mem::take(&mut is_first) {
                out.write_char(',')?;
            }
            Number(x).fmt(out)
        };
        self.0.iter().try_for_each(|item| item.write(&mut one))
    }
}

/// The first corners of pieces.
struct Corners<'a>(&'a [[u32; 3]], usize);

impl Display for Corners<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corners = self.0.iter().flat_map(|piece| &piece[..self.1]);
        corners
            .enumerate()
            .try_for_each(|(k, corner)| write!(out, "{}{corner}", if k == 0 { "" } else { "," }))
    }
}

struct Pairs<'a>(&'a [[usize; 2]]);

impl Display for Pairs<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pairs = self.0.iter().enumerate();
        pairs.try_for_each(|(k, [a, b])| write!(out, "{}[{a},{b}]", if k == 0 { "" } else { "," }))
    }
}

/// An index, or `null`.
struct Index(Option<usize>);

impl Display for Index {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => out.write_str("null"),
            Some(index) => write!(out, "{index}"),
        }
    }
}

/// A text in quotes.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(out, "\\{c}")?,
                c if c < ' ' => write!(out, "\\u{:04x}", c as u32)?,
                c => out.write_char(c)?,
            }
        }
        out.write_char('"')
    }
}
