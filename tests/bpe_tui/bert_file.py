"""A small tokenizer.json of BERT's kind."""

PIECES = ["[UNK]", "hug", "##s", "the", "!"]

BERT = {
    "added_tokens": [],
    "normalizer": {"type": "Lowercase"},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {piece: place for place, piece in enumerate(PIECES)},
    },
}
