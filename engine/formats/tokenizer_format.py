"""`TokenizerFormat`, which recognises, reads and writes files, and values that formats share.

Some formats hold only bytes and merges, some prescribe the ids, so a tokenizer is checked before it
is written. Most obstacles follow from the alphabet, which is known before any merge: see
`describe_obstacle`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import add
from pathlib import Path
from typing import NamedTuple

from engine.core.errors import TokenizerFileError, VocabularyError, bounded
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import BYTES, Alphabet, ByteAlphabet, MissingMerges, WordEndAlphabet
from engine.encoding.merging import MergesInIds
from engine.encoding.tokenizer import Tokenizer
from engine.formats.source import TokenizerSource, describe_older
from engine.text.patterns import PatternLike
from engine.text.pretokenize import to_bytes

TokenPairs = list[tuple[bytes, bytes]]
"""Merges in order of rank, each as its two tokens."""


DOUBT = "so ids may differ from its own"
"""The end of a note that what decides the ids in a folder is not known here."""
TRY_CHECK = "`bpe-tui check` names the mistake of a trainer"
"""The end of a sentence about files that a trainer with a mistake may have written."""


class Overrides(NamedTuple):
    """Settings of the caller, which replace those in the files.

    With `None` the files decide, or the format's default if they say nothing.
    """

    special_tokens: Sequence[str] | None = None
    pattern: PatternLike | None = None


@dataclass(frozen=True)
class Opened:
    """A tokenizer that was read from files.

    Attributes:
        format: name of the format of the files.
        notes: what was recognised, guessed or ignored; a sentence each, without a full stop.
    """

    tokenizer: Tokenizer
    format: str
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(map(bounded, self.notes)))

    @property
    def doubt(self) -> str:
        """The note that the publisher's own ids may be others; empty if there is none."""
        return next((note for note in self.notes if note.endswith(DOUBT)), "")


@dataclass(frozen=True)
class VocabAndMerges:
    """A vocabulary and merges in bytes, as files contain them, not yet checked.

    Attributes:
        place: the files, as errors name them.
        vocab: id → token.
        merges: pairs of tokens in order of rank.
        texts: id → special token that is not in the spelling of the other tokens.
        special_tokens: their texts, or text → id; `None` if the files do not list them.
        pattern: the pattern in the files; `None` if there is none.
        notes: how the files were read, a sentence each.
        merges_place, vocab_place: the two files, as errors about missing tokens name them.
        files: the beginning of a note about a missing pattern.
        has_merges: whether the files hold merges; without them no text can be encoded.
        unmade: tokens that no merge makes, which no text gets, with their spellings.
    """

    place: str
    vocab: Mapping[int, bytes]
    merges: Sequence[tuple[bytes, bytes]]
    texts: Mapping[int, str] = field(default_factory=dict)
    special_tokens: Sequence[str] | Mapping[str, int] | None = None
    pattern: PatternLike | None = None
    notes: Sequence[str] = ()
    merges_place: str = ""
    vocab_place: str = "the vocabulary"
    files: str = "the file names"
    has_merges: bool = True
    unmade: Mapping[bytes, str] = field(default_factory=dict)

    def check_merges(self) -> None:
        """Raise `TokenizerFileError` if a merge needs a token that the vocabulary lacks."""
        if isinstance(self.merges, MergesInIds):
            return
        known = set(self.vocab.values())
        lefts, rights = zip(*self.merges, strict=True) if self.merges else ((), ())
        if known.issuperset(chain(lefts, rights, map(add, lefts, rights))):
            return
        for rank, (left, right) in enumerate(self.merges):
            for token in (left, right, left + right):
                if token not in known:
                    raise TokenizerFileError(
                        f"{self.merges_place or self.place}: merge {rank + 1:,} "
                        f"({spell(left)[:60]} {spell(right)[:60]}) needs the token "
                        f"{spell(token)[:60]}, which {self.vocab_place} "
                        f"does not have; do they belong together?{self.advice}"
                    )

    @cached_property
    def never_made(self) -> Mapping[int, bytes]:
        """The tokens of several bytes that no merge makes, by id."""
        if isinstance(self.merges, MergesInIds):
            return self.merges.unmade
        made = {left + right for left, right in self.merges}
        return {i: token for i, token in self.vocab.items() if len(token) > 1 and token not in made}

    @property
    def advice(self) -> str:
        """A sentence about files that do not fit together, and about the older if two saves did."""
        older = describe_older(Path(self.merges_place), Path(self.vocab_place))
        return f"{older}; {TRY_CHECK}" if older else f" {TRY_CHECK}"

    @property
    def all_tokens(self) -> dict[int, bytes]:
        """The vocabulary with the special tokens that are outside it, in bytes."""
        special = self.special_tokens if isinstance(self.special_tokens, Mapping) else {}
        return {
            **{token_id: to_bytes(text) for text, token_id in special.items()},
            **self.vocab,
            **{token_id: to_bytes(text) for token_id, text in self.texts.items()},
        }


class Library(NamedTuple):
    """A library that reads a format, too.

    Attributes:
        name: its name.
        encode: encodes a text in which no special token is looked for.
    """

    name: str
    encode: Callable[[str], list[int]]


class TokenizerFormat(NamedTuple):
    """A format of tokenizer files.

    Attributes:
        recognises: whether a source has this format, by its content, not by its name.
        load: reads a tokenizer. Missing settings are guessed, and a note says so.
        save: writes a tokenizer atomically: `save(tokenizer, path, overwrite)`; `None` if the
            format is only read.
        read: reads vocabulary and merges without checking them; `None` if the format holds more
            than these two.
        files: the names of the written files in the directory, in the order in which they are
            replaced; empty for a single file.
        suffix: the end of the file's name; empty for a directory.
        name_in_folder: the file's name if the path is a folder; empty if it cannot be one.
        prescribes_ids: whether ids must number bytes, merges and special tokens in this order.
        keeps_stages: whether it can describe changes of a text before it is cut.
        of_characters: whether it holds merges of characters only.
        library: opens a file in the library that it is for, if that is installed.
    """

    name: str
    summary: str
    recognises: Callable[[TokenizerSource], bool]
    load: Callable[[TokenizerSource, Overrides], Opened]
    save: Callable[[Tokenizer, Path, bool], None] | None = None
    read: Callable[[TokenizerSource, Sequence[str] | None], VocabAndMerges] | None = None
    files: tuple[str, ...] = ()
    prescribes_ids: bool = False
    keeps_stages: bool = False
    suffix: str = ""
    name_in_folder: str = ""
    of_characters: bool = False
    library: Callable[[Path, Tokenizer], tuple[Library, ...]] | None = None

    def written(self, path: Path) -> list[Path]:
        """Return the files that saving to a path writes."""
        if self.name_in_folder and os.path.isdir(path):  # false for a name too long, too
            return [path / self.name_in_folder]
        return [path / name for name in self.files] or [path]


# Checks before writing


def made_by_merges(tokenizer: Tokenizer) -> list[tuple[Pair, int]]:
    """Return the merges in order of rank: the pair and the id of the new token."""
    by_rank = sorted((rank, pair, made) for pair, (rank, made) in tokenizer.merge_table.items())
    return [(pair, made) for _, pair, made in by_rank]


def renumbered(tokenizer: Tokenizer) -> Tokenizer:
    """Return the tokenizer with new ids from 0 on, in the order that minbpe prescribes.

    Raises:
        VocabularyError: a token is neither a byte nor special nor made by exactly one merge.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"<e>", 257: b"ab"}
    >>> renumbered(Tokenizer(vocab, [(b"a", b"b")], ["<e>"])).encode("ab<e>")
    [256, 257]
    """
    merges = made_by_merges(tokenizer)
    special_ids = tokenizer.rules.special_ids
    old_ids = [*tokenizer.alphabet.token_ids, *(made for _, made in merges), *special_ids.values()]
    is_of_bytes = isinstance(tokenizer.alphabet, ByteAlphabet)
    if not is_of_bytes or sorted(old_ids) != sorted(tokenizer.vocab):
        raise VocabularyError(
            "its tokens are not all bytes, special tokens, or made by one merge each; "
            "so they cannot be numbered in the order of the merges"
        )
    new_ids = {old: new for new, old in enumerate(old_ids)}
    return Tokenizer(
        {new: tokenizer.vocab[old] for old, new in new_ids.items()},
        tokenizer.merges,
        {token: new_ids[old] for token, old in special_ids.items()},
        tokenizer.pattern,
        alphabet=BYTES,
        table={
            (new_ids[left], new_ids[right]): (rank, new_ids[made])
            for rank, ((left, right), made) in enumerate(merges)
        },
    )


def check_format_fits(tokenizer: Tokenizer, path: Path, format: TokenizerFormat) -> None:
    """Check that a format can hold the alphabet and the stages of a tokenizer.

    Args:
        path: the path that errors name.

    Raises:
        TokenizerFileError: it cannot hold them.
    """
    pipeline = tokenizer.pipeline
    if pipeline is not None and not pipeline.merges and not format.keeps_stages:
        raise TokenizerFileError(
            f"{path}: the tokenizer's model, {pipeline.model.name}, merges nothing, and the format "
            f"{format.name} holds only merges of bytes; write a tokenizer.json instead"
        )
    if pipeline is not None and not (pipeline.splitter.is_plain or format.keeps_stages):
        raise TokenizerFileError(
            f"{path}: the tokenizer changes a text before it cuts it, which the format "
            f"{format.name} cannot hold; write a tokenizer.json instead"
        )
    if obstacle := describe_obstacle(tokenizer.alphabet, format):
        raise TokenizerFileError(f"{path}: {obstacle}")


def describe_obstacle(alphabet: Alphabet, format: TokenizerFormat) -> str | None:
    """Explain why a format cannot hold tokenizers with this alphabet; `None` if it can.

    >>> from engine.encoding.alphabet import BYTES, CharacterAlphabet
    >>> from engine.formats import FORMATS
    >>> describe_obstacle(BYTES, FORMATS["gpt2"])
    >>> describe_obstacle(CharacterAlphabet({"a": 0}), FORMATS["gpt2"])
    'the format gpt2 knows tokens of bytes only; for characters take the format huggingface'
    """
    if isinstance(alphabet, MissingMerges):
        return f"{alphabet.refusal}, and no format holds a tokenizer without merges"
    if isinstance(alphabet, WordEndAlphabet):
        return (
            "no format can hold this tokenizer: </w> is a token of its own here, which merges like "
            "any other; in tokenizer.json it is part of the last character, and the other formats "
            "know bytes only. Units of bytes or of characters can be saved"
        )
    if alphabet.unit == "byte" and format.of_characters:
        return (
            "SentencePiece merges characters, and takes bytes only for characters that have no "
            "piece; so no .model gives the ids of merges of bytes; take the format tiktoken, "
            "huggingface or gguf-fields"
        )
    if alphabet.unit != "byte" and not format.keeps_stages:
        return (
            f"the format {format.name} knows tokens of bytes only; for characters take the "
            "format huggingface"
        )
    return None


def check_plain(tokenizer: Tokenizer, path: Path) -> None:
    """Raise `TokenizerFileError` if vocab and merges alone do not determine how it encodes."""
    if tokenizer.is_plain:
        return
    try:
        plain = Tokenizer(
            tokenizer.vocab, tokenizer.merges, tokenizer.rules.special_ids, tokenizer.pattern
        )
    except VocabularyError:
        plain = None
    if plain is None or _encoding(plain) != _encoding(tokenizer):
        raise TokenizerFileError(
            f"{path}: this format holds only bytes and merges, and the tokenizer has tokens that "
            "no merge makes, or two ids for the same bytes; try the format huggingface"
        )


def _encoding(tokenizer: Tokenizer) -> tuple[object, ...]:
    """Return everything that determines how a pretoken is encoded."""
    return tokenizer.alphabet, dict(tokenizer.merge_table)
