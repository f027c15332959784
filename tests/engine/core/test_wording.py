"""Sentences are filled, counted and translated."""

from __future__ import annotations

from engine.core.wording import amount, counted, is_partial, say, text_of, times, with_power

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
    assert [times(n) for n in (0, 1, 2, 1204)] == ["0 times", "once", "2 times", "1,204 times"]
    assert (with_power(0.0000231, 3), with_power(0.001, 1)) == ("2.31×10⁻⁵", "10⁻³")
    assert text_of({}, "{n} of {all}", n="2", all="7") == "2 of 7"
    assert [*map(is_partial, (b"a", "é".encode(), b"\xc3", b"a\xa9"))] == [False, False, True, True]
