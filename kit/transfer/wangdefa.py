"""The folder of Wangdefa.Memory: cards with their events and overviews, tags, scenes, preferences, summaries of files.

A verdict stands there on the card of the turn that gave it; here it lands on the turn it is about, the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import Problem
from kit.transfer import wangdefa_pool
from kit.transfer import wangdefa_words as terms
from kit.transfer.likes import Like, sayings
from kit.transfer.pieces import Aside, Pause, Topic, Turn
from kit.transfer.reading import inner, json_of, moment, number, pick, rows, saved_at, table, word, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kit.transfer.pieces import Reading
    from kit.transfer.reading import Row
    from kit.vault.note import Value

RECORDS, EVENTS, KNOWLEDGE, LEGACY = (
    "cognitive/records", "experience/events", "experience/knowledge", "thinking/records",
)  # fmt: skip
_FULL = "wangdefa_memory.db"
_FEEDBACK = "反馈"
_STATUSES = ("completed", "interrupted", "failed")
_TYPES = ("chat", "file", "action", "task", "system")


class _Card(NamedTuple):
    """A card as it was found, with what belongs to it."""

    id: str
    row: Row
    at: object
    topic: str
    archived: bool
    turn: Turn


def base_of(source: Path) -> Path | None:
    """Find the memory's folder: the one given, or `memory` in it."""
    for folder in (source, source / "memory"):
        if (folder / RECORDS).is_dir() or (folder / wangdefa_pool.POOL).is_file():
            return folder
    return None


def fits(source: Path) -> bool:
    """Tell whether a folder is one of Wangdefa.Memory."""
    return base_of(source) is not None


def read(source: Path) -> Reading:
    """Read the whole memory: scenes and tags first, then cards by time, then what they taught."""
    base = base_of(source) or source
    pool = wangdefa_pool.read(base)
    yield from pool.problems
    yield from pool.settings
    yield from pool.words
    events: dict[str, Row] = {}
    yield from _gather(base, EVENTS, "*.json", events, "EventId")
    overviews: dict[str, Row] = {}
    yield from _gather(base, KNOWLEDGE, "概览_*.json", overviews, "CognitiveRecordId")
    full = {
        word(row, "id"): row for row in table(base / _FULL, "memory_records", _FULL) if not isinstance(row, Problem)
    }
    by_card = {word(row, "CognitiveRecordId"): row for row in events.values() if word(row, "CognitiveRecordId")}
    cards: list[_Card] = []
    for file, archived in _card_files(base):
        where = file.relative_to(base).as_posix()
        row = json_of(file, where)
        if isinstance(row, Problem) or not isinstance(row, dict):
            yield row if isinstance(row, Problem) else Problem(where, 0, "This is no card.", "It was skipped.")
            continue
        card_id = word(row, "Id") or file.stem
        event = events.pop(word(row, "EventId"), None) or by_card.get(card_id, {})
        events.pop(word(event, "EventId"), None)
        tags = words(inner(row, "Insight"), "内容标签", "ContentTags") or pool.borne.get(card_id, ())
        turn = _turn(card_id, row, event, overviews.get(card_id, {}), full.pop(card_id, {}), tags, file)
        yield Pause()
        cards.append(_Card(card_id, row, turn.at, word(row, "TopicId"), archived, turn._replace(archived=archived)))
    yield from _judged(sorted(cards, key=lambda card: (card.turn.at, card.id)))
    yield from _left_alone(events, by_card, {card.id for card in cards})
    yield from _full_records(full, saved_at(base / _FULL))
    yield from _legacy(base)
    yield from sayings("wangdefa", _likes(cards))
    yield from _documents(base)
    yield from _stays(base)


def _gather(base: Path, folder: str, names: str, into: dict[str, Row], key: str) -> Iterator[Problem | Pause]:
    for file in sorted((base / folder).rglob(names)):
        where = file.relative_to(base).as_posix()
        row = json_of(file, where)
        if isinstance(row, Problem):
            yield row
        elif isinstance(row, dict):
            into[word(row, key) or file.stem] = row
            yield Pause()
        else:
            yield Problem(where, 0, "This is no record.", "It was skipped.")


def _card_files(base: Path) -> Iterator[tuple[Path, bool]]:
    yield from ((file, False) for file in sorted((base / RECORDS).glob("*.json")))
    yield from ((file, True) for file in sorted((base / RECORDS / "archive").glob("*.bak")))


def _turn(card_id: str, row: Row, event: Row, overview: Row, full: Row, tags: tuple[str, ...], file: Path) -> Turn:
    data, insight, result = inner(event, "Data"), inner(row, "Insight"), inner(event, "Result")
    at = moment(pick(row, "CreatedAt")) or moment(pick(event, "Timestamp")) or saved_at(file)
    status = word(row, "Status")
    done = status in _STATUSES
    ended = moment(pick(row, "LastAccessAt")) if done else None
    kind, route = word(event, "EventType"), word(result, "Route")
    touched = word(data, "FilePath") or word(row, "SourcePath")
    keys: dict[str, Value | None] = {
        "status": status if done else "interrupted", "topic": word(row, "TopicId") or None, "harness": "wangdefa",
        **terms.perceived(inner(row, "Perception")), "tags": tags or None,
        "route": route if route in terms.ROUTES else None,
        "error": word(result, "ErrorMessage") or None,
    }  # fmt: skip
    beside: dict[str, Value | None] = {
        "type": kind if kind in _TYPES else "chat",
        "files": (touched,) if touched and not touched.endswith(".json") else None,
    }
    summary = word(insight, "摘要", "Summary") or word(result, "Summary")
    agent = word(data, "AgentResponse") or word(full, "agent_response")
    return Turn(
        f"wangdefa:{card_id}", at, word(data, "UserInput"), agent, summary, word(overview, "Text"),
        ended=max(ended, at) if ended else at if done else None, keys=keys, event=beside,
    )  # fmt: skip


def _judged(cards: list[_Card]) -> Iterator[Turn]:
    """Give every card the verdict that the next one of its topic holds."""
    verdicts: dict[str, tuple[str, str]] = {}
    before: dict[str, str] = {}
    for card in cards:
        given = _verdict(card.row)
        if given and card.topic in before:
            verdicts[before[card.topic]] = given
        before[card.topic] = card.id
    for card in cards:
        said, why = verdicts.get(card.id, ("", ""))
        yield card.turn._replace(keys={**card.turn.keys, "feedback": said or None, "feedback_reason": why or None})


def _verdict(row: Row) -> tuple[str, str] | None:
    said = word(row, "FeedbackStatus")
    if said in terms.VERDICTS:
        return said, word(row, "FeedbackReason")
    for like in rows(inner(row, "Insight"), "偏好", "Preferences"):  # an older version wrote it as a preference
        if word(like, "key") == _FEEDBACK and word(like, "value") in terms.VERDICTS:
            return word(like, "value"), ""
    return None


def _likes(cards: list[_Card]) -> Iterator[Like]:
    for card in cards:
        for like in rows(inner(card.row, "Insight"), "偏好", "Preferences"):
            key, value = word(like, "key"), word(like, "value")
            if key and value and key != _FEEDBACK:
                scenes = tuple(filter(None, ("/".join(filter(None, terms.scene(one))) for one in words(like, "scene"))))
                yield Like(card.turn.at, key, value, number(like, "confidence", 0.5), scenes, card.turn.origin)


def _left_alone(events: dict[str, Row], by_card: dict[str, Row], known: set[str]) -> Iterator[Turn]:
    """Bring events whose card is gone: nothing that was said gets lost."""
    for event_id, event in events.items():
        data, at = inner(event, "Data"), moment(pick(event, "Timestamp"))
        owner = word(event, "CognitiveRecordId")
        if at is None or (owner in known and by_card.get(owner) is not event):
            continue
        user, agent = word(data, "UserInput"), word(data, "AgentResponse")
        if user or agent:
            keys: dict[str, Value | None] = {
                "status": "completed" if agent else "interrupted", "topic": word(event, "TopicId") or None,
                "harness": "wangdefa", **terms.perceived(inner(event, "Perception")),
                "tags": words(event, "FeatureTags") or None,
            }  # fmt: skip
            says = word(inner(event, "Result"), "Summary")
            yield Turn(f"wangdefa:{event_id}", at, user, agent, says, ended=at, keys=keys)


def _full_records(full: dict[str, Row], saved: object) -> Iterator[Turn]:
    """Bring full records whose card is gone; their `user_input` holds the summary."""
    for record_id, row in full.items():
        at = moment(pick(row, "created_at")) or moment(saved)
        said, agent = word(row, "summary") or word(row, "user_input"), word(row, "agent_response")
        if at and record_id and (said or agent):
            keys: dict[str, Value | None] = {
                "topic": word(row, "topic_id") or None, "harness": "wangdefa", "tags": words(row, "tags") or None,
            }  # fmt: skip
            yield Turn(f"wangdefa:{record_id}", at, word(row, "user_input"), agent, said, ended=at, keys=keys)


def _legacy(base: Path) -> Iterator[Turn | Problem | Pause]:
    """Bring chat records of the first version."""
    found: dict[str, Row] = {}
    yield from _gather(base, LEGACY, "*.json", found, "Id")
    for record_id, row in found.items():
        user, agent = word(row, "UserInput"), word(row, "AgentResponse")
        at = moment(pick(row, "CreatedAt")) or saved_at(base / LEGACY)
        if user or agent:
            keys: dict[str, Value | None] = {
                "topic": word(row, "TopicId") or None, "harness": "wangdefa",
                "tags": words(row, "CognitiveTags") or None,
            }  # fmt: skip
            yield Turn(f"wangdefa:{record_id}", at, user, agent, word(row, "CognitiveSummary"), ended=at, keys=keys)


def _documents(base: Path) -> Iterator[Topic | Problem | Pause]:
    """Bring the summaries of files."""
    found: dict[str, Row] = {}
    yield from _gather(base, KNOWLEDGE, "概要_*.json", found, "Id")
    for doc_id, row in found.items():
        says = word(row, "Summary")
        if says:
            at = moment(pick(row, "CreatedAt")) or saved_at(base)
            card = word(row, "CognitiveRecordId")
            keys: dict[str, Value | None] = {
                "topic": word(row, "TopicId") or None, "keywords": words(row, "Keywords") or None,
                "entities": words(row, "Entities") or None, "period": word(row, "DateRange") or None,
                "updated": moment(pick(row, "ModifiedAt")) or at,
            }  # fmt: skip
            cards = (f"wangdefa:{card}",) if card else ()
            yield Topic(f"wangdefa:{doc_id}", at, text.first_sentence(says, 60), says, keys, cards)


def _stays(base: Path) -> Iterator[Aside]:
    """Say what stays behind: what can be derived again, and pointers that the links of notes stand for."""
    pointers = sum(1 for _ in (base / "thinking").rglob("记录_*.json"))
    if pointers:
        yield Aside("thinking/", f"{pointers} route pointers: the links between the notes stand for them")
    files = sum(1 for _ in (base / KNOWLEDGE).rglob("元数据_*.json"))
    if files:
        yield Aside(KNOWLEDGE, f"{files} records of file sizes and hashes, which nothing here uses")
    if (base / wangdefa_pool.POOL).is_file():
        yield Aside(wangdefa_pool.POOL, "feature counters and the password book: both are made anew from the notes")
