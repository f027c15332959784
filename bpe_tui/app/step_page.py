"""A film as one HTML page that needs no network and no server.

The page has each distinct row of the screen once, as text, with the colours of both themes. Its
script, `step_page.js`, moves from step to step. The browser runs nothing else: a policy in the page
names the digests of this script and its style.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.style import Style
from textual.strip import Strip
from textual.theme import Theme

from bpe_tui.app.recorder import Shot
from bpe_tui.styles import DARK, LIGHT
from bpe_tui.widgets.language import spoken, tr
from bpe_tui.widgets.visible import signs, still_visible, visible_bytes, visible_text, width
from engine.core.errors import BpeError
from engine.core.events import PAIR_SIGN
from engine.core.wording import Sentence, Words
from engine.learning.questions.answer_forms import END, Answer, Choice, Joins, Option
from engine.learning.questions.question import Question

MOST_CELLS = 2_000_000
"""Most cells of the screens of all steps of a page."""
MOST_CHARACTERS = 8_000_000
"""Most characters of a page's distinct rows."""
PartOfRow = tuple[str, str]
"""A text and its declarations in CSS."""
RowParts = tuple[PartOfRow, ...]


class PageError(BpeError):
    """A film is too large for a page."""


class PageFilm:
    """The shots of a page in one theme.

    Attributes:
        shots: each shot without its screen, and the numbers of its rows.
        rows: row → its number, in the order of their first use.
    """

    has_text = True
    frames_a_second = 4

    def __init__(self, theme: Theme) -> None:
        self.theme = theme.name
        self.title = ""
        self.size = (0, 0)
        self.shots: list[tuple[Shot, list[int]]] = []
        self.rows: dict[RowParts, int] = {}
        self._looks: dict[Style | None, str] = {None: ""}
        self._characters = 0

    def begin(self, size: tuple[int, int], title: str) -> None:
        self.size, self.title = size, visible_text(title, spaces=False)

    def take(self, shot: Shot) -> None:
        rows = [self._number(strip) for strip in shot.screen]
        self.shots.append((replace(shot, screen=()), rows))

    def end(self) -> None:
        """Do nothing: a page needs no end."""

    def _number(self, strip: Strip) -> int:
        parts = tuple(
            (text if text.isprintable() else visible_text(text, spaces=False), self._look(style))
            for text, style, _ in strip.simplify()
            if text
        )
        if parts not in self.rows:
            self._characters += sum(len(text) + 8 for text, _ in parts)
            if self._characters > MOST_CHARACTERS:
                raise PageError("the recording is too large: take fewer steps or a smaller --size")
        return self.rows.setdefault(parts, len(self.rows))

    def _look(self, style: Style | None) -> str:
        if style not in self._looks:
            assert style is not None
            self._looks[style] = ";".join(_declarations(style))
        return self._looks[style]


def _declarations(style: Style) -> Iterator[str]:
    """Yield a style in CSS: bold red → 'color:#ff0000', 'font-weight:bold'."""
    ink, back = (
        colour.get_truecolor().hex if colour is not None and not colour.is_default else ""
        for colour in (style.color, style.bgcolor)
    )
    if style.reverse:
        ink, back = back, ink
    if ink:
        yield f"color:{ink}"
    if back:
        yield f"background:{back}"
    for is_set, declaration in (
        (style.bold, "font-weight:bold"),
        (style.dim, "opacity:.7"),
        (style.italic, "font-style:italic"),
        (style.underline, "text-decoration:underline"),
        (style.strike, "text-decoration:line-through"),
    ):
        if is_set:
            yield declaration


# -- both themes together


class _Table:
    """Looks and rows of a page, each once; a look is its declarations in the dark and the light."""

    def __init__(self, dark: PageFilm, light: PageFilm) -> None:
        self.looks: dict[tuple[str, str], int] = {}
        self.rows: list[list[int | str]] = []
        self._dark, self._light = list(dark.rows), list(light.rows)
        self._numbers: dict[tuple[int, int], int] = {}

    def number(self, dark: int, light: int) -> int:
        """Return the number of the row that has these numbers in the two films."""
        if (dark, light) not in self._numbers:
            self._numbers[dark, light] = len(self.rows)
            self.rows.append(list(self._encoded(self._dark[dark], self._light[light])))
        return self._numbers[dark, light]

    def _encoded(self, dark: RowParts, light: RowParts) -> Iterator[int | str]:
        """Yield the number of a look, then its texts; −1 and −2 give the next text its cells."""
        if "".join(text for text, _ in dark) != "".join(text for text, _ in light):
            light = dark  # better in the wrong colours than another text
        for text, look in paired(dark, light):
            yield self.looks.setdefault(look, len(self.looks))
            for part, cells in aligned(text):
                if cells:
                    yield -cells
                yield part


def paired(dark: RowParts, light: RowParts) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the parts of a row that has other borders in each theme: a|bc, ab|c → a, b, c."""
    others = list(light)
    for text, in_dark in dark:
        while text:
            other, in_light = others[0]
            size = min(len(text), len(other))
            yield text[:size], (in_dark, in_light)
            text = text[size:]
            others[0] = (other[size:], in_light)
            if not others[0][0]:
                others.pop(0)


def _is_even(sign: str) -> bool:
    """Whether every monospaced font has a sign, in one cell: letters, lines and blocks."""
    return sign.isascii() or (len(sign) == 1 and "\u2500" <= sign <= "\u259f")


def aligned(text: str) -> Iterator[tuple[str, int]]:
    """Yield a text in parts, each with the cells that the page gives it; 0 if the font decides.

    >>> list(aligned("ab漢‹200D›◌ี่"))
    [('ab', 0), ('漢', 2), ('‹200D›', 0), ('◌ี่', 1)]
    """
    if all(map(_is_even, text)):
        yield text, 0
        return
    even = ""
    for sign in signs(text):
        if _is_even(sign) or (sign[0] in "<‹" and len(sign) > 1):  # what is spelled out
            even += sign
            continue
        if even:
            yield even, 0
        even = ""
        yield sign, min(max(width(sign), 1), 2)
    if even:
        yield even, 0


# -- questions, each with a reply to every answer: the page itself knows no BPE

PageWords = list[str | list[str]]
"""Words of a sentence; a token is a list with its text: ['No: ', ['l'], '+', ['o']]."""


def page_question(question: Question) -> dict[str, Any]:
    """Return a question as JSON, part by part, with a reply to each answer of a part.

    Args:
        question: its form is a choice, which is one part, or joins, each of which is a part.
    """
    return {
        "asks": list(map(_page_words, (question.asks, question.advice))),
        "parts": list(_parts(question)),
        "answer": list(map(_page_words, question.model_answer)),
    }


def _parts(question: Question) -> Iterator[dict[str, Any]]:
    form, answer = question.form, question.answer
    if isinstance(form, Choice):
        yield _part(question, (), (), enumerate(form.options))
        return
    assert isinstance(form, Joins)
    assert isinstance(answer, tuple)
    for done in range(len(answer)):
        progress = answer[:done]
        tokens = form.tokens_after(progress)
        pairs = [(left, PAIR_SIGN, right) for left, right in pairwise(tokens)]
        joins = [((*progress, place), Option(pair)) for place, pair in enumerate(pairs)]
        yield _part(
            question, progress, tokens, [*joins, ((*progress, END), Option((tr("none joins"),)))]
        )


def _part(
    question: Question,
    progress: tuple[int, ...],
    tokens: tuple[bytes, ...],
    options: Iterable[tuple[Answer, Option]],
) -> dict[str, Any]:
    """Return a part: what is given, then the tokens if they join; its hints and its options."""
    graded = []
    for answer, option in options:
        grade = question.grade(answer)
        reply = [[tr(grade.verdict), *_page_words(grade.said)]]
        reply += [] if grade.why is None else [_page_words(grade.why)]
        numbers = {"fact": option.note, "note": option.revealed}
        graded.append(
            {"label": _shown(option.label), "right": grade.right, "reply": reply} | numbers
        )
    hints = [[tr("Hint: "), *_page_words(hint)] for hint in question.find_hints(progress)]
    given = [*map(_page_words, question.given), *([_shown(tokens)] if tokens else [])]
    return {"given": given, "hints": hints, "options": graded}


def _page_words(sentence: Sentence) -> PageWords:
    return _shown(sentence.words)


def _shown(words: Words) -> PageWords:
    return [
        still_visible(word) if isinstance(word, str) else [visible_bytes(word)] for word in words
    ]


# -- the page


def step_page(dark: PageFilm, light: PageFilm) -> str:
    """Return the page of a film that was taken in both themes."""
    table, shots = _Table(dark, light), []
    for (shot, rows), (_, others) in zip(dark.shots, light.shots, strict=True):
        data: dict[str, Any] = {
            "s": round(shot.seconds, 2),
            "r": list(map(table.number, rows, others)),
        }
        if shot.mark:
            data["m"] = still_visible(shot.mark)
            data["n"] = list(map(still_visible, shot.narration))
        if shot.question is not None:
            data["q"] = page_question(shot.question)
        shots.append(data)
    score = tr("{n} of {asked} at the first try", n="{n}", asked="{asked}")
    film = {"rows": table.rows, "shots": shots, "score": score}
    style = "\n".join([_own("css"), *_rules(dark.size[0], list(table.looks))])
    script = _own("js")
    policy = (
        f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return _own("html").format(
        language=spoken(),
        title=escape(dark.title),
        policy=policy,
        style=style,
        typed=escape(tr("← → step │ Space plays")),
        touched=escape(tr("Tap the buttons, or swipe.")),
        play=escape(tr("play")),
        pause=escape(tr("pause")),
        steps=escape(tr("Steps")),
        back=escape(tr("Step back")),
        on=escape(tr("Step on")),
        hint=escape(tr("hint")),
        show=escape(tr("show me")),
        unable=escape(tr("This page needs JavaScript to go from step to step. It loads nothing.")),
        script=script,
        film=embedded(film),
    )


def _rules(columns: int, looks: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield rules for the looks, which are classes l0, l1, …, in the dark and the light."""
    yield f":root{{--columns:{columns}}}"
    for theme, index, media in ((DARK, 0, ""), (LIGHT, 1, "@media (prefers-color-scheme:light){")):
        colours = {"ink": theme.foreground, "back": theme.background, "own": theme.primary}
        colours |= {"panel": theme.panel}
        colours |= {name: theme.variables[f"role-{name}"] for name in ("dim", "gain", "loss")}
        rules = "".join(f"--{name}:{colour};" for name, colour in colours.items())
        yield f"{media}:root{{{rules}}}"
        yield from (f".l{n}{{{look[index]}}}" for n, look in enumerate(looks) if look[index])
        yield "}" if media else ""


def embedded(value: object) -> str:
    """Return JSON that no element of HTML can end early: '</' → '\\u003c/'."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def digest(text: str) -> str:
    """Return the digest of an inline script or style, as a policy names it."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _own(suffix: str) -> str:
    return Path(__file__).with_suffix(f".{suffix}").read_text("utf-8").rstrip("\n")
