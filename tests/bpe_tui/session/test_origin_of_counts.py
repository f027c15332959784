"""Training on a corpus tells its listener where the counts come from."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from bpe_tui.session.training import CountOrigin, Training, TrainingListener, train_on_corpus
from engine.bpe.trainer import StopReason
from engine.counting.cache import KeptCount
from engine.recording.training_input import CountedCorpus
from engine.text.corpus import Corpus


def test_kept_counts_are_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.counting.cache.WORTH_KEEPING", 1)
    path = tmp_path / "text"
    path.write_bytes(b"one<s>two three")
    origins: list[CountOrigin | None] = []
    for _ in range(2):
        corpus, listener = Corpus(path), TrainingListener()
        kept = KeptCount.of(tmp_path / "cache", corpus, "gpt2", ["<s>"])

        def start(counted: CountedCorpus) -> Training:
            return Training(Mock(steps=tuple, stop_reason=StopReason.NO_PAIR_LEFT))

        train_on_corpus(corpus, "gpt2", ["<s>"], start, kept=kept, listener=listener)
        origins.append(listener.origin)
    assert origins == [CountOrigin.COUNTED, CountOrigin.KEPT]
