"""The screens that sum Unigram up: vocabulary, inspection, charts; saving."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from bpe_tui.panels import charts
from bpe_tui.panels.inspection_rows import (
    describe_numbers,
    describe_pattern,
    describe_specials,
    sections,
)
from bpe_tui.panels.inspection_screen import InspectionScreen
from bpe_tui.panels.vocabulary_screen import VocabularyScreen
from bpe_tui.session.host import Notifier
from bpe_tui.session.session import Session
from bpe_tui.shell.dialog import SaveFile
from bpe_tui.shell.targets import ToPiece
from bpe_tui.unigram.model import (
    UNIGRAM_CHARTS,
    UNIGRAM_INSPECTION,
    UNIGRAM_VOCABULARY,
    format_of,
    save_frame,
)
from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.piece_table import PieceDetailPanel, UnigramVocabularyPanel
from bpe_tui.unigram.pieces import UNIGRAM_VIEW
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number, short_number
from bpe_tui.widgets.visible import visible_text
from bpe_tui.words.narration import how_trained
from engine.analysis.inspection import UnigramInspection
from engine.formats.tokenizer_format import Opened
from engine.formats.tokenizer_json import FILE
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import unspelled
from engine.unigram.textbook import TextbookRecord


class UnigramVocabularyScreen(VocabularyScreen):
    """The table of the pieces, beside panels about the one at the cursor."""

    NAME = UNIGRAM_VOCABULARY
    VIEW = UNIGRAM_VIEW
    TABLE = UnigramVocabularyPanel
    BESIDE = (PieceDetailPanel,)
    PANEL_ORDER = ("tokens", "piece")

    def facts_of(self, frame: UnigramFrame) -> Sequence[str]:
        template = "{tokens} in the corpus"
        return (
            "Unigram's vocabulary",
            plural(frame.size, frame.record.PIECE),
            plural(frame.vocab_size - frame.size, "special token"),
            tr(template, tokens=plural(round(float(frame.expected_counts.sum())), "token"))
            + (tr(" on average") if frame.record.TEXT == "pretoken" else ""),
        )

    def look_at(self, token: int | None) -> None:
        about = self.query_one(PieceDetailPanel)
        if about.number == token:
            about.rebuild()  # the costs may be known now
        about.number = token

    def token_named_by(self, target: object) -> int | None:
        return target.number if isinstance(target, ToPiece) else None


def _overview(inspection: UnigramInspection) -> Sequence[tuple[str, str]]:
    record = inspection.frame.record
    characters, starts = inspection.characters, inspection.word_starts
    longer = number(inspection.size - characters)
    unit = record.units.one if isinstance(record, TextbookRecord) else "character"
    equal = number(2**inspection.entropy)
    scores = "none"
    if (ends := inspection.worst_and_best) is not None:
        worst, best = (
            f"{score_text(inspection.score(piece))} ({visible_text(inspection.text(piece))})"
            for piece in ends
        )
        scores = tr("from {worst} to {best}", worst=worst, best=best)
    template = "{size}: {characters}, {longer} longer"
    return (
        (
            f"{record.PIECE}s",
            tr(template, size=inspection.size, characters=plural(characters, unit), longer=longer),
        ),
        (
            "begin with ▁",
            tr("{n}, {share} of all", n=starts, share=f"{starts / max(inspection.size, 1):.0%}"),
        ),
        ("special tokens", describe_specials(inspection.special_ids)),
        ("pattern", describe_pattern(inspection.pattern, inspection.pattern_name)),
        *describe_numbers(inspection.numbers),
        ("scores", scores),
        (
            "loss",
            tr(
                "{loss} {loss_unit}: as unsure of a {text} as among {perplexity} equally "
                "probable ones",
                loss=score_text(inspection.loss, 3),
                loss_unit=tr(record.LOSS_UNIT),
                text=tr(record.TEXT),
                perplexity=short_number(inspection.perplexity),
            ),
        ),
        (
            "entropy",
            tr(
                "{entropy} bits a token: as from {equal} equally frequent pieces",
                entropy=f"{inspection.entropy:.2f}",
                equal=equal,
            ),
        ),
        (
            "tokens",
            tr("{fertility} a pretoken on average", fertility=f"{inspection.fertility:.3f}"),
        ),
    )


SECTIONS = sections(
    _overview,
    odd={
        "used less than once": "seldom",
        "a character repeated": "runs",
        "not valid UTF-8": "partial",
    },
    what="pieces",
    describe=lambda inspection, piece: tr(
        "score {piece}", piece=score_text(inspection.score(piece))
    ),
    leads=ToPiece,
)


class UnigramInspectionScreen(InspectionScreen):
    """The five sections of Unigram's inspection."""

    NAME = UNIGRAM_INSPECTION
    VIEW = UNIGRAM_VIEW
    TILES = SECTIONS

    def facts_of(self, frame: UnigramFrame) -> Sequence[str]:
        size = tr("{tokens} with the special ones", tokens=plural(frame.vocab_size, "token"))
        return tr("Unigram's vocabulary"), size

    def how_trained(self, session: Session, frame: UnigramFrame) -> Sequence[tuple[str, str]]:
        record, distinct = frame.record, ("distinct pretokens", number(len(frame.words)))
        unit = "n-gram" if isinstance(record, TextbookRecord) else "token"
        return how_trained(session, distinct, ("final size", plural(record.vocab_size, unit)))

    def inspection_of(self, frame: UnigramFrame, opened: Opened | None) -> UnigramInspection:
        return UnigramInspection(frame)


class UnigramChartsScreen(charts.ChartsScreen):
    """The five charts of Unigram, and the table of the most frequent pretokens."""

    NAME = UNIGRAM_CHARTS
    VIEW = UNIGRAM_VIEW
    TILES = (
        charts.course(
            "loss",
            "How improbable is the corpus?",
            "How improbable is it?",
            lambda found, steps: found.losses(steps),
            lambda frame: tr("{loss} nats", loss=score_text(frame.loss, 3)),
        ),
        charts.course(
            "size",
            "How many pieces are left?",
            "How many are left?",
            lambda found, steps: found.sizes(steps),
            lambda frame: plural(frame.size, "piece"),
        ),
        charts.course(
            "fertility",
            "How many tokens does it take?",
            "How many tokens?",
            lambda found, steps: found.fertility(steps),
            lambda frame: tr(
                "{step} tokens a {text}",
                step=f"{frame.statistics.fertility(frame.step)[-1]:.3f}",
                text=tr(frame.record.TEXT),
            ),
        ),
        charts.lengths("How long are the pieces?", "characters", most_at=lambda frame: 0),
        charts.ZIPF,
        charts.frequent(typed=lambda text: to_bytes(unspelled(text))),
    )


class SavePieces(SaveFile):
    """A window that saves the pieces with their scores as a tokenizer.json."""

    def __init__(self, frame: UnigramFrame, suggestion: str) -> None:
        self._frame = frame
        is_json = format_of(frame.record) == "huggingface"
        template = "A file like {file}: {pieces} with scores, and what cuts text."
        super().__init__(
            tr("save the {model} pieces of step {step}", model="Unigram", step=frame.step),
            tr(template, file=FILE, pieces=plural(frame.size, "piece"))
            if is_json
            else tr(
                "A list: {ngrams} with scores. A tokenizer.json cannot hold n-grams of "
                "words, as it cuts inside words, too.",
                ngrams=plural(frame.size, "n-gram"),
            ),
            f"{suggestion}.{'json' if is_json else 'vocab'}",
        )

    def write(self, path: Path, overwrite: bool) -> None:
        if left_out := save_frame(self._frame, path, overwrite=overwrite):
            cast("Notifier", self.app).tell(left_out, stays=True)
