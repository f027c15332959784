"""The command line that opens the open session again, at its step, screen and text."""

from __future__ import annotations

import os
import shlex
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from bpe_tui.session.config import Config, RunConfig, Viewpoint
from bpe_tui.session.models import trainer_of
from bpe_tui.widgets.visible import visible_text
from engine.learning.file_values import NAMES, NUMBERS, SPECIAL
from engine.text.sources import STANDARD_INPUT

if TYPE_CHECKING:  # the command line needs no textual
    from bpe_tui.session.session import Session

LONGEST_TEXT = 2000
"""Most characters of a text in a command."""


def before_forks(session: Session, viewpoint: Viewpoint) -> tuple[Config, Viewpoint]:
    """Return the config of the session before any fork, and the viewpoint at the first fork."""
    origin = session.forked_from
    if origin is None:
        return session.config, viewpoint
    while origin.forked_from is not None:
        origin = origin.forked_from
    return origin.config, viewpoint._replace(step=origin.step)


def _options_of(config: Config) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    names = {*NUMBERS, *NAMES, SPECIAL}
    if isinstance(config, RunConfig) and config.phases:
        names -= {"pattern", "vocab_size"}  # the phases have them
    return {
        each.name: getattr(config, each.name)
        for each in fields(config)
        if each.name in names and getattr(config, each.name) != each.default
    }


def command_that_opens(config: Config, viewpoint: Viewpoint) -> str:
    """Return the command line that opens `config` at `viewpoint`, from any folder.

    >>> command_that_opens(RunConfig("/my text.txt", 300), Viewpoint(7, "encoding", "a b"))
    "bpe-tui open '/my text.txt' --vocab-size 300 --step 7 --view encoding --text 'a b'"
    """
    words = ["bpe-tui", "open"]
    if not isinstance(config, RunConfig):
        for path in (*config.paths, *config.beside):
            is_file = os.path.exists(path)  # else it is the name of an encoding
            words += ["--tokenizer", os.path.abspath(path) if is_file else path]
    if config.corpus is not None:
        for name in (config.corpus, *config.reading.more):
            words.append(name if name == STANDARD_INPUT else os.path.abspath(name))
    if config.reading.field is not None:
        words += ["--field", config.reading.field]
    if config.reading.skip_bad:
        words.append("--skip-bad")
    if config.reading.max_bytes is not None:
        words += ["--max-bytes", str(config.reading.max_bytes)]
    for name, value in _as_typed(config).items():
        if name != SPECIAL:
            option = "continue" if name == "continued" else name.replace("_", "-")
            words += [f"--{option}", str(value)]
        elif not value:
            words += ["--special", "none"]
        else:
            words += [word for token in value for word in ("--special", token)]
    if viewpoint.step is not None:
        words += ["--step", str(viewpoint.step)]
    if viewpoint.view is not None:
        place = f":{viewpoint.at}" if viewpoint.at else ""
        words += ["--view", f"{viewpoint.view}{place}"]
    if viewpoint.text and not why_not_in_command(viewpoint.text):
        words += ["--text", viewpoint.text]
    if viewpoint.hide_next:
        words.append("--hide-next")
    return " ".join(map(shell_word, words))


def _as_typed(config: Config) -> dict[str, Any]:
    """Return the options as the command line takes them: n-grams in units, words in a length."""
    typed = _options_of(config)
    ngram, words = typed.pop("ngram", None), typed.pop("most_words", None)
    trainer = trainer_of(config) if isinstance(config, RunConfig) else None
    if isinstance(config, RunConfig) and config.is_toy:
        typed["min_count"] = config.min_count
    if ngram is not None and trainer is not None and trainer.units:
        typed["units"] = f"{typed['units']}:{ngram}"
    if words is not None:
        length = typed.get("max_token_length")
        typed["max_token_length"] = f"{'' if length is None else f'{length},'}{words}words"
    return typed


def why_not_in_command(text: str) -> str | None:
    """Return why a text cannot be part of a command; `None` if it can."""
    if "\0" in text:
        return "a NUL, which no command can hold"
    if len(text) > LONGEST_TEXT:
        return f"more than {LONGEST_TEXT:,} characters"
    return None


def shell_word(word: str) -> str:
    r"""Quote a word for a shell; only visible characters are left.

    Other characters are written as the octal digits of their bytes.

    >>> print(shell_word("a b"), shell_word("a\nb"))
    'a b' $'a\012b'
    """
    if all(visible_text(char, spaces=False) == char for char in word):
        return shlex.quote(word)
    quoted = ""
    for char in word:
        if char in "\\'":
            quoted += f"\\{char}"
        elif visible_text(char, spaces=False) == char:
            quoted += char
        else:
            quoted += "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
    return f"$'{quoted}'"
