"""Mistakes: names for what a wrong answer did, such as a tie decided by another rule.

A name is a clause without a subject, so that the same mistake in two questions has the same name:
`decided the tie by the alphabet`. An answer is judged by the question and its frame alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from engine.bpe.frame import Frame
from engine.bpe.ties import TIE_RULES, never_seen
from engine.core.events import Pair
from engine.core.wording import Words
from engine.learning.questions.by_hand import wrong_replacement
from engine.learning.questions.merges_form import Merges, joined_by
from engine.learning.questions.question import (
    END,
    SPACE,
    Answer,
    Choice,
    Cuts,
    Joins,
    Question,
    YesOrNo,
    edged,
)
from engine.learning.questions.sizes import byte_sizes, mistake_in_tokens_left
from engine.wordpiece.words import inner


def answer_words(question: Question, answer: Answer) -> Words:
    """Return an answer as words of a sentence: `e+s`, `no`, `don│'t`."""
    form = question.form
    if isinstance(form, Choice) and isinstance(answer, int):
        return form.options[answer].label
    if isinstance(form, YesOrNo):
        return ("yes" if answer else "no",)
    if isinstance(answer, tuple):
        if isinstance(form, Joins):
            ends = (" (end)",) if answer[-1:] == (END,) else ()
            return (*edged(form.tokens_after(answer)), *ends)
        if isinstance(form, Merges):
            return form.part_words(answer)
        assert isinstance(form, Cuts)
        pieces = [form.text[start:end] for start, end in _spans(form, answer)]
        return tuple(word for piece in pieces for word in ("│", piece.encode()))[1:]
    return (answer.encode(),) if isinstance(answer, str) else (f"{answer:,}",)


def mistake_of(question: Question, answer: Answer) -> str:
    """Return the name of the mistake behind a wrong answer.

    >>> from engine import Timeline, Trainer, ask
    >>> counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    >>> question = ask("tie", Timeline(counts, Trainer(counts, 258).steps()).frame)
    >>> mistake_of(question, 1 - question.answer)
    'decided the tie by the alphabet'
    """
    name = MISTAKES.get(question.kind)
    return "gave another answer" if name is None else name(question, answer)


def _tied_pair(question: Question, answer: Any) -> str:
    """Name a wrong choice of a row with the pair that merges next."""
    tied = [pair for pair in question.pairs if pair in question.tied]
    return _wrong_pair(question.frame, question.pairs[answer], tied)


def _wrong_pair(frame: Frame, chosen: Pair, tied: Sequence[Pair]) -> str:
    """Name a wrong choice of the pair that merges next."""
    if chosen not in tied:
        return _less_frequent(frame, chosen)

    def by_alphabet(pair: Pair) -> tuple[bytes, ...]:
        return tuple(map(frame.any_token, pair))

    if chosen == min(tied, key=by_alphabet):
        return "decided the tie by the alphabet"
    for rule in TIE_RULES.values():
        if rule.static and rule.name != frame.tie_rule.name:
            key = rule.make_key(frame.run.record.ids.tokens, never_seen)
            if chosen == min(tied, key=key):
                return f"decided the tie by the rule {rule.name}"
    return "took a tied pair that loses by the rule"


def _less_frequent(frame: Frame, chosen: Pair) -> str:
    """Name a wrong choice of a pair that does not have the highest count."""
    now = frame.count_of(chosen)
    before = frame.at(frame.step - 1).count_of(chosen) if frame.step else 0
    if before > now and (before >= frame.queue.highest_count or not now):
        return "used a count from before the last merge"
    return "took a pair that occurs less often" if now else "took a pair across two pretokens"


def _best_score(question: Question, answer: Any) -> str:
    chosen, frequent = question.pairs[answer], question.frame.most_frequent
    if frequent is not None and chosen == frequent.pair:
        return "took the most frequent pair, as BPE does"
    if chosen in question.tied:
        return "took a tied pair that loses by the rule"
    return "took a pair of a lower score"


def _count_change(question: Question, answer: Any) -> str:
    left = question.answer
    assert isinstance(left, int)
    named = [word for word in question.asks.words if isinstance(word, bytes)][:2]
    pair = tuple(map(question.frame.id_of, named))
    before = question.frame.count_of(pair)
    if answer == before:
        return "kept the count as it was before the merge"
    if answer == before - left:
        return "gave what is lost, not what is left"
    return "took away too little" if answer > left else "took away too much"


def _stale(question: Question, answer: Any) -> str:
    return "took a true entry for stale" if answer else "took a stale entry for true"


def _decode(question: Question, answer: Any) -> str:
    text = str(question.answer)
    if answer.replace(" ", "") == text.replace(" ", ""):
        return "left out a space, or added one"
    if not answer.strip():
        return "gave no text"
    if all(char.isdigit() or char in f" {SPACE}" for char in answer):
        return "gave numbers instead of a text"
    return "stopped too early" if text.startswith(answer) else "took a token for another text"


def _byte_count(question: Question, answer: Any) -> str:
    text = next(word for word in question.asks.words if isinstance(word, bytes)).decode()
    sizes = byte_sizes(text)
    if answer == len(text):
        return "counted characters, not bytes"
    if answer == sum(min(size, 2) for size in sizes):
        return "took two bytes for each character beyond ASCII"
    return "counted too few bytes" if answer < sum(sizes) else "counted too many bytes"


def _tokens_left(question: Question, answer: Any) -> str:
    return mistake_in_tokens_left(question.frame, answer)


def _cuts(question: Question, answer: Any) -> str:
    form, right = question.form, question.answer
    assert isinstance(form, Cuts)
    assert isinstance(right, tuple)
    extra, missing = set(answer) - set(right), set(right) - set(answer)
    if extra and extra == {place + 1 for place in missing if form.text[place].isspace()}:
        return "put a space at the end of the word before it"
    if not extra:
        return "left out a cut"
    return "cut at other places" if missing else "cut where a piece goes on"


def _joins(question: Question, answer: Any) -> str:
    form, right, rules = question.form, question.answer, question.frame.rules
    assert isinstance(form, Joins)
    assert isinstance(right, tuple)
    done = 0
    while done < min(len(answer), len(right)) and answer[done] == right[done]:
        done += 1
    joins = len(right) - (right[-1] == END)
    if done == len(answer) or (answer[done] == END and done < joins):
        return "stopped before the last merge"
    if done >= joins:
        return "went on after the last merge"
    tokens, place = form.tokens_after(answer[:done]), answer[done]
    chosen, best = tokens[place : place + 2], tokens[right[done] : right[done] + 2]
    if chosen == best:
        return "joined a pair further right first"
    ids = tuple(map(question.frame.id_of, chosen))
    if None in ids or rules.merge_of(ids) is None:
        return "joined two tokens that no merge joins"
    return "joined a pair of a later merge first"


def _merges(question: Question, answer: Any) -> str:
    """Name the mistake in the first wrong part: a pair, or its replacement."""
    form, right = question.form, question.answer
    assert isinstance(form, Merges)
    assert isinstance(right, tuple)
    parts, rights = form.parts(answer), form.parts(right)
    done = 0
    while done < len(parts) and parts[done] == rights[done]:
        done += 1
    if done == len(parts):
        return "stopped before the last merge"
    joined = joined_by(parts[:done])
    if done % 2:
        return wrong_replacement(form, joined, parts[done], rights[done])[0]
    frame: Frame = question.frame.at(question.frame.step + done // 2)
    pairs = list(form.pairs(joined))
    counts: Counter[Pair] = Counter()
    named: dict[int, Pair] = {}
    for gap, tokens in pairs:
        left, right_id = map(frame.id_of, tokens)
        assert left is not None
        assert right_id is not None
        named[gap] = left, right_id
        counts[named[gap]] += form.words[form.word_of(gap)].count
    highest = counts[named[rights[done][0]]]
    tied = [pair for pair, count in counts.items() if count == highest]
    return _wrong_pair(frame, named[parts[done][0]], tied)


def _longest_match(question: Question, answer: Any) -> str:
    form, ids = question.form, question.frame.tokenizer.encoder.ids
    assert isinstance(form, Cuts)
    assert isinstance(question.answer, tuple)
    right = set(_spans(form, question.answer))
    start, end = next(span for span in _spans(form, answer) if span not in right)
    piece = form.text[start:end]
    if (inner(piece) if start else piece) not in ids:
        return "took a piece that is not in the vocabulary"
    return "took a shorter piece than the longest that fits"


def _spans(form: Cuts, bars: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(pairwise((0, *bars, len(form.text))))


def _first_to_go(question: Question, answer: Any) -> str:
    return "took a piece that costs more to lose"


def _best_path(question: Question, answer: Any) -> str:
    form = question.form
    assert isinstance(form, Choice)
    assert isinstance(question.answer, int)
    pieces = [sum(isinstance(word, bytes) for word in each.label) for each in form.options]
    if pieces[answer] == min(pieces) < pieces[question.answer]:
        return "took the path of the fewest pieces"
    return "took a path of a smaller sum"


MISTAKES: dict[str, Callable[[Question, Any], str]] = {
    "next-pair": _tied_pair,
    "tie": _tied_pair,
    "count-change": _count_change,
    "make-merges": _merges,
    "encode-by-hand": _joins,
    "cuts": _cuts,
    "stale": _stale,
    "decode": _decode,
    "byte-count": _byte_count,
    "tokens-left": _tokens_left,
    "best-score": _best_score,
    "longest-match": _longest_match,
    "first-to-go": _first_to_go,
    "best-path": _best_path,
}
"""Kind of question → the function that names a mistake in its answers."""
