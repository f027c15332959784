"""Merges with `</w>`: CLIP's, and the codes of subword-nmt and fastBPE, against the originals."""

import gzip
import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import in_old_unicode, sample_texts, texts

from engine import Tokenizer, TokenizerFileError
from engine.core.gpt2_bytes import BYTE_TO_CHAR, spell
from engine.formats import open_tokenizer

CORPUS = "low low lower newest newest widest é漢 don't it's 1999 a\n" * 3 + "her herself the there"
CLIP_HEAD = '"bpe_simple_vocab_16e6.txt#version: 0.2'
Merges = list[tuple[str, str]]

# Slow oracles, after the originals' apply_bpe.py and simple_tokenizer.py


def segmented(word: Sequence[str], merges: Merges) -> list[str]:
    """Merge the best pair of a word at all places until no pair is left; return the parts."""
    ranks = {pair: rank for rank, pair in reversed(list(enumerate(merges)))}
    parts = list(word)
    while pairs := [pair for pair in pairwise(parts) if pair in ranks]:
        best = min(pairs, key=ranks.__getitem__)
        joined: list[str] = []
        for part in parts:
            joined.append(part)
            if len(joined) > 1 and (joined[-2], joined[-1]) == best and joined[-1] == part:
                joined[-2:] = [best[0] + best[1]]
        parts = joined
    return parts


def learnt(words: Sequence[str], count: int) -> Merges:
    """Find merges like `learn_bpe.py`, of words of characters or of bytes in GPT-2's spelling."""
    merges: Merges = []
    for _ in range(count):
        found: Counter[tuple[str, str]] = Counter()
        for word in words:
            found.update(pairwise(segmented(start_of(word), merges)))
        if not found:
            break
        merges.append(max(found, key=lambda pair: (found[pair], pair)))
    return merges


def start_of(word: str) -> list[str]:
    return [*word[:-1], f"{word[-1]}</w>"]


def clip_words(text: str) -> list[str]:
    """Return the words of CLIP in GPT-2's spelling; each character is lower-cased separately."""
    pattern = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    composed = unicodedata.normalize("NFC", text)
    lower = "".join(character.lower() for character in regex.sub(r"\s+", " ", composed))
    return [spell(word.encode()) for word in regex.findall(pattern, lower, regex.IGNORECASE)]


def clip_vocab(merges: Merges, ends_in_newline: bool = False) -> dict[str, int]:
    characters = list(BYTE_TO_CHAR.values())
    tokens = [*characters, *(f"{each}</w>" for each in characters), *map("".join, merges)]
    tokens += [""] * ends_in_newline + ["<|startoftext|>", "<|endoftext|>"]
    return {token: number for number, token in enumerate(tokens)}


# CLIP

CLIP_MERGES = learnt(clip_words(CORPUS), 40)
CLIP_TEXT = "\n".join([CLIP_HEAD, *map(" ".join, CLIP_MERGES)])


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    path = tmp_path_factory.mktemp("clip") / "packed"
    path.write_bytes(gzip.compress(CLIP_TEXT.encode()))
    opened = open_tokenizer(path)
    assert opened.format == "clip"
    assert "recognised as CLIP's" in opened.notes[0]
    return opened.tokenizer


def test_clips_ids_equal_those_of_the_original(clip: Tokenizer) -> None:
    vocab = clip_vocab(CLIP_MERGES)

    def ids(text: str) -> list[int]:
        return [
            vocab[part] for w in clip_words(text) for part in segmented(start_of(w), CLIP_MERGES)
        ]

    @examples(300)
    @given(text=texts().map(in_old_unicode))
    def any_text(text: str) -> None:
        assert clip.encode(text) == ids(text)

    any_text()
    for text in sample_texts():
        # In the original a special token directly after a mark such as `.` is not special.
        text = text.replace("<|endoftext|>", "")
        assert clip.encode(text) == ids(text)
    assert clip.encode("Lowest <|EndOfText|>")[-1] == vocab["<|endoftext|>"]
    assert clip.decode(clip.encode("The  lowest!")) == "the lowest ! "


def test_an_empty_last_line_takes_an_id_as_in_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clip.txt").write_text(f"{CLIP_TEXT}\n")
    for most, ends in ((48_894, True), (len(CLIP_MERGES) - 1, False)):
        monkeypatch.setattr("engine.formats.clip.MOST_MERGES", most)
        vocab = clip_vocab(CLIP_MERGES[:most], ends_in_newline=ends)
        tokenizer = open_tokenizer(tmp_path / "clip.txt").tokenizer
        assert tokenizer.encode("<|startoftext|>") == [vocab["<|startoftext|>"]]


def test_clips_vocabulary_and_merges_in_a_directory_are_the_same(
    clip: Tokenizer, tmp_path: Path
) -> None:
    (tmp_path / "vocab.json").write_text(json.dumps(clip_vocab(CLIP_MERGES)))
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *map(" ".join, CLIP_MERGES)]))
    both = [tmp_path / "merges.txt", tmp_path / "vocab.json"]
    for paths in ([tmp_path], both, both[:1], both[1:]):
        opened = open_tokenizer(*paths)
        assert opened.format == "clip"
        assert opened.tokenizer.vocab == clip.vocab
        assert opened.tokenizer.encode(CORPUS) == clip.encode(CORPUS)
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<new>": len(clip.vocab) + 5}))
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"eos_token": "<|endoftext|>"}))
    opened = open_tokenizer(tmp_path)
    assert opened.tokenizer.encode("low<new>")[-1] == len(clip.vocab) + 5
    assert any("added_tokens.json, special_tokens_map.json" in note for note in opened.notes)


# subword-nmt and fastBPE


def words_of(text: str) -> list[str]:
    return [word for word in regex.split(r"[ \r\n]+", text) if word]


@pytest.mark.parametrize("kind", ["subword-nmt 0.2", "fastBPE"])
def test_codes_segment_a_text_like_the_original(kind: str, tmp_path: Path) -> None:
    merges = learnt(words_of(CORPUS), 30)
    count = " 7" if kind == "fastBPE" else ""
    lines = [f"{left} {right}{count}" for left, right in merges]
    head = ["#version: 0.2"] if kind.endswith("0.2") else []
    path = tmp_path / "codes"
    path.write_text("\n".join([*head, *lines, ""]))
    opened = open_tokenizer(path)
    assert (opened.format, opened.notes[0].split(",")[0]) == ("subword-nmt", f"codes of {kind}")
    tokenizer = opened.tokenizer
    known = {c for pair in merges for part in pair for c in part.removesuffix("</w>")}

    def shown(part: str) -> str:
        return part.removesuffix("</w>") if known.issuperset(part.removesuffix("</w>")) else "<unk>"

    @examples(200)
    @given(text=texts() | st.text(alphabet="lowerst widn\n", max_size=30))
    def any_text(text: str) -> None:
        expected = [
            shown(part) for word in words_of(text) for part in segmented(start_of(word), merges)
        ]
        found = [tokenizer.vocab[i].decode().rstrip(" ") for i in tokenizer.encode(text)]
        assert found == expected

    any_text()
    assert tokenizer.decode(tokenizer.encode("lower  newest\nher")).rstrip() == "lower newest her"


def test_ids_are_unk_the_characters_the_merges_then_the_special_tokens(tmp_path: Path) -> None:
    text = "#version: 0.2.0\na b\nab c</w>\n"
    (tmp_path / "merges.txt").write_text(text)  # without a vocabulary beside
    tokenizer = open_tokenizer(tmp_path / "merges.txt", special_tokens=["<s>"]).tokenizer
    tokens = ["<unk>", *"abc", *"abc", "ab", "abc", "<s>"]
    assert tokenizer.vocab == dict(enumerate(map(str.encode, tokens)))
    assert tokenizer.encode("abc ab<s>") == [8, 1, 5, 9]


def test_the_first_of_two_equal_merges_is_used(tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\na b\nb c</w>\na b\n")
    tokenizer = open_tokenizer(tmp_path / "codes").tokenizer
    assert [tokenizer.vocab[i] for i in tokenizer.encode("abc")] == [b"ab", b"c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e s</w> 4\n" * 600 + "e t\n", "line 601 is not two tokens"),
        ("e s</w> 4\n" * 600 + "e t x\n", "line 601 is not two tokens"),
        ("e s</w>\n" * 600 + "e t u v\n", "line 601 is not two tokens"),
        ("#version: 0.2\n" + "e s</w>\n" * 600 + "e  t\n", "line 602 is not two tokens"),
        ("#version: 0.20\ne s</w>\n", "version 0.20; only 0.2 is known"),
        ("e s\nes </w>\n", "has neither version nor counts, as codes of subword-nmt 0.1"),
        (f"{CLIP_HEAD}\ni n\nt\n", "line 3 is not two tokens in GPT-2's stand-ins"),
        (f"{CLIP_HEAD}\ni 漢\n", "line 2 is not two tokens in GPT-2's stand-ins"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "codes").write_text(text)
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(tmp_path / "codes")


def test_merges_beside_a_vocabulary_with_ids_are_no_codes(tmp_path: Path) -> None:
    """The merges of CLIP alone would have other ids than the vocabulary."""
    (tmp_path / "vocab.json").write_text('{"a": 0, "b</w>": 1, "ab</w>": 2}')
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b</w>\n")
    with pytest.raises(TokenizerFileError, match=r"'!' is missing.*open the tokenizer\.json"):
        Tokenizer.load(tmp_path / "merges.txt")
    lines = ["#version: 0.2", *map(" ".join, CLIP_MERGES)]
    vocab = clip_vocab(CLIP_MERGES)
    del vocab["".join(CLIP_MERGES[1])]
    (tmp_path / "vocab.json").write_text(json.dumps(vocab))
    (tmp_path / "merges.txt").write_text("\n".join(lines))
    with pytest.raises(
        TokenizerFileError, match=r"merge 2 \(.*\) needs the token '.*', which the v"
    ):
        Tokenizer.load(tmp_path / "merges.txt")
