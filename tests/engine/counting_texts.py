"""Parts of texts that are hard to count: each kind of space, broken bytes, special tokens."""

SPACES = [" ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "\v", "\f", "\x85", "\u00a0", "\u1680"]
SPACES += ["\u2000", "\u2003", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"]
NO_SPACES = ["\x1c", "\x1d", "\x1e", "\x1f", "\0", "\u180e", "\u200b", "\ufeff", "\x7f"]
WORDS = ["a", "Z", "low", "lower", "WORD", "Word", "antidisestablish", "aB", "é", "éÉ", "café"]
WORDS += ["ß", "ſ", "ǅ", "ʰ", "ª", "ия", "漢字", "語", "กำ", "ـ"]
NUMBERS = ["1", "1234", "2345", "١", "٣", "½", "Ⅻ", "①"]
SYMBOLS = ["!", ".", "...", "/", "-", "_", "$", "<", "|>", '"', "“", "…", "€", "。", "!?\n", "/\n/"]
SYMBOLS += ["👍", "👩\u200d👧", "🇩🇪", "e\u0301", "\u0301", "\u0903", "\u20dd", "\u200d"]
APOSTROPHES = ["'", "'s", "'LL", "'ve'd", "'ſ", "’s", "''", "don't"]
BROKEN = [b"\xff", b"\x80", b"\x85", b"\xa0", b"\xa9", b"\xc2", b"\xc3", b"\xe1\x9a", b"\xe2\x80"]
BROKEN += [b"\xe3\x80", b"\xed\xa0\x80", b"\xf0\x9f", b"\xf4"]

SPECIAL_TOKENS = ["<s>", "<s><s>", "<s><t>", " <p", "low ", "é", "'s", "<|end|>"]
SPECIAL_TOKENS += [" ", "  ", "\n", "\0"]

TEXTS = SPACES + NO_SPACES + WORDS + NUMBERS + SYMBOLS + APOSTROPHES
TEXT_PIECES = [
    *(text.encode() for text in TEXTS),
    *(token.encode() for token in SPECIAL_TOKENS),
    *BROKEN,
]
