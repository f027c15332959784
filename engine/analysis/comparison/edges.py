"""The edges of a text by each of some tokenizers.

A short text is encoded by each in turn. A long one is cut once for all tokenizers that cut it
alike; each different way to cut is a task, and as many processes as there are cores work on the
tasks. If there are fewer tasks than cores, the tokenizers of a task are shared out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

from engine.analysis.comparison.cut_text import CutText, cut_alike, token_spans
from engine.core.arrays import Ints
from engine.core.helper_pool import in_order
from engine.encoding.tokenizer import Tokenizer

LONG = 1 << 18
"""Bytes of a text from which on its pretokens repeat so often that it pays to encode each once."""
WORTH_HELPERS = 1 << 21
"""Bytes that take as long to cut and encode as a helper process to start."""


class _Task(NamedTuple):
    """Tokenizers that cut the text alike.

    Attributes:
        places: where they stand among all.
        special_tokens: what they cut out; `None` if more than their pattern decides how they cut,
            so that they have to encode the text themselves.
    """

    places: list[int]
    special_tokens: frozenset[str] | None


def edges_of_all(tokenizers: Sequence[Tokenizer], data: bytes) -> list[Ints]:
    """The edges by each tokenizer, as `token_spans` tells them.

    Raises:
        ComparisonError: nothing says which part of the text a token stands for.
        WorkerError: a helper process could not be started, or died.
    """
    if len(data) < LONG:
        return [token_spans(tokenizer, data) for tokenizer in tokenizers]
    cores = (os.cpu_count() or 1) if len(data) >= WORTH_HELPERS else 1
    tasks = _shared_out(_tasks(tokenizers, data), cores)
    prepare = partial(_edges_of, tokenizers, data)
    helpers = min(cores, len(tasks)) - 1
    found: Iterable[list[Ints]]
    if helpers:
        died = "a helper process died while encoding; try again"
        with closing(in_order(prepare, tasks, helpers, died=died)) as results:
            found = list(results)
    else:
        found = map(prepare(), tasks)
    by_place = {
        place: edges
        for task, found_of_task in zip(tasks, found, strict=True)
        for place, edges in zip(task.places, found_of_task, strict=True)
    }
    return [by_place[place] for place in range(len(tokenizers))]


def _edges_of(tokenizers: Sequence[Tokenizer], data: bytes) -> Callable[[_Task], list[Ints]]:
    """A function that finds the edges by the tokenizers of a task, in whichever process it runs."""

    def edges_of_task(task: _Task) -> list[Ints]:
        own = [tokenizers[place] for place in task.places]
        if task.special_tokens is None:
            return [token_spans(tokenizer, data) for tokenizer in own]
        cut = CutText(data, own[0].pattern, task.special_tokens)
        found = ((tokenizer, cut.edges(tokenizer)) for tokenizer in own)
        return [token_spans(each, data) if edges is None else edges for each, edges in found]

    return edges_of_task


def _tasks(tokenizers: Sequence[Tokenizer], data: bytes) -> list[_Task]:
    tasks: dict[object, _Task] = {}
    for place, tokenizer in enumerate(tokenizers):
        cutting = cut_alike(tokenizer, data)
        if cutting is None:
            tasks[place] = _Task([place], None)
        else:
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
