"""The edges of a text by each of some tokenizers.

A short text is encoded by each in turn. A long one is cut once for all tokenizers that cut it
alike, by as many processes as there are cores; if all cut it alike, they share the tokenizers.
Those of which more has to be asked than their pattern encode it one by one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import NamedTuple

from engine.analysis.comparison.cut_text import CutText, cut_alike, token_spans
from engine.analysis.comparison.edges_worker import edges_by_helper
from engine.core.arrays import Ints
from engine.encoding.tokenizer import Tokenizer

LONG = 1 << 18
"""Bytes of a text from which on its pretokens repeat so often that it pays to encode each once."""
WORTH_HELPERS = 1 << 21
"""Bytes that take as long to cut and encode as a helper process to start."""


class _Task(NamedTuple):
    """The places of tokenizers that cut the text alike, and what special tokens they cut out."""

    places: list[int]
    special_tokens: frozenset[str]


def edges_of_all(tokenizers: Sequence[Tokenizer], data: bytes) -> list[Ints]:
    """The edges by each tokenizer, as `token_spans` tells them.

    Raises:
        ComparisonError: it cannot be told which part of the text a token stands for.
        WorkerError: a helper process could not be started, or died.
    """
    found: dict[int, Ints | None] = {}
    if len(data) >= LONG:
        cores = (os.cpu_count() or 1) if len(data) >= WORTH_HELPERS else 1
        found = _found_by_cutting(tokenizers, data, cores)
    known = {place: edges for place, edges in found.items() if edges is not None}
    others = [place for place in range(len(tokenizers)) if place not in known]
    spans = _one_by_one([tokenizers[place] for place in others], data)
    known.update(zip(others, spans, strict=True))
    return [known[place] for place in range(len(tokenizers))]


def _one_by_one(tokenizers: Sequence[Tokenizer], data: bytes) -> list[Ints]:
    """The edges by tokenizers that share nothing; of a long text each but the first in a helper."""
    if len(data) < WORTH_HELPERS or len(tokenizers) < 2:
        return [token_spans(tokenizer, data) for tokenizer in tokenizers]
    helpers = [0, *[1] * (len(tokenizers) - 1)]
    with ThreadPoolExecutor(len(tokenizers)) as threads:
        return list(threads.map(token_spans, tokenizers, repeat(data), helpers))


def _found_by_cutting(
    tokenizers: Sequence[Tokenizer], data: bytes, cores: int
) -> dict[int, Ints | None]:
    """The edges by the tokenizers for which a way to cut is known, by their places."""
    tasks = _shared_out(_tasks(tokenizers, data), cores)

    def done_here(task: _Task) -> list[Ints | None]:
        cut = CutText(data, tokenizers[task.places[0]].pattern, task.special_tokens)
        return [cut.edges(tokenizers[place]) for place in task.places]

    def done_by_helper(task: _Task) -> list[Ints | None]:
        own = [tokenizers[place] for place in task.places]
        return edges_by_helper(own, data, sorted(task.special_tokens))

    here = tasks[::cores]
    others = [task for place, task in enumerate(tasks) if place % cores]
    with ThreadPoolExecutor(max(cores - 1, 1)) as threads:
        by_helpers = threads.map(done_by_helper, others)
        results = [*map(done_here, here), *by_helpers]
    return {
        place: edges
        for task, found in zip([*here, *others], results, strict=True)
        for place, edges in zip(task.places, found, strict=True)
    }


def _tasks(tokenizers: Sequence[Tokenizer], data: bytes) -> list[_Task]:
    tasks: dict[tuple[str, frozenset[str]], _Task] = {}
    for place, tokenizer in enumerate(tokenizers):
        cutting = cut_alike(tokenizer, data)
        if cutting is not None:
            tasks.setdefault(cutting, _Task([], cutting[1])).places.append(place)
    return list(tasks.values())


def _shared_out(tasks: list[_Task], cores: int) -> list[_Task]:
    """The tasks, the largest halved until there is one for each core; the largest first."""
    tasks = sorted(tasks, key=lambda task: -len(task.places))
    while tasks and len(tasks) < cores and len(tasks[0].places) > 1:
        places, special_tokens = tasks.pop(0)
        half = (len(places) + 1) // 2
        tasks += [_Task(places[:half], special_tokens), _Task(places[half:], special_tokens)]
        tasks.sort(key=lambda task: -len(task.places))
    return tasks
