"""`bpe-tui train --model unigram`: pieces and their scores from a corpus, without the screen."""

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
from engine.core.events import WorkProgress
from engine.formats.tokenizer_json import save_pieces
from engine.text.corpus import Corpus
from engine.unigram.metaspace import spelled_counts
from engine.unigram.trainer import UnigramTrainer


def train_unigram(
    corpus: Corpus, config: RunConfig, out: Path, workers: int | None, *, overwrite: bool
) -> None:
    """Train and write a tokenizer.json; its path is printed."""
    check_outputs([out], corpus, overwrite=overwrite)
    run = _trained(corpus, config, workers)
    left_out = save_pieces(
        run.pieces,
        out,
        pattern=config.pattern,
        special_tokens=config.special_tokens,
        overwrite=overwrite,
    )
    reason = run.stop_reason.value if run.stop_reason else "stopped"
    missing = f"; {number(left_out)} left out, being no UTF-8" if left_out else ""
    said = f"{number(len(run.pieces))} pieces, {plural(len(run.record), 'step')}; {reason}{missing}"
    print(said, file=sys.stderr)
    write_result(os.fsencode(out) + b"\n")


def _trained(corpus: Corpus, config: RunConfig, workers: int | None) -> UnigramTrainer:
    """Count and learn with a progress bar; return the finished run."""
    with TrainingBar() as bar:
        count = counted(corpus, config, workers, bar.show_reading)
        words = spelled_counts(count.counts)
        run = UnigramTrainer(words, config.vocab_size, config.special_tokens)
        for event in run.steps():
            if isinstance(event, WorkProgress):
                bar.show_work(event.doing, event.done, event.total)
    return run
