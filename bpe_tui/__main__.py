"""`python -m bpe_tui` is `bpe-tui`."""

from __future__ import annotations

import sys

from bpe_tui.cli import main

if __name__ == "__main__":
    sys.exit(main())
