//! Certificates: proofs that can be written, and verified without this package.

use std::path::PathBuf;

use firsttouch::{Certificate, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::convert::file_refused;

/// A certificate of the core.
#[pyclass(frozen, name = "Certificate", module = "firsttouch._core")]
pub(crate) struct RawCertificate(pub(crate) Certificate);

#[pymethods]
impl RawCertificate {
    /// The part of the whole time until which nothing touches.
    #[getter]
    fn free_until(&self) -> f64 {
        self.0.free_until()
    }

    /// The number of nodes of the proof.
    #[getter]
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    /// Returns the lines that state the claim.
    fn statement(&self) -> String {
        self.0.statement().to_string()
    }

    /// The whole file. `sources` are names of files and their hashes.
    fn text(&self, sources: Vec<(String, String)>) -> PyResult<String> {
        let sources: Vec<Source> =
            sources.into_iter().map(|(file, sha256)| Source { file, sha256 }).collect();
        let mut text = String::new();
        self.0.write(&sources, &mut text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(text)
    }

    /// Writes the whole file, or none.
    fn save(&self, py: Python<'_>, path: PathBuf, sources: Vec<(String, String)>) -> PyResult<()> {
        let text = self.text(sources)?;
        let saved =
            py.detach(|| firsttouch_io::save(&path, |out| std::io::Write::write_all(out, text.as_bytes())));
        saved.map_err(file_refused)
    }
}
