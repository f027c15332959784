"""The inspection of Unigram: what kind of pieces has the timeline's step?"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.session.session import Session
from bpe_tui.unigram.model import UNIGRAM_INSPECTION
from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.screens import UnigramScreen
from bpe_tui.views.inspection_rows import (
    LONGEST_SHOWN,
    Section,
    describe_numbers,
    describe_pattern,
    describe_specials,
    fact_rows,
    few_row,
    kinds,
    lengths,
    long_row,
)
from bpe_tui.views.inspection_screen import InspectionScreen
from bpe_tui.views.narration import how_trained
from bpe_tui.views.targets import ToPiece
from bpe_tui.widgets.numbers import number, plural, short_number
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import visible_text
from engine.analysis.inspection.unigram import UnigramInspection
from engine.formats.tokenizer_format import Opened
from engine.unigram.frame import UnigramFrame


def _overview(inspection: UnigramInspection, width: int) -> list[Row]:
    characters, starts = inspection.characters, inspection.word_starts
    longer = number(inspection.size - characters)
    equal = number(2**inspection.entropy)
    return fact_rows(
        (
            (
                "pieces",
                f"{number(inspection.size)}: {plural(characters, 'character')}, {longer} longer",
            ),
            ("begin with ▁", f"{number(starts)}, {_share(starts, inspection.size)}"),
            ("special tokens", describe_specials(inspection.special_ids)),
            ("pattern", describe_pattern(inspection.pattern, inspection.pattern_name)),
            *describe_numbers(inspection.numbers),
            ("scores", _scores(inspection)),
            (
                "loss",
                f"{score_text(inspection.loss, 3)} nats a pretoken: as unsure as among "
                f"{short_number(inspection.perplexity)} equally probable ones",
            ),
            (
                "entropy",
                f"{inspection.entropy:.2f} bits a token: as from {equal} equally frequent pieces",
            ),
            ("tokens", f"{inspection.fertility:.3f} a pretoken on average"),
        ),
        width,
    )


def _share(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.0%} of all"


def _scores(inspection: UnigramInspection) -> str:
    if (ends := inspection.worst_and_best) is None:
        return "none"
    worst, best = (
        f"{score_text(inspection.score(piece))} ({_text(inspection, piece)})" for piece in ends
    )
    return f"from {worst} to {best}"


def _odd(inspection: UnigramInspection, width: int) -> list[Row]:
    found = (
        ("used less than once", inspection.seldom),
        ("case, ▁ twins", inspection.twins),
        ("a character repeated", inspection.runs),
        ("not valid UTF-8", inspection.partial),
    )
    return [
        few_row(name, few, lambda piece: _text(inspection, piece), ToPiece, width)
        for name, few in found
    ]


def _longest(inspection: UnigramInspection, width: int) -> list[Row]:
    return [
        long_row(
            f"score {score_text(inspection.score(piece))}",
            number(len(inspection.text(piece))),
            _text(inspection, piece),
            ToPiece(piece),
            width,
        )
        for piece in inspection.longest(LONGEST_SHOWN)
    ]


def _text(inspection: UnigramInspection, piece: int) -> str:
    return visible_text(inspection.text(piece))


SECTIONS = (
    Section("overview", "what is it?", _overview),
    Section("lengths", "how long are the pieces?", lengths),
    Section("odd", "which are odd?", _odd),
    Section("kinds", "what are they made of?", kinds),
    Section("longest", "which are the longest?", _longest),
)


class UnigramInspectionScreen(InspectionScreen, UnigramScreen):
    """The five sections of Unigram's inspection."""

    NAME = UNIGRAM_INSPECTION
    TILES = SECTIONS

    def heading(self, session: Session, room: int) -> str:
        frame = self.frame_of(session)
        assert frame is not None
        return (
            f"The pieces of step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{plural(frame.vocab_size, 'token')} with the special ones"
        )

    def how_trained(self, session: Session, frame: UnigramFrame) -> Sequence[tuple[str, str]]:
        return how_trained(
            session,
            ("distinct pretokens", number(len(frame.words))),
            ("asked for", plural(frame.record.vocab_size, "token")),
        )

    def inspection_of(self, frame: UnigramFrame, opened: Opened | None) -> UnigramInspection:
        return UnigramInspection(frame)
