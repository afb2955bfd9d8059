//! Decides which files may be read, and how much memory reading may take.
//!
//! This module opens all files that the crate reads. It opens regular files only, because a pipe or a device may never
//! end. With [`Files::within`] a file must also lie in one folder, after all links in its path are followed.
//!
//! It also collects the warnings of the readers about contents of a file that the result does not have.
//! [`Files::take_warnings`] returns them, and so do the methods that return warnings of their own,
//! [`Files::build_scene`] for example.
//!
//! Memory is estimated, not measured. Data that is kept counts with its size. A growing list takes up to twice its size
//! for a moment, so twice the size of new data must fit.

use crate::error::{Error, Fault, Place, Problem, Result, malformed};
use std::collections::{BTreeSet, HashSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The largest file that is read: 4 GiB. Memory use is a few times the file's size.
pub const MAX_FILE_BYTES: u64 = 1 << 32;

/// Reads files, within limits. The functions of this crate that take a path or bytes alone use [`Files::default`], and
/// drop the warnings that [`Files::take_warnings`] returns.
///
/// ```
/// use firsttouch_io::Files;
/// let files = Files::default().with_max_memory(10_000);
/// assert!(files.read_mesh("../../testdata/obj/tetrahedron.obj".as_ref()).is_ok());
/// let files = Files::default().with_max_memory(100);
/// assert_eq!(files.read_mesh("../../testdata/obj/tetrahedron.obj".as_ref()).unwrap_err().code(), "out_of_memory");
/// ```
#[derive(Debug)]
pub struct Files {
    root: Option<Root>,
    max_memory: u64,
    /// The size of all data read so far.
    used: AtomicU64,
    warnings: Mutex<Vec<Error>>,
    /// The files that were read.
    read: Mutex<BTreeSet<PathBuf>>,
}

/// Further warnings are dropped, except for one that says so.
const MOST_WARNINGS: usize = 1000;

/// The only folder that may be read: as written by the caller (made absolute), and with all links resolved.
#[derive(Debug)]
struct Root {
    written: PathBuf,
    real: PathBuf,
}

impl Default for Files {
    /// Allows any regular file, and [`MAX_FILE_BYTES`] of memory.
    fn default() -> Files {
        Files {
            root: None,
            max_memory: MAX_FILE_BYTES,
            used: AtomicU64::new(0),
            warnings: Mutex::default(),
            read: Mutex::default(),
        }
    }
}

impl Files {
    /// Sets the limit in bytes for the estimated memory of everything that is read.
    pub fn with_max_memory(self, bytes: u64) -> Files {
        Files { max_memory: bytes, ..self }
    }

    /// Restricts reading to this folder and below. A link or a `..` that leads out of it is refused.
    ///
    /// ```
    /// use firsttouch_io::Files;
    /// let files = Files::default().within("../../testdata/robots".as_ref())?;
    /// assert!(files.read_mesh("../../testdata/robots/meshes/tetrahedron.obj".as_ref()).is_ok());
    /// let error = files.read_mesh("../../testdata/robots/../obj/tetrahedron.obj".as_ref()).unwrap_err();
    /// assert_eq!(error.code(), "outside_root");
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn within(self, folder: &Path) -> Result<Files> {
        let fail = |error: std::io::Error| failed(folder, error.into());
        let real = folder.canonicalize().map_err(fail)?;
        if !real.is_dir() {
            return Err(failed(folder, std::io::Error::from(std::io::ErrorKind::NotADirectory).into()));
        }
        let written = without_dots(&std::path::absolute(folder).map_err(fail)?);
        Ok(Files { root: Some(Root { written, real }), ..self })
    }

    /// Returns the files that were read so far, in the order of their names.
    pub fn paths_read(&self) -> Vec<PathBuf> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns the warnings about the files read since the last call. They name contents that the result does not have.
    /// They are sorted by the name of the file, and each appears once.
    ///
    /// ```
    /// let files = firsttouch_io::Files::default();
    /// let robot = files.read_mesh("../../testdata/gltf/animated.gltf".as_ref())?;
    /// let warnings = files.take_warnings();
    /// assert!(warnings[0].to_string().contains("an animation moves"), "{}", warnings[0]);
    /// assert!(files.take_warnings().is_empty());
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn take_warnings(&self) -> Vec<Error> {
        let mut warnings = std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner));
        // Two threads may read files at the same time.
        warnings.sort_by(|a, b| a.file.cmp(&b.file));
        let mut known = HashSet::new();
        warnings.retain(|warning| known.insert(warning.to_string()));
        warnings
    }

    /// Adds a warning about a file.
    pub(crate) fn warn(&self, file: &Path, place: Place, text: impl Into<String>) {
        self.warn_of(file, malformed(text).at(place));
    }

    fn warn_of(&self, file: &Path, fault: Fault) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        match warnings.len() {
            ..MOST_WARNINGS => warnings.push(fault.in_file(file)),
            MOST_WARNINGS => {
                warnings
                    .push(malformed("there are more warnings than are shown").at(Place::File).in_file(file));
            }
            _ => {}
        }
    }

    /// Reads the bytes of a regular file.
    pub fn read_bytes(&self, path: &Path) -> Result<Vec<u8>> {
        self.load(path)
    }

    /// Reads the bytes of a regular file.
    pub(crate) fn load(&self, path: &Path) -> Result<Vec<u8>> {
        let fail = |problem: Problem| failed(path, problem);
        if !self.allows(path) {
            return Err(fail(self.outside()));
        }
        // Check before opening: opening a pipe waits for a writer.
        regular(&std::fs::metadata(path).map_err(|e| fail(e.into()))?).map_err(fail)?;
        let file = std::fs::File::open(path).map_err(|e| fail(e.into()))?;
        let metadata = file.metadata().map_err(|e| fail(e.into()))?;
        regular(&metadata).map_err(fail)?;
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf());
        self.read(file, metadata.len()).map_err(fail)
    }

    /// Reads all of standard input.
    pub fn read_standard_input(&self) -> Result<Vec<u8>> {
        self.read(std::io::stdin().lock(), 0).map_err(|problem| failed(Path::new(STANDARD_INPUT), problem))
    }

    fn read(&self, source: impl Read, expected: u64) -> Result<Vec<u8>, Problem> {
        let too_large = || Problem::TooLarge { what: "the file, in bytes,".into(), limit: MAX_FILE_BYTES };
        if expected > MAX_FILE_BYTES {
            return Err(too_large());
        }
        self.fits(expected, "the file")?;
        let mut bytes = Vec::new();
        try_reserve(&mut bytes, expected as usize, "the file")?;
        let limit = MAX_FILE_BYTES.min(self.left());
        source.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(too_large());
        }
        self.fits(bytes.len() as u64, "the file")?;
        Ok(bytes)
    }

    /// Checks that a path may be read. If the path as written leads out of the folder, the disk is not accessed.
    pub(crate) fn allows(&self, path: &Path) -> bool {
        let Some(root) = &self.root else { return true };
        let Ok(full) = std::path::absolute(path) else { return false };
        let full = without_dots(&full);
        if !full.starts_with(&root.written) && !full.starts_with(&root.real) {
            return false;
        }
        // A file that does not exist is refused when it is opened.
        path.canonicalize().is_ok_and(|real| real.starts_with(&root.real)) || !path.exists()
    }

    fn outside(&self) -> Problem {
        Problem::Outside(self.root.as_ref().map(|root| root.written.clone()).unwrap_or_default())
    }

    /// Returns the number of bytes that may still be used.
    pub(crate) fn left(&self) -> u64 {
        self.max_memory.saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// Refuses temporary data that does not fit.
    pub(crate) fn fits(&self, bytes: u64, what: &str) -> Result<(), Problem> {
        if bytes <= self.left() { Ok(()) } else { Err(self.full(what)) }
    }

    /// Counts data that is kept, and refuses it if it does not fit.
    pub(crate) fn keep(&self, bytes: u64, what: &str) -> Result<(), Problem> {
        self.fits(bytes, what)?;
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn full(&self, what: &str) -> Problem {
        Problem::OutOfMemory { what: what.into(), limit: self.max_memory }
    }
}

/// The name of standard input in messages.
pub const STANDARD_INPUT: &str = "<stdin>";

/// Reserves room in a list. If there is not enough memory, the result is an error and not the end of the program.
pub(crate) fn try_reserve<T>(list: &mut Vec<T>, more: usize, what: &str) -> Result<(), Problem> {
    list.try_reserve(more).map_err(|_| Problem::OutOfMemory {
        what: what.into(),
        limit: (list.capacity() * size_of::<T>()) as u64,
    })
}

fn failed(path: &Path, problem: Problem) -> Error {
    Error { file: path.to_path_buf(), place: Place::File, problem }
}

/// Refuses anything but a regular file, and names its kind.
fn regular(metadata: &std::fs::Metadata) -> Result<(), Problem> {
    let kind = metadata.file_type();
    // Reading a folder fails later with the message of the system.
    if kind.is_file() || kind.is_dir() { Ok(()) } else { Err(Problem::NotRegular(special(kind))) }
}

#[cfg(unix)]
fn special(kind: std::fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        _ if kind.is_fifo() => "a pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn special(_kind: std::fs::FileType) -> &'static str {
    "a device"
}

/// Returns the path without `.`, and without each `..` and the name before it. The disk is not accessed.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(component),
        }
    }
    plain
}
