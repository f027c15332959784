"""A measure of tokenizers: what other languages cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

ENGLISH_NAME = "english"


def premiums_over_english(
    encode: Callable[[str], Sequence[int]], texts: Mapping[str, str], unknown_id: int | None = None
) -> dict[str, float]:
    """Return each text's tokens as multiples of the English one's, the smallest first.

    Args:
        encode: returns the ids of a text.
        texts: language → the same text in it; one is `ENGLISH_NAME`.
        unknown_id: texts with this id are left out, since they are not spelled at all.

    Returns:
        language → premium, without English; empty if English has no tokens or unknown ones.

    >>> texts = {"english": "the lamp", "greek": "η λάμπα"}
    >>> premiums_over_english(lambda text: list(text.encode()), texts)
    {'greek': 1.625}
    """
    ids = {language: encode(text) for language, text in texts.items()}
    counts = {language: len(found) for language, found in ids.items() if unknown_id not in found}
    if not (english := counts.pop(ENGLISH_NAME, None)):
        return {}
    in_order = sorted(counts, key=counts.__getitem__)
    return {language: counts[language] / english for language in in_order}
