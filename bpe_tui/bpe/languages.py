"""The languages of a parity-aware training: in sentences, and in a panel beside plain BPE."""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import visible_text
from engine.bpe.frame import Frame
from engine.bpe.languages import Languages

ONE_LANGUAGE = "All text is one language here; open en.txt am.txt --parity lets two take turns."


def describe_turn(frame: Frame, step: int) -> str:
    """Return whose turn the merge after `step` is or was, and why; empty without languages.

    For example: `am.txt was worst off, with 0.92 tokens a character.`
    """
    languages = frame.languages
    served = None if languages is None else languages.served_at(step)
    if languages is None or served is None:
        return ""
    name = visible_text(languages.names[served], spaces=False)
    verb = "was" if step < frame.step else "is"
    return f"{name} {verb} worst off, with {languages.rate(served, step):.2f} tokens a character."


def describe_languages(languages: Languages, step: int) -> Iterator[str]:
    """Yield a line for each language, then whose turn is next, and a doubt about their sizes.

    For example: `en.txt: 0.41 tokens a character (plain BPE 0.36), 284 turns`.
    """
    for place, name in enumerate(languages.names):
        yield (
            f"{visible_text(name, spaces=False)}: {languages.rate(place, step):.3f} tokens a "
            f"character (plain BPE {languages.rate(place, step, plain=True):.3f}), "
            f"{plural(languages.turns[:step].count(place), 'turn')} of {number(step)}"
        )
    if languages.doubt:
        yield f"note: {visible_text(languages.doubt, spaces=False)}"
