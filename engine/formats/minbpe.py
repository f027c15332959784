"""minbpe's `.model` files: the pattern, the special tokens, and the merges as pairs of ids.

    minbpe v1
    \\w+|\\W
    1
    <|endoftext|> 258
    97 98
    256 99

Bytes are their own ids, and the merges make the tokens 256, 257, …, so a tokenizer with other ids
must be renumbered before it is written. The last space of a line separates a special token from its
id: minbpe writes tokens that hold spaces, though it cannot read them again.
"""

from __future__ import annotations

from pathlib import Path

from engine.core.errors import PatternError, TokenizerFileError
from engine.core.events import Pair
from engine.core.files import write_files
from engine.encoding.alphabet import BYTES
from engine.encoding.tokenizer import Tokenizer
from engine.formats.guesses import describe_pattern, is_text, number_special_tokens, pattern_of
from engine.formats.source import LARGEST, TokenizerSource, read_lines, whole_number
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat, made_by_merges

VERSION_LINE = "minbpe v1"


def recognises(source: TokenizerSource) -> bool:
    return source.only_file is not None and source.heads[0].startswith(b"minbpe ")


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    lines = _LineReader(source)
    if lines.next().strip() != VERSION_LINE:
        raise lines.error(f"is another version than {VERSION_LINE!r}, the one that is known")
    try:
        own_pattern = pattern_of(lines.next().strip())
    except PatternError as error:
        raise lines.error(f"is a pattern that cannot be used ({error})") from None
    special_ids = _read_special_ids(lines)
    pairs = _read_pairs(lines)
    vocab = {byte: bytes((byte,)) for byte in range(256)}
    room = LARGEST
    for left, right in pairs:
        room -= len(vocab[left]) + len(vocab[right])
        if room < 0:  # forty merges that double a token would take a terabyte
            raise TokenizerFileError(f"{source}: its tokens take more than {LARGEST >> 20} MB")
        vocab[len(vocab)] = vocab[left] + vocab[right]
    for token, token_id in special_ids.items():
        if token_id in vocab:
            raise TokenizerFileError(
                f"{source}: the special token {token!r} has the id {token_id} of another token"
            )
    made = Tokenizer(
        vocab,
        [(vocab[left], vocab[right]) for left, right in pairs],
        number_special_tokens(overrides.special_tokens, special_ids, vocab),
        own_pattern if overrides.pattern is None else overrides.pattern,
        alphabet=BYTES,
        table={pair: (rank, 256 + rank) for rank, pair in enumerate(pairs)},
    )
    notes = () if overrides.pattern else (describe_pattern(own_pattern),)
    return Opened(made, FORMAT.name, notes)


class _LineReader:
    """A reader of lines, one after another, whose errors name the line read last."""

    def __init__(self, source: TokenizerSource) -> None:
        self._source = source
        self._lines = read_lines(source.paths[0])
        if self._lines[-1] == "":
            self._lines.pop()  # after the end of the last line
        self._read = 0

    def next(self) -> str:
        if self.are_read:
            raise TokenizerFileError(f"{self._source}: ends too early; is it cut short?")
        self._read += 1
        return self._lines[self._read - 1]

    @property
    def are_read(self) -> bool:
        return self._read == len(self._lines)

    def error(self, what: str) -> TokenizerFileError:
        line = self._lines[self._read - 1]
        return TokenizerFileError(f"{self._source}: line {self._read} {what}: {line[:60]!r}")


def _read_special_ids(lines: _LineReader) -> dict[str, int]:
    how_many = whole_number(lines.next())
    if how_many is None:
        raise lines.error("does not say how many special tokens follow")
    special_ids: dict[str, int] = {}
    taken: set[int] = set()
    for _ in range(how_many):
        token, _, spelled_id = lines.next().rpartition(" ")
        token_id = whole_number(spelled_id)
        if not token or token_id is None:
            raise lines.error("is no special token with its id")
        if token in special_ids or token_id in taken:
            raise lines.error("has a special token or its id again")
        special_ids[token] = token_id
        taken.add(token_id)
    return special_ids


def _read_pairs(lines: _LineReader) -> list[Pair]:
    """Read the merges; each may use only tokens of earlier lines."""
    pairs: dict[Pair, None] = {}
    while not lines.are_read:
        ids = [whole_number(spelled) for spelled in lines.next().split(" ")]
        match ids:
            case [int(left), int(right)]:
                pair = left, right
            case _:
                raise lines.error("is no pair of ids")
        if max(pair) >= 256 + len(pairs):
            raise lines.error(f"merges a token that is not made yet, {max(pair)}")
        if pair in pairs:
            raise lines.error("merges a pair again")
        pairs[pair] = None
    return list(pairs)


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    merges = made_by_merges(tokenizer)
    special_ids = tokenizer.rules.special_ids
    in_minbpes_order = (
        list(tokenizer.alphabet.token_ids) == list(range(256))
        and [made for _, made in merges] == list(range(256, 256 + len(merges)))
        and len(tokenizer.vocab) == 256 + len(merges) + len(special_ids)
    )
    if not in_minbpes_order:
        raise TokenizerFileError(
            f"{path}: minbpe numbers the bytes, then the merges, then special tokens, and this "
            "tokenizer has other ids; take another format"
        )
    if not _is_word(tokenizer.pattern.source.replace(" ", "")):
        raise TokenizerFileError(f"{path}: the pattern does not fit on a line")
    for token in special_ids:
        if not _is_word(token):
            raise TokenizerFileError(
                f"{path}: the special token {token!r} holds whitespace, which minbpe cannot read"
            )
    lines = [
        *(VERSION_LINE, tokenizer.pattern.source, str(len(special_ids))),
        *(f"{token} {token_id}" for token, token_id in special_ids.items()),
        *(f"{left} {right}" for (left, right), _ in merges),
    ]
    write_files({path: "\n".join(lines).encode() + b"\n"}, overwrite=overwrite)


def _is_word(text: str) -> bool:
    """Whether Python's `split` does not divide it and UTF-8 can encode it."""
    return text.split() == [text] and is_text(text)


FORMAT = TokenizerFormat(
    "minbpe", "minbpe's .model file", recognises, load, save, prescribes_ids=True, suffix=".model"
)
