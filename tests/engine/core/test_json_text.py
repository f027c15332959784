"""JSON with line ends, beside Python's own."""

import json
from typing import Any

from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine.core.json_text import indented_json

SINGLE = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text('a"]\n[, \\{}:é', max_size=5)
)
ROWS = st.lists(st.lists(SINGLE, max_size=3) | st.tuples(SINGLE, SINGLE), max_size=4)


def nested(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=4) | st.dictionaries(st.text('a"\n[],:'), values, max_size=4)


@examples(500)
@given(st.recursive(SINGLE | ROWS, nested))
def test_it_is_what_python_writes_more_slowly(value: Any) -> None:
    expected = json.dumps(value, ensure_ascii=False, indent=2)
    assert "".join(indented_json(value)) == expected
