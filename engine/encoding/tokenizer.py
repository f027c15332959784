"""`Tokenizer`: an immutable vocab with its merges, special tokens and pattern.

It combines other modules: `numbered_parts` finds the ids, `text_encoder` cuts out special tokens
and lets an encoder encode the rest, `rules` are for explanations; `tokenizer_files` is for its
files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import chain, tee
from reprlib import repr as short_repr
from typing import TYPE_CHECKING, Any, Self, TypeVar

from engine.core.arguments import check_workers, checked, is_whole
from engine.core.errors import (
    ArgumentError,
    SpecialTokenError,
    TextError,
    TokenIdsError,
    UnknownTokenIdError,
)
from engine.core.slow_modules import np
from engine.core.systems import available_cores
from engine.core.wording import counted
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import Encoder, EncodeStep, MergeTable
from engine.encoding.merging import MergesInIds, last_rank
from engine.encoding.numbered_parts import PipelineLike, number_parts
from engine.encoding.text_encoder import (
    TokenIds,
    as_list,
    encode_arrays,
    encode_chunks,
    encode_lists,
    text_encoder,
)
from engine.encoding.token_decoder import TokenDecoder
from engine.encoding.tokenizer_files import FormatName, formats
from engine.text.patterns import PatternLike, as_pattern
from engine.text.pretokenize import (
    ChunkCutter,
    check_special_tokens,
    pretokens,
    to_bytes,
    without_stray_surrogates,
)

if TYPE_CHECKING:
    from engine.encoding.rules import EncodingRules
    from engine.encoding.traced import TracedEncoding

ITERABLE_PIECE = 1 << 16
"""Bytes of a stream that are encoded together."""
THREAD_PIECE = 1 << 20
"""Bytes of a stream that one of several threads encodes: handing it over costs as much as 4 KB."""

WORTH_THREADS = 1 << 20
"""Characters that take longer to encode than threads take to start."""


LONGEST_STEPPED = 1 << 14
"""Most bytes of a pretoken for `on_step`: each step has all tokens, so their time is its square."""

REPR_SHOWN = 4
"""Special tokens shown in the `repr` of a tokenizer."""


def check_text(text: str) -> str:
    """Return the text; raise a `TextError` if it is not a `str`."""
    if not isinstance(text, str):
        hint = "; decode the bytes first" if isinstance(text, bytes) else ""
        raise TextError(
            f"what is encoded is a text, and this is of type {type(text).__name__}{hint}"
        )
    return text


def _check_block(block: bytes) -> bytes:
    """Return the bytes; raise a `TextError` if they are none."""
    if not isinstance(block, bytes):
        raise TextError(f"bytes are encoded here, and this is {short_repr(block)}")
    return block


Item = TypeVar("Item")


def fill_template(
    template: Iterable[Sequence[int] | None],
    text: Iterable[Item],
    spelled: Callable[[Sequence[int]], Iterable[Item]],
) -> Iterator[Item]:
    """Yield the parts of a template in order, with a text wherever it has a place for it.

    Args:
        template: the ids of each part; `None` is a place for the text.
        text: ids or arrays of ids, read while the result is.
        spelled: returns ids of the template as such items.

    >>> list(fill_template(([1], None, [2]), [7, 8], iter))
    [1, 7, 8, 2]
    """
    parts = list(template)
    texts = iter(tee(text, parts.count(None)))
    return chain.from_iterable(next(texts) if part is None else spelled(part) for part in parts)


def _no_ids(given: object) -> TokenIdsError:
    shown = short_repr(given)
    return TokenIdsError(f"ids are whole numbers in a list, and this is {shown}", shown)


class Tokenizer:
    """Encodes text to token ids and back.

    Args:
        vocab: id → bytes; has to hold the 256 bytes and the tokens of all merges. One with at most
            128 bytes, as in an exercise, has these only: other bytes of a text are left out.
        merges: (left bytes, right bytes), in order of rank; `None` for those of `table`.
        special_tokens: strings that are one id wherever they occur. Those that the vocab lacks
            get the next free ids; a mapping gives each its id. With `None` no text is special.
        pattern: a name in `PATTERNS`, a pattern, or a regex: typed, or compiled.
        alphabet: spells a pretoken before any merge; by default the 256 bytes.
        table: pair of ids → (rank, id of the result), if `merges` cannot express it.
        pipeline: the stages of a `tokenizer.json`, if it needs more than the other arguments.

    Attributes:
        special_ids: the ids of the special tokens.
        added_tokens: the special tokens that are ordinary text, only cut out first.

    Raises:
        VocabularyError: a byte or the token of a merge is missing.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    >>> Tokenizer(vocab, [(b"a", b"b")]).encode("abba")
    [256, 98, 97]
    """

    @checked
    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[tuple[bytes, bytes]] | None,
        special_tokens: Sequence[str] | Mapping[str, int] | None = None,
        pattern: PatternLike = "gpt2",
        *,
        alphabet: Alphabet | None = None,
        table: MergeTable | None = None,
        pipeline: PipelineLike | None = None,
    ) -> None:
        self.pattern = as_pattern(pattern)
        specials = () if special_tokens is None else special_tokens
        self.special_tokens = check_special_tokens(specials)
        self.pipeline = pipeline
        parts = number_parts(vocab, merges, specials, alphabet, table)
        self.vocab, self._special_ids, self.alphabet, self.merge_table = parts
        if merges is not None:
            self.is_plain = alphabet is None and table is None and pipeline is None
            if not isinstance(merges, MergesInIds):
                self.merges = list(merges)
        self.special_ids = frozenset(self._special_ids.values())
        added = () if pipeline is None else pipeline.added_tokens
        special = {token.content for token in added if token.special}
        self.added_tokens = frozenset(token.content for token in added) - special
        # A special token may have the id of an ordinary token that merges use.
        ordinary = ((i, vocab.get(i)) for i in self._special_ids.values())
        self._ordinary = {i: token for i, token in ordinary if token is not None}
        splitter = None if pipeline is None or pipeline.splitter.is_plain else pipeline.splitter
        self._encoder = text_encoder(
            self.alphabet, self.merge_table, self.pattern, self._special_ids, splitter
        )

    is_plain = False
    """Whether it was made of vocab and merges alone, so these determine how it encodes."""

    @cached_property
    def merges(self) -> list[tuple[bytes, bytes]]:
        """The merges as (left bytes, right bytes), in order of rank."""
        token = (self.vocab | self._ordinary).__getitem__
        lefts, rights = zip(*self.merge_table, strict=True) if self.merge_table else ((), ())
        return list(zip(map(token, lefts), map(token, rights), strict=True))

    def __repr__(self) -> str:
        """Return a summary: `Tokenizer(257 tokens, 1 merge, pattern gpt2)`."""
        parts = [counted(len(self.vocab), "token"), counted(len(self.merges), "merge")]
        if self.special_tokens:
            parts.append(f"special {' '.join(map(repr, self.special_tokens[:REPR_SHOWN]))}")
        return f"Tokenizer({', '.join(parts)}, pattern {self.pattern.name})"

    @checked
    def allowing(self, tokens: Iterable[str]) -> Tokenizer:
        """Return a tokenizer that cuts only these special tokens out of a text.

        The others are ordinary text; their ids still decode. `added_tokens` are always cut out. The
        call costs nothing: vocab, merges and the encoder's memory are shared. See
        `engine.encoding.special_policy`.

        Raises:
            SpecialTokenError: one of them is not a special token of this tokenizer.

        >>> vocab = {byte: bytes([byte]) for byte in range(256)}
        >>> Tokenizer(vocab, [], ["<a>", "<b>"]).allowing(["<b>"]).encode("<a><b>")
        [60, 97, 62, 257]
        """
        if isinstance(tokens, str):
            raise SpecialTokenError(f"tokens are a list, and this is a text; write [{tokens!r}]")
        allowed = frozenset(tokens)
        if unknown := sorted(allowed.difference(self._special_ids)):
            known = ", ".join(self._special_ids)
            has = f"its special tokens are {known}" if known else "it has none"
            raise SpecialTokenError(f"{unknown[0]!r} is no special token of this tokenizer; {has}")
        cut = allowed | self.added_tokens
        other = copy(self)
        other._encoder = self._encoder.cutting(
            {token: number for token, number in self._special_ids.items() if token in cut}
        )
        return other

    def encode(
        self,
        text: str,
        on_step: Callable[[EncodeStep], None] | None = None,
        *,
        template: bool = False,
    ) -> list[int]:
        """Return the token ids of a text.

        Args:
            text: any text; special tokens in it are one id each.
            on_step: is called for each merge before the ids are returned, pretoken by pretoken.
            template: whether to add what the file's template puts around a text: see `in_template`.

        Raises:
            TextError: it is not a `str`, or a pretoken is too long for `on_step`.

        >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
        >>> Tokenizer(vocab, [(b"a", b"b")], ["<s>"]).encode("ab<s>c")
        [256, 257, 99]
        """
        if (
            on_step is None
            and not template
            and (ids := self._encoder.encode_short(text)) is not None
        ):
            return ids
        check_text(text)
        if on_step is not None:
            if not callable(on_step):
                raise ArgumentError(f"on_step is a function, and this is {short_repr(on_step)}")
            text = without_stray_surrogates(text)
            cut = list(pretokens(text, self.pattern, self._encoder.splitter))
            for length in (len(each.bytes) for each in cut):
                if length > LONGEST_STEPPED:
                    raise TextError(
                        f"a pretoken has {length:,} bytes, and on_step takes at most "
                        f"{LONGEST_STEPPED:,}; encode without it, or a shorter text"
                    )
            for pretoken in cut:
                for step in () if pretoken.special else self.steps(pretoken.bytes):
                    on_step(step)
        ids = self._encoder.encode(text)
        return list(self.in_template(ids)) if template else ids

    @checked
    def encode_traced(self, text: str) -> TracedEncoding:
        """Return the ids of a text with the merges that lead to them.

        Raises:
            TextError: it is not a `str`, or all its steps would not fit into memory.

        >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
        >>> traced = Tokenizer(vocab, [(b"a", b"b")]).encode_traced("abba")
        >>> traced, traced.ids, traced.pretokens[0].merges[0].step.pair
        (TracedEncoding(3 tokens, 1 merge), (256, 98, 97), (97, 98))
        """
        from engine.encoding.traced import trace_text  # slow, and only explanations need it

        return trace_text(self, check_text(text))

    @property
    def template_ids(self) -> tuple[Sequence[int] | None, ...]:
        """The ids that the file's template puts around a text; `None` is the text.

        `([101], None, [102])` for BERT's `[CLS] $A [SEP]`; `(None,)` if there is no template.
        """
        return (None,) if self.pipeline is None else self.pipeline.template_ids

    @checked
    def in_template(self, ids: Iterable[int]) -> Iterator[int]:
        """Yield the ids of a text with those that the file's template puts around it.

        These are `[CLS] … [SEP]` of BERT, `<s> … </s>` of RoBERTa: what Hugging Face's library adds
        with `add_special_tokens=True`. Without a template, the ids are unchanged.

        >>> from engine.formats.own_pipelines import wordpiece_pipeline
        >>> from engine.pipeline.as_tokenizer import tokenizer_of
        >>> from engine.wordpiece.tokenizer import WordPieceTokenizer
        >>> vocab = dict(enumerate([b"[UNK]", b"[CLS]", b"[SEP]", b"hug", b"##s"]))
        >>> bert = WordPieceTokenizer(vocab, ["[UNK]", "[CLS]", "[SEP]"])
        >>> tokenizer = tokenizer_of(wordpiece_pipeline(bert))
        >>> list(tokenizer.in_template([3, 4])), tokenizer.encode("hugs", template=True)
        ([1, 3, 4, 2], [1, 3, 4, 2])
        """
        return fill_template(self.template_ids, ids, iter)

    def encode_compactly(self, text: str) -> TokenIds:
        """Return the ids of a text, as an array of 32-bit integers if the kernel encodes.

        Raises:
            TextError: it is not a `str`.
        """
        return self._encoder.encode_compactly(check_text(text))

    @property
    def id_type(self) -> str:
        """NumPy's name of the smallest type for all ids: `<u2`, or `<u4` (16 or 32 bits)."""
        highest = max(self.vocab.keys() | self.special_ids, default=0)  # below 2³²
        return "<u2" if highest < 1 << 16 else "<u4"

    @checked
    def encode_array(self, text: str) -> np.ndarray:
        """Return the ids of a text in an array of `id_type`; a long text takes all cores.

        Raises:
            TextError: it is not a `str`.

        >>> Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).encode_array("low")
        array([108, 111, 119], dtype=uint16)
        """
        data = to_bytes(check_text(text))
        blocks = (data[at : at + THREAD_PIECE] for at in range(0, len(data), THREAD_PIECE))
        workers = None if len(data) >= WORTH_THREADS else 1
        found = self.encode_stream_compactly(blocks, workers)
        arrays = (np.asarray(ids, dtype=self.id_type) for ids in found)
        return np.concatenate([np.zeros(0, dtype=self.id_type), *arrays])

    @checked
    def encode_batch_arrays(
        self, texts: Iterable[str], workers: int | None = None
    ) -> list[np.ndarray]:
        """Return the ids of each text in an array of `id_type`, in the order of the texts.

        Args:
            texts, workers: as for `encode_batch`.

        Raises:
            TextError: one of them is not a `str`, or `texts` is a single `str`.
        """
        texts, workers = self._batch(texts, workers)
        found = encode_arrays(self._encoder, texts, workers)
        return [np.asarray(ids, dtype=self.id_type) for ids in found]

    @checked
    def encode_batch(
        self, texts: Iterable[str], workers: int | None = None, *, template: bool = False
    ) -> list[list[int]]:
        """Return the ids of each text, in the order of the texts.

        Args:
            texts: are encoded one by one.
            workers: threads to encode with, if the kernel encodes. By default one per core if the
                text is long enough for that.
            template: whether to add to each text what the file's template puts around it.

        Raises:
            TextError: one of them is not a `str`, or `texts` is a single `str`.
        """
        texts, workers = self._batch(texts, workers)
        all_ids = encode_lists(self._encoder, texts, workers)
        return [list(self.in_template(ids)) for ids in all_ids] if template else all_ids

    def _batch(self, texts: Iterable[str], workers: int | None) -> tuple[list[str], int]:
        """Return checked texts, and with how many threads to encode them."""
        if isinstance(texts, str):
            raise TextError("texts are a list, and this is a single one: write [text]")
        check_workers(workers)
        texts = list(map(check_text, texts))
        if workers is None:
            workers = available_cores() if sum(map(len, texts)) >= WORTH_THREADS else 1
        return texts, workers

    @checked
    def encode_iterable(self, chunks: Iterable[str]) -> Iterator[int]:
        """Yield the ids of a text that comes in chunks, cut anywhere, in bounded memory.

        The ids are those of `encode("".join(chunks))`: chunks are joined and cut again where no
        pretoken reaches across. Only a text without such a place is held in memory completely. Two
        surrogates of a pair have to be in one chunk, as in any text read from a file.
        """
        blocks = (to_bytes(check_text(chunk)) for chunk in chunks)
        return chain.from_iterable(map(as_list, self.encode_stream_compactly(blocks)))

    @checked
    def encode_stream_compactly(
        self, blocks: Iterable[bytes], workers: int | None = 1
    ) -> Iterator[TokenIds]:
        """Yield the ids of a text that comes in blocks of bytes: a list for each chunk.

        The lists are arrays if the kernel encodes.

        Args:
            blocks: UTF-8; a character may begin in one block and end in the next.
            workers: threads to encode with, if the kernel encodes; `None`: one per core.
        """
        check_workers(workers)
        if workers is None:
            workers = available_cores()
        is_alone = workers == 1 or not self._encoder.releases_lock
        size = ITERABLE_PIECE if is_alone else THREAD_PIECE
        cutter = ChunkCutter(self.pattern, self._encoder.splitter, size)
        chunks = (chunk.data for chunk in cutter.cut(map(_check_block, blocks)))
        return encode_chunks(self._encoder, chunks, workers)

    @property
    def encoder(self) -> Encoder:
        """The encoder of single pretokens."""
        return self._encoder.encoder

    @property
    def cut_out(self) -> Collection[str]:
        """The special tokens that are cut out of a text: those that are allowed."""
        return self._encoder.special_ids.keys()

    @checked
    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """Yield the merges that encode one pretoken."""
        return self._encoder.encoder.steps(_check_block(pretoken))

    @cached_property
    def rules(self) -> EncodingRules:
        """The rules that the encoding follows, for functions that explain it."""
        from engine.encoding.rules import EncodingRules  # slow, and only explanations need it

        return EncodingRules(
            self.alphabet,
            self.merge_table,
            1 + last_rank(self.merge_table),
            self.vocab,
            self._special_ids,
            self.pattern,
            self._encoder.splitter,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle and copy without what follows from the rest."""
        left_out = "rules", "_decoder"
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids; bytes that are not valid UTF-8 become U+FFFD.

        The decoder of a pipeline makes the text, if there is one. Special tokens are decoded, too.

        Raises:
            UnknownTokenIdError: names the id that the vocab lacks.

        >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
        >>> Tokenizer(vocab, [(b"a", b"b")]).decode([256, 99, 195])
        'abc\ufffd'
        """
        if (text := self._decoder.text_of(ids)) is not None:
            return text
        if self.pipeline is not None:
            ids = list(ids)
            self.decode_bytes(ids)  # raises an error that names an unknown id
            return self.pipeline.decode(ids)
        return self.decode_bytes(ids).decode("utf-8", "replace")

    @cached_property
    def _decoder(self) -> TokenDecoder:
        return TokenDecoder(self.vocab, self.pipeline)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of the ids, exactly; with a normalizer, those of normalized text.

        Raises:
            UnknownTokenIdError: names the id that the vocab lacks.
        """
        if (data := self._decoder.bytes_of(ids)) is not None:
            return data
        vocab = self.vocab
        try:
            ids = list(ids)
            if not set(map(type, ids)) <= {int} and not all(map(is_whole, ids)):
                raise _no_ids(next(each for each in ids if not is_whole(each)))
            return b"".join([vocab[token_id] for token_id in ids])
        except KeyError as error:
            raise UnknownTokenIdError.of(error.args[0], len(vocab)) from None
        except TypeError:
            raise _no_ids(ids) from None

    @classmethod
    @checked
    def from_files(
        cls,
        vocab_path: str | os.PathLike[str],
        merges_path: str | os.PathLike[str] | None = None,
        special_tokens: Sequence[str] | None = None,
        pattern: PatternLike | None = None,
    ) -> Self:
        """Read a tokenizer from a vocabulary and merges; the signature of Stanford CS336.

        The content shows the format: GPT-2's `vocab.json` and `merges.txt`, pickles (read, never
        executed) or JSON. `from_file` is another name of this method.

        Args:
            vocab_path: the vocabulary; or a file or directory with everything, as for `load`.
            merges_path: the merges, if they are a file of their own.
            special_tokens: the only texts that are special if there are two files.
            pattern: by default the pattern in the files, or else GPT-2's.

        Raises:
            TokenizerFileError: a file is missing, malformed or cut short.
        """
        if merges_path is None:
            return cls.load(vocab_path, None, special_tokens, pattern)
        found = formats().read_vocab_and_merges(
            vocab_path, merges_path, special_tokens=special_tokens
        )
        if found is None:
            return cls.load(vocab_path, merges_path, special_tokens, pattern)
        read, _ = found
        read.check_merges()
        return cls(read.vocab, read.merges, special_tokens, pattern or read.pattern or "gpt2")

    from_file = from_files

    @classmethod
    @checked
    def load(
        cls,
        path: str | os.PathLike[str],
        merges_path: str | os.PathLike[str] | None = None,
        special_tokens: Sequence[str] | None = None,
        pattern: PatternLike | None = None,
    ) -> Self:
        """Read a tokenizer in any known format.

        Args:
            path: a file, or a directory of files; or a vocabulary, with `merges_path`.
            special_tokens, pattern: for files that do not have them; see `Tokenizer`.

        Returns:
            The tokenizer; of a subclass, an object of the subclass.

        Raises:
            TokenizerFileError: no format is recognised, or a file is missing or malformed.
        """
        paths = [path] if merges_path is None else [path, merges_path]
        opened = formats().open_tokenizer(*paths, special_tokens=special_tokens, pattern=pattern)
        found: Tokenizer = opened.tokenizer
        if isinstance(found, cls):
            return found
        subclassed = copy(found)
        subclassed.__class__ = cls
        assert isinstance(subclassed, cls)
        return subclassed

    @checked
    def save(
        self,
        path: str | os.PathLike[str],
        format: FormatName | None = None,
        *,
        overwrite: bool = False,
    ) -> None:
        """Write the tokenizer.

        Args:
            path: the file, or the directory of the files.
            format: a name in `engine.formats.FORMATS`; by default GPT-2's two files in a directory.
            overwrite: whether an existing file may be replaced.

        Raises:
            OutputExistsError: the file exists and `overwrite` is false.
            TokenizerFileError: the format cannot express this tokenizer.
        """
        formats().save(self, path, format, overwrite=overwrite)
