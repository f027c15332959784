# ruff: noqa: F401
"""Names inside `engine/pipeline` that tests need: they know the room, not its modules."""

from __future__ import annotations

from engine.pipeline.added_tokens import AddedToken
from engine.pipeline.conversion import (
    pipeline_of,
    tokenizer_of,
    unigram_pipeline,
    wordpiece_pipeline,
)
from engine.pipeline.decoders import DECODERS, Fuse
from engine.pipeline.draft import (
    DECODER,
    NORMALIZER,
    POST_PROCESSOR,
    PRE_TOKENIZER,
    STAGE_KINDS,
    Draft,
    StageKind,
    typed_cut,
    typed_normalizer,
)
from engine.pipeline.losses import Change, losses
from engine.pipeline.models import Unigram, WordPiece
from engine.pipeline.normalizers import (
    NFD,
    NORMALIZERS,
    Aligned,
    Lowercase,
    Normalizer,
    Sequence,
    StripAccents,
)
from engine.pipeline.oniguruma import TextOrRegex, alternatives, can_be_empty
from engine.pipeline.pipeline import Pipeline
from engine.pipeline.post_processors import POST_PROCESSORS, pair_template, template_of
from engine.pipeline.pretokenizers import (
    BEHAVIORS,
    PRETOKENIZERS,
    BertPreTokenizer,
    Digits,
    Metaspace,
    PreTokenizer,
    WhitespaceSplit,
    in_oniguruma,
)
from engine.pipeline.sentencepiece import CharacterMap, SymbolAlphabet
