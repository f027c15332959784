"""Inspections of a Unigram step, against plain Python."""

from __future__ import annotations

from math import exp, log2

import pytest
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine.analysis.inspection import UnigramInspection
from engine.unigram.frame import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer

WORDS = st.dictionaries(
    st.text("aA!▁\udcff", min_size=1, max_size=7), st.integers(1, 9), min_size=1
)


def recorded(words: dict[str, int]) -> UnigramTimeline:
    trainer = UnigramTrainer(words, 12, ["<|x|>"])
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


@examples(25)
@given(WORDS)
@example({"▁aA!!": 3, "▁aA": 2, "!!!": 2, "\udcffa": 2})
def test_an_inspection_counts_the_pieces(words: dict[str, int]) -> None:
    timeline = recorded(words)
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        inspection, texts = UnigramInspection(frame).prepare(), frame.texts
        assert inspection.size == len(texts)
        assert inspection.characters == sum(len(text) == 1 for text in texts)
        assert inspection.word_starts == sum(text[0] == "▁" for text in texts)
        assert dict(inspection.length_histogram) == {
            n: sum(len(text) == n for text in texts) for n in {len(text) for text in texts}
        }
        assert inspection.mean_length == pytest.approx(sum(map(len, texts)) / len(texts))
        assert inspection.odd("seldom").count == sum(n < 1 for n in frame.expected_counts)
        assert inspection.odd("runs").count == sum(len(t) > 1 and len(set(t)) == 1 for t in texts)
        assert inspection.odd("partial").count == sum("\udcff" in text for text in texts)
        assert sum(count for _, count in inspection.kinds) == len(texts)
        shares = [n / frame.expected_counts.sum() for n in frame.expected_counts if n]
        assert inspection.entropy == pytest.approx(-sum(p * log2(p) for p in shares))
        assert inspection.perplexity == pytest.approx(exp(frame.loss))
        uses = frame.expected_counts.sum() / sum(words.values())
        assert inspection.fertility == pytest.approx(uses)
        longest = [len(inspection.text(piece)) for piece in inspection.longest(3)]
        assert longest == sorted(map(len, texts), reverse=True)[:3]
        ends = inspection.worst_and_best
        assert ends is not None
        scores = [inspection.score(piece) for piece in ends]
        assert scores == [frame.scores.min(), frame.scores.max()]
