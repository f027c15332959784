"""PickyBPE: against the authors' program followed line by line, and against counting again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from generated import examples, first_quick
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    Frame,
    PickyTrainer,
    QuestionError,
    RemovalError,
    StopReason,
    Timeline,
    Tokenizer,
    TokenizerFileError,
    Trainer,
    WhatIfError,
    ask,
)
from engine.analysis.why_not import OneToken, TakenApart, why_not
from engine.bpe.what_if import ForkChange, fork
from engine.encoding.event_order import EventOrder
from engine.formats import save

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
Event = tuple[str, ...]


class Token:
    """`Token` of language.py."""

    def __init__(self, text: str, freq: int = 0, parts: Sequence[Token] = ()) -> None:
        self.text, self.freq, self.parts = text, freq, parts
        self.present = True

    def walk(self) -> list[Token]:
        if len(self.text) == 1 or self.present:
            return [self]
        return [each for part in self.parts for each in part.walk()]


class Program:
    """The trainer of github.com/pchizhov/picky_bpe: bpe_trainer.py, language.py, commit 038fcb9.

    Methods have its names, and do the same in the same order. Three things differ. All pairs are
    counted again where it corrects their counts. Ties are broken by the texts, later ones first;
    there the order of sets decides. A second pair for a token that is there is not a new token.
    """

    def __init__(self, counts: dict[str, int], size: int, threshold: float) -> None:
        self.threshold, self.size = threshold, size
        self.events: list[Event] = []
        self.freqs = list(counts.values())
        characters = Counter[str]()
        for word, count in counts.items():
            characters.update({character: word.count(character) * count for character in set(word)})
        self.str2token = {text: Token(text, freq) for text, freq in characters.items()}
        self.words = [[self.str2token[character] for character in word] for word in counts]

    def pairs(self) -> Counter[tuple[Token, Token]]:
        found = Counter[tuple[Token, Token]]()
        for tokens, freq in zip(self.words, self.freqs, strict=True):
            for pair in pairwise(tokens):
                found[pair] += freq
        return found

    def merge_pair(self, pair: tuple[Token, Token]) -> bool:
        merged = pair[0].text + pair[1].text
        new_token = self.str2token.get(merged)
        is_new = new_token is None or not new_token.present
        if new_token is None:
            new_token = self.str2token[merged] = Token(merged, 0, pair)
        new_token.present = True
        self.events.append(("+", pair[0].text, pair[1].text))
        self.merge_token_in_words(new_token, pair)
        return is_new

    def merge_token_in_words(self, new: Token, pair: tuple[Token, Token]) -> None:
        actual_freq = 0
        for place, tokens in enumerate(self.words):
            merged: list[Token] = []
            at = 0
            while at < len(tokens):
                is_pair = tuple(tokens[at : at + 2]) == pair
                merged.append(new if is_pair else tokens[at])
                at += 1 + is_pair
            actual_freq += (len(tokens) - len(merged)) * self.freqs[place]
            self.words[place] = merged
        new.freq += actual_freq
        if pair[0] is pair[1]:
            pair[0].freq -= 2 * actual_freq
            self.remove_if_possible(pair[0], actual_freq)
        else:
            for token in pair:
                token.freq -= actual_freq
                self.remove_if_possible(token, actual_freq)

    def remove_if_possible(self, token: Token, merged_freq: int) -> None:
        if merged_freq / (token.freq + merged_freq) <= self.threshold or len(token.text) == 1:
            return
        token.present = False
        split = token.walk()
        for part in split:
            part.freq += token.freq
        for place, tokens in enumerate(self.words):
            apart = [split if each is token else [each] for each in tokens]
            self.words[place] = [each for several in apart for each in several]
        token.freq = 0
        self.events.append(("-", token.text, *(part.text for part in split)))

    def fit(self) -> list[Event]:
        actual_vocab_size = len(self.str2token)
        while actual_vocab_size < self.size:
            pairs = self.pairs()
            if not pairs:
                break
            pair = max(pairs, key=lambda each: (pairs[each], each[0].text, each[1].text))
            actual_vocab_size += self.merge_pair(pair)
            actual_vocab_size -= sum(event[0] == "-" for event in self.last_removals())
        return self.events

    def last_removals(self) -> list[Event]:
        last = max(at for at, event in enumerate(self.events) if event[0] == "+")
        return self.events[last + 1 :]


def events_of(trainer: PickyTrainer) -> list[Event]:
    """Return the events of a training, as the program logs them."""
    found: list[Event] = []
    text = trainer.record.token
    for step in trainer.steps():
        found.append(("+", step.left.decode(), step.right.decode()))
        for gone in step.gone:
            found.append(("-", *(text(each).decode() for each in (gone.token_id, *gone.parts))))
    return found


def compare_with_program(counts: dict[str, int], merges: int, threshold: float) -> int:
    size = len(set("".join(counts))) + merges
    pretokens = {word.encode(): count for word, count in counts.items()}
    ours = events_of(PickyTrainer(pretokens, size + 1, threshold=threshold, units="characters"))
    theirs = Program(counts, size, threshold).fit()
    assert ours[: len(theirs)] == theirs[: len(ours)]
    assert len(ours) == len(theirs)
    return sum(event[0] == "-" for event in theirs)


CORPORA = ("tinystories_valid.txt", "code.txt", "unicode.txt", "ship.txt", "handout.txt")


@pytest.mark.parametrize("threshold", first_quick([0.6, 0.9]))
@pytest.mark.parametrize("name", CORPORA)
def test_merges_and_removals_are_those_of_the_authors_program(name: str, threshold: float) -> None:
    words = Counter("▁" + word for word in (SAMPLES / name).read_text().split()[:500])
    assert compare_with_program(words, 100, threshold) > 0


WORDS = st.dictionaries(
    st.text("abc", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=20
)


@examples(150)
@given(WORDS, st.sampled_from([0.5, 0.6, 0.75, 0.9]))
def test_so_are_those_of_any_words(words: dict[str, int], threshold: float) -> None:
    compare_with_program(words, 25, threshold)


def trained(counts: dict[bytes, int], size: int, threshold: float) -> Timeline:
    trainer = PickyTrainer(counts, size, ["<s>"], threshold=threshold)
    return Timeline(counts, trainer.steps(), record=trainer.record)


def check_frame(frame: Frame) -> None:
    """Compare a frame with its pretokens counted again."""
    tokens, pairs = Counter[int](), Counter[tuple[int, int]]()
    for pretoken, count in frame.counts.items():
        ids = frame.tokens_of(pretoken)
        assert b"".join(map(frame.token, ids)) == pretoken
        tokens.update(dict.fromkeys(ids, 0))
        for token_id in ids:
            tokens[token_id] += count
        for pair in pairwise(ids):
            pairs[pair] += count
    vocabulary = frame.vocabulary
    there = {vocabulary.id_of(row) for row in vocabulary.there.tolist()}
    assert there == {each for each in range(frame.first_id + frame.step) if frame.has_token(each)}
    assert set(tokens) <= there
    assert len(there) == frame.vocab_size == len(frame.tokenizer().vocab)
    assert all(vocabulary.count_of(each) == count for each, count in tokens.items())
    assert frame.token_count == tokens.total()
    assert dict(frame.top_pairs(10**6)) == pairs
    if frame.merge is not None:
        assert len(frame.affected()) == frame.merge.pretokens
        assert frame.attribution.read()
        for change in frame.merge.changes:
            behind = sum(part.change for part in frame.attribution.behind(change.pair))
            assert behind == change.after - change.before


@examples(50)
@given(WORDS, st.sampled_from([0.5, 0.75, 0.9]), st.data())
def test_each_step_back_and_forth_is_what_the_corpus_says(
    words: dict[str, int], threshold: float, data: st.DataObject
) -> None:
    timeline = trained({word.encode(): count for word, count in words.items()}, 275, threshold)
    steps = st.lists(st.integers(0, len(timeline)), max_size=4)
    for step in (*data.draw(steps), len(timeline), 0):
        check_frame(timeline.seek(step))


ABC = {b"abc": 9, b"ab": 1, b"d": 1}


def test_a_part_goes_if_the_merge_took_more_than_the_threshold_of_it() -> None:
    timeline = trained(ABC, 260, 0.8)
    frame = timeline.seek(2)
    [gone] = frame.merge.gone if frame.merge else []
    assert (frame.any_token(gone.token_id), gone.taken, gone.left, gone.share) == (b"ab", 9, 1, 0.9)
    assert [frame.has_token(gone.token_id) for frame in map(timeline.seek, range(4))] == [
        *(False, True, False, True)  # the third merge makes it again, under its old id
    ]
    assert timeline.seek(3).merge.new_id == gone.token_id  # type: ignore[union-attr]
    assert timeline.seek(1).tokens_of(b"ab") == (gone.token_id,)
    assert timeline.seek(2).tokens_of(b"ab") == (97, 98)
    assert [frame.vocab_size for frame in map(timeline.seek, range(4))] == [257, 258, 258, 259]
    assert not any(step.gone for step in PickyTrainer(ABC, 260, threshold=0.9).steps())


def test_with_the_threshold_1_it_is_plain_bpe() -> None:
    counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    plain, picky = Trainer(counts, 268), PickyTrainer(counts, 268, threshold=1)
    assert [step.token for step in plain.steps()] == [step.token for step in picky.steps()]
    assert picky.stop_reason is StopReason.SIZE_REACHED
    assert picky.vocab == plain.vocab


def test_a_text_is_encoded_by_the_events_in_their_order() -> None:
    timeline = trained({b"abc": 9, b"ab": 1, b"abd": 2, b"d": 1}, 262, 0.8)
    frame = timeline.seek(len(timeline))
    order = EventOrder(timeline.run.alphabet)
    for step in map(frame.merge_at, range(frame.step)):
        order.add(step.pair, step.new_id, [(gone.token_id, gone.parts) for gone in step.gone])
    tokenizer = frame.tokenizer()
    for text in ("abc", "ab", "abab", "abcab", "dabd", "cab<s>ab"):
        ids = [token_id for piece in frame.encode(text) for token_id in piece.ids]
        assert tokenizer.encode(text) == ids
        assert tokenizer.decode(ids) == text
        assert all(map(frame.has_token, ids))
        if "<s>" not in text:
            tokens = tuple(text.encode())
            for step in map(frame.merge_at, range(frame.step)):  # all events, one after the other
                tokens = replaced(tokens, step.pair, (step.new_id,))
                for gone in step.gone:
                    tokens = replaced(tokens, (gone.token_id,), gone.parts)
            assert order.encode(text.encode(), frame.step) == tokens == tuple(ids)


def replaced(ids: Sequence[int], what: Sequence[int], by: Sequence[int]) -> tuple[int, ...]:
    found: list[int] = []
    at = 0
    while at < len(ids):
        is_there = tuple(ids[at : at + len(what)]) == tuple(what)
        found += by if is_there else ids[at : at + 1]
        at += len(what) if is_there else 1
    return tuple(found)


def test_why_not_tells_the_events() -> None:
    frame = trained(ABC, 259, 0.8).seek(2)
    answer = why_not(frame, "ab", "ab")
    assert isinstance(answer, TakenApart)
    assert answer.describe().endswith("make of ab: a b, ab, a b.")
    assert isinstance(why_not(frame, "abc", "abc"), OneToken)


def test_what_is_about_merges_alone_is_refused(tmp_path: Path) -> None:
    frame = trained(ABC, 259, 0.8).seek(2)
    with pytest.raises(WhatIfError, match="removed tokens"):
        fork(frame, ForkChange(), 259)
    with pytest.raises(QuestionError, match="tokens are removed"):
        ask("make-merges", frame)
    with pytest.raises(TokenizerFileError, match="removed tokens between merges"):
        save(frame.tokenizer(), tmp_path / "out")
    assert isinstance(frame.tokenizer(), Tokenizer)


@pytest.mark.parametrize("threshold", [0.3, 1.5, float("nan")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(RemovalError, match="the threshold is the part"):
        PickyTrainer(ABC, 260, threshold=threshold)


def test_ends_of_words_are_refused() -> None:
    with pytest.raises(RemovalError, match="bytes or characters only"):
        PickyTrainer(ABC, 260, threshold=0.9, units="end-of-word")
