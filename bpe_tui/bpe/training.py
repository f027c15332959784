"""How BPE is trained and written. The module of this name in each model's folder has

start(config, corpus)                   the training that the options ask for
outputs(config, format, out)            the files that it will be written to, checked before
write(training, config, format, out, overwrite)    writes them; says what they hold
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.numbers import plural
from engine.bpe.run import to_tokenizer
from engine.bpe.trainer import Trainer
from engine.bpe.trainers import TRAINERS, WITHOUT_KERNEL
from engine.core.errors import TokenizerFileError
from engine.encoding.units import DEFAULT_UNITS
from engine.recording.training import CountedCorpus, Training

if TYPE_CHECKING:
    from engine.bpe.frame import Timeline


def start(config: RunConfig, corpus: CountedCorpus) -> Training:
    """The training that `config` asks for."""
    trainer = _trainer(config, corpus.counts)

    def record() -> Timeline:
        from engine.bpe.frame import Timeline  # whoever only writes files needs no frames

        return Timeline(
            trainer.counts, record=trainer.record, pattern=config.pattern, excerpt=corpus.excerpt
        )

    return Training(trainer, record)


def outputs(config: RunConfig, format: str, out: Path) -> list[Path]:
    """The files that a tokenizer in this format will go to.

    An untrained one is written in a place of its own, so that what the format cannot say, such as
    a special token with a space, is found before hours of training.

    Raises:
        TokenizerFileError: the format is only read, or cannot say what the tokenizer will be.
    """
    from engine.formats import save, writable_format

    written = writable_format(format).written(out)
    tokenizer = to_tokenizer(_trainer(config, {}).record, 0, config.pattern)
    with TemporaryDirectory() as place:
        trial = Path(place) / "trial"
        try:
            save(tokenizer, trial, format, renumber=True)
        except TokenizerFileError as error:
            raise TokenizerFileError(str(error).replace(str(trial), str(out))) from None
    return written


def write(training: Training, config: RunConfig, format: str, out: Path, *, overwrite: bool) -> str:
    """Write the tokenizer; what has been trained, in a line."""
    from engine.formats import save

    trainer: Trainer = training.trainer
    record = trainer.record
    tokenizer = to_tokenizer(record, len(record), config.pattern)
    save(tokenizer, out, format, overwrite=overwrite, renumber=True)
    return (
        f"{plural(len(trainer.vocab), 'token')}: {trainer.contents}, "
        f"{len(record.special_tokens)} special, {plural(len(record), 'merge')}; "
        f"{training.stop_reason.value}{_replaced(trainer, config)}"
    )


def _replaced(trainer: Trainer, config: RunConfig) -> str:
    """Why another algorithm than the one asked for has trained, if one has."""
    if trainer.algorithm.name in (config.trainer, WITHOUT_KERNEL):
        return ""
    of_units = TRAINERS[config.trainer].bytes_only and config.units != DEFAULT_UNITS
    why = config.units if of_units else f"{config.tie_rule} ties"
    return f"; {why}: trained by {trainer.algorithm.name}"


def _trainer(config: RunConfig, counts: Mapping[bytes, int]) -> Trainer:
    return Trainer(
        counts,
        config.size,
        config.special_tokens,
        tie_rule=config.tie_rule,
        algorithm=config.trainer,
        min_count=config.min_count,
        max_token_length=config.max_token_length,
        units=config.units,
    )
