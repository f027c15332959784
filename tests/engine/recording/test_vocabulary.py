"""The vocabulary at a step, and the characters that a part of one may stand for."""

import random
from collections import Counter
from collections.abc import Mapping

import numpy as np
import oracles
import pytest
import regex
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine import QueryError, Timeline, Tokenizer, Trainer, UnknownTokenIdError
from engine.core.arrays import Ints
from engine.encoding.merging import NONE
from engine.recording.frequent_characters import FrequentCharacters
from engine.recording.vocabulary import FILTERS, Query, Vocabulary

SPECIAL = "<|end|>"
BYTES = {byte: bytes([byte]) for byte in range(256)}


def timeline_of(counts: Mapping[bytes, int], merges: int = 30) -> Timeline:
    trainer = Trainer(counts, 257 + merges, [SPECIAL])
    return Timeline(counts, trainer.steps(), record=trainer.record)


def tokenizer_of(*tokens: tuple[bytes, bytes]) -> Tokenizer:
    """Return a tokenizer with these merges, ids in order; equal tokens share an id."""
    made = dict.fromkeys(left + right for left, right in tokens)
    return Tokenizer(BYTES | dict(enumerate(made, start=256)), tokens)


def found(vocabulary: Vocabulary, typed: str) -> list[int]:
    rows = vocabulary.rows()
    return [row for batch in vocabulary.search(Query.read(typed), rows) for row in batch]


def kept(vocabulary: Vocabulary, *filters: str) -> set[bytes]:
    return {vocabulary.table.tokens[row] for row in vocabulary.rows(filters=filters)}


@st.composite
def tokenizers(draw: st.DrawFn) -> Tokenizer:
    """Draw merges over few letters, in any order: parts may come late, tokens twice."""
    known = [b"a", b"b", b" ", b"\xe4"]
    merges: list[tuple[bytes, bytes]] = []
    for _ in range(draw(st.integers(0, 14))):
        pair = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        if pair not in merges and len(pair[0] + pair[1]) <= 12:
            merges.append(pair)
            known.append(pair[0] + pair[1])
    if draw(st.booleans()):
        merges = draw(st.permutations(merges))
    return tokenizer_of(*merges)


@given(oracles.corpora())
def test_the_count_of_a_token_is_that_of_its_occurrences_at_each_step(
    corpus: dict[bytes, int],
) -> None:
    timeline = timeline_of(corpus)
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        standing: Counter[int] = Counter()
        for pretoken, count in corpus.items():
            for token_id in frame.tokens_of(pretoken):
                standing[token_id] += count
        vocabulary = frame.vocabulary
        assert len(vocabulary) == frame.vocab_size
        for token_id in range(len(vocabulary)):
            special = token_id == 256
            assert vocabulary.count_of(token_id) == (None if special else standing[token_id])


def test_a_tokenizer_without_a_corpus_counts_nothing() -> None:
    vocabulary = Vocabulary.of_tokenizer(tokenizer_of((b"h", b"e")))
    assert vocabulary.counts is None
    assert vocabulary.count_of(256) is None
    assert not kept(vocabulary, "unused")


def test_the_table_grows_with_the_recording() -> None:
    counts = {b"low": 5, b"lower": 2}
    trainer = Trainer(counts, 300)
    steps = list(trainer.steps())
    timeline = Timeline(counts, steps[:1])
    assert timeline.seek(1).vocabulary.token(256) == steps[0].token
    timeline.extend(steps[1:])
    vocabulary = timeline.seek(len(steps)).vocabulary
    assert vocabulary.token(255 + len(steps)) == steps[-1].token


@given(oracles.corpora())
def test_parents_children_and_ranks_are_those_of_the_merges(corpus: dict[bytes, int]) -> None:
    timeline = timeline_of(corpus)
    for step in (len(timeline) // 2, len(timeline)):
        vocabulary = timeline.seek(step).vocabulary
        merges = [timeline.frame.merge_at(rank) for rank in range(step)]
        for merge in merges:
            assert vocabulary.parents_of(merge.new_id) == merge.pair
            assert vocabulary.rank_of(merge.new_id) == merge.index
        for token_id in range(len(vocabulary)):
            built = [merge.new_id for merge in merges if token_id in merge.pair]
            assert vocabulary.built_on(token_id) == built
            assert vocabulary.children[vocabulary.row_of(token_id)] == len(built)
        assert vocabulary.parents_of(256) is None
        assert vocabulary.rank_of(ord("a")) is None


def test_ids_may_leave_gaps() -> None:
    vocab = BYTES | {900: b"ab", 70_000: b"abc"}
    vocabulary = Vocabulary.of_tokenizer(Tokenizer(vocab, [(b"a", b"b"), (b"ab", b"c")]))
    assert vocabulary.parents_of(70_000) == (900, ord("c"))
    assert vocabulary.built_on(900) == [70_000]
    assert vocabulary.row_of(900) == 256
    with pytest.raises(UnknownTokenIdError, match="no token with the id 901"):
        vocabulary.token(901)


def test_a_token_of_a_later_step_is_not_there_yet() -> None:
    timeline = timeline_of({b"aaaa": 1})
    with pytest.raises(UnknownTokenIdError):
        timeline.seek(0).vocabulary.token(257)


def test_the_merge_tree_goes_down_to_bytes() -> None:
    vocabulary = Vocabulary.of_tokenizer(tokenizer_of((b"h", b"e"), (b"t", b"he")))
    lines = [(line.token_id, line.rank, line.trunk) for line in vocabulary.merge_tree(257)]
    assert lines == [
        (257, 1, ()),
        (ord("t"), None, (True,)),
        (256, 0, (False,)),
        (ord("h"), None, (False, True)),
        (ord("e"), None, (False, False)),
    ]


@given(oracles.corpora())
def test_the_leaves_of_a_merge_tree_are_the_tokens_bytes(corpus: dict[bytes, int]) -> None:
    timeline = timeline_of(corpus)
    vocabulary = timeline.seek(len(timeline)).vocabulary
    for token_id in range(257, len(vocabulary)):
        leaves = [line.token_id for line in vocabulary.merge_tree(token_id) if line.rank is None]
        assert bytes(leaves) == vocabulary.token(token_id)


def is_ever_encoded(tokenizer: Tokenizer, token_id: int) -> bool:
    return tokenizer.rules.tokens_of(tokenizer.vocab[token_id]) == (token_id,)


@given(tokenizers())
@examples(200)
def test_a_token_is_never_encoded_if_its_bytes_encode_to_something_else(
    tokenizer: Tokenizer,
) -> None:
    vocabulary = Vocabulary.of_tokenizer(tokenizer)
    gone = set(vocabulary.rows(filters=["never-encoded"]).tolist())
    for row in range(len(vocabulary)):
        assert (row in gone) != is_ever_encoded(tokenizer, vocabulary.id_of(row))


WORDS_OF_PROSE = b"the then there these other mother brother these her hers three tether ether her"


@given(oracles.corpora())
@example(dict(Counter(WORDS_OF_PROSE.split())))
def test_in_a_run_tokens_ever_encoded_are_those_that_segmentation_gives(
    corpus: dict[bytes, int],
) -> None:
    timeline = timeline_of(corpus)
    frame = timeline.seek(len(timeline))
    gone = set(frame.vocabulary.rows(filters=["never-encoded"]).tolist())
    for token_id in range(257, frame.vocab_size):
        reached = frame.tokens_of(frame.token(token_id)) == (token_id,)
        assert (token_id in gone) != reached


def test_a_special_token_is_encoded_and_never_unused() -> None:
    vocabulary = timeline_of({b"aab": 1}).seek(1).vocabulary
    assert SPECIAL.encode() not in kept(vocabulary, "never-encoded") | kept(vocabulary, "unused")


def test_a_token_that_a_loaded_vocabulary_never_makes_is_never_encoded() -> None:
    vocabulary = Vocabulary.of_tokenizer(Tokenizer(BYTES | {256: b"xyz"}, []))
    assert kept(vocabulary, "never-encoded") == {b"xyz"}


WORDS = st.text("aAbB é\udce4", min_size=2, max_size=4).map(
    lambda text: text.encode("utf-8", "surrogateescape")
)


def test_half_a_character_is_not_valid_by_itself() -> None:
    vocabulary = Vocabulary.of_tokenizer(tokenizer_of((b"\xe6", b"\xbc"), (b"\xe6\xbc", b"\xa2")))
    partial = kept(vocabulary, "partial")
    assert b"\xe6\xbc" in partial
    assert "漢".encode() not in partial
    assert len(partial) == 128 + 1


def test_filters_combine() -> None:
    vocabulary = timeline_of({b"the": 2, b"The": 1}).seek(2).vocabulary
    both = kept(vocabulary, "unused", "partial")
    assert both == kept(vocabulary, "unused") & kept(vocabulary, "partial")
    assert b"\xff" in both


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("column", ["ranks", "known_counts", "children"])
def test_rows_are_sorted_by_a_key_then_by_id_and_nothing_comes_last(
    column: str, reverse: bool
) -> None:
    vocabulary = timeline_of({b"low": 5, b"lower": 2, b"The": 3, b"the": 1}).seek(7).vocabulary
    numbers = getattr(vocabulary, column)
    key = numbers.tolist()
    there = [row for row, value in enumerate(key) if value >= 0]
    expected = sorted(there, key=lambda row: (-key[row] if reverse else key[row], row))
    expected += [row for row, value in enumerate(key) if value < 0]
    assert vocabulary.rows(key=numbers, reverse=reverse).tolist() == expected


def test_bytes_sort_as_bytes_and_text_as_people_read() -> None:
    words = (b"Zoo", b" apple", b"apple", b"zebra")
    vocab = BYTES | dict(enumerate(words, start=256))
    vocabulary = Vocabulary.of_tokenizer(Tokenizer(vocab, []))

    def order(key: Ints) -> list[bytes]:
        tokens = [vocabulary.table.tokens[row] for row in vocabulary.rows(key=key)]
        return [token for token in tokens if token in words]

    assert order(vocabulary.table.byte_order) == sorted(words)
    assert order(vocabulary.table.reading_order) == [b" apple", b"apple", b"zebra", b"Zoo"]


@given(st.lists(WORDS, max_size=12), st.text("aAb é", max_size=3))
@example(words=[b"ba"], typed="ab")
@example(words=[], typed="\0" * 300)
@example(words=[b"ab"], typed="")
def test_plain_text_finds_the_tokens_that_hold_it(words: list[bytes], typed: str) -> None:
    vocab = BYTES | dict(enumerate(words, start=256))
    vocabulary = Vocabulary.of_tokenizer(Tokenizer(vocab, []))
    holding = [row for row, token in enumerate(vocab.values()) if typed.encode() in token]
    assert found(vocabulary, typed) == holding


@pytest.mark.parametrize("typed", ["^a", "a$", "b(?!.)", r"\s", "[^a]b", r"^\p{Lu}+$", "(?i)ab"])
def test_an_expression_is_tried_on_each_token_by_itself(typed: str) -> None:
    random.seed(typed)
    words = {"".join(random.choices("aAbB \n", k=4)).encode() for _ in range(3000)}
    vocab = BYTES | dict(enumerate(sorted(words), start=256))
    vocabulary = Vocabulary.of_tokenizer(Tokenizer(vocab, []))
    texts = [token.decode("utf-8", "surrogateescape") for token in vocab.values()]
    assert found(vocabulary, typed) == [
        row for row, text in enumerate(texts) if regex.search(typed, text)
    ]


def test_the_order_of_the_rows_is_kept() -> None:
    vocabulary = timeline_of({b"low": 5, b"lower": 2}).seek(4).vocabulary
    rows = vocabulary.rows(key=vocabulary.counts, reverse=True)
    for typed in ("o", "[ow]"):
        found_rows = np.concatenate(list(vocabulary.search(Query.read(typed), rows)))
        assert found_rows.tolist() == [row for row in rows if row in set(found_rows.tolist())]


def test_a_broken_expression_is_read_as_text_with_the_reason() -> None:
    query = Query.read("a(")
    assert query.expression is None
    assert query.problem == "missing ) at position 2"
    vocabulary = Vocabulary.of_tokenizer(tokenizer_of((b"a", b"("), (b"a(", b"b")))
    assert found(vocabulary, "a(") == [256, 257]


def test_an_expression_too_large_to_compile_is_read_as_text() -> None:
    assert Query.read("(a{1000}){1000}").problem == "it repeats something more than 10,000 times"
    assert Query.read("(a{30}){10}").expression is not None


def test_an_expression_that_takes_for_ever_is_given_up() -> None:
    token = b"a" * 48 + b"b"
    vocabulary = Vocabulary.of_tokenizer(Tokenizer(BYTES | {256: token}, []))
    with pytest.raises(QueryError, match="takes too long"):
        found(vocabulary, "^(a|aa)+$")


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_works_for_an_empty_run(name: str) -> None:
    vocabulary = timeline_of({b"a": 1}).seek(0).vocabulary
    assert set(vocabulary.rows(filters=[name])) <= set(range(257))
    assert NONE not in vocabulary.rows(filters=[name])


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
