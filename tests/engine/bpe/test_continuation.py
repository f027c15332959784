"""Merges learnt after those of a tokenizer: held against a slow oracle and an open tool.

`bpe-continue` is a package; where it is not installed its tests are skipped.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import oracles
import pytest
import tokenizers
from generated import examples, first_quick
from hypothesis import given
from hypothesis import strategies as st
from pipelines import (
    added,
    built,
    byte_normalized,
    clip,
    deepseek,
    falcon,
    gemma,
    gpt2,
    llama2,
    mistral,
    prefixed,
    roberta,
    words,
)
from tiny_tokenizers import END, trained

from engine import (
    BpeError,
    MergeStep,
    QuestionError,
    StopReason,
    Timeline,
    Tokenizer,
    VocabSizeError,
    VocabularyError,
    ask,
    continue_bpe,
)
from engine.bpe.continuation import Continuation, ContinuedReplay, check_continuable
from engine.core.events import CountProgress, WorkProgress
from engine.counting.count import count_text
from engine.formats import convert, open_tokenizer
from engine.pipeline.pipeline import Pipeline
from engine.recording.training_input import LARGEST_VOCABULARY

REPO = Path(__file__).resolve().parents[3]
SAMPLES, GPT2 = REPO / "samples", REPO.parent / "shared" / "data"
CORPORA = ("code.txt", "unicode.txt", "we_and_they.txt", "tinystories_valid.txt", "README.md")
Merges = list[tuple[bytes, bytes]]


@cache
def text_of(name: str, most: int = 60_000) -> str:
    return (SAMPLES / name).read_bytes()[:most].decode("utf-8", "ignore")


@cache
def of_stories() -> Tokenizer:
    """Return a tokenizer trained on stories: 300 merges, `<|endoftext|>` after the bytes."""
    return trained(count_text(text_of(CORPORA[3]).encode(), "gpt2", [END]), [END], merges=300)


@cache
def of_gpt2() -> Tokenizer:
    files = GPT2 / "gpt2_vocab.json", GPT2 / "gpt2_merges.txt"
    if not all(file.exists() for file in files):
        pytest.skip(f"{GPT2} does not have GPT-2's files")
    return Tokenizer.load(*files, [END])


TOKENIZERS = {"trained": of_stories, "GPT-2": of_gpt2}
# To write and read GPT-2's 50,000 merges for each corpus takes seconds.
NAMES = "trained", pytest.param("GPT-2", marks=pytest.mark.slow)


def learnt(training: Continuation) -> Merges:
    list(training.steps())
    return training.tokenizer.merges[len(training.base.merges) :]


def counts_of(tokenizer: Tokenizer, text: str) -> Counter[bytes]:
    return count_text(text.encode(), tokenizer.pattern, tokenizer.special_tokens)


# -- the definition: encode the corpus with all merges so far, take the most frequent pair


def by_definition(tokenizer: Tokenizer, counts: Mapping[bytes, int], merges: int) -> Merges:
    """Learn slowly; of equal counts the pair that is later in byte order wins."""
    vocab, made = dict(tokenizer.vocab), list(tokenizer.merges)
    used = {part for merge in made for part in merge}
    found: Merges = []
    while len(found) < merges:
        now = Tokenizer(vocab, made, tokenizer.special_tokens)
        pairs: Counter[tuple[bytes, bytes]] = Counter()
        for pretoken, times in counts.items():
            tokens = [vocab[token_id] for token_id in now.rules.tokens_of(pretoken)]
            for pair in pairwise(tokens):
                pairs[pair] += times * (pair[0] + pair[1] not in used)
        best = max(pairs, key=lambda pair: (pairs[pair], pair), default=None)
        if best is None or not pairs[best]:
            break
        if best[0] + best[1] not in vocab.values():
            vocab[max(vocab) + 1] = best[0] + best[1]
        made.append(best)
        found.append(best)
    return found


@examples(200)
@given(
    first=oracles.corpora(),
    then=oracles.corpora(),
    own=st.integers(0, 8),
    more=st.lists(st.binary(min_size=2, max_size=4), max_size=3),
)
def test_each_merge_is_of_the_most_frequent_pair_of_the_encoded_corpus(
    first: dict[bytes, int], then: dict[bytes, int], own: int, more: list[bytes]
) -> None:
    base = trained(first, merges=own)
    # Tokens that no merge makes: a pair may make one of them.
    parts = [p[n : n + 3] for p in then for n in range(len(p) - 2)][:2]
    new = dict.fromkeys(token for token in (*parts, *more) if token not in base.vocab.values())
    vocab = base.vocab | dict(enumerate(new, 1000))
    base = Tokenizer(vocab, base.merges)
    training = Continuation(base, then, 6)
    assert learnt(training) == by_definition(base, then, 6)
    longer = training.tokenizer
    for pretoken in then:
        assert longer.rules.tokens_of(pretoken) == tuple(longer.encoder.encode(pretoken))


def test_a_token_that_no_merge_made_keeps_its_id() -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc", 258: b"abcd"}
    base = Tokenizer(vocab, [(b"a", b"b")])
    assert base.encode("abc") == [256, ord("c")]
    training = Continuation(base, {b"abc": 3, b"xy": 1}, 9)
    assert learnt(training) == [(b"ab", b"c"), (b"x", b"y")]
    assert training.learnt == [((256, ord("c")), 257), ((ord("x"), ord("y")), 259)]
    assert training.tokenizer.encode("abc") == [257]


def test_a_token_that_no_text_gets_is_not_learnt_if_merges_use_it() -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"bc", 257: b"ab", 258: b"abc"}
    merges = [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]
    vocab |= {259: b"abcd"}
    base = Tokenizer(vocab, [*merges, (b"abc", b"d")])
    # Made of `a` and `bc`, `abc` would join to the `d` after it, before this merge's rank.
    expected = [(b"bc", b"d"), (b"a", b"bcd"), (b"x", b"y")]
    assert learnt(Continuation(base, {b"abcd": 5, b"xy": 1}, 9)) == expected


def test_new_ids_follow_the_highest_and_all_others_stay() -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ow", 400: b"<s>", 7000: b"?!"}
    base = Tokenizer(vocab, [(b"o", b"w")], ["<s>"])
    longer = Continuation(base, {b"low": 5, b"lower": 2}, 2)
    assert learnt(longer) == [(b"l", b"ow"), (b"low", b"e")]
    assert longer.tokenizer.vocab == vocab | {7001: b"low", 7002: b"lowe"}
    assert longer.tokenizer.encode("lower<s>") == [7002, ord("r"), 400]


@pytest.mark.parametrize(("tie_rule", "taken"), [("smallest-ids", b"zwa"), ("first-seen", b"xya")])
def test_ids_decide_a_tie_whatever_the_order_of_the_merges(tie_rule: str, taken: bytes) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {900: b"xy", 800: b"zw"}
    base = Tokenizer(vocab, [(b"x", b"y"), (b"z", b"w")])
    training = Continuation(base, {b"xya": 1, b"zwa": 1}, 1, tie_rule=tie_rule)
    assert learnt(training) == [(taken[:2], taken[2:])]


@pytest.mark.parametrize(
    ("min_count", "merges", "reason"),
    [(1, 2, StopReason.CONTINUED), (3, 99, StopReason.TOO_RARE), (1, 99, StopReason.NO_PAIR_LEFT)],
)
def test_it_ends_with_the_number_or_with_the_pairs(
    min_count: int, merges: int, reason: StopReason
) -> None:
    base = trained({b"ow": 1}, merges=1)
    training = Continuation(base, {b"low": 5, b"lower": 2}, merges, min_count=min_count)
    assert len(learnt(training)) == {2: 2, 3: 1, 1: 3}[merges if merges == 2 else min_count]
    assert training.stop_reason is reason


# -- the open tool


def without_special(tokenizer: Tokenizer, text: str) -> list[str]:
    """Return the text between the tokens that are cut out of it, which the tool does not know."""
    found = [(False, -len(token), token) for token in tokenizer.special_tokens]
    if isinstance(tokenizer.pipeline, Pipeline):
        tokens = tokenizer.pipeline.added_tokens
        found = [(each.normalized, -len(each.content), each.content) for each in tokens]
    cut = "|".join(re.escape(token) for _, _, token in sorted(found))
    return re.split(cut, text) if cut else [text]


def by_bpe_continue(file: Path, tokenizer: Tokenizer, text: str, merges: int) -> Any:
    tool = pytest.importorskip("bpe_continue", reason="bpe-continue is not installed")
    return tool.continue_training(
        file,
        texts=without_special(tokenizer, text),
        vocab_size=len(tokenizer.vocab) + merges,
        show_progress=False,
    )


def merges_in(reference: tokenizers.Tokenizer) -> list[tuple[str, str]]:
    return [tuple(pair) for pair in json.loads(reference.to_str())["model"]["merges"]]


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("name", NAMES)
def test_the_merges_are_those_of_bpe_continue(name: str, corpus: str, tmp_path: Path) -> None:
    tokenizer, file, text = TOKENIZERS[name](), tmp_path / "own.json", text_of(corpus)
    tokenizer.save(file, "huggingface")
    theirs = by_bpe_continue(file, tokenizer, text, 200)
    training = Continuation(tokenizer, counts_of(tokenizer, text), 200, tie_rule="smallest-ids")
    assert learnt(training)
    training.tokenizer.save(tmp_path / "longer.json", "huggingface")
    ours = tokenizers.Tokenizer.from_file(str(tmp_path / "longer.json"))
    assert merges_in(ours) == merges_in(theirs)
    assert ours.get_vocab() == theirs.get_vocab()


IN_BYTES = [gpt2, roberta, deepseek, falcon, added]
TEXTS_OF_EACH = 150


Build = Callable[[], tokenizers.Tokenizer]


def saved(build: Build, path: Path) -> Path:
    """Write the `tokenizer.json` of a library's tokenizer; return its path."""
    built(build).save(str(path))
    return path


@pytest.mark.parametrize("build", first_quick(IN_BYTES, 4))
def test_the_saved_file_has_its_stages_and_gives_the_librarys_ids(
    build: Build, tmp_path: Path
) -> None:
    file, longer = saved(build, tmp_path / "own.json"), tmp_path / "longer.json"
    corpus = tmp_path / "corpus.txt"
    text = "".join(map(text_of, CORPORA[:3]))
    corpus.write_bytes(text.encode())
    opened = open_tokenizer(file).tokenizer
    seen: list[object] = []
    made = continue_bpe(opened, corpus, 200, tie_rule="smallest-ids", on_progress=seen.append)
    assert {*map(type, seen)} == {CountProgress, WorkProgress}
    made.save(longer, "huggingface")

    before, after = (json.loads(each.read_text(encoding="utf-8")) for each in (file, longer))
    own = before["model"]["merges"]
    assert after["model"]["merges"][: len(own)] == own
    assert after["model"]["vocab"].items() >= before["model"]["vocab"].items()
    for key in ("normalizer", "pre_tokenizer", "post_processor", "decoder", "added_tokens"):
        assert after[key] == before[key]
    assert after["model"] | before["model"] == before["model"]  # all else is as it was

    library = tokenizers.Tokenizer.from_file(str(longer))
    assert made.special_ids == opened.special_ids
    pieces = [text[n * 199 :][: 20 + n % 90] + "<pad>" * (n % 2) for n in range(TEXTS_OF_EACH)]
    read = open_tokenizer(longer).tokenizer
    theirs = [each.ids for each in library.encode_batch(pieces, add_special_tokens=False)]
    assert made.encode_batch(pieces) == theirs == read.encode_batch(pieces)
    tool = by_bpe_continue(file, opened, text, 200)
    assert merges_in(library) == merges_in(tool)


@pytest.mark.parametrize("build", [llama2, mistral, words, clip, prefixed, byte_normalized, gemma])
def test_a_tokenizer_that_merges_characters_is_refused(build: Build, tmp_path: Path) -> None:
    opened = open_tokenizer(saved(build, tmp_path / "own.json")).tokenizer
    with pytest.raises(VocabularyError, match="only a tokenizer that merges bytes can go on: its"):
        check_continuable(opened, 5)


@pytest.mark.parametrize(
    ("merges", "said"),
    [(0, "0 new merges are none"), (11, "ids for 10 new merges; ask for fewer than 11")],
)
def test_a_number_of_merges_that_is_none_or_too_large_is_refused(merges: int, said: str) -> None:
    vocab = of_stories().vocab | {LARGEST_VOCABULARY - 10: b"<last>"}
    base = Tokenizer(vocab, of_stories().merges, [END])
    check_continuable(base, max(1, merges - 1))
    with pytest.raises(VocabSizeError, match=said):
        Continuation(base, {}, merges)


def test_learning_reports_its_progress_after_each_batch_of_merges() -> None:
    training = Continuation(of_stories(), counts_of(of_stories(), text_of(CORPORA[1])), 40)
    progress = [("learning merges", 16, 40), ("learning merges", 32, 40)]
    assert (list(training.steps()), training.stop_reason) == (progress, StopReason.CONTINUED)


# -- the formats


@pytest.mark.parametrize("format", ["huggingface", "gpt2", "course-json", "tiktoken", "minbpe"])
def test_the_format_that_it_came_in_holds_it(format: str, tmp_path: Path) -> None:
    base = trained(count_text(b"low lower lowest new newer newest", "gpt2"), merges=12)
    base.save(tmp_path / "own", format)
    own = open_tokenizer(tmp_path / "own", pattern="gpt2").tokenizer
    counts = counts_of(own, text_of(CORPORA[0]))
    longer = Continuation(own, counts, 50)
    assert len(learnt(longer)) == 50
    convert(longer.tokenizer, format, tmp_path / "longer")
    read = open_tokenizer(tmp_path / "longer", pattern="gpt2").tokenizer
    assert read.vocab == longer.tokenizer.vocab
    assert read.encode(text_of(CORPORA[0])) == longer.tokenizer.encode(text_of(CORPORA[0]))


# -- the timeline


def replay_of(tokenizer: Tokenizer, counts: Mapping[bytes, int], merges: int) -> Timeline:
    replay = ContinuedReplay(Continuation(tokenizer, counts, merges), counts)
    steps = [step for step in replay.steps() if isinstance(step, MergeStep)]
    assert len(steps) == replay.merges_wanted
    replay.timeline.extend(steps)
    replay.timeline.complete()
    return replay.timeline


def test_the_timeline_has_a_border_and_counts_choose_behind_it() -> None:
    base = of_stories()
    counts = counts_of(base, text_of(CORPORA[1]))
    timeline, own = replay_of(base, counts, 40), len(base.merges)
    assert len(timeline) == own + 40
    [start] = timeline.frame.phase_starts
    assert (start.step, start.label) == (own, "new merges")
    at_border = timeline.seek(own)
    assert at_border.phase_start == start
    assert (at_border.was_given, at_border.next_given) == (True, False)
    assert at_border.tokenizer().encode("a 漢字") == base.encode("a 漢字")
    for step in (own - 1, own, own + 1, own + 39):
        frame, pairs = timeline.seek(step), Counter[tuple[int, int]]()
        for pretoken, count in counts.items():
            for pair in pairwise(frame.tokens_of(pretoken)):
                pairs[pair] += count
        assert dict(frame.top_pairs(10_000)) == dict(pairs)
        merge = frame.merge_at(step)
        assert frame.next_pair == merge.pair
        if step >= own:
            assert frame.queue.best() == merge.pair
            assert merge.tied[0] == merge.pair
            assert set(merge.tied) == set(frame.queue.tied)
            assert (len(merge.tied) > 1) == frame.tied_steps.is_tied(step + 1)
        else:
            assert merge.tied == (merge.pair,)
    assert all(step > own for step in frame.tied_steps)
    assert ask("next-pair", timeline.seek(own + 3)).advice
    with pytest.raises(QuestionError, match="a tokenizer's; no count chose them"):
        ask("next-pair", timeline.seek(own - 3))


@pytest.mark.parametrize("build", [gpt2, deepseek])
def test_a_step_behind_the_border_saves_the_merges_up_to_it(build: Build, tmp_path: Path) -> None:
    base = open_tokenizer(saved(build, tmp_path / "own.json")).tokenizer
    counts, own = counts_of(base, text_of(CORPORA[0])), len(base.merges)
    timeline = replay_of(base, counts, 20)
    half = timeline.seek(own + 10).tokenizer()
    assert len(half.vocab) == len(base.vocab) + 10
    half.save(tmp_path / "half.json", "huggingface")
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "half.json"))
    text = text_of(CORPORA[0], 3000)
    assert library.encode(text, add_special_tokens=False).ids == half.encode(text)


def test_a_file_is_learnt_from_as_the_tokenizer_cuts_it(tmp_path: Path) -> None:
    corpus, seen = tmp_path / "corpus.txt", []
    corpus.write_text(f"lowlow{END}low low {END} lowlow", encoding="utf-8")
    base = trained({b"low": 3}, [END], merges=2)
    longer = continue_bpe(base, corpus, 9, on_progress=seen.append)
    assert longer.merges[2:] == [(b"low", b"low"), (b" ", b"lowlow"), (b" ", b"low")]
    assert seen
    for merges, said in ((0, "0 new merges are none"), (9, "no such file")):  # in this order
        with pytest.raises(BpeError, match=said):
            continue_bpe(base, tmp_path / "none.txt", merges)
