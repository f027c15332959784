"""Numbers in the text of lessons are those of the runs, in each language."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import exp
from pathlib import Path
from typing import Any

import pytest
import students
from program import run
from rich.cells import cell_len

from bpe_tui.app.lesson_author import recording_of
from bpe_tui.session.config import RunConfig
from bpe_tui.session.languages import PLACE, languages
from bpe_tui.session.lessons import builtin_lessons, config_of
from engine import Frame
from engine.learning.lesson import Lesson
from engine.learning.lesson_file import read_lesson
from engine.learning.questions.reason import Reason
from engine.text.patterns import PATTERNS
from engine.unigram.pieces import UNKNOWN_PENALTY

CODE_CELLS = 31
"""Cells of a line of code beside the screen at 100×30; longer lines are cut."""
SAMPLES = Path(__file__).parents[3] / "samples"
HANDED_IN = PLACE / "en" / "handed-in"


@cache
def lesson(number: int, language: str = "en") -> Lesson:
    return read_lesson(builtin_lessons(language)[number - 1].path)


def text_of(number: int, place: int, language: str) -> str:
    """Return the text of a scene as it is written; scenes count from 1."""
    written = lesson(number, language).path.read_text("utf-8").split("\n## ")[place]
    return written.partition("\n```")[0]


@cache
def recording(number: int, place: int) -> Any:
    here = lesson(number)
    return recording_of(config_of(here, here.scenes[place - 1]))


def at(number: int, place: int, step: int | None = None) -> Any:
    """Return the frame that a scene shows, or one at another step of its run; −1 is the last."""
    show, steps = lesson(number).scenes[place - 1].show, recording(number, place)
    assert show is not None
    return steps.seek((show.step or 0) if step is None else step % (len(steps) + 1))


def shown_text(number: int, place: int) -> str:
    show = lesson(number).scenes[place - 1].show
    assert show is not None
    assert show.text is not None
    return show.text


def ids(frame: Frame, text: str) -> list[int]:
    return [token_id for piece in frame.encode(text) for token_id in piece.ids]


def tokens(frame: Frame, text: str) -> list[bytes]:
    return [frame.token(token_id) for token_id in ids(frame, text)]


def cost(number: int, place: int, text: str = "", step: int | None = None) -> int:
    """Return the number of tokens of a text, else of the one that the scene shows."""
    return len(ids(at(number, place, step), text or shown_text(number, place)))


def pair(frame: Frame, text: str) -> Any:
    """Return the ids of a pair: "st|e"."""
    return tuple(frame.id_of(token.encode()) for token in text.split("|"))


def count(number: int, place: int, text: str, step: int | None = None) -> int:
    """Return the count of a pair."""
    frame = at(number, place, step)
    return int(frame.count_of(pair(frame, text)))


def rank(number: int, place: int, text: str) -> int:
    """Return the number of the merge that joins a pair, from 1."""
    frame = at(number, place, -1)
    return int(frame.step_of(pair(frame, text)))


def left(number: int, place: int, step: int | None = None) -> int:
    """Return the number of tokens in the corpus."""
    return int(at(number, place, step).token_count)


def saved(number: int, place: int, step: int) -> int:
    """Return the number of tokens that a merge saves: the places where it joins."""
    return left(number, place, step - 1) - left(number, place, step)


def merged(frame: Frame, number: int) -> list[bytes]:
    """Return the tokens that the first merges make."""
    return [b"".join(map(frame.any_token, frame.merge_at(k).pair)) for k in range(number)]


def size(text: str) -> int:
    return len(text.encode())


def density(frame: Frame) -> str:
    return f"{frame.bytes_per_token:.2f}"


# -- each number, computed again


def claims() -> Iterator[tuple[int, int, str]]:
    """Yield lesson, scene, and a part of its English text with the numbers of the run."""
    yield 1, 1, f"from {min(range(256))} to {max(range(256))}"
    yield 1, 1, f"“a” is {ord('a')}. `·` is a space, which is a byte, too: {ord(' ')}"
    yield 1, 2, f"letter is {size('a')} byte, `ä` is {size('ä')}, most Chinese characters are 3"
    yield 1, 2, f"Most emoji are {size('🙂')} or more: most flags are {size('🇩🇪')}"
    yield 1, 2, "`ä` has 2, over the ids {} and {}".format(*"ä".encode())
    yield 1, 2, f"`C3` is {0xC3}, `A4` is {0xA4}"
    yield 1, 3, f"after {at(1, 3).step} merges"
    yield 1, 3, f"`·unicorn` is {cost(1, 3, ' unicorn')}"
    yield 1, 4, f"First come the {at(1, 4).first_id - 1} bytes"
    yield 1, 5, "Here {} is `The`, and {} is `·little`".format(*ids(at(1, 5), "The little"))
    yield 1, 6, f"`ä` is {size('ä')}, `茶` is {size('茶')}, `🙂` is {size('🙂')}"
    yield 2, 1, f"has {words_with('')} different words"
    yield 2, 3, f"{len(at(2, 3).queue.tied)} pairs share the first place"
    yield 2, 5, f"Here {at(2, 5).step} are made"
    yield 2, 6, f"It is {cost(2, 6)} tokens all the same"
    yield 3, 1, f"Merge {rank(3, 1, 'est| ')} has just joined `est` and the space"
    yield 3, 2, f"`·low·low` is {merged(at(3, 2), 16).count(b' low low')} token now"
    yield 3, 4, f"changes {len(at(3, 4).affected())} pretoken, `newest`"
    yield 3, 4, f"which occurs {at(3, 4).counts[b'newest']} times"
    yield 4, 1, f"{len(at(4, 1).queue.tied)} pairs have the highest count"
    yield 4, 1, f"`e+s` and `s+t`, {count(4, 1, 'e|s')} each"
    yield 4, 2, f"Byte {ord('s')} is “s”, byte {ord('e')} is “e”"
    yield 4, 5, f"{len(at(4, 5).queue.tied)} pairs have the highest count"
    yield 5, 3, f"Press `←` {len('mother') - cost(5, 3) - 1} times, back to merge 1"
    yield 5, 3, f"`e┊r` with {rank(5, 3, 'e|r')}, and `o┊t` with {rank(5, 3, 'o|t')}"
    yield 6, 1, f"it is {cost(6, 1, 'the')} tokens: “t” and `he`"
    counts = at(6, 3).counts
    yield 6, 3, f"`·the` occurs {counts[b' the']} times, `The` {counts[b'The']} times"
    yield 6, 4, f"is {cost(6, 4)} tokens here, and {cost(6, 1, shown_text(6, 4))} with GPT-2's"
    yield 7, 1, f"{len(Reason)} reasons are possible"
    yield 7, 3, f"after {at(7, 3).step} merges, `·outside` is {cost(7, 3)} tokens"
    yield 7, 3, f"for 200 steps more: now it is {cost(7, 3, step=at(7, 3).step + 200)}"
    before, after = (count(7, 5, "D|a", rank(7, 5, "a|d") - back) for back in (1, 0))
    yield 7, 5, f"`D+a` it has {row_of(7, 5, 'D|a')[1]}, but `ad` took {before - after} of these"
    yield 7, 5, f"the true count is {count(7, 5, 'D|a')}"
    reasons = sum(asked.kind == "reason" for asked in lesson(7).scenes[5].asks)
    yield 7, 6, f"the reason for {reasons} other pieces"
    yield 8, 1, f"It is **{cost(8, 1, '<|endoftext|>')} id**"
    yield 8, 3, f"Each of these tokens is {cost(8, 3, '<|im_start|>')} id"
    yield 8, 4, f"`茶` is {cost(8, 4, '茶')}, with a mark below each"
    yield 8, 7, f"Each of its letters is {size('д')} bytes"
    yield 8, 7, "`д` is `<{}>` and `<{}>`".format(*"д".encode().hex(" ").upper().split())
    yield 8, 7, f"`茶` is {cost(8, 7)} tokens after {at(8, 7).step} merges"
    english, _, russian, chinese = costs(at(9, 1))
    yield 9, 1, f"{english[0]} words, {english[1]} characters and {english[2]} bytes"
    yield 9, 1, f"it is {english[3]} tokens"
    yield 9, 1, f"{english[3]} ÷ {english[0]} = {english[3] / english[0]:.1f} tokens a word"
    yield 9, 2, f"{russian[0]} words and again {russian[1]} characters"
    yield 9, 2, f"so it is {russian[2]} bytes"
    yield 9, 2, f"It is {russian[3]} tokens, too"
    yield 9, 2, f"That is {russian[3] / russian[0]:.1f} tokens a word"
    yield 9, 3, f"it is {chinese[1]} characters of **3 bytes** each: {chinese[2]} bytes"
    yield 9, 3, f"{chinese[3]} tokens"
    yield 9, 3, f"A person counts {chinese[0]}"
    yield 9, 3, f"{chinese[3]} ÷ {chinese[0]} = {chinese[3] / chinese[0]:.2f} tokens a word"
    for name, each in zip(("English", "Russian has"), costs(at(9, 6))[::2], strict=True):
        yield 9, 6, f"{name} {each[2]} ÷ {each[3]} = {each[2] / each[3]:.1f}"
    yield 9, 2, f"with its {len('Кошка')} letters costs {cost(9, 2, 'Кошка')}"
    yield 9, 5, f"Russian falls from {cost(9, 2)} to {cost(9, 5)}"
    yield 9, 5, f"English rises, from {cost(9, 1)} to {cost(9, 5, shown_text(9, 1))}"
    yield 9, 7, f"`ñ` is {size('ñ')} bytes, as `ä` is"
    yield 10, 1, f"{len('strawberry')} letters, and {'strawberry'.count('r')} of them are “r”"
    yield 10, 1, "numbers: {}, {}, {}".format(*ids(at(10, 1), " strawberry"))
    yield 10, 2, f"after {at(10, 2).step} merges. Its last row is {at(10, 2).id_of(b'ber')}: `ber`"
    yield 10, 3, f"The same word backwards is {cost(10, 3)} tokens"
    yield 10, 4, "the ids are {}, {}, {}, {}".format(*ids(at(10, 4), shown_text(10, 4)))
    yield 10, 5, f"`·egg` in a sentence is {cost(10, 5, ' egg')} token"
    yield 10, 5, f"beginning of a text `egg` is {cost(10, 5, 'egg')}"
    yield 10, 5, f"`·Egg` is {cost(10, 5, ' Egg')}, and `·EGG` is {cost(10, 5, ' EGG')}"
    yield 11, 2, f"at most {len(digit_groups('1' * 9)[0])} digits"
    yield 11, 2, "│".join(digit_groups("1234567"))
    yield 11, 3, "From 4 to 9 digits, cl100k's pattern has 2: {} and {}".format(*at_thousands())
    groups = [len(digit_groups(number)) for number in ("999", "1000")]
    yield 11, 4, "`999` is {} group, and `1000` is {}".format(*groups)
    yield 11, 4, "│".join(digit_groups("1000"))
    yield 11, 5, f"these lines are {cost(11, 5)} tokens"
    yield 11, 5, f"they are {cost(11, 1, shown_text(11, 5))}: one token for each space"
    yield 11, 7, f"is {cost(11, 7)} tokens. As YAML, `cat: Tom`, it is {cost(11, 7, 'cat: Tom')}"
    of_bytes = sum(len(each) == 1 for each in unused())
    yield 12, 1, f"Here {at(12, 1).vocab_size} tokens, learnt from programs"
    yield 12, 1, f"{len(unused())} of {at(12, 1).vocab_size}. Of these {of_bytes} are single bytes"
    yield 12, 2, f"768 numbers. {len(unused())} rows are {768 * len(unused())} numbers"
    yield 12, 2, f"are {left(12, 1)} tokens here"
    yield 12, 2, f"With as many merges of their own they are {left(10, 1, at(12, 1).step)}"
    yield 12, 4, f"`·kitten` is {cost(12, 4, ' kitten')} tokens, and this sentence is {cost(12, 4)}"
    yield 12, 7, f"have made {at(12, 1).step} merges of their own"
    yield 12, 7, f"`·stopListening` is {cost(12, 7)} tokens now"
    yield 13, 3, f"this sentence needs {cost(13, 3)} of them"
    last = at(14, 1, -1).step
    yield 14, 1, f"says {density(at(14, 1))}. The corpus has {left(14, 1)} tokens then"
    yield 14, 2, f"The first 1,000 merges leave {left(14, 1, 1000)} of the {left(14, 1)} tokens"
    yield 14, 2, f"1,000 more leave {left(14, 1, 2000)}"
    yield 14, 2, f"The last {last - 2000} leave {left(14, 1, last)}"
    yield 14, 2, f"joined in {saved(14, 1, 1)} places. Merge 1,000 joined in {saved(14, 1, 1000)}"
    yield 14, 3, f"{density(at(14, 1, 500))} bytes per token after 500 merges"
    yield 14, 3, f"{density(at(14, 1, 1000))} after 1,000, {density(at(14, 1, last))} after {last}"
    yield 14, 4, f"1,000 more tokens are {1000 * 768} more numbers"
    yield 14, 4, f"2,900 a new token occurs {at(14, 4).merge_at(2899).count} in the whole corpus"
    yield 14, 5, f"is {cost(14, 5)} tokens at step {at(14, 5).step}. Press `g`"
    yield 14, 5, f"at step 1,000 it is {cost(14, 5, step=1000)}"
    yield 14, 5, f"At step 2,000 it is {cost(14, 5, step=2000)}"
    yield 14, 6, f"The table is {gpt2_share()} % of the smallest GPT-2"
    yield 14, 6, f"GPT-2 has {256 + 50_000 + 1} tokens: 256 bytes, 50,000 merges, 1 special token"
    yield 14, 7, f"after 700 it was {cost(13, 2, ' kitten', step=700)} tokens"
    yield 15, 3, f"both occur {count(15, 1, 'e|s')} times"
    yield 15, 4, f"{first_difference('border-crossed')} merges are right by luck"
    yield 15, 5, f"counts `newest` once instead of {at(15, 1).counts[b'newest']} times"
    yield 15, 5, f"it is in {words_with('we')} different words, as `s+t` is"
    yield 15, 5, f"`w+e` occurs {count(15, 1, 'w|e')} times in all, and `s+t` {count(15, 1, 's|t')}"
    aaa, aaaa = (at(16, 1).counts[word] for word in (b"aaa", b"aaaa"))
    yield 16, 1, f"{aaa} × 2 + {aaaa} × 3 = {count(16, 1, 'a|a')}"
    joins = saved(16, 2, 1)
    yield 16, 2, f"occurred {count(16, 1, 'a|a')} times, but it joins in only {joins} places"
    yield 16, 3, f"After {at(16, 3).step} merges `hahaha` is"
    yield 16, 4, f"finds {joins} places of `a+a`, and takes `o+h` with {count(16, 1, 'o|h')} first"
    yield 16, 5, ", ".join(str(at(16, 1).merge_at(k).count) for k in range(at(16, 1, -1).step))
    yield 17, 1, f"merge {at(17, 1).step} changed {len(at(17, 1).merge.changes)} counts"
    yield 17, 2, f"here `w+e`, from {count(17, 2, 'w|e', 1)} to {count(17, 2, 'w|e')}"
    yield 17, 4, f"{len(at(17, 4).affected())} pretokens hold `u+t`"
    yield 17, 6, f"a corpus of {len((SAMPLES / 'ship.txt').read_text().splitlines())} lines"
    yield 17, 7, f"In `hahaha` {'hahaha'.count('ha')} places of `h+a` touch"
    yield 18, 3, "Row {} is stale: {} are recorded for `h+o`, but {}".format(*row_of(18, 3, "h|o"))
    score = at(20, 1).score_of(pair(at(20, 1), "w|##i"))
    yield 20, 3, f"with {score.count} of {score.left}, and not"
    both = count(20, 5, "喜|##欢")
    yield 20, 5, f"occur {both} times, always together: {both} / ({both} × {both})"
    yield 21, 1, f"often enough: {len(at(21, 1).texts)}, far too many"
    yield 21, 5, f"A word without a piece costs {UNKNOWN_PENALTY:.0f}"
    likely = [at(21, 5, step).lattice("喜欢").best.score for step in (0, 2)]
    yield 21, 5, "grows from 3/{:.0f} to 3/{:.0f}".format(*(3 / exp(score) for score in likely))
    yield 22, 1, f"stays {cost(22, 1, ' there was a')} tokens or {cost(22, 1, ' in the')}"
    yield 22, 2, f"are neighbours {count(22, 2, ',| and')} times"
    yield 22, 3, f"{rank(22, 2, ',| and') - at(22, 2).step} merges later `,·and` is 1 token"
    yield 22, 4, f"At step {at(22, 2).step} a token had {density(at(22, 2))} bytes on average"
    yield 22, 4, f"With {at(22, 4).step - at(22, 2).step} more merges it has {density(at(22, 4))}"
    yield 22, 4, f"Plain BPE with as many merges comes to {density(plain_bpe())}"
    yield 22, 4, f"needs {cost(22, 4)} tokens instead of {cost(22, 2, shown_text(22, 4))}"
    yield 22, 5, f"`·upon·a·time` has {'·upon·a·time'.count('·')} words"


def words_with(text: str) -> int:
    """Return the number of different words of the handout with a text inside."""
    return sum(text in word for word in set((SAMPLES / "handout.txt").read_text().split()))


def row_of(number: int, place: int, text: str) -> list[int]:
    """Return the row of a pair in the heap's table, the recorded count and the true one."""
    frame = at(number, place)
    entries = enumerate(frame.queue.entries(200), 1)
    [(row, entry)] = (each for each in entries if each[1].pair == pair(frame, text))
    return [row, entry.recorded, entry.count]


def digit_groups(number: str) -> list[str]:
    return [*PATTERNS["cl100k"].split(number)]


def at_thousands() -> list[int]:
    """Return the numbers of digits, from 4 to 9, where groups are those of the thousands."""
    numbers = {digits: "123456789"[:digits] for digits in range(4, 10)}
    return [n for n, each in numbers.items() if f"{int(each):,}".split(",") == digit_groups(each)]


@cache
def unused() -> list[bytes]:
    """Return the tokens of lesson 12 that no story has; the special one is between stories."""
    frame = at(12, 1)
    used = {each for word in frame.counts for each in ids(frame, word.decode())}
    return [
        frame.token(number)
        for number in range(frame.vocab_size)
        if number not in used and not frame.is_special(number)
    ]


def gpt2_share() -> int:
    """Return the percentage of GPT-2's smallest model that its table of tokens takes."""
    table, layer = 50_257 * 768, 12 * 768**2 + 13 * 768  # it has 12 layers and 1,024 positions
    return round(100 * table / (table + 1024 * 768 + 12 * layer + 2 * 768))


def first_difference(name: str) -> int:
    """Return the number of merges that a handed-in file begins with as the right one does."""
    right, wrong = (
        [[line[side] for side in ("left", "right")] for line in map(json.loads, path.open())]
        for path in (HANDED_IN / "right.jsonl", HANDED_IN / f"{name}.jsonl")
    )
    return [a == b for a, b in zip(right, wrong, strict=False)].index(False)


def plain_bpe() -> Frame:
    """Return the frame of lesson 22 with as many merges and no superwords."""
    config = config_of(lesson(22), lesson(22).scenes[0])
    assert isinstance(config, RunConfig)
    frame: Frame = recording_of(replace(config, phases="")).seek(at(22, 4).step)
    return frame


IN_WORDS = [
    *(("zero", "零"), ("one", "一"), ("two|twice", "二|两"), ("three", "三"), ("four", "四")),
    *(("five", "五"), ("six", "六"), ("seven", "七"), ("eight", "八"), ("nine", "九")),
    ("ten", "十"),
]


def in_digits(text: str) -> str:
    """Return a text with its numbers in digits: "Two of 1,000 are" → "2 of 1000 are"."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    for number, (english, chinese) in enumerate(IN_WORDS):
        text = re.sub(rf"(?i)\b(?:{english})\b|{chinese}", str(number), text)
    return text


def test_each_number_is_that_of_the_run_in_each_language() -> None:
    wrong = []
    for number, place, claim in claims():
        part = in_digits(claim)
        if not re.search(
            rf"{re.escape(part)}(?![\d]|[.,]\d)", in_digits(text_of(number, place, "en"))
        ):
            wrong.append((number, place, claim))
        for language in languages():
            numbers = re.findall(NUMBER, in_digits(text_of(number, place, language)))
            missing = {*re.findall(NUMBER, part)} - {*numbers}
            wrong += [(number, place, language, claim, each) for each in missing]
    assert wrong == []


NUMBER = r"\d+(?:\.\d+)?"


def test_claims_without_numbers_are_true_of_their_runs() -> None:
    assert merged(at(4, 2), 2) == [b"st", b"est"]
    assert merged(at(4, 3), 2) == [b"es", b"est"]
    same_left = at(4, 5)
    tied = same_left.merge_at(same_left.step).tied
    assert {tuple(map(same_left.token, pair)) for pair in tied} == {(b" ", b"p"), (b" ", b"m")}
    assert any(token.count(b" ") > 1 for token in merged(at(3, 2), 16))
    assert merged(at(5, 4), 1) == [b"he"]
    often = sorted(at(13, 2).counts.values())
    assert 0.45 < sum(times <= 2 for times in often) / len(often) < 0.5  # nearly half
    stories = at(14, 1, -1)
    assert sum(tied > 1000 for tied in stories.tied_steps) > 0.98 * (stories.step - 1000)
    for frame in (at(17, 1, -1), at(17, 7, -1)):
        for merge in map(frame.merge_at, range(frame.step)):  # nothing else changes
            for now in merge.changes:
                is_less = now.after < now.before and {*merge.pair} & {*now.pair}
                assert merge.new_id in now.pair or is_less
    wordpiece = at(20, 3)
    assert tuple(map(wordpiece.any_token, wordpiece.merge_at(0).pair)) == (b"w", b"##i")


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


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("place", [4, 5])
def test_the_table_of_languages_is_true(place: int, language: str) -> None:
    rows = re.findall(r"(\d+) +(\d+) +(\d+) +(\d+)", text_of(9, place, language))
    assert [list(map(int, row)) for row in rows] == costs(at(9, place))


# -- 15: a trainer of one's own


class TakesTheSmallest(students.Student):
    """A trainer with another tie rule: the first pair in byte order."""

    def best(self, counts: Counter[students.Pair]) -> students.Pair:
        return min(counts, key=lambda pair: (-counts[pair], pair))


TRAINERS: dict[str, type[students.Student]] = {
    "right": students.Student,
    "tie-rule": TakesTheSmallest,
    "border-crossed": students.DoesWithoutPretokens,
    "unweighted": students.CountsEachWordOnce,
    "overlap": students.CountsWithoutOverlap,
}


@pytest.mark.parametrize("path", sorted(HANDED_IN.iterdir()), ids=lambda path: path.stem)
def test_the_files_to_check_are_what_a_trainer_with_the_mistake_writes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(students, "GPT2", re.compile(r"\S+|\s+"))
    corpus = PLACE / "en" / "noises.txt" if path.stem == "overlap" else SAMPLES / "handout.txt"
    written = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    made = TRAINERS[path.stem]().train(corpus.read_text(), len(written))
    assert [
        (step["left"].replace("Ġ", " "), step["right"].replace("Ġ", " "), step["count"])
        for step in written
    ] == [(left.decode(), right.decode(), n) for (left, right), n in made]
    said = run("check", "--jsonl", path, "--corpus", corpus, "--pattern", "whitespace")
    cause = f"Likely cause ({path.stem})"
    assert (b"are by the rule" if path.stem == "right" else cause.encode()) in said.stdout


@pytest.mark.parametrize(
    "path", sorted(PLACE.glob("*/*.md")), ids=lambda path: f"{path.parent.name}-{path.stem[:2]}"
)
def test_no_line_of_code_is_cut_beside_the_screen(path: Path) -> None:
    code = [p.text for scene in read_lesson(path).scenes for p in scene.paragraphs if p.is_code]
    assert all(cell_len(line) <= CODE_CELLS for text in code for line in text.split("\n"))
