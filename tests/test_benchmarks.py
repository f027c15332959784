"""What the benchmarks print."""

from importlib import import_module
from pathlib import Path

import pytest


def test_a_table_says_that_it_was_measured_without_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "benchmarks")
    runs = import_module("runs")
    monkeypatch.setattr(runs, "KERNEL", object())
    figures = "         whole s\nbpe-tui     1.50"
    assert runs.table({"bpe-tui": {"whole s": 1.5}}, ["whole s"]) == figures
    monkeypatch.setattr(runs, "KERNEL", None)
    monkeypatch.setattr(runs, "WHY_NO_KERNEL", "no compiler")
    said = "bpe-tui was measured without its compiled kernel: no compiler"
    assert runs.table({"bpe-tui": {"whole s": 1.5}}, ["whole s"]) == f"{figures}\n{said}"
