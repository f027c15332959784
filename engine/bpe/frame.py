"""`Frame`, the state of a run at one step; `PairQueue`, its pairs; `Timeline`, a run and a cursor.

A frame computes its facts on demand. Going back or jumping repeats no training.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nlargest, nsmallest
from itertools import pairwise
from typing import Self

from engine.bpe.heap import HeapMove, Loss
from engine.bpe.languages import Languages
from engine.bpe.linked_lists import LinkedLists
from engine.bpe.picky_run import PickyRun
from engine.bpe.record import MergeStep, Record
from engine.bpe.run import Run, Statistics
from engine.bpe.ties import TIE_RULES, TieRule, never_seen
from engine.bpe.trainer import Trainer
from engine.bpe.trainers.algorithm import Move
from engine.core import html
from engine.core.arrays import Integers
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.core.wording import Sentence, counted, frequency, say
from engine.encoding.alphabet import UNKNOWN, Units
from engine.encoding.incremental import EncodedPretoken
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.playback import MergeFrame, MergeTimeline
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike

MOST_PAIRS = 10
"""Most pairs and pretokens that a notebook shows."""
LONGEST_EXCERPT = 600
"""Most characters of the corpus that a notebook shows."""


@dataclass(frozen=True)
class QueueEntry:
    """An entry of the heap.

    Attributes:
        recorded: the count that the entry claims.
        count: the true count of the pair.
        delta: the change of the count by the last merge.
        tied: whether the pair shares the highest true count with another pair.
        position: index in the heap's array; −1 if it was not requested.
        forbidden: whether a fork forbids the pair to merge.
    """

    pair: Pair
    recorded: int
    count: int
    delta: int
    tied: bool
    position: int = -1
    forbidden: bool = False

    @property
    def stale(self) -> bool:
        return self.recorded != self.count


class PairQueue:
    """The pairs after the first `step` merges of a run.

    Attributes:
        highest_count: the count of the most frequent pair; 0 if no pair is left.
        forbidden: the pairs forbidden for the next merge and their counts, most frequent first.
    """

    def __init__(self, run: Run, step: int) -> None:
        self._run = run
        self._record = record = run.record
        self._step = step
        self._counts = self._counts_to_choose_by = record.counts.at(step)
        if record.fork_rules is not None:
            self._counts_to_choose_by = record.counts_to_choose_by(step)
        self.highest_count = int(self._counts.max(initial=0))
        self._top_count = int(self._counts_to_choose_by.max(initial=0))
        self.forbidden = tuple(record.forbidden_pairs(step))
        # Late in a run thousands of pairs are tied, and ordering them takes most of a step's time.
        self._known_entries: dict[tuple[int, int], list[QueueEntry]] = {}

    @cached_property
    def _counts_before(self) -> Integers:
        # No merge has changed the counts at the start of a phase.
        is_start = not self._step or self._step in self._record.counts.restarts
        return self._counts if is_start else self._record.counts.at(self._step - 1)

    @cached_property
    def _claims(self) -> Integers:
        # A fork that prescribes merges has no heap: every entry is true.
        return self._record.heap.at(self._step) if self._record.by_rule else self._counts

    def count_of(self, pair: Pair) -> int:
        """Return the number of occurrences of the pair."""
        number = self._record.pairs.number_of(pair)
        if number is None or number >= len(self._counts):
            return 0
        return int(self._counts[number])

    @cached_property
    def pair_count(self) -> int:
        """Number of different pairs that occur."""
        return int(np.count_nonzero(self._counts))

    @cached_property
    def size(self) -> int:
        """Number of entries in the heap."""
        return int(np.count_nonzero(self._claims))

    @cached_property
    def stale_count(self) -> int:
        """Number of stale entries in the heap."""
        return int(np.count_nonzero(self._claims != self._counts))

    @cached_property
    def tied(self) -> tuple[Pair, ...]:
        """The pairs that share the top count before the next merge, without forbidden pairs.

        None where languages take turns: no count of all texts together decides.
        """
        if not self._top_count or self._record.languages is not None:
            return ()
        return tuple(self._record.pairs_with_count(self._counts_to_choose_by, self._top_count))

    @cached_property
    def choices(self) -> dict[str, Pair]:
        """Name of a tie rule → the tied pair that it chooses.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"ab": 2, b"cd": 2}
        >>> Timeline(counts, Trainer(counts, 258).steps()).frame.queue.choices["smallest-ids"]
        (97, 98)
        """
        if not self.tied:
            return {}
        tokens, tied = self._record.ids.tokens, self.tied
        return {
            name: min(tied, key=rule.make_key(tokens, never_seen))
            if rule.static
            else self._first(tied)
            for name, rule in TIE_RULES.items()
        }

    def _first(self, pairs: tuple[Pair, ...]) -> Pair:
        """Return the pair that occurs first in the present corpus."""
        run, covers = self._run, self._record.covers
        first: tuple[int, int, Pair] | None = None  # (pretoken, position, pair)
        for pair in pairs:
            # A pretoken behind the best one so far need not be searched.
            before = None if first is None else first[0] + 1
            spelled = covers(pair[0]) + covers(pair[1])
            for number, pretoken in run.by_appearance.containing(spelled, before):
                adjacent = list(pairwise(run.segmenter.tokens_at(pretoken, self._step)))
                if pair in adjacent:
                    found = number, adjacent.index(pair), pair
                    first = found if first is None else min(first, found)
                    break
        assert first is not None  # each pair occurs
        return first[2]

    def top(self, limit: int) -> list[tuple[Pair, int]]:
        """Return the pairs of highest count, ties in the order of the rule."""
        counts = self._counts
        return [
            (self._record.pairs[number], int(counts[number]))
            for number in self._best(counts, limit)
        ]

    def best(self) -> Pair | None:
        """Return the pair that merges next by the tie rule; `None` if there is none."""
        best = self._best(self._counts_to_choose_by, 1)
        return self._record.pairs[best[0]] if best else None

    def entries(self, limit: int, moves: int = 0) -> list[QueueEntry]:
        """Return the best entries by their claims, after `moves` moves of the next merge."""
        if (known := self._known_entries.get((limit, moves))) is not None:
            return known
        claims = self._claims
        if moves:
            made = self.moves()[:moves]
            new = sum(move.move is Move.PUSH for move in made)
            claims = np.append(claims, np.zeros(new, dtype=claims.dtype))
            for move in made:
                number = self._record.pairs.number_of(move.pair)
                assert number is not None  # it is in the heap
                is_out = move.move in (Move.POP, Move.POP_STALE)
                claims[number] = 0 if is_out else move.claimed
        entries = [self._entry(n, int(claims[n])) for n in self._best(claims, limit)]
        self._known_entries[limit, moves] = entries
        return entries

    def losses(self, entry: QueueEntry) -> tuple[Loss, ...]:
        """Return the merges that made an entry stale: each with the occurrences it took.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> frame = Timeline(counts, Trainer(counts, 258).steps()).seek(1)
        >>> entry = next(entry for entry in frame.queue.entries(9) if entry.stale)
        >>> entry.pair, entry.recorded, frame.queue.losses(entry)  # l o: `ow` took all seven
        ((108, 111), 7, (Loss(step=1, taken=7),))
        """
        number = self._record.pairs.number_of(entry.pair)
        if number is None or not entry.stale:
            return ()
        return self._run.claim_history.losses(number, entry.recorded, self._step)

    def entries_with(self, token_id: int, limit: int) -> list[QueueEntry]:
        """Return the entries of pairs with this token on either side, the highest claims first."""
        numbers = self._record.pairs.numbers_with(token_id)
        numbers = numbers[numbers < len(self._claims)]
        claims = self._claims[numbers]
        best = np.argsort(-claims.astype(np.int64), kind="stable")[:limit]
        return [
            self._entry(int(numbers[place]), int(claims[place])) for place in best if claims[place]
        ]

    # -- the heap's own array

    def array(self, limit: int, moves: int = 0) -> list[QueueEntry]:
        """Return the first entries of the heap's array, after `moves` moves of the next merge."""
        entries = self._run.heap_walk.entries(self._step, moves)
        return [
            self._entry(number, -claim, position)
            for position, (claim, _, number) in enumerate(entries[:limit])
        ]

    def moves(self) -> list[HeapMove]:
        """Return the moves of the next merge in the heap; empty if it is not recorded."""
        if self._step == len(self._run) or not self._run.heap_walk.exists:
            return []
        return self._run.heap_walk.moves(self._step)

    def _entry(self, number: int, claim: int, position: int = -1) -> QueueEntry:
        # A pair that the next merge makes has no count yet; its claim is true.
        is_known = number < len(self._counts)
        count = int(self._counts[number]) if is_known else claim
        before = int(self._counts_before[number]) if number < len(self._counts_before) else 0
        is_top = is_known and self._counts_to_choose_by[number] == self._top_count
        tied = bool(is_top) and len(self.tied) > 1
        pair = self._record.pairs[number]
        forbidden = any(pair == other for other, _ in self.forbidden)
        return QueueEntry(pair, claim, count, count - before, tied, position, forbidden)

    def _best(self, counts: Integers, limit: int) -> list[int]:
        """Return the numbers of the pairs with the highest of these counts, best first."""
        if limit <= 0:
            return []
        found = _most_frequent(counts, limit)
        if not len(found):
            return []
        rule, key, pairs = self._record.tie_rule, self._record.tie_key, self._record.pairs
        if not rule.static:
            nowhere = len(self._run.counts), 0
            key = rule.make_key(
                self._record.ids.tokens, lambda pair: self._first_places.get(pair, nowhere)
            )
        values = counts[found]
        least = int(values.min())
        surely: list[int] = found[values > least].tolist()
        surely.sort(key=lambda number: (-int(counts[number]), key(pairs[number])))
        # Thousands may share the least count, but only a few of them are needed.
        tied: list[int] = found[values == least].tolist()
        return surely + nsmallest(limit - len(surely), tied, key=lambda n: key(pairs[n]))

    @cached_property
    def _first_places(self) -> dict[Pair, tuple[int, int]]:
        """The first occurrence of each pair now, from one pass over all pretokens."""
        first: dict[Pair, tuple[int, int]] = {}
        tokens_at = self._run.segmenter.tokens_at
        for index, pretoken in enumerate(self._run.counts):
            for position, pair in enumerate(pairwise(tokens_at(pretoken, self._step))):
                first.setdefault(pair, (index, position))
        return first


def _most_frequent(counts: Integers, limit: int) -> Integers:
    """Return the numbers of the `limit` highest counts and of all equal to the least; no zeros.

    It selects counts near the top first, so there is little to sort.
    """
    least = int(counts.max(initial=0))
    found = np.zeros(0, dtype=np.int64)
    while least and len(found) < limit:
        least //= 8
        found = np.flatnonzero(counts > least)
    if len(found) > limit:
        values = counts[found]
        found = found[values >= np.partition(values, len(values) - limit)[len(values) - limit]]
    return found


class Frame(MergeFrame[MergeStep]):
    """The state after the first `step` merges of a run. Immutable.

    Attributes:
        run: the recorded run; it may have more steps by now.
        step: the number of merges made.
        recorded_steps: the number of steps that the run had when the frame was made.
        moves_done: number of moves of the next merge that the heap has made already.
        cuts_specials: whether a special token in a text to encode is one id, or ordinary text.
        tie_rule: chooses among pairs of equal count.
        units: the tokens that the merges started from, in a run of ours.
        languages: the languages that take turns; `None` unless the run is parity-aware.
        removals: the tokens that steps have removed; `None` if the run removes none.
        given: whether the tokens and the first merges are those of a tokenizer.
        was_given, next_given: whether the merge that led here, and the next one, is a tokenizer's
            own; counts chose or choose any other.
        statistics: the series of the whole run, for charts.
        byte_count: number of bytes in all pretokens of the corpus, without special tokens.
        bytes_per_token: the compression; 1.0 at step 0 if the units are bytes.
        counts: pretoken → its count in the corpus.
        highest_count: the count of the most frequent pair at step 0; none is ever higher.
    """

    run: Run
    _record: Record

    def __init__(
        self,
        run: Run,
        step: int,
        recorded_steps: int,
        moves_done: int = 0,
        cuts_specials: bool = True,
    ) -> None:
        super().__init__(run, step, recorded_steps)
        self.moves_done = moves_done
        self.cuts_specials = cuts_specials
        self.tie_rule: TieRule = run.record.tie_rule
        self.units: Units = run.record.units
        self.languages: Languages | None = run.record.languages
        self.removals = run.record.removals
        self.given: bool = run.record.given
        self.was_given = 0 < step <= run.record.given_steps
        self.next_given = step < run.record.given_steps
        self.has_gaps = self.given
        self.statistics: Statistics = run.statistics
        self.byte_count = run.bytes_total
        self.bytes_per_token = run.bytes_total / self.token_count if self.token_count else 1.0
        self.counts = run.counts
        self.highest_count = run.highest_pair_count

    def looks_like(self, other: Self) -> bool:
        """Whether both show the same step and move of the same run, and encode in the same way."""
        same_move = super().looks_like(other) and self.moves_done == other.moves_done
        return same_move and self.cuts_specials == other.cuts_specials

    def with_specials_as_text(self) -> Frame:
        """Return this frame with special tokens in a text to encode as ordinary text."""
        return Frame(self.run, self.step, self.recorded_steps, self.moves_done, False)

    # -- the tokens

    def is_special(self, token_id: int) -> bool:
        return token_id in self._record.ids.specials

    def is_base(self, token_id: int) -> bool:
        return token_id in self.run.base_ids

    # -- the pairs

    @cached_property
    def queue(self) -> PairQueue:
        """The pairs at this step, and their heap."""
        return PairQueue(self.run, self.step)

    @cached_property
    def linked(self) -> LinkedLists | None:
        """The lists and bigrams of the trainer `linked`; `None` if no tie rule chose the merges."""
        if not (self._record.by_rule and self.has_corpus) or self._record.counts.restarts:
            return None
        return LinkedLists(self.run, self.step, self.next_pair)

    @cached_property
    def choices_before(self) -> dict[str, Pair]:
        """Name of a tie rule → the pair that it would have merged in the last step."""
        return self.at(self.step - 1).queue.choices if self.step else {}

    def count_of(self, pair: Pair) -> int:
        """Return the number of occurrences of the pair at this step."""
        return self.queue.count_of(pair)

    def tie_reason(self, winner: Pair, rival: Pair) -> Sentence:
        """Return the reason why the tie rule takes one pair before another, as a clause.

        Args:
            winner: the pair that goes first.
            rival: a pair of the same count.
        """
        return self.tie_rule.reason(self._record.ids.tokens, winner, rival)

    def top_pairs(self, limit: int) -> list[tuple[Pair, int]]:
        """Return the pairs of highest count, ties in the order of the rule; the first merges next.

        In a fork that forbids or prescribes a pair, `next_pair` may be another one.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
        >>> timeline.seek(1).top_pairs(2)
        [((108, 256), 7), ((256, 101), 2)]
        """
        return self.queue.top(limit)

    def _best_pair(self) -> Pair | None:
        prescribed = self.next_given or self.languages is not None
        return None if prescribed else self.queue.best()

    @property
    def merges_nothing(self) -> bool:
        """Whether the run has no merges, now or later."""
        run = self.run
        return not self.recorded_steps and (run.obstacle is not None or run.is_complete)

    # -- the step in words, and in a notebook

    @property
    def sentence(self) -> Sentence:
        """A sentence about the last merge; at step 0 about the corpus.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> print(Timeline(counts, Trainer(counts, 258).steps()).seek(1).sentence)
        Merge 1 of 2: o and w occurred together 7 times; they are one token now, ow.
        """
        if (merge := self.merge) is None:
            unit = self.units.one if self.token_count == 1 else self.units.many
            beginning = "Step 0: {count} {unit}, each a token of its own."
            return say(beginning, count=f"{self.token_count:,}", unit=say(unit))
        template = "Merge {step} of {last}: {pair} are one token now: {token}."
        if merge.count:
            template = (
                "Merge {step} of {last}: {pair} occurred together {times}; they are one token now, "
                "{token}."
            )
        elif self.has_corpus:
            template = "Merge {step} of {last}: {pair} occur nowhere in this corpus: {token}."
        left, right = map(self.any_token, merge.pair)
        numbers = {"step": f"{self.step:,}", "last": f"{self.recorded_steps:,}"}
        pair, often = say("{left} and {right}", left=left, right=right), frequency(merge.count)
        return say(template, pair=pair, times=often, token=merge.token, **numbers)

    def _repr_html_(self) -> str:
        """Return the step as HTML: its sentence, the best pairs, the beginning of the corpus."""
        parts = [html.paragraph(html.sentence(self.sentence.words))]
        if self.has_corpus:
            tokens = counted(self.token_count, "token")
            sizes = f"{tokens} in the corpus, {self.bytes_per_token:.2f} bytes per token."
            parts.append(html.paragraph(sizes))
            caption = "The most frequent pairs now"
            parts.append(html.table(("pair", "count", ""), self._pair_rows(), caption))
        if shown := self.encode(self.excerpt.lines.text[:LONGEST_EXCERPT]):
            pretokens = (map(self.any_token, piece.ids) for piece in shown)
            parts.append(html.paragraph(html.pretokens(pretokens)))
        elif self.has_corpus:
            parts.append(html.table(("pretoken", "count"), self._pretoken_rows()))
        return html.page(*parts)

    def _pretoken_rows(self) -> Iterator[tuple[str, int]]:
        """Yield the most frequent pretokens in tokens, with their counts."""
        for pretoken in nlargest(MOST_PAIRS, self.counts, key=self.counts.__getitem__):
            shown = map(self.any_token, self.tokens_of(pretoken))
            yield html.tokens(shown, html.MOST_IN_CELL), self.counts[pretoken]

    def _pair_rows(self) -> Iterator[tuple[str, int, str]]:
        """Yield the most frequent pairs, each with whether it merges next or is tied."""
        following, tied = self.next_pair, frozenset(self.queue.tied)
        for pair, count in self.top_pairs(MOST_PAIRS):
            remark = "merges next" if pair == following else "tied" if pair in tied else ""
            yield html.pair(*map(self.any_token, pair)), count, remark

    # -- encoding with the merges of this step

    def encode(self, text: str) -> list[EncodedPretoken]:
        """Cut a text into pretokens and encode each at this step.

        Special tokens become one id if the frame `cuts_specials`.
        """
        typed = self.run.typed if self.cuts_specials else self.run.typed_as_text
        return typed.encode(text, self.step)

    @cached_property
    def rules(self) -> EncodingRules:
        """All data that the encoding depends on, for functions that explain it."""
        rules = self.run.rules_at(self.step)
        return rules if self.cuts_specials else replace(rules, splitter=rules.splitter.only(()))

    @cached_property
    def rules_at_end(self) -> EncodingRules:
        """The rules of the last step recorded, for what later steps bring."""
        if self.step == self.recorded_steps:
            return self.rules
        return replace(self.run.rules_at(self.recorded_steps), splitter=self.rules.splitter)

    def decode(self, ids: Sequence[int]) -> bytes:
        """Return the bytes of token ids; `UnknownTokenIdError` for an id that does not exist yet.

        The end-of-word marker `</w>` becomes a space.
        """
        for token_id in ids:
            self.token(token_id)  # raises the error
        return b"".join(map(self._record.decoded, ids))

    def unknown_in(self, text: str) -> int:
        """Count the characters of a text that the run cannot spell; each becomes `<unk>`.

        >>> from engine import Timeline, Trainer
        >>> trainer = Trainer({b"low": 5}, 10, units="characters")
        >>> Timeline(trainer.counts, record=trainer.record).frame.unknown_in("law")
        1
        """
        if self.units.spells_all or self.given:
            return 0
        unknown = self._record.vocab.index(UNKNOWN)
        return sum(piece.ids.count(unknown) for piece in self.encode(text))

    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer learnt up to this step."""
        return self.run.tokenizer_at(self.step)


class Timeline(MergeTimeline[Frame]):
    """The steps of a run and a cursor among them.

    Step k is the state after the first k merges; step 0 is the corpus in single bytes or other
    units. Steps may be added at the end at any time; the cursor stays.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        steps: the steps recorded so far, all of one run, from the first.
        record: the run's record, needed only if there are no steps yet.
        run: an existing run; then only `steps` is used of the other arguments.
        pattern, special_tokens, excerpt: see `engine.bpe.run.Run`.

    Attributes:
        run: the recorded run.
        statistics: its series, for charts.
        came_from: the cursor before its last move.

    >>> counts = {b"low": 5, b"lower": 2}
    >>> timeline = Timeline(counts, Trainer(counts, 258).steps())
    >>> timeline.forward().merge.token, timeline.forward().merge.token, timeline.cursor
    (b'ow', b'low', 2)
    >>> timeline.back().tokens_of(b"lower")
    (108, 256, 101, 114)
    """

    run: Run
    record: Record

    def __init__(
        self,
        counts: Mapping[bytes, int],
        steps: Iterable[MergeStep] = (),
        *,
        record: Record | None = None,
        run: Run | None = None,
        pattern: PatternLike = "gpt2",
        special_tokens: Sequence[str] | None = None,
        excerpt: Excerpt | None = None,
    ) -> None:
        steps = list(steps)
        if run is None:
            if steps:
                record = steps[0].record
            elif record is None:  # a record without steps is falsy
                record = Trainer(counts, 256).record
            run = (Run if record.removals is None else PickyRun)(
                counts,
                record,
                pattern=pattern,
                special_tokens=special_tokens,
                excerpt=excerpt,
            )
        super().__init__(run)
        self.statistics = run.statistics
        self._moves_done = 0
        self.extend(steps)

    def _frame_at(self, step: int) -> Frame:
        return Frame(self.run.of_step(step), step, len(self), self._moves_done)

    def seek(self, step: int) -> Frame:
        """Go to a step, before its first move in the heap.

        Raises:
            TimelineError: the step is not recorded.
        """
        if self._moves_done and 0 <= step <= len(self):
            # The cursor is between two steps, so even going to its own step is a move.
            self.came_from = self.cursor
            self._moves_done = 0
            self._frame = None
        return super().seek(step)

    def sub_step(self) -> Frame:
        """Make one move of the next merge in the heap; after the last, the merge itself."""
        moves = len(self.frame.queue.moves())
        if self._moves_done + 1 >= moves:
            return self.forward()
        self.came_from = self.cursor
        self._moves_done += 1
        self._frame = None
        return self.frame
