"""The four ways models are spoken to: what the coding agents need of each to show an answer, and no more.

Law: pure; a request's JSON in, the newest words of the person and the events of an answer out.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Body = dict[str, Any]
Event = tuple[str, object]
"""The name of a server-sent event, empty where the protocol names none, and its data."""

SAID = "msg_01"
_TOKENS = 10


class Wire(NamedTuple):
    """One protocol."""

    name: str
    messages: str
    """The key of a request under which the conversation lies."""
    stream: Callable[[str, Sequence[str]], Iterator[Event]]
    """From a model's name and the pieces of an answer to events."""
    whole: Callable[[str, str], Body]
    """From a model's name and an answer to the reply to a request that wants no stream."""


def newest(wire: Wire, body: Body) -> str:
    """Take the words of the last message with the role of a user."""
    said = body.get(wire.messages)
    if isinstance(said, str):
        return said
    mine = [message for message in said or [] if isinstance(message, dict) and message.get("role") == "user"]
    return _words(mine[-1]) if mine else ""


def _words(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "\n".join(filter(None, map(_words, part)))
    if isinstance(part, dict):
        return _words(part.get("text") or part.get("content") or part.get("parts") or "")
    return ""


# -- Anthropic Messages


def _anthropic_whole(model: str, text: str) -> Body:
    return {
        "id": SAID, "type": "message", "role": "assistant", "model": model, "stop_reason": "end_turn",
        "stop_sequence": None, "content": [{"type": "text", "text": text}],
        "usage": {"input_tokens": _TOKENS, "output_tokens": _TOKENS},
    }  # fmt: skip


def _anthropic_stream(model: str, pieces: Sequence[str]) -> Iterator[Event]:
    begun = _anthropic_whole(model, "") | {"content": [], "stop_reason": None}
    events: list[Body] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in pieces
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": _TOKENS},
        },
        {"type": "message_stop"},
    ]
    for event in events:
        yield event["type"], event


class Call(NamedTuple):
    """A tool the model wants called."""

    tool: str
    arguments: Body


def calling(model: str, call: Call) -> Iterator[Event]:
    """Stream the call of a tool, in Anthropic's protocol."""
    begun = _anthropic_whole(model, "") | {"content": [], "stop_reason": None}
    block = {"type": "tool_use", "id": "toolu_01", "name": call.tool, "input": {}}
    delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments, ensure_ascii=False)}
    ended = {"stop_reason": "tool_use", "stop_sequence": None}
    events: list[Body] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": _TOKENS}},
        {"type": "message_stop"},
    ]
    for event in events:
        yield event["type"], event


# -- OpenAI Responses


def _item(text: str) -> Body:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": SAID, "role": "assistant", "status": "completed", "content": content}


def _responses_whole(model: str, text: str) -> Body:
    return {
        "id": "resp_01", "object": "response", "created_at": 0, "status": "completed", "model": model,
        "output": [_item(text)], "error": None, "incomplete_details": None,
        "usage": {
            "input_tokens": _TOKENS, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": _TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2 * _TOKENS,
        },
    }  # fmt: skip


def _responses_stream(model: str, pieces: Sequence[str]) -> Iterator[Event]:
    ended = _responses_whole(model, "".join(pieces))
    begun = _item("") | {"status": "in_progress", "content": []}
    place = {"item_id": SAID, "output_index": 0, "content_index": 0}
    events: list[Body] = [
        {"type": "response.created", "response": ended | {"status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        *({"type": "response.output_text.delta", "delta": piece, **place} for piece in pieces),
        {"type": "response.output_item.done", "output_index": 0, "item": ended["output"][0]},
        {"type": "response.completed", "response": ended},
    ]
    for event in events:
        yield event["type"], event


# -- OpenAI Chat


def _chat_whole(model: str, text: str) -> Body:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": _TOKENS, "completion_tokens": _TOKENS, "total_tokens": 2 * _TOKENS}
    return {
        "id": "chatcmpl-01", "object": "chat.completion", "created": 0, "model": model,
        "choices": [choice], "usage": usage,
    }  # fmt: skip


def _chat_stream(model: str, pieces: Sequence[str]) -> Iterator[Event]:
    ended = _chat_whole(model, "")
    chunk = ended | {"object": "chat.completion.chunk", "usage": None}
    for piece in pieces:
        delta = {"role": "assistant", "content": piece}
        yield "", chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield "", chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield "", chunk | {"choices": [], "usage": ended["usage"]}
    yield "", "[DONE]"


# -- Gemini


def _gemini_whole(model: str, text: str) -> Body:
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
    usage = {"promptTokenCount": _TOKENS, "candidatesTokenCount": _TOKENS, "totalTokenCount": 2 * _TOKENS}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": "01"}


def _gemini_stream(model: str, pieces: Sequence[str]) -> Iterator[Event]:
    for place, piece in enumerate(pieces):
        chunk = _gemini_whole(model, piece)
        if place + 1 < len(pieces):
            del chunk["candidates"][0]["finishReason"]
        yield "", chunk


ANTHROPIC = Wire("anthropic", "messages", _anthropic_stream, _anthropic_whole)
RESPONSES = Wire("responses", "input", _responses_stream, _responses_whole)
CHAT = Wire("chat", "messages", _chat_stream, _chat_whole)
GEMINI = Wire("gemini", "contents", _gemini_stream, _gemini_whole)


def wire_of(path: str) -> Wire | None:
    """Tell which protocol a path belongs to; None for what is no question to a model."""
    for ending, wire in (
        ("/messages", ANTHROPIC),
        ("/responses", RESPONSES),
        ("/chat/completions", CHAT),
        (":generateContent", GEMINI),
        (":streamGenerateContent", GEMINI),
    ):
        if path.endswith(ending):
            return wire
    return None
