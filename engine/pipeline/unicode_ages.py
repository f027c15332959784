"""Characters that are newer than the Unicode tables in Hugging Face's library.

The library has several tables, of Unicode 8, 9 and later; Python's and `regex`'s know more. A
character that a table of the library does not know is left as it is there, and so it is here. All
characters of Unicode 18 are in these lists, so they hold for any Python.
"""

from __future__ import annotations


def characters(ranges: str) -> frozenset[str]:
    """Return the characters of ranges of code points in hexadecimal.

    >>> sorted(characters("41-43 7A"))
    ['A', 'B', 'C', 'z']
    """
    ends = (each.partition("-") for each in ranges.split())
    spans = ((int(first, 16), int(last or first, 16)) for first, _, last in ends)
    return frozenset(chr(code) for first, last in spans for code in range(first, last + 1))


NEWER_THAN_9 = characters(
    """
    558 58B-58C 5C8-5C9 7FD 897-89F 8CA-8D3 9FE AFA-AFF B53-B55 C04 C3C CF3 D00 D3B-D3C D81 EBA
    ECE 1715 180F 1ABF-1AF0 1CF7 1DF6-1DFA 209D-209F 32FF A7F1-A7F4 A82C A8FF AB69 105C9 105E4
    10781-10785 10787-107B0 107B2-107BF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF
    10EF0-10EFF 10F46-10F50 10F82-10F85 11070 11073-11074 110C2 11145-11146 111C9 111CE-111CF
    11241 1133B 11383 11385 1138E 11391 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 113D2
    113E1-113E2 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943
    119D1-119D7 119DA-119E0 119E4 11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B
    11A8A-11A99 11B60-11B67 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D8A-11D8E
    11D90-11D91 11D93-11D97 11DF0 11EF3-11EF6 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 11F5A
    13440 13447-13455 1611E-1612F 16D67-16D6A 16F4F 16F7F-16F87 16FE4 16FF0-16FF1 1B123-1B126
    1CCD6-1CCF9 1CF00-1CF2D 1CF30-1CF46 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281
    1D6A6 1DF95 1DFCD-1DFFF 1E030-1E06D 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF
    1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1F16C 1FBF0-1FBF9
    """
)
"""Marks, and characters made of others, for the normalization forms and `StripAccents`."""

NEWER_THAN_8 = NEWER_THAN_9 | characters(
    """
    8D4-8E1 1885-1886 1DFB A8C5 A9BD 1123E 11438-1143F 11442-11444 11446 11C30-11C36 11C38-11C3D
    11C3F 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 1E000-1E006 1E008-1E018 1E01B-1E021
    1E023-1E024 1E026-1E02A 1E944-1E94A
    """
)
"""Those, and marks that BERT's table does not know; U+1885 and U+1886 were letters in it."""

FORMER_MARKS = "\u1cf2\u1cf3"
"""Letters that were marks in Unicode 9."""
FORMER_NONSPACING_MARKS = "\u1734\U0001171e"
"""Marks that were nonspacing in Unicode 8."""

NEWER_FORMATS = characters("890-891 8E2 110CD 13430-1343F")
"""Format characters that came after Unicode 8."""

NEWER_PUNCTUATION = characters(
    """
    61D 9FD A76 C77 C84 1B4E-1B4F 1B7D-1B7F 2E43-2E4F 2E52-2E63 10D6E 10EAD 10ED0 10F55-10F59
    10F86-10F89 113D4-113D8 1144B-1145D 11660-1166C 116B9 1183B 11944-11946 119E2 11A3F-11A46
    11A9A-11AA2 11B00-11B09 11BE1 11C41-11C45 11C70-11C71 11EF7-11EF8 11F43-11F4F 11FFF
    12FF1-12FF2 16D6D-16D6F 16E97-16E9A 16FE2 1E5FF 1E95E-1E95F
    """
)
"""Punctuation that came after Unicode 8."""
FORMER_PUNCTUATION = "\u166d\U000111c9"
"""Characters that were punctuation in Unicode 8."""

LOWER_CASES = str.maketrans(
    {
        "\u1c89": "\u1c8a",
        "\ua7cb": "\u0264",
        "\ua7cc": "\ua7cd",
        "\ua7ce": "\ua7cf",
        "\ua7d2": "\ua7d3",
        "\ua7d4": "\ua7d5",
        "\ua7da": "\ua7db",
        "\ua7dc": "\u019b",
        **{chr(code): chr(code + 32) for code in range(0x10D50, 0x10D66)},
        **{chr(code): chr(code + 27) for code in range(0x16EA0, 0x16EB9)},
    }
)
"""Lower case of letters up to Unicode 17, which the library knows and an older Python does not."""
