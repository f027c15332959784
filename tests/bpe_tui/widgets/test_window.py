"""Windows, and the fields in them."""

from collections.abc import Iterable

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from opening import opened, until
from rich.cells import cell_len
from rich.segment import Segment
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Label, Static

from bpe_tui.app.base import BaseApp
from bpe_tui.bpe.summary_screens import SaveTokenizer
from bpe_tui.bpe.training_screen import TrainingScreen
from bpe_tui.widgets.fields import settled
from bpe_tui.widgets.text_field import LONGEST_TEXT, TextField
from bpe_tui.widgets.textual_private import SettledScreen, painted_lines
from bpe_tui.widgets.visible import typed_text


async def test_only_a_screen_that_is_new_or_has_another_size_is_laid_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (app, pilot):
        laid_out: set[type[Widget]] = set()
        reflow = Compositor.reflow

        def note_and_reflow(compositor: Compositor, parent: Widget, size: Size) -> object:
            if isinstance(parent, SettledScreen):
                laid_out.add(type(parent))
            return reflow(compositor, parent, size)

        monkeypatch.setattr(Compositor, "reflow", note_and_reflow)
        window, both = {SaveTokenizer}, {TrainingScreen, SaveTokenizer}
        for key, expected in (("s", window), ("escape", set()), ("s", window), ("size", both)):
            laid_out.clear()
            await (pilot.resize_terminal(90, 30) if key == "size" else pilot.press(key))
            await pilot.pause()
            assert (key, laid_out) == (key, expected)
        assert app.screen_stack[-2].outer_size == (90, 30)


async def test_a_screen_is_painted_once_it_has_content_and_is_laid_out_or_at_every_fifth_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        screen, painted = SettledScreen[None](), list[object]()
        await app.push_screen(screen)
        await pilot.pause()
        monkeypatch.setattr(Screen, "_on_timer_update", lambda screen: None)  # it would lay out
        monkeypatch.setattr(Screen, "_compositor_refresh", lambda screen: painted.append(1))

        for _ in range(2):
            screen._compositor_refresh()
        assert painted == []
        await pilot.pause()
        assert painted == [1]
        with monkeypatch.context() as patch:
            patch.setattr(screen, "_paint", lambda: 1 // 0)
            patch.setattr(app, "_handle_exception", lambda error: painted.append(str(error)))
            screen._compositor_refresh()
            await pilot.pause()
        assert "zero" in str(painted.pop())  # the failure is not lost

        def paintings(*, layout: bool = False, scroll: bool = False) -> list[int]:
            screen._layout_required, screen._scroll_required = layout, scroll
            counts = []
            for _ in range(11):
                painted.clear()
                screen._paint()
                counts.append(len(painted))
            return counts

        every_fifth = [0, 0, 0, 0, 1] * 2 + [0]
        assert paintings(layout=True) == every_fifth
        assert paintings() == [1] * 11
        assert paintings(scroll=True) == every_fifth
        monkeypatch.setattr(SettledScreen, "has_content", False)
        assert paintings() == [0] * 11


@pytest.mark.usefixtures("painted_at_each_wait")
@pytest.mark.slow
async def test_no_style_has_a_colour_of_the_terminal_or_is_dim() -> None:
    """Textual would translate such a style at each painting; the application leaves that out."""
    async with opened(vocab_size=300) as (app, pilot):
        for keys in ("l", "ctrl+p", "escape x", "escape 4", "0"):
            await pilot.press(*keys.split())
            for line in painted_lines(app.screen):
                for style in filter(None, (segment.style for segment in line)):
                    colours = filter(None, (style.color, style.bgcolor))
                    assert all(each.triplet for each in colours), style
                    assert not style.dim, style


class Styled(SettledScreen[None]):
    """A screen whose rules ask for its classes."""

    CSS = """
        Styled.-wide Label { width: 9; }
        Styled .-wide { width: 7; }
    """

    def compose(self) -> ComposeResult:
        yield Label("a")
        yield Static("b")
        yield Static("c", classes="-wide")


async def test_a_changed_class_gives_new_styles_to_what_its_rules_end_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        screen, styled = Styled(), list[str]()
        await app.push_screen(screen)
        await pilot.pause()
        update = app.stylesheet.update_nodes

        def note_and_update(nodes: Iterable[Widget], animate: bool = False) -> None:
            found = [each for each in nodes if each is not screen]
            styled.extend(str(each.render()) for each in found)
            update(found, animate)

        monkeypatch.setattr(app.stylesheet, "update_nodes", note_and_update)
        for classes, names, widths in (
            ("-wide", "ac", ["9", "None", "7"]),
            ("other", "ac", ["auto", "None", "7"]),
            ("none", "", ["auto", "None", "7"]),
        ):
            styled.clear()
            screen.set_classes(classes)
            await pilot.pause()
            assert styled == [*names]
            assert [str(each.styles.width) for each in screen.children] == widths
        styled.clear()
        screen.update_node_styles()
        assert styled == ["a", "b", "c"]  # no class has changed: all of them
        assert not [each.id for each in screen.children if each.id]  # no tooltips of Textual


EMOJI = ["🇩🇪", "👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", "🇩"]
ODD = [*EMOJI, "\x1b[2J", "\u202e", "a\u200bb", "\t"]
TYPED = {"plain é 漢字 각": "plain é 漢字 각", "e\u0301": "e\u0301", "🇩🇪": "DE", "🇩🇪🇫🇷": "DEFR"}
TYPED |= {"👍🏽": "👍", "👨\u200d👩\u200d👧": "👨", "❤\ufe0f!": "❤ !", "a\u202eb": "ab"}


def test_a_cluster_of_doubtful_width_is_replaced() -> None:
    assert {typed: typed_text(typed) for typed in TYPED} == TYPED


@given(st.lists(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cs"]))))
def test_the_drawn_text_has_no_controls_and_the_cells_that_are_counted(parts: list[str]) -> None:
    typed = Strip([Segment("".join(parts))])
    drawn = settled(typed).text
    assert cell_len(drawn) == typed.cell_length
    # `regex` knows newer characters than this Python's `unicodedata`.
    assert not regex.search(r"[\p{Cc}\p{Cf}\p{Co}\p{Cn}]", drawn)
    assert not any(
        0xFE00 <= ord(char) <= 0xFE0F or 0x1F1E6 <= ord(char) <= 0x1F1FF for char in drawn
    )


async def test_a_long_paste_is_cut_and_the_message_names_the_key_that_opens_a_file() -> None:
    app = BaseApp()
    async with app.run_test() as pilot:
        field = TextField("plain")
        await app.mount(field)
        field.focus()
        await pilot.press("e")
        assert field.text == "e"  # the focus had selected all
        for more, told in (
            ("", ""),
            ("\na", "A paste is cut where the text has 20,000 characters."),
        ):
            field.text = ""
            app.post_message(Paste("a\n" * (LONGEST_TEXT // 2) + more))
            await until(pilot, lambda: len(field.text) == LONGEST_TEXT)
            assert app.notices.now.partition(" Save")[0] == told
        assert "o opens it" in app.notices.now
        app.post_message(Paste("b"))  # there is no room for more
        await pilot.press("left", "delete")
        app.post_message(Paste("cd"))
        await until(pilot, lambda: field.text.endswith("c"))
        assert (len(field.text), "b" in field.text, "d" in field.text) == (
            LONGEST_TEXT,
            False,
            False,
        )
        field.select_all()
        app.post_message(Paste("ef"))
        await until(pilot, lambda: field.text == "ef")
