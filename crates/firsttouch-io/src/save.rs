//! Files out: all of a file, or none of it.
//!
//! 1. The bytes go to a new file beside the one that is wanted, under a name that no other process uses.
//! 2. When all of them are on the disk, it is renamed. Whoever opens the file sees the old one or the new one, whole.
//! 3. When anything fails, the new file is removed and the old one is as it was.
//!
//! A link in the place of the file is replaced by the file; what the link points to is not touched. A folder, a pipe or a
//! device there is refused.

use crate::error::{Place, Problem, Result};
use std::collections::BTreeSet;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Files that are being written at this moment.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Writes a file, whole or not at all.
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
pub fn save(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    replace(path, write).map_err(|problem| problem.at(Place::File).in_file(path))
}

/// Makes a folder, if it is not there, and refuses one in which no file can be made. To be called before long work.
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

/// Removes what [`save`] has begun and not finished, before a program ends in the middle of it.
pub fn discard_unfinished() {
    let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in std::mem::take(&mut *unfinished) {
        // There is nobody left to tell.
        let _ = std::fs::remove_file(path);
    }
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Problem> {
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
    // Some file systems find out that they are full only here.
    unfinished.file.sync_all()?;
    std::fs::rename(&unfinished.path, path)?;
    Ok(())
}

/// A new file. It is removed when this goes away, unless it was renamed.
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
            // Locked while it is made, so that none escapes `discard_unfinished`.
            let mut all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    all.insert(path.clone());
                    return Ok(Unfinished { path, file });
                }
                // Left behind by a process of the same number that was killed.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After the rename there is nothing of that name.
        let _ = std::fs::remove_file(&self.path);
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
    }
}
