"""Where a text may be cut before SentencePiece's byte-pair encoding, since nothing merges across.

The library cuts nothing. Where no piece holds a `▁` behind another character, no merge ever joins
one to what is before it, so words can be encoded one by one, and remembered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer, Span
from engine.pipeline.stage import stage
from engine.text.patterns import Alternative, Pattern

_PATTERN = Pattern(
    "sentencepiece",
    "words, each with the ▁ before it",
    (Alternative("word", "▁*[^▁]+"), Alternative("▁ at the end", "▁+")),
    (),
)


@stage
class SentencePieceCuts(PreTokenizer):
    """Cuts before every run of `▁`."""

    name = "SentencePiece"
    in_tokenizer_json: ClassVar[bool] = False

    def spans(self, text: str) -> Iterable[Span]:
        return (match.span() for match in _PATTERN.compiled.finditer(text))

    def as_pattern(self) -> Pattern | None:
        return _PATTERN
