"""What a harness event does: recall before the reply, cards after it, and what a session has seen already.

Law: recall comes before the turn's own frame; a session is told a memory once, until its context is compacted;
whose card an event is about is decided by `harness.matching` alone, from the files after a restart.
"""

from kit.sessions.owed import Held
from kit.sessions.sessions import Reply, Sessions

__all__ = ["Held", "Reply", "Sessions"]
