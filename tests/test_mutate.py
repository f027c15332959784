"""Changes of the code that tests should notice, and what counts as noticed."""

from pathlib import Path

import pytest
from called_functions import CallsOfTests
from code_changes import Change, changes_of

mutate = pytest.importorskip("mutate")  # it needs Unix

CODE = """
def first(a, b):
    return (a +
            b) > 1

def second(a):
    return a + 1
"""


def functions(code: str) -> list[tuple[str, int]]:
    return [key for key, _ in mutate.codes_in(compile(code, "code.py", "exec"))]


def test_a_change_leaves_all_functions_at_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(CODE)
    changes = list(changes_of(path, path.name))
    assert len(changes) == 5
    for change in changes:
        assert functions(change.text(CODE.encode()).decode()) == functions(CODE) != []


@pytest.mark.parametrize("new", ["(a - 1)", "(a = 1)"])
def test_a_change_that_no_test_ran_is_not_noticed(tmp_path: Path, new: str) -> None:
    """No test calls the function, or its file cannot be compiled."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "code.py").write_text(CODE)
    start = CODE.index("a + 1")
    change = Change("code.py", 7, 6, start, start + len("a + 1"), new)
    meeting = mutate.MeetChanges(checkout, CallsOfTests(tmp_path), 1, [1])
    assert meeting._why_unseen(change) == "no test ran"
    assert (checkout / "code.py").read_text() == CODE
