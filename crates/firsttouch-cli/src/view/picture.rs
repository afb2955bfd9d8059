//! The page as a PNG file: a Chromium that is installed draws it, without a window.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::args::{ThemeArg, ViewArgs};
use crate::output::Failure;

/// Names of browsers that take pictures.
const NAMES: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];

/// The places of browsers on macOS.
const APPLICATIONS: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// After this time a browser that draws nothing is given up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the browser: the one that $CHROME names, or the first that is found.
pub(super) fn browser() -> Result<PathBuf, Failure> {
    if let Some(name) = std::env::var_os("CHROME").filter(|name| !name.is_empty()) {
        return on_path(Path::new(&name)).ok_or_else(|| {
            Failure::Other(format!("$CHROME names no program: {}", Path::new(&name).display()))
        });
    }
    let found = NAMES.iter().find_map(|name| on_path(Path::new(name)));
    found
        .or_else(|| APPLICATIONS.iter().map(PathBuf::from).find(|path| path.is_file()))
        .ok_or_else(|| {
            Failure::Other(format!(
                "--png needs Chromium or Chrome, and none was found (tried {}); $CHROME names another one, and --out writes a page that any browser shows",
                NAMES.join(", ")
            ))
        })
}

/// Returns the program of that name: a path, or a name that is searched as the shell does.
pub(super) fn on_path(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_path_buf());
    }
    let folders = std::env::var_os("PATH")?;
    let endings: &[&str] = if cfg!(windows) { &["", ".exe"] } else { &[""] };
    std::env::split_paths(&folders)
        .flat_map(|folder| {
            endings.iter().map(move |ending| folder.join(format!("{}{ending}", name.display())))
        })
        .find(|path| path.is_file())
}

/// Draws a page and writes it to a file.
pub(super) fn take(browser: &Path, page: &str, file: &Path, args: &ViewArgs) -> Result<(), Failure> {
    let folder = Folder::new()?;
    let (html, png) = (folder.0.join("page.html"), folder.0.join("picture.png"));
    std::fs::write(&html, page).map_err(|error| failed(&html, &error))?;
    let theme = match args.theme {
        ThemeArg::Light => "light",
        ThemeArg::Dark => "dark",
    };
    let time = args.time.as_deref().unwrap_or("touch");
    let [width, height] = args.size;
    let child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader"])
        .args([
            "--enable-unsafe-swiftshader",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking", "--disable-component-update"])
        .args(["--disable-sync", "--virtual-time-budget=10000"])
        .arg(format!("--user-data-dir={}", folder.0.join("profile").display()))
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--screenshot={}", png.display()))
        .arg(format!("{}#t={time}&ui=0&theme={theme}", file_url(&html)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(browser, &error))?;
    finish(child, browser)?;
    let picture =
        std::fs::read(&png).map_err(|_| Failure::Other(format!("{} drew no picture", browser.display())))?;
    Ok(firsttouch_io::save(file, |out| std::io::Write::write_all(out, &picture))?)
}

/// Waits for the browser, but not forever.
fn finish(mut child: Child, browser: &Path) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        match child.try_wait().map_err(|error| failed(browser, &error))? {
            Some(_) => return Ok(()),
            None if began.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                let seconds = PATIENCE.as_secs();
                return Err(Failure::Other(format!("{} drew nothing in {seconds} s", browser.display())));
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Other(format!("{}: {error}", path.display()))
}

/// Returns the address of a file.
fn file_url(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let text = path.to_string_lossy().replace('\\', "/");
    let mut url = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/:-._~".contains(&byte) {
            url.push(byte as char);
        } else {
            url += &format!("%{byte:02X}");
        }
    }
    url
}

/// A folder for the page, the picture and the profile, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
        let path = std::env::temp_dir().join(format!("firsttouch-view-{}-{now}", std::process::id()));
        // Not `create_dir_all`: a folder of that name that exists already belongs to someone else.
        std::fs::create_dir(&path).map_err(|error| failed(&path, &error))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_files() {
        assert_eq!(file_url(Path::new("/tmp/a b/#%é.html")), "file:///tmp/a%20b/%23%25%C3%A9.html");
    }

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(on_path(Path::new("no such program")).is_none());
        assert!(on_path(Path::new("/nowhere/chromium")).is_none());
    }
}
