"""Panels: few classes above them, rows whenever they are visible, long work in slices."""

from collections.abc import Iterator
from copy import copy
from importlib import import_module
from pkgutil import walk_packages
from time import sleep

import pytest
from opening import opened, until
from textual.app import App
from textual.binding import Binding
from textual.widget import Widget

import bpe_tui
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.training_screen import CorpusPanel, PseudocodePanel
from bpe_tui.panels import training_panels
from bpe_tui.panels.charts import COUNTS, GAINS, ChartsScreen
from bpe_tui.panels.inspection_rows import InspectionSection
from bpe_tui.panels.inspection_screen import InspectionScreen
from bpe_tui.panels.player_screen import StepsScreen
from bpe_tui.panels.training_panels import ChangedPretokensPanel
from bpe_tui.shell import slices
from bpe_tui.widgets.lines import RowList


@pytest.mark.usefixtures("painted_at_each_wait")  # which asks for the rows
async def test_a_panel_hidden_and_shown_between_two_layouts_has_its_rows() -> None:
    async with opened() as (app, pilot):
        panel = app.screen.query_one(PairsPanel)
        assert panel.row_count
        panel.display = False
        panel.rebuild()  # as a new run does
        assert not panel.row_count
        panel.display = True  # no event says so: to the layout it was visible all the time
        await until(pilot, lambda: panel.row_count)


@pytest.mark.parametrize("height", ["1fr", 3])  # with room for more rows, and with none
async def test_a_slow_search_ends_though_a_frame_that_looks_the_same_has_come(
    height: str | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as (app, pilot):
        panel = app.screen.query_one(ChangedPretokensPanel)
        panel.styles.height = height
        await pilot.pause()
        monkeypatch.setattr(training_panels, "SLICE_SECONDS", 1e-9)  # one pretoken at a time
        panel.rebuild()
        assert panel.row_count == 2, "a pretoken, and how many more there are"
        monkeypatch.setattr(training_panels, "SLICE_SECONDS", 60)
        panel.frame = copy(panel.frame)  # as more recorded steps give one
        await until(pilot, lambda: panel.row_count > 2)


async def test_work_goes_on_slice_by_slice_until_other_work_begins_or_it_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "REST_SECONDS", 0.01)
    done: list[object] = []

    def work(name: str) -> Iterator[None]:
        for place in range(2):
            done.append((name, place))
            sleep(slices.SLICE_SECONDS)
            yield

    async with (app := App[None]()).run_test() as pilot:
        await app.mount(panel := RowList("rows"))
        of_panel = slices.Slices(panel, done.append)
        for name in ("first", "second", "third"):
            of_panel.start(work(name))
        of_panel.stop()
        of_panel.start(work("last"))
        await until(pilot, lambda: True in done)
        await pilot.pause(0.02)
        assert done == [("last", 0), False, ("last", 1), False, True]


MOST_ABOVE = 4


def _below(kind: type[Widget]) -> Iterator[type[Widget]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def test_few_classes_are_above_a_widget() -> None:
    for module in walk_packages(bpe_tui.__path__, "bpe_tui."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    above = {
        kind.__qualname__: [each.__name__ for each in kind.__mro__[1:] if _is_ours(each)]
        for kind in _below(Widget)
        if _is_ours(kind)
    }
    assert len(above) > 100
    assert {kind: names for kind, names in above.items() if len(names) > MOST_ABOVE} == {}


def test_a_screen_names_its_panels_as_its_class_lists_them() -> None:
    class Charts(ChartsScreen):
        TILES = (GAINS, COUNTS)

    class Inspection(InspectionScreen):
        TILES = (InspectionSection("odd", "which are odd?", list),)

    class Steps(StepsScreen):
        PANELS = (CorpusPanel, PairsPanel, MergePanel, PseudocodePanel)
        FIRST = "merge"
        NAME = "training"

    assert (Charts.PANEL_ORDER, Inspection.PANEL_ORDER) == (("gains", "counts"), ("odd",))
    assert (Charts.SLOT, Charts.HIDDEN) == (
        Charts.PANEL_ORDER,
        {"gains": "gains", "counts": "counts"},
    )
    assert Steps.PANEL_ORDER == ("corpus", "pairs", "merge", "pseudocode", "encode")
    assert Steps.SLOT == ("merge", "pairs", "pseudocode")
    assert Steps._place_of == {"merge": "merge", "pseudocode": PseudocodePanel.IN_PLACE_OF}
    keys = {each.key: each.action for each in Steps.BINDINGS if isinstance(each, Binding)}
    assert keys["n"] == "screen.press('n')"
    assert Charts.BINDINGS is ChartsScreen.BINDINGS  # it has no name of its own


def _is_ours(kind: type[object]) -> bool:
    return kind.__module__.startswith("bpe_tui.")
