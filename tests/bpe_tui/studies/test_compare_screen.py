"""Comparing: tokenizers on a text, and merges with a check."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from opening import SAMPLE, opened_as, step, until
from screen_text import row_texts
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import SingleScreenApp
from bpe_tui.session.config import Claimed, RunConfig
from bpe_tui.session.threads import Cancelled
from bpe_tui.studies.check import REST_SECONDS, CheckedMerges, CheckJob, CheckScreen, WhyPanel
from bpe_tui.studies.comparison import (
    ComparedTokenizer,
    ComparisonScreen,
    NumbersPanel,
    StripsPanel,
    broken,
    drawn_parts,
    segments_of,
)
from bpe_tui.widgets.controls import FootLine
from bpe_tui.widgets.lines import RowList
from engine import Tokenizer, count_pretokens, train_bpe
from engine.analysis.text_comparison import TextComparison
from engine.core.errors import BpeError
from engine.core.gpt2_bytes import spell

BYTES = {byte: bytes([byte]) for byte in range(256)}
ONE = Tokenizer(BYTES | {256: b"ab"}, [(b"a", b"b")])
BASE = Tokenizer(BYTES, [])
OTHER = Tokenizer(BYTES | {256: b"bc"}, [(b"b", b"c")])


async def settle(app: App[int], pilot: Pilot[int]) -> None:
    """Wait until all comparisons are done."""
    numbers = app.screen.query_one(NumbersPanel)
    await until(pilot, lambda: numbers.comparison is not None)


@asynccontextmanager
async def comparing(
    data: bytes, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[SingleScreenApp, Pilot[int]]]:
    compared = ComparedTokenizer("one", lambda: ONE), ComparedTokenizer("other", lambda: OTHER)
    app = SingleScreenApp(lambda: ComparisonScreen(compared, data))
    async with app.run_test(size=size) as pilot:
        await settle(app, pilot)
        yield app, pilot


def lines(app: App[int], panel: str) -> list[str]:
    shown = app.screen.query_one(f"#{panel}", StripsPanel if panel == "strips" else NumbersPanel)
    return ["".join(t for t, _ in shown.row(n).spans).rstrip() for n in range(shown.row_count)]


def test_the_parts_of_a_cut_character_have_a_cell_for_each_byte_or_are_drawn_apart() -> None:
    parts = [b"a", "é".encode(), b"\xe6\x88", b"\x91", b"\xe2\x80", b"\xae"]
    whole = [("a", 1, 1), ("é", 1, 1), ("我", 2, 2), ("", 1, 0)]
    assert list(drawn_parts(parts, 7)) == [*whole, ("‹202E›", 2, 2), ("", 4, 0)]
    assert list(drawn_parts(parts, 3)) == [*whole, ("…", 1, 1), ("…", 1, 1)]


@pytest.mark.parametrize(("room", "lines"), [(9, ["abcd", "e⏎", "f"]), (8, ["abc", "de⏎", "f"])])
def test_segments_break_at_the_width_and_after_newlines(room: int, lines: list[str]) -> None:
    found = broken(segments_of(TextComparison([BASE, BASE], b"abcde\nf"), 0, 7, 9), room)
    assert ["".join(segment.text for segment in line) for line in found] == lines


async def test_marks_are_where_both_cut_and_the_strips_end_with_the_number_of_tokens() -> None:
    async with comparing(b"ab bc") as (app, pilot):
        assert lines(app, "strips") == ["one    ab·bc  4", "other  ab·bc  4", "       ▲ ▲▲"]
        await pilot.press("enter")
        assert app.screen.query_one(StripsPanel).current == 1


def laid_out(app: App[int]) -> bytes:
    """Return the part of the text that has strips."""
    shown = (line for line in lines(app, "strips") if line.startswith("one "))
    texts = (re.sub(r"  [\d,]+$", "", line[7:]) for line in shown)
    return "".join(texts).replace("·", " ").encode()


async def test_far_differences_are_laid_out_when_they_are_reached() -> None:
    async with comparing(b"abc " + b"x " * 20_000 + b"abc") as (app, pilot):
        strips = app.screen.query_one(StripsPanel)
        assert laid_out(app) == b"abc " + b"x " * 3070
        await pilot.press("n")
        assert "at byte 40,004" in str(strips.border_subtitle)
        assert laid_out(app) == b"x " * 1024 + b"abc"
        # Both strips of the difference, and the marks below them, are in sight.
        assert "▲" in lines(app, "strips")[strips.cursor + 2]
        assert 0 <= strips.cursor - strips.scroll_offset.y <= strips.size.height - 3
        await pilot.press("p")
        assert (strips.cursor, strips.scroll_offset.y) == (0, 0)
        for text, size in ((b"x " * 4096, 8192), (b"x " * 4097, 6144)):  # of 8 KiB, and longer
            strips.comparison = TextComparison([ONE, OTHER], text)
            assert laid_out(app) == text[:size]


async def test_another_text_can_be_typed() -> None:
    async with comparing(b"x") as (app, pilot):
        strips = app.screen.query_one(StripsPanel)
        assert strips.border_subtitle == "all cut these 1 byte alike"
        heading, screen = app.screen.query_one("#heading", Static), app.screen
        assert isinstance(screen, ComparisonScreen)
        screen.on_mount()
        assert heading.content == "Opening one │ other …"
        await settle(app, pilot)
        await pilot.press("e", "ctrl+u", *"abc")
        await until(pilot, lambda: "difference 1 of 1" in str(strips.border_subtitle))
        for _ in range(2):  # the second finds no way back from the command's own screen
            await pilot.press("escape")
            assert not app.screen.query_one("#other-text").has_focus_within


SPECIALS = ["<|endoftext|>"]
CORPUS = SAMPLE.with_name("code.txt")  # small: causes are searched over all of it
CONFIG = RunConfig(str(CORPUS), vocab_size=357)


RIGHT, WRONG = SimpleNamespace(fits=True), SimpleNamespace(fits=False)
JOBS: list[Any] = [
    SimpleNamespace(refused=refused, report=report, merges=merges, judged=judged)
    for refused, report, merges, judged in (
        (BpeError("why"), None, 0, []),
        (None, None, 0, []),
        (None, None, 5, [RIGHT] * 4),
        (None, None, 5, [RIGHT] * 5),
        (None, "report", 5, [RIGHT] * 5),
        (None, "report", 6, [RIGHT] * 5 + [WRONG]),
    )
]
"""Checks at each moment, from the refused one to the outcome."""


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the files of a trainer with another tie rule, which differ at merge 19."""
    path = tmp_path_factory.mktemp("trained") / "mine"
    learnt = train_bpe(CORPUS, 357, SPECIALS, tie_rule="first-seen")
    Tokenizer(*learnt, SPECIALS).save(path)
    return path


@pytest.fixture(scope="module")
def by_the_rule(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trained") / "merges[b].json"
    merges = train_bpe(CORPUS, 357, SPECIALS)[1]
    path.write_text(json.dumps([[spell(left), spell(right)] for left, right in merges]))
    return path


def rows(app: BpeTuiApp, name: str) -> list[str]:
    return row_texts(app.screen.query_one(name, RowList))


async def sentences(app: BpeTuiApp, pilot: Pilot[int]) -> str:
    """Wait for the outcome; return its sentences."""
    ends = ("by the rule.", "differ from the rule's.", "cannot be checked.")
    await until(pilot, lambda: str(app.screen.query_one("#narration").render()).endswith(ends))
    return " ".join(" ".join(rows(app, "#why-differs")).split())


async def test_the_first_difference_stays_in_sight_with_its_cause_until_other_files_are_checked(
    mine: Path, by_the_rule: Path
) -> None:
    async with opened_as(replace(CONFIG, claimed=Claimed((str(mine),)))) as (app, pilot):
        assert isinstance(app.screen, CheckScreen)
        why = await sentences(app, pilot)
        assert "The first merge that is not by the rule is merge 19." in why
        about = app.screen.query_one(WhyPanel)
        spans = (span for place in range(about.row_count) for span in about.row(place).spans)
        strong = [text for text, role in spans if role == "strong"]
        assert strong[0].startswith("Likely cause (tie-rule)")
        assert app.screen.query_one(FootLine).legend
        following = app.screen.keys.command("n")
        assert following is not None
        assert app.screen.offers(following)
        header, pinned = (row.split() for row in rows(app, "#check-pinned"))
        assert header == ["merge", "yours", "count", "the", "rule", "count"]
        assert pinned == ["first", "19", "✗", "·+c", "32", "a+r", "32"]
        listed = rows(app, "#check-rows")
        assert len(listed) == 100
        assert [row.split()[1] for row in listed[:19]] == ["✓"] * 18 + ["✗"]
        for row in listed:  # what is by the rule is the same on both sides
            _, sign, yours, count, rule, rule_count = row.split()
            assert (sign == "✓") == ((yours, count) == (rule, rule_count))
        wrong = [at for at, row in enumerate(listed) if "✗" in row]
        panel = app.screen.query_one("#check-rows", RowList)
        assert app.focused is panel
        assert str(app.screen.query_one("#heading").render()).startswith("code.txt │ 8.21 KB")
        for keys, place in (("", wrong[0]), ("n", wrong[1]), ("pp", 18)):
            await pilot.press(*keys)
            assert panel.cursor == place
            await until(
                pilot,
                lambda: 0 < place - panel.scroll_offset.y < panel.size.height - 1,  # noqa: B023
            )
        merges = app.screen.query_one(CheckedMerges)
        judged = merges._judged
        for known in (0, 18, 19, 21, 100):  # as a slow machine tells of them
            merges.show(judged[:known])
            await pilot.pause()
        await until(pilot, lambda: 18 - panel.scroll_offset.y == panel.size.height // 2)
        said = [app.screen._narration(job) for job in JOBS]
        assert said == [
            "mine cannot be checked.",
            "mine: merge 0 of 0 is compared with the rule …",
            "mine: merge 4 of 5 is compared with the rule …",
            "mine: all 5 merges are judged; known mistakes are tried …",
            "mine: all 5 merges are by the rule.",
            "mine: 1 of 6 merges differ from the rule's.",
        ]
        for width, text in ((59, said[3]), (58, "mine: known mistakes are tried …")):
            await pilot.resize_terminal(width, 40)
            assert app.screen._narration(JOBS[3]) == text
        await pilot.resize_terminal(120, 40)
        await pilot.press("enter")
        assert (app.screen.id, step(app)) == ("training", 19)
        await pilot.press("backspace")
        assert isinstance(app.screen, CheckScreen)
        merges.show(())  # a new check begins at its first merge
        assert panel.cursor == 0
        app.session.claimed = Claimed((str(by_the_rule),))
        app.changed()
        assert "All 100 merges are by the rule." in await sentences(app, pilot)
        assert (len(rows(app, "#check-pinned")), panel.row_count, panel.cursor) == (1, 100, 0)
        before, job = app.screen, app.screen._job
        assert job is not None
        app.open(CONFIG)
        await until(pilot, lambda: app.session.stop_reason is not None)
        await until(pilot, lambda: not before.is_running)
        assert job.is_cancelled
        await pilot.press("9")
        await until(pilot, lambda: app.focused and app.focused.id == about.id)
        assert rows(app, "#why-differs")[0].startswith("Nothing is chosen to be checked.")
        assert not app.screen.query_one(FootLine).legend


def test_a_check_reports_the_first_merge_then_now_and_then_and_the_last(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("bpe_tui.studies.check", "bpe_tui.session.threads"):
        monkeypatch.setattr(f"{module}.monotonic", lambda: 0.0)
    rests: list[float] = []
    monkeypatch.setattr("bpe_tui.studies.check.sleep", rests.append)
    posted: list[int] = []
    claimed, counts = Claimed((str(mine),)), count_pretokens(CORPUS, special_tokens=SPECIALS)
    job = CheckJob(CONFIG, claimed, counts, lambda job: posted.append(len(job.judged)))
    assert job.merges == 0
    job.work()
    assert posted == [1, 100, 100]
    assert rests == [REST_SECONDS]  # after the first slice
    job.cancel()
    with pytest.raises(Cancelled):
        job.work()
