"""`bpe-tui train --model wordpiece`: pieces from a corpus, without the screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bpe_tui.cli.console import write_result
from bpe_tui.cli.inputs import counted
from bpe_tui.cli.outputs import check_outputs
from bpe_tui.cli.progress import TrainingBar
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.numbers import number, plural
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline.of_tokenizer import wordpiece_pipeline
from engine.text.corpus import Corpus
from engine.wordpiece.tokenizer import WordPieceTokenizer, save_vocab
from engine.wordpiece.trainer import WordPieceTrainer

NEWS_STEPS = 100
"""Merges from one look of the progress bar to the next."""


def train_vocab(
    corpus: Corpus, config: RunConfig, out: Path, workers: int | None, *, overwrite: bool
) -> None:
    """Train and write a vocab.txt; its path is printed."""
    check_outputs([out], corpus, overwrite=overwrite)
    run = _trained(corpus, config, workers)
    save_vocab(run.vocab, out, overwrite=overwrite)
    _tell(run, out)


def train_pipeline(
    corpus: Corpus, config: RunConfig, out: Path, workers: int | None, *, overwrite: bool
) -> None:
    """Train and write a tokenizer.json, which keeps the pattern, too; its path is printed."""
    check_outputs([out], corpus, overwrite=overwrite)
    run = _trained(corpus, config, workers)
    learnt = WordPieceTokenizer(run.vocab, config.special_tokens, pattern=config.pattern)
    save_pipeline(wordpiece_pipeline(learnt), out, overwrite)
    _tell(run, out)


def _tell(run: WordPieceTrainer, out: Path) -> None:
    reason = run.stop_reason.value if run.stop_reason else "stopped"
    said = f"{number(len(run.vocab))} pieces, {plural(len(run.record), 'merge')}; {reason}"
    print(said, file=sys.stderr)
    write_result(os.fsencode(out) + b"\n")


def _trained(corpus: Corpus, config: RunConfig, workers: int | None) -> WordPieceTrainer:
    """Count and merge with a progress bar; return the finished run."""
    with TrainingBar() as bar:
        count = counted(corpus, config, workers, bar.show_reading)
        run = config.wordpiece_trainer_for(count.counts)
        for step in run.steps():
            if step.index % NEWS_STEPS == 0:
                bar.show_work("merging", step.index, run.merges_wanted)
    return run
