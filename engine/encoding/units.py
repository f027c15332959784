"""What the merges of a run start from: bytes, characters, or characters and the ends of words.

Byte-pair encoding does not care what it merges. Sennrich et al. (2016, "Neural Machine Translation
of Rare Words with Subword Units") merged characters, with `</w>` behind each word so that `est` at
its end is another token than `est` inside. GPT-2 (2019) merged bytes. The difference shows where a
text has a character that the corpus lacks: in characters it is `<unk>` and lost, while 256 bytes
spell anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.core.registry import Registry, registry_of
from engine.encoding.alphabet import (
    BYTES,
    Alphabet,
    CharacterAlphabet,
    WordEndAlphabet,
    is_white_space,
)
from engine.text.pretokenize import to_bytes, to_text

UNKNOWN = b"<unk>"
END_OF_WORD = b"</w>"


@dataclass(frozen=True)
class Base:
    """The tokens before the first merge, special tokens left out.

    Attributes:
        tokens: id → bytes, as the token is shown.
        alphabet: what spells a pretoken in them.
        counts: the pretokens that are trained on, of those given.
        contents: the tokens in words, for sentences: `256 bytes`.
    """

    tokens: list[bytes]
    alphabet: Alphabet
    counts: Mapping[bytes, int]
    contents: str


@dataclass(frozen=True)
class Units:
    """What a run starts from. `base(counts)` are its tokens on these pretoken counts.

    Attributes:
        one, many: what one of them is called, and all of them: `byte`, `bytes`.
        lesson: what becomes of a text that the corpus does not have, in a sentence.
        spells_all: whether any text can be spelled, so that no character is ever unknown.
    """

    name: str
    summary: str
    one: str
    many: str
    lesson: str
    base: Callable[[Mapping[bytes, int]], Base]
    spells_all: bool = False


def _bytes(counts: Mapping[bytes, int]) -> Base:
    tokens = [bytes((byte,)) for byte in range(256)]
    return Base(tokens, BYTES, counts, "256 bytes")


def _characters(counts: Mapping[bytes, int]) -> Base:
    """The characters in the order of their code points, then the unknown one."""
    found = sorted(set().union(*map(to_text, counts)))
    ids = {character: token_id for token_id, character in enumerate(found)}
    tokens = [*map(to_bytes, found), UNKNOWN]
    alphabet = CharacterAlphabet(ids, unknown=len(found))
    return Base(
        tokens, alphabet, counts, f"{len(found):,} character{'' if len(found) == 1 else 's'}, <unk>"
    )


def _word_ends(counts: Mapping[bytes, int]) -> Base:
    """Words only: what is whitespace alone is left out; a marker comes behind the characters."""
    words = {word: count for word, count in counts.items() if not is_white_space(word)}
    base = _characters(words)
    alphabet = WordEndAlphabet(base.alphabet, marker=len(base.tokens))
    return Base([*base.tokens, END_OF_WORD], alphabet, words, f"{base.contents}, </w>")


UNITS: Registry[Units] = registry_of(
    "unit",
    Units(
        "bytes",
        "the 256 bytes, as GPT-2 has it; they spell any text",
        "byte",
        "bytes",
        "Bytes spell any text: no character is ever unknown.",
        _bytes,
        spells_all=True,
    ),
    Units(
        "characters",
        "the characters of the corpus; any other is <unk>",
        "character",
        "characters",
        "A character that the corpus lacks is <unk> and lost; in bytes none ever is.",
        _characters,
    ),
    Units(
        "end-of-word",
        "characters, and </w> behind each word; for the pattern whitespace",
        "character",
        "characters and ends of words",
        "A character that the corpus lacks is <unk> and lost; in bytes none ever is. "
        "Decoding gives one space for </w>: which whitespace stood there is lost, too.",
        _word_ends,
    ),
)
DEFAULT_UNITS = "bytes"
