"""`BPE`: the model of a `tokenizer.json` that merges pairs, with all of its options.

Its tokens are texts. Where the pre-tokenizer ends in bytes they are spelled in GPT-2's stand-ins,
and the tokenizer made of them works on bytes; elsewhere on characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from operator import add
from reprlib import repr as short_repr
from typing import Any

from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR, unspell, unspell_all
from engine.core.json_fields import Fields
from engine.encoding.alphabet import Alphabet, ByteAlphabet, CharacterAlphabet, WholeTokens
from engine.encoding.merge_arrays import WORTH_ARRAYS, merge_arrays
from engine.pipeline.models.model import MergingModel, read_vocab, tables_last
from engine.pipeline.stage import setting, stage

_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


@stage
class BPE(MergingModel):
    """Merges pairs of tokens, the lowest rank first.

        {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
         "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
         "ignore_merges": false, "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}

    Attributes:
        vocab: token → id.
        merges: pairs of tokens, in order of rank.
        dropout: how often a merge is left out in training; never here.
        unk_token: stands for a character that the vocabulary lacks.
        continuing_subword_prefix: stands before all characters of a pretoken but the first.
        end_of_word_suffix: stands behind the last one.
        fuse_unk: whether one `unk_token` stands for several unknown characters side by side.
        byte_fallback: whether `<0x00>` … stand for the bytes of such a character.
        ignore_merges: whether a pretoken that is a token is not made by merging.
    """

    name = "BPE"
    vocab: Mapping[str, int] = setting(read=read_vocab)
    merges: Sequence[tuple[str, str]] = setting(read=lambda fields, key: _read_merges(fields, key))
    dropout: float | None = None
    unk_token: str | None = None
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    fuse_unk: bool = setting(default=False, may_be_missing=True)
    byte_fallback: bool = setting(default=False, may_be_missing=True)
    ignore_merges: bool = setting(default=False, may_be_missing=True)

    def settings(self) -> dict[str, Any]:
        return tables_last({**super().settings(), "merges": [list(each) for each in self.merges]})

    def check(self, fields: Fields) -> None:
        try:
            _ = self.table
        except KeyError as error:
            token = error.args[0]
            place = next(n for n, merge in enumerate(self.merges) if token in self._needed(*merge))
            what = f"[{place}] needs the token {token[:60]!r}, which the vocab does not have"
            raise fields.error("merges", what) from None
        if self._byte_ids and (self._prefix or self._suffix):
            raise fields.error("byte_fallback", "together with a prefix or suffix is not supported")

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        if self.dropout:
            notes.append(f"dropout {self.dropout} is for training; encoding leaves no merge out")
        if self.unk_token is not None and self.unk_token not in self.vocab:
            notes.append(
                f"the unk_token {self.unk_token!r} is not in the vocab; a character that cannot be "
                "spelled is left out here, where Hugging Face's library stops"
            )
        return tuple(notes)

    @property
    def _prefix(self) -> str:
        return self.continuing_subword_prefix or ""

    @property
    def _suffix(self) -> str:
        return self.end_of_word_suffix or ""

    def _needed(self, left: str, right: str) -> tuple[str, str, str]:
        return left, right, self._joined(left, right)

    def _joined(self, left: str, right: str) -> str:
        """What a merge makes: the right part loses its prefix, or as much as that is."""
        # A merge may name what is no text; then no token of the vocabulary is found to be it.
        right_bytes = right.encode("utf-8", "surrogatepass")
        return left + right_bytes[len(self._prefix.encode()) :].decode("utf-8", "replace")

    def first(self, merges: int) -> BPE:
        return replace(self, merges=self.merges[:merges], ignore_merges=False)

    @property
    def spells_apart(self) -> bool:
        return not (self._prefix or self._suffix or self.ignore_merges)

    @cached_property
    def _byte_ids(self) -> list[int | None]:
        """The ids of the bytes, if unknown characters fall back to them and any is there."""
        ids = [self.vocab.get(f"<0x{byte:02X}>") for byte in range(256)]
        return ids if self.byte_fallback and any(i is not None for i in ids) else []

    def tokens(self, in_bytes: bool) -> dict[int, bytes]:
        if self._prefix or self._suffix:
            return {i: self._bytes_of(text, in_bytes) for text, i in self.vocab.items()}
        if not in_bytes:
            found = {i: text.encode() for text, i in self.vocab.items()}
            known = enumerate(self._byte_ids)
            return found | {i: bytes((byte,)) for byte, i in known if i is not None}
        unspelled = zip(self.vocab.items(), unspell_all(list(self.vocab)), strict=True)
        return {i: text.encode() if token is None else token for (text, i), token in unspelled}

    def _bytes_of(self, token: str, in_bytes: bool) -> bytes:
        if self._suffix and token != self._suffix:
            token = token.removesuffix(self._suffix)
        if self._prefix and token != self._prefix:
            token = token.removeprefix(self._prefix)
        if in_bytes:
            try:
                return unspell(token)
            except KeyError:
                return token.encode()
        byte = _BYTE.fullmatch(token) if self.byte_fallback else None
        return bytes((int(byte[1], 16),)) if byte else token.encode()

    @cached_property
    def table(self) -> Mapping[Pair, tuple[int, int]]:
        many = len(self.merges) >= WORTH_ARRAYS
        if many and (arrays := merge_arrays(*self._columns(), len(self.merges))) is not None:
            return arrays
        lefts, rights, made = self._columns()
        found = dict(zip(zip(lefts, rights, strict=True), enumerate(made), strict=True))
        # Of a pair that stands there twice the last rank counts, and so the order may be wrong.
        return found if len(found) == len(self.merges) else dict(sorted(found.items(), key=_rank))

    def _columns(self) -> tuple[Iterator[int], Iterator[int], Iterator[int]]:
        """Of each merge the ids of its parts, and of what it makes; `KeyError` if one has none."""
        lefts, rights = zip(*self.merges, strict=True) if self.merges else ((), ())
        joined = map(self._joined if self._prefix else add, lefts, rights)
        id_of = self.vocab.__getitem__
        return map(id_of, lefts), map(id_of, rights), map(id_of, joined)

    def alphabet(self, in_bytes: bool) -> Alphabet:
        inner = self._alphabet(in_bytes)
        if not self.ignore_merges:
            return inner
        if not in_bytes:
            return WholeTokens(inner, {token.encode(): i for token, i in self.vocab.items()})
        unspelled = zip(unspell_all(list(self.vocab)), self.vocab.values(), strict=True)
        # Of the others none is spelled as a pretoken is.
        return WholeTokens(inner, {token: i for token, i in unspelled if token is not None})

    @property
    def unknown_id(self) -> int | None:
        return None if self.unk_token is None else self.vocab.get(self.unk_token)

    def _alphabet(self, in_bytes: bool) -> Alphabet:
        vocab, has_affixes = self.vocab, self._prefix or self._suffix
        if in_bytes and not has_affixes and all(map(vocab.__contains__, BYTE_TO_CHAR.values())):
            return ByteAlphabet([vocab[BYTE_TO_CHAR[byte]] for byte in range(256)])
        longest = 1 + len(self._prefix) + len(self._suffix)
        return CharacterAlphabet(
            {token: token_id for token, token_id in vocab.items() if 0 < len(token) <= longest},
            self._byte_ids or None,
            vocab.get(self.unk_token) if self.unk_token is not None else None,
            self.fuse_unk,
            self._prefix,
            self._suffix,
            in_bytes,
        )


def _rank(item: tuple[Pair, tuple[int, int]]) -> int:
    return item[1][0]


def _read_merges(fields: Fields, key: str) -> list[tuple[str, str]]:
    """The merges in either spelling: `["a", "b"]` or `"a b"`."""
    spelled = fields.items(key)
    if spelled and isinstance(spelled[0], str) and spelled[0].startswith("#version"):
        del spelled[0]
    all_lists = set(map(type, spelled)) <= {list}
    merges = spelled if all_lists else [_parts(each) for each in spelled]
    if set(map(len, merges)) <= {2} and set(map(type, chain.from_iterable(merges))) <= {str}:
        return list(map(tuple, merges))  # that they are well formed follows: the vocab has them
    place = next(n for n, parts in enumerate(merges) if [*map(type, parts)] != [str, str])
    raise fields.error(key, f"[{place}] is not two tokens: {short_repr(spelled[place])}")


def _parts(merge: object) -> list[Any]:
    if type(merge) is str:
        return merge.split(" ")
    return merge if type(merge) is list else []
