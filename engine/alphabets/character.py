"""Characters, as far as a vocabulary knows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from engine.alphabets.alphabet import Alphabet
from engine.core.gpt2_bytes import spell
from engine.text.pretokenize import to_bytes, to_text


class CharacterAlphabet(Alphabet):
    """Every character that the vocabulary knows is a token.

    Args:
        characters: character → id, with the affixes that it has in the vocabulary.
        byte_ids: the ids of the 256 bytes (`<0x00>` …), which spell an unknown character; `None`
            if the vocabulary has none.
        unknown: the id for a character that nothing spells; `None` leaves it out.
        fuse_unknown: whether unknown characters side by side are one token together.
        prefix: what the vocabulary puts before all characters but the first, as `##`.
        suffix: what it puts behind the last one, as `</w>`.
        by_byte: whether GPT-2's stand-ins for the bytes are the characters.

    >>> alphabet = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    >>> alphabet.spell("aéb".encode()), list(alphabet.edges("aéb".encode()))
    ([5, 0, 6], [0, 1, 3, 4])
    >>> CharacterAlphabet({"a": 5, "b": 6, "b</w>": 7}, suffix="</w>").spell(b"abb")
    [5, 6, 7]
    """

    def __init__(
        self,
        characters: Mapping[str, int],
        byte_ids: Sequence[int] | None = None,
        unknown: int | None = None,
        fuse_unknown: bool = False,
        prefix: str = "",
        suffix: str = "",
        by_byte: bool = False,
    ) -> None:
        self._characters = characters
        self._byte_ids = byte_ids
        self._unknown = unknown
        self._fuse_unknown = fuse_unknown
        self._prefix = prefix
        self._suffix = suffix
        self._by_byte = by_byte
        self._each_one_token = unknown is not None and not (
            byte_ids or fuse_unknown or prefix or suffix or by_byte
        )

    @property
    def unknown(self) -> int | None:
        """The id for a character that nothing spells."""
        return self._unknown

    @property
    def spells_apart(self) -> bool:
        return self._each_one_token

    @property
    def token_ids(self) -> Sequence[int]:
        unknown = () if self._unknown is None else (self._unknown,)
        return [*self._characters.values(), *(self._byte_ids or ()), *unknown]

    def spell(self, pretoken: bytes) -> list[int]:
        if self._each_one_token and self._unknown is not None:
            known, unknown = self._characters.get, self._unknown
            return [known(character, unknown) for character in to_text(pretoken)]
        return [token_id for token_id, _ in self._spelled(pretoken)]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return list(accumulate((width for _, width in self._spelled(pretoken)), initial=0))

    def _spelled(self, pretoken: bytes) -> list[tuple[int, int]]:
        """Each id with how many bytes it stands for."""
        spelled: list[tuple[int, int]] = []
        left_out = 0  # bytes that nothing spells go with the token before, or with the first
        after_unknown = False
        for character, data in self._units(pretoken):
            known = self._characters.get(character)
            if known is None and self._byte_ids is not None:
                spelled += [(self._byte_ids[byte], 1) for byte in data]
            elif known is not None or (self._unknown is not None and not after_unknown):
                token_id = known if known is not None else self._unknown
                assert token_id is not None
                spelled.append((token_id, len(data) + left_out))
                left_out = 0
            elif spelled:
                spelled[-1] = (spelled[-1][0], spelled[-1][1] + len(data))
            else:
                left_out += len(data)
            after_unknown = self._fuse_unknown and known is None
        return spelled

    def _units(self, pretoken: bytes) -> Iterator[tuple[str, bytes]]:
        """Each character as the vocabulary spells it, with its bytes."""
        text = spell(pretoken) if self._by_byte else to_text(pretoken)
        for place, character in enumerate(text):
            as_bytes = pretoken[place : place + 1] if self._by_byte else to_bytes(character)
            before = self._prefix if place else ""
            behind = self._suffix if place + 1 == len(text) else ""
            yield f"{before}{character}{behind}", as_bytes

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        byte_ids = None if self._byte_ids is None else list(self._byte_ids)
        affixes = self._prefix, self._suffix, self._by_byte
        arguments = dict(self._characters), byte_ids, self._unknown, self._fuse_unknown, *affixes
        return "characters", arguments
