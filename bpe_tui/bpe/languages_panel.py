"""The languages of a parity-aware training in a panel: bars, turns, curves beside plain BPE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from os.path import splitext

from bpe_tui.bpe.languages import ONE_LANGUAGE
from bpe_tui.views.panel import Panel, sentence
from bpe_tui.widgets.numbers import bar, number
from bpe_tui.widgets.rows import TOKEN_HUES, Row, cursor_sign, left, right
from bpe_tui.widgets.visible import shorten, visible_text
from bpe_tui.widgets.visible import width as cell_width
from engine.bpe.frame import Frame
from engine.bpe.languages import Languages
from engine.core.slow_modules import np

RATE_CELLS, TURN_CELLS, SHORTEST_BAR, MOST_NAME = 6, 7, 6, 24
LEAST_LINES = 4
"""Fewest lines in which curves are drawn."""


class LanguagesPanel(Panel):
    """The tokens a character of each language, now and over the steps, beside plain BPE."""

    ID = "languages"
    IN_PLACE_OF = "words"
    WIDEST = 100
    FOLLOWS_RECORDING = True

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        if (languages := frame.languages) is None:
            self.say("languages")
            return sentence(ONE_LANGUAGE, width)
        served = languages.served_at(frame.step)
        whose = "" if served is None else f"  next: {_name(languages, served)}"
        self.say(f"languages{whose}", "tokens a character · dim: plain BPE")
        rows = list(self._bars(languages, frame.step, served, width))
        room = self.size.height - self.head_height - len(rows)
        return [*rows, *(_curves(languages, frame, width, room) if room >= LEAST_LINES else ())]

    def _bars(
        self, languages: Languages, step: int, served: int | None, width: int
    ) -> Iterator[Row]:
        """Yield a row for each language: a bar, its rate, that of plain BPE, its turns so far."""
        numbers = 2 * RATE_CELLS + TURN_CELLS + 1  # a blank before the scrollbar
        names = _names(languages)
        cells = min(max(width - numbers - SHORTEST_BAR - 3, 6), max(map(cell_width, names)))
        room = width - numbers - cells - 3
        self.name_columns(
            [*left([("  language", "")], cells + max(room, 0) + 3), right("now", RATE_CELLS),
             right("plain", RATE_CELLS), right("turns", TURN_CELLS)]
        )  # fmt: skip
        highest = max(languages.rate(place, 0) for place in range(len(names))) or 1
        for place, name in enumerate(names):
            rate, plain = (languages.rate(place, step, plain=other) for other in (False, True))
            drawn = bar(rate / highest, room) if room >= SHORTEST_BAR else ""
            yield Row(
                [
                    cursor_sign(place == served),
                    *left([(name, _hue(place))], cells),
                    (" ", ""),
                    *left([(drawn, _hue(place))], max(room, 0)),
                    right(f"{rate:.2f}", RATE_CELLS, "strong"),
                    right(f"{plain:.2f}", RATE_CELLS, "dim"),
                    right(number(languages.turns[:step].count(place)), TURN_CELLS),
                ]
            )


def _name(languages: Languages, place: int) -> str:
    return shorten(visible_text(languages.names[place], spaces=False), MOST_NAME)


def _names(languages: Languages) -> list[str]:
    """Return the names without an ending that all share: `1 english`, `2 greek`."""
    names = [_name(languages, place) for place in range(len(languages.names))]
    ends = {splitext(name)[1] for name in names}
    return [splitext(name)[0] for name in names] if len(ends) == 1 else names


def _hue(place: int) -> str:
    return f"token-{place % TOKEN_HUES}"


def _curves(languages: Languages, frame: Frame, width: int, height: int) -> Iterator[Row]:
    """Yield the lines of a chart: a curve for each language, those of plain BPE, the cursor."""
    from bpe_tui.widgets.chart import Curve, canvas_of, curves_of  # few runs take turns

    drawn, names = [], _names(languages)
    for place in range(len(names)):
        for tokens in (languages.plain[place], languages.tokens[place]):
            ys = np.array(tokens[: frame.recorded_steps + 1]) / max(languages.characters[place], 1)
            is_plain = tokens is languages.plain[place]
            name, role = ("", "dim") if is_plain else (names[place], _hue(place))
            drawn.append(Curve(name, role, np.arange(len(ys)), ys))
    figure = curves_of(sorted(drawn, key=lambda curve: bool(curve.name)), "step", "", log_y=False)
    if figure is None or not frame.recorded_steps:
        return
    at = min(int(figure.x_scale.place(frame.step) * width), width - 1)
    for line in canvas_of(figure, width, height):
        if line[at][0] == " ":
            line[at] = "│", "pair"
        groups = groupby(line, key=lambda cell: cell[1])
        yield Row([("".join(text for text, _ in cells), role) for role, cells in groups])
