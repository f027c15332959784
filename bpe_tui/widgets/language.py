"""The language of the program: one table of messages for the process, as gettext has it.

A text is written in English where it is shown, with named places, and translated as it is drawn:
`tr("{n} of {last}", n="2", last="7")`. A text without a translation stays English.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.core.wording import ENGLISH, Messages, Sentence, fill

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


def tr(template: str, **values: str | int) -> str:
    """Fill the translation of a template with texts and numbers; without any, its braces stay.

    >>> tr("{n} of {last}", n=2, last=1204)
    '2 of 1,204'
    """
    translated = _table.get(template, template)
    if not values:
        return translated
    texts = {name: (v if isinstance(v, str) else _number(v),) for name, v in values.items()}
    return "".join(fill(translated, texts, str))


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


def _number(value: int) -> str:
    return f"{value:,}".replace("-", "\u2212")


def plural(n: int, thing: str) -> str:
    """Count things: (1, 'pretoken') → '1 pretoken'; (61, 'process') → '61 processes'."""
    return tr(f"{{n}} {thing}{'' if n == 1 else 'es' if thing.endswith('s') else 's'}", n=n)


def times(count: int) -> str:
    """Return how often something occurs: `once`, `12 times`."""
    return tr("once") if count == 1 else tr("{n} times", n=f"{count:,}")
