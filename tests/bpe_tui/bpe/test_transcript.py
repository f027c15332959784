"""The transcript without a screen, and the sentences that it shares with the screens."""

from __future__ import annotations

import pytest
from generated import first_quick
from transcript_run import HANDOUT, run

from bpe_tui.bpe.narration import narrate, narrate_tie
from bpe_tui.bpe.transcript import BpeTranscript
from bpe_tui.views.narration import first_fitting, narrate_end, narrate_undone
from engine import StopReason, Timeline, Trainer

LECTURE = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


def recorded(counts: dict[bytes, int] = LECTURE, vocab_size: int = 262) -> Timeline:
    trainer = Trainer(counts, vocab_size)
    timeline = Timeline(counts, trainer.steps(), record=trainer.record, pattern="whitespace")
    timeline.complete()
    return timeline


@pytest.fixture
def transcript() -> BpeTranscript:
    return BpeTranscript(recorded(), StopReason.SIZE_REACHED)


def answers(transcript: BpeTranscript, *lines: str) -> list[str]:
    """Return the answer to the last line."""
    return [list(transcript.answer(line)) for line in lines][-1]


# -- sentences


def test_a_sentence_for_each_state_is_shorter_with_fewer_cells() -> None:
    timeline = recorded()
    assert narrate(timeline.frame).startswith("Step 0: 79 bytes, each a token of its own. The pair")
    assert narrate(timeline.forward()) == (
        "Merge 1 of 6: s and t occurred together 9 times; they are one token now, st."
    )
    assert narrate_undone(timeline.back())[0] == (
        "Back at step 0 of 6: st is taken apart into s and t again."
    )
    assert narrate(timeline.sub_step()).startswith("Move 1 of ")
    assert narrate_end(StopReason.NO_PAIR_LEFT).startswith("Training ended: no pair is left")
    frame = recorded().seek(1)
    assert narrate(frame, 40) == "Merge 1: s and t, 9 times, become st."
    assert first_fitting(40, *narrate_undone(frame)) == "Back at step 1: est is e and st again."
    timeline = recorded({b"a": 3})
    assert narrate(timeline.frame) == "Step 0: 3 bytes, and no pair to merge."


def test_the_reason_for_a_merge_names_its_rivals() -> None:
    timeline = recorded()
    assert narrate_tie(timeline.frame) == "Nothing has merged at step 0."
    assert narrate_tie(timeline.seek(1)).startswith(
        "The pair s and t merged, 9 times. It was tied with e and s."
    )
    assert "No other pair was as frequent" in narrate_tie(timeline.seek(2))


# -- commands


def test_lines_go_on_play_and_go_to_a_number_share_or_distance(transcript: BpeTranscript) -> None:
    assert answers(transcript, "") == answers(
        BpeTranscript(recorded(), StopReason.SIZE_REACHED), "next"
    )
    assert [answers(transcript, f"go {to}")[0].split(":")[0] for to in ("4", "50%", "-2", "0")] == [
        "Merge 4 of 6",
        "Merge 3 of 6",
        "Merge 1 of 6",
        "Step 0",
    ]


def test_playing_ends_with_the_training_and_going_back_says_which_merge_is_undone(
    transcript: BpeTranscript,
) -> None:
    answer = answers(transcript, "play 9")
    assert [line.split(":")[0] for line in answer[:6]] == [f"Merge {k} of 6" for k in range(1, 7)]
    assert answer[5].endswith("Training ended: the vocabulary has the size asked for.")
    assert answer[6].startswith("There is no step after 6.")
    assert answers(transcript, "go 2", "back 5") == [
        "Back at step 1 of 6: est is taken apart into e and st again.",
        "Back at step 0 of 6: st is taken apart into s and t again.",
        "There is no step before 0.",
    ]


def test_why_with_two_tokens_gives_the_history_of_the_pair(transcript: BpeTranscript) -> None:
    asked = ["w+e: 8 at step 0.", "2 pairs occur more often here"]
    for line in ("why w e", "why w|e", "why w│e"):
        first, second = answers(transcript, line)
        assert (first, second.partition(";")[0]) == tuple(asked)
    assert answers(transcript, "why st q")[0].startswith("st+q: the two never occur")
    assert answers(transcript, "why nosuch e")[0].startswith("nosuch is no token of this vocab")
    assert answers(transcript, "why st") == [
        "st occurs 9 times in this corpus.",
        "st is no token yet: it comes with merge 1 (s + t). Now it is s + t.",
        "merge 1: st (one token)",
    ]

    assert answers(transcript, "go 0", "tie back") == ["No merge before this one was tied."]


def test_merge_lists_pretokens_and_counts_and_pairs_the_most_frequent(
    transcript: BpeTranscript,
) -> None:
    assert answers(transcript, "pairs 1") == ["1. s and t, 9 times."]
    answer = answers(transcript, "next", "merge")
    assert "Its id is 256. It is in 2 pretokens." in answer
    assert "The pretoken newest, 6 times, is n, e, w, e, st now." in answer
    assert "The count of s and t went from 9 to 0." in answer


def test_a_text_is_encoded_and_ids_are_decoded_but_for_those_unknown(
    transcript: BpeTranscript,
) -> None:
    assert answers(transcript, "next", "encode best\n") == [
        "3 tokens for 4 bytes: b, e, st.",
        "In ids: 98 101 256.",
    ]
    assert answers(transcript, "encode  a")[0] == "2 tokens for 2 bytes: ·, a."
    assert answers(transcript, "decode [108, 111]") == ["The text of 2 ids is lo."]
    answer = answers(transcript, "decode 108,111 9999 108")
    assert [answer[0], answer[2]] == ["The text of 2 ids is lo.", "The text of 1 id is l."]
    assert "id 9999;" in answer[1]
    assert answers(transcript, "decode lo") == [
        "'lo' is no token id; ids are whole numbers from 0."
    ]


# -- the program


WITHOUT_TEXTUAL = (
    "import sys; from bpe_tui.cli import main; "
    "sys.exit(main(sys.argv[1:]) or 'textual' in sys.modules)"
)


@pytest.mark.slow  # it starts a process
@pytest.mark.parametrize("model", ["wordpiece", "unigram"])
def test_no_model_needs_textual_to_be_stepped_through(model: str) -> None:
    options = ("--plain", "--model", model, "--vocab-size", "60")
    result = run(HANDOUT, *options, stdin=b"next\nencode low\nquit\n", program=WITHOUT_TEXTUAL)
    assert (result.returncode, len(result.stdout.splitlines()) > 3) == (0, True), result.stderr


@pytest.mark.parametrize("command", first_quick([[], ["open"]]))
def test_a_pipe_gets_a_line_for_each_command_and_no_textual_is_loaded(command: list[str]) -> None:
    result = run(
        *command,
        HANDOUT,
        "--plain",
        "--pattern",
        "whitespace",
        stdin=b"\nnext\nencode \xff\nquit\nnext\n",
        program=WITHOUT_TEXTUAL,
    )
    assert result.returncode == 0, result.stderr
    lines = result.stdout.decode().splitlines()
    assert [line.split(":")[0] for line in lines[1:4]] == [
        "Merge 1 of 12",
        "Merge 2 of 12",
        "1 token for 1 byte",
    ]
    assert len(lines) == 5


def test_the_corpus_and_the_commands_cannot_both_be_standard_input() -> None:
    result = run("-", "--plain", stdin=b"low lower")
    assert result.returncode == 2
    assert b"give the corpus as a file" in result.stderr


def test_ties_are_found_and_explained_before_and_after(transcript: BpeTranscript) -> None:
    assert answers(transcript, "ahead") == [
        "Next is s and t, 9 times.",
        "It is tied with e and s.",
        "Tie rule lexicographic (CS336): s is later in byte order than e.",
        "The tie rule first-seen (minbpe) would merge e and s.",
        "The tie rule smallest-ids (rustbpe) would merge e and s.",
        "The tie rule huggingface would merge e and s.",
        "The tie rule sentencepiece would merge e and s.",
    ]
    assert answers(transcript, "tie")[0].startswith("Merge 1 of 6")
    assert "The tie rule smallest-ids (rustbpe) would have merged e and s." in answers(
        transcript, "why"
    )


def test_a_prediction_is_answered_line_by_line_and_then_the_step_is_made(
    transcript: BpeTranscript,
) -> None:
    asked = answers(transcript, "predict")
    assert asked[0] == "2 pairs occur 9 times each: which one merges?"
    rows = {row[5:]: row[2] for row in asked[2:4]}
    assert answers(transcript, rows["e+s"])[0] == (
        "No: e+s loses to another pair that is tied with it."
    )
    assert answers(transcript, "hint") == ["Hint: compare the bytes of the left tokens."]
    assert answers(transcript, "nonsense") == ["Answer with a number from 1 to 2."]
    assert answers(transcript, rows["s+t"]) == [
        "Right: s+t wins the tie of 2 at 9.",
        "Rule lexicographic (CS336): s is later in byte order than e: e = 101 < s = 115.",
        "Merge 1 of 6: s and t occurred together 9 times; they are one token now, st.",
        "0 of 1 at the first try; predict asks on.",
    ]
    asked = answers(transcript, "predict next-pair")
    assert asked[2] == "  5 × l┊o┊w"
    assert not any(row[-1].isdigit() for row in asked[6:12])  # no counts yet
    shown = answers(transcript, "show")
    assert shown[-1] == "0 of 2 at the first try; predict asks on."
    assert answers(transcript, "predict sums") == [
        "Ask one of next-pair, tie, count-change, make-merges, encode-by-hand, reason, "
        "fewer, stale, tokens-left."
    ]
    assert answers(transcript, "predict best-path") == [
        "That cannot be asked here: best-path is asked about Unigram, and this is another model."
    ]


def test_a_word_is_encoded_by_hand_join_by_join(transcript: BpeTranscript) -> None:
    asked = answers(transcript, "go 6", "predict encode-by-hand")
    assert asked[2] == "  merge 2   e + st"
    assert asked[6] == "  n ┊ e ┊ w ┊ e ┊ s ┊ t"
    assert answers(transcript, "5") == [
        "Right: s+t joins: merge 1.",
        "Next best was n+e, merge 6.",
        "  n ┊ e ┊ w ┊ e ┊ st",
    ]
    assert answers(transcript, "4")[0] == "Right: e+st joins: merge 2."
    answers(transcript, "3", "1")
    assert answers(transcript, "0")[0] == "Right: newest is 2 tokens: ne┊west."


def test_merges_are_made_by_hand_part_by_part(transcript: BpeTranscript) -> None:
    asked = answers(transcript, "go 0", "predict make-merges")
    assert asked[2:] == [
        "  5 × l┊o┊w",
        "  2 × l┊o┊w┊e┊r",
        "  3 × w┊i┊d┊e┊s┊t",
        "  6 × n┊e┊w┊e┊s┊t",
        "Merge 1 of 3: which pair?",
        "Answer with a pair, such as l+o; then with the words that change, such as lo w, lo w e r. "
        "You may type · for a space. hint helps, show gives the answer, skip goes on, quit leaves.",
    ]
    assert answers(transcript, "s+t")[-1] == "Merge 1 of 3: replace s+t everywhere."
    assert answers(transcript, "w i d e st")[0] == "No: in n┊e┊w┊e┊s┊t a place of s+t is left."
    assert answers(transcript, "hint") == ["Hint: it joins in 2 places of 2 words."]
    assert "  6 × n┊e┊w┊e┊st" in answers(transcript, "w i d e st, n e w e st")
    assert answers(transcript, "show")[0] == "Answer: s+t, then e+st, then o+w."
