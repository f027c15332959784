"""The cost of other languages."""

from __future__ import annotations

from pathlib import Path

from engine.analysis.measures import premiums_over_english

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def test_a_premium_is_of_the_english_tokens_and_none_is_told_of_unknown_ones() -> None:
    texts = {path.stem: path.read_text() for path in (SAMPLES / "parallel").glob("*.txt")}
    in_bytes = premiums_over_english(lambda text: list(text.encode()), texts)
    assert len(in_bytes) == 11
    assert {text.count("\n") for text in texts.values()} == {10}
    assert in_bytes["hindi"] == len(texts["hindi"].encode()) / len(texts["english"].encode())
    assert list(in_bytes.values()) == sorted(in_bytes.values())
    latin = premiums_over_english(lambda text: [min(ord(c), 400) for c in text], texts, 400)
    assert latin.keys() == {"french", "german", "spanish", "swahili", "turkish"}
    assert premiums_over_english(lambda text: [text is not texts["english"]], texts, 0) == {}
