"""The model table: all kinds of tokenizers, compared on the corpus, and on a text that they cut.

A job trains one tokenizer of each kind on the beginning of the corpus and measures it. No training
takes longer than `SECONDS`, so that the table is soon complete. A figure is shown once it is final.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input

from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import FAMILY
from bpe_tui.session.models import MODELS, with_trainer
from bpe_tui.session.session import Session
from bpe_tui.session.threads import Job, Post
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.shell.targets import ToKind
from bpe_tui.studies.model_table_panels import (
    TRAINED,
    TRAINS,
    FamilyDetails,
    FamilyStrips,
    FamilyTable,
    KindEntry,
    describe_sizes,
)
from bpe_tui.styles import sheet
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.language import plural, tr, tr_message
from bpe_tui.widgets.numbers import size
from bpe_tui.words.narration import Facts, fitting_facts, name_of
from engine.analysis.model_table import Untrained, hold_out, row_of, stretches_of, try_training
from engine.analysis.tokenizer_kinds import KINDS, ComparableTokenizer
from engine.text.pretokenize import to_text

SECONDS = 10.0
"""Time limit for the training of one kind."""


class FamilyJob(Job):
    """A job that trains every kind on the beginning of `corpus` and measures it on the end.

    It posts the number of bytes that all kinds learn from, then the new entries of the table.
    """

    def __init__(
        self, corpus: str, vocab_size: int, special_tokens: Sequence[str], post: Post
    ) -> None:
        super().__init__("family", post)
        self._corpus = corpus
        self._vocab_size = vocab_size
        self._special_tokens = special_tokens
        self._due = 0.0
        self._stopped = False

    def work(self) -> None:
        """Train each kind, then those again that have grown larger than the least: sizes agree."""
        corpus = self._corpus.encode("utf-8", "surrogateescape")
        learnt, rest = hold_out(corpus, self._special_tokens)
        unseen = stretches_of(to_text(rest), self._special_tokens)
        self.check_cancelled()
        self.post(len(learnt))
        grown: list[ComparableTokenizer] = []
        for name, kind in KINDS.items():
            found = self._train(name, learnt, self._vocab_size)
            if found is None:
                continue
            if kind.model is None or self._stopped:
                self._post_measured(found, unseen)
            else:
                self.post(KindEntry(name, TRAINED))
                grown.append(found)
        least = min((each.vocab_size for each in grown), default=0)
        for each in grown:
            self._stopped = False
            smaller = self._train(each.name, learnt, least) if each.vocab_size > least else None
            # Some kinds begin with more tokens than others end with.
            self._post_measured(smaller or each, unseen)

    def _post_measured(self, found: ComparableTokenizer, unseen: Sequence[str]) -> None:
        row = row_of(found, unseen)
        self.post(KindEntry(found.name, tokenizer=found, row=row, stopped=self._stopped))

    def _train(self, name: str, learnt: bytes, size: int) -> ComparableTokenizer | None:
        """Train a kind up to a size; `None` if it cannot be trained."""
        self.post(KindEntry(name, TRAINS))
        self._due, self._stopped = monotonic() + SECONDS, False
        found = try_training(name, learnt, size, self._special_tokens, self._go_on)
        self.check_cancelled()
        if isinstance(found, Untrained):
            self.post(KindEntry(name, tr_message(found.reason)))
            return None
        return found

    def _go_on(self) -> bool:
        """Whether to go on with a training; end the job if it was cancelled."""
        self.check_cancelled()
        self._stopped = monotonic() >= self._due
        return not self._stopped


OPEN_HERE = "this {model} is open: ↵ leads to its training"
LONGEST = 2_000
"""Characters of the text that are cut."""


class FamilyScreen(SessionScreen):
    """The text as three models cut it, a table of all kinds, and the explanation of its row."""

    NAME = FAMILY
    SHOWS_STEP = False
    CSS_PATH = sheet("family.tcss")
    PANEL_ORDER = ("family-table", "family-details", "family-text")
    FIRST_ROW = list(KINDS).index("bpe")
    FOLLOWS_FIRST = True
    TYPED = "family-text"
    _vocab_size: int

    @property
    def key_labels(self) -> Mapping[str, str]:
        save = tr("save {model}", model=self.session.model.title)  # of several in the table
        return {**super().key_labels, "screen.save": save}

    def __init__(self) -> None:
        super().__init__()
        self._about: Session | None = None
        self._entries: list[KindEntry] = []
        self._learnt: int | None = None
        self._special_tokens: tuple[str, ...] = ()

    def compose_body(self) -> ComposeResult:
        with Vertical(id="family-text") as text:
            text.border_title = Content(f"e {tr('one text, cut by each')}")
            yield TextLine(id="family-text-input")
            yield FamilyStrips()
        yield FamilyTable()
        yield FamilyDetails()

    # -- what is open

    def show_session(self, session: Session) -> None:
        if not self.is_current or session.shown is None:
            return
        super().show_session(session)
        line = self.query_one(TextLine)
        if line.whole != session.text:
            line.show_text(session.text)
        if session is not self._about:
            self._open(session)
        self._say_what_is_open()

    def _open(self, session: Session) -> None:
        """Start to train all kinds on the corpus of a session."""
        self.notifier.jobs.cancel(self)
        self._about, self._learnt = session, None
        if isinstance(session.config, RunConfig):
            self._vocab_size = session.config.size
            self._special_tokens = session.config.special_tokens
        elif session.opened is not None:
            self._vocab_size = len(session.opened.tokenizer.vocab)
            self._special_tokens = session.opened.tokenizer.special_tokens
        assert session.shown is not None
        corpus = session.shown.excerpt.lines.text
        if corpus:
            self._entries = [KindEntry(name) for name in KINDS]
            train_all = partial(FamilyJob, corpus, self._vocab_size, self._special_tokens)
            self.notifier.jobs.start(self, train_all, self._take)
        else:
            self._entries = []
            self.query_one(FamilyDetails).clear()
        self._show_rows()
        if self._entries:
            self.show_panel("family-table")
            self.query_one(FamilyTable).put_cursor(self.FIRST_ROW, 0)

    def _say_what_is_open(self) -> None:
        facts: Facts = [(0, name_of(self.session.config))]
        if self._learnt is not None:
            facts += [
                (2, describe_sizes(self._entries, self._vocab_size)),
                (1, tr("all learn from the first {size}", size=size(self._learnt))),
                (3, tr("measured on what follows")),
            ]
        self.say("#heading", fitting_facts(facts, self.heading_room))

    def _take(self, news: int | KindEntry) -> None:
        """Show news from the job."""
        if isinstance(news, int):
            self._learnt = news
        else:
            self._entries[list(KINDS).index(news.name)] = news
            self._show_rows()
        self._say_what_is_open()

    # -- what is shown

    def _show_rows(self) -> None:
        measured = next((e.row.unseen for e in self._entries if e.row is not None), None)
        about = ""
        if measured is not None:
            words = plural(measured.words, "word")
            about = tr("on {words}, the last {size}", words=words, size=size(measured.bytes))
        self.query_one(FamilyTable).show(self._entries, about)
        self._show_text()

    def _show_text(self) -> None:
        """Show the text as each kind cuts it."""
        text = self.session.text[:LONGEST]
        self.query_one(FamilyStrips).show(self._entries, text, self._special_tokens)
        self._show_details()

    def _show_details(self) -> None:
        rows = self.query_one(FamilyTable)
        if rows.cursor < len(self._entries):
            entry = self._entries[rows.cursor]
            config, way_in = self._training_of(entry.name), ""  # what Enter does for the kind
            if config is not None and config == self.session.config:
                way_in = tr(OPEN_HERE, model=MODELS[config.model].title)
            elif config is not None:
                template = "↵ trains this {title} on the corpus, step by step"
                way_in = tr(template, title=MODELS[config.model].title)
            self.query_one(FamilyDetails).show(entry, self.session.text[:LONGEST], way_in)

    def _training_of(self, name: str) -> RunConfig | None:
        """Return the config of a training to watch; `None` without a corpus or steps to watch."""
        kind, config = KINDS[name], self.session.config
        if kind.model is None or not isinstance(config, RunConfig):
            return None
        other = replace(with_trainer(config, kind.model), phases="")  # a kind has one phase
        return replace(other, units=kind.units, pattern=kind.pattern)

    def on_family_table_pointed(self) -> None:
        self._show_details()

    def on_input_changed(self) -> None:
        if self.is_current and self.session.shown is not None:
            self.session.type(self.query_one(TextLine).text)
            self._show_text()

    def enter(self, field: Input) -> None:
        self.show_panel("family-table")

    # -- commands

    def follow(self, target: object) -> None:
        """Follow a row of the table to its explanation, and from there to the training."""
        if not isinstance(target, ToKind):
            self.query_one(FamilyDetails).point_at_way_in()
            self.show_panel("family-details")
            return
        config = self._training_of(target.name)
        if config == self.session.config:
            self.host.action_show("training")
        elif config is not None:
            self.host.retrain(config)
