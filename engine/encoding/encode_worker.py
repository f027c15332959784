"""The helper process that encodes texts; it ends when its input does.

Requests and answers are marshalled values, as in `engine.counting.worker`. The first request says
how to encode; each other one is a list of texts in bytes, answered by a list of ids for each.
"""

from __future__ import annotations

import sys

from engine.core.subprocess_worker import receive, send
from engine.encoding.text_encoder import TextEncoder
from engine.text.pretokenize import to_text


def main() -> None:
    """Serve until the input ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    try:
        encoder = TextEncoder.from_message(receive(requests))
        while True:
            send(answers, [encoder.encode(to_text(data)) for data in receive(requests)])
    except (EOFError, BrokenPipeError):
        return
