"""`--picky`: what a step removed, in sentences, on the screens, and forward and back."""

from __future__ import annotations

import pytest
from opening import opened_as, until
from program import BAD_INPUT, HANDOUT, run
from screen_text import shown

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.walks import EncodeStepsPanel
from bpe_tui.session.config import RunConfig, Viewpoint

WENT = "est is gone: the merge took 6 of its 9 occurrences (IoS 0.67, above 0.60); the other 3 fell"


def transcript(*commands: str) -> list[str]:
    typed = "\n".join(commands).encode()
    result = run("open", HANDOUT, "--picky", "0.6", "--plain", stdin=typed)
    assert result.returncode == 0
    return result.stdout.decode().splitlines()


def test_a_step_says_what_went_and_why_forward_and_back() -> None:
    lines = transcript("play 5", "back", "go 5", "why", "removals 1", "ahead")
    assert sum(WENT in line for line in lines) == 4  # played, gone to, asked for, listed
    assert "5 merges, 3 removals, 259 tokens." in lines
    lines = transcript("go 5", "pairs 9", "go 4", "encode widest", "go 5", "encode widest")
    assert any("s and t, 3 times" in line for line in lines)  # they fell apart again
    assert [line for line in lines if "for 6 bytes" in line] == [
        "4 tokens for 6 bytes: w, i, d, est.",
        "6 tokens for 6 bytes: w, i, d, e, s, t.",
    ]


def test_what_needs_ranks_of_merges_says_why_not() -> None:
    lines = transcript("go 5", "explain est", "why est", "linked", "save nowhere")
    assert "  est goes (merge 5)" in lines
    assert any("make of est: e s t, e st, est, e s t." in line for line in lines)
    assert any(line.startswith("Tokens are removed here") for line in lines)
    assert any("no format can hold this tokenizer" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--picky", "0.2"], b"the threshold is the part of a token's occurrences"),
        (["--picky", "0.9", "--trainer", "heap"], b"--picky trains in its own way"),
        (["--picky", "0.9", "--parity", HANDOUT], b"--picky and --parity are two ways to train"),
        (
            ["--picky", "0.9", "--phases", "gpt2:300,none:400"],
            b"--picky and --phases are two ways to train",
        ),
        (["--picky", "0.9", "--model", "wordpiece"], b"--picky is for the model bpe"),
        (["--picky", "0.9", "--units", "end-of-word"], b"units of bytes or characters only"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(arguments: list[str], said: bytes) -> None:
    result = run("open", HANDOUT, *arguments, "--plain")
    assert result.returncode == BAD_INPUT
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


async def test_the_screens_show_the_tokens_that_are_there() -> None:
    config = RunConfig(HANDOUT, picky=0.6, viewpoint=Viewpoint(text="est"))
    async with opened_as(config) as (app, pilot):
        app.seek(5)
        await pilot.press("1")
        await until(pilot, lambda: "est is gone: the merge took 6" in words(app))
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: "w and est become west. Gone: est (IoS 0.67)." in words(app))
        await pilot.resize_terminal(120, 40)
        await pilot.press("3")
        await until(pilot, lambda: "259 of 259 tokens" in words(app))
        await pilot.press("2")
        await until(pilot, lambda: "event 3 of 3" in words(app))
        assert "est goes" in " ".join(shown(app.screen.query_one(EncodeStepsPanel)).split())


def words(app: BpeTuiApp) -> str:
    """Return the screen's text in one line, without the panels' borders."""
    lines = (strip.text for strip in app.screen._compositor.render_strips())
    return " ".join(" ".join(lines).replace("│", " ").split())
