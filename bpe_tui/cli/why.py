"""`bpe-tui why`: why a piece of a text is one token, or is not."""

from __future__ import annotations

import os
from itertools import islice

from bpe_tui.cli import choices, inputs, options
from bpe_tui.cli.console import PROGRAM
from bpe_tui.cli.declared import command, examples
from bpe_tui.widgets.language import tr, tr_sentence
from bpe_tui.widgets.visible import quoted, visible_bytes
from engine.analysis.explanation import explain
from engine.analysis.why_not import Beaten, always_inside, occurrences, parts_asked
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import pretokens, to_bytes, to_text

MOST_NAMED = 4
"""Most pretokens that a message lists."""


@command(
    epilog=examples(
        'bpe-tui why kite --tokenizer tokenizer --text "the kitchen kite"',
        "bpe-tui why un believ --tokenizer tokenizer --text unbelievable",
    ),
)
def why(
    piece: str = options.argument(
        "TOKEN", "What you expected to be one token; a|b asks about a pair."
    ),
    tokenizer: list[str] = options.TOKENIZER,
    pattern: str | None = options.OTHER_PATTERN,
    right: str | None = options.argument(
        "[RIGHT]", "Ask about a pair instead: why TOKEN and RIGHT do not merge.", default=None
    ),
    text: str | None = options.option(
        "--text TEXT", "The text that it occurs in; by default it is the whole text.", options.TEXT
    ),
    allow_special: list[str] | None = options.ALLOW_SPECIAL,
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
    places = list(occurrences(to_text(context), b"".join(parts)))
    if not places:
        shown = quoted(b"".join(parts))
        raise inputs.CommandLineError(f"{shown} does not occur in the text; blanks and case count")
    takers: dict[bytes, None] = {}
    is_always_inside = True
    for place in places:
        found = explain(policy.applied(loaded), parts, to_text(context), place)
        where = tr("at byte {place}: ", place=str(place)) if len(places) > 1 else ""
        print(where + "\n".join(tr_sentence(line).describe(visible_bytes) for line in found.lines))
        if isinstance(found.answer, Beaten) and found.answer.was_whole:
            takers[found.answer.merge.left + found.answer.merge.right] = None
        else:
            is_always_inside = False
    if is_always_inside:
        rules = loaded.rules
        token_id = rules.ids.get(parts[0], rules.ending_ids.get(parts[0]))
        why_still = always_inside(list(takers), is_unit=token_id not in rules.makers)
        print(tr_sentence(why_still).describe(visible_bytes))


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
        from bpe_tui.session.opening_command import shell_word

        given = [word for name in names for word in ("--tokenizer", name)]
        command = " ".join(map(shell_word, [PROGRAM, "why", right, "--text", left, *given]))
        raise inputs.CommandLineError(
            f"a token lies in one pretoken, and {left!r} is several: {listed}{more}; "
            f"to ask about {right!r} in this text: {command}"
        )
