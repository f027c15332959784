"""All examples in docstrings give the results they show."""

import ast
import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
WITH_EXAMPLES = [
    ".".join(path.relative_to(REPO).with_suffix("").parts).removesuffix(".__init__")
    for package in ("engine", "bpe_tui")
    for path in sorted((REPO / package).rglob("*.py"))
    if re.search(r"^ *>>> ", path.read_text("utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module_are_true(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPO)  # the examples open samples
    runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
    report: list[str] = []
    names = vars(import_module(module))
    for node in ast.walk(ast.parse(inspect.getsource(import_module(module)))):
        # From the source: doctest's own finder passes over cached properties.
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            example = parser.get_doctest(text, dict(names), module, None, None)
            runner.run(example, out=report.append)
    assert runner.tries > 0
    assert not runner.failures, "".join(report)
