"""`check` on the command line, and the screen that it opens."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from opening import SAMPLE

from bpe_tui import cli
from bpe_tui.cli.console import DIFFERS
from bpe_tui.session.config import Claimed, RunConfig
from engine import Tokenizer, train_bpe

SPECIAL = "<|endoftext|>"
CORPUS = SAMPLE.with_name("code.txt")  # small: causes are searched over all of it


@cache
def learnt(tie_rule: str) -> Tokenizer:
    return Tokenizer(*train_bpe(CORPUS, 357, [SPECIAL], tie_rule=tie_rule), [SPECIAL])


def trained(place: Path, tie_rule: str) -> Path:
    learnt(tie_rule).save(place)
    return place


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["check", *arguments, "--corpus", str(CORPUS)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_files_that_contradict_each_other_are_checked_all_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made = trained(tmp_path / "made", "lexicographic")
    vocab = json.loads((made / "vocab.json").read_text())
    del vocab["he"]
    (made / "vocab.json").write_text(json.dumps(vocab))
    code, out, _ = run(capsys, str(made))
    assert code == DIFFERS
    assert out == "All 100 merges are by the rule.\nThe vocabulary lacks “he”.\n"


def test_open_leads_to_the_check_on_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    opened: list[object] = []
    monkeypatch.setattr("bpe_tui.cli.inputs.open_screen", lambda config: opened.append(config) or 0)
    mine = trained(tmp_path / "mine", "first-seen")
    assert run(capsys, str(mine), "--vocab-size", "357", "--open")[0] == DIFFERS
    (config,) = opened
    assert isinstance(config, RunConfig)
    assert config.claimed == Claimed((str(mine),), vocab_size=357)
    assert (config.size, config.min_count) == (357, 1)
