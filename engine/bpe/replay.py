"""The merges of a tokenizer from elsewhere, made again over a corpus: steps, as in a training.

Each merge is a step, in the tokenizer's order, with the count that its pair has in *this* corpus.
One whose pair stands nowhere is a step that changes nothing: rank and id stay the tokenizer's. Of a
large vocabulary most merges are such, and cost no more than a look into a dict.

That works for tokenizers whose merges start from bytes and each make a new token of older ones.
For any other there is a timeline of a single step, the tokenizer as it is: it encodes, and its
vocabulary can be looked at, but there are no steps to go through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat

from engine.bpe.record import MergeStep, Record
from engine.bpe.run import Run
from engine.bpe.ties import TIE_RULES
from engine.bpe.timeline import Timeline
from engine.bpe.trainer import StopReason
from engine.bpe.trainers.fast import merge_pair
from engine.bpe.trainers.fast_index import FlatIndex
from engine.bpe.trainers.problem import Problem
from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet, ByteAlphabet, WholeTokens
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.numbering import GivenIds, key_of
from engine.recording.segmentation import Segmenter, Segments
from engine.recording.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt

BATCH = 4096
"""Steps that change nothing are written down so many at a time."""
NO_ID = -1
HIGHEST_ID = 2**31 - 1
"""No tokenizer in use has ids anywhere near; numpy counts them in 64 bits, and pairs of them."""

CHANGES_TEXT = (
    "this tokenizer changes a text before it cuts it (it normalizes, or puts a space in front), "
    "and a corpus is counted as it stands"
)


class Replay:
    """A tokenizer's merges over pretoken counts, which may be empty: there need be no corpus.

    Args:
        tokenizer: any.
        counts: pretoken → how often it occurs, cut by the tokenizer's own pattern.
        excerpt: the beginning of the corpus.

    Attributes:
        timeline: to be extended with `steps()`.
        obstacle: why there are no steps to go through; `None` if there are.
        stop_reason: what is to be said when the steps are made.

    Raises:
        VocabularyError: the ids are beyond any reason.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {300: b"lo", 256: b"xy"}
    >>> tokenizer = Tokenizer(vocab, [(b"x", b"y"), (b"l", b"o")])
    >>> replay = Replay(tokenizer, {b"low": 5})
    >>> [(step.new_id, step.token, step.count) for step in replay.steps()]
    [(256, b'xy', 0), (300, b'lo', 5)]
    """

    stop_reason = StopReason.REPLAYED

    def __init__(
        self, tokenizer: Tokenizer, counts: Mapping[bytes, int], excerpt: Excerpt | None = None
    ) -> None:
        if max(tokenizer.vocab, default=0) > HIGHEST_ID:
            raise VocabularyError(
                f"the id {max(tokenizer.vocab)} is higher than any tokenizer's; is it damaged?"
            )
        merges = list(_merges_in_ids(tokenizer))
        self.obstacle = _obstacle(tokenizer, merges)
        self._merges = [] if self.obstacle else merges
        present = {pretoken: count for pretoken, count in counts.items() if count}
        ids = _in_places(tokenizer, [made for _, made in self._merges])
        base = [tokenizer.vocab[token_id] for token_id in ids[: len(ids) - len(self._merges)]]
        # Without steps to go through, pairs are of no use, and they are counted in bytes.
        counted = {} if self.obstacle else present
        self._problem = Problem(counted, base, TIE_RULES["smallest-ids"], 0)
        self._ids = GivenIds(ids, tokenizer.vocab, tokenizer.rules.special_ids)
        record = Record(
            self._problem.vocab,
            tokenizer.special_tokens,
            self._problem.tie_rule,
            self._problem.pairs,
            self._problem.start,
            self._ids,
            alphabet=_spelled_in(tokenizer),
        )
        run = ReplayRun(tokenizer, present, record, len(self._merges), excerpt)
        run.obstacle = self.obstacle
        self.timeline = Timeline(present, run=run)

    def steps(self) -> Iterator[MergeStep]:
        """The merges in their order; call once."""
        if not self._merges:
            return
        problem, record, place_of = self._problem, self.timeline.record, self._ids.place_of
        number_of_key = problem.pairs.number_of_key
        index = FlatIndex(problem)
        # A pair that stands nowhere never will: only new tokens make new pairs. Such merges are
        # gathered and written down together.
        nowhere: list[int] = []
        for (left, right), _ in self._merges:
            key = key_of((place_of(left), place_of(right)))
            number = number_of_key.get(key)
            if number is None or not index.counts[number]:
                nowhere.append(key)
                if len(nowhere) == BATCH:
                    yield from self._merge_nothing(index, nowhere)
                    nowhere = []
            else:
                yield from self._merge_nothing(index, nowhere)
                nowhere = []
                yield record.append(merge_pair(problem, index, number))
        yield from self._merge_nothing(index, nowhere)

    def _merge_nothing(self, index: FlatIndex, keys: Sequence[int]) -> Iterator[MergeStep]:
        """The next merges, whose pairs stand nowhere, as steps that change nothing."""
        problem, record = self._problem, self.timeline.record
        first, pairs = len(record), problem.pairs
        made = self._merges[first : first + len(keys)]
        tokens = [self._ids.tokens[token_id] for _, token_id in made]
        problem.vocab.extend(tokens)
        index.sizes.extend(map(len, tokens))
        new = pairs.add_new([key for key in keys if key not in pairs.number_of_key])
        index.counts.extend(repeat(0, len(new)))
        index.occurrences.add([[]] * len(new), len(new))
        return record.append_unchanged([pairs.number_of_key[key] for key in keys])


def _obstacle(tokenizer: Tokenizer, merges: Sequence[tuple[Pair, int]]) -> str | None:
    """Why the merges cannot be gone through one by one, as a clause; `None` if they can."""
    if tokenizer.pipeline is not None and not tokenizer.pipeline.merges:
        return f"its model is {tokenizer.pipeline.model.name}, which merges nothing"
    if not tokenizer.rules.splitter.by_pieces:
        return "it changes a text before it cuts it, so the corpus cannot be counted in pretokens"
    alphabet = _spelled_in(tokenizer)
    if not isinstance(alphabet, ByteAlphabet):
        return "its tokens are made of characters, not of bytes"
    known = set(alphabet.token_ids)
    for (left, right), made in merges:
        if left not in known or right not in known:
            return "one of its merges needs a token that no earlier one makes"
        if made in known or made == NO_ID:
            return "one of its merges makes no token of its own"
        known.add(made)
    return None


def _merges_in_ids(tokenizer: Tokenizer) -> Iterator[tuple[Pair, int]]:
    """Each merge as the ids of its two tokens and of what it makes, in order of rank."""
    table = tokenizer.merge_table
    if len(table) == len(tokenizer.merges):
        return ((pair, made) for pair, (_, made) in table.items())
    return _merges_by_bytes(tokenizer)


def _merges_by_bytes(tokenizer: Tokenizer) -> Iterator[tuple[Pair, int]]:
    """The same where the table leaves some out: a pair that merges twice, a token with two ids."""
    ids: dict[bytes, int] = {}
    for token_id in sorted(tokenizer.vocab.keys() - tokenizer.special_ids):
        ids.setdefault(tokenizer.vocab[token_id], token_id)
    for left, right in tokenizer.merges:
        yield (ids.get(left, NO_ID), ids.get(right, NO_ID)), ids.get(left + right, NO_ID)


def _in_places(tokenizer: Tokenizer, made: Sequence[int]) -> list[int]:
    """All ids in the order of making: bytes, special tokens, others, merges."""
    last = set(made)
    first = [*_spelled_in(tokenizer).token_ids, *tokenizer.rules.special_ids.values()]
    others = [token_id for token_id in sorted(tokenizer.vocab) if token_id not in last]
    return list(dict.fromkeys([*first, *others, *made]))


def _spelled_in(tokenizer: Tokenizer) -> Alphabet:
    """The alphabet, whole tokens left aside: they are made by merges, too."""
    alphabet = tokenizer.alphabet
    return alphabet.inner if isinstance(alphabet, WholeTokens) else alphabet


class _OwnAtLast:
    """A segmenter that at the last step goes by the tokenizer's own alphabet and table."""

    def __init__(self, by_merges: Segments, tokenizer: Tokenizer, last_step: int) -> None:
        self._by_merges, self._last_step = by_merges, last_step
        nothing_apart = Segmenter(
            tokenizer.alphabet, tokenizer.merge_table, lambda rank: (NO_ID, NO_ID), lambda _: NO_ID
        )
        self._own = nothing_apart

    def tokens_at(self, pretoken: bytes, step: int) -> tuple[int, ...]:
        at_last = step == self._last_step
        return (self._own if at_last else self._by_merges).tokens_at(pretoken, step)


class ReplayRun(Run):
    """The recorded steps of a replay. At the last one everything is as the tokenizer itself has it.

    Merges alone need not tell how a text is encoded: some tokenizers look a whole pretoken up
    first, or go by the ranks of tokens. So the last step asks the tokenizer.

    Attributes:
        last_step: how many merges there will be, all of them being recorded.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        counts: Mapping[bytes, int],
        record: Record,
        last_step: int,
        excerpt: Excerpt | None,
    ) -> None:
        self.tokenizer = tokenizer
        self.last_step = last_step
        self.uncountable = None if tokenizer.rules.splitter.by_pieces else CHANGES_TEXT
        super().__init__(
            counts,
            record,
            pattern=tokenizer.pattern,
            special_tokens=tokenizer.special_tokens,
            excerpt=excerpt,
            splitter=tokenizer.rules.splitter,
        )
        self.segmenter = _OwnAtLast(self.segmenter, tokenizer, last_step)
        if not last_step:
            self.tokens_at_start = sum(
                len(self.segmenter.tokens_at(pretoken, 0)) * count
                for pretoken, count in counts.items()
            )

    def rules_at(self, step: int) -> EncodingRules:
        return self.tokenizer.rules if step == self.last_step else super().rules_at(step)

    def tokenizer_at(self, step: int) -> Tokenizer:
        return self.tokenizer if step == self.last_step else super().tokenizer_at(step)

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        if self.last_step:
            return super().vocabulary_at(step, recorded_steps)
        return self._whole_vocabulary

    @cached_property
    def _whole_vocabulary(self) -> Vocabulary:
        return Vocabulary.of_tokenizer(self.tokenizer)
