"""Rows of the explain screen and of the inspection of BPE: a second trainer finds them again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import oracles
import pytest
import regex
from drawing import Drawing
from generated import examples
from hypothesis import HealthCheck, given, settings
from test_told_branches import HANDOUT, MERGES, TAKEN, opened, texts
from test_told_facts import LINES, RULE, plural, times

from bpe_tui.bpe.summary_screens import BpeInspectionScreen
from bpe_tui.explain.bpe import BpeExplainer
from bpe_tui.explain.explanation import Beat, CountRoom, StepMoment
from engine.bpe.ties import TIE_RULES
from engine.text.patterns import PATTERNS

BARS = str.maketrans("", "", "▄▖┄█▏▎▍▌▋▊▉")


def without_bars(rows: Any) -> list[str]:
    return [" ".join(each.translate(BARS).split()) for each in texts(rows)]


def check(text: str, steps: slice = slice(None)) -> None:
    """Check the rows of some steps of a run."""
    words = Counter(regex.findall(PATTERNS["whitespace"].source, text))
    corpus = {word.encode(): n for word, n in words.items()}
    run = oracles.train(corpus, RULE, MERGES, ["<|endoftext|>"])
    made = [each for each in run.steps if each.count > 1]
    explainer = BpeExplainer(marks=False)
    with opened(text) as session:
        for step in range(len(made) + 1)[steps]:
            frame = session.shown.at(step)
            check_inspection(frame, run, step)
            if step:
                before, merge = session.shown.at(step - 1), made[step - 1]
                for beat in (Beat.REST, Beat.PICK, Beat.LIGHT, Beat.JOIN):
                    moment = StepMoment(before, frame, beat)
                    check_counts(explainer, moment, merge, run.vocab)
                    is_next = beat is Beat.REST and step < len(made)
                    told = made[step] if is_next else merge
                    check_pick(explainer, moment, told, run.vocab, is_next=is_next)
                    check_replace(explainer, moment, merge, run)


def plus(pair: Any, vocab: list[bytes]) -> str:
    return "+".join(vocab[each].decode().replace(" ", "·").replace("\n", "⏎") for each in pair)


def check_counts(explainer: Any, moment: Any, merge: Any, vocab: list[bytes]) -> None:
    was, now = merge.before, merge.before if moment.is_ahead else merge.after
    top = max(now.values(), default=0)
    tied = {pair for pair in now if now[pair] == top and [*now.values()].count(top) > 1}
    expected = set[str]()
    for pair in was | now:
        old, new = was.get(pair, 0), now.get(pair, 0)
        mark, remark = "", "" if old else "new"
        if 0 < new < old:
            remark = f"−{old - new}"
        if pair in tied and moment.beat is not Beat.JOIN:
            mark, remark = "= ", "tied"
        if pair == merge.pair and (moment.is_ahead or moment.beat is Beat.JOIN):
            mark, remark = "▶ ", "picked" if moment.is_ahead else "joined"
        expected.add(f"{mark}{plus(pair, vocab)} {new} {remark}".strip())
    rows = without_bars(explainer.count_rows(moment, CountRoom(5, 100, 15)))
    if not now and moment.beat is Beat.REST:
        expected = {"No pair is left: every pretoken is one token."}
    assert {*rows} <= expected, (moment.beat, rows, expected)
    numbers = [int(each.replace("= ", "").replace("▶ ", "").split()[1]) for each in rows if now]
    if moment.beat is not Beat.JOIN:
        assert numbers == sorted(now.values(), reverse=True)[:5]


def check_pick(
    explainer: Any, moment: Any, merge: Any, vocab: list[bytes], *, is_next: bool
) -> None:
    is_ahead = is_next or moment.is_ahead
    s, was = ("s", "is") if is_ahead else ("red", "was")
    first, second = texts(explainer.pick_rows(moment, 200))
    rivals = [plus(each, vocab) for each in merge.tied - {merge.pair}]
    pair, often = plus(merge.pair, vocab), times(merge.count)
    others = {each: n for each, n in merge.before.items() if each != merge.pair}
    occur = "occur" if is_ahead else "occurred"
    if len(rivals) == 1:
        assert first == f"{pair} and {rivals[0]} both {occur} {often}: a tie."
    elif rivals:
        assert first == f"{pair} and {plural(len(rivals), 'other')} {occur} {often} each: a tie."
    else:
        more = ", more often than any other pair" if others else ""
        assert first == f"{pair} occur{s} {often}{more}."
    if rivals:
        rule, _, why = second.partition(": ")
        reasons = set[str]()
        for other in merge.tied - {merge.pair}:
            at = int(merge.pair[0] == other[0])
            mine, its = (vocab[each[at]].decode() for each in (merge.pair, other))
            same = "same left token, and " * at
            reasons.add(f"{same}“{mine}” is later in byte order than “{its}”.")
        assert rule == f"Rule {TIE_RULES[RULE].title}"
        assert why.replace("·", " ").replace("⏎", "\n") in reasons
    else:
        n = max(others.values(), default=0)
        seconds = {
            f"Second {was} {plus(each, vocab)} with {n}, {merge.count - n} fewer."
            for each in others
            if others[each] == n
        } or {f"No other pair {was} left."}
        assert second in seconds


def check_replace(explainer: Any, moment: Any, merge: Any, run: oracles.OracleRun) -> None:
    rows = [*texts(explainer.replace_rows(moment, 3, 100))]
    if moment.beat is Beat.PICK:
        assert rows == []
        return
    places = plural(merge.occurrences, "place")
    several = f"{merge.pretokens} different pretokens"
    where = f"{places} in {'one pretoken' if merge.pretokens == 1 else several}"
    assert rows[0].endswith(where)
    if moment.beat is not Beat.LIGHT:
        left, right, new = (plus([each], run.vocab) for each in (*merge.pair, merge.new_id))
        assert rows[0] == f"{left} + {right} → {new} token {merge.new_id} {where}"
    changed = zip(merge.words_before, merge.words_after, run.word_counts, strict=True)
    counts = sorted((n for old, new, n in changed if old != new), reverse=True)
    assert [int(each.split()[0]) for each in rows[1:]] == counts[:3]
    more = f"and {len(counts) - 3} more"
    assert rows[-1].endswith(more) == (len(counts) > 3)


def check_inspection(frame: Any, run: oracles.OracleRun, step: int) -> None:
    """Check the numbers of each section at a step."""
    all_of = run.vocab[: 257 + step]
    vocab = all_of[:256] + all_of[257:]
    screen: Any = BpeInspectionScreen
    found = screen.inspection_of(None, frame, None)
    sections = {each.id: without_bars(each.rows(found, 200)) for each in screen.TILES}
    digits = [
        f"{sum(len(t) == n and t.isdigit() for t in vocab)} of {10**n:,} with {plural(n, 'digit')}"
        for n in (1, 2, 3, 4)
    ]
    overview = sections["overview"]
    assert overview[:4] == [
        f"tokens {len(vocab) + 1}",
        f"merges {step}",
        f"ids 0 to {len(vocab)}, without gaps",
        "special tokens <|endoftext|> 256",
    ]
    assert f"numbers as tokens {', '.join(digits)}" in overview
    lengths = Counter(map(len, vocab))
    bars = [
        f"{plural(n, 'byte')} {lengths[n]} {100 * lengths[n] / len(vocab):.1f}%"
        for n in sorted(lengths)
        if n <= 12
    ]
    assert sections["lengths"][: len(bars)] == bars
    assert f"on average {sum(map(len, vocab)) / len(vocab):.2f}" in sections["lengths"]
    odd = [each.split(" ") for each in sections["odd"]]
    never = sum(
        oracles.apply_merges(token, run.merges[:step], 257) != [number]
        for number, token in enumerate(all_of)
        if number != 256
    )
    assert odd[0][:4] == ["not", "valid", "UTF-8", "128"]
    assert [odd[1][:3], odd[2][:4]] == [
        ["never", "encoded", f"{never}"],
        ["same", "bytes", "twice", "0"],
    ]
    if step:
        ids = sorted(range(257, len(all_of)), key=lambda each: (-len(all_of[each]), each))
        longest = [f"id {each} {len(all_of[each])} B {plus([each], all_of)}" for each in ids]
        assert sections["longest"][: len(longest)] == longest[: len(sections["longest"])]


def test_rows_of_lessons_and_inspections_tell_facts(drawing: Drawing) -> None:
    check(HANDOUT, slice(0, None, 5))
    check(TAKEN, slice(1, 7))


@pytest.mark.slow
@given(LINES)
@settings(examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_of_lessons_and_inspections_tell_facts_of_random_texts(
    drawing: Drawing, lines: list[str]
) -> None:
    check("".join(f"{line}\n" for line in lines).replace("c", "1"))
