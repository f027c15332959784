"""`Alphabet`: spells a pretoken in tokens before any merge; `Units`: the alphabets to train from.

Byte-level BPE starts from the 256 bytes, so it can spell anything. Other vocabularies start from
characters; those that they lack are spelled in bytes or as an unknown token.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, NamedTuple

from engine.core.errors import VocabularyError
from engine.core.gpt2_bytes import BYTE_TO_CHAR, spell
from engine.core.registry import Registry, registry_of
from engine.text.pretokenize import WHITE_SPACE, to_bytes, to_text

if TYPE_CHECKING:
    from engine.native.encoding import Spelling


class Alphabet(ABC):
    """Spells pretokens in the smallest tokens, which no merge makes.

    Attributes:
        token_ids: the ids of the tokens that no merge makes.
        unit: the word for one of its tokens: `byte` or `character`.
        marker: the id of the token without bytes at the end of each pretoken, or `None`.
        spells: whether it spells anything; false if the merges of a vocabulary are missing.
    """

    token_ids: Sequence[int]
    unit: str = "character"
    marker: int | None = None
    spells: bool = True
    _inside: Alphabet | None = None

    @abstractmethod
    def spell(self, pretoken: bytes) -> list[int]:
        """Return the ids of a pretoken before any merge.

        >>> from engine.encoding.alphabet import BYTES
        >>> BYTES.spell(b"low")
        [108, 111, 119]
        """

    @abstractmethod
    def edges(self, pretoken: bytes) -> Sequence[int]:
        """Return the start of each of these ids, in bytes, and last the pretoken's length.

        >>> from engine.encoding.alphabet import BYTES
        >>> list(BYTES.edges(b"low"))
        [0, 1, 2, 3]
        """

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same kind and made of the same parts."""
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # its parts can be dicts

    @property
    def inside(self) -> Alphabet:
        """The alphabet for a part of a pretoken that does not reach its end."""
        return self._inside or self

    @property
    def spelling(self) -> Spelling | None:
        """The rules of `spell` for the kernel; `None` if it cannot follow them."""
        return None

    @property
    def beginning(self) -> str:
        """The tokens before any merge, as a clause.

        >>> from engine.encoding.alphabet import BYTES, CharacterAlphabet
        >>> BYTES.beginning
        'every byte is a token of its own'
        >>> CharacterAlphabet({"▁": 1, "a": 2}, unknown=0).beginning
        'every character, and ▁ for a space, is a token of its own'
        """
        return f"every {self.unit} is a token of its own"

    @property
    def exceptions(self) -> str:
        """A clause on what has no token of its own, or has a token besides; empty if nothing.

        >>> from engine.encoding.alphabet import CharacterAlphabet
        >>> CharacterAlphabet({"a": 1}, unknown=0).exceptions
        'a character that the vocabulary lacks is unknown'
        """
        return ""

    def token_count(self, counts: Mapping[bytes, int]) -> int:
        """Return the number of tokens of the pretokens before any merge.

        >>> from engine.encoding.alphabet import BYTES
        >>> BYTES.token_count({"né".encode(): 2})
        6
        """
        return sum(len(self.spell(pretoken)) * count for pretoken, count in counts.items())


class ByteAlphabet(Alphabet):
    """An alphabet with a token for every byte.

    >>> ByteAlphabet(range(256)).spell("é".encode())
    [195, 169]
    """

    unit = "byte"

    def __init__(self, byte_ids: Sequence[int]) -> None:
        self.token_ids = tuple(byte_ids)

    @property
    def spelling(self) -> Spelling:
        from engine.native.encoding import Spelling, Way  # a training needs neither

        return Spelling(Way.IN_BYTES, byte_ids=self.token_ids)

    def spell(self, pretoken: bytes) -> list[int]:
        ids = self.token_ids
        return [ids[byte] for byte in pretoken]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return range(len(pretoken) + 1)

    def token_count(self, counts: Mapping[bytes, int]) -> int:
        return sum(len(pretoken) * count for pretoken, count in counts.items())


BYTES = ByteAlphabet(range(256))
"""The alphabet whose ids are the byte values, as in training."""


class CharacterAlphabet(Alphabet):
    """An alphabet with a token for every character of a vocabulary.

    Args:
        characters: character → id, with its prefix and suffix in the vocabulary.
        byte_ids: the ids of the 256 bytes (`<0x00>` …), which spell an unknown character; `None`
            if the vocabulary has none, or for a byte that it lacks.
        unknown: the id for a character that nothing spells; `None` leaves it out.
        fuse_unknown: whether adjacent unknown characters become one token.
        prefix: the vocabulary's prefix of all characters but the first, such as `##`.
        suffix: its suffix of the last character, such as `</w>`.
        by_byte: whether the characters are GPT-2's printable characters for bytes.

    >>> alphabet = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    >>> alphabet.spell("aéb".encode()), list(alphabet.edges("aéb".encode()))
    ([5, 0, 6], [0, 1, 3, 4])
    >>> CharacterAlphabet({"a": 5, "b": 6, "b</w>": 7}, suffix="</w>").spell(b"abb")
    [5, 6, 7]
    >>> CharacterAlphabet({"a": 5, "##a": 7, "##b": 8}, unknown=0, prefix="##").spell(b"abac")
    [5, 8, 7, 0]
    """

    def __init__(
        self,
        characters: Mapping[str, int],
        byte_ids: Sequence[int | None] | None = None,
        unknown: int | None = None,
        fuse_unknown: bool = False,
        prefix: str = "",
        suffix: str = "",
        by_byte: bool = False,
    ) -> None:
        self._characters = characters
        self._byte_ids = None if byte_ids is None else tuple(byte_ids)
        self.unknown = unknown
        self._fuse_unknown = fuse_unknown
        self._prefix = prefix
        self._suffix = suffix
        self._by_byte = by_byte
        if by_byte:
            self.unit = "byte"
        is_plain = not (byte_ids or fuse_unknown or suffix or by_byte)
        # The unknown token if each character is one token.
        self._only_unknown = unknown if is_plain else None
        bytes_there = (each for each in byte_ids or () if each is not None)
        in_place = () if unknown is None else (unknown,)
        self.token_ids = [*characters.values(), *bytes_there, *in_place]

    @property
    def spelling(self) -> Spelling | None:
        known = [byte_id for byte_id in self._byte_ids or () if byte_id is not None]
        has_some = self._byte_ids is not None and len(known) < len(self._byte_ids)
        if self._prefix or self._suffix or self._by_byte or has_some:
            return None
        from engine.native.encoding import Spelling, Way

        return Spelling(
            Way.IN_UNITS, self._characters, known or None, self.unknown, self._fuse_unknown
        )

    @property
    def beginning(self) -> str:
        space = ", and ▁ for a space," if "▁" in self._characters and not self._by_byte else ""
        return f"every {self.unit}{space} is a token of its own"

    @property
    def exceptions(self) -> str:
        clauses = []
        if self._prefix:
            clauses.append(f"all but the first of a word have {self._prefix}")
        if self._suffix:
            clauses.append(f"the last of a word has {self._suffix}")
        if not (self._by_byte and all(map(self._characters.__contains__, BYTE_TO_CHAR.values()))):
            other = "unknown" if self.unknown is not None else "left out"
            if self._byte_ids is not None:
                other = "spelled in its bytes"
            clauses.append(f"a {self.unit} that the vocabulary lacks is {other}")
        return "; ".join(clauses)

    def spell(self, pretoken: bytes) -> list[int]:
        known, unknown, prefix = self._characters.get, self._only_unknown, self._prefix
        if unknown is None:
            return [token_id for token_id, _ in self._spelled(pretoken)]
        text = to_text(pretoken)
        if not prefix:
            return [known(character, unknown) for character in text]
        inside = [known(prefix + character, unknown) for character in text[1:]]
        return [known(text[0], unknown), *inside] if text else []

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return list(accumulate((width for _, width in self._spelled(pretoken)), initial=0))

    def _spelled(self, pretoken: bytes) -> list[tuple[int, int]]:
        """Return each id with the number of its bytes."""
        if self.unknown is not None:
            return self._spelled_with_unknown(pretoken, self.unknown)
        spelled: list[tuple[int, int]] = []
        left_out = 0  # bytes that nothing spells belong to the token before, or to the first
        for character, data in self._units(pretoken):
            if (known := self._characters.get(character)) is not None:
                spelled.append((known, len(data) + left_out))
                left_out = 0
            elif (in_bytes := self._in_bytes(character, len(data))) is not None:
                spelled += in_bytes
            elif spelled:
                before, width = spelled.pop()
                spelled.append((before, width + len(data)))
            else:
                left_out += len(data)
        return spelled

    def _spelled_with_unknown(self, pretoken: bytes, unknown: int) -> list[tuple[int, int]]:
        """Spell as Hugging Face's library does.

        An unknown token waits for the next known character. So it goes after the bytes between
        them, if only some bytes have an id.
        """
        spelled: list[tuple[int, int]] = []
        waiting: list[tuple[int, int]] = []  # at most one unknown token, with its bytes
        for character, data in self._units(pretoken):
            if (known := self._characters.get(character)) is not None:
                spelled += [*waiting, (known, len(data))]
                waiting = []
            elif (in_bytes := self._in_bytes(character, len(data))) is not None:
                spelled += in_bytes
            elif waiting and self._fuse_unknown:
                width = waiting[0][1] + len(data)
                waiting = [(unknown, width)]
            else:
                spelled += waiting
                waiting = [(unknown, len(data))]
        return spelled + waiting

    def _in_bytes(self, spelled: str, width: int) -> list[tuple[int, int]] | None:
        """Return the ids of the bytes of a character, with widths; `None` if one is missing.

        As in Hugging Face's library, a prefix and a suffix are spelled, too, and a stand-in for a
        byte instead of the byte; what is no byte of the text has no width.

        Args:
            spelled: the character as the vocabulary spells it.
            width: the number of its bytes in the text.
        """
        if self._byte_ids is None:
            return None
        data = to_bytes(spelled)
        ids = [self._byte_ids[byte] for byte in data]
        if self._by_byte or self._prefix or self._suffix:
            first = len(to_bytes(self._prefix)) if spelled.startswith(self._prefix) else 0
            widths = [int(first <= place < first + width) for place in range(len(data))]
        else:
            widths = [1] * width
        found = [(i, w) for i, w in zip(ids, widths, strict=True) if i is not None]
        return found if len(found) == len(ids) else None

    def _units(self, pretoken: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield each character as the vocabulary spells it, with its bytes."""
        text = spell(pretoken) if self._by_byte else to_text(pretoken)
        for place, character in enumerate(text):
            as_bytes = pretoken[place : place + 1] if self._by_byte else to_bytes(character)
            before = self._prefix if place else ""
            after = self._suffix if place + 1 == len(text) else ""
            yield f"{before}{character}{after}", as_bytes


class WholeTokens(Alphabet):
    """An alphabet with some pretokens that are one token from the start.

    Llama 3 and tiktoken look a whole pretoken up before they merge anything, which matters if
    merging its bytes gives other tokens. Hugging Face calls this `ignore_merges`.

    >>> from engine.encoding.alphabet import ByteAlphabet
    >>> WholeTokens(ByteAlphabet(range(256)), {b"abc": 300}).spell(b"abc")
    [300]
    """

    def __init__(self, inner: Alphabet, whole: Mapping[bytes, int]) -> None:
        self.inner = inner
        self.whole = whole
        self.unit = inner.unit
        self.token_ids = [*inner.token_ids, *whole.values()]

    @property
    def beginning(self) -> str:
        return self.inner.beginning

    @property
    def exceptions(self) -> str:
        own = "a pretoken that is in the vocabulary is one token at once"
        return "; ".join(filter(None, (own, self.inner.exceptions)))

    def spell(self, pretoken: bytes) -> list[int]:
        whole = self.whole.get(pretoken)
        return self.inner.spell(pretoken) if whole is None else [whole]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return (0, len(pretoken)) if pretoken in self.whole else self.inner.edges(pretoken)


class WordEndAlphabet(Alphabet):
    """Another alphabet, and a token at the end of each pretoken: `</w>`.

    A pretoken of whitespace is not a word, and has no tokens at all.

    >>> from engine.encoding.alphabet import CharacterAlphabet
    >>> characters = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    >>> alphabet = WordEndAlphabet(characters, marker=9)
    >>> alphabet.spell(b"ab"), list(alphabet.edges(b"ab")), alphabet.spell(b" ")
    ([5, 6, 9], [0, 1, 2, 2], [])
    """

    def __init__(self, inner: Alphabet, marker: int) -> None:
        self._inside: Alphabet = inner
        self.marker: int = marker
        self.unit = inner.unit
        self.token_ids = [*inner.token_ids, marker]

    @property
    def beginning(self) -> str:
        return f"{self._inside.beginning}, and so is the end of each word"

    @property
    def exceptions(self) -> str:
        return self._inside.exceptions

    def spell(self, pretoken: bytes) -> list[int]:
        return [] if is_white_space(pretoken) else [*self._inside.spell(pretoken), self.marker]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return [0] if is_white_space(pretoken) else [*self._inside.edges(pretoken), len(pretoken)]


class MissingMerges(Alphabet):
    """The alphabet of a tokenizer without its merges, which decodes but cannot encode.

    Args:
        ids: the ids of all tokens.
        refusal: the message of the error if a text is encoded.

    >>> MissingMerges([0], "its merges are missing").spell(b"low")
    Traceback (most recent call last):
    engine.core.errors.VocabularyError: its merges are missing
    """

    unit = "byte"
    spells = False

    def __init__(self, ids: Sequence[int], refusal: str) -> None:
        self.token_ids = tuple(ids)
        self.refusal = refusal

    @property
    def beginning(self) -> str:
        return "no text can be spelled, since the merges are missing"

    def spell(self, pretoken: bytes) -> list[int]:
        raise VocabularyError(self.refusal)

    def edges(self, pretoken: bytes) -> Sequence[int]:
        raise VocabularyError(self.refusal)


def is_white_space(pretoken: bytes) -> bool:
    """Whether a pretoken has only characters with Unicode's White_Space property.

    >>> is_white_space(b" \\n"), is_white_space(b" low")
    (True, False)
    """
    return not to_text(pretoken).strip(WHITE_SPACE)


UNKNOWN = b"<unk>"
END_OF_WORD = b"</w>"


class BaseVocabulary(NamedTuple):
    """The tokens before the first merge, without special tokens.

    Attributes:
        tokens: id → bytes, as shown.
        alphabet: spells a pretoken in these tokens.
        counts: the pretokens to train on, of those given.
        contents: a description for sentences: `256 bytes`.
    """

    tokens: list[bytes]
    alphabet: Alphabet
    counts: Mapping[bytes, int]
    contents: str


UnitsName = Literal["bytes", "characters", "end-of-word"]


class Units(NamedTuple):
    """The kind of token that a run starts from. `base(counts)` makes the tokens for a corpus.

    Attributes:
        one, many: the words for one token and for several: `byte`, `bytes`.
        lesson: a sentence on text that the corpus does not have.
        spells_all: whether any text can be spelled, so that no character is ever unknown.
    """

    name: UnitsName
    summary: str
    one: str
    many: str
    lesson: str
    base: Callable[[Mapping[bytes, int]], BaseVocabulary]
    spells_all: bool = False


def _bytes(counts: Mapping[bytes, int]) -> BaseVocabulary:
    return BaseVocabulary([bytes((byte,)) for byte in range(256)], BYTES, counts, "256 bytes")


def _characters(counts: Mapping[bytes, int]) -> BaseVocabulary:
    """Return the characters in the order of their code points, then the unknown one."""
    found = sorted(set().union(*map(to_text, counts)))
    ids = {character: token_id for token_id, character in enumerate(found)}
    tokens = [*map(to_bytes, found), UNKNOWN]
    alphabet = CharacterAlphabet(ids, unknown=len(found))
    return BaseVocabulary(
        tokens, alphabet, counts, f"{len(found):,} character{'' if len(found) == 1 else 's'}, <unk>"
    )


def _word_ends(counts: Mapping[bytes, int]) -> BaseVocabulary:
    """Return the characters of the words, and the end-of-word marker; whitespace is left out."""
    words = {word: count for word, count in counts.items() if not is_white_space(word)}
    base = _characters(words)
    alphabet = WordEndAlphabet(base.alphabet, marker=len(base.tokens))
    return BaseVocabulary([*base.tokens, END_OF_WORD], alphabet, words, f"{base.contents}, </w>")


UNITS: Registry[UnitsName, Units] = registry_of(
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
        "characters, and </w> after each word; for the pattern whitespace",
        "character",
        "characters and ends of words",
        "A character that the corpus lacks is <unk> and lost; in bytes none ever is. "
        "Decoding gives one space for </w>: which whitespace stood there is lost, too.",
        _word_ends,
    ),
)
DEFAULT_UNITS: UnitsName = "bytes"
