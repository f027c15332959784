"""How Unigram is trained and written; what there must be is said in `bpe_tui.bpe.training`."""

from __future__ import annotations

from pathlib import Path

from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.numbers import number, plural
from engine.recording.training import CountedCorpus, Training
from engine.unigram.frame import UnigramTimeline
from engine.unigram.pieces import spelled_counts
from engine.unigram.record import Seeded
from engine.unigram.trainer import UnigramTrainer


def start(config: RunConfig, corpus: CountedCorpus) -> Training:
    """The training that `config` asks for; there is a step 0 once it has its seed."""
    words, pattern = spelled_counts(corpus.counts), config.pattern
    trainer = UnigramTrainer(words, config.vocab_size, config.special_tokens)

    def record() -> UnigramTimeline:
        return UnigramTimeline(trainer.record, words=words, excerpt=corpus.excerpt, pattern=pattern)

    return Training(trainer, record, begins_with=Seeded)


def outputs(config: RunConfig, format: str, out: Path) -> list[Path]:
    """The file that is written."""
    return [out]


def write(training: Training, config: RunConfig, format: str, out: Path, *, overwrite: bool) -> str:
    """Write a tokenizer.json; what is in it, and what is not."""
    from engine.formats.tokenizer_json import save_pieces

    trainer: UnigramTrainer = training.trainer
    left_out = save_pieces(
        trainer.pieces,
        out,
        pattern=config.pattern,
        special_tokens=config.special_tokens,
        overwrite=overwrite,
    )
    missing = f"; {number(left_out)} left out, being no UTF-8" if left_out else ""
    steps = plural(len(trainer.record), "step")
    return f"{plural(len(trainer.pieces), 'piece')}, {steps}; {training.stop_reason.value}{missing}"
