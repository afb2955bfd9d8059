#!/usr/bin/env python3
"""Weakens one bound at a time and tells which of these mutants the tests notice.

    python3 lab/mutants.py [--only convex] [--seconds 60] [--tests lib,attack_rigid]

A mutant is a place in the sources where a rounding, an error or a comparison is made weaker. All of them are built into one
copy of the sources (target/mutants), each behind a switch that an environment variable turns: one build is enough for all. Then
the tests run once for each mutant, until one of them fails. A mutant that no test notices survives: either the bound has
room to spare, or a test is missing. A test that runs out of time counts as one that noticed.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "target" / "mutants" / "sources"
CORE = "crates/firsttouch"
TESTS = "lib,enclosures,elementary_exact,attack_rigid,hostile_deforming,attack_robots"

# File, expression, weaker expression. An expression that occurs more than once is mutated at its first place.
MUTANTS = [
    ("numerics/interval.rs", "(0.0..=f64::MAX).contains(&e)", "true"),
    ("numerics/interval.rs", "(f64::MIN..=0.0).contains(&e)", "true"),
    ("numerics/interval.rs", "(c - (STEP * c.abs() + ETA)).min(f64::MAX)", "c"),
    ("numerics/interval.rs", "(c + (STEP * c.abs() + ETA)).max(f64::MIN)", "c"),
    ("numerics/interval.rs", "b.lo <= 0.0 && b.hi >= 0.0", "b.lo < 0.0 && b.hi > 0.0"),
    ("numerics/interval.rs", "short(q) && short(y) && unrounded(q * y) && q * y == x", "q * y == x"),
    ("numerics/taylor.rs", "self.r + other.r + error", "self.r + other.r"),
    ("numerics/taylor.rs", "8.0 * 1.2e-16 * mass + TINY", "0.0"),
    ("numerics/taylor.rs", "32.0 * 1.2e-16 * mass + TINY", "0.0"),
    ("numerics/taylor.rs", "(value_error + steepest * length) * UP", "value_error"),
    ("numerics/taylor.rs", "add_up(angle.radius(), half_turn.radius())", "angle.radius()"),
    ("numerics/taylor.rs", "7.2e-15 * (d2 + d4 + d6)", "0.0"),
    ("numerics/taylor.rs", "pc.abs() * even_error + qc.abs() * odd_error", "pc.abs() * even_error"),
    ("numerics/sin_cos.rs", "v.abs() * 1.144e-16", "0.0"),
    ("numerics/sin_cos.rs", "r.error * 1.01 + 1e-300", "0.0"),
    ("numerics/sin_cos.rs", "i64::from(start.hi <= 2.0 * start.error)", "0"),
    ("numerics/bound.rs", "bounds.into_iter().fold(0.0, upper_max)", "bounds.into_iter().fold(0.0, f64::max)"),
    ("numerics/bound.rs", "bounds.into_iter().fold(f64::INFINITY, lower_min)", "bounds.into_iter().fold(f64::INFINITY, f64::min)"),
    ("numerics/bernstein_grid.rs", "pairs.all(|(value, error)| value > error)", "pairs.all(|(value, _)| *value > 0.0)"),
    ("numerics/bernstein_grid.rs", "(value - error).next_down()", "*value"),
    ("advancement/conservative.rs", "now.lower - min_separation", "now.lower"),
    ("advancement/conservative.rs", "margin / speed * (1.0 - 4.0 * f64::EPSILON)", "margin / speed * (1.0 + 1e-6)"),
    ("advancement/conservative.rs", "(t + margin / speed * (1.0 - 4.0 * f64::EPSILON)).next_down()", "t + margin / speed"),
    ("advancement/conservative.rs", "angle * (angle * bounds.distance + 2.0 * bounds.speed * h) + bounds.acceleration * h * h", "bounds.acceleration * h * h"),
    ("advancement/conservative.rs", "2.0 * bounds.speed * h", "0.0"),
    ("advancement/conservative.rs", "0.5 * dip * (1.0 + 64.0 * f64::EPSILON) + TINY <= roots * roots", "0.5 * dip <= 2.0 * roots * roots"),
    ("advancement/conservative.rs", "s_0 > 0.0 && s_1 > 0.0", "s_0 > 0.0"),
    ("advancement/conservative.rs", "chord > 1.4", "false"),
    ("advancement/queue.rs", "bound > t_max", "bound >= t_max"),
    ("advancement/queue.rs", "t < *known", "t > *known"),
    ("convex.rs", "self.error + 2.0 * ROUNDING * size", "self.error"),
    ("convex.rs", "swept(error.rotation, core_reach) + ROUNDING * reach + error.translation", "0.0"),
    ("convex.rs", "n.dot(poses[1].translation - poses[0].translation) - (h_a + h_b) - self.error_now()", "n.dot(poses[1].translation - poses[0].translation) - (h_a + h_b)"),
    ("convex.rs", "self.error_now() + (self.a.shape.uncertainty() + self.b.shape.uncertainty())", "0.0"),
    ("convex.rs", "frames + (self.a.shape.drift_along(n, window) + self.b.shape.drift_along(-n, window))", "frames"),
    ("convex.rs", "apart + speed * 2.0 * window.half_width() + self.error_now()", "apart"),
    ("elementary/coplanarity.rs", "low > error || high < -error", "low > 0.0 || high < 0.0"),
    ("elementary/coplanarity.rs", "256.0 * U * U * cubic.size + 2.0 * U * value.abs() + TINY_CUBIC", "0.0"),
    ("elementary/coplanarity.rs", "(t - most).next_down().max(0.0)", "(t - least).next_up().max(0.0)"),
    ("elementary/advancement.rs", "16.0 * U * self.size[i] + TINY", "0.0"),
    ("elementary/advancement.rs", "error - n.dot(velocity)", "-n.dot(velocity) - error"),
    ("elementary/advancement.rs", "separation * (1.0 + 4.0 * f64::EPSILON) + TINY", "separation"),
    ("elementary/axes.rs", "enter * BELOW", "enter * ABOVE"),
    ("elementary/axes.rs", "enter > exit * ABOVE + TINY || enter > t_max + TINY", "enter > exit * BELOW || enter > t_max"),
    ("tree/mod.rs", "2.0 * margin / (closing + root) * (1.0 - 32.0 * UNIT)", "2.0 * margin / (closing + root) * (1.0 + 1e-6)"),
    ("tree/mod.rs", "(root - closing) / bend * (1.0 - 32.0 * UNIT)", "(root - closing) / bend * (1.0 + 1e-6)"),
    ("tree/mod.rs", "(closing * closing + 2.0 * bend * margin).sqrt()", "closing.abs()"),
    ("tree/mod.rs", "(2.0 * error_a.rotation + 128.0 * UNIT) * size", "0.0"),
    ("tree/mod.rs", "(error_a.rotation + 32.0 * UNIT) * origins", "0.0"),
    ("tree/mod.rs", "turning * (1.0 + 16.0 * UNIT) + 64.0 * UNIT", "0.0"),
    ("tree/mod.rs", "margin / speed * (1.0 - 8.0 * UNIT)", "margin / speed * (1.0 + 1e-6)"),
]

SWITCH = """
/// Which mutant is on.
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


def copy_with_mutants():
    """The sources with all mutants; returns the numbers of those whose place was found."""
    shutil.rmtree(COPY, ignore_errors=True)
    for part in ["Cargo.toml", "Cargo.lock", "README.md", "crates", "lab"]:
        source, target = ROOT / part, COPY / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    library = COPY / CORE / "src" / "lib.rs"
    library.write_text(library.read_text() + SWITCH)
    # Longer expressions first: a shorter one may be a part of it, and its text stays in the switch.
    built = []
    for number, (file, old, new) in sorted(enumerate(MUTANTS), key=lambda item: -len(item[1][1])):
        path = COPY / CORE / "src" / file
        text = path.read_text()
        if old not in text:
            print(f"not found: {file}: {old}")
            continue
        switched = f"(if crate::mutants::is_on({number}) {{ {new} }} else {{ {old} }})"
        path.write_text(text.replace(old, switched, 1))
        built.append(number)
    return sorted(built)


def build(tests):
    """The test programs, by name."""
    flags = [flag for name in tests for flag in (["--lib"] if name == "lib" else ["--test", name])]
    environment = dict(os.environ, CARGO_PROFILE_DEV_OPT_LEVEL="1", CARGO_PROFILE_DEV_DEBUG="false")
    environment["RUSTFLAGS"] = "-A warnings"
    environment["CARGO_TARGET_DIR"] = str(COPY.parent / "build")
    command = ["cargo", "test", "-p", "firsttouch", "--no-run", "--message-format=json", *flags]
    done = subprocess.run(command, cwd=COPY, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("the mutants do not build")
    messages = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    programs = {}
    for message in messages:
        if message.get("executable") and message["profile"]["test"]:
            name = message["target"]["name"]
            programs["lib" if name == "firsttouch" else name] = message["executable"]
    return [(name, programs[name]) for name in tests]


def killer(programs, number, seconds):
    """The first program that notices the mutant."""
    environment = dict(os.environ, MUTANT=str(number), RUST_BACKTRACE="0")
    for name, program in programs:
        try:
            done = subprocess.run(
                [program, "-q"], cwd=COPY / CORE, env=environment, timeout=seconds, capture_output=True
            )
        except subprocess.TimeoutExpired:
            return name + " (out of time)"
        if done.returncode != 0:
            return name
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="mutants of files whose path contains this")
    parser.add_argument("--seconds", type=float, default=300, help="for each test program")
    parser.add_argument("--tests", default=TESTS, help="test programs, quickest first")
    given = parser.parse_args()
    found = copy_with_mutants()
    programs = build(given.tests.split(","))
    if killer(programs, 2**32 - 2, given.seconds):
        sys.exit("the tests fail without any mutant")
    killed, survived = 0, []
    for number in found:
        file, old, new = MUTANTS[number]
        if given.only not in file:
            continue
        name = killer(programs, number, given.seconds)
        print(f"{number:3} {file}: {old} -> {new}: {'killed by ' + name if name else 'SURVIVED'}", flush=True)
        killed += name is not None
        if not name:
            survived.append(number)
    print(f"{killed} killed, {len(survived)} survived: {survived}")


if __name__ == "__main__":
    main()
