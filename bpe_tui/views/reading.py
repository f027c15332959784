"""How far is the reading, and which pairs show already?"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import ProgressBar, Static

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.messages import Reading
from bpe_tui.session.session import Session
from bpe_tui.widgets.numbers import number, rate, size
from bpe_tui.widgets.visible import visible_bytes, visible_text


class ReadingPanel(Vertical):
    """Shown until the first frame is there."""

    def __init__(self) -> None:
        super().__init__(id="reading")
        self.border_title = Content("reading")
        self.border_subtitle = Content("Esc cancels")

    def compose(self) -> ComposeResult:
        yield Static(id="reading-what")
        yield ProgressBar(id="reading-bar", show_eta=False)
        yield Static(id="reading-pairs")

    def show(self, session: Session) -> None:
        name = visible_text(_what(session.config), spaces=False)
        self.border_subtitle = Content("Esc cancels" if session.failure is None else "o opens")
        what, bar = self.query_one("#reading-what", Static), self.query_one(ProgressBar)
        bar.display = session.failure is None
        if session.failure is not None:
            self.query_one("#reading-pairs", Static).update("")
            failure = visible_text(session.failure, spaces=False)
            what.update(
                Content(f"{failure}\n\nPress o to open something else, Esc to leave, q to quit.")
            )
        elif (working := session.working) is not None:
            bar.update(total=working.total, progress=working.done)
            self.query_one("#reading-pairs", Static).update("")
            what.update(Content(f"{name}: {working.doing} …"))
        elif session.indexing is not None:
            distinct = number(session.indexing.distinct)
            what.update(Content(f"{name}: looking through {distinct} distinct pretokens …"))
        elif (reading := session.reading) is not None:
            progress = reading.progress
            bar.update(total=progress.bytes_total, progress=progress.bytes_read)
            what.update(Content(f"{name}: {_how_far(reading)}"))
            self.query_one("#reading-pairs", Static).update(Content(_pairs(reading)))
        elif session.opened is not None:
            tokens = number(len(session.opened.tokenizer.vocab))
            what.update(Content(f"{name}: {tokens} tokens are read; preparing their merges …"))
        else:
            what.update(Content(f"{name}: opening …"))


def _what(config: Config) -> str:
    """What is being opened, as it was named."""
    return config.corpus if isinstance(config, RunConfig) else " and ".join(config.paths)


def _how_far(reading: Reading) -> str:
    progress = reading.progress
    of = f" of {size(progress.bytes_total)}" if progress.bytes_total else ""
    return (
        f"{size(progress.bytes_read)}{of} · {rate(reading.rate)} · "
        f"{number(progress.documents)} documents · {number(progress.pretokens)} pretokens, "
        f"{number(progress.distinct)} distinct"
    )


def _pairs(reading: Reading) -> str:
    if not reading.pairs:
        return ""
    lines = ["Most frequent pairs so far", ""]
    for left, right, count in reading.pairs:
        pair = f"{visible_bytes(left)} │ {visible_bytes(right)}"
        lines.append(f"{pair:<16}{number(count):>12}")
    return "\n".join(lines)
