r"""Our patterns as Oniguruma writes them, which is what `tokenizer.json` holds.

Nearly all alternatives mean the same there; those that do not are listed here.
"""

from __future__ import annotations

from engine.text.patterns import PATTERNS, Pattern

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
