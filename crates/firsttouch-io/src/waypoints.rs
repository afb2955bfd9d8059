//! Paths of a robot: a header of joint names, one configuration per row, a blank line between paths.
//!
//! 1. The first line that is neither blank nor a comment names the joints. These are joints of the robot that turn or
//!    slide, each once, and none of them mimics another. A planar joint has the columns `joint/x`, `joint/y` and
//!    `joint/theta`, a floating one `joint/trans_x`, `joint/trans_y`, `joint/trans_z` and the quaternion `joint/rot_x`
//!    to `joint/rot_w`, a ball joint the quaternion alone. Joints without a column stay at zero, and the `rot_w` of a
//!    quaternion at one.
//! 2. Every other line holds one number for each column. Consecutive rows are the ends of a segment, so a path of a
//!    single row has nothing to check. It is refused, because a misplaced blank line is the likely reason.
//!
//! 3. Further columns: `time` is the time of the row, which increases within a path; `joint/velocity` is the velocity
//!    there of a joint that has a column. A joint called `time`, or with a slash and `velocity` at the end of its name,
//!    takes precedence.
//!
//! 4. Instead of configurations, a file may hold polynomials, one piece per row, as programs for smooth trajectories
//!    write them. A column `duration` gives the time that the piece takes. Columns `joint^0` to `joint^11` give the
//!    coefficients of the powers of the time since the piece began. Powers without a column are zero. The pieces follow
//!    one another from the time 0, and each must begin where the one before it ends. A single row is a path.
//!
//! Tolerated: any kind of line end, spaces around fields, quotes around names, a byte order mark, and `#` with the rest
//! of its line. There may be any number of blank lines in any place; a line with only commas, as spreadsheets write it,
//! is also blank. A line with only a comment is not blank. A value outside its joint's limits gives a warning, one per
//! joint.

use crate::error::{Error, Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::parts::suggestion;
use crate::source::{Lines, finite, shown};
use crate::trajectory_build::Interpolation;
use crate::urdf::{JointFile, JointKind, RobotFile};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The paths of one file. There is at least one joint and one path.
#[derive(Debug)]
pub struct Waypoints {
    /// The joints of the columns.
    pub joints: Vec<String>,
    /// The paths, in the order of the file.
    pub paths: Vec<WaypointPath>,
    /// Values outside the limits of their joints.
    pub warnings: Vec<Error>,
    /// The line with the names of the columns.
    pub header_line: usize,
}

/// A path: straight segments in joint space from row to row, unless another interpolation is requested. It has at least
/// two rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WaypointPath {
    /// The configurations, each with one finite number per joint.
    pub rows: Vec<Vec<f64>>,
    /// The time of each row, if there is a column `time`; increasing.
    pub times: Option<Vec<f64>>,
    /// The velocities in each row, one per joint, if there are columns `joint/velocity`; zero for joints without one.
    pub velocities: Option<Vec<Vec<f64>>>,
    /// The line of each row in the file.
    pub lines: Vec<usize>,
    /// In a file of polynomials, the coefficients of each piece: for each joint the constant first. The rows are then
    /// the configurations at the times where pieces meet.
    pub polynomials: Option<Vec<Vec<Vec<f64>>>>,
}

impl Waypoints {
    /// Returns a warning if the file has velocities that this interpolation does not use; `file` is for the message.
    ///
    /// ```
    /// use firsttouch_io::{Interpolation, parse_waypoints, read_urdf};
    /// let robot = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
    /// let waypoints = parse_waypoints(b"lift,lift/velocity\n0,1\n0.5,0\n", "way.csv", &robot)?;
    /// assert!(waypoints.unused_velocities(Interpolation::Cubic, "way.csv").is_none());
    /// let warning = waypoints.unused_velocities(Interpolation::Linear, "way.csv").unwrap();
    /// assert!(warning.to_string().contains("cubic interpolation"));
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn unused_velocities(&self, interpolation: Interpolation, file: impl AsRef<Path>) -> Option<Error> {
        let given = self.paths.iter().any(|path| path.velocities.is_some());
        (given && interpolation != Interpolation::Cubic).then(|| {
            let text = "the columns JOINT/velocity are not used: they go with cubic interpolation";
            malformed(text).at(Place::Line(self.header_line)).in_file(file)
        })
    }
}

/// Reads a waypoint file for a robot.
///
/// ```
/// use firsttouch_io::{read_urdf, read_waypoints};
/// let robot = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// let waypoints = read_waypoints("../../testdata/robots/plain.csv".as_ref(), &robot)?;
/// assert_eq!(waypoints.joints, ["turn", "lift"]);
/// assert_eq!(waypoints.paths[1].rows, [[0.0, 0.1], [1.5, 0.2], [-1.5, 0.5]]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_waypoints(path: &Path, robot: &RobotFile) -> Result<Waypoints> {
    Files::default().read_waypoints(path, robot)
}

impl Files {
    /// Like [`read_waypoints`].
    pub fn read_waypoints(&self, path: &Path, robot: &RobotFile) -> Result<Waypoints> {
        parse_waypoints(&self.load(path)?, path, robot)
    }
}

/// Reads the text of a waypoint file for a robot; `name` is for messages.
///
/// ```
/// use firsttouch_io::{parse_waypoints, read_urdf};
/// let robot = read_urdf("../../testdata/robots/plain.urdf".as_ref())?;
/// let error = parse_waypoints(b"lift\n0.1\nx\n", "way.csv", &robot).unwrap_err();
/// assert_eq!(error.to_string(), "way.csv:3: lift cannot be read as a number: \"x\"");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn parse_waypoints(bytes: &[u8], name: impl AsRef<Path>, robot: &RobotFile) -> Result<Waypoints> {
    let name = name.as_ref();
    let (header_line, columns, paths) = parse(bytes, robot).map_err(|fault| fault.in_file(name))?;
    let outside = columns.iter().enumerate().filter_map(|(i, column)| outside(i, column.joint, &paths));
    let warnings = outside.map(|fault| fault.in_file(name)).collect();
    let joints = columns.into_iter().map(|column| column.name).collect();
    Ok(Waypoints { joints, paths, warnings, header_line })
}

/// A column: a joint, or one of the variables of a joint that has several.
struct Column<'r> {
    joint: &'r JointFile,
    name: String,
}

/// The meaning of the fields of a row.
#[derive(Default)]
struct Layout {
    /// The names of all fields, for messages.
    names: Vec<String>,
    /// The fields with the values of the columns, the time, and the velocities with their columns.
    values: Vec<usize>,
    time: Option<usize>,
    velocities: Vec<(usize, usize)>,
    /// In a file of polynomials, the field with the duration, and the fields with the coefficients: the column and the
    /// power of each.
    duration: Option<usize>,
    coefficients: Vec<(usize, usize, usize)>,
}

/// The largest power that a column may name.
const LARGEST_POWER: usize = 11;

/// Returns a column `joint^k` as the joint and the power, if the power is a number.
fn power_of(name: &[u8]) -> Option<(&[u8], usize)> {
    let hat = name.iter().rposition(|&b| b == b'^')?;
    let power = std::str::from_utf8(&name[hat + 1..]).ok()?;
    let is_number = !power.is_empty() && power.bytes().all(|b| b.is_ascii_digit());
    // A power with too many digits is also too large.
    is_number.then(|| (&name[..hat], power.parse().unwrap_or(usize::MAX)))
}

impl Layout {
    /// Splits a header: the names of the joints' columns remain.
    fn of<'f>(fields: &[&'f [u8]], robot: &RobotFile) -> Result<(Layout, Vec<&'f [u8]>), Problem> {
        let plain = |field: &'f [u8]| {
            let quoted = field.strip_prefix(b"\"").and_then(|f| f.strip_suffix(b"\""));
            quoted.unwrap_or(field).trim_ascii()
        };
        let is_joint = |name: &[u8]| robot.joints.iter().any(|joint| joint.name.as_bytes() == name);
        let names = fields.iter().map(|field| shown(plain(field))).collect();
        let mut layout = Layout { names, ..Layout::default() };
        if fields.iter().any(|field| power_of(plain(field)).is_some() && !is_joint(plain(field))) {
            let columns = layout.polynomials(fields, plain)?;
            return Ok((layout, columns));
        }
        let (mut columns, mut of_velocities) = (Vec::new(), Vec::new());
        for (i, &field) in fields.iter().enumerate() {
            let name = plain(field);
            if name == b"time" && !is_joint(name) {
                if layout.time.replace(i).is_some() {
                    return Err(malformed("there are two columns called time"));
                }
            } else if let Some(of) = name.strip_suffix(b"/velocity")
                && !is_joint(name)
            {
                of_velocities.push((i, of));
            } else {
                layout.values.push(i);
                columns.push(field);
            }
        }
        for (i, of) in of_velocities {
            let column = columns.iter().position(|column| plain(column) == of).ok_or_else(|| {
                malformed(format!("there is no column \"{0}\" for \"{0}/velocity\"", shown(of)))
            })?;
            if layout.velocities.iter().any(|(_, known)| *known == column) {
                return Err(malformed(format!("there are two columns called \"{}/velocity\"", shown(of))));
            }
            layout.velocities.push((i, column));
        }
        if columns.is_empty() {
            return Err(malformed("the first line names no joint"));
        }
        Ok((layout, columns))
    }

    /// Reads the header of a file of polynomials. Returns the names of the joints.
    fn polynomials<'f>(
        &mut self,
        fields: &[&'f [u8]],
        plain: impl Fn(&'f [u8]) -> &'f [u8],
    ) -> Result<Vec<&'f [u8]>, Problem> {
        let mut columns: Vec<&'f [u8]> = Vec::new();
        for (i, &field) in fields.iter().enumerate() {
            let name = plain(field);
            if name == b"duration" {
                if self.duration.replace(i).is_some() {
                    return Err(malformed("there are two columns called duration"));
                }
                continue;
            }
            let Some((joint, power)) = power_of(name) else {
                let text = format!(
                    "column {} of a file of polynomials must be duration or JOINT^K, but is \"{}\"",
                    i + 1,
                    shown(name)
                );
                return Err(malformed(text));
            };
            if power > LARGEST_POWER {
                let text =
                    format!("\"{}\": the degree of a polynomial is at most {LARGEST_POWER}", shown(name));
                return Err(malformed(text));
            }
            let column = columns.iter().position(|known| *known == joint).unwrap_or_else(|| {
                columns.push(joint);
                columns.len() - 1
            });
            if self.coefficients.iter().any(|(_, c, p)| (*c, *p) == (column, power)) {
                return Err(malformed(format!("there are two columns called \"{}\"", shown(name))));
            }
            self.coefficients.push((i, column, power));
        }
        if self.duration.is_none() {
            return Err(malformed("a file of polynomials needs a column called duration"));
        }
        Ok(columns)
    }

    /// Adds a piece to a path of polynomials.
    fn add_piece(
        &self,
        numbers: &[f64],
        duration: f64,
        line: usize,
        path: &mut WaypointPath,
    ) -> Result<(), Problem> {
        let joints = self.coefficients.iter().map(|(_, column, _)| column + 1).max().unwrap_or(0);
        let mut piece = vec![Vec::new(); joints];
        for &(field, column, power) in &self.coefficients {
            let powers: &mut Vec<f64> = &mut piece[column];
            let length = powers.len().max(power + 1);
            powers.resize(length, 0.0);
            powers[power] = numbers[field];
        }
        let times = path.times.get_or_insert_with(|| vec![0.0]);
        let start = times.last().copied().unwrap_or_default();
        let end = start + duration;
        if !(duration > 0.0 && end > start && end.is_finite()) {
            return Err(malformed(format!("the duration must be positive, but is {duration}")));
        }
        times.push(end);
        let first: Vec<f64> = piece.iter().map(|powers| powers[0]).collect();
        let value = |powers: &Vec<f64>| powers.iter().rev().fold(0.0, |sum, c| sum * duration + c);
        let last: Vec<f64> = piece.iter().map(value).collect();
        if let Some(joint) = last.iter().position(|value| !value.is_finite()) {
            let text = format!("the polynomial of joint {} is too large at its end", joint + 1);
            return Err(malformed(text));
        }
        match path.rows.last_mut() {
            Some(row) => *row = first,
            None => {
                path.rows.push(first);
                path.lines.push(line);
            }
        }
        path.rows.push(last);
        path.lines.push(line);
        path.polynomials.get_or_insert_default().push(piece);
        Ok(())
    }

    /// Adds a row to a path.
    fn add(&self, fields: &[&[u8]], line: usize, path: &mut WaypointPath) -> Result<(), Problem> {
        if let Some(duration) = self.duration {
            let numbers = row(fields, &self.names, "column")?;
            return self.add_piece(&numbers, numbers[duration], line, path);
        }
        let is_plain = self.values.len() == self.names.len();
        let numbers = row(fields, &self.names, if is_plain { "joint" } else { "column" })?;
        if let Some(column) = self.time {
            let times = path.times.get_or_insert_default();
            if let Some(before) = times.last()
                && numbers[column] <= *before
            {
                let text =
                    format!("the time {} is not after {before}, that of the row before", numbers[column]);
                return Err(malformed(text));
            }
            times.push(numbers[column]);
        }
        if !self.velocities.is_empty() {
            let mut velocities = vec![0.0; self.values.len()];
            self.velocities.iter().for_each(|&(field, column)| velocities[column] = numbers[field]);
            path.velocities.get_or_insert_default().push(velocities);
        }
        path.rows.push(self.values.iter().map(|&field| numbers[field]).collect());
        path.lines.push(line);
        Ok(())
    }
}

/// The line of the header, its columns, and the paths.
type Parsed<'r> = (usize, Vec<Column<'r>>, Vec<WaypointPath>);

fn parse<'r>(bytes: &[u8], robot: &'r RobotFile) -> Result<Parsed<'r>, Fault> {
    let mut header_line = 1;
    let mut columns: Option<Vec<Column<'r>>> = None;
    let mut layout = Layout::default();
    let mut paths: Vec<WaypointPath> = Vec::new();
    let mut open = WaypointPath::default();
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next() {
        let end = line.iter().position(|&b| b == b'#');
        let fields: Vec<&[u8]> =
            line[..end.unwrap_or(line.len())].split(|&b| b == b',').map(<[u8]>::trim_ascii).collect();
        let blank = fields.iter().all(|field| field.is_empty());
        match &columns {
            _ if blank && end.is_some() => {}
            _ if blank => close(&mut open, &mut paths)?,
            None => {
                let split = Layout::of(&fields, robot).and_then(|(found, joints)| {
                    layout = found;
                    header(&joints, robot)
                });
                columns = Some(split.map_err(|problem| problem.at(lines.place()))?);
                header_line = lines.number;
            }
            Some(_) => {
                let number = lines.number;
                layout.add(&fields, number, &mut open).map_err(|problem| problem.at(lines.place()))?;
            }
        }
    }
    close(&mut open, &mut paths)?;
    let columns = columns.ok_or_else(|| Problem::Empty { what: "joint names" }.at(Place::File))?;
    if paths.is_empty() {
        return Err(Problem::Empty { what: "configurations under the joint names" }.at(Place::File));
    }
    Ok((header_line, columns, paths))
}

/// Returns the variables of a joint that has several, as they follow its name.
fn variables(kind: JointKind) -> &'static [&'static str] {
    match kind {
        JointKind::Planar => &["x", "y", "theta"],
        JointKind::Ball => &["rot_x", "rot_y", "rot_z", "rot_w"],
        JointKind::Floating => &["trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z", "rot_w"],
        JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic | JointKind::Fixed => &[],
    }
}

fn header<'r>(fields: &[&[u8]], robot: &'r RobotFile) -> Result<Vec<Column<'r>>, Problem> {
    if fields.iter().all(|field| finite(field, "").is_ok()) {
        return Err(malformed("the first line holds numbers, but must name the joints"));
    }
    let known: HashMap<&[u8], &JointFile> = robot.joints.iter().map(|j| (j.name.as_bytes(), j)).collect();
    let mut used = HashSet::new();
    let column = |(i, field): (usize, &&[u8])| {
        let quoted = field.strip_prefix(b"\"").and_then(|f| f.strip_suffix(b"\""));
        let name = quoted.unwrap_or(field).trim_ascii();
        if name.is_empty() {
            return Err(malformed(format!("column {} has no joint name", i + 1)));
        }
        // A name with a slash may be that of a joint, or a joint's with one of its variables.
        let split = name.iter().rposition(|&b| b == b'/').map(|slash| (&name[..slash], &name[slash + 1..]));
        let one_of_several = split.and_then(|(joint, variable)| {
            let joint = *known.get(joint)?;
            variables(joint.kind).iter().any(|known| known.as_bytes() == variable).then_some(joint)
        });
        let Some(joint) = known.get(name).copied().or(one_of_several) else {
            let names = robot.joints.iter().map(|joint| &joint.name[..]).chain(["time", "duration"]);
            let meant = suggestion(&String::from_utf8_lossy(name), names);
            let text = format!("there is no joint called \"{}\"; {}{meant}", shown(name), choices(robot));
            return Err(malformed(text));
        };
        if let Some(mimic) = &joint.mimic {
            let leader = shown(mimic.joint.as_bytes());
            return Err(malformed(format!("joint \"{}\" follows \"{leader}\" (mimic)", shown(name))));
        }
        match joint.kind {
            JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic => {}
            JointKind::Fixed => return Err(malformed(format!("joint \"{}\" is fixed", shown(name)))),
            JointKind::Planar | JointKind::Floating | JointKind::Ball if one_of_several.is_some() => {}
            JointKind::Planar | JointKind::Floating | JointKind::Ball => {
                let columns: Vec<String> = variables(joint.kind)
                    .iter()
                    .map(|variable| format!("{}/{variable}", shown(name)))
                    .collect();
                let text = format!(
                    "joint \"{}\" is {}: its columns are {}",
                    shown(name),
                    joint.kind.name(),
                    columns.join(", ")
                );
                return Err(malformed(text));
            }
        }
        let column = String::from_utf8_lossy(name).into_owned();
        if !used.insert(column.clone()) {
            return Err(malformed(format!("joint \"{}\" is named twice", shown(name))));
        }
        Ok(Column { joint, name: column })
    };
    fields.iter().enumerate().map(column).collect()
}

/// Returns the joints that a column can name, for a message.
fn choices(robot: &RobotFile) -> String {
    const MOST: usize = 10;
    let free = robot.joints.iter().filter(|joint| joint.kind.has_one_coordinate() && joint.mimic.is_none());
    let names: Vec<String> = free.map(|joint| shown(joint.name.as_bytes())).take(MOST + 1).collect();
    match names.len() {
        0 => "the robot has none that moves".into(),
        n if n > MOST => format!("the robot has {}, ...", names[..MOST].join(", ")),
        _ => format!("the robot has {}", names.join(", ")),
    }
}

fn row(fields: &[&[u8]], names: &[String], each: &str) -> Result<Vec<f64>, Problem> {
    if fields.len() != names.len() {
        let text = format!("a row needs {} values, one per {each}, but has {}", names.len(), fields.len());
        return Err(malformed(text));
    }
    fields.iter().zip(names).map(|(field, name)| finite(field, name)).collect()
}

/// Ends the current path, if there is one.
fn close(open: &mut WaypointPath, paths: &mut Vec<WaypointPath>) -> Result<(), Fault> {
    match open.lines[..] {
        [] => Ok(()),
        [line] => {
            Err(malformed("a path needs at least two rows, but this is the only one").at(Place::Line(line)))
        }
        _ => {
            paths.push(std::mem::take(open));
            Ok(())
        }
    }
}

/// Returns a warning about the first value of a joint that is outside its limits.
fn outside(column: usize, joint: &JointFile, paths: &[WaypointPath]) -> Option<Fault> {
    let limits = joint.limits?;
    let values = paths.iter().flat_map(|path| path.rows.iter().map(|row| row[column]).zip(&path.lines));
    let mut outside = values.filter(|(value, _)| !(limits.lower..=limits.upper).contains(value));
    let (value, &line) = outside.next()?;
    let more = match outside.count() {
        0 => String::new(),
        more => format!(", and so in {more} more rows"),
    };
    let name = shown(joint.name.as_bytes());
    let text = format!("{name} = {value} is outside its limits {} to {}{more}", limits.lower, limits.upper);
    Some(malformed(text).at(Place::Line(line)))
}
