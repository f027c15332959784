"""Forks of a run: the window of choices, the job that trains the fork, the comparison.

`WhatIf` asks for a `jobs.ForkPlan`, `WhatIfJob` trains it, `Branches` shows the run and its fork.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import ClassVar, NamedTuple, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session import jobs
from bpe_tui.session.config import RunConfig
from bpe_tui.session.host import Notifier
from bpe_tui.session.threads import Job, Jobs, Post
from bpe_tui.session.training import count_corpus_of
from bpe_tui.shell.panel import TokenPainter, pair_text
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import Lines, RowList
from bpe_tui.widgets.numbers import LONGEST_BAR, bar, number
from bpe_tui.widgets.rows import Row, RowsOnDemand, left, right
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from bpe_tui.widgets.visible import width as width_of
from bpe_tui.widgets.window import Window
from bpe_tui.words.narration import as_sentence
from engine.bpe.frame import Frame, Timeline
from engine.bpe.record import MergeStep
from engine.bpe.ties import TIE_RULES
from engine.bpe.what_if import AlignedMerge, Comparison, ForkChange, compare, fork
from engine.core.errors import BpeError, WhatIfError
from engine.core.events import BytesPair, Pair
from engine.text.excerpt import Excerpt
from engine.text.patterns import PATTERNS, name_of

NEWS_SECONDS = 1 / 10
"""Time between two reports of progress to the window."""
EXAMPLES = 12
"""Most tokens named of those that only one vocabulary has."""


class WhatIfJob(Job):
    """A job that trains the planned fork of a frame's run."""

    def __init__(self, config: RunConfig, frame: Frame, plan: jobs.ForkPlan, post: Post) -> None:
        super().__init__("what-if", post, jobs.WhatIfFailed)
        self._frame, self._plan = frame.at(plan.step), plan
        self._config = in_phase_of(self._frame, config)
        self._was: Sequence[BytesPair] = ()

    def work(self) -> None:
        known, config = self._config, self._plan.config
        self._was = _merges_of(self._frame)
        counts, excerpt = self._corpus(known, config)
        self.check_cancelled()
        trainer = fork(
            self._frame,
            replace(self._plan.change, counts=counts),
            config.size,
            config.min_count,
            config.max_token_length,
        )
        timeline = Timeline(
            trainer.counts, record=trainer.record, pattern=config.pattern, excerpt=excerpt
        )
        timeline.extend(self._watched(trainer.steps()))
        timeline.complete()
        if trainer.stop_reason is None:
            raise BpeError("training ended without a reason")
        difference = compare(self._was, _merges_of(timeline.frame))
        self.check_cancelled()
        self.post(jobs.WhatIfEnded(timeline, trainer.stop_reason, difference))

    def _watched(self, steps: Iterable[MergeStep]) -> Iterator[MergeStep]:
        """Pass on the merges; now and then post their number, and how many are the run's."""
        shared = 0
        for made, step in enumerate(steps):
            self.check_cancelled()
            if shared == made < len(self._was) and (step.left, step.right) == self._was[made]:
                shared += 1
            if self.has_news(NEWS_SECONDS):
                self.post(jobs.WhatIfProgress(made + 1, shared))
            yield step

    def _corpus(self, known: RunConfig, config: RunConfig) -> tuple[Mapping[bytes, int], Excerpt]:
        """Return the counts and the excerpt for a fork of the run of `known`."""
        if config.pattern == known.pattern:
            return self._frame.counts, self._frame.excerpt
        if config.from_input:
            raise WhatIfError("standard input is read only once; save it to a file and open that")
        corpus, count = count_corpus_of(config, self.check_cancelled)
        excerpt = Excerpt.of(
            corpus.head, config.pattern, config.special_tokens, complete=corpus.head_is_all
        )
        return count.counts, excerpt


def _merges_of(frame: Frame) -> list[BytesPair]:
    """Return all recorded merges as pairs of bytes."""
    merges = map(frame.merge_at, range(frame.recorded_steps))
    return [(merge.left, merge.right) for merge in merges]


class DiffRow(NamedTuple):
    """A merge in the diff of two runs; or, without one, how many more are like those above."""

    merge: AlignedMerge | None
    more: str = ""


LIKE_THOSE_ABOVE = 2
"""Merges shown of several in a row that only moved, or that are the same."""


def _is_moved(merge: AlignedMerge) -> bool | None:
    """Return whether a merge has another rank in the fork; None if only one run has it."""
    return None if None in merge else merge.left != merge.right


def diff_rows(aligned: Iterable[AlignedMerge]) -> Iterator[DiffRow]:
    """Yield the merges of one run only, and between them the first ones of both runs."""
    for is_moved, group in groupby(aligned, _is_moved):
        merges = list(group)
        cut = is_moved is not None and len(merges) > LIKE_THOSE_ABOVE + 1
        shown = LIKE_THOSE_ABOVE if cut else len(merges)
        yield from map(DiffRow, merges[:shown])
        if cut:
            what = tr("only moved") if is_moved else tr("are the same")
            yield DiffRow(None, tr("{merges} more {what}", merges=len(merges) - shown, what=what))


PAIR_CELLS = 24


def diff_row(was: Frame, other: Frame, shown: DiffRow) -> Row:
    """Draw a row of the diff: `− 901  ·ne+ar   12`, `903  ·l+oud  12  → 902`."""
    if shown.merge is None:
        return Row([(f"{'':11}{shown.more}", "dim")])
    before, after = shown.merge
    sign, role = (" ", "dim") if None not in shown.merge else ("−", "loss")
    frame, rank = was, before
    if rank is None:
        sign, role, frame, rank = "+", "gain", other, after or 0
    merge = frame.merge_at(rank)
    painter = TokenPainter(frame, marks=False)
    painter.fresh = -1  # no token is just merged here
    pair = painter.pair(merge.pair)
    moved = f"  → {number(after + 1)}" if after is not None and _is_moved(shown.merge) else ""
    return Row(
        [
            (f" {sign}", role),
            right(number(rank + 1), 7, role),
            ("  ", ""),
            *left(pair, PAIR_CELLS),
            right(number(merge.count), 9, role),
            (moved, "dim"),
        ]
    )


def first_merges(count: int) -> str:
    """Return the first merges as a subject: `merges 1 to 20 are`."""
    return tr("merge 1 is") if count == 1 else tr("merges 1 to {count} are", count=count)


class Branches(Window[jobs.WhatIfEnded | None]):
    """A window that trains the fork in the background, then shows both branches.

    Its result is the fork if it is to be kept.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "drop"),
        Binding("enter", "keep", "keep", priority=True),
    ]

    def __init__(self, frame: Frame, config: RunConfig, plan: jobs.ForkPlan) -> None:
        super().__init__()
        self._frame, self._config, self._plan = frame, config, plan
        self._fork: jobs.WhatIfEnded | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="branches", classes="window") as window:
            template = "what if: {title}"
            window.border_title = Content(tr(template, title=shorten(self._plan.title, 60)))
            window.border_subtitle = Content(tr("Esc drops it"))
            yield Static(Content(self._begun()), id="branches-summary")
            yield Static(id="branches-head", classes="keys")
            yield RowList("branch-rows")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        make = partial(WhatIfJob, self._config, self._frame, self._plan)
        self._jobs.start(self, make, self.post_message)

    @property
    def _jobs(self) -> Jobs:
        return cast("Notifier", self.app).jobs

    def on_unmount(self) -> None:
        self._jobs.cancel(self)

    def _tell(self, text: str) -> None:
        self.query_one("#branches-summary", Static).update(Content(text))

    def _begun(self, progress: str = "The fork begins") -> str:
        """Return what is known while the fork is being trained: its change, and the progress."""
        step, meaning = self._plan.step, self._plan.meaning
        lines = [as_sentence(meaning)] if meaning else []
        if step:
            # Another pattern may cut some of their pairs apart.
            occur = tr(", as far as their pairs occur") if self._plan.change == ForkChange() else ""
            template = "First {step} repeated{occur}; later ones are learnt again."
            lines.append(tr(template, step=first_merges(step), occur=occur))
        return "\n".join([*lines, f"{progress} …"])

    def on_what_if_progress(self, news: jobs.WhatIfProgress) -> None:
        known = self._frame.recorded_steps
        differs = tr("merge {shared} is the first that differs", shared=news.shared + 1)
        shared = tr("all the same so far") if news.shared == news.merges else differs
        done = bar(news.merges / max(known, 1), LONGEST_BAR)
        merges = f"{number(news.merges)} of {plural(known, 'merge')}"
        template = "Training: {merges}, {shared}  {done}"
        self._tell(self._begun(tr(template, merges=merges, shared=shared, done=done)))

    def on_what_if_failed(self, news: jobs.WhatIfFailed) -> None:
        if not isinstance(news.error, BpeError):
            raise news.error
        self._tell(visible_text(str(news.error), spaces=False))

    def on_what_if_ended(self, news: jobs.WhatIfEnded) -> None:
        self._fork = news
        other, difference = news.timeline.frame, news.difference
        self._tell(describe_difference(difference, self._frame, other))
        self.query_one("#branches").border_subtitle = Content(tr("↵ keeps the fork │ Esc drops it"))
        self._show_rows(difference, other)

    def _show_rows(self, difference: Comparison, other: Frame) -> None:
        """Show the merges from the first that differs on."""
        first = difference.first
        same = tr("{first} the same", first=first_merges(first)) if first else ""
        self.query_one("#branches-head", Static).update(Content(f"{'':11}{same}"))
        rows = list(diff_rows(difference.aligned))
        self.query_one(RowList).show(
            RowsOnDemand(len(rows), lambda place: diff_row(self._frame, other, rows[place]))
        )

    def action_keep(self) -> None:
        if self._fork is not None:
            self.dismiss(self._fork)


def describe_difference(difference: Comparison, was: Frame, other: Frame) -> str:
    """Return the net effect of a fork, then its first difference, in a few lines."""
    if difference.first is None:
        template = "No difference: all {merges} are the same."
        return tr(template, merges=plural(was.recorded_steps, "merge"))
    ends = (frame.at(frame.recorded_steps).bytes_per_token for frame in (was, other))
    compression = " → ".join(f"{end:.3f}" for end in ends)
    gone, come = difference.only_left, difference.only_right
    changes = [_examples(sign, each) for sign, each in (("−", gone), ("+", come)) if each]
    moved = sum(map(bool, map(_is_moved, difference.aligned)))
    template = "Net: {compression} bytes a token; {tokens} gone, {n} new."
    return "\n".join(
        [
            tr(template, compression=compression, tokens=plural(len(gone), "token"), n=len(come)),
            *changes,
            tr(
                "The first difference is merge {first}; {merges} of both only moved.",
                first=difference.first + 1,
                merges=plural(moved, "merge"),
            ),
        ]
    )


def _examples(sign: str, tokens: list[bytes]) -> str:
    """Return the first tokens, each with a sign: `−·near  −·oud  …`."""
    shown = "  ".join(f"{sign}{shorten(visible_bytes(token), 16)}" for token in tokens[:EXAMPLES])
    return shown + ("  …" if len(tokens) > EXAMPLES else "")


def in_phase_of(frame: Frame, config: RunConfig) -> RunConfig:
    """Return the config of a fork of a run in phases: one phase, with the pattern of the step's."""
    if not config.phases:
        return config
    pattern = frame.run.pattern
    return replace(config, phases="", pattern=name_of(pattern) or pattern.source)


def fork_plans(frame: Frame, config: RunConfig, chosen: Pair | None) -> Iterator[jobs.ForkPlan]:
    """Yield all possible changes at a step; `chosen` is the pair at the panel's cursor."""
    step = frame.step
    config = in_phase_of(frame, config)
    made, following = frame.merge.pair if frame.merge is not None else None, frame.next_pair
    for forbid, pair, at in (
        (tr("forbid merge {step}, made here", step=step), made, step - 1),
        ("forbid the next merge", following, step),
    ):
        if pair is not None:
            name = pair_text(frame, pair)
            change = ForkChange(forbid=frozenset({_bytes_of(frame, pair)}))
            title, otherwise = f"{tr(forbid)}: {name}", tr("{name} forbidden", name=name)
            yield jobs.ForkPlan(title, otherwise, at, config, change, IF_FORBIDDEN)
    if chosen is not None and chosen != following and frame.count_of(chosen):
        yield jobs.ForkPlan(
            tr("merge the pair at the cursor next: {pair}", pair=pair_text(frame, chosen)),
            tr("{pair} first", pair=pair_text(frame, chosen)),
            step,
            config,
            ForkChange(force=_bytes_of(frame, chosen)),
            "it merges here, whatever its count; then counts decide again",
        )
    for name, rule in TIE_RULES.items():
        if name != config.tie_rule:
            template = "tie rule {title}"
            title, changed = tr(template, title=rule.title), replace(config, tie_rule=name)
            change = ForkChange(tie_rule=name)
            yield jobs.ForkPlan(title, title, step, changed, change, rule.in_short)
    for name, pattern in PATTERNS.items():
        if name != config.pattern:
            title, changed = tr("pattern {name}", name=name), replace(config, pattern=name)
            yield jobs.ForkPlan(title, title, step, changed, ForkChange(), pattern.summary)


IF_FORBIDDEN = "the pair may not merge from there on, the next best does"
MEANING_CELLS = 24
"""Least cells of a change's meaning; longer titles before it are cut."""


def _bytes_of(frame: Frame, pair: Pair) -> BytesPair:
    return frame.any_token(pair[0]), frame.any_token(pair[1])


class PlanRows(RowList):
    """The rows of the plans, each cut to the room with a sign."""

    def __init__(self, plans: Sequence[jobs.ForkPlan]) -> None:
        super().__init__("wish-rows", [Row([(plan.title, "")], plan) for plan in plans])
        self._title_cells = max(width_of(plan.title) for plan in plans)

    def row(self, index: int) -> Row:
        row, room = super().row(index), self.scrollable_content_region.width
        assert isinstance(row.target, jobs.ForkPlan)
        title = left(row.spans, min(self._title_cells, max(room - MEANING_CELLS, 1)))
        return Row(left([*title, (f"  {tr(row.target.meaning)}", "dim")], room), row.target)


class WhatIf(Window[jobs.ForkPlan | None]):
    """A window that asks what to change from a step on; its result is the plan, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "close")]

    def __init__(self, frame: Frame, config: RunConfig, chosen: Pair | None) -> None:
        super().__init__()
        self._step = frame.step
        self._plans = list(fork_plans(frame, config, chosen))

    def compose(self) -> ComposeResult:
        with Vertical(id="what-if", classes="window") as window:
            window.border_title = Content(tr("what if, from step {step} on", step=self._step))
            window.border_subtitle = Content(tr("↵ trains the other way │ Esc closes"))
            yield PlanRows(self._plans)
            yield Static(id="wish-meaning")
            hint = tr("Another pair: choose it among the pairs first.")
            yield Static(Content(hint), id="dialog-hint")

    def on_mount(self) -> None:
        self.watch(self.query_one(PlanRows), "cursor", self._show_meaning)

    def _show_meaning(self) -> None:
        """Show the meaning of the plan at the cursor, for which its row may have no room."""
        meaning = as_sentence(self._plans[self.query_one(PlanRows).cursor].meaning)
        self.query_one("#wish-meaning", Static).update(Content(meaning))

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        assert isinstance(event.target, jobs.ForkPlan)
        self.dismiss(event.target)
