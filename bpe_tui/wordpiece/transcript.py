"""A WordPiece training without a screen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from bpe_tui.views.narration import times
from bpe_tui.views.transcript import AT_THE_END, LISTED, MOVES, MergeTranscript, PlainCommand
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_bytes, visible_text
from bpe_tui.wordpiece.narration import (
    describe_by_count,
    describe_unknown,
    format_pair,
    narrate,
    narrate_back,
    narrate_tie,
    score_text,
)
from engine.core.events import Pair
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.tokenizer import save_vocab


class WordPieceTranscript(MergeTranscript[WordPieceFrame]):
    """Answers commands about recorded merges by score."""

    COMMANDS = (
        *MOVES,
        PlainCommand("tie [back]", "To the next merge whose score was tied, or the one before."),
        PlainCommand("why", "Why this pair merged: its score, and what counts alone would take."),
        PlainCommand("merge", "The merge in full: words, counts changed."),
        PlainCommand("pairs [N]", "The pairs of the highest scores."),
        PlainCommand("encode TEXT", "A text by longest match with the pieces of this step."),
        PlainCommand("save FILE", "Save the pieces of this step, a line each: vocab.txt."),
        *AT_THE_END,
    )

    def narrate(self) -> str:
        return narrate(self.frame)[0]

    def narrate_back(self) -> str:
        return narrate_back(self.frame)[0]

    def narrate_tie(self) -> str:
        return narrate_tie(self.frame)

    def format_pair(self, pair: Pair) -> str:
        return format_pair(self.frame, pair)

    def ranked(self, most: int) -> Iterator[str]:
        for scored in self.frame.top_pairs(most):
            tied = ", tied" if scored.tied else ""
            value = score_text(scored.score.value)
            yield f"{self.format_pair(scored.pair)}, {scored.score} = {value}{tied}."

    def why(self, rest: str) -> Iterator[str]:
        frame, merge = self.frame, self.frame.merge
        if merge is not None:
            left, right = (visible_bytes(frame.any_token(piece)) for piece in merge.pair)
            score = merge.score
            yield (
                f"The pair {left} and {right} stood side by side {times(score.count)}; {left} "
                f"stood {times(score.left)}, {right} {times(score.right)}. "
                f"Its score is {score} = {score_text(score.value)}."
            )
        yield narrate_tie(frame)
        if merge is not None:
            yield describe_by_count(frame, merge)

    def merge(self, rest: str) -> Iterator[str]:
        frame, merge = self.frame, self.frame.merge
        yield self.describe_step()
        if merge is None:
            return
        yield f"Its id is {merge.new_id}. It is in {plural(merge.pretokens, 'word')}."
        for touched in frame.affected(LISTED):
            word, after = visible_bytes(touched.pretoken), self._pieces(touched.after)
            yield f"The word {word}, {times(touched.count)}, is {after} now."
        for part in merge.piece_changes:
            piece = visible_bytes(frame.any_token(part.piece_id))
            before, after = number(part.before), number(part.after)
            yield f"The count of the piece {piece} went from {before} to {after}."
        yield from self.describe_changes(merge.changes)

    def encode(self, rest: str) -> Iterator[str]:
        if not rest.strip():
            yield "Say a text to encode, like encode the cat."
            return
        words = list(self.frame.tokenizer.explain(rest))
        ids = list(chain.from_iterable(word.ids for word in words))
        pieces, of = plural(len(ids), "piece"), plural(len(words), "word")
        yield f"{pieces} for {of}: {self._pieces(ids)}."
        yield f"In ids: {' '.join(map(str, ids))}."
        for word in words:
            if word.ids == (self.frame.tokenizer.unknown_id,):
                yield describe_unknown(self.frame, word)

    def save(self, rest: str) -> Iterator[str]:
        if not rest:
            yield "Say a file to save in, like save vocab.txt."
            return
        save_vocab(self.frame.tokenizer.vocab, Path(os.path.expanduser(rest)))
        step, place = number(self.frame.step), visible_text(rest, spaces=False)
        yield f"Saved the pieces of step {step} in {place}."

    def _pieces(self, ids: Iterable[int]) -> str:
        return ", ".join(visible_bytes(self.frame.token(piece_id)) for piece_id in ids)
