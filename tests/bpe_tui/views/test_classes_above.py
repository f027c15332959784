"""No screen and no panel has more than four classes of ours above it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

from textual.widget import Widget

import bpe_tui

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


def _is_ours(kind: type[object]) -> bool:
    return kind.__module__.startswith("bpe_tui.")
