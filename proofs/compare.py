"""Gives certificates, and tampered ones, to the proved checker and to both verifiers:
`python3 compare.py CHECKER VERIFIER FOLDER`.

All three must say the same, except about files outside of the proved fragment.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ANSWERS = ["verified", "refused", "unreadable", "outside"]

# Certificates that the theorem does not speak of. All others are to be verified.
OUTSIDE = ["turning"]


def status(command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, cwd=HERE.parent / "python")
    return ANSWERS[done.returncode]


def all_say(checker, verifier, file):
    """The answers of the checker, and of the verifiers in Rust and Python."""
    return (
        status([sys.executable, HERE / "check.py", checker, file]),
        status([verifier, file]),
        status([sys.executable, "-m", "firsttouch_verify", file]),
    )


def tampered(text):
    """What someone would try. Each makes the claim false, or its proof incomplete."""
    lines = [json.loads(line) for line in text.splitlines()]

    def changed(change):
        copy = json.loads(json.dumps(lines))
        copy = change(copy) or copy
        copy[0]["lines"] = len(copy)
        return "".join(json.dumps(line) + "\n" for line in copy)

    def larger_claim(copy):
        copy[0]["claim"]["separation"] = 100

    yield "a larger separation", changed(larger_claim)
    proofs = [k for k, line in enumerate(lines) if "proof" in line]
    for k in proofs:
        yield f"line {k + 1} dropped", changed(lambda copy: copy[:k] + copy[k + 1 :])

        def turned(copy):
            node = next(node for node in copy[k]["nodes"] if "apart" in node)
            node["apart"] = [-x for x in node["apart"]]

        yield f"a direction of line {k + 1} turned around", changed(turned)

    def without_last(copy):
        copy[proofs[-1]]["nodes"].pop()

    yield "the last node dropped", changed(without_last)

    def everything_in_one_place(copy):
        for line in copy:
            if "part" in line:
                line["frame"], line["shape"] = None, 0

    yield "all parts in one place", changed(everything_in_one_place)


def main():
    checker, verifier, folder = (Path(one).resolve() for one in sys.argv[1:])
    files = sorted(folder.glob("*.ftc"))
    counts = {}
    for file in files:
        wanted = "outside" if file.stem in OUTSIDE else "verified"
        found = all_say(checker, verifier, file)
        if found != (wanted, "verified", "verified"):
            sys.exit(f"{file.name}: {found}")
        print(f"{file.name}: {wanted} by the proved checker, verified by the two others")
        if wanted == "outside":
            continue
        for what, text in tampered(file.read_text()):
            with tempfile.NamedTemporaryFile("w", suffix=".ftc") as changed:
                changed.write(text)
                changed.flush()
                found = all_say(checker, verifier, changed.name)
            if len(set(found)) != 1 or found[0] == "verified":
                sys.exit(f"{file.name}, {what}: {found}")
            counts[found[0]] = counts.get(found[0], 0) + 1
    if len(files) < 5 or sum(counts.values()) < 25:
        sys.exit("certificates are missing")
    print("tampered certificates, of which all three say the same:", counts)


if __name__ == "__main__":
    main()
