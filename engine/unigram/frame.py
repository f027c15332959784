"""The recording of a Unigram training: the run, a frame at one step, its changes, the timeline.

A frame is immutable, and computes most of its numbers when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

import numpy as np

from engine.core.arguments import checked_methods
from engine.core.arrays import Floats, Ints
from engine.core.errors import UnknownTokenIdError
from engine.core.events import Work
from engine.recording.playback import Player, RecordedRun, check_step
from engine.text.excerpt import Excerpt
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens
from engine.unigram.em import RARE, PieceRemovals, digamma
from engine.unigram.lattice import LatticeMaker, Path
from engine.unigram.pieces import UNKNOWN, Edge, joined, spelled, unspelled
from engine.unigram.record import NEVER, EmStep, PruneStep, UnigramRecord, UnigramStatistics
from engine.unigram.trainer import Event

REMOVALS_KEPT = 4
"""Number of steps whose costs of removals a run keeps."""


class UnigramRun(RecordedRun[EmStep | PruneStep]):
    """The recorded EM iterations and prunes of a training.

    Args:
        record: the run's record, from the event `Seeded`.
        words: the pretokens of the corpus, most frequent first.
        excerpt: the beginning of the corpus, for frames to show.
        pattern: the pattern that cuts texts to encode.

    Attributes:
        prunes: the steps right after a prune.
        known_removals: the costs of removals at the last steps that were asked for.
    """

    record: UnigramRecord

    def __init__(
        self,
        record: UnigramRecord,
        words: Mapping[str, int] | None = None,
        excerpt: Excerpt | None = None,
        pattern: PatternLike = "gpt2",
    ) -> None:
        self.record = record
        self.words = words or {}
        self.excerpt = excerpt or Excerpt.of(b"")
        self.prunes: list[int] = []
        self.pattern = as_pattern(pattern)
        self._splitter = SpecialSplitter(record.special_tokens)
        self.known_removals: dict[int, PieceRemovals] = {}

    def extend(self, steps: Iterable[Event]) -> None:
        """Append the steps among the events; other events are ignored.

        Raises:
            TimelineError: a step is of another run, or not the next one.
        """
        super().extend(step for step in steps if isinstance(step, EmStep | PruneStep))

    def _keep(self, step: EmStep | PruneStep) -> None:
        if isinstance(step, PruneStep):
            self.prunes.append(step.index + 1)

    @cached_property
    def statistics(self) -> UnigramStatistics:
        """The run's series for charts."""
        return UnigramStatistics(self.record, self.words)

    def cut(self, text: str) -> list[Pretoken]:
        """Cut a text into pretokens."""
        return list(pretokens(text, self.pattern, self._splitter))


class TextPath(NamedTuple):
    """A segmentation of a whole text: its pieces, with unknown characters joined, and its score."""

    pieces: tuple[str, ...]
    score: float


@checked_methods
class UnigramFrame:
    """The pieces after the first `step` steps, with all their numbers. Immutable.

    Arrays have an entry for each piece that is there, by ascending number: the characters first,
    then as seeded. A piece's number is the same at all steps.

    Attributes:
        run, record: the recording of the training; it may have more steps by now.
        words: pretoken → occurrences in the corpus, most frequent first.
        excerpt: the beginning of the corpus.
        pattern: the pattern that cuts text into pretokens.
        has_corpus: True: the corpus of a training is at hand.
        cut: cuts a text into pretokens.
        prunes: the recorded steps right after a prune.
        step: the number of steps made; 0 is the seed.
        recorded_steps: the number of steps of the run when the frame was made.
        came_by: the step that led here; `None` at the seed.
        leads_on: the next step; `None` if it is not recorded yet.
        expected_counts: average uses of each piece in the corpus over all segmentations.
        loss: the average of −log P(pretoken), in nats.
        size: number of pieces, without the unknown and the special tokens.
        vocab_size: number of ids: the pieces, the unknown and the special tokens.
    """

    has_corpus = True

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
        self.cut = run.cut
        self.expected_counts = self.record.expected_at(step)
        self.loss = self.record.loss_at(step)
        self.size = len(self.expected_counts)
        self.vocab_size = self.size + 1 + len(self.record.special_tokens)
        self._pieces_of: dict[str, tuple[Edge, ...]] = {}

    def looks_like(self, other: UnigramFrame) -> bool:
        """Whether both are the same step of the same run, and both or neither have a next step."""
        same_step = self.run is other.run and self.step == other.step
        return same_step and (self.leads_on is None) == (other.leads_on is None)

    def at(self, step: int) -> UnigramFrame:
        """Return the frame of another recorded step; no cursor moves."""
        check_step(step, self.recorded_steps)
        return UnigramFrame(self.run, step, self.recorded_steps)

    @property
    def statistics(self) -> UnigramStatistics:
        """The run's series for charts."""
        return self.run.statistics

    # -- the pieces

    @cached_property
    def numbers(self) -> Ints:
        """The pieces' numbers, which the seed gave them."""
        return self.record.numbers_at(self.step)

    @cached_property
    def scores(self) -> Floats:
        """The pieces' log-probabilities."""
        return self.record.scores_at(self.step)

    @cached_property
    def texts(self) -> list[str]:
        """The pieces' texts."""
        return [self.record.texts[number] for number in self.numbers.tolist()]

    def index_of(self, number: int) -> int | None:
        """Return the index of a piece in the arrays; `None` if it is not there at this step."""
        index = int(np.searchsorted(self.numbers, number))
        found = index < len(self.numbers) and self.numbers[index] == number
        return index if found else None

    @cached_property
    def leaving(self) -> frozenset[int]:
        """Numbers of the pieces that the next step removes, if it is recorded."""
        return frozenset(self.numbers[self.goes_at == self.step + 1].tolist())

    @cached_property
    def ids(self) -> Ints:
        """The pieces' ids in the vocabulary; the best piece follows the special tokens."""
        ids = np.empty(self.size, dtype=np.int64)
        first = self.vocab_size - self.size
        ids[np.argsort(-self.scores, kind="stable")] = np.arange(first, self.vocab_size)
        return ids

    @cached_property
    def goes_at(self) -> Ints:
        """The step that removes each piece, from 1; `NEVER` if no recorded step does."""
        removing = self.record.steps_removing(self.numbers)
        return np.where(removing < self.recorded_steps, removing + 1, NEVER)

    @property
    def vocabulary(self) -> list[tuple[str, float]]:
        """Text and score of each id, as an encoder and a file have them."""
        return self.record.pieces_at(self.step)

    def removals(self) -> Work[PieceRemovals]:
        """Estimate the effect of removing each piece; takes some 0.1 s for 1 MB of text."""
        known = self.run.known_removals
        if self.step not in known:
            known[self.step] = yield from self.record.removals_at(self.step)
            if len(known) > REMOVALS_KEPT:
                del known[next(iter(known))]
        return known[self.step]

    @property
    def known_removals(self) -> PieceRemovals | None:
        """The result of `removals` if it is there already."""
        return self.run.known_removals.get(self.step)

    # -- texts under these pieces

    @cached_property
    def lattice(self) -> LatticeMaker:
        """Makes all segmentations of a pretoken; their edges have the pieces' numbers."""
        return self.record.lattices_at(self.step)

    def segment(self, text: str) -> list[str]:
        """Return the tokens of a pretoken as texts."""
        return [text[edge.start : edge.end] for edge in self.pieces_of(text)]

    def pieces_of(self, text: str) -> tuple[Edge, ...]:
        """Return the best segmentation of a pretoken, with unknowns joined; it is remembered."""
        if text not in self._pieces_of:
            self._pieces_of[text] = joined(self.lattice(text).best.edges)
        return self._pieces_of[text]

    def alternative(self, text: str) -> Path | None:
        """Return the best segmentation of a piece's text without the piece; `None` if none is."""
        return self.record.alternative(text, self.lattice)

    # -- the corpus and typed text

    @staticmethod
    def _pieces_on(path: Path, word: str) -> TextPath:
        pieces = (word[edge.start : edge.end] for edge in joined(path.edges))
        return TextPath(tuple(pieces), path.score)

    def segmentations(self, text: str, wanted: int) -> list[TextPath]:
        """Return the best segmentations of a text, the best first; special tokens score 0.

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
            ways = [TextPath((pretoken.text,), 0.0)]
            if not pretoken.special:
                word = spelled(pretoken.text)
                ways = [self._pieces_on(path, word) for path in self.lattice(word).n_best(wanted)]
            longer = (
                TextPath(before.pieces + way.pieces, before.score + way.score)
                for before in best
                for way in ways
            )
            best = nlargest(wanted, longer, key=lambda path: path.score)
        return best

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's best segmentation in the vocabulary of this step."""
        ids = self.ids.tolist()
        special = {token: id_ for id_, token in enumerate(self.record.special_tokens, start=1)}
        found: list[int] = []
        for pretoken in self.cut(text):
            if pretoken.special:
                found.append(special[pretoken.text])
            else:
                for edge in self.pieces_of(spelled(pretoken.text)):
                    at = self.index_of(edge.piece)
                    found.append(0 if at is None else ids[at])
        return found

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids in the vocabulary of this step, with a space for each ▁.

        Raises:
            UnknownTokenIdError: an id is not in the vocabulary.
        """
        vocabulary = self.vocabulary
        for token_id in ids:
            if not 0 <= token_id < len(vocabulary):
                raise UnknownTokenIdError.of(token_id, len(vocabulary))
        return unspelled(self.record.between.join(vocabulary[token_id][0] for token_id in ids))

    def unknown_in(self, text: str) -> list[str]:
        """Return the unknown characters of a text; neighbours are joined.

        With pieces of the letters of `hugs`: `"hügs 漢字"` → `["ü", "漢字"]`.
        """
        words = (spelled(pretoken.text) for pretoken in self.cut(text) if not pretoken.special)
        return [
            word[edge.start : edge.end]
            for word in words
            for edge in self.pieces_of(word)
            if edge.piece == UNKNOWN
        ]


@checked_methods
class UnigramTimeline(Player[UnigramFrame]):
    """The steps of a run, with a cursor.

    Step 0 is the seed, step k the state after the first k steps. Events may be added at any time;
    the cursor stays where it is.

    Args:
        record: the run's record, from the event `Seeded`.
        events: the trainer's events so far; all but the steps are ignored.
        words: the pretokens of the corpus, most frequent first.
        excerpt: the beginning of the corpus, for frames to show.
        pattern: the pattern that cuts texts to encode.

    >>> from engine.unigram.trainer import UnigramTrainer
    >>> trainer = UnigramTrainer({"hug": 10, "pug": 5, "hugs": 5, "bun": 4}, 10)
    >>> events = list(trainer.steps())
    >>> timeline = UnigramTimeline(trainer.record, events)
    >>> len(timeline), timeline.frame.size, timeline.frame.segment("hugs")
    (3, 15, ['hugs'])
    >>> timeline.forward(3).texts[-2:], [piece.text for piece in timeline.frame.came_by.removed]
    (['hug', 'pug'], ['bun', 'hugs'])
    >>> [piece.text for piece in timeline.back().leads_on.removed]  # the next to be removed
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

    def _frame_at(self, step: int) -> UnigramFrame:
        return UnigramFrame(self.run, step, len(self))


# -- what a step did: to expected counts, to a score, to the words of the corpus


@dataclass(frozen=True)
class CountChanges:
    """Expected counts before and after a step, the largest difference first.

    Attributes:
        numbers: the numbers of the pieces before the step.
        before, after: the expected count of each; a removed piece has 0 after it.
    """

    numbers: Ints
    before: Floats
    after: Floats


def count_changes(frame: UnigramFrame) -> CountChanges:
    """Compare the expected counts before and after the step that led to a frame."""
    earlier = frame.at(max(frame.step - 1, 0))
    numbers, before = earlier.numbers, earlier.expected_counts
    after = np.zeros(len(numbers))
    after[np.searchsorted(numbers, frame.numbers)] = frame.expected_counts
    order = np.argsort(-np.abs(after - before), kind="stable")
    return CountChanges(numbers[order], before[order], after[order])


class MStep(NamedTuple):
    """The arithmetic of an M-step that makes a piece's score by the digamma function ψ.

    score = ψ(expected) − ψ(total); `total` is the sum of the expected counts of all pieces.
    """

    expected: float
    digamma_of_expected: float
    total: float
    digamma_of_total: float
    score: float


def m_step(frame: UnigramFrame, number: int) -> MStep | None:
    """Return the arithmetic of a piece's score; `None` if no EM step led here, or it is not there.

    It agrees with the record if the training normalises by `digamma`, which is the default.
    """
    index = frame.index_of(number)
    if index is None or not isinstance(frame.came_by, EmStep):
        return None
    earlier = frame.at(frame.step - 1)
    left = np.searchsorted(earlier.numbers, frame.numbers)
    counts = np.maximum(earlier.expected_counts[left], RARE)
    count, total = counts[index], counts.sum()
    of_count, of_total = digamma(np.array([count, total])).tolist()
    return MStep(float(count), of_count, float(total), of_total, of_count - of_total)


class ChangedWord(NamedTuple):
    """A pretoken of the corpus whose best segmentation a step changed."""

    text: str
    times: int
    before: tuple[Edge, ...]
    after: tuple[Edge, ...]


def changed_words(frame: UnigramFrame) -> Iterator[ChangedWord | None]:
    """Yield the pretokens whose segmentation the last step changed, the most frequent first.

    All pretokens together may take seconds, so each one that did not change gives `None`: the
    caller can stop at any time.
    """
    if not frame.step:
        return
    earlier = frame.at(frame.step - 1)
    for text, count in frame.words.items():
        before, after = earlier.lattice(text).best.edges, frame.lattice(text).best.edges
        is_same = [edge.piece for edge in before] == [edge.piece for edge in after]
        yield None if is_same else ChangedWord(text, count, before, after)


# -- where a piece is used

BATCH = 1000
"""Number of words to read without a pause: to search a word takes little time."""


class Occurrence(NamedTuple):
    """A pretoken of the corpus whose best segmentation uses a piece."""

    text: str
    times: int
    edges: tuple[Edge, ...]


def piece_occurrences(frame: UnigramFrame, number: int) -> Iterator[Occurrence | None]:
    """Yield the pretokens whose best segmentation uses a piece, the most frequent first.

    To read all pretokens may take a second, so `None` comes in between: the caller can stop at any
    time.
    """
    piece = frame.record.texts[number]
    for place, (text, times) in enumerate(frame.words.items()):
        if piece in text:
            edges = frame.lattice(text).best.edges
            is_used = any(edge.piece == number for edge in edges)
            yield Occurrence(text, times, edges) if is_used else None
        elif place % BATCH == 0:
            yield None
