"""Steps of a Unigram training as Markdown and as lines of JSON."""

from __future__ import annotations

import json

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.unigram.narration import json_lines, report_step
from bpe_tui.views.report import markdown, step_markdown
from engine.unigram.frame import UnigramTimeline
from engine.unigram.record import EmStep, PruneStep
from engine.unigram.textbook import TextbookTrainer
from engine.unigram.trainer import UnigramTrainer

WORDS = st.dictionaries(
    st.text("ab`|\n\udcff", min_size=1, max_size=7), st.integers(1, 9), min_size=1
)


def recorded(words: dict[str, int]) -> UnigramTimeline:
    trainer = UnigramTrainer(words, 10)
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


def test_a_removal_is_reported_with_what_is_left_of_the_n_gram() -> None:
    trainer = TextbookTrainer({"a b": 2, "a c": 1}, 1, ngram=2)
    events = list(trainer.steps())
    timeline = UnigramTimeline(trainer.record, events)
    report = report_step(timeline.seek(len(timeline)))
    assert report.title == "Step 4: a▁c goes"
    assert report.tables[0].rows == [("a▁c", "−1.10", "18.9014", "<unk> <unk>")]
    lines = [json.loads(line) for line in "".join(json_lines(timeline.frame, 1, 4)).splitlines()]
    assert [line["removed"][0]["text"] for line in lines] == ["a", "b", "c", "a▁c"]
    instead = [line["removed"][0]["alternative"] for line in lines]
    assert instead == [["<unk>"], ["<unk>"], ["<unk>"], ["<unk>", "<unk>"]]
    assert lines[1]["removed"][0]["score"] is None


@examples(25)
@given(WORDS)
def test_a_line_of_json_holds_the_facts_of_its_step(words: dict[str, int]) -> None:
    timeline = recorded(words)
    text = "".join(json_lines(timeline.frame, 1, len(timeline)))
    lines = text.encode().decode().splitlines()  # has bytes, whatever the corpus holds
    assert len(lines) == len(timeline)
    for line, index in zip(map(json.loads, lines), range(len(timeline)), strict=True):
        step, before = timeline.run.step_at(index), timeline.seek(index)
        facts = step.as_dict()
        removed = facts.pop("removed")
        assert isinstance(removed, list)
        assert {name: line[name] for name in facts} == facts
        assert [row["text"] for row in line["removed"]] == [piece["text"] for piece in removed]
        for row in line["removed"]:
            if isinstance(step, PruneStep):
                assert "".join(row["alternative"]) == row["text"]
                assert set(row["alternative"]) <= set(before.texts) - {row["text"]}
            else:
                assert row["expected_count"] < 0.5
        if isinstance(step, EmStep):
            differences = [abs(after - before) for _, before, after in line["changes"]]
            assert differences == sorted(differences, reverse=True)


@examples(25)
@given(WORDS)
def test_markdown_has_a_part_for_each_step_and_no_row_breaks(words: dict[str, int]) -> None:
    timeline = recorded(words)
    text = "".join(markdown("Unigram", report_step, timeline.frame, 1, len(timeline)))
    assert text.count("\n## Step ") == len(timeline)
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") in (4, 5)


def test_a_table_ends_with_the_number_of_rows_that_it_leaves_out() -> None:
    timeline = recorded({f"▁{a}{b}{a}{b}": 3 for a in "hugpn" for b in "hugpn"})
    step = timeline.run.step_at(0)
    assert isinstance(step, EmStep)
    report = step_markdown(report_step(timeline.seek(1)))
    if len(step.removed) > 20:
        assert f"and {len(step.removed) - 20:,} more" in report
    assert "## Step 0" in step_markdown(report_step(timeline.seek(0)))


def test_every_step_is_an_iteration_of_em_or_a_prune() -> None:
    timeline = recorded({"abab": 3, "ab": 2})
    kinds = {timeline.run.step_at(index).as_dict()["kind"] for index in range(len(timeline))}
    assert kinds <= {"em", "prune"}
    with pytest.raises(IndexError):
        timeline.run.step_at(len(timeline))
