r"""Characters so new that libraries disagree on them, since their Unicode tables differ in age.

A pattern such as `\p{L}+` asks a table what a letter is. `regex`, which cuts texts here, has a
newer one than tiktoken and Hugging Face's library, and Python has the oldest. What Python's table
does not know yet, and `regex` does, may be cut otherwise elsewhere; on all others they agree.
"""

from __future__ import annotations

import unicodedata

import regex

_ASSIGNED = regex.compile(r"\P{Cn}")


def newer_characters(text: str) -> list[str]:
    """The characters of a text that not all Unicode tables know, in the order of code points.

    >>> newer_characters("a漢ሴ"), len(newer_characters("\\U00011de0"))
    ([], 1)
    """
    if text.isascii():
        return []
    unknown = (each for each in set(text) if unicodedata.category(each) == "Cn")
    return sorted(each for each in unknown if _ASSIGNED.match(each))


def describe_newer(characters: list[str], most: int = 3) -> str:
    """What to know about such characters, as a clause; they are named, not shown.

    >>> describe_newer(["\\U00011de0"]).split(" than ")[0]
    'U+11DE0 is newer'
    """
    named = " ".join(f"U+{ord(each):04X}" for each in characters[:most])
    more = " …" if len(characters) > most else ""
    verb = "is" if len(characters) == 1 else "are"
    version = unicodedata.unidata_version.removesuffix(".0")
    return (
        f"{named}{more} {verb} newer than Unicode {version}: libraries with older tables may cut "
        "the text elsewhere"
    )
