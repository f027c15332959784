r"""Unicode's White_Space, which `\s` and Rust's `char::is_whitespace` go by.

Python's `str.isspace` and `str.strip` take U+001C–U+001F for whitespace, too.
"""

from __future__ import annotations

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000")
)
