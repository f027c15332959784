"""The charts of WordPiece: those of BPE that make sense of it, and those of its scores.

And what can be saved of a step, and what can be exported, the charts among it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from bpe_tui.views.charts import (
    COUNTS,
    GAINS,
    TIES,
    ChartKind,
    ChartsScreen,
    counts,
    from_start,
    lengths,
    recorded,
    zipf,
)
from bpe_tui.views.dialog import SaveFile
from bpe_tui.views.exports import exports_of
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.wordpiece.model import WORDPIECE_CHARTS
from bpe_tui.wordpiece.screens import WordPieceScreen
from engine.formats.tokenizer_json import save_pipeline
from engine.pipeline.of_tokenizer import wordpiece_pipeline
from engine.recording.report import json_lines
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.report import markdown
from engine.wordpiece.score import score_text
from engine.wordpiece.tokenizer import FILE, save_vocab

MEDIAN = "median of neighbouring steps"


def _pieces(frame: WordPieceFrame) -> Figure:
    return from_start(frame.statistics.pieces_per_word(frame.recorded_steps), "pieces per word")


def _pieces_here(frame: WordPieceFrame) -> str:
    return f"{frame.pieces_per_word:.2f} pieces per word · step {number(frame.step)}"


def _scores(frame: WordPieceFrame) -> Figure:
    series = frame.statistics.winning_scores(frame.recorded_steps)
    xs, label = np.arange(1, len(series) + 1), f"score of the pair, {MEDIAN}"
    return Figure(xs, series, "step", label, log_y=True, scattered=True)


def _counts(frame: WordPieceFrame) -> Figure | None:
    """Frequent pairs take turns with rare ones, as it is the score that counts."""
    figure = counts(frame)
    if figure is None:
        return None
    return replace(figure, y_label=f"{figure.y_label}, {MEDIAN}", scattered=True)


def _score_here(frame: WordPieceFrame) -> str:
    if frame.merge is None:
        return "no merge · step 0"
    return f"{score_text(frame.merge.score.value)} · step {number(frame.step)}"


CHARTS = (
    ChartKind("pieces", "How many pieces has a word?", _pieces, _pieces_here, recorded),
    ChartKind("scores", "Which score won? (median)", _scores, _score_here, recorded),
    replace(COUNTS, question="How frequent are winners? (median)", figure_of=_counts),
    replace(TIES, question="How many scores were tied?"),
    zipf("word"),
    lengths("pieces", "characters"),
)


class WordPieceChartsScreen(ChartsScreen, WordPieceScreen):
    """The six charts of WordPiece, and what merges buy beside the first."""

    NAME = WORDPIECE_CHARTS
    TILES = (CHARTS[0], GAINS, *CHARTS[1:])


JSON = ".json"


class SaveVocab(SaveFile):
    """Writes the pieces, a line each; or all that encodes, if the name is that of a JSON file."""

    def __init__(self, frame: WordPieceFrame, suggestion: str) -> None:
        self._frame = frame
        super().__init__(
            f"save the pieces of step {number(frame.step)}",
            f"A file like BERT's {FILE}: {plural(frame.vocab_size, 'piece')}, a line each. A "
            f"name in {JSON} makes a tokenizer.json, which keeps pattern and special tokens, too.",
            f"{suggestion}-{FILE}",
        )

    def write(self, path: Path, overwrite: bool) -> None:
        if path.suffix == JSON:
            save_pipeline(wordpiece_pipeline(self._frame.tokenizer), path, overwrite)
        else:
            save_vocab(self._frame.tokenizer.vocab, path, overwrite=overwrite)


EXPORTS = exports_of(markdown, json_lines, CHARTS)
"""What of a WordPiece training can be exported."""
