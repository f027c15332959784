"""Tables of numbers, GPT-2's spelling of bytes, and sentences."""

from itertools import accumulate, combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.core.characters import characters_around, whole_characters
from engine.core.gpt2_bytes import spell, unspell
from engine.core.wording import amount, counted, frequency, is_partial, say, with_power

NO_CONTROLS = st.characters(exclude_categories=["Cc", "Cs"])


@given(st.binary())
def test_every_token_is_read_back(token: bytes) -> None:
    assert unspell(spell(token)) == token


def test_the_characters_around_a_part_are_those_that_it_touches() -> None:
    text = "a我é🙂x"
    data = text.encode()
    ends = [*accumulate((len(character.encode()) for character in text), initial=0)]
    for start, end in combinations(range(len(data) + 1), 2):
        touched = [first < end and last > start for first, last in pairwise(ends)]
        expected = "".join(c for c, is_touched in zip(text, touched, strict=True) if is_touched)
        assert characters_around(data, data[start:end]) == expected.encode()
    assert characters_around(data, b"y\x88") == b"y\x88"


def test_tokens_that_cut_a_character_are_together() -> None:
    for tokens, together in (
        ([b"a", b"\xe6\xbc", b"\xa2", b"b"], [[b"a"], [b"\xe6\xbc", b"\xa2"], [b"b"]]),
        ([b"\xf0", b"\x9f", b"\x99", b"\x82a"], [[b"\xf0", b"\x9f", b"\x99", b"\x82a"]]),
        ([b"\xff", b"a\xe6"], [[b"\xff"], [b"a\xe6"]]),
        ([], []),
    ):
        assert list(whole_characters(tokens)) == together


ZH = {"{n} token": "{n} 个词元", "{a} is {b}.": "{b} 是 {a}。", "{a}!": "{a}！", "once": "一次"}


def test_a_sentence_is_translated_once_with_the_sentences_in_it() -> None:
    sentence = say("{a} is {b}.", a=b" x", b=amount(1, "token"), shorter="{a}!")
    translated = sentence.translated(ZH)
    for each in (translated, translated.translated(ZH)):
        assert [str(version) for version in each] == ["1 个词元 是 Ġx。", "Ġx！"]
    assert [str(version) for version in sentence.translated({})] == ["Ġx is 1 token.", "Ġx!"]
    assert sentence.translated({}).translated(ZH) == translated
    assert sentence.translated({"other": "x"}) == sentence
    again = say("{a} is {b}.", a=b" x", b=amount(1, "token"), shorter="{a}!")
    assert {sentence, again} == {again}
    assert sentence != say("{a} is {b}.", a=b" x", b="1 token")


def test_numbers_are_written_in_words() -> None:
    assert [counted(n, "token") for n in (0, 1, 1204)] == ["0 tokens", "1 token", "1,204 tokens"]
    often = [str(frequency(n)) for n in (0, 1, 2, 1204)]
    assert often == ["0 times", "once", "2 times", "1,204 times"]
    assert (with_power(0.0000231, 3), with_power(0.001, 1)) == ("2.31×10⁻⁵", "10⁻³")
    assert [*map(is_partial, (b"a", "é".encode(), b"\xc3", b"a\xa9"))] == [False, False, True, True]
