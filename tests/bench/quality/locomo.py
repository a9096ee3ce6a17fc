"""LoCoMo (long conversations of two people): turns, sessions or observations as memories.

Its known faults are mended here: malformed evidence ids are repaired, questions whose evidence is missing or
dangling are dropped. Evidence of its category 5 lies with the other speaker: it is the adversarial category.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.bench.quality.form import ADVERSARIAL, Material, Memory, Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")


class Session(NamedTuple):
    """One sitting."""

    number: int
    time: datetime
    turns: list[dict[str, Any]]


def turns(file: Path) -> Iterator[Material]:
    """Make each turn a card and each session a topic."""
    for talk in _talks(file):
        memories = tuple(
            Memory(turn["dia_id"], session.time, _words(turn), topic=_topic(talk, session), speaker=turn["speaker"])
            for session in _sessions(talk) for turn in session.turns
        )  # fmt: skip
        yield Material(f"locomo-{talk['sample_id']}", memories, tuple(_questions(talk, {})))


def sessions(file: Path) -> Iterator[Material]:
    """Make each session a card."""
    for talk in _talks(file):
        found = _sessions(talk)
        memories = tuple(
            Memory(
                f"S{session.number}", session.time, topic=_topic(talk, session),
                user="\n".join(f"{turn['speaker']}: {_words(turn)}" for turn in session.turns),
            )
            for session in found
        )  # fmt: skip
        within = {turn["dia_id"]: f"S{session.number}" for session in found for turn in session.turns}
        yield Material(f"locomo-session-{talk['sample_id']}", memories, tuple(_questions(talk, within)))


def observations(file: Path) -> Iterator[Material]:
    """Make each observation a fact that covers the turns it was drawn from; what none covers isn't asked."""
    for talk in _talks(file):
        times = {session.number: session.time for session in _sessions(talk)}
        memories: list[Memory] = []
        for name, by_speaker in talk["observation"].items():
            number = int(name.split("_")[1])
            for speaker, told in by_speaker.items():
                for says, sources in told:
                    covers = tuple(_ids([sources] if isinstance(sources, str) else sources))
                    memories.append(
                        Memory(f"O{len(memories)}", times[number], says, kind="fact", speaker=speaker, covers=covers)
                    )
        covered = {each for memory in memories for each in memory.covers}
        asked = (
            question._replace(expected=tuple(each for each in question.expected if each in covered))
            for question in _questions(talk, {})
        )
        yield Material(
            f"locomo-observations-{talk['sample_id']}",
            tuple(memories),
            tuple(question for question in asked if question.expected),
        )


def _talks(file: Path) -> list[dict[str, Any]]:
    talks: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return talks


def _sessions(talk: dict[str, Any]) -> list[Session]:
    said = talk["conversation"]
    numbers = sorted(int(name.split("_")[1]) for name in said if re.fullmatch(r"session_\d+", name))
    return [
        Session(number, _time(said[f"session_{number}_date_time"]), said[f"session_{number}"]) for number in numbers
    ]


def _time(written: str) -> datetime:
    """Read `1:56 pm on 8 May, 2023`."""
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _topic(talk: dict[str, Any], session: Session) -> str:
    return f"{talk['sample_id']}-session-{session.number}"


def _words(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [image: {caption}]" if caption else turn["text"]


def _ids(written: list[str]) -> Iterator[str]:
    for each in written:
        for session, turn in _EVIDENCE.findall(each):
            yield f"D{int(session)}:{int(turn)}"


def _questions(talk: dict[str, Any], within: Mapping[str, str]) -> Iterator[Question]:
    """Read the questions; `within` names the memory that holds each turn, where that is not the turn itself."""
    known = {turn["dia_id"] for session in _sessions(talk) for turn in session.turns}
    for number, asked in enumerate(talk["qa"]):
        evidence = [each for each in _ids(asked.get("evidence") or []) if each in known]
        if evidence:
            expected = tuple(dict.fromkeys(within.get(each, each) for each in evidence))
            yield Question(f"q{number}", asked["question"], expected, category=CATEGORIES[asked["category"]])
