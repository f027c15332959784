"""The merge tree of a token: how it came from bytes or characters, line by line."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.recording.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class TreeLine:
    """A token in the tree.

    `rank` is that of the merge that made it, `None` for a byte or a special token; `folded` says
    that its parts are left out. `trunk` has an entry for each level above: whether another line of
    that level follows further down, which a drawing needs (`├─`, `└─`, `│`).
    """

    token_id: int
    rank: int | None
    folded: bool
    trunk: tuple[bool, ...]


def merge_tree(
    vocabulary: Vocabulary, token_id: int, folded: Collection[int] = ()
) -> Iterator[TreeLine]:
    """The token, then its two parts with theirs, depth first, down to what no merge has made.

    Below the ids in `folded` nothing is told. A tree may have millions of lines: take as many as
    there is room for.

        "the" = t + he, he = h + e      the   rank 2, trunk ()
                                        t             trunk (True,)
                                        he    rank 1, trunk (False,)
                                        h             trunk (False, True)
                                        e             trunk (False, False)

    Raises:
        UnknownTokenIdError: there is no such token.
    """
    waiting: list[tuple[int, tuple[bool, ...]]] = [(token_id, ())]
    while waiting:
        token_id, trunk = waiting.pop()
        parts = vocabulary.parents_of(token_id)
        is_folded = parts is not None and token_id in folded
        yield TreeLine(token_id, vocabulary.rank_of(token_id), is_folded, trunk)
        if parts is not None and not is_folded:
            left, right = parts
            waiting.append((right, (*trunk, False)))
            waiting.append((left, (*trunk, True)))
