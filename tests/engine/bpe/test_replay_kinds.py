"""The tokenizers of today go step by step: normalized corpora, characters, several merges a token.

Held against Hugging Face's library: the tokens of the corpus at the last step; against recounting:
the pairs at some steps before.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from generated import first_quick
from odd_texts import SAMPLES
from pipelines import BUILDERS, built, gemma, gpt_oss, plain, prefixed
from tokenizers import Tokenizer as Theirs

from engine import Tokenizer
from engine.bpe.replay import Replay
from engine.counting.count import count_corpus
from engine.formats import open_tokenizer
from engine.text.corpus import Corpus

STORY = (SAMPLES / "tinystories_valid.txt").read_text(encoding="utf-8")[:1200]
TEXT = STORY + " déjà vu e\u0301 \ufb01ne 12345 I'LL   x\n\n\n  <pad> ok na\u00efve 漢字 \u00bd 😀 "


WITH_MERGES = [*(each for each in BUILDERS if each not in (plain, prefixed)), gpt_oss, gemma]


@pytest.mark.parametrize(
    "build", first_quick(WITH_MERGES, 4), ids=lambda build: str(build.__name__)
)
def test_its_merges_are_steps_over_a_corpus(build: Callable[[], Theirs], tmp_path: Path) -> None:
    file, corpus = tmp_path / "tokenizer.json", tmp_path / "corpus.txt"
    reference = built(build)
    file.write_text(reference.to_str(), encoding="utf-8")
    corpus.write_text(TEXT, encoding="utf-8")
    tokenizer = open_tokenizer(file).tokenizer
    counts = count_corpus(
        Corpus(corpus),
        tokenizer.pattern,
        tokenizer.special_tokens,
        workers=1,
        splitter=tokenizer.rules.splitter,
    ).counts
    replay = Replay(tokenizer, counts)
    timeline = replay.timeline
    timeline.extend(replay.steps())
    timeline.complete()
    assert replay.obstacle is None
    assert len(timeline) == len(tokenizer.merges) > 50

    expected = Counter(reference.encode(TEXT, add_special_tokens=False).ids)
    found: Counter[int] = Counter()
    last = timeline.seek(len(timeline))
    for pretoken, count in counts.items():
        for token_id in last.tokens_of(pretoken):
            found[token_id] += count
    for token_id in tokenizer.special_ids:  # of which <unk> may stand in pretokens, too
        expected.pop(token_id, None)
        found.pop(token_id, None)
    assert found == expected

    for step in random.Random(build.__name__).sample(range(1, len(timeline)), 3):
        frame = timeline.seek(step)
        before = frame.at(step - 1)
        assert frame.merge is not None
        changed = [one for one in counts if before.tokens_of(one) != frame.tokens_of(one)]
        assert frame.merge.pretokens == len(changed)
        assert frame.merge.occurrences == before.token_count - frame.token_count
        assert frame.merge.token == tokenizer.vocab[frame.merge.new_id]
        pairs: Counter[tuple[int, int]] = Counter()
        tokens: Counter[int] = Counter()
        for pretoken, count in counts.items():
            ids = frame.tokens_of(pretoken)
            tokens.update({token_id: ids.count(token_id) * count for token_id in {*ids}})
            for pair in pairwise(ids):
                pairs[pair] += count
        assert dict(frame.top_pairs(10_000)) == dict(pairs)
        assert {pair: frame.count_of(pair) for pair in pairs} == pairs
        assert frame.token_count == tokens.total()
        counted = {token_id: frame.vocabulary.count_of(token_id) for token_id in tokens}
        assert {token_id: n for token_id, n in counted.items() if n is not None} == {
            token_id: n for token_id, n in tokens.items() if counted[token_id] is not None
        }
        shown = [token_id for piece in frame.encode(TEXT[-300:]) for token_id in piece.ids]
        assert frame.tokenizer().encode(TEXT[-300:]) == shown


def test_merges_that_a_file_repeats_leave_no_later_merge_out() -> None:
    """Its table has fewer merges than ranks."""
    vocab = dict(enumerate([*(bytes([byte]) for byte in range(256)), b"th", b"the", b"in"]))
    th, the, in_ = (b"t", b"h"), (b"th", b"e"), (b"i", b"n")
    tokenizer = Tokenizer(vocab, [th, th, the, th, in_], [], "gpt2")
    counts = {b"in": 1, b"the": 1, b"thin": 1}
    replay = Replay(tokenizer, counts)
    replay.timeline.extend(replay.steps())
    replay.timeline.complete()
    last = replay.timeline.seek(len(replay.timeline))
    for pretoken in counts:
        assert list(last.tokens_of(pretoken)) == tokenizer.encode(pretoken.decode())
