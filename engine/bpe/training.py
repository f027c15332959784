"""`train_bpe`: from a file to a vocab and its merges, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.bpe.record import MergeStep
from engine.bpe.trainer import Trainer
from engine.bpe.trainers import DEFAULT_TRAINER
from engine.core.events import CountProgress, TrainProgress
from engine.encoding.units import DEFAULT_UNITS
from engine.recording.training import CountedCorpus, Training, TrainingListener, train_on_corpus
from engine.text.corpus import Corpus, separator_of
from engine.text.patterns import Pattern
from engine.text.pretokenize import check_special_tokens


def train_bpe(
    input_path: str | os.PathLike[str],
    vocab_size: int,
    special_tokens: Sequence[str],
    pattern: str | Pattern = "gpt2",
    tie_rule: str = "lexicographic",
    trainer: str = DEFAULT_TRAINER,
    workers: int | None = None,
    on_progress: Callable[[CountProgress | TrainProgress], None] | None = None,
    on_step: Callable[[MergeStep], None] | None = None,
    min_count: int = 1,
    max_token_length: int | None = None,
    units: str = DEFAULT_UNITS,
) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    """Train a byte-level BPE; the signature and result of Stanford CS336, assignment 1.

    Args:
        input_path: a text file, gzipped if it ends in `.gz`; `-` for standard input.
        vocab_size: bytes + special tokens + merges, at the most.
        special_tokens: cut out of the text before anything else; of bytes the ids from 256 on.
        pattern: a name in `PATTERNS`, or a regex, typed or compiled.
        tie_rule, trainer: names in `TIE_RULES` and `TRAINERS`.
        workers: processes that count pretokens.
        on_progress: gets `CountProgress` while counting and `TrainProgress` while merging.
        on_step: gets each `MergeStep`. An exception from a callback stops the work.
        min_count: stop when no pair occurs this often.
        max_token_length: a pair never merges if its token would be longer, in bytes (2 or more).
        units: what the merges start from, a name in `UNITS`: characters in place of bytes.

    Returns:
        vocab: id → bytes; merges: (left bytes, right bytes) in the order learnt.

    Raises:
        BpeError: one of its subclasses, for a file or an argument that will not do.
    """
    check_special_tokens(special_tokens)

    def start(counts: Mapping[bytes, int]) -> Trainer:
        return Trainer(
            counts,
            vocab_size,
            special_tokens,
            tie_rule=tie_rule,
            algorithm=trainer,
            min_count=min_count,
            max_token_length=max_token_length,
            units=units,
        )

    start({})  # checks all arguments: before an hour of counting, not after it
    training = train_on_corpus(
        Corpus(input_path, separator=separator_of(special_tokens)),
        pattern,
        special_tokens,
        lambda corpus: Training(start(corpus.counts)),
        workers=workers,
        listener=_Callbacks(on_progress, on_step),
    )
    return training.trainer.vocab, training.trainer.merges


@dataclass
class _Callbacks(TrainingListener):
    """Calls what a caller of `train_bpe` has handed over."""

    progress: Callable[[CountProgress | TrainProgress], None] | None
    step: Callable[[MergeStep], None] | None
    merges_wanted: int = 0

    def on_progress(self, progress: CountProgress) -> None:
        if self.progress is not None:
            self.progress(progress)

    def on_begun(self, training: Training, corpus: CountedCorpus) -> None:
        self.merges_wanted = training.trainer.merges_wanted

    def on_step(self, step: MergeStep) -> None:
        if self.step is not None:
            self.step(step)
        if self.progress is not None:
            self.progress(TrainProgress(step.index + 1, self.merges_wanted))
