"""Session files and commands from the open session, and the configs that they open."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_tui.session.config import Config, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.declarations import LESSON, VIEWS
from bpe_tui.session.models import trainer_of
from bpe_tui.widgets.visible import visible_text
from engine.analysis.breakpoints import parse
from engine.core.errors import BpeError, SessionFileError
from engine.learning import session_file
from engine.text.corpus import PLAIN
from engine.text.remote import is_address, without_credentials
from engine.text.sources import STANDARD_INPUT

if TYPE_CHECKING:  # the command line needs no textual
    from bpe_tui.session.session import Session


def session_on_corpus(sessions: Sequence[str], run: RunConfig) -> Config:
    """Return the config of a session on the corpus that is named beside it.

    Raises:
        SessionFileError: there are other sessions, no corpus or several, or it is no plain file.
    """
    path, reading = Path(sessions[0]), run.reading
    corpora = [name for name in (run.corpus, *reading.more) if name not in sessions]
    if len(sessions) > 1:
        raise SessionFileError(f"{sessions[1]}: is a session, too; one is opened at a time")
    if reading.field is not None or reading.skip_bad:
        raise SessionFileError(f"{path}: is a session, and --field is for texts in records")
    if reading.max_bytes is not None:
        raise SessionFileError(f"{path}: is a session, and --max-bytes is for packed texts")
    if len(corpora) != 1:
        raise SessionFileError(
            f"{path}: is a session, which has one corpus, and {len(corpora)} are given"
        )
    [corpus] = corpora
    if corpus == STANDARD_INPUT or is_address(corpus) or not os.path.isfile(corpus):
        raise SessionFileError(f"{path}: is a session, which opens on a file; {corpus} is none")
    saved = session_file.read_session(path)
    own = saved.corpus or session_file.SavedFile.of(corpus)
    return config_of_session(replace(saved, corpus=replace(own, path=corpus)), path)


def config_of_session(saved: session_file.SavedSession, path: Path) -> Config:
    """Return the config of a session that was saved at `path`.

    Raises:
        SessionFileError: the file names an unknown view or breakpoint, or a missing file.
    """
    try:
        return _config_of(saved)
    except BpeError as error:
        raise SessionFileError(f"{path}: {error}") from error


def _config_of(saved: session_file.SavedSession) -> Config:
    viewpoint = Viewpoint(
        saved.step,
        None if saved.view is None else VIEWS[LESSON if saved.view == "lesson" else saved.view],
        saved.text,
        saved.breakpoints,
        saved.corpus,
        saved.note,
    )
    options = dict(saved.options)
    corpus = None if saved.corpus is None else saved.corpus.path
    if corpus is not None and is_address(corpus):
        raise SessionFileError(
            "its corpus is an address, and nothing is fetched for a session file"
        )
    if corpus is not None and not os.path.isfile(corpus):
        raise SessionFileError(f"its corpus is not there any more, or no file: {corpus}")
    config: Config
    if saved.tokenizer:
        if missing := next((name for name in saved.tokenizer if not os.path.exists(name)), None):
            raise SessionFileError(
                f"its tokenizer {missing} is not there, and nothing is fetched for a session file"
            )
        known = session_file.SPECIAL, "pattern", "continued", "tie_rule", "min_count"
        options = {name: options[name] for name in known if name in options}
        config = TokenizerConfig(saved.tokenizer, corpus, viewpoint=viewpoint, **options)
    else:
        assert corpus is not None  # a session file names a corpus or a tokenizer
        config = RunConfig(corpus, viewpoint=viewpoint, **options)
    for line in saved.breakpoints:
        parse(line)
    return config


def saved_session(session: Session, viewpoint: Viewpoint) -> session_file.SavedSession:
    """Return the contents of a session file. The corpus is read for its digest.

    Raises:
        SessionFileError: the corpus or the tokenizer is no file.
        CorpusError: the corpus cannot be read any more.
    """
    config, viewpoint = before_forks(session, viewpoint)
    names = () if isinstance(config, RunConfig) else config.paths
    if config.from_input:
        raise SessionFileError("the corpus came from standard input; save it as a file, open that")
    if config.reading != PLAIN or (config.corpus is not None and is_address(config.corpus)):
        raise SessionFileError(
            "a session is of one plain file, and the corpus is more than that: take the command "
            "that opens it (y)"
        )
    if missing := next((name for name in names if not os.path.exists(name)), None):
        raise SessionFileError(
            f"a session is of files, and {missing} is a name: save the tokenizer (s) and open that,"
            " or take the command that opens it (y)"
        )
    return session_file.SavedSession(
        None if config.corpus is None else session_file.SavedFile.of(config.corpus),
        names,
        tuple(_options_of(config).items()),
        viewpoint.step or 0,
        viewpoint.view,
        viewpoint.text,
        tuple(str(watched.breakpoint) for watched in session.breakpoints.watched),
        viewpoint.note,
    )


def before_forks(session: Session, viewpoint: Viewpoint) -> tuple[Config, Viewpoint]:
    """Return the config of the session before any fork, and the viewpoint at the first fork."""
    origin = session.forked_from
    if origin is None:
        return session.config, viewpoint
    while origin.forked_from is not None:
        origin = origin.forked_from
    return origin.config, replace(viewpoint, step=origin.step)


def _options_of(config: Config) -> dict[str, Any]:
    """Return the options that differ from their defaults."""
    names = {*session_file.NUMBERS, *session_file.NAMES, session_file.SPECIAL}
    if isinstance(config, RunConfig) and config.phases:
        names -= {"pattern", "vocab_size"}  # the phases have them
    return {
        each.name: getattr(config, each.name)
        for each in fields(config)
        if each.name in names and getattr(config, each.name) != each.default
    }


# -- the command that opens the same

LONGEST_TEXT = 2000
"""Most characters of a text in a command."""


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
            is_path = name != STANDARD_INPUT and not is_address(name)
            words.append(os.path.abspath(name) if is_path else without_credentials(name))
    if config.reading.field is not None:
        words += ["--field", config.reading.field]
    if config.reading.skip_bad:
        words.append("--skip-bad")
    if config.reading.max_bytes is not None:
        words += ["--max-bytes", str(config.reading.max_bytes)]
    for name, value in _as_typed(config).items():
        if name != session_file.SPECIAL:
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
            data = char.encode("utf-8", "surrogateescape")
            quoted += "".join(f"\\{byte:03o}" for byte in data)
    return f"$'{quoted}'"
