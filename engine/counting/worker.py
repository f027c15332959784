"""The helper process that counts chunks and does nothing else.

It reads requests from its standard input and writes answers to its standard output, each a
marshalled value behind its length; it ends when its input does, so it never outlives its parent.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Any

from engine.core.subprocess_worker import receive, send
from engine.counting.counters import counter_for
from engine.text.borders import Border
from engine.text.patterns import Alternative, Pattern
from engine.text.pretokenize import SpecialSplitter


def packed(pattern: Pattern, special_tokens: Sequence[str]) -> Any:
    """The first request: all that a helper has to know. Only plain values can be marshalled."""
    alternatives = [(a.name, a.regex) for a in pattern.alternatives]
    borders = [(b.left, b.right, b.before_left) for b in pattern.borders]
    return alternatives, borders, list(special_tokens)


def _unpacked(request: Any) -> tuple[Pattern, SpecialSplitter]:
    alternatives, borders, special_tokens = request
    pattern = Pattern(
        name="",
        summary="",
        alternatives=tuple(Alternative(*alternative) for alternative in alternatives),
        borders=tuple(Border(*border) for border in borders),
    )
    return pattern, SpecialSplitter(special_tokens)


def main() -> None:
    """Take the first request, say that we are ready, then serve counts until the input ends."""
    gc.disable()  # counting makes no cycles, but many lists, which would be searched for some
    requests: SimpleQueue[Any] = SimpleQueue()
    # Requests are read while we count: one may wait, and whoever sends it need not.
    threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
    if (first := requests.get()) is None:
        return
    counter = counter_for(*_unpacked(first))
    try:
        send(sys.stdout.buffer, None)
        while (request := requests.get()) is not None:
            send(sys.stdout.buffer, tuple(counter.count(*request)))
    except BrokenPipeError:
        return


def _read_requests(requests: SimpleQueue[Any]) -> None:
    try:
        while True:
            requests.put(receive(sys.stdin.buffer))
    except EOFError:
        requests.put(None)
