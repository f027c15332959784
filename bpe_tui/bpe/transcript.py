"""A training of BPE, or a replay, without a screen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bpe_tui.narration import (
    narrate,
    narrate_back,
    narrate_tie,
    times,
    told_pair,
    told_unknown,
)
from bpe_tui.transcript import AT_THE_END, LISTED, MOVES, PlainCommand, Transcript
from bpe_tui.visible import number, plural, visible_bytes, visible_text
from engine.frame import Frame
from engine.pretokenize import to_bytes


class BpeTranscript(Transcript[Frame]):
    """Answers commands about recorded merges."""

    STEPS = "merge"
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

    def tie(self, rest: str) -> Iterator[str]:
        step = self.frame.tied_step(-1 if rest == "back" else 1)
        if step is None:
            where = "before" if rest == "back" else "after"
            yield f"No merge {where} this one was tied."
            return
        self._player.seek(step)
        yield self.told()
        yield narrate_tie(self.frame)

    def why(self, rest: str) -> Iterator[str]:
        yield narrate_tie(self.frame)
        merge = self.frame.merge
        if merge is None or len(merge.tied) == 1:
            return
        for rule, pair in self.frame.choices_before.items():
            if pair != merge.pair:
                yield f"The tie rule {rule} would have merged {told_pair(self.frame, pair)}."

    def merge(self, rest: str) -> Iterator[str]:
        frame, merge = self.frame, self.frame.merge
        yield self.told()
        if merge is None:
            return
        yield f"Its id is {merge.new_id}. It is in {plural(merge.pretokens, 'pretoken')}."
        for touched in frame.touched(LISTED):
            word, after = visible_bytes(touched.pretoken), self._tokens(touched.after)
            yield f"The pretoken {word}, {times(touched.count)}, is {after} now."
        for change in merge.changes[:LISTED]:
            pair = told_pair(frame, change.pair)
            before, after = number(change.before), number(change.after)
            yield f"The count of {pair} went from {before} to {after}."
        if (more := len(merge.changes) - LISTED) > 0:
            yield f"{plural(more, 'other count')} changed."

    def pairs(self, rest: str) -> Iterator[str]:
        wanted = self.number_in(rest or str(LISTED))
        if wanted is None:
            yield f"Say how many pairs to tell, like pairs {LISTED}."
            return
        pairs = self.frame.top_pairs(wanted)
        if not pairs:
            yield "There is no pair left."
        for place, (pair, count) in enumerate(pairs, 1):
            yield f"{place}. {told_pair(self.frame, pair)}, {times(count)}."

    def encode(self, rest: str) -> Iterator[str]:
        if not rest:
            yield "Say a text to encode, like encode the cat."
            return
        ids = [token_id for piece in self.frame.encode(rest) for token_id in piece.ids]
        tokens, size = plural(len(ids), "token"), plural(len(to_bytes(rest)), "byte")
        yield f"{tokens} for {size}: {self._tokens(ids)}."
        yield f"In ids: {' '.join(map(str, ids))}."
        if unknown := told_unknown(self.frame, rest):
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
