"""`TracedEncoding`: a text's ids with the merges that lead to them, also as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.core import html
from engine.core.errors import TextError
from engine.core.events import PAIR_SIGN
from engine.core.wording import counted
from engine.encoding.rules import EncodingRules, HasRules, TracedMerge, TracedPretoken, trace

MOST_IDS = 1 << 24
"""Most ids in the steps of a traced text, with each step's ids before its merge: about 270 MB."""
MOST_MERGES = 8
"""Most merges shown of a pretoken."""


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
        return f"{type(self).__name__}({self._summary})"

    @property
    def _summary(self) -> str:
        tokens = sum(len(piece.ids) for piece in self.pretokens)
        return f"{counted(tokens, 'token')}, {counted(self.merge_count, 'merge')}"

    def _repr_html_(self) -> str:
        """Return the tokens in colours, and for each pretoken its ids and merges."""
        tokens = (self._tokens(piece.ids) for piece in self.pretokens)
        return html.page(
            html.paragraph(html.pretokens(tokens)),
            html.paragraph(f"{counted(len(self.pretokens), 'pretoken')}, {self._summary}."),
            html.table(("pretoken", "tokens", "ids", "merges"), map(self._row, self.pretokens)),
        )

    def _row(self, piece: TracedPretoken) -> tuple[str, ...]:
        merges = [self._merge(merge) for merge in piece.merges[:MOST_MERGES]]
        if (more := len(piece.merges) - len(merges)) > 0:
            merges.append(html.Html(f"… and {more:,} more"))
        ids = " ".join(map(str, piece.ids[: html.MOST_IN_CELL]))
        return (
            html.token(piece.pretoken.bytes),
            html.tokens(self._tokens(piece.ids), html.MOST_IN_CELL),
            f"{ids} …" if len(piece.ids) > html.MOST_IN_CELL else ids,
            html.lines(merges),
        )

    def _merge(self, merge: TracedMerge) -> html.Html:
        """Return a merge as a clause: `t+h → th (merge 4)`."""
        left, right, made = self._tokens((*merge.step.pair, merge.step.token_id))
        number = f" (merge\N{NO-BREAK SPACE}{merge.step.rank + 1:,})"
        return html.sentence((left, PAIR_SIGN, right, " → ", made, number))

    def _tokens(self, ids: Iterable[int]) -> Iterator[bytes]:
        return map(self.rules.vocab.__getitem__, ids)


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
