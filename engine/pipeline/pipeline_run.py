"""What each stage of a pipeline made of a text, every part of it with where it comes from.

A stage hands on parts: stretches of text, each of whose characters knows the characters of the
original that it stands for (`Aligned`). So any token, however much was changed before it, can be
followed up through the stages to the text that somebody typed. Added tokens are parts that the
normalizer, the pre-tokenizer and the model leave alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.normalizers.normalizer import Aligned
from engine.pipeline.post_processors.post_processor import Piece, Placed
from engine.text.pretokenize import without_stray_surrogates

if TYPE_CHECKING:
    from engine.pipeline.pipeline import Pipeline
    from engine.pipeline.sections import SectionSplitter

Span = tuple[int, int]


@dataclass(frozen=True)
class Part:
    """A stretch of text between two stages; `token` is the added token that it is, if any."""

    aligned: Aligned
    token: AddedToken | None = None

    @property
    def text(self) -> str:
        return self.aligned.text

    @property
    def span(self) -> Span:
        """Which characters of the original it stands for."""
        return self.aligned.span(0, len(self.aligned.text))


@dataclass(frozen=True)
class OutputToken:
    """A token as it leaves the model or the post-processor.

    Attributes:
        token_id, text: its id, and how it is written.
        span: which characters of its original it stands for; (0, 0) for those of a template.
        piece: the number of the pretoken that it is of; `None` for those of a template.
        within: which characters of that pretoken it stands for.
        text_number: 0 for the text, 1 for its pair, `None` for tokens of a template.
        type_id: which of the texts the model is told that it belongs to.
    """

    token_id: int
    text: str
    span: Span = (0, 0)
    piece: int | None = None
    within: Span = (0, 0)
    text_number: int | None = None
    type_id: int = 0

    @property
    def from_template(self) -> bool:
        return self.text_number is None


@dataclass(frozen=True)
class TextRun:
    """One text on its way through the first three stages.

    Attributes:
        text: as it was given.
        sections: what the normalizer hands on, added tokens among it.
        pieces: what the pre-tokenizer hands on.
        tokens: what the model makes of it.
    """

    text: str
    sections: tuple[Part, ...]
    pieces: tuple[Part, ...]
    tokens: tuple[OutputToken, ...]


@dataclass(frozen=True)
class PipelineRun:
    """A text, or two, on the way through all stages.

    Attributes:
        texts: each by itself.
        tokens: what the post-processor makes of them, templates filled in.
        decoded: the text that the decoder makes of the ids, special tokens left out.
    """

    texts: tuple[TextRun, ...]
    tokens: tuple[OutputToken, ...]
    decoded: str

    @property
    def ids(self) -> list[int]:
        return [token.token_id for token in self.tokens]


def run_pipeline(pipeline: Pipeline, text: str, pair: str | None) -> PipelineRun:
    """See `Pipeline.run`."""
    given = (text,) if pair is None else (text, pair)
    texts = tuple(run_text(pipeline, each, number) for number, each in enumerate(given))
    tokens = tuple(_finished(pipeline, texts))
    decoded = pipeline.decode((token.token_id for token in tokens), skip_special=True)
    return PipelineRun(texts, tokens, decoded)


def run_text(
    pipeline: Pipeline, text: str, number: int = 0, splitter: SectionSplitter | None = None
) -> TextRun:
    """One text up to what the model makes of it.

    Args:
        number: 1 if it is the second of a pair.
        splitter: cuts out other added tokens than the pipeline's own does.
    """
    text = without_stray_surrogates(text)
    sections = [Part(*each) for each in (splitter or pipeline.splitter).aligned_sections(text)]
    pieces = list(chain.from_iterable(_pieces(pipeline, section) for section in sections))
    tokens = chain.from_iterable(
        _tokens(pipeline, piece, place, number) for place, piece in enumerate(pieces)
    )
    return TextRun(text, tuple(sections), tuple(pieces), tuple(tokens))


def _pieces(pipeline: Pipeline, section: Part) -> list[Part]:
    if section.token is not None or not section.text:
        return [section] if section.text else []
    if pipeline.pre_tokenizer is None:
        return [section]
    return [Part(piece) for piece in pipeline.pre_tokenizer.split_aligned(section.aligned)]


def _tokens(pipeline: Pipeline, piece: Part, place: int, number: int) -> Iterator[OutputToken]:
    if piece.token is not None:
        token_id = pipeline.added_ids[piece.token.content]
        within = (0, len(piece.text))
        yield OutputToken(token_id, piece.text, piece.span, place, within, number, number)
        return
    for token_id, text, start, end in pipeline.model.tokenize(piece.text):
        span = piece.aligned.span(start, end)
        yield OutputToken(token_id, text, span, place, (start, end), number, number)


def _finished(pipeline: Pipeline, texts: tuple[TextRun, ...]) -> Iterator[OutputToken]:
    processor = pipeline.post_processor
    if processor is None:
        yield from chain.from_iterable(each.tokens for each in texts)
        return
    for piece in processor.template(len(texts)):
        if piece.text is None:
            for token_id, text in zip(
                processor.ids_of(piece.token), processor.texts_of(piece.token), strict=False
            ):
                yield OutputToken(token_id, text, type_id=piece.type_id)
        else:
            yield from _put(pipeline, piece, texts[piece.text])


def _put(pipeline: Pipeline, piece: Piece, text: TextRun) -> Iterator[OutputToken]:
    """The tokens of a text at their place in a template."""
    assert pipeline.post_processor is not None
    before: list[Placed] = [(token.text, token.span) for token in text.tokens]
    placed = pipeline.post_processor.placed(before)
    for token, (_, span) in zip(text.tokens, placed, strict=True):
        yield OutputToken(
            *(token.token_id, token.text, span, token.piece, token.within, token.text_number),
            type_id=piece.type_id,
        )
