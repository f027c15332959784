"""`TracedEncoding`: a text's ids with the merges that lead to them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.errors import TextError
from engine.core.wording import counted
from engine.encoding.rules import EncodingRules, HasRules, TracedPretoken, trace

MOST_IDS = 1 << 24
"""Most ids in the steps of a traced text, with each step's ids before its merge: about 270 MB."""


@dataclass(frozen=True, repr=False)
class TracedEncoding:
    """The encoding of a text with all its steps.

    Attributes:
        rules: what the encoding followed.
        pretokens: the pretokens in order, each with its ids and merges.
    """

    rules: EncodingRules
    pretokens: tuple[TracedPretoken, ...]

    @property
    def ids(self) -> tuple[int, ...]:
        """The token ids of the text."""
        return tuple(token_id for piece in self.pretokens for token_id in piece.ids)

    @property
    def merge_count(self) -> int:
        """Number of merges in all pretokens."""
        return sum(len(piece.merges) for piece in self.pretokens)

    def __repr__(self) -> str:
        """Return a summary: `TracedEncoding(3 tokens, 1 merge)`."""
        size = f"{counted(len(self.ids), 'token')}, {counted(self.merge_count, 'merge')}"
        return f"{type(self).__name__}({size})"


def trace_text(source: HasRules, text: str) -> TracedEncoding:
    """Return the encoding of a text with all its steps.

    Raises:
        TextError: the steps would not fit into memory.
    """
    rules = source.rules
    # Each merge keeps the ids of its pretoken, so the steps grow with the square of its length.
    if sum(len(piece.bytes) ** 2 for piece in rules.pretokens(text)) > MOST_IDS:
        raise TextError("the steps of this text would not fit into memory; trace a shorter one")
    return TracedEncoding(rules, tuple(trace(source, text)))
