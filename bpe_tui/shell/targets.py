"""The targets of rows: what a panel posts when Enter or a click chooses a row.

The command line makes such rows, too, so this module imports nothing of Textual. `LEADS` is the
label of Enter in the footer.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.events import Pair


@dataclass(frozen=True)
class ToStep:
    """The state after a merge."""

    LEADS = "go to the step"

    step: int


@dataclass(frozen=True)
class ToOpening:
    """The window that opens a text to count in."""

    LEADS = "open a text"


@dataclass(frozen=True)
class ToPair:
    """The merge of a pair, if it merges at all."""

    LEADS = "go to its merge"

    pair: Pair


@dataclass(frozen=True)
class ToPretoken:
    """A pretoken, merge by merge."""

    LEADS = "encode it"

    pretoken: bytes


@dataclass(frozen=True)
class ToToken:
    """A token in the vocabulary."""

    LEADS = "go to the token"

    token_id: int


@dataclass(frozen=True)
class ToChange:
    """The pretokens in which the current merge changed the count of a pair."""

    LEADS = "its pretokens"

    pair: Pair


@dataclass(frozen=True)
class ToQuestion:
    """The explanation of a token, or of two neighbouring tokens."""

    LEADS = "explain"

    ids: tuple[int, ...]


@dataclass(frozen=True)
class ToLine:
    """A line of the corpus, counted from 0."""

    LEADS = "go to the line"

    line: int


@dataclass(frozen=True)
class ToPiece:
    """A piece in the table of pieces, by its number."""

    LEADS = "go to the piece"

    number: int


@dataclass(frozen=True)
class ToKind:
    """The training of a kind of tokenizer, on the same corpus."""

    LEADS = "train it"

    name: str
