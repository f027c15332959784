"""`Pipeline`: the stages of a `tokenizer.json`, from a text to ids and back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.pipeline.added_tokens import AddedToken, numbered, told_apart
from engine.pipeline.decoders.decoder import Decoder
from engine.pipeline.models.model import MergingModel, Model
from engine.pipeline.normalizers.normalizer import Normalizer
from engine.pipeline.pipeline_run import PipelineRun, run_pipeline
from engine.pipeline.post_processors.post_processor import PostProcessor
from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer
from engine.pipeline.sections import SectionSplitter


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

    @cached_property
    def added_ids(self) -> dict[str, int]:
        """The id of each added token, special or not."""
        return numbered(self.added_tokens, self.model.vocab)

    @cached_property
    def splitter(self) -> SectionSplitter:
        """What cuts added tokens out of a text and prepares the rest."""
        return SectionSplitter(self.added_tokens, self.normalizer, self.pre_tokenizer)

    @cached_property
    def _spellings(self) -> dict[int, str]:
        """The tokens as the decoder is given them: added ones as they stand in normalized text."""
        spelled = {token_id: token for token, token_id in self.model.vocab.items()}
        for token in told_apart(self.added_tokens):
            content = token.content
            if self.normalizer is not None and token.normalized:
                content = self.normalizer.normalize(content)
            spelled[self.added_ids[token.content]] = content
        return spelled

    @property
    def merges(self) -> bool:
        """Whether the model is one that merges."""
        return isinstance(self.model, MergingModel)

    @property
    def decodes(self) -> bool:
        """Whether it says how text is made of tokens; BPE's tokens need only be joined."""
        return self.decoder is not None or not self.merges

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
        return run_pipeline(self, text, pair)
