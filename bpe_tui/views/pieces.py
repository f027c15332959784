"""Tokens, pairs and pretokens as spans: how they look, everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bpe_tui.widgets.rows import TOKEN_HUES
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.core.events import Pair
from engine.text.pretokenize import Pretoken

if TYPE_CHECKING:
    from bpe_tui.widgets.rows import Span
    from engine.recording.merge_frame import AnyMergeFrame

PRETOKEN_BORDER: Span = ("│", "border")
TOKEN_BORDER: Span = ("┊", "cut")


class TokenPainter:
    """Draws the tokens of one frame. `marks` puts «» round the fresh token, for want of colour.

    A token is looked up in the record's whole vocab: a row of the future may name it.
    """

    def __init__(self, frame: AnyMergeFrame, *, marks: bool) -> None:
        self.frame = frame
        self.fresh = frame.merge.new_id if frame.merge else -1
        self.marks = marks

    def role(self, token_id: int) -> str:
        """Bytes and characters are plain, special tokens special; merged ones have hues."""
        if token_id == self.fresh:
            return "fresh"
        if self.frame.is_special(token_id):
            return "special"
        if self.frame.is_base(token_id):
            return ""
        return f"token-{token_id % TOKEN_HUES}"

    def token(self, token_id: int) -> Span:
        text = visible_bytes(self.frame.any_token(token_id))
        if self.marks and token_id == self.fresh:
            text = f"«{text}»"
        return text, self.role(token_id)

    def tokens(self, ids: Iterable[int]) -> list[Span]:
        """The tokens of one pretoken with the borders between them."""
        spans: list[Span] = []
        for token_id in ids:
            if spans:
                spans.append(TOKEN_BORDER)
            spans.append(self.token(token_id))
        return spans

    def pair(self, pair: Pair, between: str = " │ ") -> list[Span]:
        return [self.token(pair[0]), (between, "border"), self.token(pair[1])]

    def pretoken(self, pretoken: Pretoken) -> list[Span]:
        if pretoken.special:
            return [(f"╌╌ {visible_text(pretoken.text)} ╌╌", "special")]
        return self.tokens(self.frame.tokens_of(pretoken.bytes))


def pair_text(frame: AnyMergeFrame, pair: Pair) -> str:
    """A pair in one string, for sentences."""
    return " │ ".join(visible_bytes(frame.any_token(token_id)) for token_id in pair)
