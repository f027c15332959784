"""The commands of `--plain` on a BPE training or replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bpe_tui.bpe.narration import (
    describe_unknown,
    explain_merge,
    narrate,
    narrate_next,
    narrate_tie,
)
from bpe_tui.widgets.language import plural, times, tr
from bpe_tui.widgets.rows import plain_text
from bpe_tui.widgets.visible import visible_bytes
from bpe_tui.words.encoded_text import explanation
from bpe_tui.words.narration import format_pair
from bpe_tui.words.transcript import AT_THE_END, DECODE, MOVES, MergeTranscript, PlainCommand
from engine.bpe.frame import Frame
from engine.text.pretokenize import to_bytes


class BpeTranscript(MergeTranscript[Frame]):
    """A transcript of recorded merges of BPE."""

    COMMANDS = (
        *MOVES,
        PlainCommand("tie [back]", "To the next merge that was tied, or the one before."),
        PlainCommand("ahead", "The pair that merges next: its ties, why it wins, other tie rules."),
        PlainCommand("why", "Why this pair merged; what other tie rules would take."),
        PlainCommand("why PIECE", "Why a piece is not one token; how far it comes, by merges."),
        PlainCommand("why A B", "The history of the pair A B: its counts, and what lowered them."),
        PlainCommand("merge", "The merge in full: pretokens, counts changed."),
        PlainCommand("pairs [N]", "The most frequent pairs."),
        PlainCommand("encode TEXT", "A text with the merges of this step."),
        PlainCommand("explain TEXT", "How each pretoken encodes: merges, or pieces looked up."),
        DECODE,
        PlainCommand("save DIR", "Save the tokenizer of this step."),
        *AT_THE_END,
    )
    SAVED = "the tokenizer", "a directory to save in, like save my-tokenizer"

    def narrate(self) -> str:
        return narrate(self.frame)[0]

    def narrate_tie(self) -> str:
        return narrate_tie(self.frame)

    def ranked(self, most: int) -> Iterator[str]:
        for pair, count in self.frame.top_pairs(most):
            yield f"{format_pair(self.frame, pair)}, {times(count)}."

    def ahead(self, rest: str) -> Iterator[str]:
        return narrate_next(self.frame)

    def why_merged(self) -> Iterator[str]:
        return explain_merge(self.frame)

    def encoded(self, text: str) -> Iterator[str]:
        ids = [token_id for piece in self.frame.encode(text) for token_id in piece.ids]
        tokens, size = plural(len(ids), "token"), plural(len(to_bytes(text)), "byte")
        yield tr("{tokens} for {size}: {ids}.", tokens=tokens, size=size, ids=self.listed(ids))
        yield tr("In ids: {str}.", str=" ".join(map(str, ids)))
        if unknown := describe_unknown(self.frame, text):
            yield unknown

    def explained(self, text: str) -> Iterator[str]:
        return map(plain_text, explanation(self.frame, text))

    def decoded(self, ids: Sequence[int]) -> str:
        return visible_bytes(self.frame.decode(ids))

    def save_in(self, path: Path) -> Iterator[str]:
        self.frame.tokenizer().save(path)
        return iter(())
