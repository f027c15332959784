"""The examples of docs/library.md are true, and each public method has a docstring."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import engine

REPO = Path(__file__).resolve().parents[2]
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```", (REPO / "docs" / "library.md").read_text("utf-8"), re.S | re.M
)


def test_the_examples_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "samples").symlink_to(REPO / "samples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for example in EXAMPLES:
        exec(example, names)
        shown = "\n".join(re.findall(r"# → (.*)", example))
        printed = ".*".join(map(re.escape, shown.split("…")))
        assert re.fullmatch(printed, capsys.readouterr().out.rstrip("\n"), re.S), example


@pytest.mark.slow  # mypy reads the whole engine
def test_the_examples_pass_a_strict_type_checker(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy comes with the dev extra")
    (tmp_path / "example.py").write_text("\n".join(EXAMPLES))
    checker = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports"]
    done = subprocess.run(
        [*checker, str(tmp_path / "example.py")], cwd=REPO, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def public_functions() -> Iterator[tuple[str, Any]]:
    """Yield all public functions, methods and properties, with their names."""
    for name in engine.__all__:
        public = getattr(engine, name)
        if not inspect.isclass(public):
            if callable(public):  # the registries are no functions
                yield name, public
            continue
        for member, value in inspect.getmembers_static(public):
            getter = getattr(value, "fget", None) or getattr(value, "func", None)
            function = getter or getattr(value, "__func__", value)
            is_ours = inspect.isfunction(function) and function.__module__.startswith("engine.")
            if is_ours and not member.startswith("_"):
                yield f"{name}.{member}", function


def test_all_that_is_public_says_what_it_does_and_what_it_takes_and_raises() -> None:
    lacking = []
    for name, function in public_functions():
        said = inspect.getdoc(function) or ""
        takes = set(inspect.signature(function).parameters) - {"self", "cls"}
        if (
            not said
            or (len(takes) > 1 and "Args:" not in said)
            or ("    raise " in inspect.getsource(function) and "Raises:" not in said)
        ):
            lacking.append(name)
    assert lacking == []
