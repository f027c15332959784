"""Numbers in the text of lessons are those of the runs, in each language."""

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from program import run
from rich.cells import cell_len

from bpe_tui.app.lesson_author import recording_of
from bpe_tui.session.languages import PLACE, languages
from bpe_tui.session.lessons import builtin_lessons, config_of
from engine import Frame
from engine.learning.lesson import Lesson
from engine.learning.lesson_file import read_lesson

CODE_CELLS = 31
"""Cells of a line of code beside the screen at 100×30; longer lines are cut."""
SAMPLES = Path(__file__).parents[3] / "samples"
HANDED_IN = PLACE / "en" / "handed-in"

in_each_language = pytest.mark.parametrize("language", languages())


@cache
def lesson(number: int, language: str = "en") -> Lesson:
    return read_lesson(builtin_lessons(language)[number - 1].path)


def text_of(number: int, place: int, language: str) -> str:
    """Return the text of a scene; scenes count from 1."""
    scene = lesson(number, language).scenes[place - 1]
    return "\n".join(paragraph.text for paragraph in scene.paragraphs)


@cache
def recording(number: int, place: int) -> Any:
    here = lesson(number)
    return recording_of(config_of(here, here.scenes[place - 1]))


def at(number: int, place: int, step: int | None = None) -> Frame:
    """Return the frame that a scene shows, or one at another step of its run."""
    show = lesson(number).scenes[place - 1].show
    assert show is not None
    frame: Frame = recording(number, place).seek((show.step or 0) if step is None else step)
    return frame


def tokens(frame: Frame, text: str) -> list[bytes]:
    return [frame.token(token_id) for piece in frame.encode(text) for token_id in piece.ids]


def merged(frame: Frame, count: int) -> list[bytes]:
    """Return the tokens that the first merges make."""
    return [b"".join(map(frame.any_token, frame.merge_at(k).pair)) for k in range(count)]


def shown_text(number: int, place: int) -> str:
    show = lesson(number).scenes[place - 1].show
    assert show is not None
    assert show.text is not None
    return show.text


def assert_has(text: str, *numbers: float | str) -> None:
    """Assert that a text has these numbers; `6` is not in `16` or `6.5`."""
    for number in numbers:
        shown = f"{number:,}" if isinstance(number, int) else str(number)
        assert re.search(rf"(?<![\d.,]){re.escape(shown)}(?![\d]|[.,]\d)", text), shown


# -- 2 to 5, and 20: claims without numbers


def test_claims_of_lessons_are_true_of_their_runs() -> None:
    assert {word for word in at(2, 1).counts if word.strip()} == {
        b"low",
        b"lower",
        b"newest",
        b"widest",
    }
    assert tokens(at(2, 6), "lowest") == [b"low", b"est"]
    assert merged(at(4, 2), 2) == [b"st", b"est"]
    assert merged(at(4, 3), 2) == [b"es", b"est"]
    same_left = at(4, 5)
    tied = same_left.merge_at(same_left.step).tied
    assert {tuple(map(same_left.token, pair)) for pair in tied} == {(b" ", b"p"), (b" ", b"m")}
    assert any(token.count(b" ") > 1 for token in merged(at(3, 2), 16))
    greedy = at(5, 4)
    assert merged(greedy, 1) == [b"he"]
    assert tokens(greedy, " she") == [b" s", b"he"]
    assert b" sh" in merged(greedy, 60)
    wordpiece = at(20, 3)
    assert tuple(map(wordpiece.any_token, wordpiece.merge_at(0).pair)) == (b"w", b"##i")


# -- 16: overlaps


@in_each_language
def test_a_pair_that_overlaps_is_counted_more_often_than_it_joins(language: str) -> None:
    start = at(16, 1)
    merge = start.merge_at(0)
    assert tuple(map(start.any_token, merge.pair)) == (b"a", b"a")
    saved = start.token_count - at(16, 2).token_count
    words = Counter(SAMPLES.parent.joinpath(PLACE / "en" / "noises.txt").read_text().split())
    overlapping = {word: sum(two == ("a", "a") for two in pairwise(word)) for word in words}
    assert merge.count == sum(words[word] * overlapping[word] for word in words)
    of_aaa, of_aaaa = words["aaa"], words["aaaa"]
    formula = f"{of_aaa} × {overlapping['aaa']} + {of_aaaa} × {overlapping['aaaa']} = {merge.count}"
    assert formula in text_of(16, 1, language)
    assert_has(text_of(16, 2, language), merge.count, saved)
    second = start.count_of((ord("o"), ord("h")))
    assert_has(text_of(16, 4, language), saved, second)
    counts = [start.merge_at(k).count for k in range(start.recorded_steps)]
    assert re.search(r"\D+".join(map(str, counts)), text_of(16, 5, language))
    assert tokens(at(16, 3, 4), "hahaha") == [b"haha", b"ha"]


# -- 14: the size of a vocabulary


@in_each_language
def test_what_merges_buy_is_what_the_run_saves(language: str) -> None:
    sizes = [at(14, 1, step).token_count for step in (0, 1000, 2000)]
    end = at(14, 1, at(14, 1).recorded_steps)
    assert_has(text_of(14, 1, language), sizes[0])
    assert_has(text_of(14, 2, language), 1000, *sizes, end.step - 2000, end.token_count)
    first, late = end.merge_at(0), end.merge_at(999)
    assert tuple(map(end.any_token, first.pair)) == (b"h", b"e")
    assert first.count == sizes[0] - at(14, 1, 1).token_count  # nothing of it overlaps
    assert late.count == at(14, 1, 999).token_count - sizes[1]
    assert_has(text_of(14, 2, language), first.count, late.count)
    curve = [f"{at(14, 1, step).bytes_per_token:.2f}" for step in (500, 1000, end.step)]
    assert_has(text_of(14, 3, language), *curve, end.step)
    compression = end.statistics.bytes_per_token(end.step)
    assert all(
        compression[2 * step] < 2 * compression[step] for step in range(1, end.step // 2 + 1)
    )


@in_each_language
def test_a_late_token_is_rare_and_a_sentence_gets_shorter_slowly(language: str) -> None:
    late = at(14, 4)
    assert late.merge_at(late.step - 1).count == 2
    assert_has(text_of(14, 4, language), late.step, 1000, 1000 * 768)
    sentence = shown_text(14, 5)
    lengths = [len(tokens(at(14, 5, step), sentence)) for step in (500, 1000, 2000)]
    assert_has(text_of(14, 5, language), *lengths)
    assert b" unbelievably" not in late.run.counts
    assert_has(text_of(14, 6, language), 256 + 50_000 + 1)


# -- 10 to 12: what tokens do to a model


@in_each_language
def test_what_a_model_sees_of_a_word(language: str) -> None:
    frame = at(10, 1)
    ids = [token for piece in frame.encode(shown_text(10, 1)) for token in piece.ids]
    assert re.search(r"\D+".join(map(str, ids)), text_of(10, 1, language))
    table = at(10, 2)
    assert table.token(256 + table.step) == b"ber"
    assert_has(text_of(10, 2, language), table.step, "1260")
    turned = tokens(frame, shown_text(10, 3))
    assert len(turned) == 7
    assert not {*turned} & {*tokens(frame, " strawberry")}
    rhymes = [token for piece in frame.encode(shown_text(10, 4)) for token in piece.ids]
    assert re.search(r"\D+".join(map(str, rhymes)), text_of(10, 4, language))
    eggs = [len(tokens(frame, egg)) for egg in (" egg", "egg", " Egg", " EGG")]
    assert eggs == [1, 2, 2, 3]


@in_each_language
def test_what_code_and_data_cost(language: str) -> None:
    assert tokens(at(11, 1), " 1234567") == [bytes([byte]) for byte in b" 1234567"]
    code = shown_text(11, 5)
    costs_here = [len(tokens(at(11, place), code)) for place in (5, 1)]
    assert_has(text_of(11, 5, language), *costs_here)
    assert len(tokens(at(11, 6), code)) == costs_here[0]
    data = [len(tokens(at(11, 7), text)) for text in (shown_text(11, 7), "cat: Tom")]
    assert_has(text_of(11, 7, language), *data)


@in_each_language
def test_tokens_that_the_stories_do_not_have(language: str) -> None:
    frame = at(12, 1)
    size = 256 + 1 + frame.step  # bytes, a special token, merges
    used = {
        token
        for word in frame.counts
        for piece in frame.encode(word.decode())
        for token in piece.ids
    }
    unused = size - len(used) - 1  # the special token is between the stories
    assert_has(text_of(12, 1, language), size, unused)
    own = at(10, 1, frame.step)
    assert_has(text_of(12, 2, language), unused * 768, frame.token_count, own.token_count)
    assert tokens(frame, " stopListening") == [b" stopListening"]
    sentence = tokens(frame, shown_text(12, 4))
    assert_has(text_of(12, 4, language), len(sentence))


# -- 9: other languages

PARALLEL = {
    "The cat drinks hot tea.": ("the", "cat", "drinks", "hot", "tea"),
    "Die Katze trinkt heißen Tee.": ("die", "katze", "trinkt", "heißen", "tee"),
    "Кошка пьёт горячий чай.": ("кошка", "пьёт", "горячий", "чай"),
    "猫喝热茶。": ("猫", "喝", "热", "茶"),
}
"""The sentence in each language, and its words, divided by people."""


def costs(frame: Frame) -> list[list[int]]:
    """Return the numbers of words, characters, bytes and tokens of each sentence."""
    for sentence, words in PARALLEL.items():
        assert "".join(words) == "".join(filter(str.isalpha, sentence)).lower()
    return [
        [len(words), len(text), len(text.encode()), len(tokens(frame, text))]
        for text, words in PARALLEL.items()
    ]


@in_each_language
@pytest.mark.parametrize("place", [4, 5])
def test_the_table_of_languages_is_true(place: int, language: str) -> None:
    rows = re.findall(r"(\d+) +(\d+) +(\d+) +(\d+)", text_of(9, place, language))
    assert [list(map(int, row)) for row in rows] == costs(at(9, place))


@in_each_language
def test_tokens_a_word_and_bytes_per_token_are_true(language: str) -> None:
    english, _, russian, chinese = costs(at(9, 1))
    assert [shown_text(9, place) for place in (1, 2, 3)] == [
        text for text in PARALLEL if not text.startswith("Die")
    ]
    for place, (words, chars, size, count) in enumerate((english, russian, chinese), 1):
        assert_has(text_of(9, place, language), size, count, round(count / words, 2))
        assert place == 3 or str(chars) in text_of(9, place, language)
    assert_has(text_of(9, 2, language), len(tokens(at(9, 2), "Кошка")))
    shared, _, in_russian, _ = costs(at(9, 6))
    for _, _, size, count in (shared, in_russian):
        assert_has(text_of(9, 6, language), size, count, round(size / count, 1))
    assert in_russian[2] / in_russian[3] > shared[2] / shared[3]
    assert in_russian[3] > shared[3]


# -- 6: spaces


@in_each_language
def test_the_and_the_with_a_space_are_learnt_apart(language: str) -> None:
    frame = at(6, 1)
    text = shown_text(6, 1)
    assert tokens(frame, text) == [b"t", b"he", b" cat", b" and", b" the", b" dog"]
    counts = frame.run.counts
    assert_has(text_of(6, 3, language), counts[b" the"], counts[b"The"])
    assert b"the" not in counts
    assert b"time" not in counts
    made = [tuple(map(frame.any_token, frame.merge_at(k).pair)) for k in range(frame.step)]
    assert (b" t", b"he") in made
    assert (b"t", b"he") not in made
    apart = at(6, 4)
    assert_has(text_of(6, 4, language), len(tokens(apart, text)), len(tokens(frame, text)))
    assert tokens(frame, "Once upon a ")[-1] == b" "
    assert tokens(frame, "Once upon a time")[-1] == b" time"


# -- 15: a trainer of one's own


def trained_by_a_student(text: str, mistake: str, merges: int) -> list[tuple[bytes, bytes, int]]:
    """Train as in the exercise, with one mistake; "right" for none."""
    cut = [text] if mistake == "border-crossed" else re.findall(r"\S+|\s+", text)
    words = [
        ([bytes([byte]) for byte in word.encode()], n if mistake != "unweighted" else 1)
        for word, n in Counter(cut).items()
    ]
    made = []
    for _ in range(merges):
        counts: Counter[tuple[bytes, bytes]] = Counter()
        for word, n in words:
            last = None
            for pair in pairwise(word):
                last = None if mistake == "overlap" and pair == last else pair
                counts[pair] += n if last else 0
        best = max(counts.values())
        choose = min if mistake == "tie-rule" else max
        left, right = choose(pair for pair in counts if counts[pair] == best)
        made.append((left, right, best))
        for word, _ in words:
            place = 0
            while place < len(word) - 1:
                if (word[place], word[place + 1]) == (left, right):
                    word[place : place + 2] = [left + right]
                place += 1
    return made


@pytest.mark.parametrize("path", sorted(HANDED_IN.iterdir()), ids=lambda path: path.stem)
def test_the_files_to_check_are_what_a_trainer_with_the_mistake_writes(path: Path) -> None:
    name = "noises.txt" if path.stem == "overlap" else "handout.txt"
    corpus = PLACE / "en" / name if path.stem == "overlap" else SAMPLES / name
    written = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    made = trained_by_a_student(corpus.read_text(), path.stem, len(written))
    assert [
        (step["left"].replace("Ġ", " "), step["right"].replace("Ġ", " "), step["count"])
        for step in written
    ] == [(left.decode(), right.decode(), n) for left, right, n in made]
    said = run("check", "--jsonl", path, "--corpus", corpus, "--pattern", "whitespace")
    cause = f"Likely cause ({path.stem})"
    assert (b"are by the rule" if path.stem == "right" else cause.encode()) in said.stdout


@pytest.mark.parametrize(
    "path", sorted(PLACE.glob("*/*.md")), ids=lambda path: f"{path.parent.name}-{path.stem[:2]}"
)
def test_no_line_of_code_is_cut_beside_the_screen(path: Path) -> None:
    code = [p.text for scene in read_lesson(path).scenes for p in scene.paragraphs if p.is_code]
    assert all(cell_len(line) <= CODE_CELLS for text in code for line in text.split("\n"))


# -- 22: superwords


@in_each_language
def test_the_numbers_of_superwords(language: str) -> None:
    border, end = at(22, 2), at(22, 4)
    pair = (border.id_of(b","), border.id_of(b" and"))
    assert pair[0] is not None
    assert pair[1] is not None
    assert f" {border.count_of((pair[0], pair[1]))} " in text_of(22, 2, language)
    plain = recording_of(replace(config_of(lesson(22), lesson(22).scenes[0]), phases=""))
    last = plain.seek(end.step)
    for frame in (border, end, last):
        assert f"{frame.bytes_per_token:.2f}" in text_of(22, 4, language)
    text = shown_text(22, 4)
    for frame in (border, end):
        assert str(len(tokens(frame, text))) in text_of(22, 4, language)
