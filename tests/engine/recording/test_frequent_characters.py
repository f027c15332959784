"""The characters that a part of one may belong to."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from engine import Trainer
from engine.bpe.record import MergeStep
from engine.recording.frequent_characters import FrequentCharacters

COUNTS = {"我们".encode(): 3, "成a".encode(): 2, b"ab": 9, "我".encode(): 1}
FREQUENT = FrequentCharacters(COUNTS)


@pytest.mark.parametrize(
    ("token", "characters"),
    [
        (b"\xe6\x88", "我成"),  # the beginning of both
        (b"\x88\x91", "我"),  # its end
        (b"\xe6\x88\x91\xe4", "们"),  # after a whole character
        (b"\x91\xe4\xbb", "们"),  # the longest part
        ("我".encode(), ""),
        (b"ab", ""),
        (b"\xff", ""),
        (b"\x90a", "成"),
        (b"\x91a", ""),  # in no pretoken
    ],
)
def test_a_part_belongs_to_characters_of_the_corpus(token: bytes, characters: str) -> None:
    assert "".join(FREQUENT.with_part(token)) == characters


def test_each_character_is_cut_by_the_token_in_a_pretoken() -> None:
    words = [
        "真有意思",
        "真有意思",
        "欢喜",
        "欢喜",
        "明明",
        "有明",
        "café",
        " ça",
        " für",
        "<▁",
        "<▂",
    ]
    counts = Counter(map(str.encode, words))
    trainer = Trainer(counts, 300, min_count=1)
    tokens = [step.token for step in trainer.steps() if isinstance(step, MergeStep)]
    frequent = FrequentCharacters(counts)
    assert len(tokens) == 34
    for token in tokens:
        cut = set()
        for pretoken in counts:
            for found in re.finditer(b"(?=%b)" % re.escape(token), pretoken):
                before = pretoken[: found.start()].decode("utf-8", "ignore")
                rest = pretoken[len(before.encode()) :].decode("utf-8", "ignore")
                inside = pretoken[: found.start() + len(token)].decode("utf-8", "ignore")
                # The characters that begin before the token does, and before it ends.
                cut |= {rest[:1], rest[len(inside) - len(before) :][:1]}
        assert cut.issuperset(frequent.with_part(token)), token
