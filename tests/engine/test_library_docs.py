"""The examples of docs/library.md: they run, and a strict type checker has nothing to say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
EXAMPLES = re.findall(
    r"^```python\n(.*?)^```", (REPO / "docs" / "library.md").read_text("utf-8"), re.S | re.M
)


def test_the_examples_run_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "samples").symlink_to(REPO / "samples")
    monkeypatch.chdir(tmp_path)
    exec("\n".join(EXAMPLES), {})


@pytest.mark.slow  # mypy reads the whole engine
def test_the_examples_pass_a_strict_type_checker(tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text("\n".join(EXAMPLES))
    checker = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports"]
    done = subprocess.run(
        [*checker, str(tmp_path / "example.py")], cwd=REPO, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
