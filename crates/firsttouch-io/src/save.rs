//! Writes a file completely or not at all.
//!
//! 1. The bytes go to a new file in the same folder, under a name that no other process uses.
//! 2. When all bytes are on the disk, the file is renamed. A reader sees either the complete old file or the complete
//!    new one.
//! 3. If a step fails, the new file is removed and the old one stays unchanged.
//!
//! A link at the path is replaced by the file; the target of the link is not changed. A folder, a pipe or a
//! device there is refused.

use crate::error::{Place, Problem, Result};
use std::collections::BTreeSet;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Files that are being written.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Writes a file completely or not at all.
///
/// ```
/// let path = std::env::temp_dir().join(format!("firsttouch-save-{}.txt", std::process::id()));
/// firsttouch_io::save(&path, |out| out.write_all(b"new"))?;
/// // A second attempt that fails leaves the first file as it is.
/// let failed = firsttouch_io::save(&path, |_| Err(std::io::Error::other("the disk is full")));
/// assert!(failed.unwrap_err().to_string().ends_with("the disk is full"));
/// assert_eq!(std::fs::read(&path).unwrap(), b"new");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn save(path: &Path, write: impl FnOnce(&mut (dyn Write + Send)) -> std::io::Result<()>) -> Result<()> {
    replace(path, write).map_err(|problem| problem.at(Place::File).in_file(path))
}

/// Creates a folder if it does not exist, and checks that it can hold new files. A caller does this before long work.
///
/// ```
/// let error = firsttouch_io::prepare_folder("../../testdata/README.md/sub".as_ref()).unwrap_err();
/// assert_eq!(error.code(), "io");
/// ```
pub fn prepare_folder(folder: &Path) -> Result<()> {
    let fail = |error: std::io::Error| Problem::Io(error).at(Place::File).in_file(folder);
    std::fs::create_dir_all(folder).map_err(fail)?;
    Unfinished::beside(&folder.join("probe")).map(drop).map_err(fail)
}

/// Removes the unfinished files of [`save`]. A caller does this before a program ends during a write.
pub fn discard_unfinished() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in std::mem::take(&mut *unfinished) {
        // The program ends: an error cannot be reported any more.
        let _ = std::fs::remove_file(path);
    }
}

fn replace(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> std::io::Result<()>,
) -> Result<(), Problem> {
    let old = match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Some(metadata),
        Ok(metadata) if metadata.is_symlink() => None,
        Ok(metadata) if metadata.is_dir() => {
            return Err(std::io::Error::from(ErrorKind::IsADirectory).into());
        }
        Ok(_) => return Err(Problem::NotRegular("a device or a pipe")),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let mut unfinished = Unfinished::beside(path)?;
    let mut out = BufWriter::new(&mut unfinished.file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    if let Some(old) = old {
        unfinished.file.set_permissions(old.permissions())?;
    }
    // Some file systems report only here that they are full.
    unfinished.file.sync_all()?;
    std::fs::rename(&unfinished.path, path)?;
    Ok(())
}

/// A new file. It is removed on drop, unless it was renamed.
struct Unfinished {
    path: PathBuf,
    file: std::fs::File,
}

impl Unfinished {
    fn beside(path: &Path) -> std::io::Result<Unfinished> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let mut unfinished = std::ffi::OsString::from(".");
            unfinished.push(name);
            unfinished.push(format!(".{}-{count}.part", std::process::id()));
            let path = path.with_file_name(unfinished);
            // Locked while the file is created, so `discard_unfinished` sees every file.
            let mut all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    all.insert(path.clone());
                    return Ok(Unfinished { path, file });
                }
                // Left over from a killed process with the same id.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After the rename there is no file of that name to remove.
        let _ = std::fs::remove_file(&self.path);
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}
