"""The messages of the job that opens something: when it posts them, and what the screen shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from opening import SAMPLE

from bpe_tui.session import jobs
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.threads import Cancelled
from engine.core.errors import TokenizerFileError
from engine.core.events import CountProgress, WorkProgress
from engine.recording.training import CountedCorpus

HANDOUT = str(SAMPLE.with_name("handout.txt"))
RUN = RunConfig(HANDOUT, vocab_size=262)
READ = CountProgress(100, 400, 2, 30, 4)


class Idle(jobs.OpeningJob):
    """A job whose messages the test posts."""

    def start(self) -> None:
        """Do nothing."""


def test_a_job_posts_progress_ten_times_a_second_and_steps_thirty_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, news, slept = [100.0], list[Any](), list[float]()
    monkeypatch.setattr(jobs, "monotonic", lambda: now[0])
    monkeypatch.setattr(jobs, "sleep", slept.append)
    monkeypatch.setattr(jobs, "MOST_AT_ONCE", 5)
    monkeypatch.setattr(jobs, "SHOWN_SECONDS", 0.001)
    job = Idle(RUN, news.append)
    for seconds in (0.0, 0.09, 0.1, 0.19, 0.2):
        now[0] = 100 + seconds
        job.on_progress(READ)
    assert [round(each.rate) for each in news] == [100_000_000, 1000, 500]
    assert news[0].progress == READ
    job.on_work(WorkProgress("merging", 3, 4))
    assert (len(news), slept) == (3, [])
    now[0] = 101
    job.on_work(WorkProgress("merging", 3, 4))
    assert news[3:] == [jobs.Working("merging", 3, 4)]
    posted = []
    for step in range(14):
        now[0] += 0.02 if step > 6 else 0
        job.on_step(None)
        posted.append(news[-1].steps if isinstance(news[-1], jobs.StepsRecorded) else 0)
    assert posted == [1, 1, 1, 1, 1, 6, 6, 6, 9, 9, 11, 11, 13, 13]
    assert set(slept) == {jobs.SETTLE_SECONDS}
    assert len(slept) == 5
    job.go_on()
    now[0] += 1
    job.on_step(None)
    assert (news[-1], len(slept)) == (jobs.StepsRecorded(15), 5)
    now[0] += jobs.BATCH_SECONDS
    job.on_step(None)
    assert news[-1] == jobs.StepsRecorded(16)
    job.cancel()
    for report in (job.on_opened, job.on_progress, job.on_work, job.on_step):
        with pytest.raises(Cancelled):
            report(READ)


def test_a_text_is_opened_as_one_if_that_was_given_and_doubted_if_it_may_be_none(
    tmp_path: Path,
) -> None:
    news: list[Any] = []
    config = TokenizerConfig((HANDOUT,))
    with pytest.raises(TokenizerFileError):
        jobs.OpeningJob(config, news.append).work()
    jobs.OpeningJob(replace(config, otherwise=RUN), news.append).work()
    assert [each.otherwise for each in news] == [RUN]
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\0\0\0\1" * 99)
    doubts, begun = [], cast("Any", SimpleNamespace(recording=None, trainer=None))
    for run in (RunConfig(str(tmp_path / "picture.txt")), RUN, RunConfig("-"), config):
        jobs.OpeningJob(run, news.append).on_begun(begun, CountedCorpus())
        doubts.append(len(news[-1].doubts))
    assert doubts == [1, 0, 0, 0]
