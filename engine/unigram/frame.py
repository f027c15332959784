"""What is recorded of a Unigram training: the run, a frame of it at one step, and its timeline.

A frame is immutable, and computed as far as somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import groupby
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.core.errors import UnknownTokenIdError
from engine.core.events import Work
from engine.recording.playback import Player, RecordedRun
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens
from engine.unigram.em import RARE, Removals, digamma
from engine.unigram.lattice import Lattice, Path, UnigramEncoder
from engine.unigram.pieces import Edge, NumberedPieces, joined, spelled, unspelled
from engine.unigram.record import (
    NEVER,
    EmStep,
    PieceHistory,
    PruneStep,
    UnigramRecord,
    UnigramStatistics,
)
from engine.unigram.trainer import Event


class UnigramRun(RecordedRun[EmStep | PruneStep]):
    """The recorded EM iterations and prunes of a training.

    Args:
        record: the run's record, as `Seeded` tells it.
        words: the pretokens of the corpus, most frequent first.
        excerpt: the beginning of the corpus, for frames to show.
        pattern: what cuts text that is to be encoded.

    Attributes:
        prunes: the steps that a prune led to.
    """

    record: UnigramRecord

    def __init__(
        self,
        record: UnigramRecord,
        words: Mapping[str, int] | None = None,
        excerpt: Excerpt | None = None,
        pattern: PatternLike = "gpt2",
    ) -> None:
        super().__init__()
        self.record = record
        self.words = words or {}
        self.excerpt = excerpt or Excerpt.of(b"")
        self.prunes: list[int] = []
        self.pattern = as_pattern(pattern)
        self._splitter = SpecialSplitter(record.special_tokens)

    def extend(self, steps: Iterable[Event]) -> None:
        """Add the steps among the events at the end; all others are passed over.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        super().extend(step for step in steps if isinstance(step, EmStep | PruneStep))

    def _keep(self, step: EmStep | PruneStep) -> None:
        if isinstance(step, PruneStep):
            self.prunes.append(step.index + 1)

    def step_at(self, index: int) -> EmStep | PruneStep:
        """A step of the record, by its index."""
        step: EmStep | PruneStep = self.record.steps[index]
        return step

    @cached_property
    def statistics(self) -> UnigramStatistics:
        """The run in numbers."""
        return UnigramStatistics(self.record, self.words)

    def cut(self, text: str) -> list[Pretoken]:
        """The pretokens of a text."""
        return list(pretokens(text, self.pattern, self._splitter))


class TextPath(NamedTuple):
    """A segmentation of a whole text: its pieces, unknown characters joined, and its score."""

    pieces: tuple[str, ...]
    score: float


class UnigramFrame:
    """The pieces after the first `step` steps, with every number about them. Immutable.

    Arrays have an entry for each piece that is there, by ascending number: the characters first,
    then as seeded. A piece's number is the same at all steps.

    Attributes:
        run, record: what is recorded of the training; they may have more steps by now.
        words: the pretokens of the corpus, most frequent first: how often each occurs.
        excerpt: the beginning of the corpus, to be looked at.
        pattern: what cuts text into pretokens.
        prunes: the recorded steps that a prune led to.
        step: how many steps have been made; 0 is the seed.
        recorded_steps: how many steps the run had when the frame was taken.
        came_by: the step that led here; `None` at the seed.
        leads_on: the step that leads on; `None` if none is recorded yet. What it removes is what
            is about to go.
    """

    def __init__(self, run: UnigramRun, step: int, recorded_steps: int) -> None:
        self.run = run
        self.record = run.record
        self.words: Mapping[str, int] = run.words
        self.excerpt = run.excerpt
        self.pattern = run.pattern
        self.prunes: Sequence[int] = run.prunes
        self.step = step
        self.recorded_steps = recorded_steps
        self.came_by = run.step_at(step - 1) if step else None
        self.leads_on = run.step_at(step) if step < recorded_steps else None

    def looks_like(self, other: UnigramFrame) -> bool:
        """Whether both are the same step of the same run, and know as much of what comes next."""
        same_step = self.run is other.run and self.step == other.step
        return same_step and (self.leads_on is None) == (other.leads_on is None)

    def at(self, step: int) -> UnigramFrame:
        """The state at another recorded step; no cursor moves."""
        return UnigramFrame(self.run, step, self.recorded_steps)

    def step_made_by(self, step: int) -> EmStep | PruneStep:
        """The step that led to a recorded state, from 1 on."""
        return self.run.step_at(step - 1)

    @property
    def statistics(self) -> UnigramStatistics:
        """The run in numbers."""
        return self.run.statistics

    # -- the pieces

    @cached_property
    def numbers(self) -> Ints:
        """The numbers that the seed gave the pieces."""
        return self.record.numbers_at(self.step)

    @cached_property
    def scores(self) -> Floats:
        """Their log-probabilities."""
        return self.record.scores_at(self.step)

    @property
    def expected_counts(self) -> Floats:
        """How often the corpus uses each on average over all segmentations."""
        return self.record.expected_at(self.step)

    @property
    def loss(self) -> float:
        """−log P(pretoken) on average, in nats."""
        return self.record.loss_at(self.step)

    @property
    def size(self) -> int:
        """How many pieces there are, without the unknown and the special tokens."""
        return len(self.numbers)

    @cached_property
    def texts(self) -> list[str]:
        """The pieces."""
        return [self.record.texts[number] for number in self.numbers.tolist()]

    def index_of(self, number: int) -> int | None:
        """Where the arrays have a piece; `None` if it is not there at this step."""
        index = int(np.searchsorted(self.numbers, number))
        found = index < len(self.numbers) and self.numbers[index] == number
        return index if found else None

    @cached_property
    def leaving(self) -> frozenset[int]:
        """The numbers of the pieces that the next step removes, if it is recorded."""
        if self.leads_on is None:
            return frozenset()
        return frozenset(self.record.numbers_removed_by(self.step).tolist())

    @cached_property
    def ids(self) -> Ints:
        """Their ids in the vocabulary, where the best comes first behind the special tokens."""
        ids = np.empty(self.size, dtype=np.int64)
        first = self.vocab_size - self.size
        ids[np.argsort(-self.scores, kind="stable")] = np.arange(first, self.vocab_size)
        return ids

    @cached_property
    def goes_at(self) -> Ints:
        """The step that removes each of them, 1 being the first; `NEVER` if none recorded does."""
        removing = self.record.steps_removing(self.numbers)
        return np.where(removing < self.recorded_steps, removing + 1, NEVER)

    def history_of(self, number: int) -> PieceHistory:
        """A piece from the seed to where it goes, or to the last step recorded."""
        return self.record.history_of(number, self.recorded_steps)

    @property
    def vocab_size(self) -> int:
        """How many ids there are: the pieces, the unknown and the special tokens."""
        return self.size + 1 + len(self.record.special_tokens)

    @property
    def vocabulary(self) -> list[tuple[str, float]]:
        """The pieces with their scores by id, as an encoder takes them and a file holds them."""
        return self.record.pieces_at(self.step)

    def removals(self) -> Work[Removals]:
        """What removing each piece would do, by its number; some 0.1 s for 1 MB of text."""
        return self.record.removals_at(self.step)

    def words_to_change(self) -> Work[int]:
        """How many distinct pretokens the prune that follows cuts anew; 0 before a step of EM.

        A prune changes no score: these are the pretokens whose best segmentation has a piece that
        goes.
        """
        if not isinstance(self.leads_on, PruneStep):
            return 0
        going = np.array(sorted(self.leaving), dtype=np.int64)
        return (yield from self.record.words_using(self.step, going))

    # -- texts under these pieces

    @cached_property
    def encoder(self) -> UnigramEncoder:
        """Encodes with the pieces of this step: id 0 is the unknown token, id i + 1 `texts[i]`."""
        scored = zip(self.texts, self.scores.tolist(), strict=True)
        return UnigramEncoder([(self.record.unknown, 0.0), *scored])

    @cached_property
    def table(self) -> NumberedPieces:
        """The pieces by their numbers: made in a moment, where the encoder takes its time."""
        return NumberedPieces(self.record.numbering, self.numbers, self.scores)

    def lattice(self, text: str) -> Lattice:
        """All segmentations of a pretoken, its edges naming pieces by number."""
        return Lattice(text, self.table)

    def segment(self, text: str) -> list[str]:
        """The tokens of a pretoken as text."""
        return [text[edge.start : edge.end] for edge in self.pieces_of(text)]

    def pieces_of(self, text: str) -> tuple[Edge, ...]:
        """The tokens of a pretoken: its best segmentation, unknowns joined; remembered."""
        if text not in self._pieces_of:
            self._pieces_of[text] = joined(self.lattice(text).best.edges)
        return self._pieces_of[text]

    @cached_property
    def _pieces_of(self) -> dict[str, tuple[Edge, ...]]:
        return {}

    def alternative(self, text: str) -> Path | None:
        """The best segmentation of a piece's text without the piece itself; `None` if none is."""
        paths = self.lattice(text).n_best(2)
        return next((path for path in paths if len(path.edges) > 1), None)

    # -- the corpus and typed text

    def cut(self, text: str) -> list[Pretoken]:
        """The pretokens of a text."""
        return self.run.cut(text)

    def segmentations(self, text: str, wanted: int) -> list[TextPath]:
        """The best segmentations of a text, the best first; a special token is a piece of score 0.

        No piece crosses the border of a pretoken. So the n best of a text are among the n best of
        all but its last pretoken, each followed by one of the n best of the last.

        >>> from engine.unigram.frame import UnigramTimeline
        >>> from engine.unigram.trainer import UnigramTrainer
        >>> trainer = UnigramTrainer({"hug": 10, "▁pug": 5, "hugs": 5}, 10)
        >>> steps = list(trainer.steps())
        >>> timeline = UnigramTimeline(trainer.record, steps)
        >>> [path.pieces for path in timeline.frame.segmentations("hugs hug", 2)]
        [('hugs', '▁', 'hug'), ('hugs', '▁', 'h', 'ug')]
        """
        best = [TextPath((), 0.0)]
        for pretoken in self.cut(text):
            longer = (
                TextPath(before.pieces + way.pieces, before.score + way.score)
                for before in best
                for way in self._segmentations_of(pretoken, wanted)
            )
            best = nlargest(wanted, longer, key=lambda path: path.score)
        return best

    def _segmentations_of(self, pretoken: Pretoken, wanted: int) -> list[TextPath]:
        if pretoken.special:
            return [TextPath((pretoken.text,), 0.0)]
        lattice = self.lattice(spelled(pretoken.text))
        return [
            TextPath(
                tuple(lattice.text[edge.start : edge.end] for edge in joined(path.edges)),
                path.score,
            )
            for path in lattice.n_best(wanted)
        ]

    def encode(self, text: str) -> list[int]:
        """The ids of a text's best segmentation in the vocabulary that this step saves."""
        ids = self.ids.tolist()
        special = {token: id_ for id_, token in enumerate(self.record.special_tokens, start=1)}
        found: list[int] = []
        for pretoken in self.cut(text):
            if pretoken.special:
                found.append(special[pretoken.text])
            else:
                # The encoder numbers pieces as the frame has them, behind the unknown token.
                numbers = self.encoder.encode(spelled(pretoken.text))
                found += (ids[number - 1] if number else 0 for number in numbers)
        return found

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids in the vocabulary that this step saves, a space for each ▁.

        Raises:
            UnknownTokenIdError: names the id that no piece has.
        """
        vocabulary = self.vocabulary
        for token_id in ids:
            if not 0 <= token_id < len(vocabulary):
                raise UnknownTokenIdError.of(token_id, len(vocabulary))
        return unspelled("".join(vocabulary[token_id][0] for token_id in ids))

    def unknown_in(self, text: str) -> list[str]:
        """What no piece of a text spells; characters side by side are together, as one token.

        With pieces of the letters of `hugs`: `"hügs 漢字"` → `["ü", "漢字"]`.
        """
        known = self.record.numbering.number_of  # no character is ever removed
        words = [spelled(pretoken.text) for pretoken in self.cut(text) if not pretoken.special]
        return [
            "".join(characters)
            for word in words
            for is_known, characters in groupby(word, key=known.__contains__)
            if not is_known
        ]


class UnigramTimeline(Player[UnigramFrame]):
    """The steps of a run and a cursor among them.

    Step 0 is the seed, step k the state after the first k steps. Events may be added at any time;
    the cursor stays where it is.

    Args:
        record: the run's record, as `Seeded` tells it.
        events: those that the trainer has yielded so far; all but the steps are passed over.
        words: the pretokens of the corpus, most frequent first.
        excerpt: the beginning of the corpus, for frames to show.
        pattern: what cuts text that is to be encoded.

    >>> from engine.unigram.trainer import UnigramTrainer
    >>> trainer = UnigramTrainer({"hug": 10, "pug": 5, "hugs": 5, "bun": 4}, 10)
    >>> events = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, events)
    >>> len(timeline), timeline.frame.size, timeline.frame.segment("hugs")
    (3, 15, ['hugs'])
    >>> timeline.forward(3).texts[-2:], [piece.text for piece in timeline.frame.came_by.pruned]
    (['hug', 'pug'], ['bun', 'hugs'])
    >>> [piece.text for piece in timeline.back().leads_on.pruned]  # what is about to go
    ['bun', 'hugs']
    """

    run: UnigramRun

    def __init__(
        self,
        record: UnigramRecord,
        events: Iterable[Event] = (),
        *,
        words: Mapping[str, int] | None = None,
        excerpt: Excerpt | None = None,
        pattern: PatternLike = "gpt2",
    ) -> None:
        super().__init__(UnigramRun(record, words, excerpt, pattern))
        self.extend(events)

    @property
    def prunes(self) -> Sequence[int]:
        """The steps that a prune led to."""
        return self.run.prunes

    @property
    def statistics(self) -> UnigramStatistics:
        """The run in numbers."""
        return self.run.statistics

    def step_at(self, index: int) -> EmStep | PruneStep:
        """Any recorded step, by its index."""
        return self.run.step_at(index)

    def _frame_at(self, step: int) -> UnigramFrame:
        return UnigramFrame(self.run, step, len(self))


# -- what a step did: to expected counts, to a score, to the words of the corpus


@dataclass(frozen=True)
class CountChanges:
    """Expected counts before and after a step, the largest difference first.

    Attributes:
        numbers: the pieces there were before it.
        before, after: how often the corpus uses each; 0 after for one that is gone.
    """

    numbers: Ints
    before: Floats
    after: Floats


def count_changes(frame: UnigramFrame) -> CountChanges:
    """What the step that led to a frame did to the expected counts; nothing at the seed."""
    earlier = frame.at(max(frame.step - 1, 0))
    numbers, before = earlier.numbers, earlier.expected_counts
    after = np.zeros(len(numbers))
    after[np.searchsorted(numbers, frame.numbers)] = frame.expected_counts
    order = np.argsort(-np.abs(after - before), kind="stable")
    return CountChanges(numbers[order], before[order], after[order])


class MStep(NamedTuple):
    """How the M-step made a score from a piece's expected count, by the digamma function ψ.

    score = ψ(expected) − ψ(total); `total` is the sum of the expected counts of all pieces.
    """

    expected: float
    digamma_of_expected: float
    total: float
    digamma_of_total: float

    @property
    def score(self) -> float:
        """The new score."""
        return self.digamma_of_expected - self.digamma_of_total


def m_step(frame: UnigramFrame, number: int) -> MStep | None:
    """The arithmetic behind a score at a frame; `None` if no EM step led there, or no such piece.

    It says what the record says where training normalises by `digamma`, which is its default.
    """
    index = frame.index_of(number)
    if index is None or not isinstance(frame.came_by, EmStep):
        return None
    earlier = frame.at(frame.step - 1)
    left = np.searchsorted(earlier.numbers, frame.numbers)
    counts = np.maximum(earlier.expected_counts[left], RARE)
    count, total = counts[index], counts.sum()
    of_count, of_total = digamma(np.array([count, total])).tolist()
    return MStep(float(count), of_count, float(total), of_total)


class ChangedWord(NamedTuple):
    """A pretoken of the corpus whose best segmentation a step changed."""

    text: str
    times: int
    before: tuple[Edge, ...]
    after: tuple[Edge, ...]


def changed_words(frame: UnigramFrame) -> Iterator[ChangedWord | None]:
    """The pretokens that the step which led to a frame segments anew, the most frequent first.

    Every pretoken is looked at in turn, which may take seconds in all; `None` stands for one that
    is as it was. Take as many as there is time for.
    """
    if not frame.step:
        return
    earlier = frame.at(frame.step - 1)
    for text, count in frame.words.items():
        before, after = earlier.lattice(text).best.edges, frame.lattice(text).best.edges
        cut_alike = [edge.end for edge in before] == [edge.end for edge in after]
        yield None if cut_alike else ChangedWord(text, count, before, after)


# -- where a piece is used

BATCH = 1000
"""Words that are passed over in one go: looking for a text in a word takes next to nothing."""


class Occurrence(NamedTuple):
    """A pretoken of the corpus whose best segmentation has a piece."""

    text: str
    times: int
    edges: tuple[Edge, ...]


def piece_occurrences(frame: UnigramFrame, number: int) -> Iterator[Occurrence | None]:
    """The pretokens whose best segmentation has a piece of the seed, the most frequent first.

    All pretokens are looked through, which may take a second; `None` comes now and then where
    there is none to tell. Take as many as there is time for.
    """
    piece = frame.record.texts[number]
    for passed, (text, times) in enumerate(frame.words.items()):
        if piece in text:
            edges = frame.lattice(text).best.edges
            is_used = any(edge.piece == number for edge in edges)
            yield Occurrence(text, times, edges) if is_used else None
        elif passed % BATCH == 0:
            yield None
