"""No screen and no panel has more than four classes of ours above it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

from textual.binding import Binding
from textual.widget import Widget

import bpe_tui
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.training_screen import CorpusPanel, PseudocodePanel
from bpe_tui.panels.charts import COUNTS, GAINS, ChartsScreen
from bpe_tui.panels.inspection_rows import InspectionSection
from bpe_tui.panels.inspection_screen import InspectionScreen
from bpe_tui.panels.player_screen import StepsScreen

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
