"""Pre-tokenizers: each cuts a text into pieces that the model encodes one by one.

Some change the text before they cut it (`edits`: a space in front, `▁` for spaces), one spells
the pieces in other characters (`respelled`). A subclass gives these three parts. `PreTokenizer`
makes two results of them: plain pieces, and pieces that know where their characters come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from typing import ClassVar, Self

import regex

from engine.core.gpt2_bytes import spell
from engine.core.json_fields import Fields
from engine.core.registry import Registry
from engine.pipeline.normalizers import Aligned, Edit
from engine.pipeline.normalizers import ByteLevel as ByteLevelNormalizer
from engine.pipeline.oniguruma import TextOrRegex, alternatives, can_be_empty
from engine.pipeline.stage import (
    Composite,
    SingleCharacter,
    Stage,
    StageRegistry,
    one_of,
    opened,
    setting,
    stage,
)
from engine.pipeline.unicode_ages import FORMER_PUNCTUATION, NEWER_PUNCTUATION
from engine.text.patterns import PATTERNS, Alternative, Mark, Pattern, bert_pattern
from engine.text.pretokenize import to_bytes

NOTHING_CUT = PATTERNS["none"]

Span = tuple[int, int]
Stretch = tuple[int, int, bool]
"""Start, end, whether it is a match."""


def stretches(matches: Iterable[Span], length: int) -> Iterator[Stretch]:
    """Yield the matches and the text between and after them, which cover all of the text."""
    last = 0
    for start, end in matches:
        if last < start:
            yield last, start, False
        yield start, end, True
        last = end
    yield last, length, False


def _merged_with_previous(row: list[Stretch]) -> list[Span]:
    spans: list[Span] = []
    after_match = False
    for start, end, is_match in row:
        if is_match and not after_match and spans:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        after_match = is_match
    return spans


def _merged_with_next(row: list[Stretch]) -> list[Span]:
    spans: list[Span] = []
    before_match = False
    for start, end, is_match in reversed(row):
        if is_match and not before_match and spans:
            spans[-1] = (start, spans[-1][1])
        else:
            spans.append((start, end))
        before_match = is_match
    return spans[::-1]


def _contiguous(row: list[Stretch]) -> list[Span]:
    spans: list[Span] = []
    was_match = None
    for start, end, is_match in row:
        if is_match == was_match:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        was_match = is_match
    return spans


BEHAVIORS: Registry[str, Callable[[list[Stretch]], list[Span]]] = Registry(
    "behavior",
    {
        "Removed": lambda row: [(start, end) for start, end, is_match in row if not is_match],
        "Isolated": lambda row: [(start, end) for start, end, _ in row],
        "MergedWithPrevious": _merged_with_previous,
        "MergedWithNext": _merged_with_next,
        "Contiguous": _contiguous,
    },
)


def cut_at(matches: Iterable[Span], length: int, behavior: str, invert: bool = False) -> list[Span]:
    """Return the pieces of a text of that length, cut at matches.

    A behavior leaves the matches out, keeps them as pieces, or joins them with a neighbour:

    >>> dashes = [(1, 2), (2, 3)]
    >>> for behavior in BEHAVIORS:
    ...     print(behavior, ["a--b"[start:end] for start, end in cut_at(dashes, 4, behavior)])
    Removed ['a', 'b']
    Isolated ['a', '-', '-', 'b']
    MergedWithPrevious ['a-', '-', 'b']
    MergedWithNext ['a', '-', '-b']
    Contiguous ['a', '--', 'b']

    Args:
        behavior: a name in `BEHAVIORS`.
        invert: whether the text between matches counts as a match instead.
    """
    row = list(stretches(matches, length))
    if invert:
        row = [(start, end, not is_match) for start, end, is_match in row]
    return BEHAVIORS[behavior](row)


MOST_LENGTHENING = 4


class PreTokenizer(Stage):
    """Cuts a text into pieces; it may leave some out, but none is empty."""

    lengthens: ClassVar[bool] = False
    """Whether its output may be twice as long as its input."""

    depends_on_start: ClassVar[bool] = False
    """Whether its edits depend on the text being at the very beginning."""

    def edits(self, text: str, first: bool) -> Iterable[Edit]:
        """Return the changes before the cut; `first` if the text begins the original."""
        return ()

    def spans(self, text: str) -> Iterable[Span]:
        """Return the spans of the pieces in the changed text, in order; empty ones do not count."""
        return ((0, len(text)),)

    def respelled(self, piece: Aligned) -> Aligned:
        """Return a piece as the model gets it."""
        return piece

    def as_pattern(self) -> Pattern | None:
        """Return a pattern that cuts the changed text alike; `None` if there is none."""
        return None

    def aligned_pieces(self, aligned: Aligned) -> list[Aligned]:
        """Return the pieces of a text or a part of one, aligned with the original.

        >>> from engine.pipeline.pretokenizers import Digits
        >>> pieces = Digits(individual_digits=False).aligned_pieces(Aligned.of("a12b"))
        >>> [piece.text for piece in pieces]
        ['a', '12', 'b']
        """
        changed = aligned.edited(self.edits(aligned.text, aligned.is_first))
        pieces = [changed.part(*span) for span in self.spans(changed.text)]
        return [self.respelled(piece) for piece in pieces if piece.text]

    def prepared(self, text: str, first: bool) -> str:
        """Return the text after `edits`."""
        edits = list(self.edits(text, first))
        return Aligned.of(text).edited(edits).text if edits else text

    def cut(self, text: str, first: bool) -> list[str]:
        """Return the pieces before they are respelled."""
        changed = self.prepared(text, first)
        return [changed[start:end] for start, end in self.spans(changed) if start < end]

    def pieces(self, text: str, first: bool) -> list[str]:
        """Return the pieces as the model gets them, as plain text."""
        return self.cut(text, first)


@stage
class Sequence(Composite[PreTokenizer], PreTokenizer):
    """Several pre-tokenizers; each cuts the pieces of the one before."""

    name = "Sequence"
    parts_key = "pretokenizers"

    def check(self, fields: Fields) -> None:
        if sum(each.lengthens for each in self._stages) > MOST_LENGTHENING:
            what = f"more than {MOST_LENGTHENING} stages of it can each double a text"
            raise fields.error(self.parts_key, what)

    @cached_property
    def _stages(self) -> tuple[PreTokenizer, ...]:
        return opened(self) or (PreTokenizer(),)

    @property
    def depends_on_start(self) -> bool:  # type: ignore[override]
        return any(each.depends_on_start for each in self._stages)

    def aligned_pieces(self, aligned: Aligned) -> list[Aligned]:
        pieces = [aligned] if aligned.text else []
        for each in self._stages:
            pieces = list(chain.from_iterable(map(each.aligned_pieces, pieces)))
        return pieces

    def pieces(self, text: str, first: bool) -> list[str]:
        last = self._stages[-1]
        return [*chain.from_iterable(last.pieces(*p) for p in self._before_last(text, first))]

    def cut(self, text: str, first: bool) -> list[str]:
        last = self._stages[-1]
        return [*chain.from_iterable(last.cut(*p) for p in self._before_last(text, first))]

    def _before_last(self, text: str, first: bool) -> list[tuple[str, bool]]:
        """Return the pieces that the last stage gets, each with whether it is first."""
        if any(each.depends_on_start for each in self._stages[1:]):
            # After several cuts, only the spans tell which piece is first.
            aligned = [Aligned.of(text, start=int(not first))]
            for each in self._stages[:-1]:
                aligned = list(chain.from_iterable(map(each.aligned_pieces, aligned)))
            return [(piece.text, piece.is_first) for piece in aligned]
        pieces = [text] if text else []
        for each in self._stages[:-1]:
            pieces = [*chain.from_iterable(each.pieces(piece, first) for piece in pieces)]
        return [(piece, first) for piece in pieces]


# Our patterns in Oniguruma's dialect, as `tokenizer.json` holds them
#
# Nearly all alternatives mean the same in both dialects; `_RESPELLED` lists the others.

_RESPELLED = {
    # In Oniguruma `{1,3}+` repeats the repetition; an atomic group is possessive, too.
    r"\p{N}{1,3}+": r"(?>\p{N}{1,3})",
    # In Oniguruma `$` is the end of any line. `\s++` takes all newlines, so `\z` is the same.
    r"\s++$": r"\s++\z",
    r"(?s:.+)": r"(?m:.+)",
}

_SUPERBPE = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
"""The regex of SuperBPE's second phase, typed as it is in its authors' scripts."""

_KNOWN = {
    _SUPERBPE,
    *(alternative.regex for pattern in PATTERNS.values() for alternative in pattern.alternatives),
}
"""Alternatives that tests compare in both dialects."""


def in_oniguruma(pattern: Pattern) -> str | None:
    r"""Return the regex of a pattern for `tokenizer.json`; `None` if no translation is known.

    >>> in_oniguruma(PATTERNS["cl100k"]).split("|")[5:8]
    ['(?>\\p{N}{1,3})', ' ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+', '\\s++\\z']
    """
    regexes = [alternative.regex for alternative in pattern.alternatives]
    if not _KNOWN.issuperset(regexes):
        return None
    return "|".join(_RESPELLED.get(each, each) for each in regexes)


@stage
class Split(PreTokenizer):
    r"""Cuts at each match of a pattern; most newer models use it.

        {"type": "Split", "pattern": {"Regex": "\\d+"}, "behavior": "Isolated", "invert": false}

    Attributes:
        pattern: the text or regex to look for.
        behavior: the treatment of a match: a name in `BEHAVIORS`.
        invert: whether the text between matches counts as a match instead.
    """

    name = "Split"
    pattern: TextOrRegex
    behavior: str = setting(read=one_of(BEHAVIORS))
    invert: bool = False

    def spans(self, text: str) -> Iterable[Span]:
        return cut_at(self.pattern.matches(text), len(text), self.behavior, self.invert)

    def as_pattern(self) -> Pattern | None:
        source = self.pattern.regex
        if source is None:
            return None
        named = _NAMED.get(source)
        if named is not None and (self.behavior, self.invert) in _KEEPING_MATCHES:
            return named
        # A `Pattern` keeps the text between its matches, too.
        if self.behavior != "Isolated" or can_be_empty(source):
            return None
        branches = alternatives(source)
        numbered = (Alternative(f"alternative {n}", r) for n, r in enumerate(branches, start=1))
        return Pattern("split", "the regex of the file", tuple(numbered), ())


# Named patterns match all of a text, so there is nothing between their matches.
_KEEPING_MATCHES = {("Isolated", False), ("Isolated", True), ("Removed", True)}

# GPT-2's regex as files write it.
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

_NAMED = {in_oniguruma(pattern): pattern for pattern in PATTERNS.values()}
_NAMED[_GPT2] = PATTERNS["gpt2"]


# Cuts between kinds of characters

_PUNCTUATION = regex.compile(
    rf"[!-/:-@\[-`{{-~{FORMER_PUNCTUATION}]|(?![{''.join(NEWER_PUNCTUATION)}])\p{{P}}"
)
BERT_PIECES = bert_pattern(_PUNCTUATION.pattern)
"""The pieces of `BertPreTokenizer`, and the spaces between them."""
_WHITE_SPACE = regex.compile(r"\s")
_WORDS = regex.compile(r"\w+|[^\w\s]+")
_NUMBER = regex.compile(r"\p{N}")


def _spans(pattern: regex.Pattern[str], text: str) -> Iterator[Span]:
    return (match.span() for match in pattern.finditer(text))


@stage
class Digits(PreTokenizer):
    """Separates digits from other text, together or one by one. Any number counts: `½`, `Ⅻ`."""

    name = "Digits"
    individual_digits: bool = False

    def spans(self, text: str) -> Iterable[Span]:
        behavior = "Isolated" if self.individual_digits else "Contiguous"
        return cut_at(_spans(_NUMBER, text), len(text), behavior)


@stage
class Punctuation(PreTokenizer):
    """Cuts at punctuation marks, as `behavior` says."""

    name = "Punctuation"
    behavior: str = setting(default="Isolated", read=one_of(BEHAVIORS), may_be_missing=True)

    def spans(self, text: str) -> Iterable[Span]:
        return cut_at(_spans(_PUNCTUATION, text), len(text), self.behavior)


class Whitespace(PreTokenizer):
    r"""Words and runs of symbols: the matches of `\w+|[^\w\s]+`. Whitespace is left out."""

    name = "Whitespace"

    def spans(self, text: str) -> Iterable[Span]:
        return _spans(_WORDS, text)


class WhitespaceSplit(PreTokenizer):
    """Cuts at whitespace and leaves it out."""

    name = "WhitespaceSplit"

    def spans(self, text: str) -> Iterable[Span]:
        return cut_at(_spans(_WHITE_SPACE, text), len(text), "Removed")


class BertPreTokenizer(WhitespaceSplit):
    """Cuts at whitespace, which is left out, and isolates each punctuation mark."""

    name = "BertPreTokenizer"

    def spans(self, text: str) -> Iterable[Span]:
        for start, end in super().spans(text):
            row = stretches(_spans(_PUNCTUATION, text[start:end]), end - start)
            yield from ((start + left, start + right) for left, right, _ in row)


@stage
class CharDelimiterSplit(PreTokenizer):
    """Cuts at a character and leaves it out."""

    name = "CharDelimiterSplit"
    delimiter: SingleCharacter

    def spans(self, text: str) -> Iterable[Span]:
        delimiter = regex.compile(regex.escape(self.delimiter))  # the module caches it
        return cut_at(_spans(delimiter, text), len(text), "Removed")


class UnicodeScripts(PreTokenizer):
    """Cuts where the script changes. A space goes with any script; at the beginning it is lost."""

    name = "UnicodeScripts"

    def spans(self, text: str) -> Iterable[Span]:
        from engine.pipeline.unicode_scripts import script_of  # a table that few files need

        starts, last = list[int](), None
        for place, character in enumerate(text):
            script = script_of(character)
            if script is not None:
                starts += [place] if script != last else []
                last = script
        return pairwise((*starts, len(text)))


@stage
class FixedLength(PreTokenizer):
    """Cuts pieces of a fixed number of characters."""

    name = "FixedLength"
    length: int = setting(default=5, may_be_missing=True)

    def check(self, fields: Fields) -> None:
        if not self.length:
            raise fields.error("length", "should be at least 1")

    def spans(self, text: str) -> Iterable[Span]:
        starts = range(0, len(text), self.length)
        return ((start, min(start + self.length, len(text))) for start in starts)


# `ByteLevel` and `Metaspace`: a space becomes a visible mark, `Ġ` or `▁`, that begins a word
#
# GPT-2's `Ġ` is one of its printable characters for bytes. SentencePiece's `▁` means a space and
# nothing else. The decoders and post-processors of the same names have the same settings.


@stage
class ByteLevelSettings(Stage):
    """The settings of stages named `ByteLevel`.

    Attributes:
        add_prefix_space: whether a text that does not begin with a space gets one.
        trim_offsets: whether spans of tokens leave spaces out; for the post-processor.
        use_regex: whether it cuts at all; for the pre-tokenizer.
    """

    name = "ByteLevel"
    add_prefix_space: bool = True
    trim_offsets: bool = True
    use_regex: bool = setting(default=True, may_be_missing=True)


class ByteLevel(ByteLevelSettings, PreTokenizer):
    """Cuts as GPT-2 does, if it uses its regex, and spells bytes in printable characters.

    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
    """

    lengthens = True

    def edits(self, text: str, first: bool) -> Iterable[Edit]:
        if self.add_prefix_space and text and not text.startswith(" "):
            yield Edit(0, 1, " " + text[0])

    def spans(self, text: str) -> Iterable[Span]:
        if not self.use_regex:
            return ((0, len(text)),)
        return cut_at(_spans(PATTERNS["gpt2"].compiled, text), len(text), "Isolated")

    def respelled(self, piece: Aligned) -> Aligned:
        return ByteLevelNormalizer().align(piece)

    def pieces(self, text: str, first: bool) -> list[str]:
        return [spell(to_bytes(piece)) for piece in self.cut(text, first)]

    def as_pattern(self) -> Pattern | None:
        return PATTERNS["gpt2"] if self.use_regex else NOTHING_CUT


@stage
class MetaspaceSettings(Stage):
    """The settings of stages named `Metaspace`.

    Attributes:
        replacement: the mark, usually `▁`.
        prepend_scheme: when a text that does not begin with a mark gets one: always, never, or
            `first`: only at the beginning of the whole text.
        split: whether the text is cut before each mark; for the pre-tokenizer.
    """

    name = "Metaspace"
    replacement: SingleCharacter = "▁"
    prepend_scheme: str = setting(
        default="always", read=one_of(("always", "never", "first")), may_be_missing=True
    )
    split: bool = setting(default=True, may_be_missing=True)

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        found = super().from_json(fields)
        # Files of older versions have `add_prefix_space: false` for `never`.
        if not fields.has("add_prefix_space") or fields.flag("add_prefix_space"):
            return found
        scheme = found.prepend_scheme
        if fields.has("prepend_scheme") and scheme != "never":
            raise fields.error("add_prefix_space", f"is false, but prepend_scheme is {scheme}")
        return replace(found, prepend_scheme="never")


class Metaspace(MetaspaceSettings, PreTokenizer):
    """Replaces each space by a mark, and cuts before each mark.

    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}
    """

    lengthens = True

    @property
    def depends_on_start(self) -> bool:  # type: ignore[override]
        return self.prepend_scheme == "first"

    def edits(self, text: str, first: bool) -> Iterable[Edit]:
        prepends = self.prepend_scheme == "always" or (self.depends_on_start and first)
        if prepends and text and text[0] not in (" ", self.replacement):
            yield Edit(0, 1, self.replacement + text[0])
        place = text.find(" ")
        while place >= 0:
            yield Edit(place, place + 1, self.replacement)
            place = text.find(" ", place + 1)

    def prepared(self, text: str, first: bool) -> str:
        changed = text.replace(" ", self.replacement)
        prepends = self.prepend_scheme == "always" or (self.depends_on_start and first)
        if prepends and changed and not changed.startswith(self.replacement):
            return self.replacement + changed
        return changed

    def spans(self, text: str) -> Iterable[Span]:
        if not self.split:
            return ((0, len(text)),)
        marks = (place for place, character in enumerate(text) if character == self.replacement)
        return pairwise((0, *marks, len(text)))

    def as_pattern(self) -> Pattern | None:
        if not self.split:
            return NOTHING_CUT
        mark = regex.escape(self.replacement)
        word = Alternative("word", f"{mark}[^{mark}]*")
        rest = Alternative("beginning", f"[^{mark}]+")
        summary = f"words that begin with {self.replacement}"
        return Pattern("metaspace", summary, (word, rest), (), Mark(self.replacement))


PRETOKENIZERS: StageRegistry[PreTokenizer] = StageRegistry(
    "pre-tokenizer",
    (
        *(ByteLevel, Split, Digits, Punctuation, Whitespace, WhitespaceSplit, Metaspace),
        *(BertPreTokenizer, CharDelimiterSplit, FixedLength, UnicodeScripts, Sequence),
    ),
)
