"""The work behind a what-if: count anew where that is asked for, and train the fork."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from textual.message import Message

from bpe_tui.session import messages
from bpe_tui.session.config import LeftOut, RunConfig
from bpe_tui.session.jobs import Job
from bpe_tui.session.training import count_corpus_of
from engine.bpe.frame import Frame
from engine.bpe.timeline import Timeline
from engine.bpe.what_if import Change, compare, fork
from engine.core.errors import BpeError, WhatIfError
from engine.core.events import BytesPair
from engine.counting.count import counts_without, document_counts
from engine.text.corpus import Corpus
from engine.text.excerpt import Excerpt
from engine.text.patterns import Pattern, as_pattern
from engine.text.pretokenize import SpecialSplitter

NEWS_SECONDS = 1 / 10


@dataclass(frozen=True)
class Wish:
    """What is to be otherwise. `config` is the run's own, or one with another pattern and so on.

    Attributes:
        title: the wish in words.
        step: where the fork is.
    """

    title: str
    step: int
    config: RunConfig
    change: Change = field(default_factory=Change)


class WhatIfJob(Job):
    """Trains the fork of `frame`'s run that is wished."""

    def __init__(
        self, config: RunConfig, frame: Frame, wish: Wish, post: Callable[[Message], object]
    ) -> None:
        super().__init__("what-if", post)
        self._config, self._frame, self._wish = config, frame, wish

    def work(self) -> None:
        ended = self._train()
        self.check_cancelled()
        self.post(ended)

    def failed(self, error: Exception) -> Message:
        return messages.WhatIfFailed(error)

    def _train(self) -> messages.WhatIfEnded:
        config = self._wish.config
        counts, excerpt = self._corpus()
        self.check_cancelled()
        trainer = fork(
            self._frame.at(self._wish.step),
            replace(self._wish.change, counts=counts, special_tokens=config.special_tokens),
            config.size,
            config.min_count,
            config.max_token_length,
        )
        timeline = Timeline(
            trainer.counts, record=trainer.record, pattern=config.pattern, excerpt=excerpt
        )
        due = monotonic()
        steps = []
        for step in trainer.steps():
            self.check_cancelled()
            steps.append(step)
            if monotonic() >= due:
                self.post(messages.WhatIfProgress(len(steps)))
                due = monotonic() + NEWS_SECONDS
        timeline.extend(steps)
        timeline.complete()
        if trainer.stop_reason is None:
            raise BpeError("training ended without a reason")
        difference = compare(_merges_of(self._frame), _merges_of(timeline.frame))
        return messages.WhatIfEnded(timeline, trainer.stop_reason, difference)

    def _corpus(self) -> tuple[Mapping[bytes, int], Excerpt]:
        """The counts and the excerpt under the wish."""
        config = self._wish.config
        recut = (config.pattern, config.special_tokens) != (
            self._config.pattern,
            self._config.special_tokens,
        )
        fewer = config.left_out[len(self._config.left_out) :]
        if not recut and not fewer:
            return self._frame.counts, self._frame.excerpt
        if config.corpus == "-":
            raise WhatIfError("standard input is read only once; save it to a file and open that")
        if not recut:
            return self._without(self._frame.counts, fewer), self._frame.excerpt
        corpus, count = count_corpus_of(config, self.check_cancelled)
        excerpt = Excerpt.of(
            corpus.head, config.pattern, config.special_tokens, complete=corpus.head_is_all
        )
        return self._without(count.counts, config.left_out), excerpt

    def _without(
        self, counts: Mapping[bytes, int], left_out: Sequence[LeftOut]
    ) -> Mapping[bytes, int]:
        """The counts less those of some documents, cut as the wish has it."""
        pattern = as_pattern(self._wish.config.pattern)
        for each in left_out:
            chunks = self._chunks(pattern, SpecialSplitter(each.special_tokens))
            found = document_counts(chunks, each.document, pattern, each.special_tokens)
            counts = counts_without(counts, found)
        return counts

    def _chunks(self, pattern: Pattern, splitter: SpecialSplitter) -> Iterator[bytes]:
        for chunk in Corpus(self._wish.config.corpus).chunks(pattern, splitter):
            self.check_cancelled()
            yield chunk.data


def _merges_of(frame: Frame) -> list[BytesPair]:
    """All recorded merges, by their tokens' bytes."""
    merges = map(frame.merge_at, range(frame.recorded_steps))
    return [(merge.left, merge.right) for merge in merges]
