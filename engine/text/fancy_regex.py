r"""Regexes as tiktoken reads them: in the dialect of fancy-regex, in Rust, not in Python's.

Both agree on most of what tokenizers use. Where Python's `regex` would read another regex in
silence, the meaning is kept, in its version 1, which knows classes that are made of classes:

- `[A&&[^B]]`, `[A--B]`, `[A~~B]` and `[a[bc]]` combine classes.
- `[[:alpha:]]` and the like are of ASCII alone.
- `$` is the very end of a text, except in `(?m:`; `\Z` is the end or the newlines before it.
- `\h` is a hexadecimal digit; `\<` and `\>` are the ends of a word; `\N` is no newline.
- `\e`, `\x{61}` and `\u{61}` are characters.
- `(?i:i)` is not `İ`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.core.errors import PatternError

VERSION_1 = "(?V1)"
"""Beginning of a translated regex; one that begins so is in the dialect of `regex` already."""
NOT_DOTTED, OR_DOTTED = "(?:(?!(?-i:İ))", "(?:(?-i:İ)|"
"""Beginnings of groups around a class: `İ` is no `i` where case is ignored."""
WITHOUT_I = re.compile(r"[^\]\[\\iI-]+\]")
"""Regex for the inside of a plain class without `i`."""

_ASCII = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t\x20",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\t\n\v\f\r\x20",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
"""Name of a class in brackets and colons → its characters."""
_ESCAPES = {
    r"\Z": r"(?=\n*\Z)",
    r"\z": r"\Z",
    r"\<": r"\m",
    r"\>": r"\M",
    r"\b{start}": r"\m",
    r"\b{end}": r"\M",
    r"\N": r"[^\n]",
    r"\O": r"(?s:.)",
}
"""Escape outside classes → the same in `regex`."""
_IN_BOTH = {r"\h": "[0-9A-Fa-f]", r"\H": "[^0-9A-Fa-f]", r"\e": r"\x1b"}
"""Escape in classes and outside → the same in `regex`."""
_OF_I = {"i": "[iI]", "I": "[iI]", "ı": "ı", "İ": "İ"}
_CASED = re.compile(r"\\[pP]\{?\^?(?:L[ult]\b|upper|lower|title)", re.IGNORECASE)
_NEITHER = (r"\G", r"\b{start-half}", r"\b{end-half}")
_OPERATORS = ("&&", "--", "~~")
_CODE = re.compile(r"\\[xu]\{([0-9A-Fa-f]{1,6})\}")
_PARTS = re.compile(
    r"\\[pPxu]\{[^}]*\}|\\b\{[\w-]*\}|\\.|\[:\^?[a-z]+:\]|\[\^?\]?|&&|--|~~|\|\|"
    r"|\(\?(?P<flags>[a-z]*(?:-[a-z]+)?)(?P<end>[:)])|\(|.",
    re.DOTALL,
)


def in_regex_module(source: str) -> str:
    r"""Translate a regex into the dialect of Python's `regex`, if it would read it differently.

    >>> in_regex_module(r"[\p{L}&&[^a]]+"), in_regex_module(r"\p{L}+|\s+(?!\S)")
    ('(?V1)[\\p{L}&&[^a]]+', '\\p{L}+|\\s+(?!\\S)')

    Raises:
        PatternError: something has no translation; the error names it.
    """
    if source.startswith(VERSION_1):
        return source
    translation = _Translation(ignores_dotted="İ" not in source)
    translated = "".join(
        translation.inside(found[0], found.start())
        if translation.classes
        else translation.outside(found)
        for found in _PARTS.finditer(source)
    )
    # In version 1 a class may hold others, so what is no translation stays in version 0.
    return VERSION_1 + translated if translation.differs else source


class _OpenClass(NamedTuple):
    """A class whose end has not been read: the operators in it, and what follows its end."""

    operators: set[str]
    after: str


class _Translation:
    """One pass over a regex.

    Attributes:
        classes: the classes that are open.
        differs: whether the other dialect reads something differently.
    """

    def __init__(self, ignores_dotted: bool) -> None:
        self.classes: list[_OpenClass] = []
        self.differs = False
        self._flags = [frozenset[str]()]  # of each group that is open
        self._ignores_dotted = ignores_dotted
        self._in_comment = False

    def outside(self, found: re.Match[str]) -> str:
        """Translate a part that is in no class."""
        part, flags = found[0], self._flags[-1]
        if self._in_comment or (part == "#" and "x" in flags):
            self._in_comment = part != "\n"
            return part
        if part in _NEITHER:
            raise PatternError(f"{part} is not supported", found.start())
        has_dotted = (
            self._ignores_dotted and "i" in flags and not WITHOUT_I.match(found.string, found.end())
        )
        if found["end"]:
            on, _, off = found["flags"].partition("-")
            flags = (flags | {*on}) - {*off}
            self._flags[-1:] = [flags] if found["end"] == ")" else [self._flags[-1], flags]
        elif part == "(":
            self._flags.append(flags)
        elif part == ")" and len(self._flags) > 1:
            self._flags.pop()
        elif part.startswith("["):
            self.classes.append(_OpenClass(set(), ")" * has_dotted))
            before = OR_DOTTED if part.startswith("[^") else NOT_DOTTED
            return self._other(before + part) if has_dotted else part
        elif part in _OF_I and "i" in flags:
            return self._other(f"(?-i:{_OF_I[part]})")
        elif "i" in flags and _CASED.match(part):
            raise PatternError(f"{part} where case is ignored is not supported", found.start())
        elif part == "$" and "m" not in flags:
            return self._other(r"\Z")
        elif part in _ESCAPES:
            return self._other(_ESCAPES[part])
        return self._in_both(part)

    def inside(self, part: str, place: int) -> str:
        """Translate a part that is in a class."""
        operators = self.classes[-1].operators
        if part.startswith("[:"):
            name = part.strip("[:^]")
            if name not in _ASCII:
                raise PatternError(f"there is no class {part}", place)
            return self._other(f"[{'^' * ('^' in part)}{_ASCII[name]}]")
        if "i" in self._flags[-1] and _CASED.match(part):
            raise PatternError(f"{part} where case is ignored is not supported", place)
        if part.startswith("["):
            self.classes.append(_OpenClass(set(), ""))
            return self._other(part)
        if part == "]":
            return part + self.classes.pop().after
        if part in _OPERATORS:
            operators.add(part)
            if len(operators) > 1:
                raise PatternError(f"{' and '.join(sorted(operators))} in one class", place)
            return self._other(part)
        return r"\|\|" if part == "||" else self._in_both(part)  # an operator in version 1

    def _in_both(self, part: str) -> str:
        if code := _CODE.fullmatch(part):
            return self._other(re.escape(chr(min(int(code[1], 16), 0x10FFFF))))
        return self._other(_IN_BOTH[part]) if part in _IN_BOTH else part

    def _other(self, part: str) -> str:
        self.differs = True
        return part
