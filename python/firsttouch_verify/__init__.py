"""Checks certificates of firsttouch: files that prove that nothing touches.

It needs nothing but the standard library, and shares no code with the library that writes them. docs/certificates.md of
firsttouch has the format, the theorem and its proof. The same tests as in the verifier in Rust are done in the same
arithmetic, so both accept the same files.

    python -m firsttouch_verify FILE
"""

from __future__ import annotations

from typing import BinaryIO

from .proof import Proof
from .reading import Members, read
from .statement import Statement, header

__all__ = ["Refused", "Unreadable", "verify"]

LONGEST_LINE = 1 << 28


class Unreadable(Exception):
    """The file is no certificate: this line cannot be read."""

    def __init__(self, line: int, why: str):
        super().__init__(f"line {line}: {why}")
        self.line, self.why = line, why


class Refused(Exception):
    """The claim is not proven by this line, or by the whole file."""

    def __init__(self, line: int | None, why: str):
        super().__init__(why if line is None else f"line {line}: {why}")
        self.line, self.why = line, why


def verify(file: BinaryIO) -> dict:
    """Reads a certificate and checks it. Raises ``Unreadable`` or ``Refused``."""
    count, line_number, statement, proof = 0, 0, None, None
    while line := file.readline(LONGEST_LINE):
        line_number += 1
        try:
            if not line.endswith(b"\n"):
                raise ValueError("the line has no end, or is too long")
            members = Members(read(line[:-1].decode("utf-8")))
            if statement is None:
                claim, count = header(members)
                statement = Statement(*claim)
                continue
            if not members.has("proof"):
                if proof is not None:
                    raise ValueError("a line of the statement after a proof")
                statement.add(members)
                continue
            tree = Proof.read(members)
        except (ValueError, RecursionError) as error:
            raise Unreadable(line_number, str(error)) from None
        proof = proof or Proof(statement)
        try:
            proof.check(tree)
        except ValueError as error:
            raise Refused(line_number, str(error)) from None
    if statement is None:
        raise Unreadable(1, "the file is empty")
    if line_number != count:
        raise Unreadable(line_number, f"it has {line_number} lines and should have {count}")
    try:
        return (proof or Proof(statement)).end()
    except ValueError as error:
        raise Refused(None, str(error)) from None
