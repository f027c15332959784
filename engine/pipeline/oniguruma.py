r"""Regexes as Hugging Face's library reads them: in Oniguruma's Ruby dialect, not in Python's.

The dialects agree on most of what tokenizers use. Where they differ the meaning is kept:

- `{1,3}+` repeats the repetition; only `?+`, `*+` and `++` are possessive.
- `^` and `$` match at lines; `\z` is the very end.
- `(?m:` lets a dot match newlines.
- `\h` is a hexadecimal digit.
- `[A&&[^B]]` and `[[:alpha:]]` combine classes, in version 1 of `regex`.
- `\w` does not match the joiners U+200C and U+200D; it matches `²³¹¼½¾`, but not in `[\w]`.

Anything else is an error that names it: backreferences, calls. So are,
if case is ignored, letters that are one character in another case, such as `ss` and `ß`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import regex

from engine.core.errors import PatternError
from engine.core.json_fields import Fields
from engine.text.fancy_regex import NOT_DOTTED, OR_DOTTED, VERSION_1, WITHOUT_I
from engine.text.patterns import LONGEST_REGEX
from engine.text.typed_regex import LimitedRegex, compile_foreign

MOST_GROUPS = 100
"""Groups in one regex; each nested one takes a level of the stack."""
DEEPEST_CLASS = 8
REMEMBERED = 256
"""Number of regexes whose translation is remembered."""

# `\w` of the `regex` module without the joiners, which Unicode has put to the words since.
_LETTERS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_EXTRA_WORD = "²³¹¼½¾"
_WORD, _NO_WORD = rf"[{_LETTERS}{_EXTRA_WORD}]", rf"[^{_LETTERS}{_EXTRA_WORD}]"

_ESCAPES = {
    **{kept: f"\\{kept}" for kept in "dDsSABbtnrfva"},
    "w": _WORD,
    "W": _NO_WORD,
    "b": rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    "B": rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
    "z": r"\Z",
    "Z": r"(?=\n?\Z)",
    "h": "[0-9a-fA-F]",
    "H": "[^0-9a-fA-F]",
    "R": r"(?>\r\n|[\n\v\f\r\x85\u2028\u2029])",
    "e": r"\x1b",
}
_ESCAPES_IN_CLASS = {
    **{kept: f"\\{kept}" for kept in "dDsStnrfva"},
    "w": _LETTERS,
    "W": r"\W\u200c\u200d",
    "h": "0-9a-fA-F",
    "H": r"\x00-\x2f:-@G-`g-\U0010ffff",
    "e": r"\x1b",
}
_FOLDED = re.compile(r"(?i)ss|ff|fi|fl|st|[^\x00-\x7f]")
"""Letters that Oniguruma may match with one character if case is ignored, such as `ß` or `ﬆ`."""

_LINE_START, _LINE_END = r"(?:\A|(?<=\n)(?!\Z))", r"(?=\n|\Z)"

# These match at a place between characters.
_PLACES = tuple("AbBzZ")
_LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")

_CODE = re.compile(r"\\(?:x\{([0-9a-fA-F]{1,6})\}|x([0-7][0-9a-fA-F])|u([0-9a-fA-F]{4}))")
_PROPERTY = re.compile(r"\\[pP]\{\^?[A-Za-z_ ]+\}")
_GROUP = re.compile(r"\((?:\?(?:[:=!>]|<[=!]|<[A-Za-z_]\w*>|(?P<flags>[im]*(?:-[im]*)?):))?")
_CLASS = re.compile(r"\[\^?")
_COMBINED = re.compile(r"\[\^|&&|\[:\^?(?P<name>[a-z]+):\]")
_SAME = ("alpha", "ascii", "blank", "cntrl", "graph", "lower", "print", "space", "upper", "xdigit")
_POSIX = {
    **{name: f"[:{name}:]" for name in _SAME},
    "alnum": r"\p{Alphabetic}\p{Nd}",
    "digit": r"\p{Nd}",
    "punct": r"\p{P}\p{S}",
    "word": _LETTERS,
}
"""Name of a class in brackets and colons → its characters."""
_QUANTIFIER = re.compile(r"[*+?][?+]?|(?P<interval>\{(?:\d+(?:,\d*)?|,\d+)\})(?P<suffix>[?+]?)")


def can_be_empty(source: str) -> bool:
    r"""Whether the regex may match the empty text, judged by its form.

    >>> can_be_empty("a*|b"), can_be_empty("(?=b)"), can_be_empty(r"\s+(?!\S)")
    (True, True, False)
    """
    return any(branch.can_be_empty for branch in _translated(source))


def alternatives(source: str) -> tuple[str, ...]:
    r"""Translate an Oniguruma regex into branches for Python's `regex`, without groups.

    Raises:
        PatternError: it is broken, or needs something that is not supported.

    >>> alternatives(r"\p{N}{1,3}+|a(b|c)$")
    ('(?:\\p{N}{1,3})+', 'a(?:b|c)(?=\\n|\\Z)')
    """
    return tuple(branch.regex for branch in _translated(source))


class _Branch(NamedTuple):
    """A branch or an atom of one, and whether it may match the empty text."""

    regex: str
    can_be_empty: bool


@lru_cache(REMEMBERED)
def _translated(source: str) -> tuple[_Branch, ...]:
    if source.count("(") > MOST_GROUPS:
        raise PatternError(f"more than {MOST_GROUPS} groups are not supported")
    if len(source) > LONGEST_REGEX:
        raise PatternError(f"a regex of more than {LONGEST_REGEX:,} characters is not supported")
    ignores_case = source.startswith("(?i)")
    translation = _Translation(source, 4 if ignores_case else 0, ignores_case)
    branches = translation.branches()
    if translation.place < len(source):
        raise translation.error("an unmatched parenthesis")
    if ignores_case:
        translation.check_folding(4)
        branches = [_Branch(f"(?i:{regex})", empty) for regex, empty in branches]
    if translation.combines:  # only version 1 of `regex` has such classes
        branches[0] = _Branch(VERSION_1 + branches[0].regex, branches[0].can_be_empty)
    compile_foreign("|".join(branch.regex for branch in branches))
    return tuple(branches)


@dataclass
class _Translation:
    """One pass over a regex, from `place` on."""

    source: str
    place: int
    ignores_case: bool
    combines: bool = False
    """Whether a class is made of classes."""

    def check_folding(self, start: int) -> None:
        """Check that nothing from `start` on could match `ß` as `ss`, or the like."""
        if folded := _FOLDED.search(self.source, start, self.place):
            raise self.error(f"{folded.group()!r} in any case")

    def error(self, what: str) -> PatternError:
        return PatternError(
            f"{what} is not supported, in the regex {self.source[:120]!r}", self.place
        )

    def branches(self) -> list[_Branch]:
        """Translate branches up to the end, or to the parenthesis that closes the group."""
        branches = [self._branch()]
        while self.source.startswith("|", self.place):
            self.place += 1
            branches.append(self._branch())
        return branches

    def _branch(self) -> _Branch:
        parts: list[_Branch] = []
        while self.place < len(self.source) and self.source[self.place] not in "|)":
            if quantifier := _QUANTIFIER.match(self.source, self.place):
                if not parts:
                    raise self.error("a quantifier with nothing before it")
                atom, empty = parts[-1]
                self.place = quantifier.end()
                interval, suffix = quantifier["interval"], quantifier["suffix"]
                if interval and suffix == "?" and "," not in interval:
                    raise self.error("a lazy quantifier of one number")
                if interval and suffix == "+":
                    atom = f"(?:{atom}{interval})+"
                else:
                    atom += quantifier.group()
                empty = empty or re.match(r"[*?]|\{0*[,}]", quantifier.group()) is not None
                parts[-1] = _Branch(atom, empty)
            else:
                parts.append(self._atom())
        return _Branch("".join(part.regex for part in parts), all(p.can_be_empty for p in parts))

    def _atom(self) -> _Branch:
        character = self.source[self.place]
        if character == "\\":
            place = self.source[self.place + 1 : self.place + 2]
            return _Branch(self._escape(_ESCAPES), place in _PLACES)
        if character == "[":
            head = _CLASS.match(self.source, self.place)
            assert head is not None
            self.place = head.end()
            return _Branch(self._dotted(f"{head.group()}{self._inside_class()}]"), False)
        if character == "(":
            return self._group()
        self.place += 1
        if character in "^$":
            return _Branch(_LINE_START if character == "^" else _LINE_END, True)
        return _Branch(f"\\{character}" if character in "]{}" else self._dotted(character), False)

    def _dotted(self, atom: str) -> str:
        """Return an atom that does not match `İ` as `i` where case is ignored."""
        if not self.ignores_case or (
            atom not in "iI" if atom[0] != "[" else WITHOUT_I.match(atom, 1)
        ):
            return atom
        return f"{OR_DOTTED if atom.startswith('[^') else NOT_DOTTED}{atom})"

    def _escape(self, escapes: dict[str, str]) -> str:
        if code := _CODE.match(self.source, self.place):
            self.place = code.end()
            number = int("".join(filter(None, code.groups())), 16)
            if number > 0x10FFFF:
                raise self.error(f"the character number {number:X}")
            return str(regex.escape(chr(number), special_only=False))
        if known := _PROPERTY.match(self.source, self.place):
            self.place = known.end()
            return known.group()
        character = self.source[self.place + 1 : self.place + 2]
        if character in escapes:
            translated = escapes[character]
        elif character and not (character.isascii() and character.isalnum()):
            translated = f"\\{character}" if character.isascii() else character
        else:
            raise self.error(f"\\{character}")
        self.place += 2
        return translated

    def _inside_class(self, depth: int = 0) -> str:
        """Translate the content of a class; classes inside it lose their brackets."""
        if depth > DEEPEST_CLASS:
            raise self.error("a class that is nested so deeply")
        parts: list[str] = []
        while self.place < len(self.source):
            character = self.source[self.place]
            if character == "]":
                if not parts:
                    raise self.error("an empty class")
                self.place += 1
                return "".join(parts)
            if known := _COMBINED.match(self.source, self.place):
                self.combines = True
                self.place = known.end()
                part, name = known.group(), known["name"]
                if name and name not in _POSIX:
                    raise self.error(f"the class {part}")
                if part == "&&":
                    parts.append(part)
                    continue
                inside = _POSIX[name] if name else self._inside_class(depth + 1)
                parts.append(f"[{'^' * ('^' in part)}{inside}]")
            elif character == "[":
                self.place += 1
                parts.append(self._inside_class(depth + 1))
            elif character == "\\":
                parts.append(self._escape(_ESCAPES_IN_CLASS))
            else:
                self.place += 1
                parts.append(f"\\{character}" if character in "|~" else character)
        raise self.error("a class without an end")

    def _group(self) -> _Branch:
        head = _GROUP.match(self.source, self.place)
        assert head is not None  # a bare parenthesis is one
        if head.group() == "(" and self.source.startswith("(?", self.place):
            raise self.error(f"the group {self.source[self.place : self.place + 4]}")
        self.place = head.end()
        on, _, off = (head["flags"] or "").partition("-")
        outside = self.ignores_case
        self.ignores_case = (outside or "i" in on) and "i" not in off
        inside = self.branches()
        self.ignores_case = outside
        if not self.source.startswith(")", self.place):
            raise self.error("a parenthesis without an end")
        if "i" in on:
            self.check_folding(head.end())
        self.place += 1
        opening = head.group()
        if head["flags"]:
            opening = f"(?{head['flags'].replace('m', 's')}:"
        elif opening == "(" or (opening.endswith(">") and opening != "(?>"):
            opening = "(?:"  # a group that captures does not need to
        regex = f"{opening}{'|'.join(branch.regex for branch in inside)})"
        looks_around = head.group() in _LOOKS_AROUND
        return _Branch(regex, looks_around or any(branch.can_be_empty for branch in inside))


# `TextOrRegex`: the text or regex that a stage of `tokenizer.json` looks for.
#
# An empty match does not count at the end of the last match, and the search continues one character
# after it, as in Oniguruma; Python's `finditer` differs.


@dataclass(frozen=True)
class TextOrRegex:
    """The text or regex that `Split` and `Replace` look for.

    Attributes:
        text: the text; `None` for a regex.
        regex: the regex, in Oniguruma's dialect; `None` for a text.
    """

    text: str | None = None
    regex: str | None = None

    @classmethod
    def from_json(cls, fields: Fields) -> TextOrRegex:
        """Read `{"String": …}` or `{"Regex": …}`."""
        if fields.has("String"):
            return cls(text=fields.text("String"))
        source = fields.text("Regex")
        try:
            alternatives(source)
        except PatternError as error:
            raise fields.error("Regex", str(error)) from None
        return cls(regex=source)

    def to_json(self) -> dict[str, str]:
        """Return the object that `from_json` reads."""
        return {"Regex": self.regex} if self.regex is not None else {"String": self.text or ""}

    @cached_property
    def _compiled(self) -> Any:
        if self.regex is None:
            return regex.compile(regex.escape(self.text or ""))
        return LimitedRegex("|".join(alternatives(self.regex)))

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the matches, from left to right; an empty text has none."""
        spans = [match.span() for match in self._compiled.finditer(text)] if text else []
        if all(start < end for start, end in spans):
            yield from spans
            return
        place, last_end = 0, None
        while place <= len(text) and (match := self._compiled.search(text, place)):
            start, end = match.span()
            if start == end == last_end:
                place += 1
            else:
                place = last_end = end
                yield start, end
