"""Training once with one library: the process that `train.py` starts and times.

    python benchmarks/train_one.py LIBRARY CORPUS VOCAB_SIZE THREADS

prints the seconds that counting and merging took, where the library lets them be told apart, as a
line of JSON. Nothing is imported here but what the library needs, so that starting up is measured
as its users have it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import perf_counter

END = "<|endoftext|>"
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

Laps = list[float]
"""The times when counting began, when it ended (if known), and the end."""


def ours(corpus: str, vocab_size: int, threads: int) -> Laps:
    """Train with the default trainer, as `bpe-tui train` does; every step is recorded."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the program does
    from engine import Trainer, count_pretokens

    began = perf_counter()
    counts = count_pretokens(corpus, "gpt2", [END], workers=threads)
    counted = perf_counter()
    trainer = Trainer(counts, vocab_size, [END])
    for _ in trainer.steps():
        pass
    return [began, counted, perf_counter()]


def hugging_faces(corpus: str, vocab_size: int, threads: int) -> Laps:
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    began = perf_counter()
    tokenizer.train([corpus], trainer)
    return [began, perf_counter()]


def gigabpes(corpus: str, vocab_size: int, threads: int) -> Laps:
    import gigabpe

    began = perf_counter()
    gigabpe.train_bpe(
        [corpus], vocab_size, special_tokens=[END], pretokenizer="bytelevel", threads=threads
    )
    return [began, perf_counter()]


def ffbpes(corpus: str, vocab_size: int, threads: int) -> Laps:
    """Train with ffbpe, line by line, which is its fastest way to read a file."""
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    from ffbpe import BpeTrainer, PreTokenizer

    began = perf_counter()
    counter = PreTokenizer([END]).word_counter()
    with open(corpus, encoding="utf-8", errors="replace", newline="") as lines:
        counter.add_source(lines)
    counted = perf_counter()
    trainer = BpeTrainer([END], unit="byte")
    trainer.add_word_counter(counter)
    trainer.train(vocab_size)
    return [began, counted, perf_counter()]


def rustbpes(corpus: str, vocab_size: int, threads: int) -> Laps:
    """Train with rustbpe, after special tokens are cut out."""
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    import rustbpe

    began = perf_counter()
    with open(corpus, encoding="utf-8", errors="replace", newline="") as stream:
        documents = stream.read().split(END)
    rustbpe.Tokenizer().train_from_iterator(iter(documents), vocab_size, pattern=GPT2)
    return [began, perf_counter()]


LIBRARIES: dict[str, Callable[[str, int, int], Laps]] = {
    "bpe-tui": ours,
    "tokenizers": hugging_faces,
    "gigabpe": gigabpes,
    "ffbpe": ffbpes,
    "rustbpe": rustbpes,
}


def main() -> None:
    name, corpus, vocab_size, threads = sys.argv[1:]
    try:
        laps = LIBRARIES[name](corpus, int(vocab_size), int(threads))
    except ImportError as error:
        print(f'{{"skipped": "{error}"}}')
        return
    figures = f'"count + merges s": {laps[-1] - laps[0]}'
    if len(laps) > 2:
        figures += f', "count s": {laps[1] - laps[0]}, "merges s": {laps[2] - laps[1]}'
    print(f"{{{figures}}}")


if __name__ == "__main__":
    main()
