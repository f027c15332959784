"""Counting one chunk, and the helper process that does nothing else.

The helper reads requests from its standard input and writes answers to its standard output, each
a marshalled value behind its length; it ends when its input does, so it never outlives its parent.
"""

from __future__ import annotations

import marshal
import struct
import sys
from collections import Counter
from typing import IO, Any, NamedTuple

from engine.patterns import Alternative, Pattern
from engine.pretokenize import SpecialSplitter, is_blank, to_bytes, to_text

LENGTH = struct.Struct("<Q")


class ChunkCount(NamedTuple):
    """What one chunk holds. `documents` are those whose first non-space is in it."""

    counts: dict[bytes, int]
    documents: int
    pretokens: int


def count_chunk(
    data: bytes, continues: bool, pattern: Pattern, splitter: SpecialSplitter
) -> ChunkCount:
    """Count the pretokens of one chunk, in order of first appearance.

    A document is a stretch between special tokens that holds more than whitespace; with
    `continues` the first one has been counted in an earlier chunk.
    """
    counts: Counter[str] = Counter()
    documents = 0
    for place, document in enumerate(splitter.documents(data)):
        counts.update(pattern.split(to_text(document)))
        counted_before = continues and place == 0
        if not counted_before and not is_blank(document):
            documents += 1
    in_bytes = {to_bytes(pretoken): count for pretoken, count in counts.items()}
    return ChunkCount(in_bytes, documents, counts.total())


def send(stream: IO[bytes], value: Any) -> None:
    message = marshal.dumps(value)
    stream.write(LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next value; `EOFError` when the other side is gone."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        raise EOFError
    (length,) = LENGTH.unpack(head)
    message = stream.read(length)
    if len(message) < length:
        raise EOFError
    return marshal.loads(message)


def main() -> None:
    """Serve counts until the input ends. The first request says the pattern and special tokens."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    try:
        alternatives, special_tokens = receive(requests)
        pattern = Pattern("", "", tuple(Alternative(n, r) for n, r in alternatives), None)
        splitter = SpecialSplitter(special_tokens)
        while True:
            data, continues = receive(requests)
            send(answers, tuple(count_chunk(data, continues, pattern, splitter)))
    except (EOFError, BrokenPipeError):
        return
