"""GPT-2's spelling in a text: who reads `Ġè¿Ļ` in a vocabulary learns that it says ` 这`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.core.gpt2_bytes import read_stand_ins
from engine.core.wording import ShowBytes
from engine.text.pretokenize import to_text

BYTES_SHOWN = 24


@dataclass(frozen=True)
class StandIns:
    """A text in GPT-2's spelling, and the bytes that it stands for."""

    spelling: str
    token: bytes

    def describe(self, show: ShowBytes) -> str:
        """What it says, as a clause.

        >>> StandIns("Ġè¿Ļ", " 这".encode()).describe(lambda token: f"`{token.decode()}`")
        "GPT-2's stand-ins for ` 这`, bytes 20 E8 BF 99"
        """
        shown = self.token[:BYTES_SHOWN].hex(" ").upper()
        more = " …" if len(self.token) > BYTES_SHOWN else ""
        noun = "byte" if len(self.token) == 1 else "bytes"
        return f"GPT-2's stand-ins for {show(self.token)}, {noun} {shown}{more}"


def stand_ins_in(text: str) -> Iterator[StandIns]:
    """The words of a text that are written in GPT-2's spelling, where a blank stands for nothing.

    >>> [found.spelling for found in stand_ins_in("why does it say Ġè¿Ļ here?")]
    ['Ġè¿Ļ']
    """
    for word in text.split():
        token = read_stand_ins(word)
        if token is not None:
            yield StandIns(word, token)


def without_stand_ins(text: str) -> str:
    """The text with the words that are written in GPT-2's spelling as what they stand for.

    >>> without_stand_ins("a list: ĠtheĠcat Ġè¿Ļ")
    'a list:  the cat  这'
    """

    def said(word: re.Match[str]) -> str:
        token = read_stand_ins(word.group())
        return word.group() if token is None else to_text(token)

    return re.sub(r"\S+", said, text)
