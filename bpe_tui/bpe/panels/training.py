"""BPE's small panels of the training screen, and the line to type in."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.bpe.narration import describe_unknown
from bpe_tui.views.corpus import MergingExcerptPanel
from bpe_tui.views.narration import why_uncounted
from bpe_tui.views.panel import Panel, sentence
from bpe_tui.views.training_panels import MergeList, TouchedPanel, TypedLine, TypedText, over_ids
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right
from engine.bpe.frame import Frame
from engine.text.pretokenize import to_bytes


class CorpusPanel(MergingExcerptPanel[Frame]):
    """The beginning of the corpus cut into pretokens and tokens, wrapped at the panel's width."""

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        if not frame.has_corpus and not frame.excerpt.lines:
            self.say("corpus")
            return sentence(why_uncounted(frame), width)
        return super().rows_of(frame, width)


class MergesPanel(MergeList[Frame]):
    """The merges with their counts."""

    def merge_spans(self, frame: Frame, index: int, cells: int) -> list[Span]:
        merge = frame.merge_at(index)
        pair = self.painter(frame).pair(merge.pair)
        counted = number(merge.count) if frame.has_corpus else ""
        # The pair has all that its own count leaves: no column stands to the right of the counts.
        return [*left(pair, max(cells - len(counted) - 1, 6)), right(counted, len(counted) + 1)]


class WordsPanel(TouchedPanel[Frame]):
    """The pretokens that hold the merged pair, in their tokens before and after."""


class EncodedText(TypedText[Frame], Panel):
    """The tokens of a text, each over its id."""

    MARKS_NEXT = True

    def rows_of_text(self, frame: Frame, width: int) -> Sequence[Row]:
        pieces = (piece.ids for piece in frame.encode(self.text))
        rows = over_ids(self.painter(frame), pieces, width)
        unknown = paragraph(describe_unknown(frame, self.text), width, "loss")
        return [*rows, *unknown] if unknown else rows


class EncodeLine(TypedLine):
    """A line to type in, and under it the encoding."""

    TYPED_TEXT = EncodedText

    def describe_size(self, frame: Frame, text: str, shortened: bool) -> str:
        tokens = sum(len(piece.ids) for piece in frame.encode(text))
        unknown = frame.unknown_in(text)
        lost = f"{number(unknown)} × <unk>, in bytes none · " if unknown else ""
        return (
            f"{lost}{plural(tokens, 'token')} · {plural(len(to_bytes(text)), 'byte')} · "
            f"step {number(frame.step)}"
        )
