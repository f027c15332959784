"""Chats: messages that the template of a model's folder makes one text of, as transformers does.

    [{"role": "user", "content": "the cat sat"}]    →    <|im_start|>user⏎the cat sat<|im_end|>⏎

The template is in `chat_template.jinja`, or in `tokenizer_config.json` under `chat_template`. The
part of a message is what its rendering adds to that of the messages before it: its header, its
content, and what ends it. Some templates put a system's message into the one of the user, or
refuse messages that do not alternate. Then such a message has no part of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from engine.core.errors import ChatError, TokenizerFileError
from engine.core.sandbox import render
from engine.encoding.lanes import TokenPlace, tokens_in
from engine.encoding.tokenizer import Tokenizer
from engine.formats.folder_settings import CONFIG, read_folder_settings
from engine.formats.source import read_bytes, read_json
from engine.text.pretokenize import to_bytes, to_text

FILE = "chat_template.jinja"
LARGEST = 1 << 22
"""Size of the largest file of messages, and of the largest template, in bytes."""
MOST_MESSAGES = 2000
PARTS_SOUGHT = 200
"""Most messages whose parts are sought, each by a rendering of its own."""
_REASONING = ("reasoning_content", "thinking", "reasoning")
"""Names of what a model thought; templates know it by the first or the second."""

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Messages:
    """The messages of a chat, checked.

    Attributes:
        messages: each with its role.
        tools: descriptions of functions; `None` if there are none.
    """

    messages: Sequence[Message]
    tools: Sequence[Any] | None = None

    @classmethod
    def from_json(cls, content: Any) -> Messages:
        """Check a list of messages, or an object that has it under `messages`.

        Raises:
            ChatError: it is none.
        """
        tools = content.get("tools") if isinstance(content, dict) else None
        found = content.get("messages") if isinstance(content, dict) else content
        if not isinstance(found, list) or not found or (tools and not isinstance(tools, list)):
            raise ChatError(
                'a chat is a list of messages, such as [{"role": "user", "content": "hello"}], or '
                'an object with such a list under "messages"'
            )
        if len(found) > MOST_MESSAGES:
            raise ChatError(f"a chat of {len(found):,} messages has more than {MOST_MESSAGES:,}")
        for number, each in enumerate(found, 1):
            if not isinstance(each, dict) or not isinstance(each.get("role"), str):
                raise ChatError(f'message {number} has no "role" that is a text')
        return cls([_plain(each) for each in found], tools or None)

    @classmethod
    def read(cls, path: Path) -> Messages:
        """Read a file of messages.

        Raises:
            ChatError: it is no chat, or too large.
            TokenizerFileError: it cannot be read, or is no JSON.
        """
        if path.is_file() and path.stat().st_size > LARGEST:
            raise ChatError(f"{path}: is larger than {LARGEST >> 20} MB, which no chat is")
        try:
            return cls.from_json(read_json(path))
        except ChatError as error:
            raise ChatError(f"{path}: {error}") from None

    @property
    def wants_answer(self) -> bool:
        """Whether the assistant is to speak next, so that its header ends the text."""
        return str(self.messages[-1]["role"]) != "assistant"


def _plain(message: dict[str, Any]) -> Message:
    """Return a message as templates get it: without nulls, with what was thought in two names."""
    found = {key: value for key, value in message.items() if value is not None}
    thought = next((found[key] for key in _REASONING if key in found), None)
    if thought is None:
        return found
    return {"thinking": thought, **found, "reasoning_content": thought}


@dataclass(frozen=True)
class ChatTemplate:
    """The template of a folder.

    Attributes:
        source: its text.
        tokens: role, such as `bos_token` → special token.
    """

    source: str
    tokens: Mapping[str, str]

    def chat(self, tokenizer: Tokenizer, given: Messages) -> Chat:
        """Return the chat that a model would get.

        Raises:
            ChatError: the template refuses the messages, or takes too much time or room.
        """
        variables: dict[str, Any] = {**self.tokens, "tools": given.tools, "documents": None}

        def until(count: int, asks: bool) -> dict[str, Any]:
            return {**variables, "messages": given.messages[:count], "add_generation_prompt": asks}

        count = min(len(given.messages), PARTS_SOUGHT)
        whole = until(len(given.messages), given.wants_answer)
        found = render(self.source, whole, [until(n + 1, False) for n in range(count)])
        roles = [message["role"] for message in given.messages]
        return Chat(tokenizer, found.text, _parts(roles, found.text, found.ends))


class Part(NamedTuple):
    """A message in the text of a chat: the characters from `start` to `end`, perhaps none."""

    role: str
    start: int
    end: int


def _parts(roles: Sequence[str], text: str, known: Sequence[int | None]) -> tuple[Part, ...]:
    """Return the parts of the messages, and of the assistant's header at the end.

    >>> [tuple(part) for part in _parts(["system", "user"], "S: a U: b A:", [5, 10])]
    [('system', 0, 5), ('user', 5, 10), ('assistant', 10, 12)]
    """
    ends: list[int] = []
    for place in range(len(roles)):
        before = ends[-1] if ends else 0
        found = known[place] if place < len(known) else None
        ends.append(before if found is None else max(before, found))
    if ends[-1] == (ends[-2] if len(ends) > 1 else 0):  # the last rendering is the whole chat's
        ends[-1] = len(text)
    parts = [
        Part(role, start, end) for role, start, end in zip(roles, [0, *ends], ends, strict=False)
    ]
    rest = [Part("assistant", ends[-1], len(text))] if ends[-1] < len(text) else []
    return (*parts, *rest)


@dataclass(frozen=True)
class Chat:
    """A chat as a model gets it.

    Attributes:
        tokenizer: encodes the text, in which each special token is one id.
        text: what the template makes of the messages.
        parts: the part of each message in it.
    """

    tokenizer: Tokenizer
    text: str
    parts: tuple[Part, ...]

    @cached_property
    def ids(self) -> list[int]:
        return self.tokenizer.encode(self.text)

    @cached_property
    def tokens(self) -> list[list[TokenPlace]]:
        """The tokens of each part; a token belongs to the part in which it starts."""
        ends = [len(to_bytes(self.text[: part.end])) for part in self.parts]
        found: list[list[TokenPlace]] = [[] for _ in self.parts]
        number = 0
        for token in tokens_in(self.tokenizer.rules, self.text):
            while number < len(ends) - 1 and token.start >= ends[number]:
                number += 1
            found[number].append(token)
        return found

    def pieces(self, place: int) -> list[tuple[str, bool]]:
        """Return the text of a part, cut at its special tokens, and whether each piece is one."""
        part, special = self.parts[place], self.tokenizer.special_ids
        data, at = to_bytes(self.text), len(to_bytes(self.text[: part.start]))
        found: list[tuple[str, bool]] = []
        for token in self.tokens[place]:
            if token.token_id in special:
                if at < token.start:
                    found.append((to_text(data[at : token.start]), False))
                found.append((to_text(data[token.start : token.end]), True))
                at = token.end
        rest = to_text(data[at : len(to_bytes(self.text[: part.end]))])
        return [*found, (rest, False)] if rest else found


def spelled_special(tokenizer: Tokenizer, given: Messages) -> list[tuple[int, str]]:
    """Return the numbers of messages that spell a special token, each with the first of these.

    A model cannot tell such a token from the template's own.
    """
    special = [t for t in tokenizer.special_tokens if t and t not in tokenizer.added_tokens]
    found = []
    for number, message in enumerate(given.messages, 1):
        content = str(message.get("content", ""))
        named = next((token for token in special if token in content), None)
        found += [] if named is None else [(number, named)]
    return found


def chat_template_of(path: Path) -> ChatTemplate:
    """Return the chat template of a folder, or of the folder of a file.

    Raises:
        ChatError: there is none.
        TokenizerFileError: a file is damaged.
    """
    from engine.formats.class_pipelines import with_defaults_of
    from engine.formats.tokenizer_classes import CLASSES

    folder = path if os.path.isdir(path) else path.parent
    settings = read_folder_settings(folder)
    given = None if settings is None else settings.config.value.get("chat_template")
    if isinstance(given, list):
        named = {each.get("name"): each.get("template") for each in given if type(each) is dict}
        given = named.get("default")
    if (folder / FILE).is_file():
        given = to_text(read_bytes(folder / FILE))
    if not isinstance(given, str):
        raise ChatError(
            f"{folder}: has no chat template, neither in {FILE} nor in {CONFIG}; the folder of an "
            "instruction-tuned model has one"
        )
    if len(given) > LARGEST:
        raise TokenizerFileError(f"{folder}: its chat template is larger than any in use")
    tokens: dict[str, str | None] = {}
    if settings is not None:
        tokens |= with_defaults_of(CLASSES.get(settings.class_name), settings).roles
    return ChatTemplate(given, {role: token for role, token in tokens.items() if token})
