"""Where a row can lead: what panels post when Enter or a click chooses one."""

from __future__ import annotations

from dataclasses import dataclass

from engine.events import Pair


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
