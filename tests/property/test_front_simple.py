"""The short way of reading a front matter gives what YAML gives, or gives way to it."""

from hypothesis import given
from hypothesis import strategies as st

from kit.vault.amend import entry
from kit.vault.faults import Fault
from kit.vault.front import Front, read_front, read_values

_ODD = st.sampled_from(list("ab0:#-?,[]{}&*!|>'\"%@`\\ \t\n\r\x85\u2028\u3000\ufeff=~.<记é"))
_LINE = st.text(_ODD, max_size=12)
_LINES = st.lists(st.one_of(_LINE, _LINE.map("k: {}".format), _LINE.map("  - {}".format), st.just("k:")), max_size=5)
_VALUE = st.one_of(st.text(_ODD, max_size=12), st.integers(), st.booleans(), st.lists(_LINE, max_size=3))


def outcome(text: str) -> object:
    try:
        found = read_front(text)
    except Fault as fault:
        return fault.args
    return found and found[:2]


def shorter(text: str) -> object:
    try:
        found: Front | None = read_values(text)
    except Fault as fault:
        return fault.args
    return found and found[:2]


@given(_LINES, st.lists(st.sampled_from(["k", "kk", "id", "k2"]), max_size=5, unique=True))
def test_any_lines_mean_the_same_by_both_ways(lines: list[str], keys: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    for key in keys:
        text = text.replace("k:", f"{key}:", 1)
    assert shorter(text) == outcome(text)


@given(st.dictionaries(st.sampled_from(["id", "kind", "tags", "people", "n"]), _VALUE))
def test_what_the_kit_writes_means_the_same_by_both_ways(front: dict[str, str | int | bool | list[str]]) -> None:
    text = "".join(entry(key, value, "\n") for key, value in front.items())
    assert shorter(text) == outcome(text)


def test_a_value_keeps_its_type_by_the_short_way() -> None:
    text = 'a: 1\nb: 01\nc: true\nd: 2026-08-19\ne: "1"\nf:\ng:\n  - x y\n  - "[[z: w]]"\n'
    found = read_values(text)
    assert found is not None
    assert found.root is None, "it was read by the short way"
    assert found.values == {
        "a": 1, "b": "01", "c": True, "d": "2026-08-19", "e": "1", "f": None, "g": ["x y", "[[z: w]]"],
    }  # fmt: skip
