"""Opening something else: what becomes of the session before, and the way back to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from opening import IdleJob, opened_as
from program import HANDOUT

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import Claimed, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.session import Session

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
