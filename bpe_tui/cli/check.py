"""`bpe-tui check`: the merges of a trainer beside those of the rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bpe_tui.cli import choices, console, inputs, options
from bpe_tui.cli.declared import Given, command, examples
from bpe_tui.cli.progress import ProgressLine
from bpe_tui.session.config import Claimed
from bpe_tui.session.training import count_corpus_of
from bpe_tui.widgets.language import current_table
from bpe_tui.widgets.visible import quoted
from engine.analysis.check.checking import check_claim
from engine.analysis.check.claim import Assignment, read_claim
from engine.analysis.check.report import as_dict
from engine.text.sources import STANDARD_INPUT

INPUT = "What to check"


@command(
    epilog=examples(
        "bpe-tui check vocab.json merges.txt --corpus corpus.txt --vocab-size 1000",
        "bpe-tui check --jsonl steps.jsonl --corpus corpus.txt --open",
    ),
)
def check(
    context: Given,
    corpus: list[str] = options.names_file(
        "--corpus CORPUS",
        "The text that it was trained on, as train takes it; repeat it for several.",
        INPUT,
        default=...,
    ),
    files: list[Path] | None = options.names_file(
        "[VOCAB MERGES]", "The trainer's files, or one path that holds both.", default=None
    ),
    jsonl: Path | None = options.option(
        "--jsonl STEPS.jsonl",
        "Check steps instead: a line of JSON a merge, with left and right.",
        INPUT,
    ),
    vocab_size: int | None = options.option(
        "--vocab-size N",
        "The size asked for; any number of merges will do if not given.",
        options.TRAINING,
    ),
    special: list[str] | None = options.SPECIAL,
    pattern: str = options.PATTERN,
    tie_rule: str = options.TIE_RULE,
    field: str | None = options.FIELD,
    skip_bad: bool = options.SKIP_BAD,
    max_bytes: int | None = options.MAX_BYTES,
    json: bool = options.option("--json", "Print the outcome as JSON.", options.OUTPUT),
    open_app: bool = options.option(
        "--open",
        "Show it on the screen: the merges beside the rule's, and the cause.",
        options.OUTPUT,
    ),
) -> None:
    """Check whether merges follow the rule; if not, print where and why.

    Exits with 0 if they are, with 1 if they differ.
    """
    if STANDARD_INPUT in corpus:
        raise inputs.CommandLineError("a check reads its corpus more than once; give a file")
    claimed = _claimed(files or [], jsonl, vocab_size)
    reading = choices.reading_of(context, corpus[1:])
    config = choices.run_of(context, corpus[0], min_count=1, reading=reading)
    claim, notes = read_claim(
        *claimed.paths, special_tokens=config.special_tokens, are_steps=claimed.are_steps
    )
    for message in notes:
        inputs.note(message)
    size = vocab_size or 256 + len(config.special_tokens) + len(claim.steps)
    config = replace(config, vocab_size=size)
    inputs.check_run(config)
    with ProgressLine() as line:
        text, count = count_corpus_of(config, line.on_progress)
        assignment = Assignment.of_file(
            text, config.special_tokens, config.pattern, config.tie_rule, vocab_size, count.counts
        )
        report = check_claim(claim, assignment, on_work=line.on_work)
    inputs.note_skipped(text.reader.skipped)
    if json:
        console.print_json(as_dict(report), indent=2)
    else:
        print(*report.describe(quoted, current_table()), sep="\n")
    if open_app and (code := inputs.open_screen(replace(config, claimed=claimed))):
        raise SystemExit(code)
    raise SystemExit(0 if report.agrees else console.DIFFERS)


def _claimed(files: list[Path], jsonl: Path | None, vocab_size: int | None) -> Claimed:
    """Return the files to check."""
    if bool(files) == (jsonl is not None) or len(files) > 2:
        raise inputs.CommandLineError(
            "check takes VOCAB and MERGES, or one path that holds both, or --jsonl STEPS.jsonl"
        )
    paths = files if jsonl is None else [jsonl]
    return Claimed(tuple(map(str, paths)), jsonl is not None, vocab_size)
