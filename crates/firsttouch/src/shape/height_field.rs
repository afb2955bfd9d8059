//! A surface over a grid: one height per point of the grid, two triangles per cell.
//!
//! 1. A node is a rectangle of cells with its least and its largest height. It is divided across its longer side, in
//!    the middle of the grid. Inner nodes are stored in the order of a depth-first walk: the left child of a node
//!    follows it, the right child comes after the left one's inner nodes, one fewer than its cells.
//! 2. Cells and triangles have no stored node; they are computed from the grid. A cell is opened into its two
//!    triangles.
//!
//! **Guarantee.** The vertices are computed from `x`, `y` and the heights in `f64`, and the shape is that of these
//! vertices. Coordinates do not decrease along the grid, because multiplication and addition round monotonically. So
//! the box of a rectangle is that of its corners.

use glam::{DVec2, DVec3};

use super::hierarchy::{Hierarchy, NodeBox, SmallPiece};
use super::mesh::Mesh;
use super::triangle::Triangle;
use crate::answer::Part;
use crate::error::{Error, Result, bounded, positive};

/// A surface `z = height(x, y)` over a rectangle that is centred at the origin. The space below and above it is empty.
///
/// The heights are given row by row, from low y to high y, each row from low x to high x. The cell in column `i` and
/// row `j` has the triangles `2 (j (columns − 1) + i)` and the next one, on both sides of its diagonal from the low
/// corner to the high one.
///
/// ```
/// use firsttouch::glam::{DVec2, DVec3};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::{HeightField, Sphere};
/// use firsttouch::{Answer, Options, first_touch};
/// // A ramp from z = 0 at x = −2 to z = 4 at x = 2, and a ball of radius 1 that falls onto its middle.
/// let ramp = HeightField::new(3, 2, DVec2::new(4.0, 2.0), vec![0.0, 2.0, 4.0, 0.0, 2.0, 4.0])?.into();
/// let ball = Sphere::new(1.0)?.into();
/// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
/// let falling = Motion::linear(at(8.0)?, at(0.0)?);
/// let Answer::Touch(touch) = first_touch((&ramp, &Motion::AT_REST), (&ball, &falling), &Options::default())? else {
///     panic!("they touch")
/// };
/// // On a slope of 45 degrees through z = 2, the ball's centre is then sqrt(2) above it.
/// let toi = (8.0 - 2.0 - 2.0_f64.sqrt()) / 8.0;
/// assert!(touch.toi <= toi && touch.toi > toi - 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    columns: u32,
    rows: u32,
    low: DVec2,
    step: DVec2,
    heights: Vec<f64>,
    nodes: Vec<Node>,
}

/// An inner node: a rectangle of cells, from a corner of the grid to another.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    cells: Rectangle,
    low: f64,
    high: f64,
}

/// Cells from `from` to before `to`, by column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rectangle {
    from: [u32; 2],
    to: [u32; 2],
}

impl Rectangle {
    fn sides(&self) -> [u32; 2] {
        [self.to[0] - self.from[0], self.to[1] - self.from[1]]
    }

    fn count(&self) -> u32 {
        let [columns, rows] = self.sides();
        columns * rows
    }

    fn halves(&self) -> [Rectangle; 2] {
        let [columns, rows] = self.sides();
        let axis = usize::from(rows > columns);
        let middle = self.from[axis] + self.sides()[axis] / 2;
        let (mut left, mut right) = (*self, *self);
        (left.to[axis], right.from[axis]) = (middle, middle);
        [left, right]
    }
}

/// The most cells that have ids of 32 bits together with their triangles.
const MOST_CELLS: u64 = 1 << 30;

impl HeightField {
    /// Creates a height field of `columns × rows` heights over a rectangle with sides of `size`. Returns an error for
    /// fewer than two columns or rows, a number of heights that is not their product, and numbers that are not finite.
    pub fn new(columns: usize, rows: usize, size: DVec2, heights: Vec<f64>) -> Result<HeightField> {
        for (what, count) in [("columns", columns), ("rows", rows)] {
            if count < 2 {
                return Err(Error::OutOfRange {
                    what: format!("number of {what} of a height field"),
                    expected: "at least 2",
                    value: count as f64,
                });
            }
        }
        let cells = (columns as u64 - 1).saturating_mul(rows as u64 - 1);
        if cells > MOST_CELLS {
            return Err(Error::OutOfRange {
                what: "number of cells of a height field".into(),
                expected: "at most 2^30",
                value: cells as f64,
            });
        }
        if heights.len() != columns * rows {
            return Err(Error::OutOfRange {
                what: format!("number of heights of a height field of {columns} × {rows}"),
                expected: "the product of both",
                value: heights.len() as f64,
            });
        }
        for (i, &height) in heights.iter().enumerate() {
            bounded(|| format!("height {i} of a height field"), height)?;
        }
        let sides = [("x", size.x), ("y", size.y)];
        for (axis, side) in sides {
            positive(|| format!("size {axis} of a height field"), side)?;
        }
        let step = size / DVec2::new(columns as f64 - 1.0, rows as f64 - 1.0);
        let (columns, rows) = (columns as u32, rows as u32);
        let nodes = Vec::with_capacity(cells as usize - 1);
        let mut field = HeightField { columns, rows, low: -0.5 * size, step, heights, nodes };
        field.build(Rectangle { from: [0, 0], to: [columns - 1, rows - 1] });
        Ok(field)
    }

    /// Returns the number of heights along x.
    pub fn columns(&self) -> usize {
        self.columns as usize
    }

    /// Returns the number of heights along y.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// Returns the point of the surface in a column and a row.
    pub fn vertex(&self, column: usize, row: usize) -> DVec3 {
        self.corner([column as u32, row as u32])
    }

    /// Returns the same surface as a mesh.
    pub fn to_mesh(&self) -> Mesh {
        let vertices = (0..self.rows).flat_map(|j| (0..self.columns).map(move |i| self.corner([i, j])));
        let triangles = 2 * self.cell_count();
        let triangles = (0..triangles).map(|triangle| self.corner_ids(triangle)).collect();
        Mesh::new(vertices.collect(), triangles)
            .expect("its vertices are finite, and there are two triangles")
    }

    /// Returns the centre of the box around the surface and half its side lengths, rounded up.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let NodeBox { center, half } = self.node_box(0);
        (center, half)
    }

    /// Adds the inner nodes of a rectangle and returns its least and its largest height.
    fn build(&mut self, cells: Rectangle) -> [f64; 2] {
        if cells.count() == 1 {
            return self.cell_heights(cells.from);
        }
        let index = self.nodes.len();
        self.nodes.push(Node { cells, low: 0.0, high: 0.0 });
        let [a, b] = cells.halves().map(|half| self.build(half));
        // All heights are finite.
        let [low, high] = [if a[0] < b[0] { a[0] } else { b[0] }, if a[1] > b[1] { a[1] } else { b[1] }];
        self.nodes[index] = Node { cells, low, high };
        [low, high]
    }

    fn cell_heights(&self, [i, j]: [u32; 2]) -> [f64; 2] {
        let corners = [[i, j], [i + 1, j], [i, j + 1], [i + 1, j + 1]].map(|corner| self.height(corner));
        let (mut low, mut high) = (corners[0], corners[0]);
        for height in corners {
            low = if height < low { height } else { low };
            high = if height > high { height } else { high };
        }
        [low, high]
    }

    #[inline]
    fn height(&self, [i, j]: [u32; 2]) -> f64 {
        self.heights[(j * self.columns + i) as usize]
    }

    #[inline]
    fn place(&self, [i, j]: [u32; 2]) -> DVec2 {
        self.low + self.step * DVec2::new(f64::from(i), f64::from(j))
    }

    #[inline]
    fn corner(&self, at: [u32; 2]) -> DVec3 {
        self.place(at).extend(self.height(at))
    }

    fn cell_count(&self) -> u32 {
        (self.columns - 1) * (self.rows - 1)
    }

    /// Returns the column and row of a cell.
    #[inline]
    fn cell(&self, cell: u32) -> [u32; 2] {
        [cell % (self.columns - 1), cell / (self.columns - 1)]
    }

    /// Returns the corners of a triangle, as column and row.
    fn triangle_corners(&self, triangle: u32) -> [[u32; 2]; 3] {
        let [i, j] = self.cell(triangle / 2);
        if triangle.is_multiple_of(2) {
            [[i, j], [i + 1, j], [i + 1, j + 1]]
        } else {
            [[i, j], [i + 1, j + 1], [i, j + 1]]
        }
    }

    fn corner_ids(&self, triangle: u32) -> [u32; 3] {
        self.triangle_corners(triangle).map(|[i, j]| j * self.columns + i)
    }

    /// Returns the id of the node of a rectangle, the inner one at `inner` or the cell.
    #[inline]
    fn id(&self, inner: u32, cells: Rectangle) -> u32 {
        if cells.count() == 1 {
            let [i, j] = cells.from;
            self.nodes.len() as u32 + j * (self.columns - 1) + i
        } else {
            inner
        }
    }

    /// Returns the kind of a node that is not an inner node.
    #[inline]
    fn small(&self, node: u32) -> Small {
        let rest = node - self.nodes.len() as u32;
        match rest.checked_sub(self.cell_count()) {
            None => Small::Cell(rest),
            Some(triangle) => Small::Triangle(triangle),
        }
    }

    fn triangle(&self, leaf: u32) -> u32 {
        match self.small(leaf) {
            Small::Triangle(triangle) => triangle,
            Small::Cell(_) => unreachable!("cells are opened"),
        }
    }
}

/// A node without its own box.
enum Small {
    Cell(u32),
    Triangle(u32),
}

impl Hierarchy for HeightField {
    #[inline]
    fn children(&self, node: u32) -> Option<[u32; 2]> {
        if let Some(Node { cells, .. }) = self.nodes.get(node as usize) {
            let [left, right] = cells.halves();
            return Some([self.id(node + 1, left), self.id(node + left.count(), right)]);
        }
        match self.small(node) {
            Small::Cell(cell) => {
                let first = self.nodes.len() as u32 + self.cell_count() + 2 * cell;
                Some([first, first + 1])
            }
            Small::Triangle(_) => None,
        }
    }

    #[inline]
    fn node_box(&self, node: u32) -> NodeBox {
        let (cells, [low, high]) = match self.nodes.get(node as usize) {
            Some(Node { cells, low, high }) => (*cells, [*low, *high]),
            None => {
                let cell = match self.small(node) {
                    Small::Cell(cell) => cell,
                    Small::Triangle(triangle) => triangle / 2,
                };
                let [i, j] = self.cell(cell);
                (Rectangle { from: [i, j], to: [i + 1, j + 1] }, self.cell_heights([i, j]))
            }
        };
        NodeBox::between(self.place(cells.from).extend(low), self.place(cells.to).extend(high))
    }

    fn piece(&self, leaf: u32) -> SmallPiece {
        let triangle = self.triangle(leaf);
        let corners = self.triangle_corners(triangle).map(|at| self.corner(at));
        SmallPiece::Triangle(Triangle::new(corners, self.corner_ids(triangle), triangle))
    }

    fn part(&self, leaf: u32) -> Part {
        Part::Triangle(self.triangle(leaf))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every triangle is in one leaf, and in the boxes of all nodes above it.
    #[test]
    fn nodes_contain_their_triangles() {
        for (columns, rows) in [(2, 2), (2, 3), (3, 2), (5, 9), (30, 7)] {
            let heights = (0..columns * rows).map(|k| f64::from(k as u32 * 7919 % 13)).collect();
            let field = HeightField::new(columns, rows, DVec2::new(3.0, 0.7), heights).unwrap();
            let mesh = field.to_mesh();
            let count = 2 * (columns - 1) * (rows - 1);
            assert_eq!(mesh.triangles().len(), count);
            let mut seen = vec![0; count];
            let mut open = vec![(0, Vec::<NodeBox>::new())];
            while let Some((node, mut above)) = open.pop() {
                above.push(field.node_box(node));
                match field.children(node) {
                    Some(children) => open.extend(children.map(|child| (child, above.clone()))),
                    None => {
                        let Part::Triangle(triangle) = field.part(node) else { panic!("a triangle") };
                        seen[triangle as usize] += 1;
                        let SmallPiece::Triangle(piece) = field.piece(node) else { panic!("a triangle") };
                        assert_eq!(piece, mesh.triangle(triangle));
                        for corner in piece.corners() {
                            for NodeBox { center, half } in &above {
                                assert!((*corner - center).abs().cmple(*half).all());
                            }
                        }
                    }
                }
            }
            assert!(seen.iter().all(|&times| times == 1));
        }
    }
}
