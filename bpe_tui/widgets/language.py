"""The language of the program: one table of messages for the process, as gettext has it.

A text is written in English where it is shown, with named places, and translated as it is drawn:
`tr("{n} of {last}", n="2", last="7")`. A text without a translation stays English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from bpe_tui.widgets.visible import visible_text
from engine.core.wording import ENGLISH, Messages, Sentence, fill, template_parts

DEFAULT_LANGUAGE = "en"
"""The language of all templates, which has every lesson."""

TRANSLATED = ("problem", "hint", "what")
"""Places of a finished message whose values are translated, too."""

_name, _table = DEFAULT_LANGUAGE, ENGLISH
_read_finished: Callable[[], Messages] = dict


def speak(
    name: str, messages: Messages, read_finished: Callable[[], Messages] = _read_finished
) -> None:
    """Use a language and its table of messages from now on, in the whole process.

    Args:
        read_finished: return the table of finished messages, which few runs of the program need.
    """
    global _name, _table, _read_finished
    _name, _table, _read_finished = name, messages, read_finished


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


def tr_message(message: object) -> str:
    """Translate a finished message: an error, a note, or what another library says.

    Such a message is English and has values in its places. Its template is found by the text
    between them; of several the one that leaves the fewest characters as they are.
    """
    text = str(message)
    return _table.get(text) or _translated(text, _read_finished())[1]


def _translated(text: str, table: Messages) -> tuple[int, str]:
    """Return the translation, after the number of characters that it leaves as they are."""
    if text in table:
        return 0, table[text]
    least, best = len(text) + 1, text
    for template in table:
        parts = template_parts(template)
        between, places = parts[::2], parts[1::2]
        if not all(part in text for part in between):
            continue
        if (
            matched := re.fullmatch("(.*?)".join(map(re.escape, between)), text, re.DOTALL)
        ) is None:
            continue
        left, values = 0, dict[str, tuple[str]]()
        for place, value in zip(places, matched.groups(), strict=True):
            is_message = place.rstrip("0123456789") in TRANSLATED
            rest, value = _translated(value, table) if is_message else (len(value), value)
            left, values[place] = left + rest, (value,)
        if left < least:
            least, best = left, "".join(fill(table[template], values, str))
    return least, best


def visible_message(message: object) -> str:
    """Return a finished message in the language of the program, with its foreign text visible."""
    return visible_text(tr_message(message), spaces=False)


def tr_sentence(sentence: Sentence) -> Sentence:
    """Translate a sentence of the engine."""
    return sentence.translated(_table)


def _number(value: int) -> str:
    return f"{value:,}".replace("-", "\u2212")


def plural(n: int, thing: str) -> str:
    """Count things: (1, 'pretoken') → '1 pretoken'; (61, 'process') → '61 processes'."""
    return tr(f"{{n}} {thing}{'' if n == 1 else 'es' if thing.endswith('s') else 's'}", n=n)


def in_a_row(*sentences: str) -> str:
    """Join sentences; where full stops are wide there is no space between them."""
    return tr(" ").join(filter(None, sentences))


def listed(parts: Iterable[str]) -> str:
    """Join the parts of a list: `a, b`."""
    return tr(", ").join(parts)


def times(count: int) -> str:
    """Return how often something occurs: `once`, `12 times`."""
    return tr("once") if count == 1 else tr("{n} times", n=f"{count:,}")
