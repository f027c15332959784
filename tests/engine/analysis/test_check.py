"""`check` agrees with right merges, and reports the first that differs."""

import json
from contextlib import chdir
from itertools import chain, repeat
from pathlib import Path

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from sheets import check_sheet, refusal
from students import SPECIAL

from engine import (
    OutputError,
    StepRecorder,
    StepsFileError,
    TokenizerFileError,
    Trainer,
    VocabSizeError,
    check,
    train_bpe,
)
from engine.analysis.check import forced_merges
from engine.analysis.check.checking import Judge, JudgedMerge, check_claim
from engine.analysis.check.claim import Assignment, Claim, read_claim
from engine.analysis.check.report import (
    Divergence,
    LikelyMistake,
    TakenPair,
    VocabularyFinding,
    as_dict,
)
from engine.analysis.check.steps_file import LONGEST_LINE, ClaimedStep, read_steps, read_token
from engine.bpe.ties import TIE_RULES
from engine.core.events import BytesPair
from engine.core.gpt2_bytes import spell
from engine.native import KERNEL
from engine.native.merging import KERNEL_TIE_RULES
from engine.text.patterns import PATTERNS

SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "tinystories_valid.txt"
STORY = SAMPLE.read_text(encoding="utf-8")[:3000]


def assignment(text: str) -> Assignment:
    return Assignment(text.encode, (SPECIAL,))


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@given(counts=oracles.corpora(), size=st.integers(256, 276))
def test_the_merges_of_the_naive_trainer_agree(
    tie_rule: str, counts: dict[bytes, int], size: int
) -> None:
    run = Trainer(counts, size, tie_rule=tie_rule, algorithm="naive")
    steps = [ClaimedStep(s.left, s.right, s.count, s.new_id) for s in run.steps()]
    asked = Assignment(
        lambda: b"", tie_rule=TIE_RULES[tie_rule], vocab_size=size, known_counts=counts
    )
    assert check_claim(Claim(steps, run.vocab), asked).agrees


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_tokenizer_from_a_file_agrees_for_any_pattern(pattern: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(STORY.encode() + b"\xff\r\n\x00")
    asked = Assignment.of_file(corpus, [SPECIAL], pattern, vocab_size=290)
    run = Trainer(asked.counts, 290, [SPECIAL])
    list(run.steps())
    assert check(run.vocab, run.merges, corpus, 290, [SPECIAL], pattern).agrees


def words_of(text: str) -> Assignment:
    return Assignment(text.encode, pattern=PATTERNS["whitespace"])


def merges_of(asked: Assignment, many: int) -> list[BytesPair]:
    run = Trainer(asked.counts, asked.first_id + many, asked.special_tokens)
    list(run.steps())
    return run.merges


@given(counts=oracles.corpora(), data=st.data())
def test_the_first_merge_that_differs_is_reported(
    counts: dict[bytes, int], data: st.DataObject
) -> None:
    right = oracles.train(counts, "lexicographic", 9)
    made = data.draw(st.lists(st.sampled_from(right.merges or [(b"a", b"b")]), max_size=9))
    asked = Assignment(lambda: b" ".join(counts), known_counts=counts)
    judged: list[JudgedMerge] = []
    report = check_claim(Claim.of(None, made), asked, judged.append)
    assert [each.step.pair for each in judged] == made
    pairs = zip(made, chain(right.merges, repeat(None)), strict=False)
    first = next((place for place, (mine, rule) in enumerate(pairs) if mine != rule), None)
    assert (report.divergence and report.divergence.step) == first


@pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
@pytest.mark.parametrize("tie_rule", sorted(KERNEL_TIE_RULES))
@examples(200)
@given(counts=oracles.corpora(), data=st.data())
def test_the_kernel_judges_forced_merges_as_python_does(
    tie_rule: str, counts: dict[bytes, int], data: st.DataObject
) -> None:
    asked = Assignment(lambda: b"", tie_rule=TIE_RULES[tie_rule], known_counts=counts)
    judges = Judge(asked), Judge(asked)
    judges[1]._merges = forced_merges._InPython(asked)
    tokens = sorted({pretoken[at : at + 1] for pretoken in counts for at in range(len(pretoken))})
    for _ in range(12):  # tokens of equal bytes may come about
        pair = data.draw(st.sampled_from(tokens)), data.draw(st.sampled_from(tokens))
        found, expected = (next(judge.verdicts([ClaimedStep(*pair)])) for judge in judges)
        assert found == expected
        assert judges[0].tied() == judges[1].tied()
        if found.count:
            tokens.append(pair[0] + pair[1])


def test_one_slip_does_not_condemn_the_merges_after_it() -> None:
    asked = assignment(STORY)
    merges = merges_of(asked, 40)
    merges[19] = merges.pop(24)
    report = check_claim(Claim.of(None, merges), asked)
    assert report.divergence is not None
    assert report.divergence.step == 19
    assert report.by_rule_after == 19
    assert (
        "All later merges (19) are what the rule takes after yours before them."
        in report.describe()
    )


LOW = [(b"o", b"w"), (b"l", b"ow")]
REPORTED: list[tuple[str, list[BytesPair]]] = [
    ("low low lower newest newest newest widest", [(b"i", b"d"), (b"l", b"o")]),
    *(("low low", [pair]) for pair in ((b"x", b"y"), (b"lo", b"w"), (b"w", b" "))),
    ("low", [(b"l", b"ow")]),
    ("low low", [LOW[0], LOW[0]]),
    ("low low", [*LOW, (b"low", b"low")]),
    # `a b` occurs 4 times, 3 of them in `abc`; once `b c` has merged, it occurs once.
    ("abc abc abc bc bc bc bc bc ab de de", [(b"b", b"c"), (b"a", b"b")]),
    # `a b` falls from 5 to 3 with `b c`, and then ties with `d e`: the rule decides, no count.
    ("ab ab ab abc abc bc bc bc bc bc de de de", [(b"b", b"c"), (b"a", b"b")]),
]
BYTES = [bytes((byte,)) for byte in range(256)]
VOCABULARIES = [
    *([*BYTES, b"<s>", b"ow"], [b"<s>", *BYTES, b"ow"], [*BYTES, b"ow", b"<s>"], [*BYTES, b"ow"]),
    *([*BYTES[1:], b"<s>", b"ow"], [*BYTES, b"<s>", b"lo"], [*BYTES, b"<s>", b"ow", b"x", b"y"]),
]


def test_what_reports_say_is_what_the_sheet_says() -> None:
    reports = [(case, check_claim(Claim.of(None, case[1]), words_of(case[0]))) for case in REPORTED]
    low = Assignment(lambda: b"low", ("<s>",))
    for tokens in VOCABULARIES:
        report = check_claim(Claim.of(dict(enumerate(tokens)), LOW[:1]), low)
        reports.append((("low", tokens[:2] + tokens[255:], as_dict(report)["vocabulary"]), report))
    asked = Assignment(STORY.encode, (SPECIAL, "<pad>"), vocab_size=256 + 2 + 39)
    made = merges_of(asked, 39 + 258)
    for off in (-2, -1, 0, 1, 2, 3, 256, 258):
        reports.append((("a story", off), check_claim(Claim.of(None, made[: 39 + off]), asked)))
    for counts in ([2, 2], [2, 3], [3, 3], [2, None]):
        steps = [ClaimedStep(*pair, count) for pair, count in zip(LOW, counts, strict=True)]
        reports.append((("low low", counts), check_claim(Claim(steps), words_of("low low"))))
    lines = (f"{case}: agrees={report.agrees}: {[*report.describe()]}" for case, report in reports)
    check_sheet("checks/reports", lines)


def test_a_pair_that_lost_a_tie_is_by_the_rule_once_no_other_is_left() -> None:
    steps = [ClaimedStep(b"a", b"b"), ClaimedStep(b"c", b"d"), ClaimedStep(b"c", b"d")]
    assert list(Judge(words_of("ab cd")).verdicts(steps)) == [
        JudgedMerge(steps[0], 1, (b"c", b"d"), 1, by_rule=False),
        JudgedMerge(steps[1], 1, None, 0, by_rule=True),
        JudgedMerge(steps[2], 0, None, 0, by_rule=False),
    ]


@given(
    counts=oracles.corpora(),
    merges=st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=3)), max_size=6),
)
def test_any_merges_can_be_checked(counts: dict[bytes, int], merges: list[BytesPair]) -> None:
    asked = Assignment(lambda: b" ".join(counts), known_counts=counts)
    report = check_claim(Claim.of({7: b"x"}, merges), asked)
    assert not report.agrees
    assert list(report.describe())


def test_long_lists_are_cut_and_the_reach_of_a_mistake_is_counted() -> None:
    def reach(merges: int, is_all: bool = False, alike: tuple[str, ...] = ()) -> str:
        return str(LikelyMistake("a + b", "", merges, is_all, alike).reach)

    assert reach(2, alike=("x", "y")) == "It explains this merge and the next 1. So would x, y."
    assert reach(1000) == "It explains this merge and the next 999."
    assert reach(1001) == "It explains this merge and the next 1,000, as far as it was tried."
    assert reach(3, True) == "A trainer with these mistakes makes exactly your merges."
    few = tuple(bytes([byte]) for byte in b"abcde")
    finding = VocabularyFinding(few, (*few, b"f"), None)
    assert str(finding.sentence).endswith("beyond what it should, a, b, c, d, e and 1 more.")
    assert str(finding.sentence).startswith("The vocabulary lacks a, b, c, d, e and has")
    pairs = tuple((b"z", bytes([each])) for each in b"abcdefgh")
    for tied, named in ((7, "z + g."), (8, "z + g and 1 more.")):
        found = Divergence(0, pairs[0], 2, pairs[:tied], pairs[1], 7, TakenPair(2))
        assert str(list(found.sentences)[1]).endswith(named)


def test_fewer_merges_are_right_if_the_corpus_has_no_more_pairs() -> None:
    for size, agrees in ((257, False), (258, True), (259, True)):
        asked = Assignment(lambda: b"low", vocab_size=size)
        assert check_claim(Claim.of(None, LOW), asked).agrees == agrees


def test_tokens_that_are_text_are_read_as_in_a_file(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("low low lower", encoding="utf-8")
    vocab, merges = train_bpe(corpus, 260, [])
    spelled = {token_id: spell(token) for token_id, token in vocab.items()}
    ids = {token: token_id for token_id, token in vocab.items()}
    for said in (
        [(spell(left), spell(right)) for left, right in merges],
        [(ids[left], ids[right]) for left, right in merges],
        merges,
    ):
        report = check(spelled, said, corpus, 260)
        assert report.agrees
        assert "Its tokens are spelled in GPT-2's spelling." in list(report.describe())
    hexed = {token_id: token.hex() for token_id, token in vocab.items()}
    assert check(hexed, [(left.hex(), right.hex()) for left, right in merges], corpus, 260).agrees
    assert check(None, merges, corpus).agrees
    with pytest.raises(VocabSizeError, match="need at least 256"):
        check(None, merges, corpus, 255)
    with pytest.raises(TokenizerFileError, match="without a vocabulary should be bytes"):
        check(None, [(256, 257)], corpus)
    with pytest.raises(TokenizerFileError, match="hex says every byte"):
        check({0: "a", 1: "é", 2: "aé"}, [("a", "é")], corpus)


def test_the_merge_of_a_token_is_the_way_that_its_bytes_encode(tmp_path: Path) -> None:
    model = {
        "type": "BPE",
        "vocab": {token: number for number, token in enumerate(("a", "b", "c", "ab", "bc", "abc"))},
        "merges": [["a", "b"], ["b", "c"], ["ab", "c"], ["a", "bc"]],
    }
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({"version": "1.0", "model": model}), encoding="utf-8")
    claim, notes = read_claim(file)
    assert [step.pair for step in claim.steps] == [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c")]
    assert "of 4 ways to cut its tokens in two, the 3 that come about are its merges" in notes


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "steps.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("left", "form"),
    [
        ('"Ġt"', "GPT-2 spelling"),
        ("[32, 116]", "lists of bytes"),
        ('{"hex": "2074"}', "hex"),
        ('{"base64": "IHQ="}', "base64"),
    ],
)
def test_a_token_may_be_written_in_several_forms(tmp_path: Path, left: str, form: str) -> None:
    read = read_steps(written(tmp_path, f'{{"left": {left}, "right": "h", "extra": [1]}}', ""))
    assert read.steps == [ClaimedStep(b" t", b"h")]
    assert form in read.forms


WRONG = [
    *("{", "[" * 10_000, "[]", '{"left": "a"}', '{"left": "", "right": "b"}'),
    *('{"left": "a", "right": "b", "count": -1}', '{"left": "a", "right": "b", "new_id": true}'),
]
FORMS = ['" a"', "[256]", "[-1]", "[true]", '{"hex": "0"}', '{"base64": "é"}', '{"hex": 7}', "7"]
FORMS += ['{"octal": "7"}', '{"hex": "61", "base64": "IA=="}']


def test_the_error_of_a_bad_line_has_its_number(tmp_path: Path) -> None:
    def read(line: str) -> object:
        path = written(tmp_path, '{"left": "a", "right": "b"}', "", line)
        with chdir(path.parent):
            return read_steps(path.name)

    lines = [*WRONG, *(f'{{"left": {form}, "right": "b"}}' for form in FORMS)]
    check_sheet("errors/steps", (refusal(read, line) for line in lines))


def test_too_long_a_line_and_too_many_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_steps(written(tmp_path, '{"left": "a", "right": "b"}'.rjust(LONGEST_LINE))).steps
    with pytest.raises(StepsFileError, match="line 1 is longer than"):
        read_steps(written(tmp_path, " " * (LONGEST_LINE + 1)))
    monkeypatch.setattr("engine.analysis.check.steps_file.MOST_STEPS", 2)
    line = '{"left": "a", "right": "b"}'
    assert len(read_steps(written(tmp_path, line, line)).steps) == 2
    with pytest.raises(StepsFileError, match="has more than 2 lines"):
        read_steps(written(tmp_path, line, line, line))


def test_a_file_without_steps_and_a_missing_one_are_an_error(tmp_path: Path) -> None:
    for lines in ([], ["", " "]):
        with pytest.raises(StepsFileError, match="holds no step"):
            read_steps(written(tmp_path, *lines))
    with pytest.raises(StepsFileError, match="cannot be read: No such file"):
        read_steps(tmp_path / "none")


@given(st.binary(min_size=1))
def test_any_token_can_be_written_in_any_form(token: bytes) -> None:
    assert read_token(list(token))[0] == token
    assert read_token({"hex": token.hex()})[0] == token


def test_recorded_steps_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    with StepRecorder(path) as record:
        record(b"\x00\xff", b" \n")
        record(b"a", b"b", count=3, new_id=257)
        record(b"c", b"d", count=0, new_id=0)
    assert read_steps(path).steps == [
        ClaimedStep(b"\x00\xff", b" \n"),
        ClaimedStep(b"a", b"b", 3, 257),
        ClaimedStep(b"c", b"d", 0, 0),
    ]


def test_each_step_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "steps.jsonl"
    with StepRecorder(path) as record:
        record(b"a", b"b")
        assert json.loads(path.read_text()) == {"left": "a", "right": "b"}


def test_the_recorder_reports_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written: Is a dir"), StepRecorder(tmp_path):
        pass
    with pytest.raises(OutputError, match="record inside"):
        StepRecorder(tmp_path / "x")(b"a", b"b")


@pytest.mark.parametrize(
    ("ids", "agrees", "expected"),
    [
        ((256, 257), True, None),
        ((None, 257), True, None),
        ((257, 258), True, "New tokens are numbered from 257 on, by the rule 256."),
        ((256, 259), False, "The new ids do not count up: that of merge 2 is out of line."),
    ],
)
def test_new_ids_are_compared_with_the_rule(
    ids: tuple[int | None, int], agrees: bool, expected: str | None
) -> None:
    steps = [ClaimedStep(b"o", b"w", 1, ids[0]), ClaimedStep(b"l", b"ow", 1, ids[1])]
    report = check_claim(Claim(steps), Assignment(lambda: b"low"))
    assert report.agrees == agrees
    assert (list(report.describe())[1:] or [None]) == [expected]
