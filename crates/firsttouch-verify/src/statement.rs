//! The statement: shapes, frames, parts, and which pairs of parts keep apart.

use std::collections::HashMap;

use crate::json::{Json, Members};
use crate::motion::{Frame, Frames, known_frame};
use crate::shape::Shape;

/// With more parts the table of their pairs becomes too large.
const MOST_PARTS: usize = 30_000;

/// The claim of a certificate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    /// The time until which it holds.
    pub free_until: f64,
    /// The separation of all pairs that have none of their own.
    pub separation: f64,
}

/// A shape in a frame.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) frame: Option<usize>,
    pub(crate) shape: usize,
}

/// The rule of a pair of parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    /// A separation of its own.
    Apart(f64),
    /// The pair is left out of the claim, for the reason of this number.
    Unchecked(usize),
}

/// Everything that is claimed.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) claim: Claim,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) frames: Frames,
    pub(crate) parts: Vec<Part>,
    /// The rules of single pairs; the lower part comes first.
    pub(crate) rules: HashMap<[usize; 2], Rule>,
    /// Reasons for unchecked pairs.
    pub(crate) reasons: Vec<String>,
}

/// Reads the first line: the claim, and the number of lines of the file.
pub(crate) fn header(mut line: Members) -> Result<(Claim, usize), String> {
    if line.take("format")? != Json::Text("firsttouch-certificate".into())
        || line.take("version")?.index()? != 1
    {
        return Err("this is no certificate of version 1".into());
    }
    let mut claim = Members::of(line.take("claim")?)?;
    let read = Claim {
        free_until: claim.take("free_until")?.number()?,
        separation: claim.take("separation")?.number()?,
    };
    claim.end()?;
    if !(0.0 < read.free_until && read.free_until <= 1.0 && 0.0 <= read.separation) {
        return Err("the claim is about no time from 0 to 1, or about a negative separation".into());
    }
    for source in line.take("sources")?.list()? {
        let mut source = Members::of(source)?;
        source.take("file")?.text()?;
        source.take("sha256")?.text()?;
        source.end()?;
    }
    let lines = line.take("lines")?.index()?;
    line.end()?;
    Ok((read, lines))
}

impl Statement {
    pub(crate) fn new(claim: Claim) -> Statement {
        let (shapes, frames, parts, reasons) = (Vec::new(), Frames::default(), Vec::new(), Vec::new());
        Statement { claim, shapes, frames, parts, rules: HashMap::new(), reasons }
    }

    pub(crate) fn add(&mut self, mut line: Members) -> Result<(), String> {
        let expect = |value: Json, next: usize| {
            if value.index()? == next { Ok(()) } else { Err(format!("number {next} was expected")) }
        };
        // A part has a frame and a shape, so it is recognized first.
        if let Some(index) = line.optional("part") {
            expect(index, self.parts.len())?;
            let (frame, shape) =
                (known_frame(line.take("frame")?, self.frames.list.len())?, line.take("shape")?.index()?);
            if shape >= self.shapes.len() || self.parts.len() >= MOST_PARTS {
                return Err(format!("shape {shape} is not known, or there are too many parts"));
            }
            let name = format!("{}/{}", line.take("body")?.text()?, line.take("name")?.text()?);
            self.parts.push(Part { name, frame, shape });
            line.end()?;
        } else if let Some(index) = line.optional("shape") {
            expect(index, self.shapes.len())?;
            self.shapes.push(Shape::of(line)?);
        } else if let Some(separation) = line.optional("separation") {
            let separation = separation.number()?;
            if separation < 0.0 {
                return Err("a separation is negative".into());
            }
            self.follow(line.take("pairs")?, Rule::Apart(separation))?;
            line.end()?;
        } else if let Some(index) = line.optional("frame") {
            expect(index, self.frames.list.len())?;
            let frame = Frame::of(line, &self.frames.list)?;
            self.frames.list.push(frame);
        } else {
            self.follow(line.take("unchecked")?, Rule::Unchecked(self.reasons.len()))?;
            self.reasons.push(line.take("why")?.text()?);
            line.end()?;
        }
        Ok(())
    }

    /// Notes the rule of a list of pairs.
    fn follow(&mut self, value: Json, rule: Rule) -> Result<(), String> {
        for pair in value.each(Json::pair)? {
            let is_known = pair[0] <= pair[1] && pair[1] < self.parts.len();
            if !is_known || self.rules.insert(pair, rule).is_some() {
                return Err(format!(
                    "{pair:?} is listed twice, or no pair of known parts, the lower one first"
                ));
            }
        }
        Ok(())
    }

    /// The shape of a part.
    pub(crate) fn shape_of(&self, part: usize) -> &Shape {
        &self.shapes[self.parts[part].shape]
    }

    /// Returns the name of a part for messages.
    pub(crate) fn name_of(&self, part: usize) -> String {
        format!("part {part} (\"{}\")", self.parts[part].name)
    }
}
