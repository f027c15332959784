"""`Split`: cuts at a text or a regex, which is how newer models say their pattern."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.oniguruma import TextOrRegex, alternatives, can_be_empty
from engine.pipeline.pretokenizers.pretokenizer import BEHAVIORS, PreTokenizer, Span, stretches
from engine.text.patterns import PATTERNS, Alternative, Pattern

# Our patterns as Oniguruma writes them, which is what `tokenizer.json` holds.
#
# Nearly all alternatives mean the same there; those that do not are listed here.

_RESPELLED = {
    # There `{1,3}+` would repeat the repetition; an atomic group gives nothing back, either.
    r"\p{N}{1,3}+": r"(?>\p{N}{1,3})",
    # There `$` is the end of any line. The run has taken every newline, so the end is the end.
    r"\s++$": r"\s++\z",
    r"(?s:.+)": r"(?m:.+)",
}

_KNOWN = {
    alternative.regex for pattern in PATTERNS.values() for alternative in pattern.alternatives
}
"""The alternatives that tests have compared in both dialects."""


def in_oniguruma(pattern: Pattern) -> str | None:
    r"""The regex of a pattern for `tokenizer.json`; `None` if nobody knows that it is the same.

    >>> in_oniguruma(PATTERNS["cl100k"]).split("|")[5:8]
    ['(?>\\p{N}{1,3})', ' ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+', '\\s++\\z']
    """
    regexes = [alternative.regex for alternative in pattern.alternatives]
    if not _KNOWN.issuperset(regexes):
        return None
    return "|".join(_RESPELLED.get(each, each) for each in regexes)


class Split(PreTokenizer):
    """Cuts at each match.

    Args:
        pattern: what to look for.
        behavior: what becomes of a match: a name in `BEHAVIORS`.
        invert: whether what stands between matches counts as a match instead.
    """

    name = "Split"

    def __init__(self, pattern: TextOrRegex, behavior: str, invert: bool = False) -> None:
        self.pattern = pattern
        self.behavior = behavior
        self.invert = invert

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        pattern = TextOrRegex.from_json(fields.inner("pattern"))
        return cls(pattern, fields.choice("behavior", tuple(BEHAVIORS)), fields.flag("invert"))

    def settings(self) -> dict[str, object]:
        return {
            "pattern": self.pattern.to_json(),
            "behavior": self.behavior,
            "invert": self.invert,
        }

    def spans(self, text: str) -> Iterable[Span]:
        row = list(stretches(self.pattern.matches(text), len(text)))
        if self.invert:
            row = [(start, end, not is_match) for start, end, is_match in row]
        return BEHAVIORS[self.behavior](row)

    def as_pattern(self) -> Pattern | None:
        source = self.pattern.regex
        if source is None:
            return None
        named = _NAMED.get(source)
        if named is not None and (self.behavior, self.invert) in _KEEPING_MATCHES:
            return named
        # A pattern keeps what it does not match, too.
        if self.behavior != "Isolated" or can_be_empty(source):
            return None
        branches = alternatives(source)
        numbered = (Alternative(f"alternative {n}", r) for n, r in enumerate(branches, start=1))
        return Pattern("split", "the regex of the file", tuple(numbered), ())


# Named patterns match all of a text, so nothing stands between their matches.
_KEEPING_MATCHES = {("Isolated", False), ("Isolated", True), ("Removed", True)}

# The way in which files write GPT-2's regex.
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

_NAMED = {in_oniguruma(pattern): pattern for pattern in PATTERNS.values()}
_NAMED[_GPT2] = PATTERNS["gpt2"]
