"""The targets of rows: what a panel posts when Enter or a click chooses a row.

The command line makes such rows, too, so this module imports nothing of Textual.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.events import Pair


@dataclass(frozen=True)
class ToStep:
    """The state after a merge."""

    step: int


@dataclass(frozen=True)
class ToOpening:
    """The window that opens a text to count in."""


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
    """The pretokens in which the current merge changed the count of a pair."""

    pair: Pair


@dataclass(frozen=True)
class ToQuestion:
    """The explanation of a token, or of two neighbouring tokens."""

    ids: tuple[int, ...]


@dataclass(frozen=True)
class ToLine:
    """A line of the corpus, counted from 0."""

    line: int


@dataclass(frozen=True)
class ToPiece:
    """A piece in the table of pieces, by its number."""

    number: int


@dataclass(frozen=True)
class ToKind:
    """The training of a kind of tokenizer, on the same corpus."""

    name: str
