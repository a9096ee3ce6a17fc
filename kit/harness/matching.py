"""Which card an event is about: the rule that keeps prompts and answers together across steering, queues and Esc.

Law: a pure function of what is known and one event. An answer is never dropped while its session has a
card, never put on another prompt's card when the client says whose it is, and the same event twice changes
nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from kit.harness.event import SLASH, HookEvent
from kit.harness.frames import Act, Append, AppendAnswer, Complete, CompleteAgain, Frame, Interrupt, New, State, Sweep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from kit.harness.transcripts import TranscriptTurn

__all__ = [
    "STALE", "UNTOLD", "Act", "Append", "AppendAnswer", "Complete", "CompleteAgain", "Frame", "Interrupt", "New",
    "State", "Sweep", "advance", "is_echo", "is_told", "match", "sweep_stale",
]  # fmt: skip

UNTOLD = frozenset({"copilot"})
"""No key of a turn, and prompts may queue: a new prompt proves nothing about an older one. The answer is only in
the transcript, which may be a moment behind: a card whose answer is not there yet stays open until it is."""
_NEW_SESSION = frozenset({"startup", "new"})
COOL_DOWN = timedelta(seconds=2)
"""The same words again within this are the same prompt."""
STALE = timedelta(days=1)
"""Older pending cards have a client that was killed."""
_KEPT = 200
"""Finished frames and muted turns that are remembered."""


def match(
    state: State, event: HookEvent, transcript: Sequence[TranscriptTurn] = (), at: datetime | None = None
) -> list[Act]:
    """Say what an event does to the cards of its session.

    `transcript`: the turns of the session, where the client keeps a transcript; it tells interrupted turns from
    finished ones and brings whole answers. Everything works without, a little less precisely.
    `at`: when an event happened that waited on the disk since then, and may have been dealt with before.
    """
    frames = [frame for frame in state.frames if frame.session == event.session]
    pending = [frame for frame in frames if frame.status == "pending"]
    match event.kind:
        case "prompt":
            again = at and not event.turn and any((frame.time, frame.prompt) == (at, event.text) for frame in frames)
            return [] if again else _prompt(frames, pending, event, transcript)
        case "answer" if _keyed(frames, event) or (event.session, event.turn) not in state.muted:
            if at and not event.turn and not event.text:  # it says nothing of its prompt, but that is no younger
                frames = [frame for frame in frames if frame.time <= at] or frames[:1]
                pending = [frame for frame in frames if frame.status == "pending"]
            return _answer(frames, pending, event, transcript, late=at is not None)
        case "start" | "end" | "interrupt":
            # In a new session nothing older can be pending, and Copilot may tell of it after the first prompt.
            new = event.kind == "start" and event.source in _NEW_SESSION
            return [] if new else _close(pending, transcript)
        case "failure":
            named = [frame for frame in pending if event.turn and frame.turn == event.turn] or pending
            return _close(named, transcript, "failed", event.error) + _close(_without(pending, named), transcript)
    return []


def is_told(state: State, event: HookEvent, transcript: Sequence[TranscriptTurn]) -> bool:
    """Tell whether an answer event has its answer with it or in the transcript, or belongs to no open card."""
    if event.kind != "answer" or event.harness not in UNTOLD or not event.transcript:
        return True
    mine = [frame for frame in state.frames if frame.session == event.session and frame.status == "pending"]
    return not mine or any(_ended(transcript, frame) for frame in mine)


def is_echo(state: State, event: HookEvent, now: datetime) -> bool:
    """Tell whether a prompt is the one that was just told: hooks that are installed twice tell everything twice."""
    newest = next((frame for frame in reversed(state.frames) if frame.session == event.session), None)
    return (
        newest is not None
        and newest.status == "pending"
        and newest.prompt == event.text
        and abs(now - newest.time) < COOL_DOWN
    )


def sweep_stale(state: State, now: datetime, age: timedelta = STALE) -> list[Act]:
    """Close pending cards older than an age: a killed client tells nobody."""
    return _close([f for f in state.frames if f.status == "pending" and now - f.time > age], ())


def advance(state: State, event: HookEvent, acts: Iterable[Act], *, card: str, now: datetime) -> State:
    """Follow the acts that were done; `card` is the id that `New` got."""
    frames = list(state.frames)
    for act in acts:
        if isinstance(act, New):
            frames.append(Frame(card, event.session, event.turn, event.text, now))
        else:
            frames = [_after(frame, act, event) for frame in frames]
    muted = state.muted
    if event.kind == "ignore" and event.why == SLASH and event.turn:
        muted = (*muted, (event.session, event.turn))[-_KEPT:]
    done = [frame for frame in frames if frame.status != "pending"][:-_KEPT]
    return State(tuple(_without(frames, done)), muted)


def _after(frame: Frame, act: Act, event: HookEvent) -> Frame:
    match act:
        case Sweep(cards=cards, status=status) if frame.card in cards:
            return frame._replace(status=status)
        case Interrupt(card=frame.card, status=status):
            return frame._replace(status=status)
        case Append(card=frame.card):
            return frame._replace(prompt=f"{frame.prompt}\n\n{event.text}")
        case Complete(card=frame.card) | CompleteAgain(card=frame.card):
            return frame._replace(status="completed", late=_late(frame, event), last=event.answer or frame.last)
        case AppendAnswer(card=frame.card):
            return frame._replace(late=_late(frame, event), last=event.answer)
        case _:
            return frame


def _late(frame: Frame, event: HookEvent) -> tuple[str, ...]:
    stranger = event.kind == "answer" and event.turn not in {"", frame.turn, *frame.late}
    return (*frame.late, event.turn) if stranger else frame.late


def _prompt(
    frames: list[Frame], pending: list[Frame], event: HookEvent, transcript: Sequence[TranscriptTurn]
) -> list[Act]:
    same = [frame for frame in frames if event.turn and frame.turn == event.turn]
    if any(_holds(frame, event.text) for frame in same):
        return []
    if same and same[-1].status == "pending":
        return [Append(same[-1].card)]
    left = [frame for frame in pending if _ended(transcript, frame)] if event.harness in UNTOLD else pending
    return [*_close(left, transcript), New()]


def _holds(frame: Frame, text: str) -> bool:
    return frame.prompt == text or frame.prompt.endswith(f"\n\n{text}")


def _keyed(frames: list[Frame], event: HookEvent) -> list[Frame]:
    """Find the frames the client says an answer is for, the pending before the finished, the newest last."""
    if event.turn:
        found = [frame for frame in frames if frame.turn == event.turn]
    else:
        found = [frame for frame in frames if event.text and frame.prompt == event.text]
    return sorted(found, key=lambda frame: frame.status == "pending")


def _answer(
    frames: list[Frame], pending: list[Frame], event: HookEvent, transcript: Sequence[TranscriptTurn], *, late: bool
) -> list[Act]:
    if found := _keyed(frames, event):
        return list(_complete(found[-1], event, _whole(event, _written(transcript, found[-1]))))
    if not event.turn and not event.text:
        return _unnamed(frames, pending, event, transcript, late=late)
    if not frames:
        return []
    newest = frames[-1]
    own = next((turn for turn in reversed(transcript) if event.turn and turn.turn == event.turn), None)
    whole = _whole(event, own)
    if newest.status == "pending":
        told = _written(transcript, newest)
        if not (told and told.interrupted):
            return [Complete(newest.card, whole)]
        return [*_close([newest], transcript), AppendAnswer(newest.card, whole)]
    again = event.turn in newest.late and event.answer == newest.last
    return [AppendAnswer(newest.card, whole)] if whole and not again else []


def _unnamed(
    frames: list[Frame], pending: list[Frame], event: HookEvent, transcript: Sequence[TranscriptTurn], *, late: bool
) -> list[Act]:
    """Place an answer of which the client says nothing: by its transcript, else by order.

    The very words of the answer before are that answer told again. One that comes `late` belongs to a card even
    if that was closed meanwhile.
    """
    done = [frame for frame in frames if frame.status != "pending"]
    if done and _is_known(done[-1], event.answer):
        return []
    told = transcript[-1] if transcript else None
    for place, frame in reversed(list(enumerate(pending))):
        if told and told.text == frame.prompt:
            whole = _whole(event, told)
            own = [] if event.harness in UNTOLD and not whole else [Complete(frame.card, whole)]
            return [*_close(pending[:place], transcript), *own]
    if pending and event.transcript and event.harness in UNTOLD:
        return _close([frame for frame in pending if _ended(transcript, frame)], transcript)
    if pending:
        frame = pending[0] if event.harness in UNTOLD else pending[-1]
        return [Complete(frame.card, event.answer)]
    revived = frames and (late or event.stop_active or frames[-1].status == "failed")
    whole = _whole(event, _written(transcript, frames[-1])) if revived else ""
    return [CompleteAgain(frames[-1].card, whole)] if whole and not _is_known(frames[-1], whole) else []


def _is_known(frame: Frame, answer: str) -> bool:
    return frame.status == "completed" and bool(answer) and frame.last == answer


def _complete(frame: Frame, event: HookEvent, whole: str) -> Iterator[Act]:
    if frame.status == "pending":
        yield Complete(frame.card, whole)
    elif event.answer:
        yield CompleteAgain(frame.card, whole)


def _close(
    frames: list[Frame],
    transcript: Sequence[TranscriptTurn],
    status: Literal["interrupted", "failed"] = "interrupted",
    error: str = "",
) -> list[Act]:
    """Close frames without an answer event: the transcript may still know how their turns ended."""
    acts: list[Act] = []
    bare: list[str] = []
    for frame in frames:
        told = _written(transcript, frame)
        if status == "interrupted" and told and _ended(transcript, frame):
            acts.append(Complete(frame.card, told.answer))
        elif told and told.answer:
            acts.append(Interrupt(frame.card, told.answer, status, error))
        else:
            bare.append(frame.card)
    return [*acts, Sweep(tuple(bare), status, error)] if bare else acts


def _ended(transcript: Sequence[TranscriptTurn], frame: Frame) -> bool:
    """Tell whether the client wrote down that a frame's turn came to its end, and how."""
    told = _written(transcript, frame)
    return bool(told and told.answer and told.ended)


def _written(transcript: Sequence[TranscriptTurn], frame: Frame) -> TranscriptTurn | None:
    """Find what the client wrote of a frame's turn, by its key or, without one, by its words."""
    for turn in reversed(transcript):
        if (turn.turn == frame.turn) if turn.turn and frame.turn else (turn.text == frame.prompt):
            return turn
    return None


def _whole(event: HookEvent, told: TranscriptTurn | None) -> str:
    """Take the whole answer of a turn if the client wrote it down, and it is the one that was told."""
    return told.answer if told and event.answer in told.answer else event.answer


def _without(frames: list[Frame], gone: list[Frame]) -> list[Frame]:
    cards = {frame.card for frame in gone}
    return [frame for frame in frames if frame.card not in cards]
