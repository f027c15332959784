"""A training of BPE, or a replay, without a screen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bpe_tui.bpe.narration import (
    describe_unknown,
    format_pair,
    narrate,
    narrate_back,
    narrate_tie,
)
from bpe_tui.views.narration import times
from bpe_tui.views.transcript import AT_THE_END, LISTED, MOVES, MergeTranscript, PlainCommand
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.bpe.frame import Frame
from engine.core.events import Pair
from engine.text.pretokenize import to_bytes


class BpeTranscript(MergeTranscript[Frame]):
    """Answers commands about recorded merges."""

    COMMANDS = (
        *MOVES,
        PlainCommand("tie [back]", "To the next merge that was tied, or the one before."),
        PlainCommand("why", "Why this pair merged; what other tie rules would take."),
        PlainCommand("merge", "The merge in full: pretokens, counts changed."),
        PlainCommand("pairs [N]", "The most frequent pairs."),
        PlainCommand("encode TEXT", "A text with the merges of this step."),
        PlainCommand("save DIR", "Save the tokenizer of this step."),
        *AT_THE_END,
    )

    def narrate(self) -> str:
        return narrate(self.frame)

    def narrate_back(self) -> str:
        return narrate_back(self.frame)

    def narrate_tie(self) -> str:
        return narrate_tie(self.frame)

    def format_pair(self, pair: Pair) -> str:
        return format_pair(self.frame, pair)

    def ranked(self, most: int) -> Iterator[str]:
        for pair, count in self.frame.top_pairs(most):
            yield f"{self.format_pair(pair)}, {times(count)}."

    def why(self, rest: str) -> Iterator[str]:
        yield narrate_tie(self.frame)
        merge = self.frame.merge
        if merge is None or len(merge.tied) == 1:
            return
        for rule, pair in self.frame.choices_before.items():
            if pair != merge.pair:
                yield f"The tie rule {rule} would have merged {format_pair(self.frame, pair)}."

    def merge(self, rest: str) -> Iterator[str]:
        frame, merge = self.frame, self.frame.merge
        yield self.describe_step()
        if merge is None:
            return
        yield f"Its id is {merge.new_id}. It is in {plural(merge.pretokens, 'pretoken')}."
        for touched in frame.affected(LISTED):
            word, after = visible_bytes(touched.pretoken), self._tokens(touched.after)
            yield f"The pretoken {word}, {times(touched.count)}, is {after} now."
        yield from self.describe_changes(merge.changes)

    def encode(self, rest: str) -> Iterator[str]:
        if not rest:
            yield "Say a text to encode, like encode the cat."
            return
        ids = [token_id for piece in self.frame.encode(rest) for token_id in piece.ids]
        tokens, size = plural(len(ids), "token"), plural(len(to_bytes(rest)), "byte")
        yield f"{tokens} for {size}: {self._tokens(ids)}."
        yield f"In ids: {' '.join(map(str, ids))}."
        if unknown := describe_unknown(self.frame, rest):
            yield unknown

    def save(self, rest: str) -> Iterator[str]:
        if not rest:
            yield "Say a directory to save in, like save my-tokenizer."
            return
        self.frame.tokenizer().save(Path(os.path.expanduser(rest)))
        step, place = number(self.frame.step), visible_text(rest, spaces=False)
        yield f"Saved the tokenizer of step {step} in {place}."

    def _tokens(self, ids: Iterable[int]) -> str:
        return ", ".join(visible_bytes(self.frame.token(token_id)) for token_id in ids)
