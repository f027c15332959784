"""The chat of `bpe-tui encode --chat`: messages as the model of a folder gets them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from bpe_tui.cli import console, inputs
from bpe_tui.words.chat_rows import chat_rows, describe_sum
from engine.core.gpt2_bytes import spell
from engine.formats.chats import Chat, Messages, chat_template_of, spelled_special

WIDEST = 120
MOST_NOTED = 5
"""Most messages with special tokens that are named."""


def print_chat(
    names: Sequence[str], path: Path, budget: int | None, *, as_is: bool, as_json: bool
) -> None:
    """Print the messages of a file in the template of a tokenizer's folder, with their tokens.

    The exit code is 2 if there are more tokens than the budget has.

    Raises:
        ChatError: the file is no chat, there is no template, or it refuses the messages.
    """
    given = Messages.read(path)
    tokenizer = inputs.open_named(names, as_is=as_is)
    chat = chat_template_of(Path(names[0])).chat(tokenizer, given)
    for place, token in spelled_special(tokenizer, given)[:MOST_NOTED]:
        inputs.note(
            f"message {place} spells the special token {token!r}, which the model cannot tell from "
            "the template's"
        )
    if as_json:
        console.print_json(_facts(chat))
    else:
        cells = min(shutil.get_terminal_size().columns, WIDEST)
        for row in chat_rows(chat, cells, budget):
            console.print_line(row.spans)
    if budget is not None and len(chat.ids) > budget:
        sys.stdout.flush()
        print(f"{console.PROGRAM}: {describe_sum(len(chat.ids), budget)}", file=sys.stderr)
        raise SystemExit(console.BAD_INPUT)


def _facts(chat: Chat) -> dict[str, object]:
    vocab = chat.tokenizer.vocab
    return {
        "text": chat.text,
        "ids": chat.ids,
        "tokens": [spell(vocab[token_id]) for token_id in chat.ids],
        "messages": [
            {"role": part.role, "tokens": len(tokens)}
            for part, tokens in zip(chat.parts, chat.tokens, strict=True)
        ],
    }
