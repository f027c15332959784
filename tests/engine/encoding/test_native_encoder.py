"""The compiled encoder gives the ids of Python, for any text.

`test_encoders` compares it with the definition, `test_format_tiktoken` with tiktoken. Without a
kernel these tests are skipped, since Python does the work.
"""

import gc
import os
import pickle
import random
import subprocess
import sys
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from unittest import mock

import pytest
from counting_texts import TEXT_PIECES
from generated import examples, some
from hypothesis import given
from hypothesis import strategies as st
from merge_lists import in_python

import engine
from engine import Tokenizer, Trainer, count_pretokens
from engine.encoding import text_encoder
from engine.encoding.alphabet import BYTES, WholeTokens
from engine.native import KERNEL
from engine.native.encoding import MOST, KernelEncoder, KernelSpecials, merge_numbers, no_specials
from engine.text.cutting import CutPieces, cutter_for, scanner_for
from engine.text.patterns import PATTERNS, BorderTables
from engine.text.pretokenize import to_bytes, to_text

needs_kernel = pytest.mark.skipif(KERNEL is None, reason="the kernel is not compiled here")
pytestmark = needs_kernel
SAMPLES = Path(__file__).resolve().parents[3] / "samples"
SPECIALS = {"<s>": 70_000, "<|end|>": 70_001, " é": 70_002}
WITH_BORDERS = [name for name, pattern in PATTERNS.items() if pattern.borders]


@cache
def merges() -> list[tuple[bytes, bytes]]:
    trainer = Trainer(count_pretokens(SAMPLES / "tinystories_valid.txt"), 1000)
    list(trainer.steps())
    return trainer.merges


@cache
def tokenizer(pattern: str = "gpt2", whole: bool = False) -> Tokenizer:
    vocab = {byte: bytes([byte]) for byte in range(256)}
    vocab |= {256 + rank: left + right for rank, (left, right) in enumerate(merges())}
    alphabet = WholeTokens(BYTES, {b" lowest": 80_000, b"\0": 80_001}) if whole else None
    return Tokenizer(vocab, merges(), SPECIALS, pattern, alphabet=alphabet)


PARTS = [*TEXT_PIECES, b" lowest", b"\0", b" Once upon a time", b"\n\n", *map(str.encode, SPECIALS)]
TEXTS = st.lists(st.sampled_from(PARTS) | st.binary(max_size=3), max_size=30).map(b"".join)


def ways(native: Tokenizer, text: str) -> list[list[int]]:
    """Return the ids of a text by all ways into the kernel, the short one first."""
    return [
        native.encode(text),
        native._encoder.encode(text),
        native.encode_compactly(text).tolist(),
        native._encoder.encode_bytes(to_bytes(text)).tolist(),
        *native.encode_batch([text, text]),
    ]


@pytest.mark.parametrize("pattern", WITH_BORDERS)
@examples(200)
@given(text=TEXTS, whole=st.booleans())
def test_the_ids_are_those_of_python(pattern: str, text: bytes, whole: bool) -> None:
    native = tokenizer(pattern, whole)
    for specials in (SPECIALS, ["<|end|>"], []):
        expected = in_python(native.allowing(specials)).encode(to_text(text))
        assert ways(native.allowing(specials), to_text(text)) == [expected] * 6


def test_samples_and_long_pretokens_have_the_ids_of_python() -> None:
    texts = [path.read_text() for path in SAMPLES.glob("*.txt")]
    sizes = [*range(1, 40), *range(4090, 4100)]
    texts += [f"{word} {word}" for size in sizes for word in ("a" * size, "q" * size, "." * size)]
    for text in [*texts, "a" * 30_000, "\0" * 999, "漢" * 20_000, " " * 30_000, "\ud800 \udcff"]:
        assert ways(tokenizer(), text) == [in_python(tokenizer()).encode(text)] * 6


def random_merges(rng: random.Random, longest: int) -> list[tuple[bytes, bytes]]:
    """Return merges of a and b in any order: a token may have a lower rank than its parts."""
    tokens, merges = [b"a", b"b"], []
    for _ in range(60):
        left = rng.choice(tokens[-8:])
        right = rng.choice([left, rng.choice(tokens)])
        if len(left + right) <= longest and left + right not in tokens:
            tokens.append(left + right)
            merges.append((left, right))
    rng.shuffle(merges)
    return merges


@pytest.mark.parametrize("longest", [8, 80, 5000])
def test_a_long_pretoken_merged_in_windows_has_the_ids_of_python(longest: int) -> None:
    # With tokens of 5,000 bytes no two small windows share one, so larger windows are tried.
    for seed in some(range(12)):
        rng = random.Random(seed)
        table = random_merges(rng, longest)
        tokens = [b"a", b"b", *(left + right for left, right in table)]
        vocab = {byte: bytes([byte]) for byte in range(256)} | dict(enumerate(tokens[2:], 256))
        text = b"".join(rng.choice(tokens) * rng.choice([1, 1, 40]) for _ in range(90))[:20_000]
        native = Tokenizer(vocab, table)
        assert native.encode(text.decode()) == in_python(native).encode(text.decode()), seed


def test_texts_that_differ_in_one_byte_or_in_zeros_behind_are_told_apart() -> None:
    words = [b"abc" * size for size in range(1, 8)]
    words += [word[:at] + b"x" + word[at + 1 :] for word in words for at in range(len(word))]
    words += [word + bytes(more) for word in words for more in (1, 2, 9)]
    text = to_text(b" ".join(words))
    assert tokenizer().encode(text) == in_python(tokenizer()).encode(text)


# One call a text


def test_only_short_texts_in_utf_8_take_the_short_way() -> None:
    short = tokenizer("qwen2")._encoder.encode_short
    assert short("low") == in_python(tokenizer("qwen2")).encode("low")
    others = ["a " * 10_000, "\ud800", "\udcff", b"low", None, 7]
    assert [short(other) for other in others] == [None] * 6
    # The scanner has no page of these characters until the general way has encoded them.
    assert short("ϗ") is None
    assert tokenizer("qwen2").encode("ϗ") == short("ϗ")


def test_a_text_too_long_for_the_kernel_has_a_list_of_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    native = tokenizer()
    monkeypatch.setattr(text_encoder, "LONGEST", 4)
    for text, kind in (("lowé", list), ("low ", array)):
        both = native.encode_compactly(text), native._encoder.encode_bytes(text.encode())
        assert list(map(type, both)) == [kind, kind]
        ids = [*map(list, both), native._encoder.encode(text)]
        assert ids == [in_python(native).encode(text)] * 3


def test_a_text_that_comes_while_the_encoder_is_busy_waits_for_it() -> None:
    native = tokenizer()
    thread_encoder = native._encoder.kernel.encoder.first
    with ThreadPoolExecutor(1) as pool:
        with thread_encoder._alone():
            assert native._encoder.encode_short("low") is None
            waits = pool.submit(native.encode, "low")
        assert waits.result() == in_python(tokenizer()).encode("low")


def test_integers_are_made_once_and_lists_own_them() -> None:
    native = tokenizer()
    [first], [second] = native.encode(" upon"), native.encode(" upon")
    assert first is second > 256
    count = sys.getrefcount(first)
    texts = [" upon" * 100] * 50
    for encode in (lambda texts: [native.encode(text) for text in texts], native.encode_batch):
        lists = encode(texts)
        assert sys.getrefcount(first) == count + 5000
        lists.clear()
        assert sys.getrefcount(first) == count


class Garbage:
    """A cycle whose finalizer encodes a text."""

    def __init__(self, encode: Callable[[], object]) -> None:
        self.itself, self.encode = self, encode

    def __del__(self) -> None:
        self.encode()


def test_a_finalizer_may_encode_while_a_list_is_made() -> None:
    native, text, encoded = tokenizer(), "low " * 1000, list[list[int]]()
    expected = native.encode(text)
    held: list[list[int]] = [[] for _ in range(200)]  # Python keeps no old lists to use again
    threshold = gc.get_threshold()
    for _ in range(5):
        Garbage(lambda: encoded.append(native.encode("Z" * 9000)))
        gc.set_threshold(1)
        try:
            held.append(native.encode(text))
        finally:
            gc.set_threshold(*threshold)
    gc.collect()
    assert held[200:] == [expected] * 5
    assert encoded == [in_python(tokenizer()).encode("Z" * 9000)] * 5


def test_threads_encode_a_batch() -> None:
    texts = [f"abc {number}" * (number % 7) for number in range(3000)]
    texts += ["a " * 10_000, "\ud800 a", "漢字", "<s>"]
    expected = list(map(in_python(tokenizer()).encode, texts))
    with mock.patch.object(text_encoder, "BATCH", 1000):
        for workers in (1, 2, 3, None):
            assert tokenizer().encode_batch(texts, workers) == expected


def test_tokenizers_of_fewer_special_tokens_share_the_memory() -> None:
    native = tokenizer()
    fewer = native.allowing(["<s>"]).allowing([])
    assert fewer._encoder.kernel is native._encoder.kernel


def kernel_encoder(cut: CutPieces | None = None, room: int = 1 << 20) -> KernelEncoder:
    pattern = PATTERNS["gpt2"]
    borders = BorderTables.of(pattern.borders).packed
    table = {(97, 98): (0, 256), (256, 99): (1, 257)}
    numbers = merge_numbers(range(256), table)
    make_cutter = lambda: cut or scanner_for(pattern) or cutter_for(pattern)  # noqa: E731
    return KernelEncoder(borders, numbers, {}, make_cutter, room)


@pytest.mark.parametrize("room", [0, 1 << 14, 1 << 30])
def test_forgotten_pieces_are_merged_again(room: int) -> None:
    """Encode more pieces than one call reads, in more bytes than the memory holds."""
    words = [b" abc%d" % (number % 50_000) for number in range(100_000)]
    ids = kernel_encoder(room=room).first.ids(b"".join(words), no_specials())
    assert ids.tolist() == [one for word in words for one in (32, 257, *word[4:])]


def test_threads_share_an_encoder() -> None:
    texts = [f"abc {number} abc" * 200 for number in range(40)]
    native = tokenizer()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(native.encode, texts)) == list(map(native.encode, texts))


def test_an_encoder_that_was_interrupted_goes_on_with_the_next_text() -> None:
    fails = True

    def cut(text: bytes, sizes: "array[int]") -> "tuple[array[int], array[int]]":
        if fails:
            raise KeyboardInterrupt
        return cutter_for(PATTERNS["gpt2"])(text, sizes)

    encoder = kernel_encoder(cut)
    with pytest.raises(KeyboardInterrupt):
        encoder.first.ids(b"abc abc", no_specials())
    fails = False
    assert encoder.first.ids(b"abc abc", no_specials()).tolist() == [257, 32, 257]


@pytest.mark.parametrize("lengths", [[], [2], [4], [3, 1], [-1, 4], [0, 3]])
def test_lengths_that_are_not_those_of_the_piece_are_refused(lengths: list[int]) -> None:
    encoder = kernel_encoder(lambda text, sizes: (array("q", lengths), array("q", [1])))
    with pytest.raises(ValueError, match="pretokens"):
        encoder.first.ids(b"abc", no_specials())


def test_ids_beyond_its_integers_are_left_to_python() -> None:
    numbers = merge_numbers([0] * 256, {})  # without merges it has them, too
    assert numbers == (array("i", [0] * 256), array("i"), array("i"), 0)
    assert merge_numbers([MOST], {}) is None
    assert merge_numbers([MOST + 1], {}) is None
    assert merge_numbers([-1], {}) is None
    vocab = {byte: bytes([byte]) for byte in range(256)} | {2**31: b"ab"}
    assert Tokenizer(vocab, [(b"a", b"b")]).encode("abc") == [2**31, 99]
    beyond = Tokenizer(vocab, [], {"<s>": 2**31 + 1})
    assert beyond.encode("a<s>b") == [97, 2**31 + 1, 98]


def test_a_helper_process_gets_an_encoder_without_its_memory() -> None:
    encoder = tokenizer()._encoder
    assert pickle.loads(pickle.dumps(encoder)).encode("low abc") == encoder.encode("low abc")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does it")
def test_memory_that_runs_out_is_an_error_of_python() -> None:
    script = """if True:
        import resource
        from engine import Tokenizer
        from engine.core.errors import KernelMemoryError
        text = " ".join(map(str, range(400_000)))
        tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
        tokenizer.encode("abc")
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 20_000_000,) * 2)
        try:
            tokenizer.encode(text)
        except KernelMemoryError as error:
            print(error)
        print(tokenizer.encode("abc"))
    """
    here = str(Path(engine.__file__).parents[1])  # where the kernel is, if there is another engine
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": here},
    )
    assert "not enough memory to encode" in done.stdout, done.stderr
    assert done.stdout.endswith("[97, 98, 99]\n")


GPT2 = PATTERNS["gpt2"]
BORDERS = BorderTables.of(GPT2.borders).packed


def test_a_thread_encoder_returns_the_same_ids_in_each_way() -> None:
    numbers = merge_numbers(range(256), {(97, 98): (0, 256), (256, 99): (1, 300)})
    assert numbers is not None
    encoder = KernelEncoder(BORDERS, numbers, {b"xyz": 400}, lambda: scanner_for(GPT2))  # type: ignore[arg-type, return-value]
    specials, thread_encoder = KernelSpecials({b"<s>": 500, b"<s>b": 501}), encoder.first
    text, ids = "abc abx<s>bxyz", [300, 32, 256, 120, 501, 400]
    assert (
        thread_encoder.ids(text.encode(), specials).tolist()
        == thread_encoder.list_of(text.encode(), specials)
        == ids
    )
    with encoder.lend() as first, encoder.lend() as second:
        assert first is thread_encoder is not second
        assert second.list_of(text.encode(), specials) == ids
    with encoder.lend() as again, encoder.lend() as other:
        assert {again, other} == {first, second}
    thread_encoder._numbers = None  # without integers that are made once
    assert thread_encoder.encode_many(["a", "b"], specials) == [None, None]
    assert thread_encoder.list_of(text.encode(), specials) == ids
