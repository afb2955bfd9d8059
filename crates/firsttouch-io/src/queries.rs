//! Public sets of vertex/face and edge/edge queries with their ground truth.
//!
//! A query is 8 rows `xn,xd,yn,yd,zn,zd,truth`: four points at time 0, then the same four at time 1, every
//! coordinate an exact fraction `n/d` of integers of any length, and whether the pair touches in `[0, 1]`.
//! A file of the same name with the extension `.toi` holds the first contact of each query, one per line,
//! empty where there is none.
//!
//! Guarantee: every coordinate is the f64 that equals its fraction; a fraction that no f64 equals is refused
//! with its line, since the ground truth would then be that of another query.
//! 1. If the denominator is a power of two and both numbers are below 2^127 (all of the published sets): strip the
//!    common factors of two. The remaining numerator must have at most 53 bits, and scaling it by a power of two no
//!    smaller than 2^-126 is exact.
//! 2. Otherwise: a big rational, rounded and compared with itself.

use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::source::{Lines, shown};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use glam::DVec3;
use std::path::Path;

/// The meaning of the four points of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// A vertex, then the three corners of a face.
    VertexFace,
    /// The two ends of one edge, then the two ends of the other.
    EdgeEdge,
}

/// A query: four points, each moving on a straight line.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The points at time 0.
    pub points_t0: [DVec3; 4],
    /// The points at time 1.
    pub points_t1: [DVec3; 4],
    /// True if the pair touches at some time in `[0, 1]`.
    pub truth: bool,
    /// The first contact, if the set has it.
    pub contact: Option<Contact>,
}

/// The time of a first contact, as a decimal from a `.toi` file.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// The text as written.
    pub text: String,
    /// The f64 nearest to it. The published decimals are the exact contact rounded to f64, so a
    /// reported time above this one is late.
    pub nearest: f64,
    /// The largest f64 that is not above the decimal.
    pub below: f64,
}

/// The queries of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct QuerySet {
    /// The kind of all queries of the file.
    pub kind: QueryKind,
    /// True if the contact times are known; then every query with a contact has one.
    pub has_contacts: bool,
    /// The queries, in the order of the file.
    pub queries: Vec<Query>,
}

/// Reads a query set and the `.toi` file beside it, if there is one. Without a `kind`, the innermost folder
/// named `vertex-face` or `edge-edge` gives it.
///
/// ```
/// use firsttouch_io::{QueryKind, read_queries};
/// let set = read_queries("../../testdata/queries/vertex-face/two.csv".as_ref(), None)?;
/// assert_eq!((set.kind, set.queries.len()), (QueryKind::VertexFace, 2));
/// assert_eq!(set.queries[0].contact.as_ref().unwrap().nearest, 0.5);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_queries(path: &Path, kind: Option<QueryKind>) -> Result<QuerySet> {
    Files::default().read_queries(path, kind)
}

impl Files {
    /// Like [`read_queries`].
    pub fn read_queries(&self, path: &Path, kind: Option<QueryKind>) -> Result<QuerySet> {
        read(self, path, kind)
    }
}

fn read(files: &Files, path: &Path, kind: Option<QueryKind>) -> Result<QuerySet> {
    let folder_kind = || {
        path.ancestors().skip(1).find_map(|folder| match folder.file_name()?.to_str()? {
            "vertex-face" => Some(QueryKind::VertexFace),
            "edge-edge" => Some(QueryKind::EdgeEdge),
            _ => None,
        })
    };
    let kind = kind.or_else(folder_kind).ok_or_else(|| {
        let text = "no kind is given, and no folder is called \"vertex-face\" or \"edge-edge\"";
        malformed(text).at(Place::File).in_file(path)
    })?;
    let mut set = parse_queries(&files.load(path)?, kind, path)?;
    let contacts = path.with_extension("toi");
    if contacts != path && contacts.exists() {
        add_contacts(&mut set, &files.load(&contacts)?, &contacts)?;
    }
    Ok(set)
}

/// Reads a query set, without contact times, from memory; `name` is for messages.
///
/// ```
/// use firsttouch_io::{QueryKind, parse_queries};
/// let text = "1,2,3,1,-1,4,1\n".repeat(8);
/// let set = parse_queries(text.as_bytes(), QueryKind::EdgeEdge, "q.csv")?;
/// assert_eq!(set.queries[0].points_t1[3].to_array(), [0.5, 3.0, -0.25]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn parse_queries(bytes: &[u8], kind: QueryKind, name: impl AsRef<Path>) -> Result<QuerySet> {
    match parse(bytes) {
        Ok(queries) => Ok(QuerySet { kind, has_contacts: false, queries }),
        Err(fault) => Err(fault.in_file(name)),
    }
}

/// Adds the contact times from the text of a `.toi` file; `name` is for messages.
pub fn add_contacts(set: &mut QuerySet, bytes: &[u8], name: impl AsRef<Path>) -> Result<()> {
    let mut lines = Lines::new(bytes);
    let mut add = || -> Result<(), Fault> {
        for (i, query) in set.queries.iter_mut().enumerate() {
            let Some(line) = lines.next() else {
                return Err(
                    Problem::Truncated { what: format!("the contact of query {i}") }.at(lines.place())
                );
            };
            query.contact = contact(line).map_err(|e| e.at(lines.place()))?;
            if query.contact.is_some() != query.truth {
                let text = format!("a contact time and the truth of query {i} contradict each other");
                return Err(malformed(text).at(lines.place()));
            }
        }
        if lines.rest().trim_ascii().is_empty() {
            Ok(())
        } else {
            Err(malformed(format!("more contact times than the {} queries", set.queries.len()))
                .at(lines.place()))
        }
    };
    add().map_err(|fault| fault.in_file(name))?;
    set.has_contacts = true;
    Ok(())
}

fn parse(bytes: &[u8]) -> Result<Vec<Query>, Fault> {
    let mut queries = Vec::new();
    let mut points = [DVec3::ZERO; 8];
    let mut truth = false;
    let mut row = 0;
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let (point, hit) = parse_row(line).map_err(|e| e.at(lines.place()))?;
        if row > 0 && hit != truth {
            return Err(malformed("the rows of a query differ in their truth").at(lines.place()));
        }
        (points[row], truth) = (point, hit);
        row += 1;
        if row == points.len() {
            let [a, b, c, d, e, f, g, h] = points;
            queries.push(Query { points_t0: [a, b, c, d], points_t1: [e, f, g, h], truth, contact: None });
            row = 0;
        }
    }
    if row != 0 {
        return Err(Problem::Truncated { what: format!("a query ({row} of 8 rows)") }.at(lines.place()));
    }
    if queries.is_empty() {
        return Err(Problem::Empty { what: "queries" }.at(Place::File));
    }
    Ok(queries)
}

fn parse_row(line: &[u8]) -> Result<(DVec3, bool), Problem> {
    let mut fields = line.split(|&b| b == b',').map(<[u8]>::trim_ascii);
    let mut field = || fields.next().ok_or_else(|| malformed("a row has 7 fields: xn,xd,yn,yd,zn,zd,truth"));
    let mut point = [0.0; 3];
    for x in &mut point {
        let (n, d) = (field()?, field()?);
        *x = fraction(n, d)?;
    }
    let truth = match field()? {
        b"0" => false,
        b"1" => true,
        other => return Err(malformed(format!("the truth is 0 or 1, not \"{}\"", shown(other)))),
    };
    match fields.next() {
        None => Ok((DVec3::from_array(point), truth)),
        Some(_) => Err(malformed("a row has 7 fields, not more")),
    }
}

/// Longer integers cannot be part of a fraction in lowest terms that is an f64 (2^1074 has 324 digits).
const MOST_DIGITS: usize = 1000;

fn fraction(n: &[u8], d: &[u8]) -> Result<f64, Problem> {
    let (sign, digits) = match n {
        [b'-', rest @ ..] => (-1.0, rest),
        _ => (1.0, n),
    };
    for word in [digits, d] {
        if word.is_empty() || word.len() > MOST_DIGITS || !word.iter().all(u8::is_ascii_digit) {
            return Err(malformed(format!("\"{}\" is not an integer", shown(word))));
        }
    }
    let size = match (small(digits), small(d)) {
        (Some(n), Some(d)) if d.is_power_of_two() => dyadic(n, d),
        _ => exact(digits, d)?,
    };
    match size {
        Some(size) => Ok(sign * size),
        None => Err(malformed(format!("{}/{} is not exactly an f64", shown(n), shown(d)))),
    }
}

/// Parses an integer below 2^127, which has at most 38 digits.
fn small(digits: &[u8]) -> Option<u128> {
    // 19 digits at a time fit a u64, which is much faster than 128-bit steps.
    let parse = |part: &[u8]| part.iter().fold(0u64, |sum, b| sum * 10 + u64::from(b - b'0'));
    match digits.len() {
        0..=19 => Some(u128::from(parse(digits))),
        20..=38 => {
            let (high, low) = digits.split_at(digits.len() - 19);
            Some(u128::from(parse(high)) * 10u128.pow(19) + u128::from(parse(low)))
        }
        _ => None,
    }
}

/// Takes step 1 of the header: n/d for a power of two d.
fn dyadic(n: u128, d: u128) -> Option<f64> {
    if n == 0 {
        return Some(0.0);
    }
    let odd = n >> n.trailing_zeros();
    let exponent = n.trailing_zeros() as i32 - d.trailing_zeros() as i32;
    // Both factors are exact, and so is the product: at most 53 bits, exponent between -126 and 127.
    (odd <= 1 << 53).then(|| odd as f64 * 2f64.powi(exponent))
}

/// Takes step 2 of the header.
fn exact(n: &[u8], d: &[u8]) -> Result<Option<f64>, Problem> {
    let parse = |digits| std::str::from_utf8(digits).ok().and_then(|t| UBig::from_str_radix(t, 10).ok());
    let integer =
        |digits| parse(digits).ok_or_else(|| malformed(format!("\"{}\" is not an integer", shown(digits))));
    let (n, d) = (integer(n)?, integer(d)?);
    if d == UBig::ZERO {
        return Err(malformed("the denominator is zero"));
    }
    let value = RBig::from_parts(IBig::from(n), d);
    let rounded = value.to_f64().value();
    Ok(RBig::try_from(rounded).is_ok_and(|back| back == value).then_some(rounded))
}

/// Returns the decimal in a line of a `.toi` file.
fn contact(line: &[u8]) -> Result<Option<Contact>, Problem> {
    let word = line.trim_ascii();
    if word.is_empty() {
        return Ok(None);
    }
    let bad = || malformed(format!("\"{}\" is not a time in [0, 1]", shown(word)));
    let text = std::str::from_utf8(word).map_err(|_| bad())?;
    let value = decimal(text).ok_or_else(bad)?;
    let nearest = text.parse::<f64>().ok().filter(|t| (0.0..=1.0).contains(t)).ok_or_else(bad)?;
    let is_above = RBig::try_from(nearest).is_ok_and(|nearest| nearest > value);
    let below = if is_above { nearest.next_down() } else { nearest };
    Ok(Some(Contact { text: text.into(), nearest, below }))
}

/// Returns the exact value of `digits[.digits][e exponent]`.
fn decimal(text: &str) -> Option<RBig> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{part}");
    if digits.is_empty() || digits.len() > MOST_DIGITS || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let shift =
        exponent.checked_sub(part.len() as i32).filter(|s| s.unsigned_abs() as usize <= 2 * MOST_DIGITS)?;
    let digits = IBig::from_str_radix(&digits, 10).ok()?;
    let power = UBig::from(10u8).pow(shift.unsigned_abs() as usize);
    Some(if shift < 0 { RBig::from_parts(digits, power) } else { RBig::from(digits * IBig::from(power)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_or_refused() {
        let check = |n: &str, d: &str, expected: Option<f64>| {
            let found = fraction(n.as_bytes(), d.as_bytes()).ok();
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{n}/{d}");
            // The slow method agrees.
            let slow = exact(n.trim_start_matches('-').as_bytes(), d.as_bytes()).ok().flatten();
            assert_eq!(slow, expected.map(f64::abs), "{n}/{d}");
        };
        check("0", "1", Some(0.0));
        check("-3", "4", Some(-0.75));
        check("6", "3", Some(2.0)); // not in lowest terms
        check("1", "3", None);
        check("9007199254740993", "1", None); // 2^53 + 1
        check("18014398509481986", "2", None); // the same, doubled
        check("18014398509481984", "1", Some(18014398509481984.0));
        check("1", "2596148429267413814265248164610048", Some(2f64.powi(-111)));
        check("170141183460469231731687303715884105728", "1", Some(2f64.powi(127)));
        check(&format!("1{}", "0".repeat(309)), "1", None); // 1e309
        check("1", "0", None);
        let tiny = (UBig::ONE << 1074).to_string();
        check("1", &tiny, Some(f64::from_bits(1)));
        check("-3", &tiny, Some(-f64::from_bits(3)));
        check("1", &(UBig::ONE << 1075).to_string(), None);
    }

    #[test]
    fn contact_is_bracketed() {
        let check = |text: &str, nearest: f64, below: f64| {
            let found = contact(text.as_bytes()).unwrap().unwrap();
            assert_eq!((found.nearest, found.below), (nearest, below), "{text}");
        };
        check("0.5", 0.5, 0.5);
        check(" 1 ", 1.0, 1.0);
        check("6.694812256104394e-05", 6.694812256104394e-05, 6.694812256104394e-05);
        check("0.1", 0.1, 0.1f64.next_down()); // the f64 0.1 is above a tenth
        check("0.3", 0.3, 0.3); // the f64 0.3 is below three tenths
        check("1e-400", 0.0, 0.0);
        for bad in ["-0.5", "1.5", "nan", "0.5.5", "1e999999999", "e5", "."] {
            assert!(contact(bad.as_bytes()).is_err(), "{bad}");
        }
        assert_eq!(contact(b" ").unwrap(), None);
    }
}
