"""The commands of `--plain` on a WordPiece training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.visible import visible_bytes, visible_text
from bpe_tui.wordpiece.narration import describe_left_out, explain_merge, narrate, narrate_tie
from bpe_tui.words.encoded_text import describe_probes, describe_unknown
from bpe_tui.words.narration import format_pair
from bpe_tui.words.transcript import AT_THE_END, DECODE, MOVES, MergeTranscript, PlainCommand
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import score_text
from engine.wordpiece.tokenizer import Outcome, save_vocab


class WordPieceTranscript(MergeTranscript[WordPieceFrame]):
    """A transcript of recorded merges by score."""

    COMMANDS = (
        *MOVES,
        PlainCommand("tie [back]", "To the next merge whose score was tied, or the one before."),
        PlainCommand("why", "Why this pair merged: its score, and what counts alone would take."),
        PlainCommand("why A B", "The history of the pair A B: its counts, and what lowered them."),
        PlainCommand("merge", "The merge in full: words, counts changed."),
        PlainCommand("pairs [N]", "The pairs of the highest scores."),
        PlainCommand("encode TEXT", "A text by longest match with the pieces of this step."),
        PlainCommand("explain TEXT", "What is looked up for each word, until a piece is found."),
        DECODE,
        PlainCommand("save FILE", "Save the pieces of this step, a line each: vocab.txt."),
        *AT_THE_END,
    )
    SAVED = "the pieces", "a file to save in, like save vocab.txt"

    def narrate(self) -> str:
        return narrate(self.frame)[0]

    def narrate_tie(self) -> str:
        return narrate_tie(self.frame)

    def ranked(self, most: int) -> Iterator[str]:
        for scored in self.frame.top_pairs(most):
            tied = tr(", tied") if scored.tied else ""
            pair, value = format_pair(self.frame, scored.pair), score_text(scored.score.value)
            pmi = f"{self.frame.pmi_of(scored.score):.2f}"
            template = "{pair}, {score} = {value}{tied}; PMI {pmi}."
            yield tr(template, pair=pair, score=str(scored.score), value=value, tied=tied, pmi=pmi)

    def pairs(self, rest: str) -> Iterator[str]:
        yield from super().pairs(rest)
        if left_out := describe_left_out(self.frame):
            yield left_out

    def why_merged(self) -> Iterator[str]:
        return explain_merge(self.frame)

    def changed_parts(self) -> Iterator[str]:
        if (merge := self.frame.merge) is not None:
            for part in merge.piece_changes:
                piece = visible_bytes(self.frame.any_token(part.piece_id))
                template = "The count of the piece {piece}"
                yield self.changed(tr(template, piece=piece), part.before, part.after)

    def encode(self, rest: str) -> Iterator[str]:
        return super().encode(rest if rest.strip() else "")  # whitespace alone has no pieces

    def explain(self, rest: str) -> Iterator[str]:
        return super().explain(rest if rest.strip() else "")

    def encoded(self, text: str) -> Iterator[str]:
        words = list(self.frame.tokenizer.explain(text))
        ids = list(chain.from_iterable(word.ids for word in words))
        pieces, of = plural(len(ids), "piece"), plural(len(words), "pretoken")
        yield tr("{pieces} for {of}: {ids}.", pieces=pieces, of=of, ids=self.listed(ids))
        yield tr("In ids: {str}.", str=" ".join(map(str, ids)))
        for word in words:
            if word.ids == (self.frame.tokenizer.unknown_id,):
                yield describe_unknown(word, self._unknown)

    @property
    def _unknown(self) -> str:
        """The visible name of the unknown token."""
        return visible_text(self.frame.unknown_token)

    def explained(self, text: str) -> Iterator[str]:
        for word in self.frame.tokenizer.explain(text):
            special = tr("  (special token)") if word.outcome is Outcome.SPECIAL else ""
            yield f"{visible_text(word.word)}{special}"
            yield from (f"  {line}" for line in describe_probes(word))
            if word.outcome in (Outcome.NO_PIECE, Outcome.TOO_LONG):
                yield f"  {describe_unknown(word, self._unknown)}"
            pieces = " ".join(visible_bytes(self.frame.token(piece)) for piece in word.ids)
            yield f"  {pieces} = {' '.join(map(str, word.ids))}"

    def decoded(self, ids: Sequence[int]) -> str:
        return visible_text(self.frame.tokenizer.decode(ids))

    def save_in(self, path: Path) -> Iterator[str]:
        save_vocab(self.frame.tokenizer.vocab, path)
        return iter(())
