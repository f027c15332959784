"""The window of a chat: a text as the chat template of the tokenizer's folder gives it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.threads import Jobs
from bpe_tui.widgets.language import tr, visible_message
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import paragraph
from bpe_tui.widgets.window import Window
from bpe_tui.words.chat_rows import chat_rows
from engine.core.errors import BpeError
from engine.encoding.tokenizer import Tokenizer
from engine.formats.chats import Chat, Messages, chat_template_of

KEYS = "↵ the text of the chat on 2 │ Esc closes"


def messages_in(text: str) -> Messages:
    """Return the messages of a text: JSON of a chat; any other text is what a user says."""
    if text.lstrip().startswith(("[", "{")):
        try:
            return Messages.from_json(json.loads(text))
        except (ValueError, RecursionError):
            pass  # no JSON, so a text that begins with a bracket
    return Messages([{"role": "user", "content": text}])


class ChatWindow(Window[str | None]):
    """The parts of a chat with their tokens; Enter returns its text.

    Args:
        tokenizer: encodes the chat.
        path: its folder, or a file in it.
        text: what the user says, or messages as JSON.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "close"),
        Binding("enter", "take", "its text", priority=True),
    ]

    def __init__(self, tokenizer: Tokenizer, path: Path, text: str, jobs: Jobs) -> None:
        super().__init__()
        self._tokenizer, self._path, self._text, self._jobs = tokenizer, path, text, jobs
        self._found: Chat | BpeError | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="chat", classes="window") as window:
            window.border_title = Content(tr("chat"))
            yield RowList("chat-rows")
            yield Static(tr(KEYS), classes="keys")

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        # Another process renders, which may take seconds.
        self._jobs.find(self, "chat", self._find, self._show)

    def _find(self) -> Chat | BpeError:
        try:
            return chat_template_of(self._path).chat(self._tokenizer, messages_in(self._text))
        except BpeError as error:
            return error

    def _show(self, found: Chat | BpeError) -> None:
        self._found = found
        self.on_resize()

    def on_resize(self) -> None:
        """Wrap the rows, beside a scroll bar."""
        width = self.query_one(RowList).size.width - 1
        match self._found:
            case Chat():
                self.query_one(RowList).show(list(chat_rows(self._found, width)))
            case BpeError():
                self.query_one(RowList).show(paragraph(visible_message(self._found), width))

    def action_take(self) -> None:
        """Return the text of the chat; close nothing while there is none."""
        if isinstance(self._found, Chat):
            self.dismiss(self._found.text)
