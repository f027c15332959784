"""A Unigram training without a screen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_tui.unigram.narration import describe_distance
from bpe_tui.unigram.transcript import UnigramTranscript
from engine.unigram.frame import UnigramTimeline
from engine.unigram.record import PruneStep
from engine.unigram.trainer import UnigramStopReason, UnigramTrainer

WORDS = {"▁hugs": 10, "▁hug": 9, "▁bugs": 6, "▁pun": 4, "▁puns": 3, "▁shrug": 2, "hug": 2}


@pytest.fixture
def timeline() -> UnigramTimeline:
    trainer = UnigramTrainer(WORDS, 16)
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=WORDS)


@pytest.fixture
def transcript(timeline: UnigramTimeline) -> UnigramTranscript:
    return UnigramTranscript(timeline, UnigramStopReason.SIZE_REACHED)


def said(transcript: UnigramTranscript, *lines: str) -> list[str]:
    """The answer to the last of the lines."""
    return [list(transcript.answer(line)) for line in lines][-1]


def test_it_starts_with_the_seed_and_ends_with_a_reason(transcript: UnigramTranscript) -> None:
    assert transcript.start().startswith("Step 0: the seed has")
    assert said(transcript, "go 100%")[0].endswith(f"{UnigramStopReason.SIZE_REACHED.value}.")
    assert said(transcript, "back")[0].endswith("the prune is undone; 1 piece comes back.")


def test_prune_goes_from_prune_to_prune(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    assert f"Step {timeline.prunes[0]} of" in said(transcript, "prune")[0]
    last = said(transcript, *["prune"] * (len(timeline.prunes)))
    assert last == ["There is no prune after this step."]
    assert said(transcript, "go 0", "prune back") == ["There is no prune before this step."]


def test_a_step_in_full_tells_what_went_and_what_stands_in(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    told = " ".join(said(transcript, "prune", "step"))
    step = timeline.frame.came_by
    assert isinstance(step, PruneStep)
    for piece in step.pruned[:10]:
        assert f"Gone is {piece.text}, " in told
    told = " ".join(said(transcript, "go 1", "step"))
    assert "The expected count of" in told


def test_pieces_are_told_the_most_probable_first(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    first = timeline.frame.texts[int(timeline.frame.scores.argmax())]
    told = said(transcript, "pieces 3")
    assert len(told) == 3
    assert told[0].startswith(f"1. {first}, score −")
    assert "like pieces 10" in said(transcript, "pieces many")[0]


def test_a_piece_tells_what_takes_its_place_and_what_became_of_it(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    told = " ".join(said(transcript, "go 0", "piece ▁hugs"))
    assert told.startswith("▁hugs has the id ")
    assert "would stand there" in told
    assert "nats a pretoken" in told
    seed, last = timeline.seek(0).texts, timeline.seek(len(timeline)).texts
    gone = next(text for text in seed if text.startswith("▁") and text not in last)
    assert f"{gone} is no piece any more" in said(transcript, f"piece {gone}")[0]
    assert "never removed" in said(transcript, "piece g")[1]
    assert said(transcript, "piece xyz") == ["xyz is no piece, and was none."]


def test_the_space_before_a_word_may_be_left_out(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    texts = timeline.seek(len(timeline)).texts
    starts = (text[1:] for text in texts if len(text) > 1 and text.startswith("▁"))
    word = next(word for word in starts if word not in texts)
    assert said(transcript, f"piece {word}")[0].startswith(f"▁{word} has the id ")


def test_a_text_is_told_in_its_best_pieces_and_the_next_best(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    told = said(transcript, "encode  hugs")  # the second space is the text's
    pieces = timeline.frame.segment("▁hugs")
    assert told[0].endswith(f": {', '.join(pieces)}.")
    assert told[1].startswith("In ids: ")
    assert all("times less probable, score" in line for line in told[2:])
    assert "Say a text" in said(transcript, "encode")[0]


def test_unknown_characters_side_by_side_are_told_as_one_piece(
    transcript: UnigramTranscript,
) -> None:
    told = said(transcript, "encode שלום")
    assert told[0].startswith("1 piece for 4 characters, ")
    assert told[1:] == [
        "In ids: 0.",
        "No piece spells שלום: unknown characters side by side are one <unk>.",
    ]


@pytest.mark.parametrize(
    ("difference", "told"),
    [
        (0.0, "Just as probable"),
        (0.7, "Log-probability 0.70 lower, 2.0 times less probable"),
        (7.4, "Log-probability 7.40 lower, 1,636 times less probable"),
        (20.0, "Log-probability 20.00 lower, 4.9·10⁸ times less probable"),
    ],
)
def test_a_difference_of_logarithms_is_told_as_one(difference: float, told: str) -> None:
    assert describe_distance(difference) == told
    assert "times less probable" in describe_distance(10_000.0)


def test_the_pieces_are_saved_and_never_over_something(
    transcript: UnigramTranscript, tmp_path: Path
) -> None:
    place = tmp_path / "tokenizer.json"
    assert said(transcript, "go 100%", f"save {place}")[0].startswith("Saved the pieces of step")
    assert json.loads(place.read_text("utf-8"))["model"]["type"] == "Unigram"
    (refused,) = said(transcript, f"save {place}")
    assert refused.startswith(f"{place} is there already, and nothing is overwritten here")


def test_a_pipe_gets_answers_and_no_textual_is_loaded(tmp_path: Path) -> None:
    corpus = tmp_path / "hugs.txt"
    corpus.write_text("the hugs of the thugs and the bugs\n" * 4)
    program = (
        "import sys; from bpe_tui.cli import main; "
        "sys.exit(main(sys.argv[1:]) or 'textual' in sys.modules)"
    )
    done = subprocess.run(
        [
            *(sys.executable, "-c", program, "open", str(corpus), "--model", "unigram"),
            *("--vocab-size", "24", "--plain", "--no-cache"),
        ],
        input="next\npiece the\nhelp\n",
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert "Step 1 of" in done.stdout
    assert "▁ means a space" in done.stdout


def test_ids_are_decoded_as_they_were_encoded(
    timeline: UnigramTimeline, transcript: UnigramTranscript
) -> None:
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        ids = frame.encode(" hugs pun")
        assert frame.decode(ids) == " hugs pun"
        assert said(transcript, f"decode {ids}") == [f"The text of {len(ids)} ids is ·hugs·pun."]
    assert "there is no token with the id 9999" in said(transcript, "decode 9999 1")[0]
