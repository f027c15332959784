"""The inputs of the command line: checked before any work starts, and opened; notes on them."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.cli.console import PROGRAM, has_screen, print_problem
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.models import MODELS
from bpe_tui.widgets.language import plural, tr, visible_message
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import check_vocab_size
from engine.bpe.trainers import TRAINERS
from engine.core.errors import BpeError
from engine.encoding.alphabet import UNITS
from engine.text.corpus import Corpus, Reading
from engine.text.corpus_doubts import doubts_about
from engine.text.patterns import as_pattern
from engine.text.pretokenize import check_special_tokens
from engine.text.sources import STANDARD_INPUT, describe_near_file

if TYPE_CHECKING:
    from engine.encoding.tokenizer import Tokenizer


TO_MAKE_ONE = f" (to make one: {PROGRAM} train CORPUS --vocab-size 1000 --out DIR)"


class CommandLineError(BpeError):
    """The arguments of the command line are not valid."""


def check_config(config: Config) -> None:
    """Raise an error if a config cannot be opened, as far as that is known at once."""
    if isinstance(config, RunConfig):
        check_run(config)
        return
    from engine.formats import is_tokenizer, open_tokenizer  # slow, and a corpus needs none

    if config.pattern is not None:
        as_pattern(config.pattern)
    _ = TIE_RULES[config.tie_rule]
    if not is_tokenizer(*config.paths):
        open_tokenizer(*config.paths)  # raises the error
    if config.corpus is not None:
        check_texts(config.corpus, config.reading)
        Corpus(config.corpus, config.reading)
    if config.continued is not None:
        from bpe_tui.session.training import open_continuable

        open_continuable(config)


def check_run(config: RunConfig) -> Corpus:
    """Check all options of a run, and open its corpus.

    All is checked before the work starts: a wrong name must not cost an hour of counting.
    """
    check_special_tokens(config.special_tokens)
    if MODELS[config.model].counts_bytes and UNITS[config.units].spells_all:
        check_vocab_size(config.size, config.special_tokens)
    as_pattern(config.pattern)
    _ = TIE_RULES[config.tie_rule]
    if config.phases:
        from engine.bpe.phases import check_phases

        check_phases(config.all_phases, config.special_tokens)
    if not MODELS[config.model].trainers:
        _ = TRAINERS[config.trainer]
    elif config.vocab_size is not None and config.vocab_size < 1:
        raise CommandLineError(
            f"a vocabulary of {config.vocab_size:,} has no piece; ask for at least 1"
        )
    check_texts(config.corpus, config.reading)
    corpus = config.open_corpus()
    if config.phases and corpus.is_read_once:
        raise CommandLineError(
            f"--phases reads the corpus once a phase, and {corpus.name} is read only once; "
            "save it to a file"
        )
    return corpus


def check_texts(name: str, reading: Reading) -> None:
    """Raise `CommandLineError` if a corpus is plainly no text, but a tokenizer or a session.

    To learn from such a file would be a mistake nearly always. Who wants it pipes it in.
    """
    from bpe_tui.session.opening import TEXT, TOKENIZER, kind_of_file, opens

    if reading.field is not None:
        return  # records, which no tokenizer has
    for each in (name, *reading.more):
        if each == STANDARD_INPUT:
            continue
        _check_is_no_name(each)
        kind = kind_of_file(each)
        if kind == TOKENIZER and not opens(each):
            continue  # such as a list of two words a line
        if kind != TEXT:
            over = ", and with a CORPUS after it over that" if kind == TOKENIZER else ""
            raise CommandLineError(
                f"{each} is no text but a {kind}: {PROGRAM} {each} opens it{over}; "
                f"to read it as a text all the same, pipe it in: {PROGRAM} … - < {each}"
            )


def _check_is_no_name(name: str) -> None:
    """Raise `CommandLineError` if a missing file is nearly the name of an encoding: `GPT2`."""
    if os.path.lexists(name) or "." in name or describe_near_file(name):
        return
    from engine.formats.by_name import describe_near_name

    if hint := describe_near_name(name):
        raise CommandLineError(f"{name}: no such file{hint}")


def check_single(config: Config) -> None:
    """Raise `CommandLineError` if two tokenizers are named: only the screen shows them together."""
    if isinstance(config, TokenizerConfig) and config.beside:
        both = " and ".join((*config.paths, *config.beside))
        raise CommandLineError(
            f"{both} are two tokenizers, and this follows one; `{PROGRAM} compare` prints how two "
            "differ, and `open` without --plain shows them side by side"
        )


def note(message: str) -> None:
    """Print a note on standard error, with its foreign text made visible."""
    print(f"{PROGRAM}: {tr('note: {problem}', problem=visible_message(message))}", file=sys.stderr)


def note_doubts(corpus: str, reading: Reading) -> None:
    """Print what of a corpus may be no text, or not meant."""
    for doubt in doubts_about(corpus, reading):
        note(doubt)


def note_file_named(text: str) -> None:
    """Print how to encode a file, if the text to encode is the name of one."""
    if text != STANDARD_INPUT and os.path.isfile(text):
        note(
            f"this is about the text {text!r}, which is also the name of a file; what is in the "
            f"file: {PROGRAM} encode … < {text}"
        )


def note_skipped(records: int) -> None:
    """Print the number of bad records that were left out, if there are any."""
    if records:
        note(tr("{records} left out", records=plural(records, "bad record")))


def open_named(
    given: Sequence[str],
    merging: bool = False,
    or_longest: bool = False,
    pattern: str | None = None,
    template: bool = False,
    as_is: bool = True,
) -> Tokenizer:
    """Open the tokenizer that the command line names, and print notes about it.

    Args:
        merging: whether it must have merges.
        or_longest: whether the longest match of WordPiece will do, too.
        pattern: replaces the tokenizer's own.
        template: whether the command adds the tokens of its template.
        as_is: whether a tokenizer will do whose publisher's ids may be others.

    Raises:
        CommandLineError: `--tokenizer` is given more than twice, or lacks the merges.
        TokenizerFileError: the files are no tokenizer.
    """
    from engine.formats import open_tokenizer  # slow, and a corpus needs none
    from engine.formats.guesses import note_template

    if not given:
        raise CommandLineError(f"Missing option '--tokenizer'{TO_MAKE_ONE}")
    if len(given) > 2:
        raise CommandLineError("--tokenizer is given once, or twice for vocabulary and merges")
    found = open_tokenizer(*given, pattern=pattern)
    if found.doubt and not as_is:
        print_problem(f"{given[0]}: {found.doubt}; --as-is prints them all the same")
        raise SystemExit(1)
    pipeline = found.tokenizer.pipeline
    of_template = note_template(pipeline.template_tokens if pipeline is not None else ())
    for message in dict.fromkeys(found.notes):
        if not (template and message in of_template):
            note(message)
    if template and not of_template:
        note(f"{given[0]} has no template that adds tokens to a text; --template changes nothing")
    is_walked = or_longest and pipeline is not None and pipeline.takes_longest
    if merging and pipeline is not None and not (pipeline.merges or is_walked):
        raise CommandLineError(
            f"{given[0]} holds a {pipeline.model.name} model, which merges nothing, and "
            "this asks about merges; encode, decode, count, compare and inspect work with it"
        )
    return found.tokenizer


def open_screen(config: Config | None, lesson: Path | None = None) -> int:
    """Run the application until the user leaves it; return its exit code.

    `None` opens the start page, or a lesson.
    """
    if config is not None:
        check_config(config)
    check_terminal()
    gc.disable()  # until the first frame: there is no garbage so far
    try:
        from bpe_tui.app.app import run_app  # slow to import, and only this command needs it

        return run_app(config, lesson) or 0
    finally:
        gc.enable()
        gc.freeze()  # the process ends: no search for garbage any more


def check_terminal() -> None:
    """Raise `CommandLineError` if there is no terminal to draw on."""
    if not has_screen():
        raise CommandLineError(
            "the screen needs a terminal, and the output is none; "
            f"to step without it: {PROGRAM} CORPUS --plain; "
            f"to train: {PROGRAM} train CORPUS --vocab-size N --out DIR"
        )
