"""Which numbers name lessons."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui.session.lessons import builtin_lessons, numbered_lesson
from engine.core.errors import UnknownNameError


def test_a_lesson_is_named_by_its_number_unless_a_file_has_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    third = builtin_lessons()[2].path
    named = {"3": third, "03": third, "x": None, "²": None, "": None, "4": None}
    Path("4").touch()
    assert {number: numbered_lesson(number) for number in named} == named
    with pytest.raises(UnknownNameError):
        numbered_lesson("99")
