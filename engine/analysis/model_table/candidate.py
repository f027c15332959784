"""What a tokenizer has to tell about itself to stand in the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import SpecialSplitter, to_bytes, without_stray_surrogates
from engine.text.scripts import words_in
from engine.unigram.encoder import UnigramEncoder


class Contender(Protocol):
    """A tokenizer of any kind. `granularity` says what a token is: words, subwords, bytes, …

    `unknown_id` is the id that stands for what the vocabulary cannot spell; `None` if there is
    nothing of the sort.
    """

    @property
    def name(self) -> str: ...

    @property
    def granularity(self) -> str: ...

    @property
    def vocab_size(self) -> int: ...

    @property
    def unknown_id(self) -> int | None: ...

    def encode(self, text: str) -> Sequence[int]: ...

    def decode(self, ids: Iterable[int]) -> str: ...

    def piece(self, token_id: int) -> bytes:
        """A token as the vocabulary has it."""

    def unknown_characters(self, text: str) -> int:
        """For how many characters of a text the unknown token stands."""


SPACE = "▁"
"""Stands for the space before a word in Unigram's pieces."""


@dataclass(frozen=True)
class BpeContender:
    """A `Tokenizer` as a contender.

    `pieces` are its tokens as people write them: `est</w>`, where decoding gives `est `.
    """

    tokenizer: Tokenizer
    pieces: Mapping[int, bytes]
    name: str = "bpe"
    granularity: str = "subwords"
    unknown_id: int | None = None

    @property
    def vocab_size(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> Sequence[int]:
        return self.tokenizer.encode(text)

    def decode(self, ids: Iterable[int]) -> str:
        return self.tokenizer.decode(ids)

    def piece(self, token_id: int) -> bytes:
        return self.pieces[token_id]

    def unknown_characters(self, text: str) -> int:
        """Each unknown character is one unknown token."""
        return sum(token_id == self.unknown_id for token_id in self.encode(text))


def spaced_words(text: str) -> list[str]:
    """The words of a text as SentencePiece writes them, runs of whitespace as one space.

    >>> spaced_words("to  be")
    ['▁to', '▁be']
    """
    return [SPACE + word for word in words_in(text)]


class UnigramContender:
    """The pieces of a Unigram model as a contender; the unknown token has the id 0.

    >>> contender = UnigramContender([("<unk>", 0.0), ("▁hug", -1.0), ("s", -2.0)], [])
    >>> contender.encode("hugs hug"), contender.decode([1, 2, 1])
    ([1, 2, 1], 'hugs hug')
    """

    name = "unigram"
    granularity = "subwords"
    unknown_id = 0

    def __init__(self, pieces: Sequence[tuple[str, float]], special_tokens: Sequence[str]) -> None:
        self._texts = [text for text, _ in pieces]
        self._special_ids = {token: self._texts.index(token) for token in special_tokens}
        self._splitter = SpecialSplitter(special_tokens)
        self._encoder = UnigramEncoder(pieces, special=self._special_ids.values())

    @property
    def vocab_size(self) -> int:
        return len(self._texts)

    def encode(self, text: str) -> Sequence[int]:
        ids: list[int] = []
        for stretch, special in self._splitter.split_text(without_stray_surrogates(text)):
            if special:
                ids.append(self._special_ids[stretch])
            else:
                for word in spaced_words(stretch):
                    ids += self._encoder.encode(word)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        text = "".join(self._texts[token_id] for token_id in ids).replace(SPACE, " ")
        return to_bytes(text.removeprefix(" ")).decode("utf-8", "replace")

    def piece(self, token_id: int) -> bytes:
        return to_bytes(self._texts[token_id])

    def unknown_characters(self, text: str) -> int:
        """The ▁ before a word is none of the text's."""
        stretches = self._splitter.split_text(without_stray_surrogates(text))
        words = (word for some, special in stretches if not special for word in spaced_words(some))
        return sum(
            edge.end - edge.start
            for word in words
            if self.unknown_id in self._encoder.encode(word)
            for edge in self._encoder.lattice(word).best.edges
            if edge.piece == self.unknown_id and edge.end > len(SPACE)
        )
