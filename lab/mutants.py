#!/usr/bin/env python3
"""Weakens one bound at a time and tells which of these mutants the tests notice.

    python3 lab/mutants.py [--only convex] [--numbers 3,17] [--from 100] [--jobs 2] [--seconds 60] [--check]

A mutant is a place in the sources where a rounding, an error, a comparison or a guard against NaN is made weaker.
`mutant_list.py` has all of them. All of them are built into one copy of the sources (target/mutants), each behind a
switch that an environment variable turns on. So one build is enough. Then each mutant runs the tests that its list
names, cheapest first, until one of them fails. The tests of a program run one after another, in the order of their
names, so the reported test is always the same. `--jobs` runs several mutants at once and changes neither the report nor
its order. A mutant that no test notices survives: either the bound has room to spare, or a test is missing. A test that
runs out of processor time also notices the mutant: a weaker bound must not make an answer wrong, but it may make a
search endless. An equivalent mutant is not run; its list says why no test can notice it.

The exit status is 1 if a mutant survives or its place is no longer in the sources. `--check` only searches the places,
and checks that each replacement is an expression: rustfmt must be able to read the file.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys

from mutant_list import ALL

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "target" / "mutants" / "sources"
CORE = "crates/firsttouch"
COPIED = ["Cargo.toml", "Cargo.lock", "README.md", "crates", "lab", "testdata", "xtask"]
NO_MUTANT = 2**32 - 2

Mutant = collections.namedtuple("Mutant", "number file text weaker why tests")

SWITCH = """
/// Which mutant is on.
#[doc(hidden)]
pub mod mutants {
    /// Whether it is this one.
    #[inline]
    pub fn is_on(number: u32) -> bool {
        static CHOSEN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
        let read = || std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(u32::MAX);
        *CHOSEN.get_or_init(read) == number
    }
}
"""


def mutants():
    """Returns all mutants, numbered in the order of the list."""
    out = []
    for file, tests, places in ALL:
        for text, weaker, *why in places:
            out.append(Mutant(len(out), file, text, weaker, why[0] if why else None, tests))
    return out


def parts(text):
    """Returns the text before the replaced expression, the expression, and the text after it."""
    if "«" not in text:
        return "", text, ""
    before, rest = text.split("«")
    return before, *rest.split("»")


def span(source, mutant):
    """Returns the place of the replaced expression, and its replacement; `None` if the text is not there."""
    before, old, after = parts(mutant.text)
    at = source.find(before + old + after)
    if at < 0:
        return None
    # `+ error` weakened to `+ 0.0`: the operator is not part of an expression.
    operator = re.match(r"(\+|-|\*|/|&&|\|\|) ", old)
    shared = operator.group(0) if operator and mutant.weaker.startswith(operator.group(0)) else ""
    start = at + len(before) + len(shared)
    return start, at + len(before + old), mutant.weaker[len(shared) :], mutant.number


def switched(source, start, end, spans):
    """Returns the source from `start` to `end` with switches at the spans, which are sorted, the outer ones first."""
    out = []
    while spans:
        (first, last, weaker, number), *spans = spans
        inside = [span for span in spans if span[0] < last]
        spans = spans[len(inside) :]
        if any(span[1] > last for span in inside):
            sys.exit(f"mutant {number} overlaps with another")
        out.append(source[start:first])
        original = switched(source, first, last, inside)
        out.append(f"(if !crate::mutants::is_on({number}) {{ {original} }} else {{ {weaker} }})")
        start = last
    return "".join(out) + source[start:end]


def sources():
    """Returns the files of the copy by name, with all mutants, and the mutants whose place was not found."""
    files = {}
    for part in COPIED:
        paths = [ROOT / part] if (ROOT / part).is_file() else (ROOT / part).rglob("*")
        for path in paths:
            if path.is_file() and "target" not in path.relative_to(ROOT).parts:
                files[path.relative_to(ROOT)] = path.read_bytes()
    by_file, missing = collections.defaultdict(list), []
    for mutant in mutants():
        name = pathlib.Path(CORE, "src", mutant.file)
        found = span(files[name].decode(), mutant)
        if found:
            by_file[name].append(found)
        else:
            missing.append(mutant)
    for name, spans in by_file.items():
        source = files[name].decode()
        spans.sort(key=lambda span: (span[0], -span[1], span[3]))
        files[name] = switched(source, 0, len(source), spans).encode()
    library = pathlib.Path(CORE, "src", "lib.rs")
    files[library] = files[library] + SWITCH.encode()
    return files, missing


def unreadable(files):
    """Returns the messages of rustfmt about mutants that are not valid Rust."""
    said = []
    for name in sorted({pathlib.Path(CORE, "src", mutant.file) for mutant in mutants()}):
        command = ["rustfmt", "--edition", "2024", "--emit", "stdout"]
        done = subprocess.run(command, input=files[name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0:
            said.append(f"{name}: {done.stderr.decode(errors='replace')}")
    return said


def write_copy(files):
    """Writes only changed files, so that a second build is quick."""
    for name, content in files.items():
        path = COPY / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for path in COPY.rglob("*.rs"):
        if path.relative_to(COPY) not in files:
            path.unlink()


def build():
    """Returns the two test programs, by name."""
    environment = dict(os.environ, CARGO_PROFILE_DEV_OPT_LEVEL="1", CARGO_PROFILE_DEV_DEBUG="false")
    environment["RUSTFLAGS"] = "-A warnings"
    environment["CARGO_TARGET_DIR"] = str(COPY.parent / "build")
    command = ["cargo", "test", "-p", "firsttouch", "--no-run", "--message-format=json", "--lib", "--test", "suite"]
    done = subprocess.run(command, cwd=COPY, env=environment, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0:
        for message in messages:
            if message.get("message", {}).get("level") == "error":
                print(message["message"]["rendered"])
        sys.exit("the mutants do not build")
    programs = {}
    for message in messages:
        if message.get("executable") and message["profile"]["test"]:
            name = message["target"]["name"]
            programs["lib" if name == "firsttouch" else name] = message["executable"]
    return programs


def killer(programs, tests, number, seconds):
    """Returns the first of the tests that notices the mutant."""
    environment = dict(os.environ, MUTANT=str(number), RUST_BACKTRACE="0")
    for test in tests:
        name, *filters = test.split()
        # A test outside of the library is a module of the suite.
        if name == "lib":
            command = [programs["lib"], *filters]
        else:
            command = [programs["suite"], *(f"{name}::{filter}" for filter in filters or [""])]
        command.append("--test-threads=1")
        process = subprocess.Popen(
            command, cwd=COPY / CORE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace"
        )
        # This is processor time: on a busy machine a test takes longer.
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
        failed, ran = None, False
        with process.stdout:
            for line in process.stdout:
                ran = ran or line.startswith("test ")
                failed = re.match(r"test (\S+).* FAILED$", line.rstrip())
                if failed:
                    process.kill()
                    break
        status = process.wait()
        if failed:
            return f"{name} {failed.group(1)}"
        if status in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"{test} (out of time)"
        if status != 0:
            return test
        if not ran:
            sys.exit(f"no test is called {test}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="mutants of files whose path contains this")
    parser.add_argument("--numbers", default="", help="mutants with these numbers")
    parser.add_argument("--from", dest="first", type=int, default=0, help="mutants from this number on")
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants to run at the same time")
    parser.add_argument("--seconds", type=float, default=120, help="of processor time, for each run of a test program")
    parser.add_argument("--check", action="store_true", help="only look for the places in the sources, and whether they can be read")
    given = parser.parse_args()
    files, missing = sources()
    for mutant in missing:
        print(f"not found: {mutant.number} {mutant.file}: {mutant.text}")
    if given.check:
        said = unreadable(files)
        for text in said:
            print(text)
        sys.exit(bool(missing or said))
    numbers = {int(number) for number in given.numbers.split(",") if number}
    is_chosen = lambda m: given.only in m.file and (not numbers or m.number in numbers) and m.number >= given.first
    chosen = [m for m in mutants() if is_chosen(m) and m not in missing]
    write_copy(files)
    programs = build()
    counts = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        tests = sorted({test for m in chosen if not m.why for test in m.tests})
        failing = pool.map(lambda test: killer(programs, [test], NO_MUTANT, 10 * given.seconds), tests)
        for test, name in zip(tests, failing):
            if name:
                pool.shutdown(cancel_futures=True)
                sys.exit(f"{test} fails without any mutant: {name}")
        find = lambda m: None if m.why else killer(programs, m.tests, m.number, given.seconds)
        for mutant, name in zip(chosen, pool.map(find, chosen)):
            if mutant.why:
                what, detail = "equivalent", mutant.why
            else:
                what, detail = ("killed", f"by {name}") if name else ("SURVIVED", "")
            counts[mutant.file][what] += 1
            before, old, after = parts(mutant.text)
            print(f"{mutant.number:3} {what:10} {mutant.file}: {old} -> {mutant.weaker}  {detail}", flush=True)
    total = collections.Counter()
    print(f"\n{'file':32} killed survived equivalent")
    for file, count in counts.items():
        total += count
        print(f"{file:32} {count['killed']:6} {count['SURVIVED']:8} {count['equivalent']:10}")
    print(f"{'all':32} {total['killed']:6} {total['SURVIVED']:8} {total['equivalent']:10}")
    sys.exit(bool(missing or total["SURVIVED"]))


if __name__ == "__main__":
    main()
