"""Models: each turns pretokens into ids.

`BPE` merges pairs, with all of the options that `tokenizer.json` has. `WordLevel` and `WordPiece`
look words up, whole or piece by piece. `Unigram` takes the most probable segmentation.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, groupby
from operator import add
from reprlib import repr as short_repr
from typing import Any, NamedTuple, Self

from engine.core.errors import UnigramError
from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR, spell, unspell_all
from engine.core.json_fields import Fields, well_formed
from engine.encoding.alphabet import Alphabet, ByteAlphabet, CharacterAlphabet, WholeTokens
from engine.encoding.encoders import RankHeap
from engine.encoding.merging import MergeArrays, MergesInIds, merge_arrays
from engine.native.encoding import Spelling, Way
from engine.pipeline.stage import Stage, StageRegistry, setting, stage
from engine.unigram.lattice import Lattice
from engine.unigram.pieces import PieceTable
from engine.wordpiece.tokenizer import MAX_INPUT_CHARACTERS, WordPieceEncoder
from engine.wordpiece.words import CONTINUES


class ModelToken(NamedTuple):
    """A token that a model makes of a part of a pretoken.

    Attributes:
        token_id: its id.
        text: its text in the vocabulary; of an unknown token of Unigram, the unknown text.
        start, end: its characters in the pretoken.
    """

    token_id: int
    text: str
    start: int
    end: int


class Model(Stage):
    """Encodes pretokens; its tokens are texts, of characters or of printable bytes."""

    vocab: Mapping[str, int]
    unk_token: str | None = None
    """Token of text that the model cannot spell."""
    notes: tuple[str, ...] = ()
    """Remarks for whoever inspects the model."""

    @abstractmethod
    def tokenize(self, pretoken: str) -> list[ModelToken]:
        """Return the tokens of a pretoken as the pre-tokenizer gives it, from left to right."""

    @property
    def unknown_id(self) -> int | None:
        """Id of text that the model cannot spell; `None` if there is none."""
        return None if self.unk_token is None else self.vocab.get(self.unk_token)

    @property
    def spelling(self) -> Spelling | None:
        """The model for the kernel; `None` if only `tokenize` spells so."""
        return None

    @cached_property
    def texts(self) -> dict[int, str]:
        """id → token, as the vocabulary writes it."""
        return {token_id: text for text, token_id in self.vocab.items()}


class MergingModel(Model):
    """A model that merges, so that code that explains merges can explain it."""

    merges: Sequence[tuple[str, str]]
    table: Mapping[Pair, tuple[int, int]]
    """pair of ids → (rank, id of the merged token), in order of rank."""
    spells_apart = True
    """Whether each part of a pretoken is spelled as it would be alone."""

    @abstractmethod
    def first(self, merges: int) -> MergingModel:
        """Return the model with its first `merges` merges, and without looking up whole pretokens.

        It keeps all of its tokens, since ids depend on their number.
        """

    @abstractmethod
    def alphabet(self, in_bytes: bool) -> Alphabet:
        """Return the alphabet of a pretoken, in bytes or in characters."""

    @abstractmethod
    def tokens(self, in_bytes: bool) -> dict[int, bytes]:
        """Return the text of each token, without prefix, suffix and byte names."""

    @cached_property
    def _encoder(self) -> RankHeap:
        return RankHeap(self.alphabet(in_bytes=False), self.table)

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        data = pretoken.encode()
        edges = self._encoder.alphabet.edges(data)
        ids = self._encoder.alphabet.spell(data)
        tokens = {start: (i, end) for i, start, end in zip(ids, edges, edges[1:], strict=False)}
        for start, end, pair in self._encoder.merges_at(data):
            del tokens[tokens[start][1]]
            tokens[start] = self.table[pair][1], end
        place = [n for n, character in enumerate(pretoken) for _ in character.encode()]
        return [
            ModelToken(token_id, self.texts[token_id], place[start], place[end - 1] + 1)
            for start, (token_id, end) in tokens.items()
        ]


class SpelledMerges(MergesInIds[str]):
    """Merges of bytes in GPT-2's spelling, with the tokens that the kernel has read.

    Attributes:
        tokens: id → token.
        vocab: spelling → id.
    """

    def __init__(self, tokens: dict[int, bytes], table: MergeArrays) -> None:
        spelled = list(map(spell, tokens.values()))
        super().__init__(dict(zip(tokens, spelled, strict=True)), table, ())
        self.tokens, self.vocab = tokens, dict(zip(spelled, tokens, strict=True))


LARGEST_ID = (1 << 32) - 1
"""The largest id in Hugging Face's library, which has 32 bits for one."""


def read_vocab(fields: Fields, key: str) -> dict[str, int]:
    """Read the object of tokens and ids under a key.

    Raises:
        TokenizerFileError: an id is not a whole number, too large, or given twice.
    """
    if isinstance(merges := fields.value.get("merges"), SpelledMerges):
        return merges.vocab
    vocab = dict(fields.inner(key).value)
    well_formed("".join(vocab), fields.path(key))
    ids = vocab.values()
    are_ids = set(map(type, ids)) == {int} and min(ids) >= 0 and max(ids) <= LARGEST_ID
    if are_ids and len(set(ids)) == len(ids):
        return vocab  # nearly always; the loop only finds what to name in the error
    of_id: dict[int, str] = {}
    for token, token_id in vocab.items():
        if type(token_id) is not int or token_id < 0:
            raise fields.error(key, f"the id of {token[:60]!r} is no whole number")
        if token_id > LARGEST_ID:
            raise fields.error(key, f"the id of {token[:60]!r} is larger than {LARGEST_ID:,}")
        if token_id in of_id:
            both = f"{of_id[token_id][:60]!r} and {token[:60]!r}"
            raise fields.error(key, f"the id {token_id} is given to {both}")
        of_id[token_id] = token
    return vocab


def tables_last(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a model with its large tables at the end, where people expect them."""
    tables = {key: settings[key] for key in ("vocab", "merges") if key in settings}
    return {key: value for key, value in settings.items() if key not in tables} | tables


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
        dropout: the probability of leaving a merge out in training; not used in encoding.
        unk_token: replaces a character that the vocabulary lacks.
        continuing_subword_prefix: is put before each character of a pretoken but the first.
        end_of_word_suffix: is put after the last character of a pretoken.
        fuse_unk: whether adjacent unknown characters become one `unk_token`.
        byte_fallback: whether an unknown character becomes tokens `<0x00>` … for its bytes.
        ignore_merges: whether a pretoken that is a token is looked up instead of merged.
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
        return tables_last(super().settings())

    @property
    def _read(self) -> SpelledMerges | None:
        """The merges with the tokens, if the kernel has read both."""
        return self.merges if isinstance(self.merges, SpelledMerges) else None

    def check(self, fields: Fields) -> None:
        try:
            _ = self.table
        except KeyError as error:
            token = error.args[0]
            place = next(
                n
                for n, (left, right) in enumerate(self.merges)
                if token in (left, right, self._joined(left, right))
            )
            what = f"[{place}] needs the token {token[:60]!r}, which the vocab does not have"
            raise fields.error("merges", what) from None

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
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

    def _joined(self, left: str, right: str) -> str:
        """Return the result of a merge; the right part loses its prefix, or as many bytes."""
        # A merge may name an invalid text; then no token of the vocabulary equals the result.
        right_bytes = right.encode("utf-8", "surrogatepass")
        return left + right_bytes[len(self._prefix.encode()) :].decode("utf-8", "replace")

    def first(self, merges: int) -> BPE:
        return replace(self, merges=self.merges[:merges], ignore_merges=False)

    def extended(self, merges: Sequence[tuple[Pair, int]], more: Mapping[str, int]) -> BPE:
        """Return the model with more tokens, and with more merges of parts without affixes.

        Args:
            merges: ((left id, right id), id of the new token).
            more: token → id, of tokens that no merge makes.

        >>> model = BPE({"o": 0, "w": 1}, []).extended([((0, 1), 3)], {"<s>": 2})
        >>> model.vocab, model.merges
        ({'o': 0, 'w': 1, '<s>': 2, 'ow': 3}, [('o', 'w')])
        """
        vocab, texts = {**self.vocab, **more}, dict(self.texts)
        pairs = []
        for (left, right), made in merges:
            texts[made] = texts[left] + texts[right]
            vocab[texts[made]] = made
            pairs.append((texts[left], texts[right]))
        return replace(self, vocab=vocab, merges=[*self.merges, *pairs])

    @property
    def spells_apart(self) -> bool:  # type: ignore[override]
        return not (self._prefix or self._suffix or self.ignore_merges)

    @cached_property
    def _byte_ids(self) -> list[int | None]:
        """Ids of the bytes; empty if unknown characters do not fall back to bytes."""
        ids = [self.vocab.get(f"<0x{byte:02X}>") for byte in range(256)]
        return ids if self.byte_fallback and any(i is not None for i in ids) else []

    def tokens(self, in_bytes: bool) -> dict[int, bytes]:
        # A token that is the suffix or the prefix alone keeps it.
        prefix, suffix = self._prefix, self._suffix
        if self._read is not None and in_bytes and not (prefix or suffix):
            return self._read.tokens
        bare = list(self.vocab)
        if suffix:
            bare = [text if text == suffix else text.removesuffix(suffix) for text in bare]
        if prefix:
            bare = [text if text == prefix else text.removeprefix(prefix) for text in bare]
        ids = self.vocab.values()
        if in_bytes:
            unspelled = zip(bare, unspell_all(bare), ids, strict=True)
            return {i: text.encode() if data is None else data for text, data, i in unspelled}
        found = {i: text.encode() for text, i in zip(bare, ids, strict=True)}
        for text, i in zip(bare, ids, strict=True) if self.byte_fallback else ():
            if byte := _BYTE.fullmatch(text):
                found[i] = bytes((int(byte[1], 16),))
        return found

    @cached_property
    def table(self) -> Mapping[Pair, tuple[int, int]]:  # type: ignore[override]
        if self._read is not None and not self._prefix:
            return self._read.table
        lefts, rights = zip(*self.merges, strict=True) if self.merges else ((), ())
        joined = map(self._joined if self._prefix else add, lefts, rights)
        columns = [
            array("q", map(self.vocab.__getitem__, part)) for part in (lefts, rights, joined)
        ]
        if (arrays := merge_arrays(*columns)) is not None:
            return arrays
        left, right, made = columns
        found = dict(zip(zip(left, right, strict=True), enumerate(made), strict=True))
        # The last rank of a repeated pair counts, so the order may be wrong.
        by_rank = sorted((rank, pair, new_id) for pair, (rank, new_id) in found.items())
        return {pair: (rank, new_id) for rank, pair, new_id in by_rank}

    def alphabet(self, in_bytes: bool) -> Alphabet:
        vocab, has_affixes = self.vocab, self._prefix or self._suffix
        has_all_bytes = all(map(vocab.__contains__, BYTE_TO_CHAR.values()))
        inner: Alphabet
        if in_bytes and has_all_bytes and not has_affixes:
            inner = ByteAlphabet([vocab[BYTE_TO_CHAR[byte]] for byte in range(256)])
        else:
            longest = 1 + len(self._prefix) + len(self._suffix)
            inner = CharacterAlphabet(
                {token: token_id for token, token_id in vocab.items() if 0 < len(token) <= longest},
                self._byte_ids or None,
                self.unknown_id,
                self.fuse_unk,
                self._prefix,
                self._suffix,
                in_bytes,
            )
        if not self.ignore_merges:
            return inner
        if not in_bytes:
            return WholeTokens(inner, {token.encode(): i for token, i in vocab.items()})
        unspelled = zip(unspell_all(list(vocab)), vocab.values(), strict=True)
        # Tokens that are not spelled in bytes equal no pretoken.
        return WholeTokens(inner, {token: i for token, i in unspelled if token is not None})


def _read_merges(fields: Fields, key: str) -> Sequence[tuple[str, str]]:
    """Read the merges in either form: `["a", "b"]` or `"a b"`."""
    if isinstance(merges := fields.value.get(key), SpelledMerges):
        return merges
    spelled = fields.items(key)
    if spelled and isinstance(spelled[0], str) and spelled[0].startswith("#version"):
        del spelled[0]
    all_lists = set(map(type, spelled)) <= {list}
    merges = spelled
    if not all_lists:
        merges = [each.split(" ") if type(each) is str else each for each in spelled]
        merges = [each if type(each) is list else [] for each in merges]
    if set(map(len, merges)) <= {2} and set(map(type, chain.from_iterable(merges))) <= {str}:
        return list(map(tuple, merges))  # well formed, since the vocab will have them
    place = next(n for n, parts in enumerate(merges) if [*map(type, parts)] != [str, str])
    raise fields.error(key, f"[{place}] is not two tokens: {short_repr(spelled[place])}")


def _read_unknown(fields: Fields, key: str) -> str:
    """Read the unknown token, which has to be in the vocab."""
    token = fields.text(key)
    if token not in fields.inner("vocab").value:
        what = f"{token[:60]!r} is not in the vocab, so nothing stands for what cannot be spelled"
        raise fields.error(key, what)
    return token


@stage
class WordLevel(Model):
    """Takes a pretoken as one token; any other pretoken is the `unk_token`.

    >>> WordLevel({"<unk>": 0, "cat": 1}, "<unk>").tokenize("cats")
    [ModelToken(token_id=0, text='<unk>', start=0, end=4)]
    """

    name = "WordLevel"
    vocab: Mapping[str, int] = setting(read=read_vocab)
    unk_token: str = setting(read=_read_unknown)

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        text = pretoken if pretoken in self.vocab else self.unk_token
        return [ModelToken(self.vocab[text], text, 0, len(pretoken))]


@stage
class WordPiece(Model):
    """Takes the longest piece of a word from the left, as BERT does.

        {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
         "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "hug": 1, "##s": 2}}

    Attributes:
        vocab: piece as it is written → id.
        unk_token: replaces a word that cannot be spelled; in the vocab.
        continuing_subword_prefix: is put before a piece that continues a word.
        max_input_chars_per_word: a longer word is unknown.

    >>> model = WordPiece({"[UNK]": 0, "hug": 1, "##s": 2})
    >>> [(token.text, token.start, token.end) for token in model.tokenize("hugs")]
    [('hug', 0, 3), ('##s', 3, 4)]
    """

    name = "WordPiece"
    vocab: Mapping[str, int] = setting(read=read_vocab)
    unk_token: str = setting(default="[UNK]", read=_read_unknown)
    continuing_subword_prefix: str = CONTINUES
    max_input_chars_per_word: int = MAX_INPUT_CHARACTERS

    def settings(self) -> dict[str, Any]:
        return tables_last(super().settings())

    @cached_property
    def encoder(self) -> WordPieceEncoder:
        return WordPieceEncoder(
            self.vocab,
            self.unk_token,
            self.max_input_chars_per_word,
            self.continuing_subword_prefix,
        )

    @property
    def spelling(self) -> Spelling:
        return Spelling(
            Way.LONGEST_FIRST,
            self.vocab,
            unknown=self.unknown_id,
            most=self.max_input_chars_per_word,
            prefix=self.continuing_subword_prefix,
        )

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        spelled = self.encoder.spell(pretoken)
        if spelled is None:
            return [ModelToken(self.vocab[self.unk_token], self.unk_token, 0, len(pretoken))]
        starts = [0, *(end for _, end in spelled)]
        return [
            ModelToken(token_id, self.texts[token_id], start, end)
            for start, (token_id, end) in zip(starts, spelled, strict=False)
        ]


LARGEST_SCORE = 1e300
"""A larger score is not the logarithm of a probability, and could make sums infinite."""


@stage
class Unigram(Model):
    """Takes the segmentation whose pieces have the highest sum of scores.

    Attributes:
        pieces: text and score of each id.
        unk_id: the id of text that no piece spells; `None` if there is none.
        byte_fallback: whether such text becomes tokens `<0x00>` … for its bytes, if all exist.

    >>> model = Unigram([("<unk>", 0.0), ("h", -2.0), ("ug", -2.3), ("hug", -5.0)], 0)
    >>> [token.text for token in model.tokenize("hug漢字")]
    ['h', 'ug', '漢字']
    """

    name = "Unigram"
    pieces: Sequence[tuple[str, float]]
    unk_id: int | None = None
    byte_fallback: bool = False

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        """`{"unk_id": 0, "vocab": [["<unk>", 0.0], ["▁the", -3.5]], "byte_fallback": false}`"""
        unknown = fields.count("unk_id") if fields.has("unk_id") else None
        pieces: list[tuple[str, float]] = []
        for place, item in enumerate(fields.items("vocab")):
            piece = item if isinstance(item, list) else []
            kinds = [type(part) for part in piece]
            if kinds not in ([str, float], [str, int]) or not abs(piece[1]) <= LARGEST_SCORE:
                message = f"[{place}] is no piece with its score: {short_repr(item)}"
                raise fields.error("vocab", message)
            text = well_formed(piece[0], f"{fields.path('vocab')}[{place}]")
            pieces.append((text, float(piece[1])))
        model = cls(pieces, unknown, bool(fields.flag_or_null("byte_fallback")))
        model.check(fields)
        return model

    def check(self, fields: Fields) -> None:
        try:
            _ = self.table
        except UnigramError as error:
            raise fields.error("vocab", str(error)) from None

    def settings(self) -> dict[str, Any]:
        return {
            "unk_id": self.unk_id,
            "vocab": [list(piece) for piece in self.pieces],
            "byte_fallback": self.byte_fallback,
        }

    @cached_property
    def vocab(self) -> dict[str, int]:  # type: ignore[override]
        return {text: token_id for token_id, (text, _) in enumerate(self.pieces)}

    @property
    def unknown_id(self) -> int | None:
        return self.unk_id

    @cached_property
    def table(self) -> PieceTable:
        texts, scores = zip(*self.pieces, strict=True) if self.pieces else ((), ())
        return PieceTable(texts, scores, self.unk_id, unknown_is_text=True)

    @property
    def spelling(self) -> Spelling | None:
        if self.unk_id is None:
            return None
        # With usual scores no text made of unknown ones is a piece, so none is looked up.
        name, table = self.pieces[self.unk_id][0], self.table
        is_usual = table.unknown_score < 0 >= max(table.scores)
        if not is_usual or sum(name in text for text, _ in self.pieces) > 1:
            return None
        byte_ids = [self.vocab.get(f"<0x{byte:02X}>") for byte in range(256)]
        known = [token_id for token_id in byte_ids if token_id is not None]
        if self.byte_fallback and 0 < len(known) < 256:
            return None
        return Spelling(
            Way.BEST_SUM,
            table.ids,
            known if self.byte_fallback and known else None,
            self.unk_id,
            scores=[*table.scores, table.unknown_score],
        )

    def tokenize(self, pretoken: str) -> list[ModelToken]:
        edges = Lattice(pretoken, self.table).best.edges
        tokens: list[ModelToken] = []
        for is_unknown, run in groupby(edges, key=lambda edge: edge.piece == self.unk_id):
            same = list(run)
            spans = [(edge.start, edge.end) for edge in same]
            if is_unknown:  # adjacent unknown texts are one token
                spans = [(same[0].start, same[-1].end)]
            for start, end in spans:
                text = pretoken[start:end]
                token_id = self.vocab.get(text)
                if token_id is None and self.byte_fallback:
                    spelled = [f"<0x{byte:02X}>" for byte in text.encode()]
                    if all(byte in self.vocab for byte in spelled):
                        tokens += [
                            ModelToken(self.vocab[each], each, start, end) for each in spelled
                        ]
                        continue
                if token_id is None:
                    token_id = self.unk_id
                assert token_id is not None  # without an unknown token, the lattice has pieces only
                tokens.append(ModelToken(token_id, text, start, end))
        return tokens


class _Models(StageRegistry[Model]):
    def from_json(self, fields: Fields) -> Model:
        # Files of early versions have no type; their other keys show which it is.
        if "type" not in fields.value:
            for key, model in _KNOWN_BY.items():
                if key in fields.value:
                    return model.from_json(fields)
            is_list = isinstance(fields.value.get("vocab"), list)
            return (Unigram if is_list else WordLevel).from_json(fields)
        return super().from_json(fields)


_KNOWN_BY: dict[str, type[Model]] = {"merges": BPE, "continuing_subword_prefix": WordPiece}

MODELS = _Models("model", (BPE, WordPiece, Unigram, WordLevel))
