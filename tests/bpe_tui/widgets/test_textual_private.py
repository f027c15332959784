"""Each private name of Textual is there, and only one module uses them."""

import ast
import inspect
import io
import re
import weakref
from codecs import getincrementaldecoder
from pathlib import Path
from typing import Any

import pytest
from opening import until
from textual._node_list import NodeList
from textual._styles_cache import StylesCache
from textual.app import App
from textual.color import Color
from textual.css.stylesheet import Stylesheet
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

import bpe_tui
from bpe_tui.widgets import textual_private
from bpe_tui.widgets.textual_private import (
    OUTPUT_THREAD,
    SettledScreen,
    SurvivingApp,
    free_painted_lines,
    tolerate_bad_bytes,
)

MOST = 16
"""Most private names that the package may use."""
NAMES: dict[str, Any] = {
    "_compositor": Screen,
    "_compositor_refresh": Screen,
    "_dispatch_message": MessagePump,
    "_handle_exception": App,
    "_layout_required": Widget,
    "_nodes": Widget,
    "_on_timer_update": Screen,
    "_prune": App,
    "_pruning": Widget,
    "_register": App,
    "_remove": NodeList,
    "_screen_resized": Screen,
    "_scroll_required": Widget,
    "get_inner_outer": StylesCache,
    "getincrementaldecoder": linux_driver,
    "rules_map": Stylesheet,
}
"""Name → the class or the module that has it."""


@pytest.mark.parametrize("name", NAMES)
def test_textual_has_the_private_name(name: str) -> None:
    owner = NAMES[name]
    # What `__init__` sets is no attribute of the class.
    assert hasattr(owner, name) or f"self.{name}" in inspect.getsource(owner)


def test_these_are_all_private_names() -> None:
    assert len(NAMES) <= MOST
    tree = ast.parse(inspect.getsource(textual_private))
    named = {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}
    named |= {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
    ours = {name for name in vars(SettledScreen) if not hasattr(Screen, name)}
    private = {name for name in named if re.match(r"_[a-z]", name)} - ours
    assert private == {name for name in NAMES if name.startswith("_")}


def test_no_other_module_uses_them() -> None:
    word = re.compile(rf"\b(?:{'|'.join(NAMES)})\b|from (?:textual|rich)(?:\.\w+)*\._")
    for path in Path(bpe_tui.__file__).parent.rglob("*.py"):
        if path.name != "textual_private.py":
            found = set(word.findall(path.read_text(encoding="utf-8")))
            assert not found, path


@pytest.mark.unix
def test_output_has_a_thread_of_this_name_and_keys_that_are_no_utf_8_end_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert WriterThread(io.StringIO()).name == OUTPUT_THREAD
    monkeypatch.setattr(linux_driver, "getincrementaldecoder", getincrementaldecoder)
    tolerate_bad_bytes()
    assert linux_driver.getincrementaldecoder("utf-8")().decode(b"a\xff") == "a\ufffd"


async def test_an_exception_that_nothing_survives_ends_the_application() -> None:
    app = SurvivingApp[None]()
    with pytest.raises(ZeroDivisionError):
        async with app.run_test():
            app.call_later(divmod, 1, 0)


async def test_a_timer_that_waits_for_the_processor_as_it_begins_makes_its_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, called = SurvivingApp[None](), list[str]()
    async with app.run_test() as pilot:
        begins = iter((0.0,))
        monkeypatch.setattr("textual._time.get_time", lambda: next(begins, 9.0))
        app.set_timer(1 / 120, lambda: called.append("late"))
        await until(pilot, lambda: called)
    assert called == ["late"]


def test_nothing_holds_the_painted_lines_of_a_widget_that_is_gone() -> None:
    free_painted_lines()
    painted, colour = StylesCache(), Color(0, 0, 0)
    held = weakref.ref(painted)
    painted.get_inner_outer(colour, colour)
    del painted
    assert held() is None
