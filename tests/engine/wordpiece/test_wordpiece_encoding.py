"""WordPiece encoding: the longest match from the left, as in Hugging Face's `tokenizers`."""

from collections import Counter
from pathlib import Path

import pytest
import wordpiece_oracle as oracle
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from engine import UnknownTokenIdError, VocabularyError, count_pretokens
from engine.wordpiece.tokenizer import Outcome, WordPieceEncoder, WordPieceTokenizer
from engine.wordpiece.trainer import WordPieceTrainer

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
pieces = st.text("ab#é漢", min_size=1, max_size=4)
vocabularies = st.sets(pieces | pieces.map("##".__add__), max_size=12).map(
    lambda some: {piece: number for number, piece in enumerate(["[UNK]", *sorted(some)])}
)
words = st.text("ab#é漢", max_size=9)


def encoder_of(*pieces: str, limit: int = 100) -> WordPieceEncoder:
    ids = {piece: number for number, piece in enumerate(["[UNK]", *pieces])}
    return WordPieceEncoder(ids, max_input_characters=limit)


class TestAWord:
    def test_may_be_a_hundred_characters_and_no_more(self) -> None:
        encoder = encoder_of("a", "##a")
        assert len(encoder.encode("a" * 100)) == 100
        assert encoder.encode("a" * 101) == (0,)
        assert encoder.explain("a" * 101).outcome is Outcome.TOO_LONG
        two = encoder_of("a", "##a", limit=2)
        probes = [[probe.piece for probe in two.probes(word)] for word in ("aa", "aaa")]
        assert (probes, two.explain("ab").outcome) == ([["aa", "a", "##a"], []], Outcome.NO_PIECE)

    def test_without_characters_has_no_ids(self) -> None:
        assert encoder_of("a").encode("") == ()
        assert encoder_of("a").explain("").outcome is Outcome.SPELLED


class TestTheProbes:
    def test_go_from_the_whole_rest_down_to_what_is_found(self) -> None:
        probes = list(encoder_of("hug", "##s").probes("hugs"))
        found = [("hugs", False), ("hug", True), ("##s", True)]
        assert [(probe.piece, probe.found) for probe in probes] == found
        assert [(probe.start, probe.end) for probe in probes] == [(0, 4), (0, 3), (3, 4)]
        assert [probe.taken for probe in encoder_of("a", "##b").probes("ab")] == [(), (), (1,)]

    def test_end_where_not_even_one_character_is_found(self) -> None:
        probes = list(encoder_of("a").probes("abc"))
        assert [probe.piece for probe in probes] == ["abc", "ab", "a", "##bc", "##b"]

    @given(vocabulary=vocabularies, word=words)
    def test_lead_to_the_ids(self, vocabulary: dict[str, int], word: str) -> None:
        explained = WordPieceEncoder(vocabulary).explain(word)
        found = tuple(probe.token_id for probe in explained.probes if probe.found)
        assert explained.ids == (found if explained.outcome is Outcome.SPELLED else (0,))


@examples(400)
@given(vocabulary=vocabularies, word=words, limit=st.integers(1, 9))
@example(vocabulary={"[UNK]": 0, "##a": 1, "##b": 2}, word="##ab", limit=9)
def test_a_word_is_what_tokenizers_makes_of_it(
    vocabulary: dict[str, int], word: str, limit: int
) -> None:
    theirs = models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=limit)
    ours = WordPieceEncoder(vocabulary, max_input_characters=limit)
    assert list(ours.encode(word)) == [token.id for token in theirs.tokenize(word)]


def same_as_ours(tokenizer: WordPieceTokenizer) -> Tokenizer:
    """Return a tokenizer of `tokenizers` with the same vocabulary."""
    ids = {piece.decode(): token_id for token_id, piece in tokenizer.vocab.items()}
    theirs = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    theirs.decoder = decoders.WordPiece(cleanup=False)
    theirs.add_special_tokens(list(tokenizer.special_tokens))
    return theirs


@pytest.fixture(scope="module")
def trained() -> WordPieceTokenizer:
    counts = count_pretokens(SAMPLES / "tinystories_valid.txt", "bert", ["<|endoftext|>"])
    trainer = WordPieceTrainer(counts, 600, ["[UNK]", "<|endoftext|>"], min_count=2)
    for _ in trainer.steps():
        pass
    return WordPieceTokenizer(trainer.vocab, trainer.task.special_tokens)


@pytest.mark.parametrize("sample", ["tinystories_valid.txt", "unicode.txt", "code.txt"])
def test_a_text_is_what_tokenizers_makes_of_it(trained: WordPieceTokenizer, sample: str) -> None:
    text = (SAMPLES / sample).read_bytes().decode()[:20_000]
    ids = trained.encode(text)
    assert ids == same_as_ours(trained).encode(text).ids
    assert ids == [token_id for word in trained.explain(text) for token_id in word.ids]
    assert trained.decode(ids) == same_as_ours(trained).decode(ids, skip_special_tokens=False)


@examples(200)
@given(text=st.text("the cat.#é漢\n'<|end", max_size=30))
def test_any_text_is_what_tokenizers_makes_of_it(trained: WordPieceTokenizer, text: str) -> None:
    assert trained.encode(text) == same_as_ours(trained).encode(text).ids


@given(vocabulary=vocabularies, data=st.data())
def test_decoding_is_what_tokenizers_makes_of_it(
    vocabulary: dict[str, int], data: st.DataObject
) -> None:
    ids = data.draw(st.lists(st.integers(0, len(vocabulary) - 1)))
    by_id = {token_id: piece for piece, token_id in vocabulary.items()}
    ours = WordPieceTokenizer({i: piece.encode() for i, piece in by_id.items()})
    theirs = decoders.WordPiece(cleanup=False).decode([by_id[i] for i in ids])
    assert ours.decode(ids) == theirs


class TestATokenizer:
    TOKENIZER = WordPieceTokenizer(
        dict(enumerate([b"[UNK]", b"[SEP]", b"low", b"##er", b","])), ["[SEP]"]
    )

    def test_cuts_special_tokens_out_first(self) -> None:
        assert self.TOKENIZER.encode("low[SEP]lower,") == [2, 1, 2, 3, 4]

    def test_explains_each_word(self) -> None:
        explained = [(each.word, each.outcome) for each in self.TOKENIZER.explain("lower [SEP]x")]
        spelled, special = ("lower", Outcome.SPELLED), ("[SEP]", Outcome.SPECIAL)
        assert explained == [spelled, special, ("x", Outcome.NO_PIECE)]

    def test_takes_words_out_of_the_pretokens_of_any_pattern(self) -> None:
        vocab = self.TOKENIZER.vocab
        for pattern in ("gpt2", "cl100k", "whitespace", "none"):
            assert WordPieceTokenizer(vocab, pattern=pattern).encode("low lower") == [2, 2, 3]

    def test_keeps_invalid_bytes_and_names_an_unknown_id(self) -> None:
        assert WordPieceTokenizer({0: b"[UNK]", 1: b"\xff"}).encode("\udcff") == [1]
        with pytest.raises(UnknownTokenIdError, match="no token with the id 9"):
            self.TOKENIZER.decode([9])

    def test_needs_its_unknown_token_and_its_special_tokens(self) -> None:
        with pytest.raises(VocabularyError, match=r"no token '\[UNK\]'"):
            WordPieceTokenizer({0: b"a"})
        with pytest.raises(VocabularyError, match=r"no special token '\[CLS\]'"):
            WordPieceTokenizer({0: b"[UNK]"}, ["[CLS]"])


COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def by_count(word_counts: dict[str, int], merges: int) -> list[str]:
    """The pieces that byte-pair encoding makes: the most frequent pair merges, none tied."""
    splits = {word: [word[0], *(f"##{c}" for c in word[1:])] for word in word_counts}
    made: list[str] = []
    for _ in range(merges):
        (best, most), (_, next_most) = oracle.count_pairs(splits, word_counts).most_common(2)
        assert most > next_most, "a tie would leave the choice open"
        splits = oracle.merge(*best, splits)
        made.append(best[0] + best[1][2:])
    return made


def made_by_hugging_face(trainer: trainers.Trainer, model: models.Model) -> set[str]:
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.train_from_iterator(Counter(COURSE).elements(), trainer)
    return {piece for piece in tokenizer.get_vocab() if len(piece.removeprefix("##")) > 1}


def test_hugging_faces_trainer_makes_the_pieces_of_bpe_not_those_of_the_score() -> None:
    merges = 4
    by_frequency = by_count(COURSE, merges)
    assert by_frequency == ["##ug", "##un", "hug", "pun"]

    # Theirs has every character as the beginning of a word, too: seven, and four inside.
    size = 7 + 4 + merges
    wordpiece = trainers.WordPieceTrainer(vocab_size=size, show_progress=False)
    bpe = trainers.BpeTrainer(vocab_size=size, show_progress=False, continuing_subword_prefix="##")
    assert made_by_hugging_face(wordpiece, models.WordPiece()) == set(by_frequency)
    assert made_by_hugging_face(bpe, models.BPE()) == set(by_frequency)

    counts = {word.encode(): count for word, count in COURSE.items()}
    by_score = [step.token for step in WordPieceTrainer(counts, 12 + merges).steps()]
    assert by_score == [b"##gs", b"pu", b"hu", b"bu"]
