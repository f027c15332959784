"""Each mistake of a trainer is named as the cause, from the merges alone."""

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from unicodedata import normalize

import pytest
import students
from _pytest.mark import ParameterSet
from generated import first_quick, some
from sheets import check_sheet
from students import SPECIAL as END
from students import Student

from engine import Report, Trainer
from engine.analysis.check import checking, mistaken_trainer, readings
from engine.analysis.check import report as reports
from engine.analysis.check.causes import CAUSES
from engine.analysis.check.checking import check_claim
from engine.analysis.check.claim import Assignment, Claim
from engine.analysis.check.mistaken_trainer import (
    DivergenceCase,
    Habits,
    Procedure,
    merges_with_habits,
)
from engine.analysis.check.report import as_dict
from engine.analysis.check.steps_file import ClaimedStep
from engine.bpe.ties import TIE_RULES, TieRule
from engine.core.events import BytesPair
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import to_bytes

REPO = Path(__file__).resolve().parents[3]
SAMPLE = REPO / "samples" / "tinystories_valid.txt"
MERGES = 60
STORY = SAMPLE.read_text(encoding="utf-8")[:3000]


def repeated(text: str, times: int) -> str:
    return "".join(repeat(text, times))


def and_more(text: str, times: int) -> str:
    return STORY + repeated(text, times)


TIED = repeated(" abc", 9) + repeated(" xyz", 9) + repeated(" abx yzc bxy", 3)
LETTER = repeated("À bientôt, chère élève ! Où étais-tu cet été ? «Là-bas», déjà… ", 12)
FIRST_LINE_AND_BLANKS = repeated(" zebra", 30) + "\n" + STORY + repeated(" So.\n\n\n", 60)

MISTAKES: list[tuple[type[Student], str, str]] = [
    (students.TakesTheFirstOfEquals, "tie-rule", STORY),
    (students.TakesTheLastOfEquals, "tie-rule", STORY),
    (students.ComparesSpellings, "tie-rule", STORY),
    (students.CountsWithoutOverlap, "overlap", and_more(" zzzzzz hmmmm", 30)),
    (students.LeavesSpecialTokensIn, "special-counted", and_more(f" The end.{END}", 9)),
    (students.DoesWithoutPretokens, "border-crossed", STORY),
    (students.TrustsItsHeap, "stale-heap", STORY),
    (students.NeverLowersCounts, "not-lowered", STORY),
    (students.NeverCountsNewPairs, "not-entered", STORY),
    (students.NeverUpdatesCounts, "not-updated", STORY),
    (students.LooksAtOldNeighbours, "neighbours-before", and_more(" hahahaha", 40)),
    (students.MergesFromTheRight, "from-the-right", and_more(" ohhhhh zzzx xzzz", 30)),
    (students.MergesTheFirstOnly, "first-only", and_more(" hahahaha", 40)),
    (students.SplitsAtWhitespace, "pattern", STORY),
    (students.JoinsDocuments, "documents-joined", and_more(f" out{END}side in{END}doors", 30)),
    (students.StripsDocuments, "documents-stripped", and_more(f"{END}\n\n\nSo", 60)),
    (students.ReadsLineByLine, "line-by-line", and_more(" So.\n\n\n", 60)),
    (students.ReadsLinesWithoutTheirEnds, "newlines-lost", and_more("\r\r\n So.", 60)),
    (students.TranslatesNewlines, "newlines-translated", and_more("So.\r\n\r\n\r\n", 60)),
    (students.CountsEachWordOnce, "unweighted", STORY),
    (students.ComparesReprs, "tie-rule", and_more("a!# b'#", 90)),
    (students.ComparesRightFirst, "tie-rule", STORY),
    (students.PrefersLongTokens, "tie-rule", STORY),
    (students.CountsAPairOnceAWord, "once-a-word", and_more(" hahahaha", 40)),
    (students.StartsFromCharacters, "characters", and_more(" «…» ““so””", 20)),
    (students.PutsASpaceForSpecialTokens, "special-spaced", and_more(f" So{END}and{END} ", 30)),
    (students.ForgetsToEscape, "special-unescaped", and_more(f" a < b and b > c.{END}", 30)),
    (students.LowersCase, "lower-cased", and_more(" HE SAID", 20)),
    (students.StripsLines, "lines-stripped", and_more("  So.   \n\n  A\n", 60)),
    (students.FindsWordsBySlashW, "stray-pattern", and_more(" a_1 b_2 it's", 30)),
    (students.LosesSpaces, "stray-pattern", STORY),
    (students.CutsFourChunksAnywhere, "chunk-borders", STORY[:920]),
    (students.LosesTheLastOfFourChunks, "last-chunk-lost", STORY + f"{END} The queen" * 40),
    (
        students.TakesOffWhatWasNeverCounted,
        "left-merged-already",
        and_more(" khahahaha", 60) + repeated(" qhahb zhahb", 99),
    ),
    (students.PrefersShortTokens, "tie-rule", STORY),
    (students.KeepsSpecialTokensOfASplit, "special-captured", and_more(f" out.{END}.in", 30)),
    (students.CountsSpecialTokensAsPretokens, "special-captured", and_more(f" out.{END}.in", 30)),
    (students.SkipsTheFirstLine, "line-lost", f"{LETTER}\n{STORY}"),
    (students.SkipsTheLastLine, "line-lost", f"{STORY}\n{LETTER}"),
    (students.JoinsWordsBySpaces, "whitespace-joined", and_more(" So.\n\n\n  A", 60)),
    (
        students.JoinsWordsOfDocumentsBySpaces,
        "whitespace-joined",
        and_more(f" So{END} and\n\n\nso.", 60),
    ),
    (students.DecodesAsLatin1, "decoded-latin-1", LETTER),
    (students.DecodesAndEncodesAsLatin1, "decoded-latin-1", LETTER),
    (students.DecodesAsWindowsDoes, "decoded-latin-1", LETTER),
    (students.EncodesAsLatin1, "encoded-latin-1", LETTER),
    (students.DecodesAsAscii, "only-ascii", LETTER),
    (students.EncodesAsAscii, "only-ascii", LETTER),
    (students.ForgetsTheLastPair, "last-pair-lost", STORY),
    (students.TakesNewlinesOut, "newlines-removed", and_more("\n\nSo.\n", 30)),
    (students.ReadsTheFirstDocument, "first-document", f"{STORY[:1500]}{END}{LETTER}"),
    (students.MergesFiveARound, "merges-a-round", STORY),
    (students.MergesTenARound, "merges-a-round", STORY),
    (students.MergesAllTied, "merges-a-round", TIED),
    (students.DropsRareWords, "rare-lost", STORY),
    (students.CorrectsTheLeft, "one-side", STORY),
    (students.CorrectsTheRight, "one-side", STORY),
    (students.ChangesCountsByOne, "change-unweighted", STORY),
    (students.TakesWhatItsHeapHas, "stale-heap", STORY),
    (students.PutsASpaceForNewlines, "newlines-removed", and_more("\n\nSo.\n", 30)),
    (students.StripsLinesOfTheFile, "lines-stripped", and_more(f"  So.   \n  A {END} B\n", 60)),
    (students.SortsItsMerges, "reordered", STORY),
    (students.NormalizesTheText, "normalized", normalize("NFD", LETTER)),
    (students.ReadsLinesBehindTheFirst, "line-by-line + line-lost", FIRST_LINE_AND_BLANKS),
    (students.LowersCaseAndTakesTheFirst, "lower-cased + tie-rule", STORY),
    (
        students.StripsLinesAndNeverLowersCounts,
        "lines-stripped + not-lowered",
        and_more("  So.   \n\n  A\n", 60),
    ),
]


def assignment(text: str) -> Assignment:
    return Assignment(text.encode, (END,))


def checked(made: list[tuple[BytesPair, int]], text: str, counts: bool = False) -> Report:
    """Return the report on merges, with or without their counts."""
    steps = [ClaimedStep(*pair, count if counts else None) for pair, count in made]
    return check_claim(Claim(steps), assignment(text))


def test_a_trainer_that_stops_at_a_minimum_count_is_told_so() -> None:
    made = [step for step in Student().train(STORY, MERGES) if step[1] >= 20]
    claim = Claim([ClaimedStep(*pair) for pair, _ in made])
    here = Assignment(STORY.encode, (END,), vocab_size=257 + MERGES)
    *_, last = check_claim(claim, here).describe()
    assert last.endswith("Perhaps pairs under a minimum count were left out.")


def test_a_right_trainer_whose_special_token_comes_first_is_right_and_told_so() -> None:
    made = [pair for pair, _ in Student().train(STORY, 5)]
    tokens = [END.encode(), *(bytes([byte]) for byte in range(256)), *(a + b for a, b in made)]
    report = check_claim(Claim.of(dict(enumerate(tokens)), made), assignment(STORY))
    assert report.agrees
    assert "The special tokens come first, which is right, too." in [*report.describe()][-1]


def one_quick_of_each_cause() -> list[ParameterSet]:
    """Return all mistakes as parameters; those after the first of their cause are slow.

    Two causes at once count as one kind.
    """
    firsts = {" + " if " + " in cause else cause: one for one, cause, _ in reversed(MISTAKES)}
    return [
        pytest.param(*mistake, marks=() if mistake[0] in firsts.values() else pytest.mark.slow)
        for mistake in MISTAKES
    ]


@pytest.mark.parametrize(("student", "cause", "text"), one_quick_of_each_cause())
def test_a_mistake_is_found_by_its_merges_and_by_its_counts(
    student: type[Student], cause: str, text: str
) -> None:
    made = student().train(text, MERGES)
    for counts in some((False, True)):
        report = checked(made, text, counts)
        assert not report.agrees
        assert report.explanations[0].cause == cause, counts
        assert report.explanations[0].all
        if not counts:
            check_sheet(f"checks/{student.__name__}", lines_of(report))


def lines_of(report: Report) -> list[str]:
    """Return a report's sentences, and what a program gets of it: its numbers in one line."""
    rows = {key: value for key, value in as_dict(report).items() if key != "told"}
    lists = [f"{key}: {json.dumps(rows.pop(key))}" for key in ("divergence", "causes")]
    return [*report.describe(), *lists, json.dumps(rows)]


OTHER_TEXTS = (
    SAMPLE.read_text(encoding="utf-8")[60_000:62_500],
    (SAMPLE.parent / "code.txt").read_text(encoding="utf-8")[2000:4500].replace("\n", "\r\n"),
    (SAMPLE.parent / "unicode.txt").read_text(encoding="utf-8")[:2500],
)
HIDDEN_BY = {
    # On these texts a cheaper cause explains everything as well, so dearer ones are not tried.
    "last-chunk-lost": {"line-lost"},
    "chunk-borders": {"special-unescaped"},
}


@pytest.mark.slow  # every mistake on three texts
@pytest.mark.parametrize("text", OTHER_TEXTS, ids=["story", "code", "unicode"])
@pytest.mark.parametrize("student", {student: cause for student, cause, _ in MISTAKES})
def test_on_other_texts_no_cause_that_explains_less_is_named_first(
    student: type[Student], text: str
) -> None:
    [cause, *_] = (cause for each, cause, _ in MISTAKES if each is student)
    if cause == "last-chunk-lost" and END not in text[3 * (len(text) // 4) :]:
        return  # there is no such chunk
    report = checked(student().train(text, MERGES), text)
    if report.divergence is not None:
        whole = [each.cause for each in report.explanations if each.all]
        assert set(cause.split(" + ")) & {*whole, *whole[0].split(" + ")} or (
            HIDDEN_BY.get(cause, set()) & {*whole}
        )


def test_a_mistake_is_tried_on_a_limited_number_of_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    made = students.TakesTheFirstOfEquals().train(STORY, MERGES)
    for module in (checking, reports):
        monkeypatch.setattr(module, "TRIED", 5)
    [found] = checked(made, STORY).explanations
    assert (found.cause, found.merges, found.all) == ("tie-rule", 5, False)
    assert ", as far as it was tried. So would smallest-ids, " in str(found.reach)


def test_chunks_are_no_cause_where_they_explain_only_a_part() -> None:
    # Whoever loses a word in the middle has other counts, near those of many a cut.
    for start in some((62_400, 65_500, 84_100)):
        text = SAMPLE.read_text(encoding="utf-8")[start : start + 6000]
        without = text[:3000] + text[3012:]
        report = checked(Student().train(without, MERGES), text)
        assert report.divergence is not None
        assert "chunk-borders" not in [each.cause for each in report.explanations]


def test_counts_that_no_mistake_gives_do_not_hide_the_cause() -> None:
    made = students.TakesTheFirstOfEquals().train(STORY, MERGES)
    steps = [
        ClaimedStep(*pair, count if place < 6 else 0) for place, (pair, count) in enumerate(made)
    ]
    report = check_claim(Claim(steps), assignment(STORY))
    assert report.divergence is not None
    assert (report.divergence.step, report.divergence.is_of_count_only) == (6, False)
    assert (report.explanations[0].cause, report.explanations[0].all) == ("tie-rule", True)


def test_every_cause_has_a_trainer_that_makes_the_mistake() -> None:
    made = {cause for _, causes, _ in MISTAKES for cause in causes.split(" + ")}
    # Students read text, and write the list that they make; the tests below have the others.
    by_others = {"bytes-replaced", "bytes-ignored", "missing-line", "swapped-lines"}
    assert made | by_others | {"line-too-many"} == set(CAUSES), "add the trainer to MISTAKES"


@pytest.mark.parametrize("errors", ["replace", "ignore"])
@pytest.mark.parametrize("is_cut_first", [True, False])
def test_stray_bytes_inside_special_tokens_are_no_chunk_borders(
    errors: str, is_cut_first: bool
) -> None:
    chance, marked = random.Random(1), f" So it goes on.{END}Once upon a time"
    text = bytearray((STORY + repeated(marked, 60)).encode())
    for _ in range(300):
        text.insert(chance.randrange(len(text)), 0xFF)
    if is_cut_first:
        counts = Counter[bytes]()
        for document in text.split(END.encode()):
            decoded = document.decode("utf-8", errors)
            counts.update(Assignment(decoded.encode).counts)
    else:
        decoded = text.decode("utf-8", errors)
        counts = Counter(Assignment(decoded.encode, (END,)).counts)
    run = Trainer(counts, 256 + MERGES)
    list(run.steps())
    steps = [ClaimedStep(*pair) for pair in run.merges]
    report = check_claim(Claim(steps), Assignment(lambda: bytes(text), (END,)))
    assert report.explanations[0].cause == f"bytes-{errors}d"
    assert report.explanations[0].all
    assert "chunk-borders" not in [each.cause for each in report.explanations]


def test_what_each_cause_reads_and_counts_is_what_the_sheet_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = to_bytes(f" A\r\n ab {END}\n \udcff\xe9 B \n{END}\n\n\tcd  \n")
    here = Assignment(lambda: text, (END,))
    case, lines = DivergenceCase(here, [], 0, is_tie=True), []
    for cause in CAUSES.values():
        slips = ("missing-line", "swapped-lines", "line-too-many", "reordered")
        is_read = cause.name == "unweighted" or (cause.cost and cause.name not in slips)
        for deviation in cause.deviations(case) if is_read else ():
            procedure, documents = deviation.change(Procedure.by_rule(here)), here.documents
            for read in procedure.readings:
                documents = read(here, documents)
            counts = procedure.counts()
            for recount in procedure.recounts:
                counts = recount(here, counts)
            is_cut_alike = procedure.readings and not procedure.recounts
            facts = documents if is_cut_alike else dict(counts)
            lines.append(f"{cause.name} ({deviation.variant}): {facts}")
    check_sheet("checks/causes", lines)
    ends = [b"a", b"b", b"c"]
    assert readings.without_first_line(here, ends) == ends[1:]
    assert readings.without_last_line(here, ends) == ends[:-1]
    tiny = replace(case, assignment=Assignment(lambda: b"ab"))
    for cause in (readings.last_chunk_lost, readings.chunk_borders):
        assert [each.variant for each in cause(tiny)] == ["2 chunks"]
    for size in (1024, 1025):
        some = replace(case, assignment=Assignment(lambda size=size: b"a" * size))
        variants = [each.variant for each in readings.chunk_borders(some)]
        assert ("chunks of 1,024 bytes" in variants) == (size > 1024)
    for most in (len(text), len(text) - 1):
        monkeypatch.setattr(mistaken_trainer, "LARGEST_TRIED", most)
        for name in ("stray-pattern", "border-crossed"):
            assert any(CAUSES[name].deviations(case)) == (most == len(text))
    uncut = replace(case, assignment=replace(here, pattern=PATTERNS["none"]))
    assert not list(CAUSES["border-crossed"].deviations(uncut))


@pytest.mark.parametrize("tie_rule", TIE_RULES.values(), ids=lambda rule: str(rule.name))
@pytest.mark.parametrize("text", [b"low low lower newest newest widest", b"abab abc cab", b"aaaaa"])
def test_a_trainer_with_the_right_habits_makes_the_merges_of_the_rule(
    tie_rule: TieRule, text: bytes
) -> None:
    here = Assignment(lambda: text, tie_rule=tie_rule)
    assert list(merges_with_habits(here.task(), Habits())) == list(here.first_by_rule(99))


DOCUMENTED = REPO / "docs" / "checking.md"


def test_the_documentation_lists_each_cause_once() -> None:
    text = DOCUMENTED.read_text(encoding="utf-8")
    table = text.partition("| cause | the mistake |")[2].partition("\n\n")[0]
    rows = (line.split("|")[1] for line in table.splitlines() if line.count("|") > 2)
    documented = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert sorted(documented) == sorted(CAUSES)


RIGHT = [pair for pair, _ in Student().train(STORY, MERGES)]


def report_of(merges: Sequence[BytesPair], size: int | None = None) -> Report:
    asked = Assignment(STORY.encode, (END,), vocab_size=size)
    return check_claim(Claim.of(None, merges), asked)


@pytest.mark.parametrize("first", [0, 7, 23, 40, MERGES - 3])
@pytest.mark.parametrize("lines", first_quick([1, 3]))
def test_missing_lines_are_the_cause(first: int, lines: int) -> None:
    if first + lines >= MERGES:
        return  # a list that ends early is right as far as it goes
    report = report_of(RIGHT[:first] + RIGHT[first + lines :], 257 + MERGES)
    assert report.explanations[0].cause == "missing-line"
    sentences = list(report.describe())
    one = f"merge {first + 1} of the rule is missing from yours."
    some = f"merges {first + 1} to {first + lines} of the rule are missing from yours."
    assert f"Likely cause (missing-line): {one if lines == 1 else some}" in sentences[3]
    assert [line for line in sentences if "cause" in line or "explains" in line] == [sentences[3]]
    assert sentences[-1] == (
        f"Too few merges, by {lines}: {MERGES - lines}, not {MERGES}. "
        "That is what is missing from the list."
    )


@pytest.mark.parametrize("first", first_quick([23, 0, MERGES - 1]))
@pytest.mark.parametrize("pair", [RIGHT[30], (b"q", b"q"), (b"w", b"a")])
def test_a_line_too_many_is_the_cause(first: int, pair: BytesPair) -> None:
    report = report_of([*RIGHT[:first], pair, *RIGHT[first:]], 257 + MERGES)
    text = " ".join(report.describe())
    if pair in RIGHT[:first]:
        assert "has merged it already" in text
    assert report.explanations[0].cause == "line-too-many"
    assert f"your merge {first + 1} is a line too many" in text
    assert f"Too many merges, by 1: {MERGES + 1}, not {MERGES}. That is what is too many" in text


@pytest.mark.parametrize(("one", "other"), [(0, 1), (20, 21), (5, 50), (MERGES - 2, MERGES - 1)])
def test_two_swapped_lines_are_the_cause(one: int, other: int) -> None:
    merges = list(RIGHT)
    merges[one], merges[other] = merges[other], merges[one]
    report = report_of(merges, 257 + MERGES)
    assert "swapped-lines" in [explanation.cause for explanation in report.explanations]
    assert [each.lines for each in report.explanations if each.cause == "swapped-lines"] == [0]
    assert f"merges {one + 1} and {other + 1} are swapped" in " ".join(report.describe())


def test_at_most_so_many_lines_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.analysis.check.causes.MOST_LINES", 3)
    for lines in (3, 4):
        causes = [each.cause for each in report_of(RIGHT[:9] + RIGHT[9 + lines :]).explanations]
        assert ("missing-line" in causes) == (lines == 3)
    # Who takes the other of two at the last merge has lost no line.
    causes = [each.cause for each in report_of([*RIGHT[:6], (b" ", b"b")]).explanations]
    assert (causes[0], "missing-line" in causes) == ("tie-rule", False)


def test_a_cause_that_explains_little_is_not_named() -> None:
    merges = [*RIGHT[:20], *RIGHT[21:40], *RIGHT[43:]]  # two slips, which nothing explains
    report = report_of(merges)
    assert not report.explanations
    assert "None of the known mistakes" in " ".join(report.describe())
