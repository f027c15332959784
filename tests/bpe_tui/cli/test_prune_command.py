"""`bpe-tui prune`: the tokenizer that is left, in the format in which it came."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bert_file import BERT
from program import BAD_INPUT, HANDOUT, ROOT, run

from engine import Tokenizer

GOLDEN = ROOT / "tests" / "engine" / "golden"


@pytest.mark.parametrize("name", ["gpt2", "tokenizer.json", "handout.tiktoken", "handout.model"])
def test_a_pruned_file_has_the_format_of_the_first(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    result = run("prune", GOLDEN / name, "--corpus", HANDOUT, "--out", out)
    assert result.returncode == 0
    assert result.stdout.decode().splitlines()[1:3] == [
        "  with their counts: ·lower (1)  lower (1)  er (2)",
        "the corpus has 19 tokens before, 23 after (+21.1%); bytes per token 5.000 → 4.130",
    ]
    whole, left = Tokenizer.load(GOLDEN / name), Tokenizer.load(out)
    assert len(left.merges) == len(whole.merges) - 3
    assert left.decode(left.encode("lower newest")) == "lower newest"


def test_json_names_the_rows_of_an_embedding_to_keep(tmp_path: Path) -> None:
    asked = ("prune", GOLDEN / "tokenizer.json", "--corpus", HANDOUT, "--json")
    facts = json.loads(run(*asked, "--out", tmp_path / "a.json").stdout)
    whole, left = Tokenizer.load(GOLDEN / "tokenizer.json"), Tokenizer.load(tmp_path / "a.json")
    assert [each["token"] for each in facts["removed"]] == ["Ġlower", "lower", "er"]
    assert facts["corpus_tokens"] == {"before": 19, "after": 23}
    for old, new in zip(facts["old_ids"], facts["new_ids"], strict=True):
        assert whole.vocab[old] == left.vocab[new]
    kept = json.loads(run(*asked, "--keep-ids", "--out", tmp_path / "b.json").stdout)
    assert kept["new_ids"] == facts["old_ids"]


def test_nothing_rare_leaves_the_tokenizer_as_it_is(tmp_path: Path) -> None:
    asked = ("prune", GOLDEN / "gpt2", "--corpus", HANDOUT, "--below", "1")
    result = run(*asked, "--out", tmp_path / "all", "--to", "tiktoken")
    assert b"occurs once or more" in result.stdout
    assert len(Tokenizer.load(tmp_path / "all").merges) == len(
        Tokenizer.load(GOLDEN / "gpt2").merges
    )


def test_what_cannot_be_pruned_is_refused_in_one_sentence(tmp_path: Path) -> None:
    bert = tmp_path / "bert.json"
    bert.write_text(json.dumps(BERT))
    for arguments, said in (
        ([bert], b"pruning takes out tokens that merges make, and this model, WordPiece, merges"),
        ([GOLDEN / "gpt2", "--to", "gtp2"], b"unknown format 'gtp2'"),
        ([GOLDEN / "gpt2", "--force", "--to", "minbpe", "--keep-ids"], b"minbpe"),
    ):
        result = run("prune", *arguments, "--corpus", HANDOUT, "--out", tmp_path / "out")
        assert result.returncode == BAD_INPUT
        assert said in result.stderr
        assert not (tmp_path / "out").exists()
    result = run("prune", GOLDEN / "gpt2", "--corpus", HANDOUT, "--out", tmp_path)
    assert b"give --force to overwrite it" in result.stderr
