"""The lists of names in the documentation are those of the registries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from bpe_tui.session.models import MODELS
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.encoding.alphabet import UNITS
from engine.formats import FORMATS
from engine.text.patterns import PATTERNS

DOCS = Path(__file__).parents[3] / "docs"
COMMANDS, SEMANTICS = DOCS / "commands.md", DOCS / "semantics.md"
TOKENIZERS = DOCS / "tokenizers.md"


def check_list(page: Path, kind: str, listed: Iterable[str], known: Iterable[str]) -> None:
    missing, unknown = set(known) - set(listed), set(listed) - set(known)
    assert not missing, f"docs/{page.name} lacks the {kind} {', '.join(sorted(missing))}"
    assert not unknown, f"docs/{page.name} lists the unknown {kind} {', '.join(sorted(unknown))}"


@pytest.mark.parametrize(
    ("option", "kind", "known"),
    [
        ("pattern", "pattern", PATTERNS),
        ("tie-rule", "tie rule", TIE_RULES),
        ("trainer", "trainer", TRAINERS),
        ("model", "model", MODELS),
        ("units", "units", UNITS),
    ],
)
def test_the_table_of_options_lists_each_registered_name(
    option: str, kind: str, known: Iterable[str]
) -> None:
    row = re.search(rf"^\| `--{option} NAME`.*?\| (.*) \|$", COMMANDS.read_text("utf-8"), re.M)
    assert row is not None, f"docs/{COMMANDS.name} has no row for --{option}"
    listed = re.findall(r"`([a-z][\w-]*)`", re.sub(r"\([^)]*\)", "", row[1]))
    check_list(COMMANDS, kind, listed, known)


def test_the_semantics_describe_each_tie_rule() -> None:
    table = SEMANTICS.read_text("utf-8").partition("| rule |")[2].partition("\n\n")[0]
    listed = re.findall(r"^ *\| `([\w-]+)` \|", table, re.M)
    check_list(SEMANTICS, "tie rule", listed, TIE_RULES)


def test_the_table_of_formats_has_each_and_says_which_are_written() -> None:
    table = TOKENIZERS.read_text("utf-8").partition("| format |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (✓?) ?\| (✓?) ?\|[^|]*\|$", table, re.M)
    check_list(TOKENIZERS, "format", [name for name, *_ in rows], FORMATS)
    assert {name for name, read, _ in rows if not read} == set()
    written = {name for name, _, write in rows if write}
    assert written == {name for name, each in FORMATS.items() if each.save}
