"""`--phases` of `train` and `open`: SuperBPE from the command line."""

from __future__ import annotations

import json
from pathlib import Path

from program import STORIES, run

from bpe_tui.session.config import RunConfig, Viewpoint, in_phases
from bpe_tui.session.opening import config_for
from bpe_tui.session.saved_sessions import command_that_opens
from engine import Tokenizer

PHASES = ("--phases", "gpt2:400,none:450")


def test_train_says_what_each_phase_brings_and_writes_all_merges(tmp_path: Path) -> None:
    out, steps = tmp_path / "out.json", tmp_path / "steps.jsonl"
    format = ("--format", "huggingface", "--min-count", "2")
    result = run("train", STORIES, *PHASES, *format, "--out", out, "--steps", steps)
    assert result.returncode == 0
    said = result.stderr.decode().splitlines()
    assert said[1] == "phase 1: 143 merges, 2.00 bytes per token"
    assert said[2].startswith("phase 2, pattern none: 50 merges, ")
    tokenizer = Tokenizer.load(out)
    assert tokenizer.pattern.name == "none"
    assert len(tokenizer.merges) == len(steps.read_text().splitlines()) == 193
    counts = [json.loads(line)["count"] for line in steps.read_text().splitlines()]
    assert counts[143] > counts[142]  # where borders fall, pairs wait that are more frequent
    assert [tokenizer.vocab[token_id] for token_id in tokenizer.encode("red, and blue")][
        -5
    ] == b", and"


def test_the_command_that_opens_a_run_again_has_its_phases() -> None:
    config = in_phases(RunConfig(str(STORIES), phases="gpt2:300,none:320", most_words=2))
    command = command_that_opens(config, Viewpoint(50))
    assert "--phases gpt2:300,none:320" in command
    assert "--max-token-length 2words" in command
    assert "--pattern" not in command
    assert "--vocab-size" not in command
    assert config_for(config) == config
