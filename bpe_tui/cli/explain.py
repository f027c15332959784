"""`explain`, `why`, `tail`: how a text encodes, why a piece is not one token, what may change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from bpe_tui.cli import choices, console, inputs, options
from bpe_tui.cli.console import PROGRAM
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.views.encoded_text import describe_tail, explanation
from bpe_tui.widgets.visible import quoted, visible_bytes
from engine.analysis.why import Explanation
from engine.analysis.why import explain as explain_tokens
from engine.analysis.why_not import occurrences, parts_asked
from engine.encoding.tail import find_tail
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import pretokens, to_bytes, to_text
from engine.text.sources import STANDARD_INPUT

MOST_NAMED = 4
"""Most pretokens that a message lists."""


@app.command(
    cls=GroupedHelp,
    epilog=examples('bpe-tui explain "the cat in the hat" --tokenizer tokenizer'),
)
def explain(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="What to encode; `-` is standard input.", show_default=False
        ),
    ],
    tokenizer: options.TokenizerOption,
    pattern: options.OtherPatternOption = None,
    allow_special: options.AllowSpecialOption = None,
) -> None:
    """Print how each pretoken of a text encodes, merge by merge.

    Each merge is printed with the candidates that lost to it. WordPiece merges nothing: for each of
    its pieces, what was looked up until it was found is printed.
    """
    loaded = inputs.open_named(tokenizer, merging=True, or_longest=True, pattern=pattern)
    policy = choices.policy_of(allow_special, loaded.special_tokens)
    inputs.note_file_named(text, "explain -")
    inputs.ask_for_text(text)
    given = console.input_blocks() if text == STANDARD_INPUT else [os.fsencode(text)]
    read = to_text(b"".join(given))
    inputs.note_stand_ins(read)
    for line in explanation(policy.applied(loaded), read):
        print(line)


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        'bpe-tui why kite --tokenizer tokenizer --text "the kitchen kite"',
        "bpe-tui why un believ --tokenizer tokenizer --text unbelievable",
    ),
)
def why(
    piece: Annotated[
        str,
        typer.Argument(
            metavar="TOKEN",
            help="What you expected to be one token; a|b asks about a pair.",
            show_default=False,
        ),
    ],
    tokenizer: options.TokenizerOption,
    pattern: options.OtherPatternOption = None,
    right: Annotated[
        str | None,
        typer.Argument(
            metavar="[RIGHT]",
            help="Ask about a pair instead: why TOKEN and RIGHT do not merge.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None,
        options.option(
            "--text TEXT",
            "The text that it occurs in; by default it is the whole text.",
            options.TEXT,
        ),
    ] = None,
    allow_special: options.AllowSpecialOption = None,
) -> None:
    """Print why TOKEN is one token in a text, or is not.

    It may be one token in some places and not in others; each place has its answer.
    """
    loaded = inputs.open_named(tokenizer, merging=True, pattern=pattern)
    asked = parts_asked(piece, text) if right is None else (piece, right)
    if right is not None and text is None:
        _check_pair(piece, right, loaded, tokenizer)
    parts = list(map(os.fsencode, asked))
    if not all(parts):
        raise inputs.CommandLineError("a token cannot be empty; say which one you mean")
    context = b"".join(parts) if text is None else os.fsencode(text)
    policy = choices.policy_of(allow_special, loaded.special_tokens)
    inputs.note_stand_ins(f"{piece} {text or ''}")
    found = list(_explanations(policy.applied(loaded), to_text(context), parts))
    if not found:
        shown = quoted(b"".join(parts))
        raise inputs.CommandLineError(f"{shown} does not occur in the text; blanks and case count")
    for place, found_here in found:
        where = f"at byte {place}: " if len(found) > 1 else ""
        print(where + "\n".join(found_here.lines(visible_bytes)))


def _check_pair(left: str, right: str, tokenizer: Tokenizer, names: list[str]) -> None:
    """Raise `CommandLineError` if `left` is a text that holds `right`, and no token.

    Args:
        names: what the command line calls the tokenizer.
    """
    text = to_text(os.fsencode(left))
    cut = list(islice(pretokens(text, tokenizer.pattern, tokenizer.rules.splitter), MOST_NAMED + 1))
    if len(cut) > 1 and to_text(os.fsencode(right)) in text:
        listed = ", ".join(quoted(to_bytes(each.text)) for each in cut[:MOST_NAMED])
        more = ", …" if len(cut) > MOST_NAMED else ""
        from bpe_tui.session.saved_sessions import shell_word

        given = [word for name in names for word in ("--tokenizer", name)]
        command = " ".join(map(shell_word, [PROGRAM, "why", right, "--text", left, *given]))
        raise inputs.CommandLineError(
            f"a token lies in one pretoken, and {left!r} is several: {listed}{more}; "
            f"to ask about {right!r} in this text: {command}"
        )


def _explanations(
    tokenizer: Tokenizer, text: str, parts: list[bytes]
) -> Iterator[tuple[int, Explanation]]:
    """Yield each place where the parts are adjacent, with its explanation."""
    for place in occurrences(text, b"".join(parts)):
        yield place, explain_tokens(tokenizer, parts, text, place)


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        'bpe-tui tail --tokenizer tokenizer --text "the cat sat "',
        "bpe-tui tail --tokenizer tokenizer --text http: --json",
    ),
)
def tail(
    tokenizer: options.TokenizerOption,
    text: Annotated[
        str,
        options.option("--text TEXT", "A text that goes on.", options.TEXT, show_default=True),
    ],
    pattern: options.OtherPatternOption = None,
    allow_special: options.AllowSpecialOption = None,
    as_json: Annotated[
        bool,
        options.option(
            "--json",
            "Print the ids that are stable, those that are not, and all completions.",
            options.OUTPUT,
        ),
    ] = False,
) -> None:
    """Print which tokens at the end of a text may change if it goes on.

    A completion is what they may become: tokens that cover the end, and perhaps more. They are
    those of tiktoken's encode_with_unstable.
    """
    loaded = inputs.open_named(tokenizer, merging=True, pattern=pattern)
    policy = choices.policy_of(allow_special, loaded.special_tokens)
    found = find_tail(policy.applied(loaded), to_text(os.fsencode(text)))
    if as_json:
        changed = {"tokens": found.changed, "bytes": found.changed_bytes}
        completions = [each.ids for each in found.completions]
        ids = {"stable": found.stable, "unstable": found.ids}
        console.print_json({**ids, "changed": changed, "completions": completions})
        return
    for line in describe_tail(found, loaded.vocab):
        print(line)
