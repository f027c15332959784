"""Sentences about how a text encodes: its merges, or the pieces looked up for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, repeat

from bpe_tui.widgets.language import listed, plural, tr, tr_message
from bpe_tui.widgets.rows import CHIPS_MEET, TOKEN_HUES, Span
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.analysis.why_not import cut_by
from engine.core.characters import whole_characters
from engine.core.events import Pair
from engine.encoding.rules import EncodingRules, HasRules, TracedMerge, TracedPretoken, trace
from engine.text.patterns import STAGED
from engine.wordpiece.tokenizer import EncodedWord, Outcome, Probe

FIRST_SHOWN = 8
"""Number of look-ups without success that are listed for a piece, from the longest."""

LONGEST_EXPLAINED = 1 << 10
"""Most bytes of a pretoken whose merges are listed: lines grow with the square of its length."""


def explanation(source: HasRules, text: str) -> Iterator[list[Span]]:
    """Yield lines for each pretoken of a text: how it is encoded, and its tokens.

    Each merge is listed with what it won against, unless the pretoken is very long. WordPiece has a
    line for each piece, with all that was looked up before it was found.
    """
    rules = source.rules
    for piece in trace(source, text, LONGEST_EXPLAINED):
        is_staged = rules.pattern.name == STAGED and not piece.pretoken.special
        how = tr_message(rules.pattern.summary if is_staged else cut_by(piece.pretoken))
        cached = tr("; seen before, from the cache") if piece.seen_before else ""
        shown = visible_bytes(piece.pretoken.bytes)
        yield [(tr("{pretoken}  ({how}{cached})", pretoken=shown, how=how, cached=cached), "")]
        if len(piece.pretoken.bytes) > LONGEST_EXPLAINED:
            length = plural(len(piece.pretoken.bytes), "byte")
            template = "  ({length}; merges are listed up to {longest_explained})"
            yield [(tr(template, length=length, longest_explained=LONGEST_EXPLAINED), "")]
        elif not (piece.seen_before or rules.is_special(piece.pretoken)):
            yield from ([("  ", ""), *line] for line in _steps(rules, piece))
        ids = " ".join(map(str, piece.ids))
        yield [("  ", ""), *token_spans(rules.vocab, piece.ids), (f" = {ids}", "")]


def _steps(rules: EncodingRules, piece: TracedPretoken) -> Iterator[list[Span]]:
    alphabet = rules.alphabet
    from engine.pipeline.as_tokenizer import ModelAlphabet  # slow to import; few files need it

    if not isinstance(alphabet, ModelAlphabet):
        yield from (_describe_merge(rules, merge) for merge in piece.merges)
    elif (word := alphabet.longest_match(piece.pretoken.bytes)) is not None:
        yield from ([(line, "")] for line in describe_probes(word))
        if word.outcome is not Outcome.SPELLED:
            yield [(describe_unknown(word, visible_bytes(rules.vocab[word.ids[0]])), "")]


def _describe_merge(rules: EncodingRules, merge: TracedMerge) -> list[Span]:
    """Describe a merge: `t h → th (merge 4); lost to it: h e (merge 6), a t (merge 17)`."""
    step = merge.step
    made = [*_pair(rules, step.pair), (" → ", ""), *token_spans(rules.vocab, [step.token_id])]
    made.append((tr(" (merge {rank})", rank=step.rank + 1), ""))
    for place, each in enumerate(merge.lost):
        made.append((", " if place else tr("; lost to it: "), ""))
        made += [*_pair(rules, each.pair), (tr(" (merge {rank})", rank=each.rank + 1), "")]
    return made


def _pair(rules: EncodingRules, pair: Pair) -> list[Span]:
    """Return two tokens as they are, also if they are parts of one character."""
    return [each for part in pair for each in (CHIPS_MEET, *token_spans(rules.vocab, [part]))][1:]


def chips(tokens: Iterable[bytes], roles: Iterable[str] = repeat("base")) -> list[Span]:
    """Return tokens as chips, several in brackets after a character that they cut."""
    spans, waiting = list[Span](), iter(roles)
    for together in whole_characters(tokens):
        shown: list[Span] = []
        for token, role in zip(together, waiting, strict=False):
            shown += [*[CHIPS_MEET] * bool(shown), (visible_bytes(token), role)]
        if len(together) > 1:
            shown = [(f"{visible_bytes(b''.join(together))} (", ""), *shown, (")", "")]
        spans += [CHIPS_MEET, *shown] if spans else shown
    return spans


def token_spans(vocab: Mapping[int, bytes], ids: Sequence[int]) -> list[Span]:
    """Return tokens as chips in the hues of their ids."""
    hues = (f"token-{each % TOKEN_HUES}" if len(vocab[each]) > 1 else "base" for each in ids)
    return chips(map(vocab.__getitem__, ids), hues)


# -- the longest match


def describe_probes(word: EncodedWord) -> Iterator[str]:
    """Yield a line for each piece of a word: what was looked up until it was found.

    >>> from engine.wordpiece.tokenizer import WordPieceEncoder
    >>> encoder = WordPieceEncoder({"[UNK]": 0, "un": 1, "##aff": 2})
    >>> list(describe_probes(encoder.explain("unaff")))
    ['unaff no, unaf no, una no, un yes (id 1)', '##aff yes (id 2)']
    """
    for _, run in groupby(word.probes, key=lambda probe: probe.start):
        *failed, last = map(_describe_probe, run)
        more = len(failed) - FIRST_SHOWN
        if more > 1:
            failed[FIRST_SHOWN:] = [tr("{more} shorter ones no", more=more)]
        yield listed((*failed, last))


def _describe_probe(probe: Probe) -> str:
    template = "yes (id {token_id})"
    verdict = tr("no") if probe.token_id is None else tr(template, token_id=str(probe.token_id))
    return f"{visible_text(probe.piece)} {verdict}"


def describe_unknown(word: EncodedWord, unknown: str) -> str:
    """Return why a word is unknown, and which of its characters no piece spells.

    For example: `café: no piece begins at its character 4, é; not even ##é is one. So the whole
    word is [UNK].`

    Args:
        unknown: the visible name of the unknown token.
    """
    shown = visible_text(word.word)
    if word.outcome is not Outcome.NO_PIECE:
        return tr("{word}: {outcome}.", word=shown, outcome=tr(word.outcome.value))
    last = word.probes[-1]
    character, piece = visible_text(word.word[last.start : last.end]), visible_text(last.piece)
    return tr(
        "{shown}: no piece begins at its character {start}, {character}; not even "
        "{piece} is one. So the whole word is {unknown}.",
        shown=shown,
        start=last.start + 1,
        character=character,
        piece=piece,
        unknown=unknown,
    )
