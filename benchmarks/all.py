"""Draw up the table of `benchmarks/README.md`: each job beside a peer, as ratios of processor time.

    python benchmarks/all.py --ts TS --mixed MIXED --gpt2 VOCAB.json MERGES.txt --ranks O200K CL100K

TS is a corpus of simple stories, MIXED one of prose, code and many scripts. The ranks are files of
tiktoken. Models of SentencePiece and tokenizers are trained on MIXED, once, in the folder
`--models`.

Each side of a job runs in a fresh process of its own, in turns with the other, round by round. A
row has the minimum, the median and the maximum of the rounds' ratios: below 1 we are faster. Cold
is the first pass in a process, warm the best of three later ones. Processor time is that of all
threads and child processes; where a row says *clock*, it is time by the clock. A library that is
not installed, or results that differ, are named in the row.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from processes import PeakMemory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine.native import KERNEL, WHY_NO_KERNEL

ROOT = Path(__file__).resolve().parent.parent
PEERS = "sentencepiece", "tokenizers", "tiktoken", "tuetoken", "gigatoken", "gigabpe"
SHORT, SHORT_STEP = 200, 500
"""Characters of a short text, and how far apart in the corpus two begin."""


class Inputs(NamedTuple):
    """The files that the jobs read."""

    ts: str
    mixed: str
    gpt2: list[str]
    ranks: list[str]
    models: str

    def text(self, megabytes: float) -> str:
        """Return the beginning of the mixed corpus."""
        with open(self.mixed, "rb") as stream:
            return stream.read(int(1e6 * megabytes)).decode("utf-8", "ignore")

    def model(self, name: str) -> str:
        return str(Path(self.models, name))


Work = Callable[[], Any]
"""What is measured; what it returns has to be equal on both sides, `None` to compare nothing."""
Prepare = Callable[[Inputs], Work]
"""Loads what the work needs; raises `ImportError` if a library is missing."""


class Job(NamedTuple):
    """Two sides of a row, and what is measured: `cold`, `warm` or `both`, or time by the clock."""

    name: str
    ours: Prepare
    peer: Prepare
    when: str = "both"
    by_clock: bool = False


# -- sides


def load(path: str | list[str]) -> Any:
    from engine import Tokenizer

    return Tokenizer.load(path) if isinstance(path, str) else Tokenizer.from_files(*path)


def our_encoding(name: str) -> Prepare:
    def prepare(inputs: Inputs) -> Work:
        tokenizer, text = load(inputs.model(name)), inputs.text(1)
        return lambda: tokenizer.encode(text)

    return prepare


def sentencepieces(inputs: Inputs, name: str) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=inputs.model(name))


def hugging_face(path: str) -> Any:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    from tokenizers import Tokenizer

    return Tokenizer.from_file(path)


def their_encoding(name: str) -> Prepare:
    def prepare(inputs: Inputs) -> Work:
        text = inputs.text(1)
        if name.endswith(".model"):
            processor = sentencepieces(inputs, name)
            return lambda: processor.encode(text)
        tokenizer = hugging_face(inputs.model(name))
        return lambda: tokenizer.encode(text, add_special_tokens=False).ids

    return prepare


def compared(inputs: Inputs) -> list[Any]:
    return [load(inputs.gpt2), load(inputs.ranks[0]), load(inputs.model("qwen.json"))]


def comparing(inputs: Inputs) -> Work:
    from engine.analysis.text_comparison import TextComparison

    tokenizers, data = compared(inputs), inputs.text(10).encode()

    def work() -> None:
        _ = TextComparison(tokenizers, data).differing_bytes

    return work


def encoding_alone(inputs: Inputs) -> Work:
    tokenizers, text = compared(inputs), inputs.text(10)

    def work() -> None:
        for tokenizer in tokenizers:
            tokenizer.encode_compactly(text)

    return work


def command(*words: str) -> Prepare:
    """Run the program: `{mixed}`, `{ts}` and `{models}` are replaced by the inputs."""

    def prepare(inputs: Inputs) -> Work:
        given = [word.format(**inputs._asdict()) for word in words]
        return process(sys.executable, "-m", "bpe_tui", *given)

    return prepare


def process(*words: str) -> Work:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            filled = [word.replace("{out}", folder) for word in words]
            subprocess.run(filled, check=True, env=environment, stdout=-3, stderr=-3)

    return work


def script(code: str) -> Prepare:
    """Run a program of Python: `inputs` is there."""
    return lambda inputs: process(sys.executable, "-c", f"inputs = {inputs._asdict()!r}\n{code}")


TRAIN_GIGABPE = """
import gigabpe
special = ["<|endoftext|>"]
gigabpe.train_bpe([inputs["ts"]], 10_000, special_tokens=special, pretokenizer="bytelevel")
"""
FIRST_OURS = """
from engine import Tokenizer
Tokenizer.from_files(*inputs["gpt2"]).encode("hello world")
"""
FIRST_THEIRS = """
from tokenizers import Tokenizer, models, pre_tokenizers
tokenizer = Tokenizer(models.BPE.from_file(*inputs["gpt2"]))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.encode("hello world")
"""


def loading(number: int) -> Prepare:
    def prepare(inputs: Inputs) -> Work:
        import engine.formats.rank_files  # noqa: F401

        return lambda: load(inputs.ranks[number]).encode("hello world")

    return prepare


def their_loading(number: int, pattern: str) -> Prepare:
    def prepare(inputs: Inputs) -> Work:
        import tiktoken
        from tiktoken.load import load_tiktoken_bpe

        from engine.text.patterns import PATTERNS

        def work() -> Any:
            ranks = load_tiktoken_bpe(inputs.ranks[number])
            source = PATTERNS[pattern].source
            made = tiktoken.Encoding("x", pat_str=source, mergeable_ranks=ranks, special_tokens={})
            return made.encode("hello world")

        return work

    return prepare


def ids_to_decode(tokenizer: Any, text: str, short: bool) -> list[list[int]]:
    if not short:
        return [tokenizer.encode(text)]
    return [tokenizer.encode(text[at : at + SHORT]) for at in range(0, len(text), SHORT_STEP)]


def our_decoding(name: str, short: bool) -> Prepare:
    def prepare(inputs: Inputs) -> Work:
        tokenizer = load(inputs.model(name) if name else inputs.gpt2)
        ids = ids_to_decode(tokenizer, inputs.text(5), short)
        return lambda: list(map(tokenizer.decode, ids))

    return prepare


def their_decoding(library: str, name: str, short: bool) -> Prepare:
    def prepare(inputs: Inputs) -> Work:
        ours = load(inputs.model(name) if name else inputs.gpt2)
        ids = ids_to_decode(ours, inputs.text(5), short)
        if library == "tiktoken":
            import tiktoken

            ranks = {token: number for number, token in ours.vocab.items()}
            made = tiktoken.Encoding(
                "x", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={}
            )
            decode: Callable[[list[int]], Any] = made.decode
        elif library == "tuetoken":
            import tuetoken

            decode = tuetoken.Tokenizer(inputs.model("gpt2.json")).decode
        else:
            tokenizer = hugging_face(inputs.model(name))
            decode = lambda each: tokenizer.decode(each, skip_special_tokens=False)  # noqa: E731
        return lambda: list(map(decode, ids))

    return prepare


def to_ids(inputs: Inputs) -> Work:
    tokenizer = load(inputs.gpt2)

    def work() -> None:
        for _ in tokenizer.encode_stream_compactly(blocks(inputs.mixed), workers=2):
            pass

    return work


def blocks(path: str) -> Any:
    with open(path, "rb") as stream:
        while block := stream.read(1 << 20):
            yield block


def gigatokens(inputs: Inputs) -> Any:
    import gigatoken

    return gigatoken.Tokenizer(inputs.model("gpt2.json"))


def their_ids(inputs: Inputs) -> Work:
    encoder = gigatokens(inputs)

    def work() -> None:
        encoder.encode_files([inputs.mixed], parallel=True)

    return work


def our_array(inputs: Inputs) -> Work:
    tokenizer, text = load(inputs.gpt2), inputs.text(22)
    return lambda: len(tokenizer.encode_compactly(text))


def their_array(inputs: Inputs) -> Work:
    encoder, text = gigatokens(inputs), inputs.text(22)
    return lambda: len(encoder.encode(text))


def random_words(megabytes: int) -> Prepare:
    def prepare(inputs: Inputs) -> Work:
        import random

        chance = random.Random(1)
        letters = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=megabytes * 1_000_000))
        text, tokenizer = (
            " ".join(letters[at : at + 7] for at in range(0, len(letters), 7)),
            load(inputs.gpt2),
        )
        tokenizer.encode("low")

        def work() -> None:
            tokenizer.encode(text)

        return work

    return prepare


def wordpieces(inputs: Inputs) -> Work:
    from engine import count_pretokens
    from engine.wordpiece.trainer import WordPieceTrainer

    path = five_megabytes(inputs)

    def work() -> None:
        counts = count_pretokens(path, "bert")
        for _ in WordPieceTrainer(counts, 12_000).steps():
            pass

    return work


def five_megabytes(inputs: Inputs) -> Path:
    path = Path(inputs.models, "mixed-5M.txt")
    path.write_text(inputs.text(5), encoding="utf-8")
    return path


def their_wordpieces(inputs: Inputs) -> Work:
    os.environ["RAYON_NUM_THREADS"] = "1"
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    path = five_megabytes(inputs)

    def work() -> None:
        made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer()
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.train([str(path)], trainers.WordPieceTrainer(vocab_size=12_000, show_progress=False))

    return work


def trained(size: int, *more: str) -> Prepare:
    words = "train", "{mixed}", "--vocab-size", str(size), "--out", "{{out}}/t", *more
    return command(*words)


JOBS = [
    *(
        Job(f"encode 1 MB, {label}", our_encoding(name), their_encoding(name))
        for label, name in (
            ("T5's Unigram ÷ sentencepiece", "t5.model"),
            ("Mistral's BPE ÷ sentencepiece", "mistral.model"),
            ("BERT's tokenizer.json ÷ tokenizers", "bert.json"),
            ("T5's tokenizer.json ÷ tokenizers", "t5.json"),
            ("ALBERT's tokenizer.json ÷ tokenizers", "albert.json"),
        )
    ),
    Job("compare GPT-2, o200k, Qwen, 10 MB ÷ the encodings", comparing, encoding_alone, "cold"),
    *(
        Job(
            f"check, {size // 1000}k merges ÷ training",
            command("check", f"{{models}}/trained-{size}", "--corpus", "{mixed}"),
            trained(size),
            "cold",
        )
        for size in (2256, 32256)
    ),
    Job("load o200k ÷ tiktoken", loading(0), their_loading(0, "o200k"), "cold"),
    Job("load cl100k ÷ tiktoken", loading(1), their_loading(1, "cl100k"), "cold"),
    Job("GPT-2, first encoding ÷ tokenizers", script(FIRST_OURS), script(FIRST_THEIRS), "cold"),
    Job("bpe-tui --help ÷ --version", command("--help"), command("--version"), "cold"),
    Job(
        "bpe-tui encode hi ÷ --version",
        command("encode", "hi", "--tokenizer", "{gpt2[0]}", "--tokenizer", "{gpt2[1]}"),
        command("--version"),
        "cold",
    ),
    Job(
        "bpe-tui train, ts ÷ gigabpe's process",
        command("train", "{ts}", "--vocab-size", "10000", "--out", "{{out}}/t"),
        script(TRAIN_GIGABPE),
        "cold",
    ),
    Job(
        "import of train_bpe ÷ Python's start",
        script("from engine import train_bpe"),
        script(""),
        "cold",
    ),
    *(
        Job(
            f"decode, {kind} ÷ {library}",
            our_decoding("", is_short),
            their_decoding(library, "", is_short),
            "warm",
        )
        for library in ("tuetoken", "tiktoken")
        for kind, is_short in (("short texts", True), ("long text", False))
    ),
    *(
        Job(
            f"decode, {label} ÷ tokenizers",
            our_decoding(name, False),
            their_decoding("tokenizers", name, False),
            "warm",
        )
        for label, name in (("Mistral", "mistral.json"), ("Qwen", "qwen.json"))
    ),
    Job("file to ids, mixed ÷ gigatoken, clock", to_ids, their_ids, "cold", by_clock=True),
    Job("22 MB to an array ÷ gigatoken", our_array, their_array, "warm"),
    Job("random words, 10 MB ÷ 1 MB", random_words(10), random_words(1), "cold"),
    Job(
        "convert ÷ load and encode, o200k",
        command("convert", "{ranks[0]}", "--to", "huggingface", "--out", "{{out}}/t.json"),
        command("encode", "hi", "--tokenizer", "{ranks[0]}"),
        "cold",
    ),
    Job(
        "SuperBPE ÷ BPE, training on ts",
        command(
            *("train", "{ts}", "--phases", "gpt2:8000,none:10000", "--out", "{{out}}/t"),
        ),
        command("train", "{ts}", "--vocab-size", "10000", "--out", "{{out}}/t"),
        "cold",
    ),
    Job("WordPiece training, 5 MB ÷ tokenizers", wordpieces, their_wordpieces, "cold"),
]


# -- models that are trained once


def make_models(inputs: Inputs) -> None:
    """Train models like those that are in wide use, unless they are there."""
    folder = Path(inputs.models)
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "done").exists():
        return
    import sentencepiece
    from tokenizers import (
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        trainers,
    )

    from engine.text.patterns import PATTERNS

    sample = folder / "sample.txt"
    sample.write_text(inputs.text(10), encoding="utf-8")
    kinds: dict[str, dict[str, Any]] = {
        "t5": {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc"},
        "mistral": {
            "model_type": "bpe",
            "byte_fallback": True,
            "normalization_rule_name": "identity",
            "remove_extra_whitespaces": False,
        },
    }
    for name, settings in kinds.items():
        sentencepiece.SentencePieceTrainer.train(
            input=str(sample),
            model_prefix=str(folder / name),
            vocab_size=32_000,
            minloglevel=2,
            **settings,
        )
    bert = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    bert.normalizer = normalizers.BertNormalizer()
    bert.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    bert.train(
        [str(sample)],
        trainers.WordPieceTrainer(vocab_size=30_522, special_tokens=["[UNK]"], show_progress=False),
    )
    bert.save(str(folder / "bert.json"))
    t5 = load(inputs.model("t5.model")).pipeline
    made = Tokenizer(models.Unigram([each[:2] for each in t5.model.pieces], 0, False))
    rules = normalizers.Precompiled(t5.normalizer.charsmap)
    made.normalizer = rules
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    made.save(str(folder / "t5.json"))
    made.normalizer = normalizers.Sequence(
        [
            normalizers.Replace("``", '"'),
            *(normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()),
            *(normalizers.Replace(Regex(" {2,}"), " "), rules),
        ]
    )
    made.save(str(folder / "albert.json"))
    mistral = load(inputs.model("mistral.model")).pipeline.model
    vocab = {piece.text: number for number, piece in enumerate(mistral.pieces)}
    made = Tokenizer(
        models.BPE(vocab, mistral.merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.decoder = decoders.Sequence(
        [
            *(decoders.Replace("▁", " "), decoders.ByteFallback()),
            *(decoders.Fuse(), decoders.Strip(" ", 1, 0)),
        ]
    )
    made.save(str(folder / "mistral.json"))
    byte_level = Tokenizer(models.BPE.from_file(*inputs.gpt2))
    byte_level.decoder = decoders.ByteLevel()
    byte_level.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    byte_level.save(str(folder / "gpt2.json"))
    byte_level.normalizer = normalizers.NFC()
    byte_level.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERNS["qwen2"].source), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    byte_level.save(str(folder / "qwen.json"))
    for size in (2256, 32256):
        out = str(folder / f"trained-{size}")
        process(
            *(sys.executable, "-m", "bpe_tui", "train", inputs.mixed),
            *("--vocab-size", str(size), "--out", out),
        )()
    (folder / "done").touch()


# -- measuring


def seconds(work: Work, by_clock: bool) -> tuple[float, Any]:
    """Return the time of one call and what it returned."""

    def now() -> float:
        if by_clock:
            return time.perf_counter()
        both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(each.ru_utime + each.ru_stime for each in both)

    begun = now()
    result = work()
    return now() - begun, result


def measure_one(job: Job, is_ours: bool, inputs: Inputs) -> dict[str, Any]:
    """Measure a side of a job in this process."""
    try:
        work = (job.ours if is_ours else job.peer)(inputs)
    except ImportError as error:
        return {"skipped": str(error)}
    cold, result = seconds(work, job.by_clock)
    figures: dict[str, Any] = {"cold": cold, "checksum": crc32(repr(result).encode())}
    if job.when != "cold":
        figures["warm"] = min(seconds(work, job.by_clock)[0] for _ in range(3))
    return figures


def row_of(job: Job, inputs: Inputs, rounds: int) -> str:
    """Measure a job, and return its row."""
    found: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for _ in range(rounds):
        sides = []
        for side in ("ours", "peer"):
            one = [sys.executable, __file__, "--one", job.name, side, json.dumps(inputs._asdict())]
            with subprocess.Popen(one, stdout=subprocess.PIPE, text=True) as run:
                memory = PeakMemory(run.pid)
                printed, _ = run.communicate()
                memory.stop()
            if run.returncode:
                return f"| {job.name} | FAILED: {side} | | |"
            sides.append({**json.loads(printed.splitlines()[-1]), "peak": memory.alone / 1e6})
        found.append((sides[0], sides[1]))
        if reason := next((each["skipped"] for each in sides if "skipped" in each), None):
            return f"| {job.name} | SKIPPED: {reason} | | |"
    cells = []
    for when in ("cold", "warm"):
        if job.when not in (when, "both"):
            cells.append("")
            continue
        ratios = sorted(ours[when] / max(peer[when], 1e-9) for ours, peer in found)
        low, middle, high = (
            f"{each:.2f}" for each in (ratios[0], statistics.median(ratios), ratios[-1])
        )
        cells.append(f"{low} / **{middle}** / {high}")
    differ = "; the results differ" if any(a["checksum"] != b["checksum"] for a, b in found) else ""
    return f"| {job.name}{differ} | {cells[0]} | {cells[1]} | {found[0][0]['peak']:.0f} MB |"


def machine() -> str:
    """Return the names of the machine and of the libraries that are there, and say what lacks."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(
            line.split(":")[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    found = []
    for name in PEERS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"**{name} is not installed**")
    kernel = "with the kernel" if KERNEL is not None else f"**without the kernel: {WHY_NO_KERNEL}**"
    return (
        f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}; bpe-tui {kernel}; {', '.join(found)}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ts", required=True)
    parser.add_argument("--mixed", required=True)
    parser.add_argument("--gpt2", nargs=2, required=True, metavar=("VOCAB", "MERGES"))
    parser.add_argument("--ranks", nargs=2, required=True, metavar=("O200K", "CL100K"))
    parser.add_argument("--models", default=str(Path(tempfile.gettempdir(), "bpe-tui-models")))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="jobs whose names have this text")
    given = parser.parse_args()
    inputs = Inputs(given.ts, given.mixed, given.gpt2, given.ranks, given.models)
    make_models(inputs)
    print(f"{machine()}\n\n| job | cold | warm | our peak |\n|---|---|---|---|", flush=True)
    for job in JOBS:
        if given.only in job.name:
            print(row_of(job, inputs, given.rounds), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        wanted = next(job for job in JOBS if job.name == sys.argv[2])
        print(
            json.dumps(
                measure_one(wanted, sys.argv[3] == "ours", Inputs(**json.loads(sys.argv[4])))
            )
        )
    else:
        main()
