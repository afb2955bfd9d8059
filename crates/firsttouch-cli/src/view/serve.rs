//! The page on this machine: a server of one page, which is made again when a file changes.
//!
//! It listens on the loopback interface only. Another machine cannot reach it. But a page of another site in the same
//! browser could, by a name that it lets point to 127.0.0.1. So a request must name this machine in its `Host`, and
//! other origins get no permissions. It answers `GET` only, serves no files, and keeps at most [`MOST`] connections.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::{Input, Made, make, summary};
use crate::args::{Shared, ViewArgs};
use crate::output::{Failure, Status, complain, print_piece};

/// More connections than these are refused.
const MOST: usize = 32;

/// The longest head of a request that is read, in bytes.
const LONGEST_HEAD: u64 = 16 << 10;

/// The interval at which files are checked.
const PAUSE: Duration = Duration::from_millis(250);

/// After this time without news the browser is told so, which reveals a closed connection.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// The current page.
struct Page {
    /// The number of times it was made, and its text.
    state: Mutex<(u64, Arc<str>)>,
    changed: Condvar,
}

#[derive(Serialize)]
struct ServingJson {
    address: String,
    answers: Vec<&'static str>,
}

pub(super) fn run(args: &ViewArgs, shared: &Shared, input: &Input<'_>) -> Result<Status, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port.unwrap_or(0)))
        .map_err(|error| Failure::Other(format!("port {}: {error}", args.port.unwrap_or(0))))?;
    let port = listener.local_addr().map_err(Failure::Output)?.port();
    let made = make(input, args, shared)?;
    let mut stamps = stamps_of(&made.watched);
    let mut watched = made.watched.clone();
    let (text, answers) = (summary(&made), made.answers.iter().map(crate::answer::word).collect());
    let page = Arc::new(Page { state: Mutex::new((0, finished(made, 0)?)), changed: Condvar::new() });
    let address = format!("http://127.0.0.1:{port}/");
    let server = Arc::clone(&page);
    std::thread::spawn(move || accept(&listener, port, &server));
    if shared.json {
        // A piece of the output: after a whole answer, Ctrl-C waits for the end of the work.
        let line = serde_json::to_string(&ServingJson { address: address.clone(), answers });
        print_piece(&(line.map_err(|error| Failure::Output(error.into()))? + "\n"))?;
    } else {
        print_piece(&format!("{address}  {text}\nmade again when a file changes; Ctrl-C ends it\n"))?;
    }
    if !args.no_open && !open_browser(&address) {
        complain("no browser was found: open the address above");
    }
    loop {
        std::thread::sleep(PAUSE);
        let now = stamps_of(&watched);
        if now == stamps {
            continue;
        }
        stamps = now;
        match make(input, args, shared) {
            Ok(made) => {
                let (text, files) = (summary(&made), made.watched.clone());
                let version = page.version() + 1;
                page.set(version, finished(made, version)?);
                // The file may name another mesh now.
                if files != watched {
                    watched = files;
                    stamps = stamps_of(&watched);
                }
                if !shared.json {
                    print_piece(&format!("made again: {text}\n"))?;
                }
            }
            // It may be half written; the previous page stays.
            Err(failure) => complain(&format!("error: {}", failure.advice())),
        }
    }
}

/// Returns the text of a page that follows changes after this version.
fn finished(made: Made, version: u64) -> Result<Arc<str>, Failure> {
    let document = made.document.live(format!("/changes?since={version}"));
    Ok(document.page().into())
}

impl Page {
    fn version(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    fn text(&self) -> Arc<str> {
        Arc::clone(&self.state.lock().unwrap_or_else(PoisonError::into_inner).1)
    }

    fn set(&self, version: u64, text: Arc<str>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (version, text);
        self.changed.notify_all();
    }

    /// Returns the version once it is no longer `known`, or after some time.
    fn wait(&self, known: u64) -> u64 {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(state, KEEP_ALIVE, |state| state.0 == known);
        waited.unwrap_or_else(PoisonError::into_inner).0.0
    }
}

/// Returns the time at which each file was written, and its length; `None` for a missing file.
fn stamps_of(files: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |path: &PathBuf| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    files.iter().map(stamp).collect()
}

fn accept(listener: &TcpListener, port: u16, page: &Arc<Page>) {
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // For example, no more files can be opened; that may pass.
            std::thread::sleep(PAUSE);
            continue;
        };
        if open.fetch_add(1, Ordering::Relaxed) >= MOST {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (page, counted) = (Arc::clone(page), Arc::clone(&open));
        let served = std::thread::Builder::new().spawn(move || {
            // A browser that has gone away is not an error.
            let _ = serve(stream, port, &page);
            counted.fetch_sub(1, Ordering::Relaxed);
        });
        if served.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers one request.
fn serve(mut stream: TcpStream, port: u16, page: &Page) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.set_write_timeout(Some(Duration::from_secs(20)))?;
    let Some(request) = Request::read(&stream)? else {
        return answer(&mut stream, "400 Bad Request", "text/plain", b"bad request\n");
    };
    if !request.names_this_machine(port) {
        return answer(&mut stream, "403 Forbidden", "text/plain", b"this page is for 127.0.0.1 only\n");
    }
    if request.method != "GET" {
        return answer(&mut stream, "405 Method Not Allowed", "text/plain", b"GET only\n");
    }
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    match path {
        "/" => answer(&mut stream, "200 OK", "text/html; charset=utf-8", page.text().as_bytes()),
        "/changes" => {
            let since = query.strip_prefix("since=").and_then(|text| text.parse().ok());
            tell_changes(&mut stream, page, since.unwrap_or_else(|| page.version()))
        }
        // Every browser requests it.
        "/favicon.ico" => answer(&mut stream, "204 No Content", "image/x-icon", b""),
        _ => answer(&mut stream, "404 Not Found", "text/plain", b"there is one page, at /\n"),
    }
}

/// Sends an event for each change after version `known`, as long as the browser listens.
fn tell_changes(stream: &mut TcpStream, page: &Page, mut known: u64) -> std::io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\nretry: 1000\n\n";
    stream.write_all(head.as_bytes())?;
    loop {
        let version = page.wait(known);
        if version == known {
            stream.write_all(b": still here\n\n")?;
        } else {
            known = version;
            stream.write_all(format!("data: {version}\n\n").as_bytes())?;
        }
        stream.flush()?;
    }
}

fn answer(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// The head of a request.
struct Request {
    method: String,
    target: String,
    hosts: Vec<String>,
}

impl Request {
    /// Returns `None` if it is not a request, or too long for one.
    fn read(stream: impl Read) -> std::io::Result<Option<Request>> {
        let mut lines = BufReader::new(stream.take(LONGEST_HEAD));
        let mut line = String::new();
        let mut next = |line: &mut String| -> std::io::Result<bool> {
            line.clear();
            match lines.read_line(line) {
                Ok(_) => Ok(line.ends_with('\n')),
                Err(error) if error.kind() == ErrorKind::InvalidData => Ok(false),
                Err(error) => Err(error),
            }
        };
        if !next(&mut line)? {
            return Ok(None);
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [method, target, version] = words[..] else { return Ok(None) };
        if !version.starts_with("HTTP/1.") {
            return Ok(None);
        }
        let mut request = Request { method: method.into(), target: target.into(), hosts: Vec::new() };
        loop {
            if !next(&mut line)? {
                return Ok(None);
            }
            let text = line.trim();
            if text.is_empty() {
                return Ok(Some(request));
            }
            if let Some((name, value)) = text.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                request.hosts.push(value.trim().to_ascii_lowercase());
            }
        }
    }

    /// Exactly one `Host`, which is this machine and the port of the server.
    fn names_this_machine(&self, port: u16) -> bool {
        matches!(&self.hosts[..], [host] if *host == format!("127.0.0.1:{port}") || *host == format!("localhost:{port}"))
    }
}

/// Calls the browser; false if there is none.
fn open_browser(address: &str) -> bool {
    let opener: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        // `start` is a word of the shell, and its first argument in quotes is the title of a window.
        &["cmd", "/C", "start", ""]
    } else {
        &["xdg-open"]
    };
    let quiet = |command: &mut Command| {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
    };
    super::picture::on_path(Path::new(opener[0])).is_some()
        && quiet(Command::new(opener[0]).args(&opener[1..]).arg(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Request> {
        Request::read(text.as_bytes()).unwrap()
    }

    /// A site whose name is made to point to this machine sends its own name, and gets nothing.
    #[test]
    fn only_this_machine_is_named() {
        let host = |host: &str| read(&format!("GET / HTTP/1.1\r\nHOST: {host}\r\n\r\n")).unwrap();
        for good in ["127.0.0.1:8000", "localhost:8000", "LocalHost:8000"] {
            assert!(host(good).names_this_machine(8000), "{good}");
        }
        for bad in ["evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "localhost.evil.example:8000", ""] {
            assert!(!host(bad).names_this_machine(8000), "{bad}");
        }
        let two = read("GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nHost: evil.example\r\n\r\n").unwrap();
        assert!(!two.names_this_machine(8000));
        assert!(!read("GET / HTTP/1.1\r\n\r\n").unwrap().names_this_machine(8000));
    }

    #[test]
    fn what_is_no_request() {
        for bad in ["", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nHost: x", "\u{0}\u{1}", "GET / SPDY\r\n\r\n"] {
            assert!(read(bad).is_none(), "{bad:?}");
        }
        let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(LONGEST_HEAD as usize));
        assert!(read(&long).is_none());
        assert!(Request::read(&b"GET /\xff HTTP/1.1\r\n\r\n"[..]).unwrap().is_none());
    }
}
