"""A tokenizer's merges applied to a corpus, in its own ids."""

import random
from collections.abc import Mapping
from operator import attrgetter

import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Timeline, Tokenizer, Trainer, UnknownTokenIdError, VocabularyError
from engine.analysis.explanation import explain
from engine.bpe.replay import Replay
from engine.encoding.alphabet import ByteAlphabet, CharacterAlphabet, WholeTokens
from engine.pipeline.as_tokenizer import tokenizer_of
from engine.pipeline.models import WordPiece
from engine.pipeline.pipeline import Pipeline

LOW = {b"low": 5, b"lower": 2}
SPECIAL = "<|end|>"
FACTS = attrgetter("left", "right", "token", "count", "occurrences", "pretokens")
BYTES = {byte: bytes([byte]) for byte in range(256)}


def renumbered(trainer: Trainer, seed: int) -> Tokenizer:
    """Return the trained tokenizer with other ids, gaps between them, and a special token."""
    ids = random.Random(seed).sample(range(900), len(trainer.vocab) + 1)
    vocab = dict(zip(ids, trainer.vocab.values(), strict=False))
    return Tokenizer(vocab, trainer.merges, {SPECIAL: ids[-1]})


def trained(counts: Mapping[bytes, int], size: int = 276) -> Trainer:
    trainer = Trainer(counts, size)
    for _ in trainer.steps():
        pass
    return trainer


def replayed(tokenizer: Tokenizer, counts: Mapping[bytes, int]) -> Timeline:
    replay = Replay(tokenizer, counts)
    replay.timeline.extend(replay.steps())
    replay.timeline.complete()
    return replay.timeline


@given(counts=oracles.corpora(), seed=st.integers(0, 99))
def test_over_its_own_corpus_the_steps_are_those_of_the_training_in_other_ids(
    counts: dict[bytes, int], seed: int
) -> None:
    trainer = trained(counts)
    tokenizer = renumbered(trainer, seed)
    timeline = replayed(tokenizer, counts)
    assert len(timeline) == len(trainer.record)
    for index in range(len(timeline)):
        was, now = trainer.record[index], timeline.record[index]
        assert FACTS(was) == FACTS(now)
        assert tokenizer.vocab[now.new_id] == now.token
        before, after = (
            {tuple(map(vocab.__getitem__, each.pair)): each.after for each in step.changes}
            for step, vocab in ((was, trainer.vocab), (now, tokenizer.vocab))
        )
        assert before == after


@given(learnt=oracles.corpora(), counts=oracles.corpora(), seed=st.integers(0, 99))
def test_over_another_corpus_each_step_is_the_merges_so_far(
    learnt: dict[bytes, int], counts: dict[bytes, int], seed: int
) -> None:
    tokenizer = renumbered(trained(learnt), seed)
    timeline = replayed(tokenizer, counts)
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        total = 0
        for pretoken, count in counts.items():
            applied = oracles.apply_merges(pretoken, tokenizer.merges[:step], 256)
            total += count * len(applied)
            tokens = [frame.token(token_id) for token_id in frame.tokens_of(pretoken)]
            assert len(tokens) == len(applied)
            assert b"".join(tokens) == pretoken
        assert frame.token_count == total


@given(
    learnt=oracles.corpora(), seed=st.integers(0, 99), text=st.text("abclowé <|end>", max_size=9)
)
def test_the_last_step_encodes_and_saves_as_the_tokenizer_does(
    learnt: dict[bytes, int], seed: int, text: str
) -> None:
    tokenizer = renumbered(trained(learnt), seed)
    frame = replayed(tokenizer, {}).seek(len(tokenizer.merges))
    encoded = [token_id for piece in frame.encode(text + SPECIAL) for token_id in piece.ids]
    assert encoded == tokenizer.encode(text + SPECIAL)
    assert frame.tokenizer() is tokenizer
    assert frame.decode(encoded) == (text + SPECIAL).encode()


def test_a_merge_of_an_absent_pair_is_a_step_without_changes() -> None:
    tokenizer = Tokenizer(BYTES | {256: b"xy", 257: b"lo"}, [(b"x", b"y"), (b"l", b"o")])
    timeline = replayed(tokenizer, LOW)
    nothing, something = timeline.record[0], timeline.record[1]
    assert (nothing.count, nothing.changes, nothing.new_id) == (0, (), 256)
    frames = [timeline.seek(step) for step in range(3)]
    assert [frame.was_given for frame in frames] == [False, True, True]
    assert [frame.next_given for frame in frames] == [True, True, True]
    assert (something.count, something.new_id) == (7, 257)


def test_no_merge_of_a_replay_is_tied_since_no_count_chose_it() -> None:
    timeline = replayed(renumbered(trained({b"ab": 2, b"cd": 2}), 1), {b"ab": 2, b"cd": 2})
    frame = timeline.seek(1)
    assert frame.given
    assert (list(frame.tied_steps), frame.merge and len(frame.merge.tied)) == ([], 1)


def test_the_vocabulary_of_a_step_has_the_tokenizers_ids_in_order() -> None:
    tokenizer = renumbered(trained(LOW), 3)
    timeline = replayed(tokenizer, LOW)
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        vocabulary = frame.vocabulary
        shown = [vocabulary.id_of(row) for row in vocabulary.rows().tolist()]
        assert shown == sorted(shown)
        assert len(shown) == frame.vocab_size == 257 + step
        assert all(vocabulary.token(token_id) == tokenizer.vocab[token_id] for token_id in shown)
        assert all(frame.has_token(token_id) for token_id in shown)
    low = next(token_id for token_id, token in tokenizer.vocab.items() if token == b"low")
    assert timeline.frame.vocabulary.count_of(low) == 5
    assert timeline.frame.step_making(low) == 1 + tokenizer.merges.index((b"l", b"ow"))
    with pytest.raises(UnknownTokenIdError, match="comes with merge 2"):
        timeline.seek(0).token(low)


def test_a_token_that_no_merge_makes_is_there_from_the_start() -> None:
    tokenizer = Tokenizer(BYTES | {700: b"odd", 256: b"lo"}, [(b"l", b"o")])
    frame = replayed(tokenizer, LOW).seek(0)
    assert frame.token(700) == b"odd"
    assert not frame.has_token(256)


def test_whole_pretokens_are_looked_up_at_the_last_step() -> None:
    vocab = BYTES | {256: b"lo", 300: b"odd"}
    alphabet = WholeTokens(ByteAlphabet(range(256)), {b"odd": 300})
    tokenizer = Tokenizer(vocab, [(b"l", b"o")], alphabet=alphabet)
    timeline = replayed(tokenizer, LOW)
    assert timeline.seek(0).tokens_of(b"odd") == tuple(b"odd")
    assert timeline.seek(1).tokens_of(b"odd") == (300,)


CHARACTERS = Tokenizer(
    {0: b"a", 1: "é".encode(), 2: "aé".encode()},
    [(b"a", "é".encode())],
    alphabet=CharacterAlphabet({"a": 0, "é": 1}),
    table={(0, 1): (0, 2)},
)
TWICE = Tokenizer(
    BYTES | {256: b"ab", 257: b"bc", 258: b"abc"},
    [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")],
)
LATE = Tokenizer(BYTES | {256: b"ab", 257: b"abc"}, [(b"ab", b"c"), (b"a", b"b")])


def test_a_merge_before_that_of_its_part_makes_nothing_until_the_part_is_made() -> None:
    first = replayed(LATE, {b"abc": 1}).seek(1)
    line = str(explain(first, ["abc"]).lines[0])
    assert line.startswith("abc is token 257, which no merge makes")
    assert first.vocabulary.children.nonzero()[0].tolist() == [ord("c")]


def test_without_merges_step_0_is_the_tokenizer_itself() -> None:
    pieces = Pipeline(WordPiece({"[UNK]": 0, "hug": 1, "##s": 2}))
    tokenizer = tokenizer_of(pieces)
    replay = Replay(tokenizer, {b"hugs": 3, b"hug": 1})
    assert replay.obstacle == "WordPiece merges nothing"
    replay.timeline.extend(replay.steps())
    frame = replay.timeline.frame
    assert frame.step == frame.recorded_steps == 0
    assert [i for piece in frame.encode("hugs") for i in piece.ids] == [1, 2]
    assert frame.token_count == 7
    assert len(frame.vocabulary) == frame.vocab_size == 3
    assert frame.top_pairs(3) == []
    assert frame.rules is tokenizer.rules


def test_huge_ids_are_an_error() -> None:
    assert Replay(Tokenizer(BYTES | {2**31 - 1: b"ab"}, []), {}).obstacle is None
    with pytest.raises(VocabularyError, match="id 2147483648 is higher"):
        Replay(Tokenizer(BYTES | {2**31: b"ab"}, [(b"a", b"b")]), {})
