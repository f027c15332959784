"""`Alphabet`: the tokens that a pretoken is made of before any merge.

Byte-level BPE starts from the 256 bytes, so it can spell anything. Other vocabularies start from
characters; what they cannot spell is written in bytes or as an unknown token.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from engine.pretokenize import to_text


class Alphabet(ABC):
    """What stands for the smallest parts of a text. `token_ids` are all that it can give."""

    @property
    @abstractmethod
    def token_ids(self) -> Sequence[int]:
        """The ids of the tokens that no merge makes."""

    @abstractmethod
    def spell(self, pretoken: bytes) -> list[int]:
        """The ids of a pretoken before any merge."""

    @abstractmethod
    def edges(self, pretoken: bytes) -> Sequence[int]:
        """Where each of these ids begins, in bytes, and last where the pretoken ends."""

    @abstractmethod
    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        """Its name in `ALPHABETS` and its arguments, in values that can be marshalled."""


class ByteAlphabet(Alphabet):
    """Every byte is a token.

    >>> ByteAlphabet(range(256)).spell("é".encode())
    [195, 169]
    """

    def __init__(self, byte_ids: Sequence[int]) -> None:
        self._ids = byte_ids

    @property
    def token_ids(self) -> Sequence[int]:
        return self._ids

    def spell(self, pretoken: bytes) -> list[int]:
        ids = self._ids
        return [ids[byte] for byte in pretoken]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return range(len(pretoken) + 1)

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        return "bytes", (list(self._ids),)


BYTES = ByteAlphabet(range(256))
"""Each byte is its own id, as in training."""


class CharacterAlphabet(Alphabet):
    """Every character that the vocabulary knows is a token.

    Args:
        characters: character → id.
        byte_ids: the ids of the 256 bytes (`<0x00>` …), which spell an unknown character; `None`
            if the vocabulary has none.
        unknown: the id for a character that nothing spells; `None` leaves it out.
        fuse_unknown: whether unknown characters side by side are one token together.

    >>> alphabet = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    >>> alphabet.spell("aéb".encode()), list(alphabet.edges("aéb".encode()))
    ([5, 0, 6], [0, 1, 3, 4])
    """

    def __init__(
        self,
        characters: Mapping[str, int],
        byte_ids: Sequence[int] | None = None,
        unknown: int | None = None,
        fuse_unknown: bool = False,
    ) -> None:
        self._characters = characters
        self._byte_ids = byte_ids
        self._unknown = unknown
        self._fuse_unknown = fuse_unknown

    @property
    def token_ids(self) -> Sequence[int]:
        unknown = () if self._unknown is None else (self._unknown,)
        return [*self._characters.values(), *(self._byte_ids or ()), *unknown]

    def spell(self, pretoken: bytes) -> list[int]:
        return [token_id for token_id, _ in self._spelled(pretoken)]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return list(accumulate((width for _, width in self._spelled(pretoken)), initial=0))

    def _spelled(self, pretoken: bytes) -> list[tuple[int, int]]:
        """Each id with how many bytes it stands for."""
        spelled: list[tuple[int, int]] = []
        left_out = 0  # bytes that nothing spells go with the token before, or with the first
        for character in to_text(pretoken):
            data = character.encode("utf-8", "surrogateescape")
            for token_id, width in self._spell_character(character, data):
                fuses = self._fuse_unknown and token_id == self._unknown
                if fuses and spelled and spelled[-1][0] == token_id:
                    spelled[-1] = (token_id, spelled[-1][1] + width)
                elif token_id is not None:
                    spelled.append((token_id, width + left_out))
                    left_out = 0
                elif spelled:
                    spelled[-1] = (spelled[-1][0], spelled[-1][1] + width)
                else:
                    left_out += width
        return spelled

    def _spell_character(self, character: str, data: bytes) -> list[tuple[int | None, int]]:
        known = self._characters.get(character)
        if known is None and self._byte_ids is not None:
            return [(self._byte_ids[byte], 1) for byte in data]
        return [(self._unknown if known is None else known, len(data))]

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        byte_ids = None if self._byte_ids is None else list(self._byte_ids)
        arguments = dict(self._characters), byte_ids, self._unknown, self._fuse_unknown
        return "characters", arguments


class WholeTokens(Alphabet):
    """An alphabet with some pretokens that are one token from the start.

    Llama 3 and tiktoken look a whole pretoken up before they merge anything, which matters where
    merging its bytes would not lead to it. Hugging Face calls this `ignore_merges`.

    >>> WholeTokens(ByteAlphabet(range(256)), {b"abc": 300}).spell(b"abc")
    [300]
    """

    def __init__(self, inner: Alphabet, whole: Mapping[bytes, int]) -> None:
        self.inner = inner
        self._whole = whole

    @property
    def token_ids(self) -> Sequence[int]:
        return [*self.inner.token_ids, *self._whole.values()]

    def spell(self, pretoken: bytes) -> list[int]:
        whole = self._whole.get(pretoken)
        return self.inner.spell(pretoken) if whole is None else [whole]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return (0, len(pretoken)) if pretoken in self._whole else self.inner.edges(pretoken)

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        return "whole", (self.inner.as_message(), dict(self._whole))


def from_message(message: tuple[str, tuple[Any, ...]]) -> Alphabet:
    """The inverse of `as_message`.

    >>> from_message(ByteAlphabet(range(256)).as_message()).spell(b"a")
    [97]
    """
    name, arguments = message
    if name == "whole":
        inner, whole = arguments
        return WholeTokens(from_message(inner), whole)
    return ALPHABETS[name](*arguments)


ALPHABETS: dict[str, type[ByteAlphabet] | type[CharacterAlphabet]] = {
    "bytes": ByteAlphabet,
    "characters": CharacterAlphabet,
}
"""Those that stand alone, by the name that a message gives them."""
