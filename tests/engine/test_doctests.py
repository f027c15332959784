"""The examples in the engine's docstrings are true."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import engine

MODULES = ["engine", *(m.name for m in pkgutil.walk_packages(engine.__path__, "engine."))]
EXAMPLES = [
    example
    for module in MODULES
    for example in doctest.DocTestFinder().find(import_module(module))
    if example.examples
]


@pytest.mark.parametrize("module", sorted({example.globs["__name__"] for example in EXAMPLES}))
def test_the_examples_of_a_module_are_true(module: str) -> None:
    runner = doctest.DocTestRunner()
    report: list[str] = []
    for example in EXAMPLES:
        if example.globs["__name__"] == module:
            runner.run(example, out=report.append, clear_globs=False)
    assert runner.tries > 0
    assert not runner.failures, "".join(report)
