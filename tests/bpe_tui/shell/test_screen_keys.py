"""The footer says what one needs in the focused panel, and the help finds commands by words."""

from collections.abc import Iterator
from pkgutil import resolve_name

import pytest
from opening import opened, until
from textual.geometry import Size
from textual.widgets import Input

from bpe_tui.app.session_app import PLACES
from bpe_tui.dialogs.why import WhyWindow
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import START, Command
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import PlacedCommand, commands_elsewhere, commands_on
from bpe_tui.shell.help_window import Help
from bpe_tui.shell.screen_keys import KeyState, ScreenKeys
from bpe_tui.widgets.controls import FooterKey, KeyBar
from bpe_tui.widgets.lines import Lines

AT_REST = KeyState(
    is_ready=True,
    is_typing=False,
    panel=None,
    enters="",
    labels={"screen.leave": "", "app.jump_back": "", "screen.turn('pairs')": "array"},
    playing="",
    named_keys=None,
)
BACK = "back to step 2,465"


def offers(command: Command) -> bool:
    return command.action != "app.leave_run"  # which is refused where no run was left


def drawn(keys: list[FooterKey]) -> str:
    return "".join(text for key in keys for text, _ in key.spans)


def lines(**state: object) -> list[str]:
    """Return both lines of the training screen's footer in a state."""
    return list(map(drawn, ScreenKeys("training", offers).footer(AT_REST._replace(**state))))


def test_the_footer_is_about_the_focused_panel() -> None:
    first, second = lines(panel="corpus")
    assert first == " → next  space play  + − speed  g go to  w why  ? help "
    assert second == (" P predict  i what if  t stops  y copy command  s save  o open ")
    heap, same = lines(panel="pairs", enters="go to its merge")
    own = " ↵ go to its merge  w why  v array  → next"
    assert heap == f"{own}  . move  p pseudocode  ? help "
    assert same == second
    assert lines(panel="merges", enters="go to the step")[0].startswith(" ↵ go to the step  w why ")
    playing, same = lines(panel="corpus", playing="10")
    assert playing == " space stop  + − 10/s  → one step "
    assert same == second
    left = AT_REST.labels | {"app.jump_back": BACK}  # type: ignore[operator]
    assert lines(panel="corpus", labels=left)[0].startswith(f" → next  ⌫ {BACK}  space play ")
    assert lines(is_typing=True) == [" Esc leave  Ctrl+U clear  Tab panel  Ctrl+P help ", ""]
    assert lines(is_ready=False) == [" Esc leave  o open  q quit  ? help ", ""]
    assert lines(named_keys={"→", "v", "⌫"})[0] == " → next  v array  ? help "


def panels() -> Iterator[tuple[str, str | None]]:
    """Yield each screen that has a frame with each of its panels."""
    for name, place in PLACES.items():
        if name != START:
            for panel in (None, *resolve_name(place).PANEL_ORDER):
                yield name, panel


def test_next_the_way_back_and_help_are_in_every_footer_at_every_width() -> None:
    labels = AT_REST.labels | {"app.jump_back": BACK, "screen.leave": "leave"}  # type: ignore[operator]
    for screen, panel in panels():
        state = AT_REST._replace(panel=panel, enters="go to its merge", labels=labels)
        bar = KeyBar()
        keys, _ = ScreenKeys(screen, offers).footer(state)
        bar.set_reactive(KeyBar.keys, keys)
        steps = {each.action for each in commands_on(screen)} & {"screen.forward(1)"}
        for width in (60, 80, 100, 120):
            shown = bar.fitting(width)
            assert sum(key.width for key in shown) <= width, (screen, panel)
            assert {key.action for key in shown} >= {"app.jump_back", "app.help", *steps}
            assert shown[-1].action == "app.help"
            assert shown[0].shown in ("↵", "→")


@pytest.mark.parametrize(("size", "has_second"), [((120, 30), True), ((120, 29), False)])
async def test_the_footer_has_a_second_line_from_30_rows_on(
    size: tuple[int, int], has_second: bool
) -> None:
    async with opened(size=size) as (app, pilot):
        bar = app.screen.query_one(KeyBar)
        await until(pilot, lambda: bar.size.height == 1 + has_second)
        assert "copy command" in drawn(list(bar.more))
        if has_second:
            app.screen.room.taken = Size(0, 0)  # Textual's pilot clicks only inside `size`
            [place] = [place for place, key in enumerate(bar.more) if key.shown == "y"]
            x = sum(key.width for key in bar.more[:place]) + 1
            await pilot.click(bar, offset=(x, 1))
            await until(pilot, lambda: app.screen.is_modal)


NAMES = {
    "unreachable": "never encoded",
    "convert": "save",
    "lazy deletion": "heap view",
    "zipf": "charts",
    "bytes per token": "charts",
    "dark mode": "light",
    "benchmark": "race",
    "emoji": "characters",
    "forbid": "what if",
    "screenshot": "export",
    "homework": "check",
    "nfkc": "pipeline",
    "viterbi": "model",
    "glossary": "help",
    "seldom": "seldom",
}
"""What people call it, if it is no word of the screen → the label of the command."""


async def test_a_command_is_found_by_what_people_call_it() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, Help)
        for words, label in NAMES.items():
            app.screen.query_one(Input).value = words
            await pilot.pause()
            found = app.screen.query_one("#found", Lines).target
            assert isinstance(found, PlacedCommand)
            assert (words, found.command.label) == (words, label)


@pytest.mark.parametrize("model", MODELS)
def test_every_command_is_found_from_every_model(model: str) -> None:
    # On screens of no session: the comparison, the start page.
    alone = {"screen.difference(1)", "screen.difference(-1)", "app.open('CHECK')"}
    for kind in ("training", "vocabulary", "encoding"):
        screen = MODELS[model].screen(kind)
        found = list(commands_elsewhere(screen, MODELS[model]))
        actions = {each.command.action for each in found}
        actions |= {command.action for command in commands_on(screen)}
        assert {command.action for command in COMMANDS} - alone <= actions
        elsewhere = [(each.command.action, each.command.label) for each in found]
        assert len(elsewhere) == len({*elsewhere})  # each once


@pytest.mark.slow
async def test_a_page_key_before_the_list_has_lines_does_not_fail_nor_tab_without_room() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("ctrl+p", "pagedown", "pageup", "escape")
        await pilot.press("ctrl+p", *"zzz", "pagedown", "escape")  # a line that leads nowhere
        await pilot.resize_terminal(1, 1)
        await pilot.press("tab", "shift+tab")  # no panel has room
        await until(pilot, lambda: app.screen.id == "training")


async def test_a_command_of_another_screen_runs_there() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("question_mark", *"single reason", "enter")
        await until(pilot, lambda: isinstance(app.screen, WhyWindow))
        assert app.screen_stack[-2].id == "encoding"
