"""What the signs and the words on the screens mean: declared here once, for the legends and `?`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bpe_tui.session.commands.command import (
    CHARTS,
    CHECK,
    COMPARISON,
    ENCODING,
    FAMILY,
    INSPECTION,
    LESSON,
    PIPELINE,
    RACE,
    TRAINING,
    VOCABULARY,
)
from bpe_tui.widgets.rows import Span


@dataclass(frozen=True)
class Sign:
    """A sign: how it looks, what it is called in a legend, and a sentence about it."""

    span: Span
    label: str
    sentence: str

    @property
    def entry(self) -> tuple[Span, Span]:
        """How a legend has it."""
        return self.span, (f" {self.label}", "dim")


SIGNS = {
    "space": Sign(("·", ""), "space", "A space in the text; a real middle dot is ‹00B7›."),
    "newline": Sign(("⏎", ""), "newline", "The end of a line; ⇥ is a tab."),
    "pretoken": Sign(("│", "border"), "pretoken edge", "No merge ever joins what it separates."),
    "token": Sign(("┊", "cut"), "token edge", "The two tokens may still join."),
    "joining": Sign(("a+b", "pair"), "joins next", "The next merge makes one token of the two."),
    "fresh": Sign(("ab", "fresh"), "just merged", "Made at this step; «ab» without colours."),
    "stale": Sign(("9", "stale"), "old count", "Struck through: a count that is no longer true."),
    "bar": Sign(("▄▖", "border"), "how much", "As long as a number is high; ┄ is what it lost."),
    "here": Sign(("▸", "pair"), "here", "The row of this step, or of what comes next."),
    "tie": Sign(("┊", "tie"), "tie", "On the slider: a merge that was tied; ◆ is a breakpoint."),
    "byte": Sign(("<E4>", ""), "byte", "A byte that is no character by itself, in hexadecimal."),
    "letter": Sign(("Ġ", ""), "space in files", "GPT-2's letter for a space; Ċ for a newline."),
    "hidden": Sign(("‹200D›", ""), "unseen", "A character that takes no room, by its code point."),
    "cut": Sign(("…", "dim"), "cut", "Something is left out for want of room."),
    "switch": Sign(("●", "pair"), "on", "A filter that is on; ○ is one that is off."),
    "sorted": Sign(
        ("▾", "pair"), "sorted by", "The rows are sorted by this column; ▲ upwards, ▼ down."
    ),
    "curve": Sign(("⣀", "curve"), "up to here", "The part of a curve up to this step."),
    "paused": Sign(("‖", ""), "paused", "The player stands still; ▶ plays, ⇥ stays at the end."),
    "digamma": Sign(
        ("ψ", ""), "digamma", "Unigram: ln x, less for the rare; EM prefers few pieces."
    ),
    "sharpness": Sign(
        ("α", ""), "sharpness", "Unigram draws cuts by chance: the higher, the likelier the best."
    ),
    "lost": Sign(
        ("✗", "loss"),
        "lost",
        "What goes, or did not win; in the heap, the true count.",
    ),
}

LEGENDS = {
    LESSON: ("token", "pretoken", "joining", "fresh", "space", "newline", "byte"),
    TRAINING: ("space", "newline", "pretoken", "token", "joining", "fresh", "stale", "byte"),
    ENCODING: ("space", "newline", "pretoken", "token", "fresh", "here", "byte", "cut"),
    VOCABULARY: ("space", "newline", "switch", "sorted", "byte", "hidden"),
    CHARTS: ("curve", "space", "byte"),
    INSPECTION: ("space", "byte", "hidden", "cut"),
    RACE: ("curve", "here", "cut"),
    FAMILY: ("space", "pretoken", "token", "byte", "cut"),
    CHECK: ("space", "pretoken", "here", "byte", "cut"),
    PIPELINE: ("space", "pretoken", "token", "letter", "byte", "hidden", "cut"),
    COMPARISON: ("space", "newline", "pretoken", "byte", "hidden", "cut"),
}
"""Kind of screen → the signs that it draws, what matters most first."""

WORDS = {
    "corpus": "The text that is learnt from; a document is a part between two special tokens.",
    "pretoken": "A piece that the pattern cuts from the text; merges never cross its edge.",
    "pattern": "The regular expression that cuts a text into pretokens.",
    "token": "Bytes that have one id; a special token is one id and never merges.",
    "pair": "Two tokens side by side.",
    "count": "How often it stands in the corpus, each pretoken as often as it occurs.",
    "merge": "To make one token of a pair, everywhere; a step is one merge.",
    "rank": "The place of a merge in the list, from 0; encoding takes the lowest rank first.",
    "tie": "Several pairs have the highest count; the tie rule says which of them merges.",
    "heap": "Where a trainer keeps pairs so that the highest count is at hand.",
    "stale": "An entry of the heap whose count is no longer true; it is put right when popped.",
    "twin": "A token that differs from another only by case or a leading space.",
    "unreachable": "A token that encoding never gives: its own bytes encode otherwise.",
    "partial": "A token that is no valid UTF-8 by itself: a part of a character.",
    "compression": "Bytes of the corpus for each token: the more, the shorter the ids.",
    "piece": "What WordPiece and Unigram call a token; ## goes on inside a word.",
    "score": "WordPiece: the count of a pair, divided by the counts of both its parts.",
    "loss": "Unigram: how badly the pieces explain the corpus; a prune raises it least.",
    "lattice": "Unigram: every way to spell a pretoken with the pieces there are.",
}


def legend_of(kind: str, undrawn: Collection[str] = ()) -> tuple[tuple[Span, ...], ...]:
    """What the legend of a kind of screen has, entry by entry, without the signs in `undrawn`."""
    return tuple(SIGNS[name].entry for name in LEGENDS.get(kind, ()) if name not in undrawn)


def glossary(kind: str) -> str:
    """Signs, those of the screen first, and words, each with a sentence."""
    names = dict.fromkeys((*LEGENDS.get(kind, ()), *SIGNS))
    signs = [f"  {SIGNS[name].span[0]:<12}{_told(SIGNS[name])}" for name in names]
    words = [f"  {word:<14}{sentence}" for word, sentence in WORDS.items()]
    return "\n".join(["Signs", *signs, "", "Words", *words])


def _told(sign: Sign) -> str:
    return f"{sign.label[0].upper()}{sign.label[1:]}. {sign.sentence}"
