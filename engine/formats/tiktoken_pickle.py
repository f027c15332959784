r"""Pickles of a `tiktoken.Encoding`, as nanochat keeps its tokenizer in `tokenizer.pkl`.

    tiktoken.core.Encoding ← {"name": "rustbpe", "pat_str": "…", "mergeable_ranks": {b"!": 33, …},
                              "special_tokens": {"<|bos|>": 65527, …}}

The pickle is read as data, so neither tiktoken nor anything else in it is executed (see
`safe_pickle`). tiktoken pickles its own encodings by name only. Such a file is refused with that
name, since its ranks would have to be fetched.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as short_repr
from typing import Any

from engine.core.errors import PatternError, VocabularyError, errors_at
from engine.formats.guesses import describe_pattern, number_special_tokens, pattern_of
from engine.formats.merges_of_ranks import tokenizer_of_ranks
from engine.formats.safe_pickle import PickledObject, PickleError, load_pickles
from engine.formats.source import TokenizerSource, read_bytes, read_head
from engine.formats.tokenizer_format import Opened, Overrides, TokenizerFormat

FILE = "tokenizer.pkl"
HIGHEST_ID = 1 << 31
_HEAD = re.compile(
    rb"(?:\x80.)?(?:\x95.{8})?"  # the protocol's number, and a frame in later ones
    rb"(?:ctiktoken\.core\nEncoding\n|\x8c\x0dtiktoken\.core.{0,3}\x8c\x08Encoding)",
    re.DOTALL,
)


@dataclass(frozen=True)
class EncodingParts:
    """The parts of a tiktoken encoding.

    Attributes:
        pattern: its regex.
        ranks: token → id.
        special_ids: special token → id.
    """

    pattern: str
    ranks: Mapping[bytes, int]
    special_ids: Mapping[str, int]

    def opened(self, overrides: Overrides, format: str) -> Opened:
        """Return the tokenizer that encodes as the encoding does.

        Args:
            format: name of the format that the parts were read from.

        Raises:
            PatternError: the regex cannot be used.
            VocabularyError: a byte has no rank, or the tokens are too long.
        """
        pattern = overrides.pattern or pattern_of(self.pattern, is_fancy=True)
        numbered = number_special_tokens(
            overrides.special_tokens, self.special_ids, self.ranks.values()
        )
        shared = _sharing_ids(numbered)
        # The last token of an id is the one that ids decode to.
        decoded = {_decoded_by_tiktoken(numbered, token_id): token_id for token_id in shared}
        numbered = {token: i for token, i in numbered.items() if token not in decoded} | decoded
        tokenizer, notes = tokenizer_of_ranks(self.ranks, numbered, pattern)
        for token, token_id in decoded.items():
            names = " ".join(shared[token_id])
            notes.append(
                f"several special tokens have the id {token_id}: {names}; it decodes to {token}"
            )
        if overrides.pattern is None:
            notes = [describe_pattern(tokenizer.pattern), *notes]
        return Opened(tokenizer, format, tuple(notes))


def _sharing_ids(special_ids: Mapping[str, int]) -> dict[int, list[str]]:
    """Return the ids that several special tokens have, with these."""
    tokens: defaultdict[int, list[str]] = defaultdict(list)
    for token, token_id in special_ids.items():
        tokens[token_id].append(token)
    return {token_id: each for token_id, each in tokens.items() if len(each) > 1}


def _decoded_by_tiktoken(special_ids: Mapping[str, int], token_id: int) -> str:
    """Return which special token of an id tiktoken decodes: the first, if it is not installed.

    It goes through them in the order of a hash.
    """
    try:
        import tiktoken
    except ImportError:
        return next(token for token, i in special_ids.items() if i == token_id)
    ranks = {bytes([byte]): HIGHEST_ID + byte for byte in range(256)}
    encoding = tiktoken.Encoding(
        "special", pat_str=".", mergeable_ranks=ranks, special_tokens=dict(special_ids)
    )
    return encoding.decode([token_id])


def recognises(source: TokenizerSource) -> bool:
    path = source.file_named(FILE)
    return path is not None and _HEAD.match(read_head(path)) is not None


def load(source: TokenizerSource, overrides: Overrides) -> Opened:
    """Open a pickled encoding.

    Raises:
        TokenizerFileError: it is damaged, holds more than data, or only an encoding's name.
    """
    path = source.file_named(FILE)
    assert path is not None  # the source was recognised
    with errors_at(path, VocabularyError, PatternError):
        return _read(load_pickles(read_bytes(path))).opened(overrides, FORMAT.name)


def _read(values: list[Any]) -> EncodingParts:
    match values:
        case [PickledObject(state=str(name))]:
            raise PickleError(
                f"holds only the name of tiktoken's encoding {name[:60]!r}, and not its ranks; "
                f"open the encoding by its name: tiktoken:{name[:60]}"
            )
        case [
            PickledObject(
                state={
                    "name": str(),
                    "pat_str": str(pattern),
                    "mergeable_ranks": dict(ranks),
                    "special_tokens": dict(special_ids),
                }
            )
        ]:
            _check_ids(ranks, bytes, "rank")
            _check_ids(special_ids, str, "special token")
            if not set(special_ids.values()).isdisjoint(ranks.values()):
                raise PickleError("gives a special token the id of another token")
            return EncodingParts(pattern, ranks, special_ids)
    raise PickleError(
        "is no pickled encoding of tiktoken: name, pat_str, mergeable_ranks and special_tokens "
        "are looked for"
    )


def _check_ids(ids: dict[Any, Any], kind: type, what: str) -> None:
    """Check that these are distinct tokens with distinct ids."""
    for token, token_id in ids.items():
        if not isinstance(token, kind) or not token:
            raise PickleError(f"has a {what} of a token that is no {kind.__name__}, or empty")
        if type(token_id) is not int or not 0 <= token_id < HIGHEST_ID:
            raise PickleError(f"has a {what}, {short_repr(token)}, whose id is none")
    if len(set(ids.values())) < len(ids) and kind is bytes:
        raise PickleError(f"gives two tokens the same {what} id")


FORMAT = TokenizerFormat(
    "tiktoken-pickle",
    "a pickled encoding of tiktoken, such as nanochat's tokenizer.pkl",
    recognises,
    load,
)
