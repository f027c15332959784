"""`Frame`, the state of a run at one step, and `Timeline`, the run with a cursor.

A frame is computed as far as somebody asks. Nothing is trained anew to go back or jump.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import pairwise
from typing import Self

from engine.bpe.heap import HeapMove, Move
from engine.bpe.record import MergeStep, Record
from engine.bpe.run import Run, Statistics
from engine.bpe.ties import TIE_RULES, PairKey, TieRule, never_seen
from engine.bpe.trainer import Trainer
from engine.core.arrays import Integers, np
from engine.core.events import Pair
from engine.core.wording import Words
from engine.encoding.alphabet import UNKNOWN, Units
from engine.encoding.incremental import EncodedPretoken
from engine.encoding.rules import EncodingRules
from engine.encoding.tokenizer import Tokenizer
from engine.recording.playback import MergeFrame, MergeTimeline
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike


@dataclass(frozen=True)
class QueueEntry:
    """A pair as the heap has it.

    `recorded` is the count that the heap's entry claims, `count` the true one. `delta` is what the
    last merge did to the count; `tied` says that another pair has the same true count and it is
    the highest. `forbidden` says that a fork keeps it from merging. `position` is the entry's index
    in the heap's array, where that was asked for.
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
    """The pairs after the first `step` merges of a run."""

    def __init__(self, run: Run, step: int) -> None:
        self._run = run
        self._record = run.record
        self._step = step

    @cached_property
    def _counts(self) -> Integers:
        return self._record.counts.at(self._step)

    @cached_property
    def _counts_to_choose_by(self) -> Integers:
        if self._record.fork_rules is None:
            return self._counts
        return self._record.counts_to_choose_by(self._step)

    @cached_property
    def forbidden(self) -> tuple[tuple[Pair, int], ...]:
        """The pairs that the next merge may not be, most frequent first, with their counts."""
        return tuple(self._record.forbidden_pairs(self._step))

    @cached_property
    def _counts_before(self) -> Integers:
        return self._record.counts.at(self._step - 1) if self._step else self._counts

    @cached_property
    def _claims(self) -> Integers:
        # Where merges were prescribed no heap is kept: every entry is true.
        return self._record.heap.at(self._step) if self._record.by_rule else self._counts

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands side by side."""
        number = self._record.pairs.number_of(pair)
        if number is None or number >= len(self._counts):
            return 0
        return int(self._counts[number])

    @cached_property
    def pair_count(self) -> int:
        """Different pairs that stand somewhere."""
        return int(np.count_nonzero(self._counts))

    @cached_property
    def size(self) -> int:
        """Entries in the heap."""
        return int(np.count_nonzero(self._claims))

    @cached_property
    def stale_count(self) -> int:
        """Heap entries that are no longer true."""
        return int(np.count_nonzero(self._claims != self._counts))

    @cached_property
    def highest_count(self) -> int:
        """The count of the most frequent pair; 0 if none is left."""
        return int(self._counts.max(initial=0))

    @cached_property
    def tied(self) -> tuple[Pair, ...]:
        """The pairs that share the top count, before the next merge; forbidden ones left out."""
        counts = self._counts_to_choose_by
        if not (top := int(counts.max(initial=0))):
            return ()
        return tuple(self._record.pairs_with_count(counts, top))

    @cached_property
    def choices(self) -> dict[str, Pair]:
        """Which of the tied pairs each tie rule takes: name of the rule → pair.

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
        """Which of the pairs stands first in the corpus as it is now."""
        first: tuple[int, int, Pair] | None = None
        for pair in pairs:
            found = self._first_place(pair, None if first is None else first[0] + 1)
            if found is not None and (first is None or found < first[:2]):
                first = (*found, pair)
        assert first is not None  # each of them stands somewhere
        return first[2]

    def _first_place(self, pair: Pair, before: int | None) -> tuple[int, int] | None:
        """Where the pair first stands: in which pretoken, of those before one, and where in it."""
        run = self._run
        spelled = self._record.covers(pair[0]) + self._record.covers(pair[1])
        for number, pretoken in run.by_appearance.containing(spelled, before):
            pairs = list(pairwise(run.segmenter.tokens_at(pretoken, self._step)))
            if pair in pairs:
                return number, pairs.index(pair)
        return None

    def top(self, limit: int) -> list[tuple[Pair, int]]:
        """The pairs of highest count, ties in the order of the rule."""
        counts = self._counts
        return [
            (self._record.pairs[number], int(counts[number]))
            for number in self._best(counts, limit)
        ]

    def best(self) -> Pair | None:
        """The pair that the rule takes; `None` if there is none."""
        best = self._best(self._counts_to_choose_by, 1)
        return self._record.pairs[best[0]] if best else None

    def entries(self, limit: int, moves: int = 0) -> list[QueueEntry]:
        """The best entries of the heap in its own order, stale ones where they claim to be.

        As they are after so many moves of the next merge.
        """
        if (known := self._known_entries.get((limit, moves))) is None:
            claims = self._claims_after(moves)
            best = self._best(claims, limit)
            known = [self._entry(number, int(claims[number])) for number in best]
            self._known_entries[limit, moves] = known
        return known

    @cached_property
    def _known_entries(self) -> dict[tuple[int, int], list[QueueEntry]]:
        # Late in a run thousands are tied, and to order them takes most of the time of a step.
        return {}

    def _claims_after(self, moves: int) -> Integers:
        """What the entry of each pair claims after so many moves of the next merge."""
        if not moves:
            return self._claims
        made = self.moves()[:moves]
        new = sum(move.move is Move.PUSH for move in made)
        claims = np.append(self._claims, np.zeros(new, dtype=self._claims.dtype))
        for move in made:
            number = self._record.pairs.number_of(move.pair)
            assert number is not None  # it is in the heap
            is_out = move.move in (Move.POP, Move.POP_STALE)
            claims[number] = 0 if is_out else move.claimed
        return claims

    def entries_with(self, token_id: int, limit: int) -> list[QueueEntry]:
        """The entries whose pair has a token on either side, the highest claims first."""
        numbers = self._record.pairs.numbers_with(token_id)
        numbers = numbers[numbers < len(self._claims)]
        claims = self._claims[numbers]
        best = np.argsort(-claims.astype(np.int64), kind="stable")[:limit]
        return [
            self._entry(int(numbers[place]), int(claims[place])) for place in best if claims[place]
        ]

    # -- the heap's own array

    def prepare_array(self, seconds: float) -> float:
        """Work towards the array for so long; which part is done, 1.0 for all of it."""
        return self._run.heap_walk.prepare(self._step, seconds)

    def array(self, limit: int, moves: int = 0) -> list[QueueEntry]:
        """The first entries of the heap's array, after so many moves of the next merge."""
        entries = self._run.heap_walk.entries(self._step, moves)
        return [
            self._entry(number, -claim, position)
            for position, (claim, _, number) in enumerate(entries[:limit])
        ]

    def moves(self) -> list[HeapMove]:
        """What the next merge does to the heap, in order; nothing if it is not recorded."""
        if self._step == len(self._run) or not self._run.heap_walk.exists:
            return []
        return self._run.heap_walk.moves(self._step)

    def _entry(self, number: int, claim: int, position: int = -1) -> QueueEntry:
        # A pair that the next merge makes has no count yet; its entry is as true as can be.
        count = int(self._counts[number]) if number < len(self._counts) else claim
        before = int(self._counts_before[number]) if number < len(self._counts_before) else 0
        pair = self._record.pairs[number]
        tied = len(self.tied) > 1 and pair in self._tied_set
        forbidden = pair in self._forbidden_set
        return QueueEntry(pair, claim, count, count - before, tied, position, forbidden)

    @cached_property
    def _tied_set(self) -> frozenset[Pair]:
        return frozenset(self.tied)

    @cached_property
    def _forbidden_set(self) -> frozenset[Pair]:
        return frozenset(pair for pair, _ in self.forbidden)

    def _best(self, counts: Integers, limit: int) -> list[int]:
        """Numbers of the pairs with the highest of these counts, best first."""
        if limit <= 0:
            return []
        found = _most_frequent(counts, limit)
        if not len(found):
            return []
        key, pairs = self._tie_key, self._record.pairs
        values = counts[found]
        least = int(values.min())
        surely: list[int] = found[values > least].tolist()
        surely.sort(key=lambda number: (-int(counts[number]), key(pairs[number])))
        # Of those that share the least count there may be thousands, and few places left.
        tied: list[int] = found[values == least].tolist()
        return surely + nsmallest(limit - len(surely), tied, key=lambda n: key(pairs[n]))

    @property
    def _tie_key(self) -> PairKey:
        rule = self._record.tie_rule
        if rule.static:
            return self._record.tie_key
        return rule.make_key(self._record.ids.tokens, self._first_seen)

    def _first_seen(self, pair: Pair) -> tuple[int, int]:
        return self._first_places.get(pair, (len(self._run.counts), 0))

    @cached_property
    def _first_places(self) -> dict[Pair, tuple[int, int]]:
        """Where each pair first stands now: one pass over all pretokens, for `first-seen`."""
        first: dict[Pair, tuple[int, int]] = {}
        tokens_at = self._run.segmenter.tokens_at
        for index, pretoken in enumerate(self._run.counts):
            for position, pair in enumerate(pairwise(tokens_at(pretoken, self._step))):
                first.setdefault(pair, (index, position))
        return first


def _most_frequent(counts: Integers, limit: int) -> Integers:
    """The numbers of the `limit` highest counts and of all that equal the least of these; no zeros.

    Looks at the counts near the top first: with few of them there is little to sort.
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
        run: what is recorded of the training; it may have more steps by now.
        step: how many merges have been made.
        recorded_steps: how many steps the run had when the frame was taken.
        moves_done: how many moves of the next merge the heap has made already.
        cuts_specials: whether a special token in a text to encode is one id, or ordinary text.
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

    def looks_like(self, other: Self) -> bool:
        """Whether both are the same step and move of the same run, and encode alike."""
        same_move = super().looks_like(other) and self.moves_done == other.moves_done
        return same_move and self.cuts_specials == other.cuts_specials

    def with_specials_as_text(self) -> Frame:
        """This frame, but special tokens in a text to encode are ordinary text."""
        return Frame(self.run, self.step, self.recorded_steps, self.moves_done, False)

    # -- what the run is

    @property
    def tie_rule(self) -> TieRule:
        """What chooses among pairs of one count."""
        return self._record.tie_rule

    @property
    def units(self) -> Units:
        """What the merges started from, in a run of ours."""
        return self._record.units

    @property
    def given(self) -> bool:
        """Whether the merges are a tokenizer's, replayed, and none was chosen here."""
        return self._record.given

    @property
    def statistics(self) -> Statistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    # -- the tokens

    def _describe_ids(self) -> str:
        # A tokenizer's own may leave some out.
        return f"there are {self.vocab_size:,} tokens" if self.given else super()._describe_ids()

    def is_special(self, token_id: int) -> bool:
        return token_id in self._record.ids.specials

    def is_base(self, token_id: int) -> bool:
        return token_id in self.run.base_ids

    # -- the corpus

    @property
    def byte_count(self) -> int:
        """Bytes in all pretokens of the corpus, special tokens left out."""
        return self.run.bytes_total

    @property
    def bytes_per_token(self) -> float:
        """The compression: 1.0 at step 0 in bytes."""
        return self.byte_count / self.token_count if self.token_count else 1.0

    @property
    def counts(self) -> Mapping[bytes, int]:
        """pretoken → how often it occurs in the corpus."""
        return self.run.counts

    # -- the pairs

    @cached_property
    def queue(self) -> PairQueue:
        """The pairs at this step, and the heap they wait in."""
        return PairQueue(self.run, self.step)

    @property
    def highest_count(self) -> int:
        """The count of the most frequent pair at step 0; no count is ever higher."""
        return self.run.highest_pair_count

    @cached_property
    def choices_before(self) -> dict[str, Pair]:
        """Which pair each tie rule would have merged in place of the merge that led here."""
        return self.at(self.step - 1).queue.choices if self.step else {}

    def count_of(self, pair: Pair) -> int:
        """How often the pair stands side by side at this step."""
        return self.queue.count_of(pair)

    def why_first(self, winner: Pair, rival: Pair) -> Words:
        """Why the tie rule takes one pair before another of the same count, as a clause.

        Args:
            winner, rival: pairs of ids.
        """
        return self.tie_rule.why_first(self._record.ids.tokens, winner, rival)

    def top_pairs(self, limit: int) -> list[tuple[Pair, int]]:
        """The pairs of highest count, ties in the order of the rule; the first merges next.

        In a fork that forbids a pair or prescribes one, `next_pair` is another.

        >>> from engine import Timeline, Trainer
        >>> counts = {b"low": 5, b"lower": 2}
        >>> timeline = Timeline(counts, Trainer(counts, 300).steps())
        >>> timeline.seek(1).top_pairs(2)
        [((108, 256), 7), ((256, 101), 2)]
        """
        return self.queue.top(limit)

    def _best_pair(self) -> Pair | None:
        return None if self.given else self.queue.best()

    @property
    def merges_nothing(self) -> bool:
        """Whether there is no merge to go through, now or later."""
        run = self.run
        return not self.recorded_steps and (run.obstacle is not None or run.is_complete)

    # -- encoding with the merges of this step

    def encode(self, text: str) -> list[EncodedPretoken]:
        """A text cut into pretokens, each with its ids at this step.

        Special tokens are found in it as in the corpus, if the frame `cuts_specials`.
        """
        typed = self.run.typed if self.cuts_specials else self.run.typed_as_text
        return typed.encode(text, self.step)

    @cached_property
    def rules(self) -> EncodingRules:
        """All that the encoding follows from, for functions that explain it."""
        rules = self.run.rules_at(self.step)
        return rules if self.cuts_specials else replace(rules, splitter=rules.splitter.only(()))

    def decode(self, ids: Sequence[int]) -> bytes:
        """The bytes of token ids; `UnknownTokenIdError` for one that is not there yet.

        The end of a word, `</w>`, becomes a space.
        """
        for token_id in ids:
            self.token(token_id)  # names one that is not there
        return b"".join(map(self._record.decoded, ids))

    def unknown_in(self, text: str) -> int:
        """How many characters of a text the run cannot spell: each is `<unk>`.

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
        """The tokenizer that this step has learnt."""
        return self.run.tokenizer_at(self.step)


class Timeline(MergeTimeline[Frame]):
    """The steps of a run and a cursor among them.

    Step k is the state after the first k merges: step 0 is the corpus in single bytes, or in what
    else the run starts from. Steps may be added at the end at any time; the cursor stays where it
    is.

    Args:
        counts: the pretoken counts that were trained on, `Trainer.counts`.
        steps: the steps recorded so far, all of one run, from the first.
        record: the run's record, needed only if there are no steps yet.
        run: a run that exists already. Of the other arguments only `steps` is used then.
        pattern, special_tokens, excerpt: see `engine.bpe.run.Run`.

    Attributes:
        run: what is recorded.
        came_from: where the cursor was before it last moved.

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
            run = Run(
                counts,
                _record_of(steps, record, counts),
                pattern=pattern,
                special_tokens=special_tokens,
                excerpt=excerpt,
            )
        super().__init__(run)
        self._moves_done = 0
        self.extend(steps)

    @property
    def statistics(self) -> Statistics:
        """The whole run in numbers, for charts."""
        return self.run.statistics

    def _frame_at(self, step: int) -> Frame:
        return Frame(self.run, step, len(self), self._moves_done)

    def seek(self, step: int) -> Frame:
        """Go to a step, and to its first move in the heap.

        Raises:
            TimelineError: it is not recorded.
        """
        if self._moves_done and 0 <= step <= len(self):
            # Between two steps, so that even the step at the cursor is a way to go.
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


def _record_of(
    steps: Sequence[MergeStep], record: Record | None, counts: Mapping[bytes, int]
) -> Record:
    if steps:
        return steps[0].record
    # A record without steps is false, as anything empty is.
    return Trainer(counts, 256).record if record is None else record
