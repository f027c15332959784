"""`train --format counts`: a file of counts, which every command accepts as a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import opened_as

from bpe_tui import cli
from bpe_tui.session.config import RunConfig
from bpe_tui.session.opening import config_for

COUNT = "train", "--format", "counts"
TEXT = "low low lower<s>newest\n" * 20


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(TEXT)
    out = tmp_path / "out.counts"
    given = ["--special", "<s>", "--pattern", "whitespace", "--out", str(out)]
    assert cli.main([*COUNT, *map(str, sorted(tmp_path.glob("*.txt"))), *given]) == 0
    return out


def test_training_on_counts_makes_the_files_of_training_on_the_text(
    counts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = {}
    cut = {"text": ["--special", "<s>", "--pattern", "whitespace"], "counts": []}
    given = {"text": [str(tmp_path / f"{name}.txt") for name in "ab"], "counts": [str(counts)]}
    for kind in given:
        out = tmp_path / kind
        size = ["--vocab-size", "265", "--out", str(out)]
        assert cli.main(["train", *given[kind], *cut[kind], *size]) == 0
        made[kind] = [path.read_bytes() for path in sorted(out.iterdir())]
    assert made["text"] == made["counts"]
    assert cli.main(["check", str(tmp_path / "text"), "--corpus", str(counts)]) == 0
    assert "All 8 merges are by the rule" in capsys.readouterr().out


async def test_counts_open_on_the_screen_as_they_were_made(counts: Path) -> None:
    config = config_for(RunConfig(str(counts)))
    assert isinstance(config, RunConfig)
    assert (config.pattern, config.special_tokens) == ("whitespace", ("<s>",))
    async with opened_as(config) as (app, _):
        shown = app.session.shown
        assert shown is not None
        assert shown.excerpt.lines.text.startswith("low low lower<s>")
        assert shown.counts[b"low"] == 80
