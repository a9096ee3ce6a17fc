"""What a prompt is like, before anything is recalled for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kit.model.notes import Route


class Perception(NamedTuple):
    """A-line's view of a prompt; empty text means: nothing to be said."""

    genre: str = ""
    """narrative, argumentative, expository, stream, prose"""
    time: str = ""
    """now, today, yesterday, just-now, last-time"""
    scene: str = ""
    scene_sub: str = ""
    emotion: str = ""
    """neutral, tired, happy, anxious, angry, sad"""
    state: str = ""
    """normal, wants-understanding, relaxed, tense"""
    context: str = ""
    """technical, work, small-talk, feelings"""
    intent: str = ""
    """query, create, plan, execute, chat"""
    route: Route = "shallow"
    useful: bool = True
    """False: no memory helps here (chit-chat, thanks, a bare command)"""
    reasons: tuple[str, ...] = ()
    """one line for each thing perceived and what gave it away"""
