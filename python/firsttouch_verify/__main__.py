"""The command ``python -m firsttouch_verify FILE [--json]``: status 0 if the file proves its claim, 1 if not, 2 if it
cannot be read."""

import json
import os
import sys

from . import Refused, Unreadable, verify

USAGE = """usage: python -m firsttouch_verify FILE [--json]

Checks a certificate of firsttouch, which proves that nothing touches.
Exit status: 0 verified, 1 refused, 2 unreadable."""


def main() -> int:
    options = [one for one in sys.argv[1:] if one.startswith("--")]
    files = [one for one in sys.argv[1:] if not one.startswith("--")]
    if len(files) != 1 or any(option != "--json" for option in options):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        try:
            with open(files[0], "rb") as file:
                found = verify(file)
        except OSError as error:
            raise Unreadable(0, str(error)) from None
    except (Refused, Unreadable) as refusal:
        answer = "refused" if isinstance(refusal, Refused) else "unreadable"
        if options:
            print(json.dumps({"answer": answer, "line": refusal.line, "why": refusal.why}))
        else:
            place = "" if refusal.line is None else f", line {refusal.line}"
            print(f"{answer}{place}: {refusal.why}")
        return 1 if answer == "refused" else 2
    if options:
        print(json.dumps({"answer": "verified", **found}))
    else:
        apart = f" by more than {found['separation']}" if found["separation"] > 0 else ""
        print(
            f"verified: until {found['free_until']}, {found['pairs']} pairs of {found['parts']} parts are apart{apart}"
            f" ({found['nodes']} nodes)"
        )
        for reason in found["unchecked"]:
            print(f"not checked: {reason['pairs']} pairs, {reason['why']}")
    return 0


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads the text. The status must not say that the file is verified.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 2
    sys.exit(status)
