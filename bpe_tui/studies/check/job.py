"""The work behind the check screen: a trainer's merges held against the rule, in a thread.

What it has found so far may be read meanwhile: the list of judgements only grows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic, sleep

from textual.message import Message

from bpe_tui.session import messages
from bpe_tui.session.config import Claimed, RunConfig
from bpe_tui.session.jobs import Job
from engine.analysis.check.checking import Judged, check_claim
from engine.analysis.check.claim import Assignment, read_claim
from engine.analysis.check.report import Report
from engine.core.errors import BpeError

NEWS_SECONDS = 1 / 5
SLICE_SECONDS, REST_SECONDS = 0.01, 0.003
"""After each slice the screen has the interpreter for a while."""


class CheckJob(Job):
    """Checks files against the rule of a run.

    Attributes:
        merges: how many there are to check; 0 until the files are read.
        judged: the judgement of each merge so far.
        report: the outcome, once all are judged and a cause was looked for.
        refused: why the files cannot be checked.
    """

    def __init__(
        self,
        config: RunConfig,
        claimed: Claimed,
        counts: Mapping[bytes, int],
        post: Callable[[Message], object],
    ) -> None:
        super().__init__("check", post)
        self._config, self._claimed, self._counts = config, claimed, counts
        self._due = self._rest_due = monotonic()
        self.merges = 0
        self.judged: list[Judged] = []
        self.report: Report | None = None
        self.refused: BpeError | None = None

    def work(self) -> None:
        config = self._config
        try:
            claimed = self._claimed
            claim, _ = read_claim(
                *claimed.paths, special_tokens=config.special_tokens, are_steps=claimed.are_steps
            )
            self.merges = len(claim.steps)
            assignment = Assignment.of_file(
                *(config.open_corpus(), config.special_tokens, config.pattern, config.tie_rule),
                self._claimed.vocab_size,
                self._counts,
            )
            report = check_claim(claim, assignment, self._take)
        except BpeError as error:
            self.refused = error
        else:
            self.report = report
        self.check_cancelled()
        self.post(messages.CheckRan())

    def failed(self, error: Exception) -> Message:
        return messages.JobFailed(error)

    def _take(self, judged: Judged) -> None:
        self.check_cancelled()
        self.judged.append(judged)
        now = monotonic()
        if now >= self._due or len(self.judged) == self.merges:
            self.post(messages.CheckRan())
            self._due = now + NEWS_SECONDS
        if now >= self._rest_due:
            sleep(REST_SECONDS)
            self._rest_due = monotonic() + SLICE_SECONDS
