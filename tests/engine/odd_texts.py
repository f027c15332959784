"""Texts on which tokenizers differ: many scripts, marks, spaces and symbols."""

import unicodedata
from pathlib import Path

from hypothesis import strategies as st

SAMPLES = Path(__file__).resolve().parents[2] / "samples"

CHARACTERS = (
    "abcdefst ABDSTK0123456789'’-_.,;:!?/\\|()[]{}<>#@&*+=~^$%\"`\n\r\t\v\f\x00\x01\x1c\x85\xa0"
    "éÉñüßſÅİǅΣσςЖжяאבשّمدहिन्दीกรุงไทย漢字龥ひらカタ한글각ᄀ힣"
    "²³¼½Ⅻ٣०①\u0301\u0308\u20dd\u200b\u200d\u200f\u2028\u2029\u3000\u1680\ufeff\ufffd▁Ġ"
    "ﬁﬆℌ㎏…—«»、。€😀👩\U0001f3fd"
)


def texts(max_size: int = 24) -> st.SearchStrategy[str]:
    """Generate texts of these characters and of common words."""
    words = st.sampled_from(
        ["don't", " the", "Hello", "  ", "\r\n", "'ll", "12345", "e\u0301", " "]
    )
    return st.lists(st.sampled_from(CHARACTERS) | words, max_size=max_size).map("".join)


def sample_texts() -> list[str]:
    """Return the project's samples, shortened."""
    return [path.read_text()[:6000] for path in sorted(SAMPLES.glob("*.txt"))]


def in_old_unicode(text: str) -> str:
    """Keep the characters of Unicode 3.2, on which all tables agree."""
    return "".join(c for c in text if unicodedata.ucd_3_2_0.category(c) != "Cn")
