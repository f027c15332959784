"""`bpe-tui inspect`: the sections of a tokenizer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui import cli
from bpe_tui.bpe.inspection_rows import SECTIONS
from engine import Tokenizer, Trainer
from engine.analysis.inspection import Inspection
from engine.bpe.replay import Replay
from engine.formats.tokenizer_format import Opened


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("odd") / "out")
    vocab = {byte: bytes([byte]) for byte in range(256)} | {300: b"\x1b[", 301: b"ab"}
    Tokenizer(vocab, [(b"\x1b", b"["), (b"a", b"b")], {"<s>": 400}).save(place)
    return place


def test_the_sections_are_aligned_and_hostile_tokens_visible(
    capsys: pytest.CaptureFixture[str], tokenizer: str
) -> None:
    assert cli.main(["inspect", tokenizer]) == 0
    told = capsys.readouterr().out
    assert "  tokens              259\n" in told
    assert "  special tokens      <s> 400\n" in told
    assert "0 to 400; 142 ids without a token: 256–299, 302–399" in told
    assert "␛[" in told
    assert "\x1b" not in told
    titles = [line for line in told.splitlines() if line.endswith("?")]
    assert len(titles) == 5
    languages = told.partition("other languages")[2].partition("\n\n")[0]
    assert "times the tokens of English (10 sentences)" in " ".join(languages.split())
    assert "Chinese 0.95" in languages  # it has bytes only, nearly


@given(seed=st.integers(0, 99))
def test_the_screen_and_the_shell_describe_a_tokenizer_alike(seed: int) -> None:
    """A tokenizer whose ids are not in the order of its merges."""
    counts = {b" the": 9, b" then": 4, b"12": 3, b" The": 2}
    trainer = Trainer(counts, 264)
    tokens = [step.token for step in trainer.steps()]
    ids = random.Random(seed).sample(range(300), 256 + len(tokens) + 2)
    vocab = dict(
        zip(ids, [*(bytes([byte]) for byte in range(256)), *tokens, tokens[0]], strict=False)
    )
    tokenizer = Tokenizer(vocab, trainer.merges, {"<s>": ids[-1]})
    opened = Opened(tokenizer, "gpt2")
    replay = Replay(tokenizer, {})
    replay.timeline.extend(replay.steps())
    replay.timeline.complete()
    in_shell = Inspection.of_opened(opened)
    assert in_shell.greatest_id == max(ids)
    assert in_shell.gaps.count == max(ids) + 1 - len(ids)
    on_screen = Inspection.of_frame(replay.timeline.seek(len(tokens)), opened)
    for section in SECTIONS:
        shown, printed = (
            [row.spans for row in section.rows(each, 100)] for each in (on_screen, in_shell)
        )
        assert shown == printed
