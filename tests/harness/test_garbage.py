"""Whatever a client sends, an adapter answers with an event or a reason, and never raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.errors import BadInputError
from kit.harness.event import ACTS, parse
from kit.harness.registry import ADAPTERS, adapter

PAYLOADS = Path(__file__).parent / "payloads"

ODD: tuple[object, ...] = (None, 7, True, [], [[]], ["a"], {}, {"a": 1}, "\ud800", "x" * 9_000)
GARBAGE: list[dict[str, object]] = [
    {},
    {"session_id": 5, "prompt": ["a"], "hook_event_name": {}},
    {"session_id": None, "sessionId": True, "session": [], "id": {}, "sessionKey": "", "prompt": None},
    {"session_id": "x" * 5_000, "sessionId": "x" * 5_000, "prompt": "a"},
    {"session_id": "\ud800", "sessionId": "\ud800", "id": "\ud800", "session": "a\nb", "sessionKey": "\x00"},
    {"input": [], "message": "x", "parts": {"a": 1}, "properties": 7, "messages": "none", "reason": 3},
]


@pytest.mark.parametrize("client", ADAPTERS)
@pytest.mark.parametrize("payload", GARBAGE)
def test_garbage_is_ignored_and_never_raises(client: str, payload: dict[str, object]) -> None:
    for event in (*ACTS, "ignore", "", "Stop", "x" * 10_000):
        seen = adapter(client).read(event, payload, {})
        assert seen.kind == "ignore"
        assert seen.why


@pytest.mark.parametrize("path", sorted(PAYLOADS.rglob("*.json")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_value_of_a_wrong_kind_under_any_key_is_survived(path: Path) -> None:
    found = adapter(path.parent.name.partition("-")[0])
    payload = parse(path.read_bytes())
    for key in payload:
        for odd in ODD:
            for act in ACTS:
                seen = found.read(act, payload | {key: odd}, {})
                assert seen.kind == "ignore" or seen.session
                assert (seen.kind == "ignore") == bool(seen.why)
                json.dumps(seen, ensure_ascii=False).encode()  # no lone surrogate is left in any field


@pytest.mark.parametrize(
    "raw", [b"", b"null", b"[1]", b"{", b"\xff\xfe{", b'"x"', b"[" * 100_000, b'{"a":' * 100_000, b"1" * 5_000]
)
def test_bytes_that_are_no_json_object_are_an_empty_payload(raw: bytes) -> None:
    assert parse(raw) == {}


def test_bytes_are_read_with_a_byte_order_mark_and_with_broken_utf8() -> None:
    assert parse(b'\xef\xbb\xbf{"prompt": "a\xff"}') == {"prompt": "a\ufffd"}


def test_an_unknown_harness_is_refused_with_the_names_of_the_known() -> None:
    with pytest.raises(BadInputError, match=r"'emacs'.*claude, codex"):
        adapter("emacs")
