"""tiktoken's rank files: on each line a token in base64 and its rank, which is its id.

    IQ== 0
    Ig== 1

The merges are not written, they follow from the ranks: see `ranks`. Nor are the pattern
and the special tokens: see `known_ranks`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import Error as Base64Error
from binascii import a2b_base64
from functools import partial
from itertools import pairwise
from pathlib import Path

from engine.core.errors import TokenizerFileError, VocabularyError
from engine.core.files import write_files
from engine.encoding.tokenizer import Tokenizer
from engine.formats.guesses import note_gaps, note_guessed_pattern, number_special_tokens
from engine.formats.known_ranks import known_ranks, likely_pattern, likely_ranks
from engine.formats.ranks import ranks_of, tokenizer_of_ranks
from engine.formats.source import Source, check_lines, read_bytes
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

_FIRST_LINE = re.compile(rb"(?=\S{4})[A-Za-z0-9+/]+={0,2} \d+\r?(\n|$)")
_MOST_DIGITS = 9
_ALL_LINES = re.compile(rb"(?:[A-Za-z0-9+/=]+ \d{1,%d}(?:\r?\n|\Z))*+" % _MOST_DIGITS)
_EMPTY_TOKEN = re.compile(rb"^=+ \d{1,9}\r?(?:\n|\Z)", re.MULTILINE)
_token_of = partial(a2b_base64, strict_mode=True)


def recognises(source: Source) -> bool:
    return source.only_file is not None and _FIRST_LINE.match(source.heads[0]) is not None


def load(source: Source, overrides: Overrides) -> Opened:
    data = check_lines(source.paths[0], read_bytes(source.paths[0]))
    ranks = read_ranks(source, _EMPTY_TOKEN.sub(b"", data))
    empty = _EMPTY_TOKEN.search(data)
    known = known_ranks(data)
    likely = None if known else likely_ranks(ranks, has_empty=empty is not None)
    used = known or likely
    pattern = overrides.pattern or (used.pattern if used else likely_pattern(ranks))
    told = used.special_ids if used else {}
    special_ids = number_special_tokens(overrides.special_tokens, told, ranks.values())
    try:
        tokenizer, notes = tokenizer_of_ranks(ranks, special_ids, pattern)
    except VocabularyError as error:
        raise TokenizerFileError(f"{source}: {error}") from None
    if known:
        notes.insert(0, f"recognised as {known.name}, with its pattern and special tokens")
    elif likely:
        notes.insert(0, f"{likely.name}, with their pattern and special tokens, by {likely.why}")
    else:
        notes += note_guessed_pattern(overrides, _told(tokenizer.pattern.name))
        if overrides.special_tokens is None:
            notes.append("the file names no special tokens; none are taken")
        notes += note_gaps(tokenizer.vocab)
    if empty:
        rank = empty.group().split()[1].decode()
        notes.append(f"its token {rank} has no bytes, as in Whisper's files, and is left out")
    return Opened(tokenizer, FORMAT.name, tuple(notes))


def _told(pattern: str) -> str:
    return (
        "GPT-2's" if pattern == "gpt2" else f"{pattern}, which its tokens fit better than GPT-2's,"
    )


def read_ranks(source: Source, data: bytes) -> dict[bytes, int]:
    """token → rank.

    Raises:
        TokenizerFileError: a line is no token and rank, or one of them is there twice.
    """
    return _read_at_once(data) or _read_by_line(source, data)


def _read_at_once(data: bytes) -> dict[bytes, int] | None:
    """The ranks if all lines are well formed; `None` to look at each of them."""
    if not _ALL_LINES.fullmatch(data):
        return None
    fields = data.split()
    try:
        tokens = list(map(_token_of, fields[::2]))
    except Base64Error:
        return None
    ranks = dict(zip(tokens, map(int, fields[1::2]), strict=True))
    all_differ = len(tokens) == len(ranks) == len(set(ranks.values()))
    return ranks if all_differ and b"" not in ranks else None


def _read_by_line(source: Source, data: bytes) -> dict[bytes, int]:
    """The ranks, read line by line, so that it is known which line is wrong."""
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line or line == b"\r":
            continue
        token, rank = _read_line(f"{source}: line {number}", line)
        if token in ranks:
            raise TokenizerFileError(f"{source}: line {number} has the token {token!r} again")
        ranks[token] = rank
    if len(set(ranks.values())) < len(ranks):
        by_rank = sorted(ranks.values())
        twice = next(a for a, b in pairwise(by_rank) if a == b)
        raise TokenizerFileError(f"{source}: the rank {twice} is given to two tokens")
    return ranks


def _read_line(place: str, line: bytes) -> tuple[bytes, int]:
    try:
        spelled, rank = line.split()
        token = _token_of(spelled)
    except Base64Error as error:
        raise TokenizerFileError(f"{place}: {line[:60]!r} is no base64: {error}") from None
    except ValueError:
        token, rank = b"", b""
    if not token or not rank.isdigit() or len(rank) > _MOST_DIGITS:
        raise TokenizerFileError(
            f"{place} is not a token in base64 and its rank: {line[:60]!r}; is it cut short?"
        )
    return token, int(rank)


def save(tokenizer: Tokenizer, path: Path, overwrite: bool) -> None:
    try:
        ranks = ranks_of(tokenizer)
    except VocabularyError as error:
        raise TokenizerFileError(f"{path}: {error}") from None
    in_order = sorted((rank, token) for token, rank in ranks.items())
    lines = [b"%b %d\n" % (b64encode(token), rank) for rank, token in in_order]
    write_files({path: b"".join(lines)}, overwrite=overwrite)


FORMAT = TokenizerFormat(
    *("tiktoken", "tiktoken's file of tokens in base64 and ranks", recognises, load, save),
    suffix=".tiktoken",
)
