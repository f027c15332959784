"""`Pipeline`: the stages of a `tokenizer.json`, from a text to ids and back.

A run shows what each stage made of a text. A stage hands on parts: stretches of text, each of whose
characters knows the characters of the original that it stands for (`Aligned`). So any token can be
followed up through the stages to the text that somebody typed, however much was changed before it.
Added tokens are parts that the normalizer, the pre-tokenizer and the model leave alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.json_fields import Fields
from engine.pipeline.added_tokens import (
    AddedToken,
    SectionSplitter,
    number_added_tokens,
    without_repeats,
)
from engine.pipeline.decoders import DECODERS, Decoder
from engine.pipeline.models import MODELS, MergingModel, Model
from engine.pipeline.normalizers import NORMALIZERS, Aligned, Normalizer
from engine.pipeline.post_processors import POST_PROCESSORS, PostProcessor
from engine.pipeline.pretokenizers import PRETOKENIZERS, PreTokenizer
from engine.text.pretokenize import without_stray_surrogates

Span = tuple[int, int]


@dataclass(frozen=True)
class AlignedPart:
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
    sections: tuple[AlignedPart, ...]
    pieces: tuple[AlignedPart, ...]
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


STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")
KEYS = ("version", "truncation", "padding", "added_tokens", *STAGES)
"""The keys of a `tokenizer.json`, in its order."""


@dataclass(frozen=True)
class Pipeline:
    """The stages; `None` stands for one that there is not.

    Attributes:
        model: what encodes pretokens.
        added_tokens: what is cut out before anything else is done.
        normalizer: what a text goes through first.
        pre_tokenizer: what cuts it.
        post_processor: what puts special tokens around it; `Tokenizer.encode` leaves that out,
            `run` does not.
        decoder: what makes text of tokens again.
    """

    model: Model
    added_tokens: tuple[AddedToken, ...] = ()
    normalizer: Normalizer | None = None
    pre_tokenizer: PreTokenizer | None = None
    post_processor: PostProcessor | None = None
    decoder: Decoder | None = None

    @classmethod
    def from_json(cls, fields: Fields) -> Pipeline:
        """The pipeline that the content of a `tokenizer.json` describes.

        Raises:
            TokenizerFileError: says which key is wrong, or asks for what is not there.
        """
        pipeline = cls(
            MODELS.from_json(fields.inner("model")),
            tuple(map(AddedToken.from_json, fields.each_or_none("added_tokens"))),
            NORMALIZERS.from_json_or_null(fields, "normalizer"),
            PRETOKENIZERS.from_json_or_null(fields, "pre_tokenizer"),
            POST_PROCESSORS.from_json_or_null(fields, "post_processor"),
            DECODERS.from_json_or_null(fields, "decoder"),
        )
        if odd := pipeline.unknown_in_template:
            what = f"puts {odd[0][:60]!r} as an id that no token has"
            raise fields.error("post_processor", what)
        return pipeline

    def to_json(self) -> dict[str, Any]:
        """The inverse of `from_json`."""
        ids = self.added_ids  # an empty token has none, and stands nowhere
        added = [token for token in self.added_tokens if token.content in ids]
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [token.to_json(ids[token.content]) for token in added],
            **{key: stage and stage.to_json() for key in STAGES for stage in [getattr(self, key)]},
        }

    @cached_property
    def added_ids(self) -> dict[str, int]:
        """The id of each added token, special or not."""
        return number_added_tokens(self.added_tokens, self.model.vocab)

    @property
    def unknown_in_template(self) -> list[str]:
        """The special tokens of the template of which an id is no token's."""
        processor = self.post_processor
        if processor is None:
            return []
        pieces = (*processor.template(1), *processor.template(2))
        put = dict.fromkeys(piece.token for piece in pieces if piece.text is None)
        return [
            token for token in put if not self._spellings.keys() >= set(processor.ids_of(token))
        ]

    @cached_property
    def splitter(self) -> SectionSplitter:
        """What cuts added tokens out of a text and prepares the rest."""
        return SectionSplitter(self.added_tokens, self.normalizer, self.pre_tokenizer)

    @cached_property
    def _spellings(self) -> dict[int, str]:
        """The tokens as the decoder is given them: added ones as they stand in normalized text."""
        spelled = {token_id: token for token, token_id in self.model.vocab.items()}
        for token in without_repeats(self.added_tokens):
            content = token.content
            if self.normalizer is not None and token.normalized:
                content = self.normalizer.normalize(content)
            spelled[self.added_ids[token.content]] = content
        return spelled

    @property
    def merges(self) -> bool:
        """Whether the model is one that merges."""
        return isinstance(self.model, MergingModel)

    def first(self, merges: int) -> Pipeline:
        """The pipeline whose model makes no more than its first so many merges.

        Raises:
            TokenizerFileError: its model merges nothing.
        """
        if not isinstance(self.model, MergingModel):
            raise TokenizerFileError(f"its model is {self.model.name}, which merges nothing")
        return replace(self, model=self.model.first(merges))

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """The ids of the added tokens that are no part of what people write."""
        special = (token.content for token in self.added_tokens if token.special)
        return frozenset(self.added_ids[content] for content in special if content)

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """The text that the decoder makes of ids; without one they are joined with spaces."""
        left_out = self.special_ids if skip_special else frozenset()
        tokens = [self._spellings[token_id] for token_id in ids if token_id not in left_out]
        return " ".join(tokens) if self.decoder is None else self.decoder.decode(tokens)

    def run(self, text: str, pair: str | None = None) -> PipelineRun:
        """What each stage makes of a text, or of a pair of texts, up to the ids and back.

        >>> from engine.pipeline.models import WordPiece
        >>> from engine.pipeline.normalizers import Lowercase
        >>> pipeline = Pipeline(WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}), normalizer=Lowercase())
        >>> [(token.text, token.span) for token in pipeline.run("HUGS").tokens]
        [('hug', (0, 3)), ('##s', (3, 4))]
        """
        given = (text,) if pair is None else (text, pair)
        texts = tuple(self.run_text(each, number) for number, each in enumerate(given))
        tokens = tuple(self._finished(texts))
        decoded = self.decode((token.token_id for token in tokens), skip_special=True)
        return PipelineRun(texts, tokens, decoded)

    def run_text(
        self, text: str, number: int = 0, splitter: SectionSplitter | None = None
    ) -> TextRun:
        """One text up to what the model makes of it.

        Args:
            number: 1 if it is the second of a pair.
            splitter: cuts out other added tokens than the pipeline's own does.
        """
        text = without_stray_surrogates(text)
        sections = [
            AlignedPart(*each) for each in (splitter or self.splitter).aligned_sections(text)
        ]
        pieces = list(chain.from_iterable(map(self._pieces, sections)))
        tokens = chain.from_iterable(
            self._tokens(piece, place, number) for place, piece in enumerate(pieces)
        )
        return TextRun(text, tuple(sections), tuple(pieces), tuple(tokens))

    def _pieces(self, section: AlignedPart) -> list[AlignedPart]:
        """What the pre-tokenizer makes of a section."""
        if not section.text:
            return []
        if section.token is not None or self.pre_tokenizer is None:
            return [section]
        return [AlignedPart(piece) for piece in self.pre_tokenizer.aligned_pieces(section.aligned)]

    def _tokens(self, piece: AlignedPart, place: int, number: int) -> Iterator[OutputToken]:
        """What the model makes of a pretoken, the `place`th of the text with this number."""
        if piece.token is not None:
            token_id = self.added_ids[piece.token.content]
            within = (0, len(piece.text))
            yield OutputToken(token_id, piece.text, piece.span, place, within, number, number)
            return
        for token_id, text, start, end in self.model.tokenize(piece.text):
            span = piece.aligned.span(start, end)
            yield OutputToken(token_id, text, span, place, (start, end), number, number)

    def _finished(self, texts: tuple[TextRun, ...]) -> Iterator[OutputToken]:
        """What the post-processor makes of the tokens of one text or two."""
        processor = self.post_processor
        if processor is None:
            yield from chain.from_iterable(each.tokens for each in texts)
            return
        for piece in processor.template(len(texts)):
            if piece.text is None:
                ids, written = processor.ids_of(piece.token), processor.texts_of(piece.token)
                for token_id, text in zip(ids, written, strict=False):
                    yield OutputToken(token_id, text, type_id=piece.type_id)
                continue
            tokens = texts[piece.text].tokens
            placed = processor.placed([(token.text, token.span) for token in tokens])
            for token, (_, span) in zip(tokens, placed, strict=True):
                yield replace(token, span=span, type_id=piece.type_id)
