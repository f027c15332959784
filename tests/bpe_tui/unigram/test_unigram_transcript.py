"""The transcript of a Unigram training, without a screen."""

from __future__ import annotations

import pytest

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


def answers(transcript: UnigramTranscript, *lines: str) -> list[str]:
    """Return the answer to the last line."""
    return [list(transcript.answer(line)) for line in lines][-1]


def test_it_starts_with_the_seed_and_ends_with_a_reason(transcript: UnigramTranscript) -> None:
    assert transcript.start().startswith("Step 0: the seed has")
    assert answers(transcript, "go 100%")[0].endswith(f"{UnigramStopReason.SIZE_REACHED.value}.")
    assert answers(transcript, "back")[0].endswith("the prune is undone; 1 piece comes back.")


def test_prune_goes_from_prune_to_prune_and_step_lists_replacements(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    assert f"Step {timeline.run.prunes[0]} of" in answers(transcript, "prune")[0]
    last = answers(transcript, *["prune"] * (len(timeline.run.prunes)))
    assert last == ["There is no prune after this step."]
    assert answers(transcript, "go 0", "prune back") == ["There is no prune before this step."]
    answers(transcript, "go 0")
    answer = " ".join(answers(transcript, "prune", "step"))
    step = timeline.frame.came_by
    assert isinstance(step, PruneStep)
    for piece in step.removed[:10]:
        assert f"Gone is {piece.text}, " in answer
    answer = " ".join(answers(transcript, "go 1", "step"))
    assert "The expected count of" in answer


def test_pieces_are_listed_from_the_most_probable(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    first = timeline.frame.texts[int(timeline.frame.scores.argmax())]
    answer = answers(transcript, "pieces 3")
    assert len(answer) == 3
    assert answer[0].startswith(f"1. {first}, score −")
    assert "like pieces 10" in answers(transcript, "pieces many")[0]


def test_piece_names_the_replacement_and_the_step_of_removal_and_needs_no_space(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    answer = " ".join(answers(transcript, "go 0", "piece ▁hugs"))
    assert answer.startswith("▁hugs has the id ")
    assert "would replace it" in answer
    assert "nats a pretoken" in answer
    seed, last = timeline.seek(0).texts, timeline.seek(len(timeline)).texts
    gone = next(text for text in seed if text.startswith("▁") and text not in last)
    assert f"{gone} is no piece any more" in answers(transcript, f"piece {gone}")[0]
    assert "never removed" in answers(transcript, "piece g")[1]
    assert answers(transcript, "piece xyz") == ["xyz is no piece, and was none."]
    texts = timeline.seek(len(timeline)).texts
    starts = (text[1:] for text in texts if len(text) > 1 and text.startswith("▁"))
    word = next(word for word in starts if word not in texts)
    assert answers(transcript, f"piece {word}")[0].startswith(f"▁{word} has the id ")


def test_a_text_is_listed_in_its_best_segmentations_and_unknown_characters_as_one(
    transcript: UnigramTranscript, timeline: UnigramTimeline
) -> None:
    answer = answers(transcript, "encode  hugs")  # the second space is the text's
    pieces = timeline.frame.segment("▁hugs")
    assert answer[0].endswith(f": {', '.join(pieces)}.")
    assert answer[1].startswith("In ids: ")
    assert all("Less probable, score" in line for line in answer[2:])
    assert "Say a text" in answers(transcript, "encode")[0]
    answer = answers(transcript, "encode שלום")
    assert answer[0].startswith("1 piece for 4 characters, ")
    assert answer[1:] == [
        "In ids: 0.",
        "No piece spells שלום: unknown characters side by side are one <unk>.",
    ]


def test_ids_are_decoded_as_they_were_encoded(
    timeline: UnigramTimeline, transcript: UnigramTranscript
) -> None:
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        ids = frame.encode(" hugs pun")
        assert frame.decode(ids) == " hugs pun"
        assert answers(transcript, f"decode {ids}") == [f"The text of {len(ids)} ids is ·hugs·pun."]
    assert "there is no token with the id 9999" in answers(transcript, "decode 9999 1")[0]
