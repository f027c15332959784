"""The examples of docs/library.md are true, and each public method has a docstring."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from pydoc import plaintext
from typing import Any, get_args

import pytest

import engine
from engine.encoding.alphabet import UNITS
from engine.formats import CONVERTIBLE
from engine.unigram.units import GRAM_UNITS, GramUnitsName

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


MISSPELLED = """train_bpe("a.txt", 300, tie_rule="huggingfac")
train_bpe("a.txt", 300, trainer="nativ")
Trainer({}, 300, algorithm="quick")
Trainer({}, 300, units="byte")
TextbookTrainer({}, units="word")
Tokenizer({}, []).save("a", "gpt-2")
convert(Tokenizer({}, []), "hf", "a")
ForkChange(tie_rule="minbpe")
"""


@pytest.mark.slow  # mypy reads the whole engine
def test_a_type_checker_takes_the_examples_and_finds_misspelled_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy comes with the dev extra")
    (tmp_path / "example.py").write_text("\n".join(EXAMPLES))
    names = sorted({*re.findall(r"[A-Z]\w+(?=\()|\b(?:train_bpe|convert)\b", MISSPELLED)})
    (tmp_path / "wrong.py").write_text(f"from engine import {', '.join(names)}\n{MISSPELLED}")
    checker = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports"]
    files = [str(tmp_path / "example.py"), str(tmp_path / "wrong.py")]
    done = subprocess.run([*checker, *files], cwd=REPO, capture_output=True, text=True)
    found = re.findall(r"wrong\.py:(\d+): error: .* expected .?\"?Literal", done.stdout)
    assert [*map(int, found)] == [*range(2, 2 + MISSPELLED.count("\n"))], done.stdout
    assert done.stdout.count(": error: ") == len(found), done.stdout


@pytest.mark.parametrize(
    ("names", "registry"),
    [
        (engine.TieRuleName, engine.TIE_RULES),
        (engine.TrainerName, engine.TRAINERS),
        (engine.UnitsName, UNITS),
        (GramUnitsName, GRAM_UNITS),
        (engine.FormatName, CONVERTIBLE),
    ],
)
def test_the_names_that_a_signature_takes_are_those_of_the_registry(
    names: Any, registry: Iterable[str]
) -> None:
    assert get_args(names) == tuple(registry), "the Literal is beside the class or the registry"


def test_help_begins_with_what_one_does_and_lists_no_errors() -> None:
    said = plaintext.document(engine)
    first = said[: said.index(">>>")]
    tasks = ["Train", "Encode", "Load", "Step", "Explain"]
    places = [first.index(each) for each in tasks]
    assert places == sorted(places)
    assert "builtins.BaseException" not in said


def public_functions() -> Iterator[tuple[str, Any]]:
    """Yield all public functions, methods and properties, with their names."""
    for name in engine.__all__:
        public = getattr(engine, name)
        if not inspect.isclass(public):
            if inspect.isfunction(public):  # registries and names are none
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
