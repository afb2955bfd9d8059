#!/usr/bin/env python3
"""Finds the sentences in comments and docs that a reader is likely to read twice.

usage: .ci/prose.py [--list N] [--limit PERCENT] [--long COLUMNS] [PATH ..]

  PATH              files or folders; by default all tracked files of this repository
  --list N          prints at most N flagged sentences and N long lines, spread evenly; by default all of them
  --limit PERCENT   exits with status 1 if a larger share of the sentences is flagged
  --long COLUMNS    also prints comment lines that are longer, and exits with status 1 if there are any

A sentence is flagged if it matches a pattern below or has more than 38 words, not counting code. A flag marks a place
to look at, not an error: `prose: ok` in a comment exempts its line. Code, tables and headings are left out, and so is
a clause "Where .., the .." with its main clause.
"""
import argparse
import pathlib
import re
import subprocess
import sys

PATTERNS = [
    ("clause as a noun", r"\b(?:[Ww]hat|[Ww]hatever) (?:is|are|was|were|has|have|had|it|they|a|an|the|this|that|these|each|both|all|no|can|could|must|may|"
     r"does|do|did|follows|remains|touches|moves|makes|comes|one|two|others|such|else)\b(?![^.]*\?)"),
    ("pronoun chain", r"\b(?:that|those) of (?:that|those|the other|both|all)\b|\bthose (?:that|which|whose) (?:are|is|have|has|do)\b"),
    ("so many", r"\b[Ss]o (?:many|few|far|long) (?!as\b|that\b)\w+|\b[Aa]s (?:many|far|long|often) as (?:they|it|that)\b"),
    ("nothing or none as subject", r"^(?:Nothing|None|Nobody|No one|Neither|Never) (?:if|of|is|that|else|more)\b"),
    ("question as a statement", r"^(?:(?:Whether|How|Which|Why|Who)\b[^?]{12,}|"
     r"Where\b(?![^,]+, (?:a|an|the|it|they|there|this|these|that|no|both|all|each|one|two|X)\b)[^?]{12,}|When [^,?]+)[.:]$"),
    ("stiff word", r"\b(?:anew|dearer|come by|came by|in vain|gone through|goes through all|looked at|asked about|asked for|is asked|are asked|"
     r"thereof|hardly|wherefrom|of one's own|likewise|beforehand|thereby|therein)\b"),
    ("trailing too", r", too\.|\bas well as [^,.]{40,}"),
    ("inverted order", r"^(?:Of|To|From|Over|Beside|Besides|Among) (?:a|an|the|these|those|all|each|two|every|up) [^,.]{4,40} "
     r"(?:is|are|has|have|comes|come|stands|stand|gets|get)\b"),
]
WORDS = 38
IN_PLACE = "// not a bound:"  # a test reads this mark on the line of its code, however long that is
MARKS = {".rs": "//", ".ts": "//", ".mjs": "//", ".h": "//", ".hpp": "//", ".c": "//", ".cpp": "//", ".py": "#", ".pyi": "#", ".md": ""}
ABBREVIATIONS = re.compile(r"(?:\be\.g|\bi\.e|\bcf|\bvs|\bal|\bFig|\bSec|\bEq|\.)\.$")


def trailing_comment(line, mark):
    """Returns the text of a comment behind code, or "". A mark inside a string and an order to a tool do not count."""
    i, quote = 0, None
    while i < len(line):
        c = line[i]
        if quote:
            i += c == "\\"
            quote = None if c == quote else quote
        elif c == '"' or (c == "'" and mark == "#"):
            quote = c
        elif line.startswith(mark, i) and i and line[i - 1] == " ":
            return re.sub(r"^(?:noqa|type:|pyright:|fmt:).*", "", line[i + len(mark):].strip())
        i += 1
    return ""


def comments(path, text):
    """Yields line number and text of the comments, with an empty text where a paragraph ends."""
    mark, fence, quotes, text_of_code, margin = MARKS[path.suffix], False, False, False, 0
    for number, line in enumerate(text.splitlines(), 1):
        s = line.strip()
        if not mark:
            body = re.sub(r"^> ?", "", s)
        elif mark == "#":
            edges, indent = s.count('"""'), len(line) - len(line.lstrip())
            if text_of_code or not quotes and edges == 1 and not s.startswith(('"""', 'r"""', "#")):
                text_of_code ^= edges == 1  # a string that is a value, not a docstring
                body = ""
            elif quotes or s.startswith(('"""', 'r"""')):
                if indent != margin:
                    yield number, ""  # the description of a parameter
                margin = indent
                body = re.sub(r'^r?"""|"""$', "", s)
                if re.fullmatch(r"-+", body) or re.search(r"\S  +\S", body):
                    body = ""
                quotes ^= edges == 1
            else:
                body = re.match(r"(?:#(?!!) ?(.*))?", s).group(1) or trailing_comment(line, mark)
        else:
            found = re.match(r"(?:///?!?|/?\*+(?= |$)(?!/))\s?(.*)", s)
            body = found.group(1) if found else trailing_comment(line, mark)
            if not found:
                yield number, ""
        if body.lstrip().startswith("```"):
            fence = not fence
            body = ""
        elif fence or body.startswith(("|", "#", "<", "!", "[!", ">>>", "...", "$")) or line.startswith("    ") and not mark or "prose: ok" in body:
            body = ""
        if re.match(r"\s*(?:[-*] |\d+\. )", body):
            yield number, ""
            body = re.sub(r"^\s*(?:[-*]|\d+\.) +", "", body)
        body = re.sub(r"^\*\*[^*]+\*\*", "", body).replace("**", "").strip()  # the label of a paragraph
        yield number, body


def without_code(text):
    text = re.sub(r"`[^`]*`|\$[^$]+\$|\[[A-Z][^\]]*\]\([^)]*#[^)]*\)", "X", text)  # a heading is named as it is
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or "X", text)


def sentences(path, text):
    """Yields the line on which a sentence starts, and the sentence, with code spans replaced by X."""
    start, words = None, ""
    for number, body in [*comments(path, text), (0, "")]:
        if not body:
            if words:
                yield start, without_code(words)
            start, words = None, ""
            continue
        words, start = f"{words} {body.strip()}".strip(), start or number
        if words.count("`") % 2:
            continue
        words = without_code(words)
        at = 0
        while end := re.search(r"[.!?:](?=\s|$)", words[at:]):
            stop = at + end.end()
            if ABBREVIATIONS.search(words[:stop]):
                at = stop
                continue
            yield start, words[:stop]
            words, at, start = words[stop:].strip(), 0, number
        start = start if words else None


def findings_in(sentence):
    """Returns the names of the patterns that a sentence matches, after splitting it at its colons."""
    found = []
    for part in re.split(r"(?<=:)\s", without_code(sentence)):
        if len(part.split()) >= 4:
            found += [name for name, pattern in PATTERNS if re.search(pattern, part)]
            words = [word.strip(".,;:()") for word in re.sub(r"\bX\b", "", part).split()]
            is_list = len(set(words)) <= 2 * WORDS // 3  # a list of names repeats itself
            found += ["long"] * (len(words) > WORDS and not is_list)
    return found


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    options.add_argument("--list", type=int)
    options.add_argument("--limit", type=float)
    options.add_argument("--long", type=int)
    options.add_argument("paths", nargs="*")
    options = options.parse_args()
    files = subprocess.run(["git", "ls-files", *options.paths], capture_output=True, text=True, check=True).stdout.splitlines()
    counts, flagged, long_lines, total = {}, [], [], 0
    for file in files:
        path = pathlib.Path(file)
        if path.suffix not in MARKS or "assets" in path.parts or not path.exists():
            continue
        text = path.read_text(errors="replace")
        for number, sentence in sentences(path, text):
            if len(sentence.split()) < 4:
                continue
            total += 1
            if found := findings_in(sentence):
                flagged.append(f"{file}:{number}: {found[0]}: {sentence}")
                for name in found:
                    counts[name] = counts.get(name, 0) + 1
        if options.long and MARKS[path.suffix]:
            lines = text.splitlines()
            numbers = {number for number, body in comments(path, text) if body}
            long_lines += [f"{file}:{n}: {len(lines[n - 1])} columns" for n in sorted(numbers)
                           if len(lines[n - 1]) > options.long and IN_PLACE not in lines[n - 1]]
    for lines in (flagged, long_lines):
        shown = len(lines) if options.list is None else options.list
        for line in lines[:: max(1, len(lines) // max(shown, 1))][:shown]:
            print(line)
    share = 100 * len(flagged) / max(total, 1)
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: -item[1])))
    print(f"{len(flagged)} of {total} sentences ({share:.1f} %)" + (f", {len(long_lines)} comment lines over {options.long} columns" if options.long else ""))
    return int((options.limit is not None and share > options.limit) or bool(long_lines))


if __name__ == "__main__":
    sys.exit(main())
