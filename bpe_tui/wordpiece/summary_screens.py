"""The screens that sum WordPiece up: vocabulary, inspection, charts; saving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from bpe_tui.panels import charts
from bpe_tui.panels.inspection_rows import (
    describe_ids,
    describe_pattern,
    describe_specials,
    sections,
)
from bpe_tui.panels.inspection_screen import InspectionScreen
from bpe_tui.panels.token_table import (
    FILTER_SWITCHES,
    TOKEN_COLUMNS,
    DrawnToken,
    TokenRows,
    VocabularyPanel,
)
from bpe_tui.panels.vocabulary_screen import VocabularyScreen
from bpe_tui.session.session import Session
from bpe_tui.shell.dialog import SaveFile
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Column, Span
from bpe_tui.widgets.visible import visible_text
from bpe_tui.wordpiece.model import WORDPIECE_CHARTS, WORDPIECE_INSPECTION, WORDPIECE_VOCABULARY
from bpe_tui.wordpiece.training_screen import WORDPIECE_VIEW
from bpe_tui.words.narration import how_trained
from engine.analysis.inspection import PieceInspection
from engine.formats.own_pipelines import wordpiece_pipeline
from engine.formats.tokenizer_format import Opened
from engine.formats.tokenizer_json import save_pipeline
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import score_text
from engine.wordpiece.tokenizer import FILE, save_vocab

OF_BYTES = frozenset({"partial", "never-encoded"})
"""Filters about bytes, or about merges as BPE encodes with them."""


def _score(piece: DrawnToken) -> list[Span]:
    """Return the score at which the piece merged."""
    rank = piece.vocabulary.rank_of(piece.id)
    if rank is None:
        return [("", "")]
    frame = piece.painter.frame
    assert isinstance(frame, WordPieceFrame)
    return [(score_text(frame.merge_at(rank).score.value), "")]


PIECE_COLUMNS = (
    *(column for column in TOKEN_COLUMNS if column.title != "bytes"),
    Column("score", 9, _score, True, 6, 0, lambda pieces: pieces.score_order, largest_first=True),
)


class WordPieceRows(TokenRows):
    """The rows of the pieces, as they are written; their length is in characters."""

    TOKEN = "piece"
    COLUMNS = PIECE_COLUMNS


class WordPieceVocabularyPanel(VocabularyPanel):
    """The table of the pieces with its search, order and filters."""

    ROWS = WordPieceRows
    SWITCHES = tuple(switch for switch in FILTER_SWITCHES if switch.name not in OF_BYTES)


class WordPieceVocabularyScreen(VocabularyScreen):
    """The pieces at the timeline's step."""

    NAME = WORDPIECE_VOCABULARY
    VIEW = WORDPIECE_VIEW
    TABLE = WordPieceVocabularyPanel

    def facts_of(self, frame: WordPieceFrame) -> Sequence[str]:
        counted = tr("{token_count} in the corpus", token_count=frame.token_count)
        return "WordPiece's vocabulary", plural(frame.vocab_size, "piece"), counted


def _overview(inspection: PieceInspection) -> Sequence[tuple[str, str]]:
    unknown, least = inspection.unknown_token, inspection.min_count
    rare = tr("any pair may merge, however rare") if least == 1 else tr("rarer pairs do not merge")
    template = "{merges}, by score; tie rule {tie_rule}"
    return (
        ("pieces", number(inspection.size)),
        ("begin a word", number(inspection.starting)),
        ("continue one, ##", number(inspection.continuing)),
        ("merges", tr(template, merges=inspection.merges, tie_rule=inspection.tie_rule)),
        ("min count", f"{number(least)}: {rare}"),
        ("ids", describe_ids(inspection)),
        ("special tokens", describe_specials(inspection.special_ids)),
        (
            "unknown token",
            tr("{unknown}, for a word that no pieces spell", unknown=visible_text(unknown)),
        ),
        ("pattern", describe_pattern(inspection.pattern, inspection.pattern_name)),
    )


SECTIONS = sections(
    _overview,
    odd={"unused in the corpus": "unused", "same piece twice": "duplicates"},
    what="pieces",
)


class WordPieceInspectionScreen(InspectionScreen):
    """The five sections of WordPiece's inspection."""

    NAME = WORDPIECE_INSPECTION
    VIEW = WORDPIECE_VIEW
    TILES = SECTIONS

    def facts_of(self, frame: WordPieceFrame) -> Sequence[str]:
        return "WordPiece's vocabulary", plural(frame.vocab_size, "piece")

    def how_trained(self, session: Session, frame: WordPieceFrame) -> Sequence[tuple[str, str]]:
        rule = frame.tie_rule
        return how_trained(
            session,
            ("distinct words", number(frame.distinct_words)),
            ("tie rule", f"{rule.name}: {tr(rule.summary)}"),
        )

    def inspection_of(self, frame: WordPieceFrame, opened: Opened | None) -> PieceInspection:
        return PieceInspection(frame)


def _scores(frame: WordPieceFrame) -> Figure:
    series = frame.statistics.winning_scores(frame.recorded_steps)
    return Figure(np.arange(1, len(series) + 1), series, "step", log_y=True, scattered=True)


def _counts(frame: WordPieceFrame) -> Figure | None:
    """Draw the counts of winners as points: frequent and rare pairs alternate."""
    figure = charts.counts(frame)
    return figure and replace(figure, scattered=True)


class WordPieceChartsScreen(charts.ChartsScreen):
    """The five charts of WordPiece, and two tables: the gains of merges, and frequent words."""

    NAME = WORDPIECE_CHARTS
    VIEW = WORDPIECE_VIEW
    TILES = (
        charts.course(
            "pieces",
            "How many pieces has a word?",
            "Pieces per word?",
            lambda found, steps: found.pieces_per_word(steps),
            lambda frame: tr(
                "{pieces_per_word} pieces a word", pieces_per_word=f"{frame.pieces_per_word:.2f}"
            ),
        ),
        charts.GAINS,
        charts.ChartKind(
            "scores",
            "Which score won? (median)",
            _scores,
            lambda frame: tr(
                "{score} │ step {step}",
                score=score_text(frame.merge.score.value) if frame.merge else tr("no merge"),
                step=frame.step,
            ),
            charts.recorded,
            "Which score won?",
        ),
        replace(
            charts.COUNTS,
            question="How frequent are winners? (median)",
            short="How frequent?",
            figure_of=_counts,
        ),
        replace(charts.ZIPF, question="How frequent is a word? (Zipf)"),
        charts.frequent("word", "Which words are most frequent?"),
        charts.lengths("How long are the pieces?", "characters"),
    )


JSON = ".json"


class SaveVocab(SaveFile):
    """A window that saves the pieces, a line each, or a tokenizer.json by the file's name."""

    def __init__(self, frame: WordPieceFrame, suggestion: str) -> None:
        self._frame = frame
        template = (
            "A file like BERT's {file}: {pieces}, a line each. A name in {json} makes a "
            "tokenizer.json, which keeps pattern and special tokens, too."
        )
        super().__init__(
            tr("save the {model} pieces of step {step}", model="WordPiece", step=frame.step),
            tr(template, file=FILE, pieces=plural(frame.vocab_size, "piece"), json=JSON),
            f"{suggestion}-{FILE}",
        )

    def write(self, path: Path, overwrite: bool) -> None:
        if path.suffix == JSON:
            save_pipeline(wordpiece_pipeline(self._frame.tokenizer), path, overwrite)
        else:
            save_vocab(self._frame.tokenizer.vocab, path, overwrite=overwrite)
