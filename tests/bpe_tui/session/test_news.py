"""The messages of the job that opens something: when it posts them, and what the screen shows."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from opening import SAMPLE, IdleJob, recorded_once, until
from textual.widgets import ProgressBar, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session import jobs
from bpe_tui.session.config import RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.state import recent
from bpe_tui.session.threads import Cancelled
from engine.core.errors import BpeError
from engine.core.events import CountProgress, WorkProgress
from engine.formats import open_tokenizer
from engine.recording.training_input import CountedCorpus

HANDOUT = str(SAMPLE.with_name("handout.txt"))
RUN = RunConfig(HANDOUT, vocab_size=262)
READ = CountProgress(100, 400, 2, 30, 4)
BEGUN = cast("Any", SimpleNamespace(recording=None, trainer=None))


def test_a_job_posts_progress_ten_times_a_second_and_steps_thirty_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, news, slept, waited = [100.0], list[Any](), list[float](), list[float]()
    monkeypatch.setattr(jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr("bpe_tui.session.threads.monotonic", lambda: now[0])
    monkeypatch.setattr(jobs, "sleep", slept.append)
    monkeypatch.setattr(jobs, "MOST_AT_ONCE", 5)
    job = IdleJob(RUN, news.append)
    monkeypatch.setattr(job._shown, "wait", waited.append)
    for seconds in (0.0, 0.09, 0.1, 0.19, 0.2):
        now[0] = 100 + seconds
        job.on_progress(READ)
    assert [round(each.rate) for each in news] == [100_000_000, 1000, 500]
    assert news[0].progress == READ
    job.on_work(WorkProgress("merging", 3, 4))
    assert (len(news), slept) == (3, [])
    now[0] = 101
    job.on_work(WorkProgress("merging", 3, 4))
    assert news[3:] == [WorkProgress("merging", 3, 4)]
    job.on_begun(BEGUN, CountedCorpus())
    job.on_work(WorkProgress("merging", 4, 4))  # the screen comes first
    posted = []
    for step in range(14):
        now[0] += 0.02 if step > 6 else 0
        job.on_step(None)
        posted.append(news[-1].steps if isinstance(news[-1], jobs.StepsRecorded) else 0)
    assert posted == [1, 1, 1, 1, 1, 6, 6, 6, 9, 9, 11, 11, 13, 13]
    assert slept == [jobs.SETTLE_SECONDS] * 6
    assert waited == [jobs.SHOWN_SECONDS] * 6
    job.go_on()
    now[0] += 1
    job.on_step(None)
    assert (news[-1], len(slept)) == (jobs.StepsRecorded(15), 6)
    now[0] += jobs.BATCH_SECONDS
    job.on_step(None)
    assert news[-1] == jobs.StepsRecorded(16)
    job.cancel()
    for report in (job.on_opened, job.on_progress, job.on_work, job.on_step):
        with pytest.raises(Cancelled):
            report(READ)


def test_a_text_is_remembered_and_doubted_if_it_may_be_none(tmp_path: Path) -> None:
    news: list[Any] = []
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\0\0\0\1" * 99)
    doubts = []
    for run in (
        RunConfig(str(tmp_path / "picture.txt")),
        RUN,
        RunConfig("-"),
        TokenizerConfig((HANDOUT,)),
    ):
        jobs.OpeningJob(run, news.append).on_begun(BEGUN, CountedCorpus())
        doubts.append(len(news[-1].doubts))
    assert doubts == [1, 0, 0, 0]
    assert recent() == [(HANDOUT,), (str(tmp_path / "picture.txt"),)]


async def test_the_screen_shows_each_message_of_the_job_at_once() -> None:
    app = BpeTuiApp(RUN, IdleJob)
    async with app.run_test(size=(120, 40)) as pilot:
        opened = open_tokenizer(str(SAMPLE.with_name("swapped.json")))
        await until(pilot, lambda: app.screen.query("#reading-what"))
        what, bar = app.screen.query_one("#reading-what", Static), app.screen.query_one(ProgressBar)
        assert str(what.render()) == f"{HANDOUT}: opening …"
        assert str(app.screen.query_one("#heading", Static).content) == "handout.txt"
        shown, bars = [], []
        assert app._is_first
        app._is_first = False
        for news in (
            jobs.TokenizerOpened(replace(opened, notes=("one is left out", "so it is"))),
            jobs.ReadingProgress(READ, 50.0),
            WorkProgress("looking through the pretokens", 1, 1),
            WorkProgress("counting", 1, 4),
            jobs.JobFailed(BpeError("it is gone")),
        ):
            # A failure is shown at once; the others wait until reading has taken a moment.
            app.screen._is_patient = isinstance(news, jobs.JobFailed)  # type: ignore[attr-defined]
            app.take_news(news)
            await pilot.pause()
            shown.append(str(what.render()).removeprefix(f"{HANDOUT}: "))
            bars.append((bar.progress, bar.total))
        assert bars == [(0, None), (100, 400), (1, 1), *[(1, 4)] * 2]
        assert shown == [
            "316 tokens are read; preparing their merges …",
            "100 B of 400 B │ 50 B/s │ 6 s left │ 2 documents │ 30 pretokens, 4 distinct",
            "looking through the pretokens …",
            "counting …",
            "it is gone\n\nPress o to open something else, Esc to leave, q to quit.",
        ]
        assert app.notices.note == "One is left out.\nSo it is."
        no_tokenizer = jobs.NoTokenizer(BpeError("it is \x1b"), RUN)
        app.take_news(no_tokenizer)
        assert app.session.config == no_tokenizer.otherwise
        assert app.notices.note == "Read as a text, since it is no tokenizer: it is ␛"
        app._open_with = recorded_once
        app.open(replace(RUN, viewpoint=Viewpoint(99, "charts", "low")))
        await until(pilot, lambda: app.notices.now)
        assert app.notices.now == "There is no step 99; step 5 is the last."
        assert app.screen.id == "charts"
        assert (app.session.text, app._is_first, app._before) == ("low", False, None)
    assert not BpeTuiApp(None)._is_first
