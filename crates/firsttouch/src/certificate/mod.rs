//! Certificates: files that say why nothing touches, for verifiers that share no code with this crate.
//!
//! 1. `statement`: everything that is claimed, as numbers and formulas: shapes, frames that move, parts, rules about
//!    pairs.
//! 2. `shapes` and `motions`: the statement of shapes, bodies and robots.
//! 3. `pieces` and `frames`: a statement, evaluated in f64, with trees over the pieces of its shapes.
//! 4. `certifier`: the search for the proof. It repeats the test of the verifiers, with room for their rounding.
//! 5. `write`: the file.
//!
//! Guarantee: none is needed. A verifier trusts nothing of this; it refuses a wrong proof. Only the statement must be
//! right, and a reader can check it. docs/certificates.md has the format and the theorem.

mod certifier;
mod frames;
mod motions;
mod pieces;
mod shapes;
mod statement;
mod write;

pub use certifier::Certificate;
pub use statement::Statement;
pub use write::Source;

pub(crate) use motions::{StatedBody, StatementBuilder};
