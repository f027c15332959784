"""The tie rules: the choice among several pairs of equal count, and the tied steps of a run."""

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_sheet

from engine import Timeline, Trainer
from engine.bpe.run import TieHistory
from engine.bpe.ties import TIE_RULES
from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR

BYTES = [bytes([byte]) for byte in range(256)]


CASES = [
    # The greater left bytes, then the greater right bytes; unsigned bytes, not ids.
    ("lexicographic", "a|z, b|a", "b|a"),
    ("lexicographic", "a|a, a|b", "a|b"),
    ("lexicographic", "\x7f|a, \xff|a", "\xff|a"),
    ("lexicographic", "ab|x, c|x", "c|x"),
    ("lexicographic", "a|z, ab|a", "ab|a"),  # a prefix loses, even if a NUL follows it
    ("lexicographic", "a|z, a\0|a", "a\0|a"),
    ("lexicographic", "ab|z, a|zz", "ab|z"),  # joined, azz would beat abz
    ("first-seen", "b|z, a|a, z|z", "b|z"),
    # The smaller left id, then the smaller right id; a token learnt earlier is smaller.
    ("smallest-ids", "b|a, a|b", "a|b"),
    ("smallest-ids", "a|c, a|b", "a|b"),
    ("smallest-ids", "zz|x, ab|x", "zz|x"),
    ("smallest-ids", "a|b,  |a", " |a"),
    # In GPT-2's spelling a space comes after every letter; learnt tokens come last.
    ("huggingface", " |a, z|a", "z|a"),
    ("huggingface", " |a, \xff|a", "\xff|a"),
    ("huggingface", "a| , a|b", "a|b"),
    ("huggingface", "ab|c,  |c", " |c"),
    # The shorter joined token, then the smaller joined bytes.
    ("sentencepiece", "ab|a, z|z", "z|z"),
    ("sentencepiece", "b|a, a|b", "a|b"),
    ("sentencepiece", "a|cc, ab|z", "ab|z"),
]


def named(tied: str) -> tuple[list[bytes], list[Pair]]:
    """Return a vocabulary with the tokens of pairs, and the pairs as ids."""
    pairs = [pair.encode("latin-1").split(b"|") for pair in tied.split(", ")]
    vocab = BYTES + list(dict.fromkeys(token for pair in pairs for token in pair if token[1:]))
    return vocab, [(vocab.index(left), vocab.index(right)) for left, right in pairs]


@pytest.mark.parametrize(("rule", "tied", "best"), CASES)
def test_the_best_of_tied_pairs(rule: str, tied: str, best: str) -> None:
    vocab, pairs = named(tied)
    key = TIE_RULES[rule].make_key(vocab, lambda pair: (0, pairs.index(pair)))
    assert tied.split(", ")[pairs.index(min(pairs, key=key))] == best


def test_each_rule_says_why_a_pair_is_first() -> None:
    lines = []
    for rule, tied, best in [*CASES, ("sentencepiece", "ab|c, a|bc", "a|bc")]:
        vocab, pairs = named(tied)
        winner = pairs.pop(tied.split(", ").index(best))
        lines.append(f"{rule}: {tied!r}, {TIE_RULES[rule].reason(vocab, winner, pairs[0])}")
    letters = [b"a", "é".encode(), b"bc"]
    for winner, rival in (((0, 1), (0, 2)), ((0, 0), (0, 1))):
        lines.append(f"characters: {TIE_RULES['sentencepiece'].reason(letters, winner, rival)}")
    check_sheet("tie-reasons", lines)


@given(st.lists(st.binary(min_size=2, max_size=4), min_size=1, max_size=5, unique=True), st.data())
def test_the_lexicographic_best_is_the_maximum_of_left_and_right_bytes(
    learnt: list[bytes], data: st.DataObject
) -> None:
    vocab = BYTES + learnt
    token = st.sampled_from([*range(256, len(vocab)), 0, 1, 97, 98, 255])
    tied = data.draw(st.lists(st.tuples(token, token), min_size=1, unique=True))
    key = TIE_RULES["lexicographic"].make_key(vocab, lambda pair: pair)
    assert min(tied, key=key) == oracles.greatest_bytes(set(tied), [], vocab)


def test_an_earlier_pretoken_is_seen_before_an_earlier_position() -> None:
    places = {(1, 1): (0, 7), (2, 2): (3, 0)}
    key = TIE_RULES["first-seen"].make_key(BYTES, places.__getitem__)
    assert min(places, key=key) == (1, 1)


def test_first_seen_alone_depends_on_more_than_the_pair() -> None:
    assert [rule.name for rule in TIE_RULES.values() if not rule.static] == ["first-seen"]


@pytest.mark.parametrize("rule", TIE_RULES)
@given(pairs=st.sets(st.tuples(st.integers(0, 261), st.integers(0, 261)), min_size=2, max_size=9))
def test_a_rule_never_calls_two_pairs_equal(rule: str, pairs: set[Pair]) -> None:
    vocab = [*BYTES, b"ab", b"abc", b"bc", b"aa", b"aaa", b"\0\0"]
    places = {pair: (0, place) for place, pair in enumerate(pairs)}
    key = TIE_RULES[rule].make_key(vocab, places.__getitem__)
    assert len({key(pair) for pair in pairs}) == len(pairs)


@pytest.mark.parametrize("rule", [name for name in TIE_RULES if TIE_RULES[name].left_first])
@given(pair=st.tuples(st.integers(0, 258), st.integers(0, 258)))
def test_a_rule_that_compares_left_tokens_first_has_a_key_for_each_token(
    rule: str, pair: Pair
) -> None:
    key = TIE_RULES[rule].make_key([*BYTES, b"ab", b"abc", b"a"], lambda pair: (0, 0))
    assert key(pair) == (key((pair[0], pair[0]))[0], key((pair[1], pair[1]))[1])


@pytest.mark.parametrize("rule", TIE_RULES)
def test_the_vocab_may_grow_while_a_key_is_in_use(rule: str) -> None:
    vocab = list(BYTES)
    key = TIE_RULES[rule].make_key(vocab, lambda pair: pair)
    early = key((97, 98))
    vocab.append(b"ab")
    assert key((256, 97)) != early == key((97, 98))


def test_each_rule_has_an_oracle() -> None:
    assert set(oracles.TIE_ORACLES) == set(TIE_RULES)


def test_the_spelling_of_bytes_is_that_of_gpt2() -> None:
    assert oracles.gpt2_bytes_to_unicode() == BYTE_TO_CHAR


CORPORA = oracles.corpora(max_pretokens=12, max_length=8)


@given(counts=CORPORA)
def test_a_step_is_tied_if_its_merge_has_several_tied_pairs(counts: dict[bytes, int]) -> None:
    trainer = Trainer(counts, 300)
    tied = [step.index + 1 for step in trainer.steps() if len(step.tied) > 1]
    history = TieHistory(trainer.record)
    assert history.steps.tolist() == tied
    for step in range(len(trainer.record) + 1):
        assert history.nearest(step, 1) == next((t for t in tied if t > step), None)
        assert history.nearest(step, -1) == next((t for t in reversed(tied) if t < step), None)


def test_blocks_of_steps_make_one_history(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {bytes([97 + place % 5, 97 + place % 7, 97 + place % 3]): 3 for place in range(60)}
    trainer = Trainer(counts, 400)
    tied = [step.index + 1 for step in trainer.steps() if len(step.tied) > 1]
    for block in (1, 2, 7, 1000):
        monkeypatch.setattr("engine.recording.statistics.BLOCK", block)
        assert TieHistory(trainer.record).steps.tolist() == tied


@given(counts=CORPORA, pause=st.integers(1, 5))
def test_reading_in_between_gives_the_same_as_reading_at_the_end(
    counts: dict[bytes, int], pause: int
) -> None:
    trainer = Trainer(counts, 300)
    history = TieHistory(trainer.record)
    for step in trainer.steps():
        if step.index % pause == 0:
            assert history.is_tied(step.index + 1) == (len(step.tied) > 1)
    assert history.steps.tolist() == TieHistory(trainer.record).steps.tolist()


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@given(counts=CORPORA)
@examples(30)
def test_the_choice_of_a_rule_equals_the_next_merge_of_a_run_by_that_rule(
    tie_rule: str, counts: dict[bytes, int]
) -> None:
    run = Trainer(counts, 300, tie_rule=tie_rule)
    timeline = Timeline(counts, run.steps())
    for step in range(len(timeline)):
        frame = timeline.seek(step)
        assert frame.queue.choices[tie_rule] == timeline.record.pair_of(step)
        assert set(frame.queue.choices) == set(TIE_RULES)
