//! The one error type of the laboratory.

/// The reason why a scene or a table could not be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library refused an input.
    #[error(transparent)]
    Query(#[from] firsttouch::Error),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] firsttouch_io::Error),
    /// Two methods disagree about one quantity, or a scene does not fit its table.
    #[error("{0}")]
    Other(String),
}

/// The result type of the laboratory.
pub type Result<T, E = Error> = std::result::Result<T, E>;
