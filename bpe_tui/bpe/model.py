"""BPE as the application declares it: its screens and parts by name, its training, its files.

Every start imports this module, so functions import the trainer and the formats themselves. Each
model's `model.py` has the same three functions:

start(config, corpus)                              prepare the training that the options ask for
outputs(config, format, out)                       return the files it will write, checked before
write(training, config, format, out, overwrite)    write them; return a line about their contents
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import Model
from bpe_tui.widgets.language import listed, plural, tr, tr_message
from bpe_tui.widgets.visible import shorten, visible_bytes
from engine.core.drafts import temporary_folder
from engine.core.errors import TokenizerFileError

if TYPE_CHECKING:
    from bpe_tui.session.training import Training
    from engine.bpe.frame import Timeline
    from engine.bpe.record import Record
    from engine.bpe.trainer import Trainer
    from engine.recording.training_input import CountedCorpus

MODEL = Model(
    name="bpe",
    title="BPE",
    summary="merges the most frequent pair, again and again",
    training="bpe_tui.bpe.model",
    transcript="bpe_tui.bpe.transcript:BpeTranscript",
    save="bpe_tui.bpe.summary_screens:SaveTokenizer",
    screens={
        "explain": "bpe_tui.explain.screen:BpeExplainScreen",
        "training": "bpe_tui.bpe.training_screen:TrainingScreen",
        "encoding": "bpe_tui.bpe.encoding_screen:EncodingScreen",
        "vocabulary": "bpe_tui.bpe.summary_screens:BpeVocabularyScreen",
        "inspection": "bpe_tui.bpe.summary_screens:BpeInspectionScreen",
        "charts": "bpe_tui.bpe.summary_screens:BpeChartsScreen",
    },
    counts_bytes=True,
)


def start(config: RunConfig, corpus: CountedCorpus) -> Training:
    """Prepare the training that `config` asks for."""
    from bpe_tui.session.training import Training

    trainer = _trainer(config, corpus.counts)

    def record() -> Timeline:
        from engine.bpe.frame import Timeline  # only frames need it, not a tokenizer's files

        return Timeline(
            trainer.counts, record=trainer.record, pattern=config.pattern, excerpt=corpus.excerpt
        )

    return Training(trainer, record)


LONGEST_NAMED = 3
WIDEST_NAMED = 24
"""Cells of a token among the longest ones."""
MOST_IN_FILES = 1 << 25
"""Most bytes of all merged tokens in files: spelled, they are up to six times as many."""


def outputs(config: RunConfig, format: str, out: Path) -> list[Path]:
    """Return the files that a tokenizer in this format will be written to.

    An untrained tokenizer is written to a temporary place first. So settings that the format cannot
    hold, such as a special token with a space, are found before hours of training.

    Raises:
        TokenizerFileError: the format is only read, or cannot hold the tokenizer.
    """
    from engine.formats import FORMATS, save, writable_name

    written = FORMATS[writable_name(format)].written(out)
    tokenizer = _trainer(config, {}).record.to_tokenizer(0, config.last_pattern)
    with temporary_folder() as place:
        trial = place / "trial"
        try:
            save(tokenizer, trial, format, renumber=True)
        except TokenizerFileError as error:
            raise TokenizerFileError(str(error).replace(str(trial), str(out))) from None
    return written


def write(training: Training, config: RunConfig, format: str, out: Path, *, overwrite: bool) -> str:
    """Write the tokenizer; return a line about the vocabulary and the end of the training."""
    from engine.bpe.trainers import TRAINERS, WITHOUT_KERNEL
    from engine.encoding.alphabet import DEFAULT_UNITS
    from engine.formats import save

    trainer: Trainer = training.trainer
    record = trainer.record
    merges = _readable_merges(record, MOST_IN_FILES)
    tokenizer = record.to_tokenizer(merges, config.last_pattern)
    save(tokenizer, out, format, overwrite=overwrite, renumber=True)
    fallback = ""
    if merges < len(record):
        template = (
            "\nonly the first {merges} are written: with longer tokens the files would be "
            "too large to open; --max-token-length bounds them"
        )
        fallback = tr(template, merges=plural(merges, "merge"))
    elif record.phase_starts:
        from bpe_tui.bpe.phases import describe_phases

        fallback = "".join(f"\n{line}" for line in describe_phases(trainer.counts, record))
    elif trainer.algorithm.name not in (config.trainer, WITHOUT_KERNEL):
        bytes_only = TRAINERS[config.trainer].bytes_only and config.units != DEFAULT_UNITS
        why = config.units if bytes_only else tr("{tie_rule} ties", tie_rule=config.tie_rule)
        fallback = tr("; {why}: trained by {name}", why=why, name=trainer.algorithm.name)
    return tr(
        "{tokens}: {contents}, {special_tokens} special, {merges}; {stop_reason}{fallback}{record}",
        tokens=plural(len(trainer.vocab), "token"),
        contents=tr_message(trainer.contents).strip(),
        special_tokens=len(record.special_tokens),
        merges=plural(len(record), "merge"),
        stop_reason=tr(training.stop_reason.value),
        fallback=fallback,
        record=_longest_tokens(record),
    )


def _longest_tokens(record: Record) -> str:
    """Return a line with the longest merged tokens: `longest tokens: ·little (7 bytes), …`."""
    merged = set(record.vocab[record.first_id : record.first_id + len(record)])
    least = min(sorted(map(len, merged))[-LONGEST_NAMED:], default=0)
    long = (token for token in merged if len(token) >= least)
    longest = sorted(long, key=lambda token: (-len(token), token))[:LONGEST_NAMED]
    named = (
        tr(
            "{token} ({size})",
            token=shorten(visible_bytes(token), WIDEST_NAMED),
            size=plural(len(token), "byte"),
        )
        for token in longest
    )
    return tr("\nlongest tokens: {named}", named=listed(named)) if longest else ""


def _readable_merges(record: Record, most: int) -> int:
    """Return the number of first merges whose tokens fit into files that can be opened again."""
    sizes = accumulate(map(len, record.vocab[record.first_id :]))
    return sum(1 for total in islice(sizes, len(record)) if total <= most)


def _trainer(config: RunConfig, counts: Mapping[bytes, int]) -> Trainer:
    from engine.bpe.trainer import Trainer

    options: dict[str, Any] = {
        "tie_rule": config.tie_rule,
        "algorithm": config.trainer,
        "min_count": config.min_count,
        "max_token_length": config.max_token_length,
    }
    if not config.phases:
        options |= {"units": config.units, "most_words": config.most_words or None}
        return Trainer(counts, config.size, config.special_tokens, **options)
    from bpe_tui.session.training import recut
    from engine.bpe.phases import PhasedTrainer

    if config.most_words is not None:
        options["most_words"] = config.most_words or None
    cut = partial(recut, config)
    return PhasedTrainer(counts, config.all_phases, cut, config.special_tokens, **options)
