"""`Draft`: a pipeline with some stages switched to others, to see the effect.

There may be several normalizers and pre-tokenizers, in the order in which they were chosen, but
only one stage of each other kind. The learnt model stays. If it was learnt on bytes, pretokens are
spelled in bytes however they are cut, since the model knows nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from engine.core.errors import TokenizerFileError
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.pipeline import decoders, normalizers, pretokenizers
from engine.pipeline.oniguruma import TextOrRegex
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import pair_template, template_of
from engine.pipeline.stage import Stage, opened
from engine.text.patterns import PATTERNS

# What a stage can be switched to: the choices by name


@dataclass(frozen=True)
class StageChoice:
    """A stage to switch to, with a name and a description."""

    name: str
    stage: Stage
    summary: str


_NORMALIZERS = (
    StageChoice("NFC", normalizers.NFC(), "letters and their marks in one character: e + ´ → é"),
    StageChoice("NFD", normalizers.NFD(), "letters and their marks apart: é → e + ´"),
    StageChoice("NFKC", normalizers.NFKC(), "as NFC, and look-alikes made plain: ﬁ → fi, ² → 2"),
    StageChoice("NFKD", normalizers.NFKD(), "as NFD, and look-alikes made plain"),
    StageChoice("lowercase", normalizers.Lowercase(), "A → a"),
    StageChoice("strip accents", normalizers.StripAccents(), "marks away; needs NFD before it"),
    StageChoice("strip", normalizers.Strip(), "whitespace at both ends away"),
    StageChoice(
        "BERT", normalizers.BertNormalizer(), "clean, Chinese apart, accents away, lower case"
    ),
    StageChoice("nmt", normalizers.Nmt(), "control characters away, odd spaces plain"),
    StageChoice("prepend ▁", normalizers.Prepend("▁"), "SentencePiece's mark in front"),
    StageChoice(
        "␣ → ▁", normalizers.Replace(TextOrRegex(text=" "), "▁"), "spaces as SentencePiece has them"
    ),
)

_PRE_TOKENIZERS = (
    StageChoice(
        "whitespace", pretokenizers.WhitespaceSplit(), "between whitespace, which is left out"
    ),
    StageChoice("words", pretokenizers.Whitespace(), r"\w+|[^\w\s]+; whitespace is left out"),
    StageChoice("punctuation", pretokenizers.Punctuation(), "each mark apart"),
    StageChoice("digits", pretokenizers.Digits(individual_digits=True), "each digit apart"),
    StageChoice(
        "BERT", pretokenizers.BertPreTokenizer(), "whitespace left out, each punctuation mark apart"
    ),
    StageChoice("metaspace", pretokenizers.Metaspace(), "▁ for spaces, cut before each"),
    StageChoice(
        "byte-level", pretokenizers.ByteLevel(False), "GPT-2's pattern, and bytes as its stand-ins"
    ),
    *(
        StageChoice(
            f"pattern {name}",
            pretokenizers.Split(TextOrRegex(regex=source), "Isolated"),
            each.summary,
        )
        for name, each in PATTERNS.items()
        if name != "none" and (source := pretokenizers.in_oniguruma(each)) is not None
    ),
)

_DECODERS = (
    StageChoice(
        "byte-level", decoders.ByteLevel(), f"{BYTE_TO_CHAR[ord(' ')]} and its like back to bytes"
    ),
    StageChoice("WordPiece", decoders.WordPiece(), "## joins, a space before the rest; tidied"),
    StageChoice(
        "WordPiece, untidied", decoders.WordPiece(cleanup=False), "spaces stay before marks"
    ),
    StageChoice("metaspace", decoders.Metaspace(), "▁ back to a space"),
    StageChoice("fuse", decoders.Fuse(), "tokens joined as they are"),
)

_TEMPLATES = (
    ("[CLS] $A [SEP]", "BERT's"),
    ("<s> $A </s>", "RoBERTa's"),
    ("$A </s>", "T5's"),
    ("<s> $A", "Llama's"),
    ("$A <|endoftext|>", "the end of a document"),
)


def _post_processors(pipeline: Pipeline) -> Iterator[StageChoice]:
    """Yield the templates whose tokens are in the vocabulary."""
    ids = {**pipeline.model.vocab, **pipeline.added_ids}
    for template, summary in _TEMPLATES:
        with suppress(TokenizerFileError):
            stage = template_of(template, pair_template(template), ids)
            yield StageChoice(template, stage, summary)


# The kinds of stages, and a pipeline with some of them switched


@dataclass(frozen=True)
class StageKind:
    """A kind of stage that can be switched, with its choices.

    Attributes:
        key: its name in `Pipeline` and `tokenizer.json`.
        choices: gives the stages to choose from, for a pipeline.
        joined: makes one stage of several; `None` if there may only be one.
    """

    key: str
    choices: Callable[[Pipeline], Iterable[StageChoice]]
    joined: Callable[[Sequence[Any]], Stage] | None = None

    @property
    def title(self) -> str:
        """Its name on the screen."""
        return self.key.replace("_", "-")

    def parts(self, stage: Stage | None) -> tuple[Stage, ...]:
        """Return the parts of a stage, sequences opened if there may be several."""
        if self.joined:
            return opened(stage)
        return () if stage is None else (stage,)


NORMALIZER = StageKind("normalizer", lambda _: _NORMALIZERS, normalizers.Sequence)
PRE_TOKENIZER = StageKind("pre_tokenizer", lambda _: _PRE_TOKENIZERS, pretokenizers.Sequence)
POST_PROCESSOR = StageKind("post_processor", _post_processors)
DECODER = StageKind("decoder", lambda _: _DECODERS)
STAGE_KINDS = (NORMALIZER, PRE_TOKENIZER, POST_PROCESSOR, DECODER)

SPELLING = pretokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
"""Spells pretokens in GPT-2's printable characters for bytes, and cuts nothing."""


@dataclass(frozen=True)
class Draft:
    """A pipeline with some stages switched. Immutable.

    Attributes:
        original: the pipeline before any switch.
        switched: key of a kind that was switched → its stages now.

    >>> from engine.pipeline.models import WordLevel
    >>> from engine.pipeline.normalizers import Lowercase
    >>> draft = Draft(Pipeline(WordLevel({"?": 0, "a": 1}, "?")))
    >>> draft.toggled(NORMALIZER, Lowercase()).pipeline.run("A").ids, draft.pipeline.run("A").ids
    ([1], [0])
    """

    original: Pipeline
    switched: Mapping[str, tuple[Stage, ...]] = field(default_factory=dict)

    def stages(self, kind: StageKind) -> tuple[Stage, ...]:
        """Return the stages of a kind as they are now."""
        original = kind.parts(getattr(self.original, kind.key))
        return self.switched.get(kind.key, original)

    def is_switched(self, kind: StageKind) -> bool:
        """Whether the stages of a kind differ from the original."""
        return self.stages(kind) != kind.parts(getattr(self.original, kind.key))

    def toggled(self, kind: StageKind, stage: Stage) -> Draft:
        """Add a stage or take it out; a kind with a single stage replaces it."""
        now = self.stages(kind)
        if stage in now:
            chosen = tuple(each for each in now if each != stage)
        else:
            chosen = (*now, stage) if kind.joined else (stage,)
        return self.with_stages(kind, chosen)

    def with_stages(self, kind: StageKind, stages: tuple[Stage, ...]) -> Draft:
        """Return the draft with exactly these stages of a kind."""
        return replace(self, switched={**self.switched, kind.key: stages})

    def restored(self, kind: StageKind) -> Draft:
        """Return the draft with the original stages of a kind."""
        others = {key: stages for key, stages in self.switched.items() if key != kind.key}
        return replace(self, switched=others)

    @cached_property
    def pipeline(self) -> Pipeline:
        """The pipeline with the switched stages."""
        touched = [kind for kind in STAGE_KINDS if self.is_switched(kind)]
        changed: dict[str, Any] = {}
        for kind in touched:
            stages = self.stages(kind)
            if kind is PRE_TOKENIZER and self.original.splitter.in_bytes:
                has_spelling = any(isinstance(stage, pretokenizers.ByteLevel) for stage in stages)
                stages = stages if has_spelling else (*stages, SPELLING)
            if kind.joined is not None and len(stages) > 1:
                changed[kind.key] = kind.joined(stages)
            else:
                changed[kind.key] = stages[0] if stages else None
        return replace(self.original, **changed)
