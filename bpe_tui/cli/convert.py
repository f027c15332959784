"""`bpe-tui convert` and `bpe-tui inspect`: a tokenizer in another format; its kind."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from bpe_tui.cli import inputs, options, outputs
from bpe_tui.cli.declared import command, examples
from bpe_tui.widgets.language import listed, plural, tr
from bpe_tui.widgets.visible import visible_text
from engine import formats
from engine.core.json_fields import gc_paused


@command(epilog=examples("bpe-tui convert tokenizer --to gpt2 --out copy"))
def convert(
    tokenizer: list[str] = options.TOKENIZER_FILES,
    to: str = options.option(
        "--to FORMAT",
        f"The format to write: {', '.join(formats.CONVERTIBLE)}.",
        options.OUTPUT,
        default=...,
        autocompletion=options.completed_by(formats.CONVERTIBLE),
    ),
    out: Path = options.TOKENIZER_OUT,
    force: bool = options.FORCE,
) -> None:
    """Write a tokenizer in another format.

    Losses in the format are printed. The written tokenizer is read again, and has to give 2,000
    texts the ids of the original; so has the library that the format is of, where it is installed.
    """
    format = formats.writable_name(to)  # an error before anything is read
    opened = formats.open_tokenizer(*tokenizer)
    outputs.check_free(out, force=force)
    conversion = formats.convert(opened.tokenizer, format, out, overwrite=force)
    for message in (*opened.notes, *conversion.losses):
        inputs.note(message)
    tokens = plural(len(opened.tokenizer.vocab), "token")
    shown = tr(
        IN_LIBRARIES if conversion.libraries else READ_AGAIN,
        tokens=tokens,
        out=visible_text(str(out), spaces=False),
        to=to,
        texts=plural(conversion.texts, "text"),
        libraries=listed(conversion.libraries),
    )
    print(shown)


READ_AGAIN = "{tokens} in {out} ({to}); {texts} have the same ids when it is read again"
IN_LIBRARIES = (
    "{tokens} in {out} ({to}); {texts} have the same ids when it is read again, and in {libraries}"
)
WIDEST = 100


@command(epilog=examples("bpe-tui inspect tokenizer"))
def inspect(tokenizer: list[str] = options.TOKENIZER_FILES) -> None:
    """Print what kind of tokenizer this is."""
    with gc_paused():  # until the tokenizer is freed
        _inspect(tokenizer)


def _inspect(tokenizer: Sequence[str]) -> None:
    from bpe_tui.bpe.inspection_rows import SECTIONS  # brings numpy, which is slow to import
    from engine.analysis.inspection import Inspection

    inspection = Inspection.of_opened(formats.open_tokenizer(*tokenizer)).prepare()
    print(visible_text(" ".join(tokenizer), spaces=False))
    width = min(shutil.get_terminal_size().columns, WIDEST) - 2
    for section in SECTIONS:
        print(f"\n{tr(section.title)}")
        for row in section.rows(inspection, width):
            print("  " + "".join(text for text, _ in row.spans).rstrip())
