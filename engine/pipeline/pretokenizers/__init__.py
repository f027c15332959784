"""Pre-tokenizers, each under the name that `tokenizer.json` gives it.

They cut a text into pretokens and build on the normalizers. The decoders and post-processors of
the same names share their settings.
"""

from engine.pipeline.pretokenizers.cuts import (
    BertPreTokenizer,
    ByteLevel,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Metaspace,
    Punctuation,
    Split,
    Whitespace,
    WhitespaceSplit,
)
from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer, Sequence
from engine.pipeline.stage import StageRegistry

PRETOKENIZERS: StageRegistry[PreTokenizer] = StageRegistry(
    "pre-tokenizer",
    (
        *(ByteLevel, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, Metaspace),
        *(BertPreTokenizer, CharDelimiterSplit, FixedLength, Sequence),
    ),
)
