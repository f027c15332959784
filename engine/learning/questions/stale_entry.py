"""Is this heap entry stale?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Self

from engine.bpe.frame import Frame
from engine.bpe.heap import claim_of
from engine.bpe.pair_queue import QueueEntry
from engine.core.errors import QuestionError
from engine.core.events import Pair
from engine.core.wording import Sentence, say, times
from engine.learning.questions.form import Answer, YesOrNo
from engine.learning.questions.question import (
    Chance,
    Level,
    Question,
    Wish,
    joining,
    named_pair,
    pair_words,
    refuse_prescribed,
)
from engine.recording.affected_pretokens import pair_changes

ENTRIES, RECENT = 60, 60
"""So many of the most frequent pairs, or of the last merges, are drawn from."""
DRAWS = 8
"""So often an entry that is stale is looked for; late in a run there are few."""
MERGES = 3
"""So many merges are told, the last ones among them."""
LOOKED_AT = 200
"""So many words are looked through for one that shows what a merge took."""


@dataclass(frozen=True)
class StaleEntry(Question[Frame]):
    """Whether what an entry of the lazily deleted heap claims is still true.

    Attributes:
        merges: indices of the merges that are told: those that changed the count since the entry
            was right, or merges that did not.
    """

    NAME = "stale"
    SUMMARY = "is this entry of the heap stale?"
    OF = Frame
    MODEL = "BPE"

    frame: Frame
    entry: QueueEntry
    merges: tuple[int, ...]

    @classmethod
    def of(cls, frame: Frame, wish: Wish) -> Self:
        refuse_prescribed(frame)
        if not frame.step:
            raise QuestionError("at step 0 every entry is true: nothing has merged yet")
        if wish.about is not None:
            entry = _entry(frame, named_pair(frame, wish.about))
            if entry is None:
                raise QuestionError(f"{wish.about} has no entry in the heap at step {frame.step:,}")
            return cls(frame, entry, _told(frame, entry))
        tries = DRAWS if wish.chance.below(2) else 0
        for _ in range(tries):
            entry = _entry(frame, _recently_changed(frame, wish.chance))
            if entry is not None and entry.stale:
                return cls(frame, entry, _told(frame, entry))
        entry = _entry(frame, wish.chance.pick(frame.top_pairs(ENTRIES))[0])
        assert entry is not None  # a pair that stands somewhere has an entry
        return cls(frame, entry, _told(frame, entry))

    @property
    def asks(self) -> Sentence:
        pair = pair_words(self.frame, self.entry.pair)
        entry = (*pair, f" {self.entry.recorded:,}")
        return say(
            *("The heap has the entry ", *entry, ". Is it stale?"),
            shorter=("Entry ", *entry, ": stale?"),
        )

    @property
    def advice(self) -> Sentence:
        return say("It is if a merge since has changed how often the pair stands.")

    @cached_property
    def given(self) -> tuple[Sentence, ...]:
        return tuple(self._merge(index) for index in self.merges)

    def _merge(self, index: int) -> Sentence:
        """A merge, and a word that shows what it took of the pair, or any word of it."""
        frame = self.frame
        merged = frame.merge_at(index).pair
        pair = pair_words(frame, merged)
        shown = None
        for affected in islice(frame.at(index + 1).affected(LOOKED_AT), LOOKED_AT):
            shown = shown or affected
            if self.entry.pair in pair_changes(affected):
                shown = affected
                break
        if shown is None:
            return say(f"merge {index + 1:,}: ", *pair)
        return say(
            *(f"merge {index + 1:,}: ", *pair, "   as in "),
            *joining(frame, shown.before, merged),
        )

    @property
    def form(self) -> YesOrNo:
        return YesOrNo()

    @property
    def answer(self) -> Answer:
        return self.entry.stale

    @property
    def facts(self) -> tuple[Sentence, ...]:
        pair, entry = pair_words(self.frame, self.entry.pair), self.entry
        if not entry.stale:
            return (say("it is true: ", *pair, f" still stands {times(entry.count)}."),)
        first = say(
            *("it is stale: ", *pair, f" stands {times(entry.count)} now, not {entry.recorded:,}.")
        )
        changed = next((index for index in self.merges if self._takes(index)), None)
        if changed is None:
            return (first,)
        merge = self.frame.merge_at(changed)
        return first, say(
            f"Merge {changed + 1:,}, ", *pair_words(self.frame, merge.pair), ", changed its count."
        )

    def _takes(self, index: int) -> bool:
        record = self.frame.run.record
        number = record.number_of(self.entry.pair)
        return number in record.counts.changes(index)[0]

    def wrong(self, answer: Answer) -> tuple[Sentence, ...]:
        if answer:
            return (say("no merge has changed its count since."),)
        return (say("a merge has changed its count since."),)

    @property
    def hint(self) -> Sentence:
        left, right = map(self.frame.any_token, self.entry.pair)
        return say("look for ", left, "┊", right, " in the words: is one of them taken?")

    @property
    def level(self) -> Level:
        return Level.CLOSE if self.entry.stale else Level.CLEAR


def _recently_changed(frame: Frame, chance: Chance) -> Pair:
    """A pair whose count one of the last merges changed, but not the pair that it merged."""
    record = frame.run.record
    index = frame.step - 1 - chance.below(min(RECENT, frame.step))
    numbers = sorted(record.counts.changes(index)[0].tolist())
    others = [number for number in numbers if number != record.number_merged(index)]
    return record.pairs[chance.pick(others or numbers)]


def _entry(frame: Frame, pair: Pair) -> QueueEntry | None:
    """What the heap has of a pair; `None` if it has no entry."""
    record = frame.run.record
    number = record.number_of(pair)
    claim = 0 if number is None else claim_of(record, number, frame.step)
    return QueueEntry(pair, claim, frame.count_of(pair), 0, False) if claim else None


def _told(frame: Frame, entry: QueueEntry) -> tuple[int, ...]:
    """The merges to tell of an entry, in their order: what made it stale, and the last ones."""
    record = frame.run.record
    number = record.number_of(entry.pair)
    assert number is not None  # it has an entry
    states, counts = (found.tolist() for found in record.counts.history(number, frame.step))
    changing = [state - 1 for state in states if state]
    # A count only falls, so the entry was right up to the last state that had its count.
    right_at = [at for at, count in zip(states, counts, strict=True) if count == entry.recorded]
    since = right_at[-1] if right_at else 0
    told = [index for index in changing if index >= since][-MERGES:] if entry.stale else []
    others = _others(frame, entry, since, frozenset(changing))
    return tuple(sorted([*told, *islice(others, max(MERGES - len(told), 0))]))


def _others(frame: Frame, entry: QueueEntry, since: int, changing: frozenset[int]) -> Iterator[int]:
    """Merges since that did not change the count: one of its tokens first, then the last ones."""
    last = range(frame.step - 1, since - 1, -1)[:LOOKED_AT]
    others = [index for index in last if index not in changing]
    own = set(entry.pair)
    near = [index for index in others if own & set(frame.merge_at(index).pair)][:1]
    yield from near
    yield from (index for index in others if index not in near)
