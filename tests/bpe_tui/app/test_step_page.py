"""The page of a recording: what it holds, that it fetches nothing, and how a browser steps it."""

import asyncio
import errno
import json
import os
import re
import time
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from browser import PROGRAM as BROWSER
from browser import browser
from opening import opened_as
from program import BAD_INPUT, HANDOUT, PATIENCE, run
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from bpe_tui.app.recorder import Shot
from bpe_tui.app.step_page import PageError, PageFilm, aligned, page_question, step_page
from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.shell.exports import screen_text
from bpe_tui.styles import DARK, LIGHT
from engine import Timeline, Trainer
from engine.learning.questions import ask
from engine.unigram.frame import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer


def film_of(page: str) -> dict[str, Any]:
    """Return the data of a page."""
    found = re.search(r'<script type="application/json" id="film">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    film: dict[str, Any] = json.loads(found[1])
    return film


def screens_of(film: dict[str, Any]) -> list[str]:
    """Return the text of each shot, as `screen_text` has it."""
    rows = ["".join(part for part in row if isinstance(part, str)) for row in film["rows"]]
    return ["".join(f"{rows[number].rstrip()}\n" for number in shot["r"]) for shot in film["shots"]]


def check_policy(page: str) -> None:
    """Check that the page allows its own script and style only, and names nothing elsewhere."""
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none';")
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = b64encode(sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert not re.search(r"https?://|\bsrc=|\bhref=|url\(|@import|\son\w+=|style=", page)


def recorded(out: Path, *options: str, corpus: Path | str = HANDOUT) -> str:
    """Record a page; return it."""
    result = run("record", corpus, *options, "--html", out)
    assert result.returncode == 0, result.stderr
    return out.read_text("utf-8")


@pytest.mark.slow
async def test_a_page_has_the_screen_of_each_step_and_its_narration(tmp_path: Path) -> None:
    options = (
        "--pattern",
        "whitespace",
        "--text",
        "lowest",
        "--steps",
        "2-4",
        "--view",
        "training",
    )
    page = await asyncio.to_thread(recorded, tmp_path / "low.html", *options)
    check_policy(page)
    film = film_of(page)
    assert [shot["m"] for shot in film["shots"]] == [f"step {step}" for step in range(2, 5)]
    assert "s" in film["shots"][0]
    assert film["shots"][1]["n"][0].startswith("Merge 3 of 12: “o” and “w” occurred together")
    assert len({json.dumps(row) for row in film["rows"]}) == len(film["rows"])
    viewpoint = Viewpoint(view="training", text="lowest")
    config = RunConfig(HANDOUT, pattern="whitespace", viewpoint=viewpoint)
    async with opened_as(config, (60, 30)) as (app, pilot):
        app.add_class("-page")
        for step, screen in zip(range(2, 5), screens_of(film), strict=True):
            app.seek(step)
            await pilot.pause()
            assert screen == screen_text(app.screen)


def films(screens: list[list[tuple[Strip, Strip]]]) -> tuple[PageFilm, PageFilm]:
    """Return films of screens, whose lines are given in the dark and in the light theme."""
    pair = PageFilm(DARK), PageFilm(LIGHT)
    for theme, film in enumerate(pair):
        film.begin((12, 2), "a<\x1b")
        for place, lines in enumerate(screens):
            mark = f"step {place}" if place != 1 else ""
            film.take(Shot([line[theme] for line in lines], 1 / 3, mark, ("one", "t\x9bo")))
        film.end()
    return pair


def test_a_page_has_each_row_and_each_look_once_with_the_cells_of_wide_signs() -> None:
    bold, red, pink = Style(bold=True), Style(color="#ff0000"), Style(color="#880000")
    both = Strip([Segment("ab", red + bold), Segment("漢c\x1b")])
    light = Strip([Segment("a", pink), Segment("b漢c\x1b", pink + bold)])
    plain = Strip([Segment("ab"), Segment("", red)])
    lines = (both, light), (plain, plain), (plain, Strip([Segment("other")]))
    page = step_page(*films([[lines[0], lines[1]], [lines[1], lines[2]], [lines[0], lines[2]]]))
    film = film_of(page)
    assert film["rows"] == [[0, "a", 1, "b", 2, -2, "漢", "c", -1, "␛"], [3, "ab"], [3, "ab"]]
    about = {"m": "step 0", "n": ["one", "t‹009B›o"]}
    assert film["shots"] == [
        {"s": 0.33, "r": [0, 1]} | about,
        {"s": 0.33, "r": [1, 2]},
        {"s": 0.33, "r": [0, 2]} | about | {"m": "step 2"},
    ]
    rules = re.findall(r"\.l(\d)\{(.*?)\}", page)
    bold_red, bold_pink = "color:#ff0000;font-weight:bold", "color:#880000;font-weight:bold"
    assert rules[:2] == [("0", bold_red), ("1", bold_red)]
    assert rules[2:] == [("0", "color:#880000"), ("1", bold_pink), ("2", bold_pink)]
    assert list(aligned("‹a")) == [("‹", 1), ("a", 0)]  # it spells nothing out
    assert list(aligned("⓿─▟■")) == [("⓿", 1), ("─▟", 0), ("■", 1)]  # lines and blocks
    assert ":root{--columns:12}" in page
    assert "<title>a&lt;␛</title>" in page


def test_a_look_is_written_in_css_and_a_page_has_a_largest_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = {
        "#00ff00 on #0000ff": "color:#00ff00;background:#0000ff",
        "reverse #00ff00": "background:#00ff00",
        "default on default": "",
        "dim italic": "opacity:.7;font-style:italic",
        "underline": "text-decoration:underline",
        "strike": "text-decoration:line-through",
    }
    for look, css in looks.items():
        film = PageFilm(DARK)
        film.take(Shot([Strip([Segment("a", Style.parse(look))])], 1))
        assert list(film.rows) == [(("a", css),)]
    monkeypatch.setattr("bpe_tui.app.step_page.MOST_CHARACTERS", 2 * (3 + 8))
    film = PageFilm(DARK)
    film.take(Shot([Strip([Segment(text)]) for text in ("abc", "def", "abc")], 1))
    with pytest.raises(PageError, match="take fewer steps or a smaller --size"):
        film.take(Shot([Strip([Segment("g")])], 1))


@pytest.mark.slow
def test_a_page_in_chinese_has_chinese_sentences_about_what_is_worked_out(tmp_path: Path) -> None:
    ship = Path(HANDOUT).with_name("ship.txt")
    options = ("--pattern", "whitespace", "--vocab-size", "60", "--view", "explain", "--language")
    for model, step, sentence, question, line in (
        (
            "wordpiece",
            "0",
            "第 0 步：440 个片段，各是一个字符。",
            "哪一对得分最高？",
            "● 打分",
        ),
        (
            "unigram",
            "2",
            "第 2 步，共 6 步，第 1 轮的第 2 次 EM：",
            "下面哪个片段会先去掉？",
            "shut     → shut       +0.0338",
        ),
    ):
        own = ("--model", model, "--steps", step)
        page = recorded(tmp_path / f"{model}.html", *options, "zh", *own, corpus=ship)
        assert '<html lang="zh">' in page
        film = film_of(page)
        asked, _ = film["shots"]
        assert asked["m"] == f"第 {step} 步"
        assert asked["n"][0].startswith(sentence)
        assert asked["q"]["asks"][0] == [question]
        assert line in screens_of(film)[1]
    refused = run(
        "record", HANDOUT, *options, "xx", "--steps", "0", "--html", tmp_path / "other.html"
    )
    assert "there is no language 'xx'" in refused.stderr.decode()


def test_a_hostile_corpus_stays_text_in_a_page(tmp_path: Path) -> None:
    corpus = tmp_path / "<img onerror=1>\x1b[2J.txt"
    corpus.write_bytes(
        b"</script><script>alert(1)</script> <!-- \x1b]52;c;aGk=\x07 \xe2\x80\xae \xe2\x80\xa8 " * 9
    )
    options = ("--vocab-size", "262", "--steps", "1-2", "--speed", "1", "--view", "explain")
    page = recorded(tmp_path / "evil.html", *options, corpus=corpus)
    assert page.count("</script>") == page.count("<script") == 2
    assert "<img" not in page
    assert "<!--" not in page
    assert all(line.isprintable() for line in page.split("\n"))
    film = film_of(page)
    marks = [shot.get("m") for shot in film["shots"]]
    assert marks[:3] == ["step 1", None, "step 2"]  # the first step is not seen being made
    assert set(marks[3:]) == {None}
    assert sum(shot["s"] for shot in film["shots"]) == pytest.approx(3, abs=0.1)
    assert all(line.isprintable() for text in screens_of(film) for line in text.split("\n"))
    assert "</script>" in "".join(screens_of(film)).replace("┊", "").replace("│", "")


@pytest.mark.slow  # it films the screen
def test_a_page_that_would_be_too_large_is_refused_in_a_sentence(tmp_path: Path) -> None:
    out = tmp_path / "a.html"
    for options, said in (
        (("--steps", "0-9999"), "--html holds 1,111 steps of 60x30 at the most"),
        (("--steps", "0-2", "--out", out), "different files"),
    ):
        result = run("record", HANDOUT, "--html", out, *options)
        assert result.returncode == BAD_INPUT
        assert said in result.stderr.decode()
        assert not out.exists()
    out.write_text("mine")
    refused = run("record", HANDOUT, "--steps", "0", "--html", out)
    assert "is there already" in refused.stderr.decode()
    assert out.read_text() == "mine"
    no_space = OSError(errno.ENOSPC, "No space left on device")
    with patch("os.fsync", side_effect=no_space):
        full = run("record", HANDOUT, "--steps", "0", "--html", out, "--force")
    assert full.returncode == BAD_INPUT
    assert os.strerror(errno.ENOSPC) in full.stderr.decode()
    assert out.read_text() == "mine"


@pytest.mark.slow  # films 41 steps with their beats
def test_a_page_of_40_steps_in_the_lesson_view_is_below_a_megabyte(tmp_path: Path) -> None:
    corpus = Path(HANDOUT).with_name("tinystories_valid.txt")
    options = ("--vocab-size", "300", "--view", "explain", "--steps", "0-40")
    page = recorded(tmp_path / "forty.html", *options, corpus=corpus)
    assert len(page.encode()) < 1_000_000
    first = screens_of(film_of(page))[1]  # after the question
    assert "4,803" in first  # counted, no longer only cut
    assert "? help" not in first


@pytest.mark.slow  # starts a browser
@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_a_browser_steps_and_plays(tmp_path: Path) -> None:
    out = tmp_path / "low.html"
    options = ("--pattern", "whitespace", "--steps", "1-4", "--speed", "10")
    film = film_of(recorded(out, *options))
    screens = screens_of(film)
    second = next(shot for shot in film["shots"] if shot.get("m") == "step 2")
    with browser(tmp_path / "profile") as page:
        place = "document.getElementById('place').textContent"
        shown = "[...document.querySelectorAll('.row')].map(row => row.textContent.trimEnd())"
        words = "document.getElementById('words').innerText"
        for width, scheme in ((1200, "dark"), (1000, "dark"), (390, "light")):
            page.open(out, width, 900, scheme)
            assert page.value(place) == "step 1 │ 1/4"
            lines = "".join(f"{line}\n" for line in page.value(shown))
            assert lines in screens
            for part in ("documentElement", "getElementById('screen')"):  # nothing is cut
                assert page.value(f"document.{part}.scrollWidth - document.{part}.clientWidth") <= 1
            box = "document.getElementById('{}').getBoundingClientRect()".format
            text, film_box = box("words"), box("screen")
            is_beside = f"{text}.left >= {film_box}.right && {text}.top < {film_box}.bottom"
            assert page.value(is_beside) is (width >= 1000)
            page.press("ArrowRight")
            assert page.value(place) == "step 2 │ 2/4"
            assert second["n"][0] in page.value(words)
            page.press("ArrowLeft")
            assert page.value(place) == "step 1 │ 1/4"
            page.press(" ")
            deadline = time.monotonic() + PATIENCE
            while not page.value(place).endswith("4/4"):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            assert page.complaints() == []


def text_of(words: list[str | list[str]]) -> str:
    """Return the text of a sentence on a page."""
    return "".join(word if isinstance(word, str) else word[0] for word in words)


def first_replies(part: dict[str, Any]) -> dict[str, str]:
    """Return what is said to each option of a part: its label → the first sentence."""
    return {text_of(each["label"]): text_of(each["reply"][0]) for each in part["options"]}


def test_a_question_on_a_page_has_the_reply_to_each_answer_of_each_part() -> None:
    counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    frame = Timeline(counts, Trainer(counts, 260).steps()).seek(3)  # s+t, e+st, o+w
    [choice] = page_question(ask("next-pair", frame))["parts"]
    wrong = "No: w+est occurs 6 times; another pair occurs more often."
    assert first_replies(choice)["w+est"] == wrong
    assert first_replies(choice)["l+ow"] == "Right: l+ow occurs 7 times."
    parts = page_question(ask("encode-by-hand", frame, about="best"))["parts"]
    assert [text_of(part["given"][-1]) for part in parts] == ["best"] * 3
    assert first_replies(parts[0]) == {
        "b+e": "No: b+e does not join: no merge joins them; here is a pair of merge 1.",
        "e+s": "No: e+s does not join: no merge joins them; here is a pair of merge 1.",
        "s+t": "Right: s+t joins: merge 1.",
        "none joins": "No: it goes on: here is a pair of merge 1.",
    }
    assert first_replies(parts[2])["none joins"] == "Right: best is 2 tokens: b┊est."
    trainer = UnigramTrainer({"hug": 10, "▁pug": 5, "hugs": 5}, 10)
    steps = [*trainer.steps()]
    paths = ask("best-path", UnigramTimeline(trainer.record, steps).frame, about="hugs")
    [path] = page_question(paths)["parts"]
    assert [option["fact"] for option in path["options"]][:2] == ["−  2.46", "−  2.75 −  2.75"]


@pytest.mark.slow  # starts a browser
@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_all_questions_of_a_page_are_answered_by_tapping(tmp_path: Path) -> None:
    out = tmp_path / "stories.html"
    corpus = Path(HANDOUT).with_name("tinystories_valid.txt")
    film = film_of(recorded(out, "--vocab-size", "300", "--steps", "9-11", corpus=corpus))
    questions = [shot["q"] for shot in film["shots"] if "q" in shot]
    assert [len(each["parts"]) > 1 for each in questions] == [False, False, True]
    with browser(tmp_path / "profile") as page:
        page.open(out, 390, 844)
        shown = "document.getElementById('{}').textContent".format
        page.press("End")
        for number, question in enumerate(reversed(questions), 1):
            assert "COUNT" not in page.value(shown("screen"))  # it would tell the answer
            for part in question["parts"]:
                options = part["options"]
                right = [option["right"] for option in options].index(True)
                for place in (right - 1, right):
                    button = f"[...document.querySelectorAll('#options button')].at({place})"
                    page.value(f"{button}.scrollIntoView({{block: 'center'}})")
                    box = page.value(f"{button}.getBoundingClientRect().toJSON()")
                    assert box["height"] >= 44  # a finger
                    page.tap(box["x"] + 20, box["y"] + 20)
                    assert page.value(shown("reply")) == "".join(
                        map(text_of, options[place]["reply"])
                    )
            assert "COUNT" in page.value(shown("screen"))
            assert page.value(shown("score")) == f"0 of {number} at the first try"
            page.press("ArrowLeft")
        assert page.complaints() == []
