"""Speed of encoding, beside other libraries with the same vocabulary.

    python benchmarks/encode.py CORPUS --tokenizer VOCAB.json MERGES.txt

The files are GPT-2's. Each library runs in fresh processes of its own. Cold is the first pass
over the corpus, warm the median of later ones. Times are
those of the processor: each library uses one thread.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runs import Figures, table, taking_turns

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from engine import Tokenizer
from engine.text.patterns import PATTERNS

END = "<|endoftext|>"
COLUMNS = ["cold MB/s", "warm MB/s", "cold ratio", "warm ratio", "peak MB"]

Encode = Callable[[str], Any]


def load(files: list[str]) -> Tokenizer:
    return Tokenizer.from_files(files[0], files[1], special_tokens=[END])


def ours(files: list[str]) -> Encode:
    return load(files).encode


def tiktokens(files: list[str]) -> Encode:
    import tiktoken

    vocab = load(files).vocab
    [end] = [token_id for token_id, token in vocab.items() if token == END.encode()]
    encoding = tiktoken.Encoding(
        "gpt2",
        pat_str=PATTERNS["gpt2"].source,
        mergeable_ranks={token: token_id for token_id, token in vocab.items() if token_id != end},
        special_tokens={END: end},
    )
    return lambda text: encoding.encode(text, allowed_special="all")


def hugging_faces(files: list[str]) -> Encode:
    import tokenizers
    from tokenizers import models, pre_tokenizers

    tokenizer = tokenizers.Tokenizer(models.BPE.from_file(*files))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens([END])
    return lambda text: tokenizer.encode(text).ids


def rs_bpes(files: list[str]) -> Encode:
    """Load rs-bpe, which has its own vocabulary and no special tokens."""
    from rs_bpe import openai

    encode: Encode = openai.cl100k_base().encode
    return encode


LIBRARIES = {
    "tiktoken": tiktokens,
    "bpe-tui": ours,
    "tokenizers": hugging_faces,
    "rs-bpe (cl100k)": rs_bpes,
}


def read(path: str, megabytes: float) -> str:
    """Read the beginning of the corpus, up to a newline."""
    with open(path, "rb") as stream:
        data = stream.read(int(megabytes * 1e6))
    return data[: data.rfind(b"\n") + 1].decode("utf-8", "replace")


def seconds(encode: Encode, text: str) -> float:
    start = time.process_time()
    encode(text)
    return time.process_time() - start


def measure(name: str, arguments: argparse.Namespace) -> Figures | dict[str, str]:
    try:
        encode = LIBRARIES[name](arguments.tokenizer)
    except ImportError as error:
        return {"skipped": str(error)}
    text = read(arguments.corpus, arguments.megabytes)
    megabytes = len(text.encode()) / 1e6
    cold, *warm = (seconds(encode, text) for _ in range(1 + arguments.passes))
    return {
        "cold MB/s": megabytes / cold,
        "warm MB/s": megabytes / statistics.median(warm),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--tokenizer", nargs=2, required=True, metavar=("VOCAB", "MERGES"))
    parser.add_argument(
        "--megabytes", type=float, default=20, help="how much of the corpus to read"
    )
    parser.add_argument("--passes", type=int, default=3, help="warm passes")
    parser.add_argument("--rounds", type=int, default=3, help="fresh processes for each library")
    parser.add_argument("--one", choices=LIBRARIES, help="measure one library, print JSON")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments)))
        return
    commands = {name: [*sys.argv, "--one", name] for name in LIBRARIES}
    rows = taking_turns(commands, arguments.rounds)
    for figures in rows.values():
        for what in ("cold", "warm"):
            if "tiktoken" in rows:
                peer = rows["tiktoken"][f"{what} MB/s"]
                figures[f"{what} ratio"] = figures[f"{what} MB/s"] / peer
    print(table(rows, COLUMNS))


if __name__ == "__main__":
    main()
