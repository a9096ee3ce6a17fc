"""Prompts and answers find their cards: whole captured sessions, and the cases that go wrong elsewhere."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.harness.event import SLASH, HookEvent, Kind
from kit.harness.matching import (
    Act,
    Append,
    AppendAnswer,
    Complete,
    CompleteAgain,
    Interrupt,
    New,
    State,
    Sweep,
    advance,
    is_told,
    match,
    sweep_stale,
)
from kit.harness.registry import adapter
from kit.harness.transcripts import TranscriptTurn, turns

PAYLOADS = Path(__file__).parent / "payloads"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Session:
    """A conversation being played: what happens, and what it does to the cards."""

    def __init__(self, harness: str = "claude", transcript: tuple[TranscriptTurn, ...] = ()) -> None:
        self.harness = harness
        self.transcript = transcript
        self.state = State()
        self.made = 0

    def feed(self, event: HookEvent, at: datetime | None = None) -> list[Act]:
        acts = match(self.state, event, self.transcript, at)
        self.made += New() in acts
        now = NOON + timedelta(seconds=self.made)
        self.state = advance(self.state, event, acts, card=f"c{self.made}", now=now)
        return acts

    def tell(self, kind: Kind, turn: str = "", text: str = "", answer: str = "", **more: object) -> list[Act]:
        event = HookEvent(kind, self.harness, "s", turn, text, answer)._replace(**more)  # type: ignore[arg-type]
        return self.feed(event)


def replay(client: str, transcript: tuple[TranscriptTurn, ...] = ()) -> list[Act]:
    names = {name: act for act, name in adapter(client).EVENTS.items()}
    session = Session(client, transcript)
    acts: list[Act] = []
    path = PAYLOADS / client / "session-interrupt-and-queue.payloads.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        payload = json.loads(line)
        event = names.get(payload["hook_event_name"], "prompt")
        acts += session.feed(adapter(client).read(event, payload, {}))
    assert all(frame.status != "pending" for frame in session.state.frames)
    return acts


def brief(acts: list[Act]) -> list[tuple[object, ...]]:
    return [(type(act).__name__, *(f[:9] if isinstance(f, str) else f for f in act[:2])) for act in acts]


CLAUDE = [
    ("New",),
    ("Complete", "c1", "good day"),
    ("Sweep", ("c2",), "interrupt"),
    ("New",),
    ("Complete", "c3", "good day"),
    ("New",),
    ("Append", "c4"),
    ("Complete", "c4", "rose rose"),
    ("AppendAnswer", "c4", "good day"),
]


def test_a_captured_claude_session_with_esc_and_a_queued_prompt() -> None:
    assert brief(replay("claude")) == [("New",), CLAUDE[1], ("New",), *CLAUDE[2:]]


def test_with_its_transcript_the_interrupted_turn_keeps_the_part_that_was_said() -> None:
    lines = (PAYLOADS / "claude/transcript-interrupt-and-queue.jsonl").read_text(encoding="utf-8").splitlines()
    acts = brief(replay("claude", tuple(turns("claude", lines))))
    assert acts == [("New",), CLAUDE[1], ("New",), ("Interrupt", "c2", "rose rose"), *CLAUDE[3:]]


@pytest.mark.parametrize("with_transcript", [False, True])
def test_a_captured_codex_session_with_esc_and_steering(*, with_transcript: bool) -> None:
    lines = (PAYLOADS / "codex/transcript-interrupt-and-steer.jsonl").read_text(encoding="utf-8").splitlines()
    acts = brief(replay("codex", tuple(turns("codex", lines)) if with_transcript else ()))
    assert acts == [
        ("New",),
        ("Complete", "c1", "good day"),
        ("New",),
        ("Sweep", ("c2",), "interrupt"),
        ("New",),
        ("Complete", "c3", "good day"),
        ("New",),
        ("Append", "c4"),
        ("Complete", "c4", "good day"),
    ]


def test_a_captured_gemini_session_is_matched_by_prompt_and_ends_more_than_once() -> None:
    answers = ["good day", "rose  ros", "good day", "good day", "good day"]
    expected = [row for n, answer in enumerate(answers, 1) for row in (("New",), ("Complete", f"c{n}", answer))]
    assert brief(replay("gemini")) == expected


def test_a_stop_that_comes_again_overwrites_the_answer() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    assert session.tell("answer", "t1", answer="one") == [Complete("c1", "one")]
    assert session.tell("answer", "t1", answer="one and two", stop_active=True) == [CompleteAgain("c1", "one and two")]
    assert session.tell("answer", "t1") == []


def test_an_answer_after_the_card_was_swept_is_not_lost() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    assert session.tell("end") == [Sweep(("c1",))]
    assert session.tell("answer", "t1", answer="late") == [CompleteAgain("c1", "late")]
    assert session.state.frames[0].status == "completed"


def test_an_answer_with_an_unknown_key_is_added_to_the_newest_card_once() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    session.tell("answer", "t1", answer="one")
    assert session.tell("answer", "t9", answer="queued") == [AppendAnswer("c1", "queued")]
    assert session.tell("answer", "t9", answer="queued") == []


def test_an_unknown_answer_completes_a_pending_card_unless_its_turn_was_interrupted() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    assert session.tell("answer", "t9", answer="x") == [Complete("c1", "x")]
    assert session.tell("answer", "t9", answer="x") == []
    stopped = Session(transcript=(TranscriptTurn("t1", "a", "half", interrupted=True),))
    stopped.tell("prompt", "t1", "a")
    assert stopped.tell("answer", "t9", answer="x") == [Interrupt("c1", "half"), AppendAnswer("c1", "x")]


def test_an_answer_in_a_session_without_cards_does_nothing() -> None:
    assert Session().tell("answer", "t1", answer="x") == []
    assert Session("copilot").tell("answer", answer="x") == []


def test_the_answer_to_a_slash_command_lands_on_no_card() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    session.tell("answer", "t1", answer="one")
    session.tell("ignore", "t2", why=SLASH)
    assert session.tell("answer", "t2", answer="hello Bob") == []
    assert session.tell("answer", "t1", answer="two") == [CompleteAgain("c1", "two")]


def test_the_answer_to_a_task_notification_is_added_to_the_card_that_started_the_task() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    session.tell("answer", "t1", answer="started")
    session.tell("ignore", "t2", why="written by the client")
    assert session.tell("answer", "t2", answer="it is done") == [AppendAnswer("c1", "it is done")]


def test_a_prompt_that_fires_twice_changes_nothing() -> None:
    session = Session("qwen")
    session.tell("prompt", "t1", "a")
    assert session.tell("prompt", "t1", "a") == []
    assert session.tell("prompt", "t1", "b") == [Append("c1")]
    assert session.tell("prompt", "t1", "b") == []
    session.tell("answer", "t1", answer="x")
    assert session.tell("prompt", "t1", "a\n\nb") == []


def test_the_same_words_in_another_turn_are_another_card() -> None:
    session = Session("gemini")
    session.tell("prompt", text="continue")
    session.tell("answer", text="continue", answer="one")
    assert session.tell("prompt", text="continue") == [New()]
    assert session.tell("answer", text="continue", answer="two") == [Complete("c2", "two")]


def test_a_multi_message_turn_is_completed_with_the_whole_answer() -> None:
    session = Session(transcript=(TranscriptTurn("t1", "a", "first\n\nlast", ended=True),))
    session.tell("prompt", "t1", "a")
    assert session.tell("answer", "t1", answer="last") == [Complete("c1", "first\n\nlast")]
    assert session.tell("answer", "t1", answer="newer than the file") == [CompleteAgain("c1", "newer than the file")]


def test_a_finished_turn_whose_stop_was_lost_is_completed_from_the_transcript() -> None:
    session = Session(transcript=(TranscriptTurn("t1", "a", "all of it", ended=True),))
    session.tell("prompt", "t1", "a")
    assert session.tell("prompt", "t2", "b") == [Complete("c1", "all of it"), New()]


def test_copilot_answers_come_in_the_order_of_the_prompts() -> None:
    session = Session("copilot")
    assert session.tell("prompt", text="a") == [New()]
    assert session.tell("start", source="new") == []
    assert session.tell("prompt", text="b") == [New()]
    assert session.tell("answer") == [Complete("c1", "")]
    assert session.tell("answer") == [Complete("c2", "")]
    assert session.tell("answer") == []


def test_copilot_answers_are_placed_by_the_transcript_when_a_turn_was_broken_off() -> None:
    session = Session("copilot", (TranscriptTurn("", "a", ""), TranscriptTurn("", "b", "for b", ended=True)))
    session.tell("prompt", text="a")
    session.tell("prompt", text="b")
    assert session.tell("answer") == [Sweep(("c1",)), Complete("c2", "for b")]


def test_a_card_stays_open_while_copilot_has_not_written_its_answer_down() -> None:
    session = Session("copilot")
    session.tell("prompt", text="a")
    assert session.tell("answer", transcript="events.jsonl") == []
    session.transcript = (TranscriptTurn("", "a", ""),)
    assert session.tell("answer", transcript="events.jsonl") == []
    session.transcript = (TranscriptTurn("", "a", "late", ended=True),)
    assert session.tell("end") == [Complete("c1", "late")]


def test_an_answer_copilot_wrote_down_late_is_taken_up_with_the_next_prompt() -> None:
    session = Session("copilot", (TranscriptTurn("", "a", ""),))
    session.tell("prompt", text="a")
    session.tell("answer", transcript="events.jsonl")
    session.transcript = (TranscriptTurn("", "a", "late", ended=True),)
    assert session.tell("prompt", text="b") == [Complete("c1", "late"), New()]


@pytest.mark.parametrize(
    ("written", "told"),
    [((), False), ((TranscriptTurn("", "a", ""),), False), ((TranscriptTurn("", "a", "late", ended=True),), True)],
)
def test_it_is_known_whether_an_answer_is_still_being_written_down(
    written: tuple[TranscriptTurn, ...], told: bool
) -> None:
    session = Session("copilot")
    answer = HookEvent("answer", "copilot", "s", transcript="events.jsonl")
    assert is_told(session.state, answer, written)  # it is for no card
    session.tell("prompt", text="a")
    assert is_told(session.state, answer, written) is told
    assert is_told(session.state, answer._replace(harness="claude"), written)


def test_an_error_the_client_recovers_from_ends_with_the_answer() -> None:
    session = Session("copilot")
    session.tell("prompt", text="a")
    assert session.tell("failure", error="api") == [Sweep(("c1",), "failed", "api")]
    session.transcript = (TranscriptTurn("", "a", "after all", ended=True),)
    assert session.tell("answer") == [CompleteAgain("c1", "after all")]


def test_the_same_keyless_answer_twice_changes_nothing() -> None:
    session = Session("generic")
    session.tell("prompt", text="a")
    assert session.tell("answer", answer="for a") == [Complete("c1", "for a")]
    session.tell("prompt", text="b")
    assert session.tell("answer", answer="for a") == []
    assert session.tell("answer", answer="for b") == [Complete("c2", "for b")]
    assert session.tell("answer", answer="for b", stop_active=True) == []


def test_a_keyless_answer_that_waited_on_disk_is_for_a_card_older_than_itself() -> None:
    session = Session("generic")
    session.tell("prompt", text="a")
    session.tell("prompt", text="b")  # sweeps the first
    event = HookEvent("answer", "generic", "s", answer="for a")
    asked = session.state.frames[1].time
    assert session.feed(event, asked - timedelta(milliseconds=1)) == [CompleteAgain("c1", "for a")]
    assert session.feed(event, asked - timedelta(milliseconds=1)) == []
    assert session.feed(event, NOON - timedelta(days=1)) == []
    assert session.feed(event._replace(answer="for b"), asked) == [Complete("c2", "for b")]


def test_a_prompt_out_of_the_spool_that_is_tried_again_makes_one_card() -> None:
    session = Session("generic")
    session.tell("prompt", text="a")
    event = HookEvent("prompt", "generic", "s", "", "a")
    assert session.feed(event, session.state.frames[0].time) == []
    assert New() in session.feed(event, NOON + timedelta(hours=1))


def test_a_failed_turn_keeps_what_was_said_and_why_it_failed() -> None:
    session = Session(transcript=(TranscriptTurn("t1", "a", "half"),))
    session.tell("prompt", "t1", "a")
    assert session.tell("failure", "t1", error="api") == [Interrupt("c1", "half", "failed", "api")]


@pytest.mark.parametrize(("kind", "source"), [("start", "resume"), ("end", "other"), ("interrupt", "")])
def test_the_ends_of_a_session_sweep_its_cards_and_no_others(kind: Kind, source: str) -> None:
    session = Session()
    session.feed(HookEvent("prompt", "claude", "other", "t0", "x"))
    session.tell("prompt", "t1", "a")
    assert session.tell(kind, source=source) == [Sweep(("c2",))]
    assert session.tell(kind, source=source) == []
    assert [frame.status for frame in session.state.frames] == ["pending", "interrupted"]


def test_a_compaction_leaves_the_running_turn_alone() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    assert session.tell("compact", "t1", source="compact") == []
    assert session.tell("answer", "t1", answer="x") == [Complete("c1", "x")]


def test_cards_of_a_client_that_was_killed_are_swept_after_a_day() -> None:
    session = Session()
    session.tell("prompt", "t1", "a")
    assert sweep_stale(session.state, NOON + timedelta(hours=20)) == []
    assert sweep_stale(session.state, NOON + timedelta(hours=25)) == [Sweep(("c1",))]


def test_what_is_remembered_does_not_grow_without_end() -> None:
    session = Session()
    for n in range(300):
        session.tell("prompt", f"t{n}", f"p{n}")
        session.tell("answer", f"t{n}", answer="x")
    assert len(session.state.frames) == 200
    assert session.state.frames[-1].turn == "t299"


EVENTS = st.tuples(
    st.sampled_from(["prompt", "answer", "start", "end", "interrupt", "failure", "compact"]),
    st.sampled_from(["", "t1", "t2", "t3"]),
    st.sampled_from(["", "a", "b"]),
    st.sampled_from(["claude", "codex", "gemini", "copilot", "pi"]),
)


@settings(max_examples=200)
@given(st.lists(EVENTS, max_size=14))
def test_no_answer_is_lost_and_no_act_names_a_card_that_is_not_there(events: list[tuple[Kind, str, str, str]]) -> None:
    session = Session()
    for place, (kind, turn, text, harness) in enumerate(events):
        before = session.state
        known = {frame.card for frame in before.frames}
        answer = f"answer {place}"
        acts = session.feed(HookEvent(kind, harness, "s", turn, text, answer if kind == "answer" else ""))
        for act in acts:
            named = act.cards if isinstance(act, Sweep) else () if isinstance(act, New) else (act.card,)
            assert set(named) <= known
        if kind == "answer" and (turn or text) and known:
            assert [act.answer for act in acts if isinstance(act, Complete | CompleteAgain | AppendAnswer)] == [answer]
        if kind in {"end", "interrupt", "failure"}:
            assert all(frame.status != "pending" for frame in session.state.frames)
        assert acts.count(New()) <= (kind == "prompt")
