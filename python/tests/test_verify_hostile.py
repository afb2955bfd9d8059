"""The verifier of certificates and files that someone has made to break it: verified, refused or unreadable, and
nothing else.

It needs neither the library nor NumPy: `python tests/test_verify_hostile.py` runs it by itself.
"""

import io
import random
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from firsttouch_verify import Refused, Unreadable, verify  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "testdata" / "certificates"
BASE = (FOLDER / "everything.ftc").read_bytes()


def status(data: bytes) -> int:
    try:
        verify(io.BytesIO(data))
    except Refused:
        return 1
    except Unreadable:
        return 2
    return 0


def unescaped(text: str) -> bytes:
    def byte(found):
        code = found[1]
        return bytes([int(code[1:], 16)]) if code.startswith(b"x") else {b"n": b"\n", b"t": b"\t", b"\\": b"\\"}[code]

    return re.sub(rb"\\(n|t|\\|x[0-9a-f]{2})", byte, text.encode())


def table():
    """The cases of `hostile.tsv`, which the verifier in Rust reads as well."""
    for line in (FOLDER / "hostile.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        wanted, name, kind, *arguments = line.split("\t")
        first, *rest = map(unescaped, arguments)
        if kind == "text":
            data = first * int(rest[0]) + rest[1]
        elif kind == "replace":
            assert first in BASE, name
            data = BASE.replace(first, rest[0] * int(rest[1]), 1)
        else:
            data = BASE[: int(first)]
        yield name, int(wanted), data


def test_both_verifiers_say_the_same_of_the_table():
    cases = list(table())
    assert len(cases) > 140
    for name, wanted, data in cases:
        start = time.monotonic()
        assert status(data) == wanted, name
        assert time.monotonic() - start < 20, name


def test_seeded_damage_is_noticed_or_harmless():
    source = random.Random(20_010_101)
    tokens = [b"1e999", b"NaN", b"[", b"]", b"{", b"}", b'"', b"\\", b"null", b"-1", b"0", b"1e100", b"1e-320", b",", b"\n", b'"apart":', b"\xff"]
    others = [b"0", b"1", b"-1", b"0.5", b"7", b"1e100", b"1e-320"]
    counts = [0, 0, 0]
    for _ in range(150):
        data = bytearray(BASE)
        for _ in range(source.randint(1, 2)):
            place, length = source.randrange(len(data)), source.randint(1, 30)
            way = source.randrange(10)
            if way == 0:
                data[place] = source.randrange(256)
            elif way == 1:
                del data[place : place + length]
            elif way == 2:
                data[place:place] = data[place : place + length]
            elif way == 3:
                data[place : place + length] = source.choice(tokens)
            else:
                numbers = [found.span() for found in re.finditer(rb"-?\d+\.?\d*", bytes(data))]
                start, end = source.choice(numbers)
                data[start:end] = source.choice(others)
        counts[status(bytes(data))] += 1
    assert counts[0] > 5 and counts[1] > 10 and counts[2] > 50, counts


def test_long_chains_and_deep_trees_are_no_crash():
    """The longest chain of frames that is allowed, under the deepest tree: neither may exhaust the stack."""
    frames = [
        '{"frame":%d,"in":%s,"moves":[{"until":1,"by":[{"pose":[0,0,0,1,0,0,0]}]}]}' % (k, "null" if k == 0 else k - 1) for k in range(500)
    ]
    splits = ",".join('{"split_t":%r}' % 0.5**k for k in range(1, 401))
    for frame, nodes, wanted in [
        (499, '{"apart":[1,0,0]}', 0),
        (499, splits + ',{"apart":[1,0,0]}' * 401, 0),
        (499, splits + ',{"split_t":1e-200},{"apart":[1,0,0]}' * 402, 1),
    ]:
        lines = [
            '{"shape":0,"box":[1,1,1]}',
            *frames,
            '{"frame":500,"in":null,"moves":[{"until":1,"by":[{"pose":[9,0,0,1,0,0,0]}]}]}',
            '{"part":0,"body":"a","name":"","frame":%d,"shape":0}' % frame,
            '{"part":1,"body":"b","name":"","frame":500,"shape":0}',
            '{"proof":[[0,1],[1,2]],"frame":null,"nodes":[%s]}' % nodes,
        ]
        first = '{"format":"firsttouch-certificate","version":1,"lines":%d,"claim":{"free_until":1,"separation":0},"sources":[]}' % (len(lines) + 1)
        assert status("\n".join([first, *lines, ""]).encode()) == wanted


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print("passed:", name)
