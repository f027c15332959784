"""The text of a scene in a known encoding, beside its tokens in the lesson's run."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from bpe_tui.widgets.language import tr, tr_sentence
from bpe_tui.widgets.visible import visible_bytes
from engine.core.errors import TokenizerFileError
from engine.core.wording import amount, fill
from engine.encoding.tokenizer import Tokenizer
from engine.formats.by_name import kept_files
from engine.learning.lesson import BESIDE, Paragraph, Scene

IN_ANOTHER = "In {name} it is {n}: {tokens}."
NOT_HERE = "{name}'s tokens: {command} fetches them by tiktoken."


def with_tokens_beside(scene: Scene) -> Scene:
    """Return the scene with one more paragraph: its text's tokens in the encoding that it names.

    Nothing is fetched: if tiktoken has not kept the ranks, the paragraph says how to get them.
    """
    show = scene.show
    if show is None or show.beside is None:
        return scene
    tokenizer = _opened(*kept_files(show.beside))
    ids = [] if tokenizer is None else tokenizer.encode(show.text or "")
    tokens = "┊".join(visible_bytes(tokenizer.vocab[each]) for each in ids) if tokenizer else ""
    template = IN_ANOTHER if tokenizer else NOT_HERE
    values = {
        "name": [(BESIDE[show.beside], "")],
        "n": [(str(tr_sentence(amount(len(ids), "token"))), "")],
        "tokens": [(tokens.replace("┊·", " ·"), "code")],
        "command": [(f"bpe-tui inspect {show.beside}", "code")],
    }
    added = Paragraph(tuple(fill(tr(template), values, lambda text: (text, ""))))
    return replace(
        scene,
        paragraphs=(*scene.paragraphs, added),
        markdown=f"{scene.markdown}\n\n{added.text}",
        show=replace(show, beside=None),  # a scene gets its paragraph once
    )


@cache
def _opened(*paths: Path) -> Tokenizer | None:
    """Open the kept files of an encoding; `None` if there are none, or they are damaged."""
    from engine.formats import open_tokenizer  # slow to import

    try:
        return open_tokenizer(*paths).tokenizer if paths else None
    except TokenizerFileError:
        return None
