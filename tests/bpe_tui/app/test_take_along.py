"""Another run is opened from an open one: by a key, and with what is taken along."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from generated import first_quick
from opening import IdleJob, opened_as, step, until
from program import HANDOUT
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.cli.declared import COMMANDS, read_plain
from bpe_tui.cli.open import opened_config
from bpe_tui.session.config import Claimed, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.declarations import EVERYWHERE
from bpe_tui.session.models import completed
from bpe_tui.session.opening_command import command_that_opens, shell_word
from bpe_tui.session.session import Session
from engine.text.corpus import Reading


def parsed(command: str) -> RunConfig | TokenizerConfig:
    """Return the config of a command line, as the program reads it."""
    words = shlex.split(command)
    assert words[:2] == ["bpe-tui", "open"]
    given = read_plain(COMMANDS["open"].parameters, words[2:])
    assert given is not None
    return opened_config(given)


@pytest.mark.parametrize(
    "config",
    [
        RunConfig(HANDOUT),
        RunConfig(HANDOUT, 300, (), "whitespace", "first-seen", "naive", 3),
        RunConfig(HANDOUT, max_token_length=16, most_words=4),
        RunConfig(HANDOUT, reading=Reading(field="text", skip_bad=True, max_bytes=1 << 30)),
        completed(RunConfig(HANDOUT, 9, model="unigram", trainer="textbook", ngram=3)),
        RunConfig(HANDOUT, 900, ("<s>", "a b"), model="wordpiece", max_token_length=5),
        RunConfig(HANDOUT, phases="gpt2:300,none:320", most_words=2),
        TokenizerConfig(("gpt2",), HANDOUT, ("<s>",), "cl100k", 7, "smallest-ids", 3),
    ],
)
def test_the_command_opens_the_same_config_and_viewpoint(
    config: RunConfig | TokenizerConfig,
) -> None:
    viewpoint = Viewpoint(41, "encoding", 'it\'s  "so" $HOME --step `x` 漢', at="ids:3")
    command = command_that_opens(config, viewpoint)
    assert parsed(command) == replace(config, viewpoint=viewpoint)


def test_the_command_works_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tok.json").write_text("{}")
    reading = Reading(more=("-more.txt", "-", "texts/*.txt"))
    command = command_that_opens(RunConfig("a.txt", reading=reading), Viewpoint())
    names = (f"{tmp_path}/a.txt", f"{tmp_path}/-more.txt", "-")
    assert shlex.split(command)[2:] == [*names, f"{tmp_path}/texts/*.txt"]
    both = ["--tokenizer", f"{tmp_path}/tok.json", "--tokenizer", "gpt2"]
    for config in (
        TokenizerConfig(("tok.json", "gpt2")),
        TokenizerConfig(("tok.json",), beside=("gpt2",)),
    ):
        assert shlex.split(command_that_opens(config, Viewpoint()))[2:] == both


def test_a_quoted_word_can_be_typed_as_shown() -> None:
    for word in ("", "a b", "it's", "a\nb\t\x1b[31m", "\u202eabc", "-x", "\x00"[:0], "é\\n'"):
        quoted = shell_word(word)
        assert quoted.isprintable()
        from subprocess import run as run_shell

        said = run_shell(["bash", "-c", f"printf %s {quoted}"], capture_output=True, check=True)
        assert said.stdout.decode() == word


async def test_y_shows_the_command_and_copies_it() -> None:
    config = RunConfig(HANDOUT, pattern="whitespace")
    async with opened_as(config) as (app, pilot):
        app.seek(5)
        app.screen.query_one("#encode-input", Input).value = "lowest new"
        await pilot.pause()
        await pilot.press("y")
        window = app.screen.query_one("#take-along").region
        assert (window.x + window.right - app.size.width) in (-1, 0, 1)  # amid the screen below
        assert window.y > 0
        shown = str(app.screen.query_one("#take-along-command", Static).render())
        assert shown == command_that_opens(config, Viewpoint(5, "training", "lowest new"))
        assert app.clipboard == shown
        await pilot.press("escape", "3", "y")
        assert "--view vocabulary" in str(
            app.screen.query_one("#take-along-command", Static).render()
        )


async def test_a_viewpoint_opens_the_step_the_screen_and_the_text() -> None:
    config = RunConfig(
        HANDOUT, pattern="whitespace", viewpoint=Viewpoint(7, "encoding", "lowest\nnew")
    )
    async with opened_as(config) as (app, _):
        assert step(app) == 7
        assert app.screen.id == "encoding"
        assert app.session.text == "lowest\nnew"
    gone = RunConfig(HANDOUT, viewpoint=Viewpoint(99999, "race"), model="wordpiece")
    async with opened_as(gone) as (app, _):
        assert app.session.at_end
        assert "There is no step 99,999" in app.notices.now
        assert app.screen.id == "wordpiece-training"
        assert "The race is between BPE's trainers" in app.notices.everything[0]


@pytest.mark.parametrize("view", first_quick(reversed(EVERYWHERE)))
@pytest.mark.parametrize("keys", first_quick([(("down", "down"),), ((),), (("tab", "down"),)]))
async def test_the_command_reopens_the_screen_with_its_text_and_row(
    view: str, keys: tuple[str, ...]
) -> None:
    config = RunConfig(HANDOUT, 290, pattern="whitespace")

    def look(app: BpeTuiApp) -> tuple[object, ...]:
        screen: Any = app.screen
        panel = screen.PANEL_ORDER[0] if screen.FOLLOWS_FIRST else screen.panels.focused()
        rows = screen.panels.rows_of(panel) if panel else None
        return screen.id, step(app), screen.typed, panel, getattr(rows, "cursor", None)

    async with opened_as(config) as (app, pilot):
        app.seek(5)
        app.session.type("lowest")
        app.action_show(view)
        await until(pilot, lambda: app.screen.id == view)
        await pilot.press(*keys)
        await pilot.press(*["escape"] * app.screen.is_typing)  # in a field `y` is a letter
        seen = look(app)
        command = command_that_opens(config, app.viewpoint)
    assert seen[:3] == (view, 5, "lowest")
    async with opened_as(parsed(command)) as (app, pilot):
        await until(pilot, lambda: look(app) == seen)
        assert "There is no step" not in app.notices.everything


RUN = RunConfig(HANDOUT, vocab_size=300, pattern="whitespace")
STREAM = replace(RUN, corpus="-")
OTHER = RunConfig(str(Path(HANDOUT).with_name("ship.txt")))


def idle(app: BpeTuiApp) -> Session:
    """Let what is opened next stay without steps; return the session."""
    app._open_with = IdleJob
    return app.session


async def test_another_corpus_takes_the_text_along_and_ends_the_way_back() -> None:
    async with opened_as(RUN) as (app, pilot):
        assert app._job is not None
        assert app._job._shown.is_set()  # steps are made once the corpus is painted
        before = idle(app)
        app.action_end(True)
        before.typed = "low"
        app.tell("A note.", stays=True)
        assert app.navigation.trail
        app.action_show("charts")
        await pilot.pause()
        assert app.screen.id == "charts"
        app.open(OTHER)
        await pilot.pause()
        assert app.screen.id == "training"
        assert (app.session.config, app.session.typed) == (OTHER, "low")
        assert (app.notices.note, [*app.navigation.trail]) == ("", [])
        job = app._job
        assert job is not None
        assert (job.config, app._collector._forgets) == (OTHER, True)
        app.open(RUN)  # nothing is shown of the one in between
        assert job.is_cancelled
        app.reopen_previous()
        assert (app.session is before, app._job.is_cancelled) == (True, True)
        await pilot.pause()
        assert app.screen.id == "training"


async def test_a_training_that_another_corpus_ends_is_named() -> None:
    async with opened_as(RUN) as (app, _):
        session, ended = idle(app), app.session.stop_reason
        was = "was in training: that ended at step 12."
        back = "Esc leads back while this is read; later o opens it again."
        for open_now, stop_reason, config, told in (
            (RUN, None, OTHER, f"handout.txt {was} {back}"),
            (RUN, None, replace(RUN, vocab_size=400), ""),
            (RUN, ended, OTHER, ""),
            (STREAM, None, OTHER, f"- {was} Standard input cannot be read again."),
        ):
            session.config, session.stop_reason = open_now, stop_reason
            assert app._ended_by(config) == told
        app.open(OTHER)
        assert app.notices.now == told


async def test_escape_shows_the_session_before_or_reads_it_again() -> None:
    async with opened_as(RUN) as (app, _):
        before = idle(app)
        before.stop_reason = None  # its training has been cancelled
        app.open(OTHER)
        app.reopen_previous()
        assert app.session is not before
        assert app.session.config == replace(RUN, viewpoint=Viewpoint(step=0))
        before.config = STREAM  # which cannot be read again
        app.reopen_previous()
        assert app.session is before


async def test_files_of_a_trainer_are_checked_on_the_open_corpus() -> None:
    async with opened_as(RUN) as (app, pilot):
        session, claimed = idle(app), Claimed(("v.json", "m.txt"))
        app._chose(None)
        app._chose(replace(RUN, claimed=claimed, viewpoint=Viewpoint(3)))
        await pilot.pause()
        assert app.session is session
        assert (session.claimed, app.screen.id) == (claimed, "check")
        for config in (replace(RUN, claimed=claimed, vocab_size=9), RUN, TokenizerConfig(("a",))):
            app._change_to(session)
            app._chose(config)
            assert app.session.config == config
        app._change_to(session)
        app.retrain(replace(RUN, claimed=claimed, viewpoint=Viewpoint(3), model="unigram"))
        assert app.session.config == replace(RUN, model="unigram")
