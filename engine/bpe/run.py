"""`Run`: a recorded training by byte-pair encoding, its vocabularies and statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise

from engine.bpe.active_set import ActiveSets
from engine.bpe.heap import ClaimHistory, HeapWalk
from engine.bpe.record import Record, Recut
from engine.core.arrays import Bools, Ints
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.encoding.alphabet import Alphabet, ByteAlphabet, is_white_space
from engine.encoding.incremental import TypedText
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.affected_pretokens import Segmenter
from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import copied
from engine.recording.place_tally import PlaceTally
from engine.recording.playback import MergeRun
from engine.recording.statistics import LEFT_OUT, MergeStatistics, TiedSteps
from engine.recording.token_table import NONE, MergeRows, TokenTable, reachable
from engine.recording.vocabulary import Vocabulary
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, to_bytes, to_text

# The vocabularies of the steps of a run, and the count of each token in the corpus.
#
# The counts need no corpus: a byte or character starts with its own count. A merge that replaces a
# pair n times adds n to the new token and subtracts n from each of its parts. So the counts at step
# k are one sum over the first k merges. A token's row is its place (see `engine.recording`).


class RunVocabularies:
    """The vocabulary of every step of a run.

    Args:
        record: the record of the run.
        counts: the pretoken counts that it was trained on; empty if there is no corpus.
        alphabet: spells the pretokens at step 0.

    Attributes:
        counts_log: the count of each token at each step, for merges that do not determine it.
        replayed: the occurrences of the first merges in these pretokens, if the record has those in
            others, of an earlier phase.
        find_reachable: finds the tokens that their own bytes give, as `TokenTable` has it.
    """

    find_reachable: Callable[[TokenTable], Bools] = staticmethod(reachable)

    def __init__(self, record: Record, counts: Mapping[bytes, int], alphabet: Alphabet) -> None:
        self.counts_log: ChangeLog | None = None
        self._record = record
        self._alphabet = alphabet
        self._counts = counts
        self._special_places = sorted(map(record.ids.place_of, record.ids.specials))
        self._table: TokenTable | None = None
        self._occurrences: Ints = np.zeros(0, dtype=np.int64)
        self.replayed: Sequence[int] = ()

    def at(self, step: int, recorded_steps: int) -> Vocabulary:
        """Return the tokens after the first `step` merges; `recorded_steps` are recorded so far."""
        if self._table is None or len(self._table.merges) < step:
            # Assign the table last: another thread relies on the rest when it finds the table.
            self._occurrences = np.array(copied(self._record.occurrences, recorded_steps))
            self._occurrences[: len(self.replayed)] = self.replayed
            record, steps = self._record, recorded_steps
            first, place_of = record.first_id, record.ids.place_of
            merged = (record.pair_of(rank) for rank in range(steps))
            pairs = ((place_of(left), place_of(right)) for left, right in merged)
            self._table = TokenTable(
                np.array([record.id_of(place) for place in range(first + steps)], dtype=np.int64),
                record.vocab[: first + steps],
                MergeRows.of(zip(pairs, range(first, first + steps), range(steps), strict=True)),
                np.array(self._special_places, dtype=np.int64),
                self._alphabet,
                self.find_reachable,
            )
        size = self._record.first_id + step
        # There are no counts without a corpus.
        if not self._counts:
            return Vocabulary(self._table, size, step)
        made = np.zeros(size, dtype=np.int64)
        made[: len(self._base_counts)] = self._base_counts
        made[self._special_places] = NONE
        made[self._record.first_id :] = self._occurrences[:step]
        return Vocabulary(self._table, size, step, self._counts_at(self._table, step), made)

    def _counts_at(self, table: TokenTable, step: int) -> Ints:
        first = self._record.first_id
        counts = np.zeros(first + step, dtype=np.int64)
        if self.counts_log is not None:
            logged = self.counts_log.at(step)[: len(counts)]
            counts[: len(logged)] = logged
            counts[self._special_places] = NONE
            return counts
        made = self._occurrences[:step]
        counts[: len(self._base_counts)] = self._base_counts
        counts[self._special_places] = NONE
        counts[first:] = made
        for part in (table.merges.left[:step], table.merges.right[:step]):
            # Sums of integers in float64 are exact up to 2⁵³.
            taken = np.bincount(part, weights=made, minlength=len(counts))
            counts -= taken.astype(np.int64)
        return counts

    @cached_property
    def _base_counts(self) -> Ints:
        """The count of each token of step 0 in all pretokens, by its place."""
        pretokens, size = self._counts, len(self._counts)
        if isinstance(self._alphabet, ByteAlphabet):
            lengths = np.fromiter(map(len, pretokens), dtype=np.int64, count=size)
            times = np.fromiter(pretokens.values(), dtype=np.int64, count=size)
            joined = np.frombuffer(b"".join(pretokens), dtype=np.uint8)
            weighted = np.bincount(joined, weights=np.repeat(times, lengths), minlength=256)
            return weighted.astype(np.int64)
        found: Counter[int] = Counter()  # by id
        if self._alphabet.inside.spells_apart:
            found = self._character_counts(self._alphabet.inside)
        else:
            for pretoken, count in pretokens.items():
                for token_id in self._alphabet.spell(pretoken):
                    found[token_id] += count
        counts = np.zeros(self._record.first_id, dtype=np.int64)
        for token_id, count in found.items():
            counts[self._record.ids.place_of(token_id)] = count
        return counts

    def _character_counts(self, alphabet: Alphabet) -> Counter[int]:
        """Count characters at C speed, and spell each distinct one once; return id → count."""
        marker, words = self._alphabet.marker, self._counts
        if marker is not None:
            words = {word: count for word, count in words.items() if not is_white_space(word)}
        texts = list(map(to_text, words))
        times = np.fromiter(words.values(), dtype=np.int64, count=len(words))
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        joined = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        weighted = np.bincount(joined, weights=np.repeat(times, lengths))
        found: Counter[int] = Counter()
        for character in np.flatnonzero(weighted).tolist():
            for token_id in alphabet.spell(to_bytes(chr(character))):
                found[token_id] += int(weighted[character])
        if marker is not None:
            found[marker] = int(times.sum())
        return found


# The series of a run for charts. A series over steps has an entry for each step 0, 1, …, so an
# index is a step. It copies a part of the record's columns, at C speed; no step is visited.


class TieHistory(TiedSteps):
    """The steps of a record at which several pairs shared the top count."""

    _recorded: Record

    @property
    def steps(self) -> Ints:
        if self._recorded.languages is not None:
            return self._steps  # no count of all texts has chosen these merges
        given = min(self._recorded.given_steps, len(self._recorded))
        self._known = max(self._known, given)  # no count has chosen the given ones
        return super().steps

    def pairs_at_top(self, start: int, stop: int) -> Ints:
        record = self._recorded
        by_count = record.by_rule or (record.given and record.fork_rules is None)
        find = pairs_at_top if by_count else pairs_as_frequent
        # Where all counts are set, the top count may rise.
        borders = [step for step in record.counts.restarts if start < step < stop]
        return np.concatenate([find(record, *part) for part in pairwise((start, *borders, stop))])


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
        special = record.ids.specials
        return [
            LEFT_OUT if token_id in special else len(record.covers(token_id))
            for token_id in map(record.ids.id_of, range(first, last))
        ]


ENCODED_AHEAD = 1 << 17
"""Bytes of the most frequent pretokens that `prepare` encodes in advance."""


class Run(MergeRun):
    """The recorded merges of a training, a fork or a replay.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        record: the record of the steps.
        pattern, special_tokens: cut text that is to be encoded; by default the special tokens are
            those of the record.
        excerpt: the beginning of the corpus, for frames to show.
        splitter: cuts special tokens out, if that needs more than their list.

    Attributes:
        alphabet: spells a pretoken at step 0.
        obstacle: the reason why a tokenizer has no steps, as a clause; `None` if it has some.
        continued: the tokenizer whose merges come first, if later ones were learnt here.
        base_ids: the ids of the tokens that spell pretokens at step 0.
        highest_pair_count: the count of the most frequent pair at step 0, the highest of all.
        bytes_total: number of bytes in all pretokens of the corpus, without special tokens.
        statistics: the series of the run, for charts.
        heap_walk: the lazily deleted heap at any step.
        claim_history: the merges that made its entries stale.
        active_sets: the active set of the trainer `linked` at any step.
        typed: encodes typed text.
        vocabularies: the tokens of each step and their counts.
    """

    record: Record
    obstacle: str | None = None
    continued: Tokenizer | None = None

    def __init__(
        self,
        counts: Mapping[bytes, int],
        record: Record,
        *,
        pattern: PatternLike = "gpt2",
        special_tokens: Sequence[str] | None = None,
        excerpt: Excerpt | None = None,
        splitter: SpecialSplitter | None = None,
    ) -> None:
        self.counts = counts
        self.record = record
        self.alphabet = record.alphabet
        self.base_ids = frozenset(self.alphabet.token_ids)
        self.highest_pair_count = int(record.counts.at(0).max(initial=0))
        self.pattern = as_pattern(pattern)
        if special_tokens is None:
            special_tokens = record.special_tokens
        self.splitter = splitter or SpecialSplitter(special_tokens)
        self.excerpt = excerpt or Excerpt.of(b"")
        self.bytes_total = sum(len(pretoken) * count for pretoken, count in counts.items())
        self.tokens_at_start = self.alphabet.token_count(counts)
        self.table = {}
        self._is_prepared = False
        self.segmenter = Segmenter(self.alphabet, self.table, record.pair_of, record.rank_of)
        self.heap_walk = HeapWalk(record)
        self.claim_history = ClaimHistory(record)
        self.active_sets = ActiveSets(record)
        self.ties = TieHistory(record)
        self.statistics = Statistics(record, counts, self.tokens_at_start, self.ties)
        self.typed = TypedText(self.pattern, self.splitter, self._ids_at)
        self.vocabularies = RunVocabularies(record, counts, self.alphabet)
        self._covered: dict[int, bytes] = {}  # by place, computed on demand
        self._phases: dict[int, Run] = {}  # step → the run of the phase that begins there

    def of_step(self, step: int) -> Run:
        """Return this run, or its view of the phase of a step, with the pretokens of that phase."""
        for start in reversed(self.record.phase_starts):
            if isinstance(start, Recut) and start.step <= step:
                if start.step not in self._phases:
                    self._phases[start.step] = PhaseOfRun(self, start)
                return self._phases[start.step]
        return self

    def rules_at(self, step: int) -> EncodingRules:
        """Return all data that the encoding at a step depends on."""
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
    def typed_as_text(self) -> TypedText:
        """Encodes typed text with special tokens as ordinary text."""
        return TypedText(self.pattern, self.splitter.only(()), self._ids_at)

    @cached_property
    def place_tally(self) -> PlaceTally:
        """The places that each merge replaced; only for merges that the tie rule chose."""
        assert isinstance(self.segmenter, Segmenter), "a replay has another one"
        return PlaceTally(self.by_count.pretokens, self.segmenter.encode, self.record)

    def _ids_at(self, pretoken: Pretoken, step: int) -> tuple[int, ...]:
        special_ids = self.record.ids.special_ids
        if pretoken.special and pretoken.text in special_ids:
            return (special_ids[pretoken.text],)
        return self.segmenter.tokens_at(pretoken.bytes, step)

    def tokenizer_at(self, step: int) -> Tokenizer:
        """Return the tokenizer that the first `step` merges make."""
        return to_tokenizer(self.record, step, self.pattern)

    def prepare(self) -> None:
        if self._is_prepared:
            return
        self._is_prepared = True
        super().prepare()
        if self.record.by_rule:
            self.record.heap.replay(len(self))
        if self.heap_walk.exists:
            walk = HeapWalk(self.record)  # another thread may be using the present one
            walk.prepare(len(self))
            self.heap_walk = walk
        if isinstance(self.segmenter, Segmenter):
            room = ENCODED_AHEAD
            for pretoken in self.by_count.pretokens:
                if (room := room - len(pretoken)) < 0:
                    break
                self.segmenter.encode(pretoken)

    def vocabulary_at(self, step: int, recorded_steps: int) -> Vocabulary:
        return self.vocabularies.at(step, recorded_steps)


class PhaseOfRun(Run):
    """A run as seen in a phase in which another pattern cuts the corpus.

    It shares the recorded steps of the whole run. Its own are the pretokens and all that is counted
    in them, so it is right for the steps of its phase only.
    """

    def __init__(self, whole: Run, start: Recut) -> None:
        super().__init__(
            start.counts,
            whole.record,
            pattern=start.pattern,
            excerpt=start.corpus.excerpt,
            splitter=whole.splitter,
        )
        self.whole = whole
        self.tokens_at_start = whole.tokens_at_start
        self.table, self.segmenter = whole.table, whole.segmenter
        self.ties, self.statistics = whole.ties, whole.statistics
        self.heap_walk, self.claim_history = whole.heap_walk, whole.claim_history
        self.vocabularies.replayed = start.occurrences
        top = int(whole.record.counts.at(start.step).max(initial=0))
        self.highest_pair_count = max(self.highest_pair_count, top)

    def __len__(self) -> int:
        return len(self.whole)

    @property
    def is_complete(self) -> bool:  # type: ignore[override]
        return self.whole.is_complete

    def of_step(self, step: int) -> Run:
        return self.whole.of_step(step)


def to_tokenizer(record: Record, step: int, pattern: PatternLike) -> Tokenizer:
    """Return the tokenizer after the first `step` merges; `pattern` is that of the training.

    If the ends of words are marked, its tokens are the decoded bytes: `est ` for `est</w>`.

    >>> from engine import Trainer
    >>> trainer = Trainer({b"low": 5}, 7, units="end-of-word")
    >>> tokenizer = to_tokenizer(trainer.record, len(list(trainer.steps())), "whitespace")
    >>> ids = tokenizer.encode("low\\nlaw")
    >>> [tokenizer.vocab[token_id] for token_id in ids], tokenizer.decode(ids)
    ([b'l', b'ow ', b'l', b'<unk>', b'w '], 'low l<unk>w ')
    """
    ids = [record.ids.id_of(place) for place in range(record.first_id + step)]
    merges = [record[index] for index in range(step)]
    if isinstance(record.alphabet, ByteAlphabet):
        return Tokenizer(
            {token_id: record.token(token_id) for token_id in ids},
            [(merge.left, merge.right) for merge in merges],
            record.ids.special_ids,
            pattern,
        )
    # Different tokens of characters may have equal bytes: `<unk>` and the merge of its characters.
    # So bytes do not identify the tokens of a merge, and the tokenizer gets its ids.
    table: dict[Pair, tuple[int, int]] = {
        merge.pair: (merge.index, merge.new_id) for merge in merges
    }
    vocab = {token_id: record.decoded(token_id) for token_id in ids}
    return Tokenizer(
        vocab,
        [(vocab[left], vocab[right]) for left, right in table],
        record.ids.special_ids,
        pattern,
        alphabet=record.alphabet,
        table=table,
    )
