"""The steps of a WordPiece training as Markdown, for people to read elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.gpt2_bytes import spell
from engine.recording.report import (
    affected_table,
    changes_table,
    code_span,
    counted,
    describe_pair,
    describe_pairs,
    document,
    table,
)
from engine.text.pretokenize import to_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.trainer import WordPieceStep

NOTE = (
    "score(a, b) = count(ab) / (count(a) · count(b)). Pieces are as they are written: `##` "
    "continues a word. One that cannot be printed is in GPT-2's spelling."
)


def markdown(frame: WordPieceFrame, first: int, last: int) -> Iterator[str]:
    """Steps `first` … `last` (from 1) of the frame's run as a document, a part for each step."""
    return document("WordPiece", NOTE, frame, first, last, step_markdown)


def step_markdown(frame: WordPieceFrame) -> str:
    """The merge that led to a frame: its score worked out, ties and rule, changes, words.

    >>> from engine.wordpiece.frame import WordPieceTimeline
    >>> from engine.wordpiece.trainer import WordPieceTrainer
    >>> trainer = WordPieceTrainer({b"hug": 10, b"pun": 12, b"hugs": 5}, 16)
    >>> timeline = WordPieceTimeline(trainer.record, trainer.steps())
    >>> print("\\n".join(step_markdown(timeline.seek(1)).splitlines()[:3]))
    ## Merge 1: `##g` + `##s` → `##gs`
    <BLANKLINE>
    - score 5 / (15 · 5) = 0.0667
    """
    merge = frame.merge
    if merge is None:
        return f"## Step 0\n\n{frame.token_count:,} pieces of one character each.\n"
    left, right, piece = map(code, (merge.left, merge.right, merge.token))
    pieces = [
        (code(frame.any_token(part.piece_id)), f"{part.before:,}", f"{part.after:,}")
        for part in merge.piece_changes
    ]
    parts = [
        f"## Merge {frame.step:,}: {left} + {right} → {piece}",
        "\n".join(f"- {fact}" for fact in _facts(frame, merge)),
        table(("piece", "count before", "after"), pieces, len(pieces)),
        changes_table(frame, merge, code),
        affected_table(frame, merge, code, "word"),
    ]
    return "\n\n".join(parts) + "\n"


def _facts(frame: WordPieceFrame, merge: WordPieceStep) -> Iterator[str]:
    yield f"score {merge.score} = {float(merge.score.value):.3g}"
    yield f"id {merge.new_id}, in {counted(merge.pretokens, 'word')}"
    if merge.occurrences < merge.count:
        yield f"it overlapped itself: {merge.occurrences:,} of {merge.count:,} apart"
    rivals = merge.tied[1:]
    if rivals:
        yield f"the same score had {describe_pairs(frame, rivals, code)}"
        yield f"tie rule {frame.tie_rule.name}: {frame.tie_rule.summary}"
    else:
        yield "no other pair had so high a score"
    yield _by_count(frame, merge)
    pieces = counted(frame.token_count, "piece")
    yield f"the corpus now has {pieces}, {frame.pieces_per_word:.2f} in a word"


def _by_count(frame: WordPieceFrame, merge: WordPieceStep) -> str:
    """What byte-pair encoding would have merged."""
    frequent = frame.at(frame.step - 1).most_frequent
    assert frequent is not None, "a pair merged, so there was one"
    if frequent.pair == merge.pair:
        return "by count alone the same pair would have merged"
    score = frequent.score
    pair = describe_pair(frame, frequent.pair, code)
    return f"by count alone it would have been {pair}: {score} = {float(score.value):.3g}"


def code(piece: bytes) -> str:
    """A piece as a Markdown code span, spelled by its bytes if it cannot be printed.

    >>> code("##ß".encode()), code(b"##\\x07")
    ('`##ß`', '`##ć`')
    """
    text = to_text(piece)
    return code_span(text if text.isprintable() else spell(piece))
