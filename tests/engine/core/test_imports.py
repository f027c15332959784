"""The engine needs no screen, and its helper processes import little."""

import ast
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import engine
from engine.core import errors
from engine.native import KERNEL

REPO = Path(__file__).resolve().parents[3]
DOCS = [REPO / "README.md", *sorted((REPO / "docs").glob("*.md"))]
FORBIDDEN = {"textual", "rich", "typer", "bpe_tui"}


def loaded_by(statement: str) -> set[str]:
    """Return the modules loaded after the statement, in a fresh interpreter."""
    code = f"{statement}\nimport sys; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=REPO, capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())


def test_a_helper_process_does_without_numpy() -> None:
    assert "numpy" not in loaded_by("import engine.core.helper_pool, engine.counting.count")
    assert "numpy" not in loaded_by("import engine.core.helper_pool, engine.encoding.tokenizer")


@pytest.mark.slow  # it starts two processes
@pytest.mark.skipif(KERNEL is None, reason="counting and training need numpy then")
def test_training_needs_no_numpy_until_the_record_is_read() -> None:
    train = (
        "from engine import Trainer, count_pretokens; c = count_pretokens('samples/handout.txt');"
        "steps = list(Trainer(c, 270).steps())"
    )
    assert "numpy" not in loaded_by(train)
    assert "numpy" in loaded_by(f"{train}; steps[3].changes")


@pytest.mark.skipif(KERNEL is None, reason="cutting needs regex then")
def test_training_on_a_plain_text_loads_nothing_that_it_does_not_use() -> None:
    loaded = loaded_by("from engine import train_bpe; train_bpe('samples/handout.txt', 270)")
    assert not loaded & FORBIDDEN
    assert not loaded & {"numpy", "regex", "json", "hashlib", "difflib", "gzip", "bz2", "lzma"}
    assert not loaded & {"random", "queue", "pickle", "subprocess", "asyncio", "logging"}
    assert not loaded & {"pathlib", "signal", "zlib", "dataclasses", "inspect"}
    rooms = (
        "text.typed_regex",
        "core.helper_pool",
        "text.excerpt",
        "bpe.heap_replay",
    )
    assert not loaded & {f"engine.{room}" for room in rooms}


@pytest.mark.skipif(KERNEL is None, reason="counting and training need numpy then")
@pytest.mark.slow
def test_the_command_train_does_without_typer_and_other_slow_modules(tmp_path: Path) -> None:
    arguments = ["train", "samples/handout.txt", "--vocab-size", "270"]
    arguments += ["--special", "<s>", "--out", str(tmp_path / "out")]
    loaded = loaded_by(f"import bpe_tui.cli; bpe_tui.cli.main({arguments})")
    assert not loaded & {"numpy", "textual", "typer", "regex"}


def test_opening_a_corpus_imports_no_formats_and_no_command_line() -> None:
    loaded = loaded_by("import bpe_tui.cli.inputs, bpe_tui.app.app")
    assert not loaded & {"engine.formats", "engine.pipeline", "typer", "rich.progress"}


@pytest.mark.slow  # it starts a process
def test_the_first_screen_imports_nothing_that_it_does_not_show() -> None:
    loaded = loaded_by("import bpe_tui.cli.inputs, bpe_tui.app.app, bpe_tui.bpe.training_screen")
    assert not loaded & {"numpy", "regex", "textual.widgets._text_area"}
    assert not loaded & {
        "bpe_tui.shell.help_window",
        "bpe_tui.lessons.guide",
        "bpe_tui.widgets.chart",
    }
    assert "bpe_tui.session.opening_command" not in loaded
    rooms = (
        "analysis.breakpoints",
        "bpe.run_vocabularies",
        "bpe.what_if",
        "encoding.rules",
        "learning.lesson",
        "recording.vocabulary",
    )
    assert not loaded & {f"engine.{room}" for room in rooms}


def test_not_even_a_function_imports_a_screen() -> None:
    imported: dict[str, list[Path]] = {}
    word = re.compile(rf"from \.|\b({'|'.join(FORBIDDEN)})\b")
    for path in sorted((REPO / "engine").rglob("*.py")):
        source = path.read_text("utf-8")
        # To parse all modules would take a second; few have one of these words.
        for node in ast.walk(ast.parse(source if word.search(source) else "")):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: imports are written in full"
                names = [node.module or ""]
            for name in names:
                imported.setdefault(name.partition(".")[0], []).append(path)
    assert not {name: imported[name] for name in FORBIDDEN & set(imported)}


def test_the_public_names_are_shown_and_hold_every_error() -> None:
    assert {*engine.__all__} - {*dir(engine)} == {*vars(errors)} & {*engine.__all__}
    assert {name for name in vars(errors) if name.endswith("Error")} <= set(engine.__all__)
    assert engine.__version__ == version("bpe-tui")


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_the_documentation_imports_public_names_only(page: Path) -> None:
    imported = re.findall(r"^from (engine[\w.]*) import (.+)$", page.read_text(), re.MULTILINE)
    assert {module for module, _ in imported} <= {"engine"}
    assert {name for _, names in imported for name in names.split(", ")} <= set(engine.__all__)
    assert not re.search(r"^import engine", page.read_text(), re.MULTILINE)


def test_every_public_name_is_there() -> None:
    found = {name: getattr(engine, name) for name in engine.__all__}
    named = {name for name, each in found.items() if getattr(each, "__name__", "") == name}
    unnamed = {name for name in found if name.isupper() or name.endswith("Name")}
    assert named == found.keys() - unnamed  # registries and Literals have no name of their own


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'engine' has no attribute 'nothing'"):
        _ = engine.nothing
