"""The forecast of memory: distinct pretokens from a sample of a file."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from engine.counting import forecast
from engine.counting.count import count_pretokens
from engine.counting.forecast import A_PRETOKEN, AT_LEAST, distinct_in, forecast_memory
from engine.text.corpus import Corpus


def test_a_sample_gives_the_number_of_distinct_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words drawn so that the n-th is n times rarer than the first, as in prose."""
    chance, words = random.Random(1), range(1, 30_000)
    drawn = chance.choices(words, [1 / n for n in words], k=60_000)
    (tmp_path / "corpus").write_text(" ".join(f"w{n:x}" for n in drawn))
    monkeypatch.setattr(forecast, "WORTH_A_SAMPLE", 1)
    monkeypatch.setattr(forecast, "BLOCK", 1 << 10)
    needed = forecast_memory(Corpus(tmp_path / "corpus"), "whitespace")
    assert needed is not None
    right = len(count_pretokens(tmp_path / "corpus", "whitespace"))
    assert 0.8 * right < (needed - AT_LEAST) / A_PRETOKEN < 1.25 * right


def test_a_text_without_new_words_needs_no_more() -> None:
    assert distinct_in(100, half=50, whole=50) == 50
    assert 180 < distinct_in(2, half=50, whole=100) < 200


def test_small_packed_and_several_files_have_no_forecast(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("low lower " * 10_000)
    assert forecast_memory(Corpus(tmp_path / "a.txt"), "gpt2") is None
    monkeypatch.setattr(forecast, "WORTH_A_SAMPLE", 1)
    assert forecast_memory(Corpus(tmp_path / "a.txt"), "gpt2") is not None
    (tmp_path / "b.gz").write_bytes(gzip.compress(random.Random(0).randbytes(100_000)))
    assert forecast_memory(Corpus(tmp_path / "b.gz"), "gpt2") is None
    assert forecast_memory(Corpus(tmp_path), "gpt2") is None
