"""The roles that text can play; each theme gives a role its colour in `styles/app.tcss`.

A span of text names a role and never a colour. The empty role is ordinary text.
"""

from __future__ import annotations

TOKEN_HUES = 8

ROLES = (
    "border",  # the line between two pretokens
    "cut",  # the line between two tokens of a pretoken
    "cursor",  # the row that Enter acts on
    "dim",  # said in passing
    "strong",
    "fresh",  # made at this step
    "pair",  # about to merge
    "gain",
    "loss",
    "stale",
    "stale-truth",  # what a stale entry should say
    "tie",
    "curve",  # of a chart, as far as the cursor
    "special",
    *(f"token-{hue}" for hue in range(TOKEN_HUES)),
)

ROLE_CLASSES = frozenset(f"role--{role}" for role in ROLES)
