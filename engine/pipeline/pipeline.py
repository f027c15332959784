"""`Pipeline`: the stages of a `tokenizer.json`, from a text to ids and back.

A run keeps the output of each stage. A stage's output is parts: stretches of text whose characters
know the characters of the original that they come from (`Aligned`). So any token can be traced
through the stages to the text as typed, however much was changed. Added tokens are parts that the
normalizer, the pre-tokenizer and the model leave alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.events import Pair
from engine.core.json_fields import Fields
from engine.native.decoding import KernelDecoder
from engine.pipeline.added_tokens import (
    AddedToken,
    SectionSplitter,
    number_added_tokens,
    without_repeats,
)
from engine.pipeline.decoders import DECODERS, ByteLevel, Decoder
from engine.pipeline.models import BPE, MODELS, MergingModel, Model, ModelToken, WordPiece
from engine.pipeline.normalizers import NORMALIZERS, Aligned, Normalizer
from engine.pipeline.post_processors import POST_PROCESSORS, PostProcessor, TemplatePart
from engine.pipeline.pretokenizers import PRETOKENIZERS, PreTokenizer
from engine.text.pretokenize import without_stray_surrogates

Span = tuple[int, int]


@dataclass(frozen=True)
class AlignedPart(Aligned):
    """A stretch of text between two stages; `token` is set for an added token."""

    token: AddedToken | None = None


@dataclass(frozen=True)
class OutputToken:
    """A token as the model or the post-processor gives it.

    Attributes:
        token_id, text: its id, and its text in the vocabulary.
        span: its characters in the original text; (0, 0) for a token of the template.
        piece: the number of its pretoken; `None` for a token of the template.
        within: its characters in that pretoken.
    """

    token_id: int
    text: str
    span: Span = (0, 0)
    piece: int | None = None
    within: Span = (0, 0)

    @property
    def from_template(self) -> bool:
        """Whether the post-processor's template added it."""
        return self.piece is None


@dataclass(frozen=True)
class TextRun:
    """The outputs of the first three stages for one text.

    Attributes:
        text: the text as given.
        sections: the output of the normalizer, added tokens included.
        pieces: the output of the pre-tokenizer.
        tokens: the output of the model.
    """

    text: str
    sections: tuple[AlignedPart, ...]
    pieces: tuple[AlignedPart, ...]
    tokens: tuple[OutputToken, ...]


@dataclass(frozen=True)
class PipelineRun:
    """The outputs of all stages for a text.

    Attributes:
        text: the text up to the model.
        tokens: the output of the post-processor.
        decoded: the text that the decoder makes of the ids, special tokens left out.
    """

    text: TextRun
    tokens: tuple[OutputToken, ...]
    decoded: str

    @property
    def ids(self) -> list[int]:
        return [token.token_id for token in self.tokens]


STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")
KEYS = ("version", "truncation", "padding", "added_tokens", *STAGES)
"""Keys of a `tokenizer.json`, in its order."""


@dataclass(frozen=True)
class Pipeline:
    """The stages of a tokenizer; `None` for a stage that it does not have.

    Attributes:
        model: encodes pretokens.
        added_tokens: are cut out of a text first.
        normalizer: changes the text between them.
        pre_tokenizer: cuts it into pretokens.
        post_processor: puts special tokens around it, in `run` and where a template is asked for.
        decoder: makes text of tokens.
    """

    model: Model
    added_tokens: tuple[AddedToken, ...] = ()
    normalizer: Normalizer | None = None
    pre_tokenizer: PreTokenizer | None = None
    post_processor: PostProcessor | None = None
    decoder: Decoder | None = None

    @classmethod
    def from_json(cls, fields: Fields) -> Pipeline:
        """Read the pipeline from the content of a `tokenizer.json`.

        Raises:
            TokenizerFileError: a key is wrong or missing; the message names it.
        """
        added = fields.each("added_tokens") if fields.has("added_tokens") else []
        pipeline = cls(
            MODELS.from_json(fields.inner("model")),
            tuple(map(AddedToken.from_json, added)),
            NORMALIZERS.from_json_or_null(fields, "normalizer"),
            PRETOKENIZERS.from_json_or_null(fields, "pre_tokenizer"),
            POST_PROCESSORS.from_json_or_null(fields, "post_processor"),
            DECODERS.from_json_or_null(fields, "decoder"),
        )
        processor = pipeline.post_processor
        for part in (*processor.template(1), *processor.template(2)) if processor else ():
            if part.ids and not set(part.ids).issubset(pipeline._spellings):
                what = f"puts {part.token[:60]!r} as an id that no token has"
                raise fields.error("post_processor", what)
        return pipeline

    def to_json(self) -> dict[str, Any]:
        """Return the content that `from_json` reads."""
        ids = self.added_ids  # an empty token has no id, and is left out
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
        """Ids of the added tokens, special or not."""
        return number_added_tokens(self.added_tokens, self.model.vocab)

    @cached_property
    def splitter(self) -> SectionSplitter:
        """Cuts added tokens out of a text and prepares the rest."""
        return SectionSplitter(self.added_tokens, self.normalizer, self.pre_tokenizer)

    @cached_property
    def _spellings(self) -> dict[int, str]:
        """Texts of the tokens as the decoder gets them; added ones may be normalized."""
        spelled = {token_id: token for token, token_id in self.model.vocab.items()}
        for token in without_repeats(self.added_tokens):
            content = token.content
            if self.normalizer is not None and token.normalized:
                content = self.normalizer.normalize(content)
            spelled[self.added_ids[token.content]] = content
        return spelled

    @property
    def merges(self) -> bool:
        """Whether the model merges."""
        return isinstance(self.model, MergingModel)

    @property
    def takes_longest(self) -> bool:
        """Whether the model always takes the longest piece that fits, from the left."""
        return isinstance(self.model, WordPiece)

    @cached_property
    def template(self) -> tuple[TemplatePart, ...]:
        """The parts of the template for one text; only the text if nothing is added."""
        whole_text = TemplatePart(0, "", 0)
        return tuple(self.post_processor.template(1)) if self.post_processor else (whole_text,)

    @property
    def template_tokens(self) -> tuple[str, ...]:
        """The special tokens that the template adds to one text."""
        return tuple(part.token for part in self.template if part.text is None)

    @property
    def template_ids(self) -> tuple[SequenceOf[int] | None, ...]:
        """The ids of the template's parts for one text; `None` is the text."""
        return tuple(part.ids if part.text is None else None for part in self.template)

    def first(self, merges: int) -> Pipeline:
        """Return the pipeline whose model makes only its first `merges` merges.

        Raises:
            TokenizerFileError: the model has no merges.
        """
        if not isinstance(self.model, MergingModel):
            raise TokenizerFileError(f"its model is {self.model.name}, which merges nothing")
        return replace(self, model=self.model.first(merges))

    def extended(self, merges: SequenceOf[tuple[Pair, int]]) -> Pipeline:
        """Return the pipeline whose model has more merges, of bytes, after its own.

        Hugging Face's library numbers added tokens that its model lacks after all others. So they
        become tokens of the model, and keep their ids.

        Args:
            merges: ((left id, right id), id of the new token).

        Raises:
            TokenizerFileError: the model is not BPE.
        """
        if not isinstance(self.model, BPE):
            raise TokenizerFileError(f"its model is {self.model.name}, which has no such merges")
        return replace(self, model=self.model.extended(merges, self.added_ids))

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """Ids of the special tokens, which are not part of what people write."""
        special = (token.content for token in self.added_tokens if token.special)
        return frozenset(self.added_ids[content] for content in special if content)

    def decode(self, ids: Iterable[int], skip_special: bool = False) -> str:
        """Return the text of the ids; without a decoder, the tokens joined with spaces."""
        left_out = self.special_ids if skip_special else frozenset()
        tokens = [self._spellings[token_id] for token_id in ids if token_id not in left_out]
        return " ".join(tokens) if self.decoder is None else self.decoder.decode(tokens)

    @cached_property
    def fast_decode(self) -> Callable[[list[int]], str | None] | None:
        """A function that decodes in the kernel, or returns `None`; `None` if there is none."""
        joining = None if self.decoder is None else self.decoder.joining()
        spelled = self._spellings
        if joining is None or not KernelDecoder.fits(spelled):
            return None
        found = ((i, joining.of_token(text)) for i, text in spelled.items())
        kernel = KernelDecoder({i: data for i, data in found if data is not None})
        if isinstance(self.decoder, ByteLevel):
            return kernel.text_of
        _, finish, begin = joining

        def decode(ids: list[int]) -> str | None:
            if begin is None:
                data = kernel.bytes_of(ids)
                return None if data is None else finish(data)
            if type(ids) is not list:
                return None
            try:
                count, text = begin(map(spelled.__getitem__, ids))
            except (KeyError, TypeError):
                return None
            data = kernel.bytes_of(ids[count:])
            return None if data is None else finish(text.encode() + data)

        return decode

    def run(self, text: str) -> PipelineRun:
        """Run a text through all stages and back.

        >>> from engine.pipeline.models import WordPiece
        >>> from engine.pipeline.normalizers import Lowercase
        >>> pipeline = Pipeline(WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}), normalizer=Lowercase())
        >>> [(token.text, token.span) for token in pipeline.run("HUGS").tokens]
        [('hug', (0, 3)), ('##s', (3, 4))]
        """
        made = self.run_text(text)
        tokens = tuple(self.in_template(self._placed(made.tokens)))
        decoded = self.decode((token.token_id for token in tokens), skip_special=True)
        return PipelineRun(made, tokens, decoded)

    def _placed(self, tokens: SequenceOf[OutputToken]) -> list[OutputToken]:
        """Return the tokens of a text with the spans of the post-processor."""
        if self.post_processor is None:
            return list(tokens)
        placed = self.post_processor.placed([(token.text, token.span) for token in tokens])
        return [replace(token, span=span) for token, (_, span) in zip(tokens, placed, strict=True)]

    def in_template(self, tokens: SequenceOf[OutputToken]) -> Iterator[OutputToken]:
        """Yield the tokens of a text with those of the template."""
        for part in self.template:
            yield from map(OutputToken, part.ids, part.texts) if part.text is None else tokens

    def run_text(self, text: str, splitter: SectionSplitter | None = None) -> TextRun:
        """Run one text through the first three stages.

        Args:
            splitter: cuts out the added tokens; by default the pipeline's own.
        """
        text = without_stray_surrogates(text)
        sections = [
            AlignedPart(aligned.text, aligned.spans, token)
            for aligned, token in (splitter or self.splitter).aligned_sections(text)
        ]
        pieces: list[AlignedPart] = []
        for section in sections:
            if section.token is None and self.pre_tokenizer is not None:
                cut = self.pre_tokenizer.aligned_pieces(section)
                pieces += [AlignedPart(piece.text, piece.spans) for piece in cut]
            elif section.text:
                pieces.append(section)
        tokens: list[OutputToken] = []
        for place, piece in enumerate(pieces):
            if piece.token is None:
                made = self.model.tokenize(piece.text)
            else:
                token_id = self.added_ids[piece.token.content]
                made = [ModelToken(token_id, piece.text, 0, len(piece.text))]
            for token_id, spelled, start, end in made:
                span = piece.span(start, end)
                tokens.append(OutputToken(token_id, spelled, span, place, (start, end)))
        return TextRun(text, tuple(sections), tuple(pieces), tuple(tokens))
