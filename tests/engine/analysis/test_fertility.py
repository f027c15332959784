"""Tokens per word and per character: worked by hand, and against a look at every token."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece_models import trained

from engine import ComparisonError, Tokenizer
from engine.analysis.fertility import fertility, parallel_texts
from engine.analysis.text_comparison import TextComparison, cut_text
from engine.encoding.alphabet import CharacterAlphabet, WordEndAlphabet
from engine.formats import open_tokenizer
from engine.text.scripts import KIND_NAMES, OTHER, WRITTEN_WITHOUT_SPACES, ScriptTable

BYTES = {byte: bytes([byte]) for byte in range(256)}


def tokenizer(*merges: tuple[bytes, bytes], pattern: str = "gpt2") -> Tokenizer:
    made = {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    return Tokenizer(BYTES | made, merges, pattern=pattern)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    """A SentencePiece model that spells characters that it lacks in bytes, as Llama 2 does."""
    path = tmp_path_factory.mktemp("llama") / "tokenizer.model"
    path.write_bytes(trained("bpe", "like Llama"))
    return open_tokenizer(path).tokenizer


def test_a_character_in_three_tokens_counts_three() -> None:
    # In bytes 讨 is E8 AE A8, and nothing merges; 你好 is one token of six bytes in the other.
    [han] = fertility("讨".encode(), [np.array([0, 1, 2, 3]), np.array([0, 3])])
    assert (han.characters, han.touching, han.tokens_per_character) == (1, (3, 1), (3.0, 1.0))


def test_the_byte_tokens_of_llama_count_at_the_border_of_a_word_too(llama: Tokenizer) -> None:
    # ▁ is put in front and belongs to no word; then E8, AE, A8.
    assert cut_text(llama, "讨".encode()).edges.tolist() == [0, 0, 1, 2, 3]
    [han] = TextComparison([llama], "讨".encode()).fertility
    assert han.tokens_per_character == (3.0,)
    # Two Amharic words of two letters, each letter in three bytes: 12 tokens, 6 a word.
    [ethiopic] = TextComparison([llama], "ሰላ ዓለ".encode()).fertility
    assert (ethiopic.words, ethiopic.tokens, ethiopic.tokens_per_word) == (2, (12,), (6.0,))


def test_a_token_of_several_characters_counts_once_in_scripts_without_spaces() -> None:
    # ありがとう: 5 characters in 2 tokens, of 3 and of 2 characters, or in one.
    [kana] = fertility("ありがとう".encode(), [np.array([0, 9, 15]), np.array([0, 15])])
    assert not kana.has_words
    assert kana.tokens_per_character == kana.tokens_per_word == (0.4, 0.2)


def test_a_token_across_two_words_counts_in_both_words_and_once_for_their_characters() -> None:
    [latin] = fertility(b"to be", [np.array([0, 5])])
    assert (latin.words, latin.tokens, latin.tokens_per_word) == (2, (2,), (1.0,))
    assert (latin.characters, latin.touching, latin.tokens_per_character) == (4, (1,), (0.25,))


def test_a_token_of_two_scripts_counts_for_each_and_space_between_does_not_matter() -> None:
    # "a 漢 b" as one token: it touches Latin, where it ends in the word where it began.
    latin, han = fertility("a 漢 b".encode(), [np.array([0, 7])])
    assert (latin.script, latin.tokens, latin.touching) == ("Latin", (2,), (1,))
    assert (han.script, han.touching) == ("Han", (1,))


def test_tokens_that_spell_one_character_together_all_count(tmp_path: Path) -> None:
    for kind, variant, text, tokens in (
        ("bpe", "plain", "ﬃ", 3),  # normalized to ffi, which is ▁f, f, i
        ("unigram", "bytes", "讨", 3),
        ("unigram", "bytes", "ሰላ ዓለ", 12),
    ):
        path = tmp_path / f"{kind}.model"
        path.write_bytes(trained(kind, variant))
        [found] = TextComparison([open_tokenizer(path).tokenizer], text.encode()).fertility
        assert found.tokens == (tokens,)


def test_the_mark_of_a_words_end_belongs_to_the_word() -> None:
    vocab = {0: b"<unk>", 1: b"a", 2: b"b", 3: b"</w>"}
    inner = CharacterAlphabet({"a": 1, "b": 2}, unknown=0)
    marked = Tokenizer(vocab, [], pattern="none", alphabet=WordEndAlphabet(inner, marker=3))
    edges, parts, _ = cut_text(marked, b"ab")
    assert (edges.tolist(), parts.tolist()) == ([0, 1, 2, 2], [2])  # a, b, </w>
    [latin] = TextComparison([marked], b"ab").fertility
    assert latin.tokens == (3,)


def test_whitespace_without_tokens_does_not_shift_the_tokens_behind_it() -> None:
    vocab = {0: b"<unk>", 1: b"a", 2: b"b", 3: b"</w>"}
    inner = CharacterAlphabet({"a": 1, "b": 2}, unknown=0)
    alphabet = WordEndAlphabet(inner, marker=3)
    marked = Tokenizer(vocab, [], pattern="whitespace", alphabet=alphabet)
    assert cut_text(marked, b"a  b").edges.tolist() == [0, 1, 1, 4, 4]


def test_each_tokenizers_tokens_are_a_multiple_of_the_first() -> None:
    # abab: 2 tokens with a + b, 4 without.
    found = TextComparison([tokenizer((b"a", b"b")), tokenizer()], b"abab")
    assert (found.token_counts, found.times_first) == ((2, 4), (1.0, 2.0))
    assert TextComparison([tokenizer(), tokenizer()], b"").times_first == (0.0, 0.0)


# -- against brute force


def letters_of(text: str) -> list[tuple[str, int, int, int]]:
    """Return (script, start, end in bytes, number of its run) of each letter and mark."""
    letters: list[tuple[str, int, int, int]] = []
    before, place, runs = "", 0, -1
    for char in text:
        name = KIND_NAMES[ScriptTable().kinds(char)[0]]
        if name == "shared letters" and before:
            name = before
        end = place + len(char.encode("utf-8", "surrogateescape"))
        if KIND_NAMES.index(name) >= OTHER:
            runs += name != before
            letters.append((name, place, end, runs))
        before, place = name, end
    return letters


def cuts(length: int) -> st.SearchStrategy[list[int]]:
    inner = st.sets(st.integers(1, max(length - 1, 1)))
    return inner.map(lambda places: sorted({0, length} | {p for p in places if p < length}))


@given(st.text("aé яж漢カー1 .\u0301ก", max_size=25), st.data())
def test_fertility_counts_the_tokens_that_touch_words_and_characters(
    text: str, draw: st.DataObject
) -> None:
    data = text.encode()
    edges = [draw.draw(cuts(len(data))) for _ in range(2)]
    found = fertility(data, [np.array(each) for each in edges])
    letters = letters_of(text)
    assert sum(each.characters for each in found) == len(letters)
    for each in found:
        own = [letter for letter in letters if letter[0] == each.script]
        runs = {run for _, _, _, run in own}
        assert each.characters == len(own)
        assert each.has_words == (KIND_NAMES.index(each.script) not in WRITTEN_WITHOUT_SPACES)
        assert each.words == (len(runs) if each.has_words else len(own))
        for tokens, touching, places in zip(each.tokens, each.touching, edges, strict=True):
            pairs = {
                (token, run)
                for token, (a, b) in enumerate(pairwise(places))
                for _, start, end, run in own
                if a < end and start < b
            }
            assert touching == len({token for token, _ in pairs})
            assert tokens == (len(pairs) if each.has_words else touching)


def test_fertility_of_slices_is_that_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    data = "ab cde\nfgh 漢字 я".encode() * 3
    ours = [tokenizer((b"a", b"b"), (b"\n", b"f"), pattern="none"), tokenizer()]
    edges = [cut_text(each, data).edges for each in ours]
    edges.append(np.array([0, 9, len(data)]))  # tokens across the edges of slices
    whole = fertility(data, edges)
    monkeypatch.setattr("engine.analysis.fertility.SLICE", 4)
    assert fertility(data, edges) == whole
    assert {each.script: each.words for each in whole} == {"Latin": 9, "Han": 6, "Cyrillic": 3}
    assert [each.touching[2] for each in whole] == [2, 1, 1]


# -- parallel texts


def test_texts_with_the_same_number_of_lines_are_taken_for_parallel() -> None:
    texts = [b"Ja.\nNein.", b"Yes.\nNo.\n"]
    found = parallel_texts(["de.txt", "data/dev.eng_Latn"], texts)
    assert found is not None
    assert (found.lines, found.reference, found.is_english) == (2, 1, True)
    # German 8 and 6 tokens, English 4 and 4: 8/4 = 2 and 6/4 = 1.5 times English.
    assert found.premiums([(8, 6), (4, 4)]) == [(2.0, 1.5), (1.0, 1.0)]
    first = parallel_texts(["de.txt", "den.txt"], texts)
    assert first is not None
    assert (first.reference, first.is_english) == (0, False)


def test_other_texts_are_not_parallel_unless_the_user_says_so() -> None:
    names = ["a", "b"]
    assert parallel_texts(names, [b"one\ntwo\nthree", b"one\ntwo"]) is None
    assert parallel_texts(names, [b"one", b"eins"]) is None  # one line each may be chance
    assert parallel_texts(names[:1], [b"one\ntwo"]) is None
    assert parallel_texts(names, [b"a\nb", b"c\nd"], asked=False) is None
    asked = parallel_texts(names, [b"one", b"eins"], asked=True)
    assert asked is not None
    assert asked.lines == 1
    with pytest.raises(ComparisonError, match="these: a 3, b 2"):
        parallel_texts(names, [b"one\ntwo\nthree", b"one\ntwo"], asked=True)
    with pytest.raises(ComparisonError, match="two or more"):
        parallel_texts(names[:1], [b"one"], asked=True)
