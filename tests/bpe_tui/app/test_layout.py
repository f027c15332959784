"""The layout: at each size the important panels are visible, and no box is empty."""

from unittest.mock import Mock

import pytest
from opening import each_size, opened, until
from textual.geometry import Size
from textual.widgets import Static, TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.panels.encoding_screen import WalkScreen
from bpe_tui.shell.panel_screen import TooSmall
from bpe_tui.shell.screen_room import ScreenRoom
from bpe_tui.widgets.controls import FootLine, KeyBar

TEXT = "The old goat's kite, 1234567 times!"
PROSE = "many words in a row " * 60
NEEDED: list[tuple[bool, str, dict[tuple[int, int], tuple[int, ...]]]] = [
    (True, "", {(120, 40): (1, 0, 4, 26)}),
    (True, "low", {(80, 24): (1, 0, 5, 11)}),
    (False, "", {(120, 40): (1, 2, 0, 28)}),
    (False, "low 漢", {(120, 24): (1, 3, 0, 13)}),
    (False, PROSE, {(120, 25): (3, 4, 0, 10), (120, 24): (2, 2, 0, 13), (60, 20): (2, 2, 0, 9)}),
    (True, PROSE, {(120, 60): (7, 0, 23, 21), (150, 95): (9, 18, 17, 40)}),
    (True, PROSE, {(120, 40): (4, 0, 11, 16)}),
]
"""Whether the lanes are shown, the text, and by size the lines of text, tokens, lanes, panels."""


def is_seen(app: BpeTuiApp, selector: str) -> bool:
    return bool(app.screen.query_one(selector).region.height)


def lines_of(app: BpeTuiApp) -> tuple[int, ...]:
    """Return the lines inside the borders of the text, the tokens, the lanes and the panels."""
    names = "#text", "#tokens-and-ids", "#ids LanesPanel", "#panels"
    return tuple(app.screen.query_one(name).size.height for name in names)


@pytest.mark.slow
async def test_text_tokens_and_lanes_have_the_lines_that_they_need_and_panels_the_rest() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        app.navigation.open_encoding(TEXT)
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, WalkScreen)
        for has_lanes, text, of_sizes in NEEDED:
            screen.query_one(TextArea).load_text(text)
            if has_lanes != screen.has_class("lanes"):
                screen.action_lanes()
            async for size in each_size(pilot, list(of_sizes)):
                assert (text, size, lines_of(app)) == (text, size, of_sizes[size])
        screen.action_lanes()
        await until(pilot, lambda: lines_of(app) == (4, 7, 0, 20))
        screen.zoomed = "pretokens"  # which the scene ends
        screen.show_alone("ids")
        screen.show_panel("text")
        await until(pilot, lambda: lines_of(app) == (9, 24, 0, 0))
        screen.show_panel("pretokens")
        await until(pilot, lambda: lines_of(app) == (4, 7, 0, 20))
        screen.show_panel("ids")
        for lines in ((0, 33, 0, 0), (4, 7, 0, 20)):  # a zoom, and its end
            await pilot.press("z")
            await until(pilot, lambda: lines_of(app) == lines)  # noqa: B023
        await pilot.resize_terminal(150, 80)
        for focused in ("lanes", "pretokens"):  # the tokens are in sight, too
            await pilot.press("a")
            await until(pilot, lambda: app.focused and app.focused.id == focused)  # noqa: B023
        screen.add_class("lanes")
        screen.set_back()  # for a scene of a lesson
        assert not screen.has_class("lanes")


ROOMS = {
    "-too-narrow -low -small": [(59, 20), (59, 27)],
    "-slim -too-low -small": [(60, 19)],
    "-slim -low -small": [(60, 20), (75, 27)],
    "-narrow -tall -flat -small": [(76, 28), (99, 28)],
    "-wide -low -small": [(100, 27)],
    "-wide -tall -flat": [(100, 28), (100, 34)],
    "-wide -tall": [(100, 35), (139, 51), (140, 50)],
    "-large -wide -tall": [(140, 51)],
}
"""Classes of a screen → sizes of the terminal, of which the tabs take a row."""


def test_a_screen_has_classes_for_its_room_and_a_compact_one_has_no_tabs() -> None:
    screen, size = Mock(), Size(80, 40)
    screen.app.size = size

    def classes() -> str:
        (given,), _ = screen.update_classes.call_args
        return " ".join(name for name, is_on in given.items() if is_on)

    room = ScreenRoom(screen, Size(0, 1))
    for named, sizes in ROOMS.items():
        for each in sizes:
            screen.app.size = Size(*each)
            room.show_size()
            assert (each, classes().replace(" -roomy", "")) == (each, named)
            assert ("-roomy" in classes()) == (each[1] >= 30)
    screen.app.size = size
    for taken, about in (
        (Size(0, 18), (Size(0, 19), False, True)),  # 22 rows are left
        (Size(0, 19), (Size(0, 19), True, True)),
        (Size(30, 0), (Size(30, 1), False, True)),
        (Size(0, 0), (Size(0, 1), False, False)),
    ):
        screen.post_message.reset_mock()
        before = room.taken
        room.give(taken)
        assert (room.taken, room.is_compact, room.has_text_beside) == about
        assert screen.post_message.called == (before != room.taken)
    room.give(Size(0, 20))
    room.show_size()
    assert classes() == "-compact -narrow -low -small"


LEGENDS = {
    (120, 40): (
        "· space  │ pretoken edge  token tokens  a+b a pair  ab joins next  ab just merged  "
        "9 old count  ┄ stale part"
    ),
    (80, 25): "· space  │ pretoken edge  token tokens  a+b a pair  ab joins next",
    (60, 25): "· space  │ pretoken edge  token tokens  a+b a pair",
    (80, 24): "",
    (60, 20): "",
    (59, 20): "bpe-tui needs 60×20 cells; here are 59×20. q quits",
    (60, 19): "bpe-tui needs 60×20 cells; here are 60×19. q quits",
}
"""Size → the legend, or why there are no panels; "" where neither has room."""


NAMES = [
    "Tab ‹compression›  gains   counts   zipf   frequent   lengths ",
    "Tab  compression  ‹gains›  counts   zipf   frequent   lengths ",
]
"""The names of the charts as Tab brings one after the other in front."""


@pytest.mark.slow
async def test_the_legend_fits_and_is_hidden_at_24_rows_and_a_small_terminal_says_so() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        line = app.screen.query_one(FootLine)
        small = app.screen.query_one(TooSmall)
        said = {}
        async for size in each_size(pilot, list(LEGENDS)):
            assert app.screen.query_one(KeyBar).region.bottom == size[1] or small.display
            legend = line.render_line(0).text.strip() if line.display else ""
            said[size] = str(small.content) if small.display else legend
        assert said == LEGENDS
        await pilot.resize_terminal(80, 24)
        await pilot.press("4")
        for names in NAMES:
            line = app.screen.query_one("#panel-names", Static)
            await until(pilot, lambda: str(line.content) == names)  # noqa: B023
            await pilot.press("tab")
