"""Where a row can lead: what panels post when Enter or a click chooses one.

The shell makes such rows, too, so nothing of textual is imported here.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.events import Pair


@dataclass(frozen=True)
class ToStep:
    """The state after a merge."""

    step: int


@dataclass(frozen=True)
class ToPair:
    """The merge of a pair, if it merges at all."""

    pair: Pair


@dataclass(frozen=True)
class ToPretoken:
    """A pretoken, merge by merge."""

    pretoken: bytes


@dataclass(frozen=True)
class ToToken:
    """A token in the vocabulary."""

    token_id: int


@dataclass(frozen=True)
class ToChange:
    """The pretokens behind what the present merge did to the count of a pair."""

    pair: Pair


@dataclass(frozen=True)
class ToQuestion:
    """What there is to say about a token, or about two side by side."""

    ids: tuple[int, ...]


@dataclass(frozen=True)
class ToLine:
    """A line of the corpus, by its place from 0."""

    line: int


@dataclass(frozen=True)
class ToPiece:
    """A piece in the table of pieces, by its number."""

    number: int


@dataclass(frozen=True)
class ToKind:
    """The training of a kind of tokenizer, on the same corpus."""

    name: str
