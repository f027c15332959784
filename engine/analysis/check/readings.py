"""The corpus as a trainer may have read it, where it did not read it as it should.

Each reading is a text and the mark that parts its documents. The mark stands in no text, so it is
cut out as a special token is: any way to read a corpus can be told by where the marks are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.analysis.check.assignment import Assignment, count_text
from engine.text.pretokenize import to_text


@dataclass(frozen=True)
class Reading:
    """A way to read a corpus: what happens to its documents, and what stands between them."""

    name: str
    sentence: str
    read: Callable[[Assignment, bytes], bytes]

    def changes(self, assignment: Assignment) -> bool:
        """Whether this corpus reads otherwise so."""
        mark = _mark(assignment)
        return self.read(assignment, mark) != mark.join(assignment.documents)

    def counts(self, assignment: Assignment) -> Mapping[bytes, int]:
        """The pretokens of the corpus if it is read so."""
        mark = _mark(assignment)
        return count_text(self.read(assignment, mark), assignment.pattern, [to_text(mark)])


def _mark(assignment: Assignment) -> bytes:
    """Bytes that stand nowhere in the corpus."""
    mark = b"\0document\0"
    while mark in assignment.text:
        mark += b"\0"
    return mark


def _special_tokens_as_text(assignment: Assignment, mark: bytes) -> bytes:
    return assignment.text


def _documents_joined(assignment: Assignment, mark: bytes) -> bytes:
    return b"".join(assignment.documents)


def _documents_stripped(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(document.strip() for document in assignment.documents)


def _line_by_line(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).replace(b"\n", b"\n" + mark)


def _lines_without_ends(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).replace(b"\n", mark)


def _newlines_translated(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _decoded_with_losses(assignment: Assignment, mark: bytes) -> bytes:
    return mark.join(assignment.documents).decode("utf-8", "replace").encode()


SPECIAL_COUNTED = Reading(
    "special-counted",
    "the text of special tokens is counted: they are not cut out before counting",
    _special_tokens_as_text,
)
DOCUMENTS_JOINED = Reading(
    "documents-joined",
    "documents are not kept apart: special tokens are removed, and what stood around them joins",
    _documents_joined,
)
OTHER_READINGS = (
    Reading(
        "documents-stripped",
        "documents are stripped: the whitespace at their edges is lost",
        _documents_stripped,
    ),
    Reading(
        "line-by-line",
        "the corpus is read line by line: no pretoken goes on behind a newline",
        _line_by_line,
    ),
    Reading(
        "newlines-lost",
        "the corpus is read in lines without their ends: newlines are never counted",
        _lines_without_ends,
    ),
    Reading(
        "newlines-translated",
        "the file is opened as text without newline='': every \\r\\n is read as \\n",
        _newlines_translated,
    ),
    Reading(
        "bytes-replaced",
        "the file is decoded with errors='replace': invalid bytes become U+FFFD",
        _decoded_with_losses,
    ),
)
