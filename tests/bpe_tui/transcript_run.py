"""Running --plain over the handout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

HANDOUT = str(ROOT / "samples" / "handout.txt")


def run(*arguments: str, stdin: bytes, program: str = "") -> subprocess.CompletedProcess[bytes]:
    code = program or "import sys; from bpe_tui.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=30,
        check=False,
    )
