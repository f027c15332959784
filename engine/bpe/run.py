"""`Run`: a recorded training by byte-pair encoding, and its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from engine.bpe.heap_replay import HeapReplay
from engine.bpe.record import Record, Recut
from engine.core.arrays import Ints
from engine.core.slow_modules import np
from engine.encoding.typed_text import TypedText
from engine.recording.affected_pretokens import Segmenter
from engine.recording.merge_record import copied
from engine.recording.playback import MergeRun
from engine.recording.statistics import LEFT_OUT, MergeStatistics, TiedSteps
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter, to_bytes

if TYPE_CHECKING:
    from engine.bpe.run_vocabularies import RunVocabularies
    from engine.encoding.rules import EncodingRules
    from engine.encoding.tokenizer import Tokenizer
    from engine.recording.vocabulary import Vocabulary

# The series of a run for charts. A series over steps has an entry for each step 0, 1, …, so an
# index is a step. It copies a part of the record's columns, at C speed; no step is visited.


class TieHistory(TiedSteps):
    """The steps of a record at which several pairs shared the top count."""

    _recorded: Record

    @property
    def steps(self) -> Ints:
        given = min(self._recorded.given_steps, len(self._recorded))
        self._known = max(self._known, given)  # no count has chosen the given ones
        return super().steps

    def pairs_at_top(self, start: int, stop: int) -> Ints:
        record = self._recorded
        find = pairs_at_top if record.fork_rules is None else pairs_as_frequent
        firsts = (part.counts.first for part in record.parts)
        steps = start, *(first for first in firsts if start < first < stop), stop
        found = [find(record.part_of(first), first, end) for first, end in pairwise(steps)]
        return np.concatenate(found)


def pairs_at_top(record: Record, start: int, stop: int) -> Ints:
    """Count the pairs with the top count before each of the merges `start` … `stop` − 1.

    A pair's count is constant over intervals of steps, from one change to the next. The top count
    only falls, so the steps with one top count are an interval, too. A pair is tied for the top
    where an interval of its count overlaps the interval of the top count with the same value. That
    takes two binary searches for each entry of the log, and no step is visited. Few pairs come near
    the top within a block of steps; only these are sorted.
    """
    tops = copied(record.winning_counts, stop)[start:]
    pairs, since, counts = _counts_that_matter(record, start, stop, int(tops[-1]))
    order = np.argsort(pairs, kind="stable")
    pairs, since, counts = pairs[order], since[order], counts[order]
    until = np.append(since[1:], stop)
    until[np.append(pairs[1:] != pairs[:-1], True)] = stop
    # `tops` falls, so its negative can be searched.
    first = np.maximum(since, start + np.searchsorted(-tops, -counts, side="left"))
    end = np.minimum(until, start + np.searchsorted(-tops, -counts, side="right"))
    meets = first < end
    steps = stop - start
    tally = np.bincount(first[meets] - start, minlength=steps + 1)
    tally -= np.bincount(end[meets] - start, minlength=steps + 1)
    return np.cumsum(tally)[:steps]


def _counts_that_matter(
    record: Record, start: int, stop: int, lowest_top: int
) -> tuple[Ints, Ints, Ints]:
    """Return the log from `start` as pairs, steps and counts, without pairs that stay too rare."""
    state = record.counts.at(start)
    frequent = np.flatnonzero(state >= lowest_top)
    pairs, since, counts = record.counts.entries(start, stop)
    matters = np.zeros(int(max(pairs.max(initial=0), frequent.max(initial=0))) + 1, dtype=np.bool_)
    matters[frequent] = True
    matters[pairs[counts >= lowest_top]] = True
    kept = matters[pairs]
    return (
        np.append(frequent, pairs[kept]),
        np.append(np.full(len(frequent), start), since[kept]),
        np.append(state[frequent], counts[kept]).astype(np.int64),
    )


def pairs_as_frequent(record: Record, first: int, last: int) -> Ints:
    """Count the pairs at the top one merge at a time, for a fork, in which the top count may rise.

    Pairs that the fork forbids are ignored; a merge below the top that it prescribes is alone.
    """
    counts = (record.counts_to_choose_by(index) for index in range(first, last))
    own = record.winning_counts[first:last]
    return np.array(
        [
            1 if count < all_counts.max() else np.count_nonzero(all_counts == count)
            for all_counts, count in zip(counts, own, strict=True)
        ],
        dtype=np.int64,
    )


class Statistics(MergeStatistics):
    """The series of one run. The length of a token is in bytes of the corpus: `</w>` has length 0.

    >>> from engine import Timeline, Trainer
    >>> counts = {b"low": 5, b"lower": 2}
    >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
    >>> timeline.statistics.winning_counts(3).tolist()
    [7, 7, 2]
    >>> timeline.statistics.bytes_per_token(2).round(2).tolist()
    [1.0, 1.39, 2.27]
    """

    _record: Record

    def winning_counts(self, steps: int) -> Ints:
        return copied(self._record.winning_counts, steps)

    def lengths_between(self, first: int, last: int) -> list[int]:
        record = self._record
        special, is_plain = record.ids.specials, record.alphabet.marker is None
        text_of = record.ids.tokens.__getitem__ if is_plain else record.covers
        return [
            LEFT_OUT if token_id in special else len(text_of(token_id))
            for token_id in map(record.ids.id_of, range(first, last))
        ]


ENCODED_AHEAD = 1 << 17
"""Bytes of the most frequent pretokens that `prepare` encodes in advance."""


class Run(MergeRun):
    """The recorded merges of a training, a fork or a replay.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        record: the record of the steps.
        pattern: cuts text that is to be encoded.
        excerpt: the beginning of the corpus, for frames to show.
        splitter: cuts special tokens out, if that needs more than their list.

    Attributes:
        alphabet: spells a pretoken at step 0.
        continued: the tokenizer whose merges come first, if later ones were learnt here.
        base_ids: the ids of the tokens that spell pretokens at step 0.
        highest_pair_count: the count of the most frequent pair at step 0, the highest of all.
        bytes_total: number of bytes in all pretokens of the corpus, without special tokens.
        statistics: the series of the run, for charts.
        typed: encodes typed text.
    """

    record: Record
    continued: Tokenizer | None = None

    def __init__(
        self,
        counts: Mapping[bytes, int],
        record: Record,
        *,
        pattern: PatternLike = "gpt2",
        excerpt: Excerpt | None = None,
        splitter: SpecialSplitter | None = None,
    ) -> None:
        self.counts = counts
        self.record = record
        self.alphabet = record.alphabet
        self.base_ids = frozenset(self.alphabet.token_ids)
        self.highest_pair_count = int(record.counts.at(record.counts.first).max(initial=0))
        self.pattern = as_pattern(pattern)
        self.splitter = splitter or SpecialSplitter(record.special_tokens)
        self.excerpt = excerpt or Excerpt.of(b"")
        self.bytes_total = sum(len(pretoken) * count for pretoken, count in counts.items())
        self.tokens_at_start = self.alphabet.token_count(counts)
        self.table = {}
        self._is_prepared = False
        self.segmenter = Segmenter(self.alphabet, self.table, record.pair_of, record.rank_of)
        self.ties = TieHistory(record)
        self.statistics = Statistics(record, counts, self.tokens_at_start)
        self.typed = TypedText(self.pattern, self.splitter, self._ids_at)
        self._covered: dict[int, bytes] = {}  # by place, computed on demand
        self._runs: dict[int, Run] = {record.counts.first: self}  # first step → the run of a part

    def of_step(self, step: int) -> Run:
        """Return this run, or its view of the part of a step, with the pretokens of that part."""
        part = self.record.part_of(step)
        first = part.counts.first
        if part.recut is not None and first not in self._runs:
            self._runs[first] = PartOfRun(self._runs[0], part, part.recut)
        return self._runs[first]

    def rules_at(self, step: int) -> EncodingRules:
        """Return all data that the encoding at a step depends on."""
        from engine.encoding.rules import EncodingRules  # the first frame explains no encoding

        record, size = self.record, self.record.first_id + step
        id_of, tokens = record.ids.id_of, record.vocab[:size]
        covered = None
        if self.alphabet.marker is not None:  # some tokens show more than the bytes they cover
            for place in range(len(self._covered), size):
                self._covered[id_of(place)] = record.covers(id_of(place))
            covered = dict(islice(self._covered.items(), size))
        return EncodingRules(
            self.alphabet,
            self.table,
            step,
            {id_of(place): token for place, token in enumerate(tokens)},
            record.ids.special_ids,
            self.pattern,
            self.splitter,
            later=record.vocab[size : record.first_id + len(self)],
            covered=covered,
        )

    @cached_property
    def heap(self) -> HeapReplay:
        """The lazily deleted heap at any step; only for merges that the tie rule chose."""
        return HeapReplay(self.record)

    @cached_property
    def typed_as_text(self) -> TypedText:
        """Encodes typed text with special tokens as ordinary text."""
        return TypedText(self.pattern, self.splitter.only(()), self._ids_at)

    def _ids_at(self, text: str, is_special: bool, step: int) -> tuple[int, ...]:
        special_ids = self.record.ids.special_ids
        if is_special and text in special_ids:
            return (special_ids[text],)
        return self.segmenter.tokens_at(to_bytes(text), step)

    def tokenizer_at(self, step: int) -> Tokenizer:
        """Return the tokenizer that the first `step` merges make."""
        return self.record.to_tokenizer(step, self.pattern)

    def prepare(self) -> None:
        if self._is_prepared:
            return
        self._is_prepared = True
        super().prepare()
        firsts = [part.counts.first for part in self.record.parts]
        for part, last in zip(self.record.parts, [*firsts[1:], len(self)], strict=True):
            if part.by_rule:
                self.of_step(part.counts.first).heap.replay(last)
        if isinstance(self.segmenter, Segmenter):
            room = ENCODED_AHEAD
            for pretoken in self.by_count.pretokens:
                if (room := room - len(pretoken)) < 0:
                    break
                self.segmenter.encode(pretoken)

    @cached_property
    def vocabularies(self) -> RunVocabularies:
        """The tokens of each step and their counts."""
        from engine.bpe.run_vocabularies import RunVocabularies  # the first frame shows none

        return RunVocabularies(self.record, self.counts, self.alphabet)

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        return self.vocabularies.at(step, recorded_steps)


class PartOfRun(Run):
    """A run as seen in a part in which another pattern cuts the corpus.

    It shares the recorded steps of the whole run. Its own are the pretokens and all that is counted
    in them, so it is right for the steps of its part only.
    """

    def __init__(self, whole: Run, record: Record, recut: Recut) -> None:
        super().__init__(
            recut.counts,
            record,
            pattern=recut.pattern,
            excerpt=recut.corpus.excerpt,
            splitter=whole.splitter,
        )
        self.whole, self._runs = whole, whole._runs
        self.tokens_at_start = whole.tokens_at_start
        self.table, self.segmenter = whole.table, whole.segmenter
        self.ties, self.statistics = whole.ties, whole.statistics
        self.vocabularies.replayed = recut.occurrences
        self.highest_pair_count = max(whole.highest_pair_count, self.highest_pair_count)

    def __len__(self) -> int:
        return len(self.whole)

    @property
    def is_complete(self) -> bool:  # type: ignore[override]
        return self.whole.is_complete
