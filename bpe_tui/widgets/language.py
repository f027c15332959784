"""The language of the program: one table of messages for the process, as gettext has it.

A text is written in English where it is shown, with named places, and translated as it is drawn:
`tr("{n} of {last}", n="2", last="7")`. A text without a translation stays English.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.widgets.numbers import number
from engine.core.wording import ENGLISH, Messages, Sentence, fill, frequency, text_of

DEFAULT_LANGUAGE = "en"
"""The language of all templates, which has every lesson."""

_name, _table = DEFAULT_LANGUAGE, ENGLISH


def speak(name: str, messages: Messages) -> None:
    """Use a language and its table of messages from now on, in the whole process."""
    global _name, _table
    _name, _table = name, messages


def spoken() -> str:
    """Return the name of the language."""
    return _name


def current_table() -> Messages:
    """Return the table of messages, for sentences of the engine."""
    return _table


def tr(template: str, **values: str) -> str:
    """Fill the translation of a template with texts; without any, its braces stay."""
    return text_of(_table, template, **values) if values else _table.get(template, template)


def tr_spans(
    template: str, role: str = "", **values: Sequence[tuple[str, str]] | str
) -> list[tuple[str, str]]:
    """Fill the translation of a template with spans, or with texts in the role of the message."""
    parts = {
        name: [(value, role)] if isinstance(value, str) else value for name, value in values.items()
    }
    return fill(_table.get(template, template), parts, lambda text: (text, role))


def tr_sentence(sentence: Sentence) -> Sentence:
    """Translate a sentence of the engine."""
    return sentence.translated(_table)


def tr_count(n: int, thing: str) -> str:
    """Count things: `61 words`."""
    return tr(f"{{n}} {thing}{'' if n == 1 else 's'}", n=number(n))


def tr_times(count: int) -> str:
    """Return how often something occurs: `once`, `12 times`."""
    return str(tr_sentence(frequency(count)))
