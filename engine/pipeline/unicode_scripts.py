"""The script of a character, as the stage `UnicodeScripts` of Hugging Face's library knows it.

Its table is of Unicode 9. What is newer belongs to any script, as a space does. Hiragana, Katakana
and `ー` count as Han.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from engine.pipeline.unicode_ages import characters
from engine.text.scripts import SCRIPTS

_RARE = (
    "Ahom Anatolianhieroglyphs Avestan Bassavah Bhaiksuki Brahmi Braille Buginese Buhid Carian "
    "Caucasianalbanian Coptic Cuneiform Cypriot Deseret Duployan Egyptianhieroglyphs Elbasan "
    "Glagolitic Gothic Grantha Hanunoo Hatran Imperialaramaic Inscriptionalpahlavi "
    "Inscriptionalparthian Kaithi Kharoshthi Khojki Khudawadi Lineara Linearb Lycian Lydian "
    "Mahajani Manichaean Marchen Mendekikakui Meroiticcursive Meroitichieroglyphs Modi Mroo "
    "Multani Nabataean Ogham Oldhungarian Olditalic Oldnortharabian Oldpermic Oldpersian "
    "Oldsoutharabian Oldturkic Osmanya Pahawhhmong Palmyrene Paucinhau Phagspa Phoenician "
    "Psalterpahlavi Rejang Runic Samaritan Sharada Shavian Siddham Signwriting Sorasompeng "
    "Tagalog Tagbanwa Takri Tangut Tirhuta Ugaritic Warangciti"
)
_GROUPS = (
    r"\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\u30fc",
    r"[\u0589\u061c]|\p{Script=Common}",
    r"[\u0953\u0954]|\p{Script=Devanagari}",
    *(rf"\p{{Script={name}}}" for name in ("Inherited", *SCRIPTS, *_RARE.split())),
)
_SCRIPT = regex.compile("|".join(f"({each})" for each in _GROUPS))
_OF_ANY = characters(
    """
    20 558 560 588 58B-58C 5C8-5C9 5EF 61D 7FD-7FF 860-89F 8B5 8BE-8D3 9FC-9FE A76 AFA-AFF B53-B55
    C04 C3C C5C-C5D C77 C84 CDC-CDD CF3-D00 D04 D3B-D3C D81 E86 E89 E8C E8E-E93 E98 EA0 EA8-EA9
    EAC EBA ECE 170D 1715-171F 180F 1878 1ABF-1AF0 1B4C-1B4F 1B7D-1B7F 1C89-1CBF 1CF7 1CFA
    1DF6-1DFA 208F 209D-209F 20BF-20C4 23FF 2427-2429 2B96-2B97 2BBA-2BBC 2BC9 2BD2-2BEB 2BF0-2BFF
    2C2F 2C5F 2E45-2E63 2FFC-2FFF 312E-312F 31BB-31BF 31E4-31EF 32FF 4DB6-4DBF 9FD6-9FFF A7AF
    A7B8-A7F6 A82C A8FE-A8FF AB66-AB6D FBC2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF 1019C
    1032D-1032F 10780-107BF 10A34-10A35 10A48 10EC2-10EFF 11070-11075 110C2-110CD 11144-11147
    111CE-111CF 1123F-11241 1133B 1145A 1145E-11461 116B8-116B9 116D0-116E3 1171A 11740-11746
    11AB0-11ABF 11B00-11B67 11DF0-11FFF 1246F 12475-1247F 12550-12686 1342F-143FA 16F45-16F4F
    16F7F-16F87 16FE2-16FF6 187ED-187FF 18AF3-1AFFE 1B002-1B168 1CC00-1CFC3 1D127-1D128
    1D1E9-1D1FF 1D250-1D2F3 1D372-1D378 1D6A6 1DB00-1DFFF 1E030-1E7FE 1E94B 1EC71-1ED3D
    1F10D-1F10F 1F12F 1F16C-1F16F 1F1AD-1F1AE 1F260-1F265 1F6D3-1F6DF 1F6F7-1F6FC 1F774-1F77F
    1F7D5-1F7FF 1F8B0-1F90F 1F91F 1F928-1F92F 1F931-1F932 1F93F 1F94C-1F94F 1F95F-1F97F
    1F992-1F9BF 1F9C1-1FBFA 2A6D7-2A6DF 2B735-2B73F 2B81E 2CEA2-2EE5D 30000-33479
    """
)


@lru_cache(1 << 16)
def script_of(character: str) -> int | None:
    """Return the number of the script of a character; `None` if it goes with any.

    >>> script_of("漢") == script_of("か"), script_of("a") == script_of("é"), script_of(" ")
    (True, True, None)
    """
    found = None if character in _OF_ANY else _SCRIPT.match(character)
    return found and found.lastindex
