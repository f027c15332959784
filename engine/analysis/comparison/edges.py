"""The edges of a text by each of some tokenizers.

A short text is encoded by each in turn. A long one is cut once for all tokenizers that cut it
alike (`CutText`): each different pretoken is encoded once by each tokenizer, and arrays make the
edges of the text from theirs. Each different way to cut is a task, and as many processes as there
are cores work on the tasks; if there are fewer tasks, the tokenizers of a task are shared out.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Ints
from engine.core.errors import ComparisonError
from engine.core.gpt2_bytes import unspell
from engine.core.helper_pool import in_order
from engine.encoding.encoders.at_once import AtOnce, Encoded
from engine.encoding.piece_encoder import memoized_encoder
from engine.encoding.tokenizer import Tokenizer
from engine.pipeline.normalizers.normalizer import Aligned
from engine.pipeline.pipeline import Pipeline
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes, to_text


def token_lengths(tokenizer: Tokenizer) -> Ints:
    """The bytes of each token, by id."""
    vocab = tokenizer.vocab
    lengths = np.zeros(max(vocab, default=-1) + 1, dtype=np.int64)
    ids = np.fromiter(vocab, dtype=np.int64, count=len(vocab))
    lengths[ids] = np.fromiter(map(len, vocab.values()), dtype=np.int64, count=len(vocab))
    return lengths


GREATEST_ID = 1 << 30
"""Pairs of ids have to fit into a word."""


def cut_alike(tokenizer: Tokenizer, data: bytes) -> tuple[str, frozenset[str]] | None:
    """What decides how a tokenizer cuts a text: its regex, and the special tokens that it cuts out.

    Those that the text does not hold count for nothing. `None` if there is more to it.
    """
    if tokenizer.pipeline is not None or max(tokenizer.vocab, default=0) > GREATEST_ID:
        return None
    special = (token for token in tokenizer.cut_out if to_bytes(token) in data)
    return tokenizer.pattern.source, frozenset(special)


class CutText:
    """A text as a sequence of pretokens, each named by a number.

    Attributes:
        pretokens: each different one, by number; a special token is one, too.
        special: the numbers of the special tokens.
        sequence: the numbers of the text's pretokens in order.
    """

    def __init__(self, data: bytes, pattern: Pattern, special_tokens: Iterable[str]) -> None:
        self.pretokens: list[bytes] = []
        self.special: list[int] = []
        numbers_of_text = memoized_encoder(pattern, _Numbering(self.pretokens).of)
        numbers_of_special: dict[str, int] = {}
        sequence = array("q")
        for piece, special in SpecialSplitter(list(special_tokens)).split_text(to_text(data)):
            if not special:
                sequence.extend(numbers_of_text(piece))
                continue
            if piece not in numbers_of_special:
                numbers_of_special[piece] = len(self.pretokens)
                self.special.append(len(self.pretokens))
                self.pretokens.append(to_bytes(piece))
            sequence.append(numbers_of_special[piece])
        self.sequence: Ints = np.array(sequence, dtype=np.int64)

    def edges(self, tokenizer: Tokenizer) -> Ints | None:
        """The edges of a tokenizer's tokens in the text, in bytes, 0 among them.

        `None` if its tokens do not spell what they stand for.
        """
        ordinary = self.pretokens.copy()
        for number in self.special:
            ordinary[number] = b""
        encoded = AtOnce.of(tokenizer.encoder).encode(ordinary)
        counts = encoded.counts
        lengths = token_lengths(tokenizer)[encoded.ids]
        if not _spell(tokenizer, encoded, lengths, ordinary):
            return None
        if self.special:
            # A special token is one token of all its bytes.
            special = np.array(self.special)
            places = (np.cumsum(counts) - counts)[special]
            lengths = np.insert(lengths, places, [len(self.pretokens[n]) for n in self.special])
            counts[special] = 1
        starts = np.cumsum(counts) - counts
        taken = counts[self.sequence]
        first = np.cumsum(taken) - taken
        places = np.arange(int(taken.sum())) + np.repeat(starts[self.sequence] - first, taken)
        return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths[places])))


def _spell(
    tokenizer: Tokenizer, encoded: Encoded, lengths: Ints, pretokens: Sequence[bytes]
) -> bool:
    """Whether the tokens of each pretoken joined are the pretoken."""
    ends = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    ends = ends[np.cumsum(encoded.counts)]
    if ends.tolist() != list(accumulate(map(len, pretokens))):
        return False
    return tokenizer.decode_bytes(encoded.ids.tolist()) == b"".join(pretokens)


class _Numbering:
    """Gives each different pretoken the next number."""

    def __init__(self, pretokens: list[bytes]) -> None:
        self._pretokens = pretokens
        self._numbers: dict[bytes, int] = {}

    def of(self, pretoken: bytes) -> Sequence[int]:
        number = self._numbers.setdefault(pretoken, len(self._pretokens))
        if number == len(self._pretokens):
            self._pretokens.append(pretoken)
        return (number,)


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
    """
    if len(data) < LONG:
        return [token_spans(tokenizer, data) for tokenizer in tokenizers]
    cores = (os.cpu_count() or 1) if len(data) >= WORTH_HELPERS else 1
    tasks = _shared_out(_tasks(tokenizers, data), cores)
    prepare = partial(_edges_of, tokenizers, data)
    helpers = min(cores, len(tasks)) - 1
    found: Iterable[list[Ints]]
    if helpers:
        with closing(in_order(prepare, tasks, helpers, doing="encoding")) as results:
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


# -- the edges by one tokenizer that encodes the text itself


def token_spans(tokenizer: Tokenizer, data: bytes) -> Ints:
    """The edges of the tokens of a text: token n is `data[edges[n]:edges[n + 1]]`.

    A token that stands for nothing in the text, such as a `▁` put in front, has no width.

    Where the tokens' bytes joined are the text, the edges follow from their lengths. Where not, an
    unknown token does not say how long its character was: then each merge is followed from the
    edges of the alphabet's tokens on. And where a pipeline changes the text before it is cut, its
    alignment leads back to the original.

    Raises:
        ComparisonError: nothing says which part of the text each token stands for.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> token_spans(Tokenizer(vocab, [(b"a", b"b")]), b"abc").tolist()
    [0, 2, 3]
    """
    ids = list(chain.from_iterable(tokenizer.encode_stream([data])))
    if tokenizer.decode_bytes(ids) == data:
        lengths = token_lengths(tokenizer)[np.array(ids, dtype=np.int64)]
        return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    if isinstance(tokenizer.pipeline, Pipeline):
        ends = list(_aligned(tokenizer, tokenizer.pipeline, to_text(data)))
    else:
        ends = list(accumulate(_followed(tokenizer, to_text(data))))
    if len(ends) != len(ids):
        raise ComparisonError(
            "a tokenizer changes the text so that nothing tells which part of it a token stands "
            "for; compare without a text"
        )
    if not ids:
        return np.array([0, len(data)], dtype=np.int64)  # nothing is left of it: one piece
    edges = np.maximum.accumulate(np.array([0, *ends], dtype=np.int64))
    edges[-1] = len(data)  # what is left out at the end belongs to the last token
    return edges


def _followed(tokenizer: Tokenizer, text: str) -> Iterator[int]:
    """The bytes of the text that each of its tokens stands for."""
    rules = tokenizer.rules
    for pretoken in rules.pretokens(text):
        if rules.is_special(pretoken):
            yield len(pretoken.bytes)
        else:
            yield from (end - start for start, end in pairwise(_edges(tokenizer, pretoken.bytes)))


def _edges(tokenizer: Tokenizer, pretoken: bytes) -> list[int]:
    """The edges of the tokens of a pretoken, in its own bytes."""
    edges = list(tokenizer.alphabet.edges(pretoken))
    for step in tokenizer.rules.steps(pretoken):
        del edges[step.position + 1]
    return edges


def _aligned(tokenizer: Tokenizer, pipeline: Pipeline, text: str) -> Iterator[int]:
    """Where the tokens end in the original, in bytes; within a character they end behind it."""
    places = [0, *accumulate(len(to_bytes(character)) for character in text)]
    splitter = pipeline.splitter
    for section, added in splitter.aligned_sections(text):
        if added is not None:
            yield places[section.span(0, len(section.text))[1]]
            continue
        cut = pipeline.pre_tokenizer
        for piece in [section] if cut is None else cut.aligned_pieces(section):
            yield from (places[end] for end in _ends_of_piece(tokenizer, piece, splitter.in_bytes))


def _ends_of_piece(tokenizer: Tokenizer, piece: Aligned, in_bytes: bool) -> Iterator[int]:
    """Where the tokens of a piece end, in characters of the original."""
    # In bytes each stand-in is a byte; else a character is as many as it has in UTF-8.
    pretoken = unspell(piece.text) if in_bytes else to_bytes(piece.text)
    widths = [1] * len(pretoken) if in_bytes else [len(to_bytes(c)) for c in piece.text]
    character_at = [place for place, width in enumerate(widths) for _ in range(width)]
    for edge in _edges(tokenizer, pretoken)[1:]:
        yield piece.span(0, character_at[edge - 1] + 1)[1]
