"""The two tools of an agent without hooks: a message comes in, its answer goes out.

Law: what is remembered is looked up before the message's own card is written, so no message recalls itself.
"""

from contextlib import suppress
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from kit.asker import Asker
from kit.errors import NotFoundError
from kit.mcp import answers
from kit.mcp.tools import Session, Tools
from kit.model.fields import LONGEST

HARNESS = "mcp"
TOLD = 5
"""Memories a message is given at most, as by a hook."""

_WHENCE = "Hand over the `frameId` that process_message gave for this message; nothing was saved."


class Turns(Tools):
    """The tools of one vault; `session` stands for messages that name none."""

    session = "default"

    def __init__(self, asker: Asker, project: str = "") -> None:
        super().__init__(asker, project)
        self._sessions: set[str] = set()

    def end(self) -> None:
        """Write down that the sessions of this client have ended."""
        for session in sorted(self._sessions):
            with suppress(ToolError):
                self.ask("note_event", what="end", session=session)

    def process_message(
        self,
        input: Annotated[  # noqa: A002 - contract
            str, Field(min_length=1, max_length=LONGEST, description="the person's message, verbatim")
        ],
        sessionId: Session = "",  # noqa: N803 - the name is the contract
    ) -> answers.Processed:
        """Take a person's message in: recall what is useful for it, and begin the card of this turn.

        For agents that have no memory hooks, once for each message and before answering it. Hand the `frameId` to
        save_memory afterwards. Where recalled notes stand before your prompts already, hooks do this: do not call it.
        """
        session = sessionId or self.session
        self._sessions.add(session)
        found = self.ask("explain", query=input, topic=session, project=self._project, limit=TOLD, unasked=True)
        recall, told, ids = found["recall"], found["delivery"]["text"], found["delivery"]["ids"]
        if ids:
            self.ask("note_told", session=session, prompt=input, ids=ids, tokens=found["delivery"]["tokens"])
        card = self.ask("frame", prompt=input, topic=session, project=self._project, harness=HARNESS, who="hook")
        return answers.Processed(
            enriched_input=f"{input}\n\n{told}".strip(), intent=recall["perception"]["intent"],
            has_memory=bool(ids), memory=self._best(recall["hits"], ids),
            missing_tags=len(recall["missing"]), malformed_tags=len({*recall["malformed"], *card["malformed"]}),
            frame_id=card["id"],
        )  # fmt: skip

    def _best(self, hits: list[dict[str, Any]], told: list[str]) -> answers.Message | None:
        rows = [(hit, self.ask("desk.memory", note_id=hit["id"])) for hit in hits if hit["id"] in told]
        if not rows:
            return None
        best, row = rows[0]
        preferred = [row["text"] for _, row in rows if row["category"] in ("preference", "habit", "style")]
        return answers.Message(summary=row["text"], tags=row["tags"], confidence=best["score"], preferences=preferred)

    def save_memory(
        self,
        userInput: Annotated[str, Field(description="the person's message, verbatim")],  # noqa: N803 - the contract
        agentResponse: Annotated[str, Field(max_length=LONGEST, description="your whole answer")],  # noqa: N803 - contract
        cardId: Annotated[str, Field(description="the `frameId` that process_message gave")],  # noqa: N803 - the contract
        status: Literal["completed", "interrupted", "failed"] = "completed",
        errorMessage: Annotated[str, Field(description="what went wrong, if it failed")] = "",  # noqa: N803 - contract
    ) -> answers.Saved:
        """Keep a turn: the answer to a message that process_message took in.

        For agents that have no memory hooks, once for each message and after answering it. Doing it twice is doing it
        once.
        """
        if not (userInput.strip() or agentResponse.strip()):
            raise ToolError("There is nothing to save: both the message and the answer are empty.")
        if not cardId.strip():
            raise ToolError(f"No `cardId` was given. {_WHENCE}")
        try:
            done = self.ask(
                "complete", card=cardId, answer=agentResponse, status=status, error=errorMessage, who="hook"
            )
        except ToolError as error:
            if isinstance(error.__cause__, NotFoundError) and cardId in error.__cause__.what:
                raise ToolError(f"{error.__cause__.what} {_WHENCE}") from error
            raise
        kept = f"{done['status']}: {done['summary']}" if done["changed"] else "It was saved with this answer before."
        return answers.Saved(success=True, message=kept, card_id=done["id"], malformed_tags=len(done["malformed"]))
