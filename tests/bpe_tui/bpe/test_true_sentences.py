"""Sentences about merges are true, and stepping through without a screen needs no Textual."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from opening import frame_of, opened_as, until
from program import ENVIRONMENT, HANDOUT, PATIENCE, refusal, run
from screen_text import unwrapped
from textual.widgets import Static
from tiny_tokenizers import timeline_of

from bpe_tui.bpe import merge_panel
from bpe_tui.bpe.merge_panel import MergePanel
from bpe_tui.bpe.narration import explain_merge, narrate
from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.visible import visible_bytes, width
from bpe_tui.words.narration import add_stop
from bpe_tui.words.typed import tokens_typed
from engine import StopReason, Timeline, Tokenizer, Trainer
from engine.analysis.explanation import explain
from engine.analysis.why_not import why_not
from engine.bpe.replay import Replay
from engine.encoding.alphabet import CharacterAlphabet
from engine.recording.affected_pretokens import LONGEST_TAKEN_APART


async def test_a_count_of_one_is_in_the_singular(tmp_path: Path) -> None:
    corpus = tmp_path / "one.txt"
    corpus.write_text("abab")
    several = re.compile(r"(?<![\d,.])1 (?:distinct )?[a-z]+s\b(?! (?:is|was)\b)")
    async with opened_as(RunConfig(str(corpus), min_count=1)) as (app, pilot):
        for _ in range(4):
            shown_text = [unwrapped(panel) for panel in app.screen.query(Lines)]
            shown_text += [str(panel.border_title) for panel in app.screen.query(Lines)]
            shown_text += [str(line.render()) for line in app.screen.query(Static)]
            shown_text += [narrate(frame_of(app))[0], *explain_merge(frame_of(app))]
            assert [found for text in shown_text for found in several.findall(text)] == []
            await pilot.press("right")


def test_a_frame_looks_different_once_the_next_step_is_known_or_there_is_none() -> None:
    replay = Replay(
        Tokenizer({**{n: bytes([n]) for n in range(256)}, 256: b"lo"}, [(b"l", b"o")]), {b"low": 5}
    )
    timeline = replay.timeline
    unknown = timeline.frame
    assert unknown.next_pair is None
    assert not unknown.merges_nothing
    assert "no merges" not in narrate(unknown)[0]
    timeline.extend(replay.steps())
    assert not unknown.looks_like(timeline.frame)
    last = timeline.forward()
    timeline.complete()
    assert not last.looks_like(timeline.frame)
    assert timeline.frame.looks_like(timeline.frame)
    assert not timeline.frame.looks_like(timeline.seek(0))
    assert timeline.seek(0).looks_like(timeline.frame)


@pytest.mark.parametrize("room", range(44, 140, 4))
def test_the_end_of_training_is_not_cut(room: int) -> None:
    counts = {b"low": 5, b"lower": 2}
    session = Session(RunConfig("corpus"))
    session.recording = timeline = timeline_of(counts)
    session.stop_reason = StopReason.TOO_RARE
    session.seek_end()
    shown_text = add_stop(session, narrate(timeline.frame), room)
    assert width(shown_text) <= room
    assert shown_text.endswith(".")


async def test_a_merge_that_overlaps_itself_explains_its_two_numbers(tmp_path: Path) -> None:
    corpus = tmp_path / "a.txt"
    corpus.write_text("aaaaaaaa " * 9)
    for size in ((120, 40), (80, 24)):
        async with opened_as(RunConfig(str(corpus)), size=size) as (app, pilot):
            await pilot.press("right")
            shown_text = unwrapped(app.screen.query_one(MergePanel))
            merge = app.session.frame.merge  # type: ignore[union-attr]
            assert merge is not None
            assert merge.occurrences < merge.count
            counted = f"{merge.occurrences} of {merge.count} occurrences in 2 pretokens"
            assert f"{counted}: they overlap" in shown_text


@pytest.mark.slow
async def test_a_merge_after_the_excerpt_is_shown_in_a_word(tmp_path: Path) -> None:
    corpus = tmp_path / "long.txt"
    corpus.write_text("low low low\n" * 40_000 + "qx qx\n")
    async with opened_as(RunConfig(str(corpus)), (160, 50)) as (app, pilot):
        frame = frame_of(app)
        assert not frame.excerpt.complete
        merges = [frame.merge_at(index).token for index in range(frame.recorded_steps)]
        panel = app.screen.query_one(CorpusPanel)
        made, ahead = merges.index(b"qx") + 1, merges.index(b"qx")
        for step, text_shown in (
            (merges.index(b"low") + 1, ""),
            (ahead, r"Next, not in these lines: ·?qx  ?occurs once elsewhere"),
            (made, r"Not in these lines: ·?qx  ?occurs once elsewhere"),
        ):
            app.seek(step)
            await pilot.pause()
            await until(pilot, lambda: "…" not in unwrapped(panel))
            assert ("ot in these lines: " in unwrapped(panel)) == bool(text_shown)
            assert re.search(text_shown, unwrapped(panel))

        await pilot.press("0")  # the explain screen tells it, too
        rows = unwrapped(app.screen.query_one("#corpus", Lines))
        assert re.search(r"Not in these lines: ·?qx  ?occurs once elsewhere", rows)


def test_characters_are_not_called_bytes_at_step_0_nor_in_the_way_of_a_piece() -> None:
    vocab = {0: b"<unk>", 1: "▁".encode(), 2: b"l", 3: b"o", 4: b"lo"}
    characters = CharacterAlphabet({"▁": 1, "l": 2, "o": 3}, unknown=0)
    tokenizer = Tokenizer(vocab, [(b"l", b"o")], pattern="none", alphabet=characters)
    replay = Replay(tokenizer, {"▁lo".encode(): 5})
    replay.timeline.extend(replay.steps())
    frame = replay.timeline.frame
    every = "every character, and ▁ for a space, is a token of its own"
    lacking = "a character that the vocabulary lacks is unknown"
    first = "The first merge joins “l” and “o”."
    shorter = f"Step 0: {every}. {first}"
    assert narrate(frame)[:2] == (f"Step 0: {every}; {lacking}. {first}", shorter)
    rows = MergePanel().rows_of(frame, 500)
    shown = "".join(text for row in rows for text, _ in row.spans)
    assert every in shown
    assert f"{lacking[1:]}." in shown
    assert "byte" not in shown
    vocab = {0: b"<unk>", 1: "漢".encode(), 2: b"l"}
    characters = CharacterAlphabet({"漢": 1, "l": 2}, unknown=0)
    tokenizer = Tokenizer(vocab, [], pattern="none", alphabet=characters)
    said = [why_not(tokenizer, "漢l", piece).describe() for piece in ("漢", "l")]
    assert [each.rpartition(", ")[2] for each in said] == ["a single character."] * 2


def test_a_rule_that_would_search_a_long_pretoken_is_said_not_to_be_searched() -> None:
    longest = bytes(range(33, 97)) * (LONGEST_TAKEN_APART // 64 + 1)
    frame = timeline_of({longest: 1}, 258).frame
    assert frame.next_pair is not None
    painter = TokenPainter(frame, marks=False)
    rows = merge_panel._other_rules(painter, frame.next_pair, frame.queue.choices, 500)
    said = ["".join(text for text, _ in row.spans).strip() for row in rows]
    assert said[0] == "Not searched, as a pretoken is too long: first-seen (minbpe)."
    assert said[1] == "Other rules would take"


@pytest.mark.parametrize("piece", ["‹200D›b", "a‹200D›", "␛b", "◌́·", "·⇥"])
def test_a_piece_that_is_typed_as_it_is_shown_is_counted_where_it_occurs(piece: str) -> None:
    counts = {"a\u200db".encode(): 3, "\x1bb-\u0301 \t".encode(): 3}
    trainer = Trainer(counts, 256)
    frame = Timeline(counts, trainer.steps(), record=trainer.record, pattern="none").frame
    asked = tokens_typed(frame, piece)
    assert visible_bytes(*asked.tokens) == piece
    fact = f"{piece} occurs 3 times in this corpus."
    lines = [line.describe(visible_bytes) for line in explain(frame, asked.tokens).lines]
    assert fact in lines


WITHOUT_TEXTUAL = (
    "import sys; from bpe_tui.cli import main; "
    "sys.exit(main(sys.argv[1:]) or 'textual' in sys.modules)"
)


def run_without_textual(*arguments: str, stdin: bytes) -> list[str]:
    """Run the program in a process of its own, and return its lines; it imports no Textual."""
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_TEXTUAL, *arguments],
        input=stdin,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=PATIENCE,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.decode().splitlines()


@pytest.mark.slow  # it starts a process
@pytest.mark.parametrize("model", ["wordpiece", "unigram"])
def test_no_model_needs_textual_to_be_stepped_through(model: str) -> None:
    options = ("--plain", "--model", model, "--vocab-size", "60")
    assert len(run_without_textual(HANDOUT, *options, stdin=b"next\nencode low\nquit\n")) > 3


@pytest.mark.slow  # it starts a process
@pytest.mark.parametrize("command", [[], ["open"]])
def test_a_pipe_gets_a_line_for_each_command_and_no_textual_is_loaded(command: list[str]) -> None:
    options = (*command, HANDOUT, "--plain", "--pattern", "whitespace")
    lines = run_without_textual(*options, stdin=b"\nnext\nencode \xff\nquit\nnext\n")
    assert [line.split(":")[0] for line in lines[1:4]] == [
        "Merge 1 of 12",
        "Merge 2 of 12",
        "1 token for 1 byte",
    ]
    assert len(lines) == 5


def test_the_corpus_and_the_commands_cannot_both_be_standard_input() -> None:
    result = run("-", "--plain", stdin=b"low lower")
    assert "give the corpus as a file" in refusal(result)
