//! The one error type of the laboratory.

/// Why a scene or a table could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library refused something.
    #[error(transparent)]
    Query(#[from] firsttouch::Error),
    /// Two ways of computing one thing disagree, or a scene is not what its table needs.
    #[error("{0}")]
    Other(String),
}

/// The result of everything in the laboratory that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;
