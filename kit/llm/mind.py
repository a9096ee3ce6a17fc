"""The configured model, as the rest of the kit sees it: asked about a prompt or a turn, within a time and a budget.

Law: whatever goes wrong is a KitError that says so, and is remembered for `status`; nothing of it stops a step that
rules can do. It may be asked by several threads at once, and never by one that holds the indexes.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from kit import text
from kit.errors import BadInputError, KitError, UnusableError
from kit.llm import answers, fields, prompts
from kit.llm.budget import Budget
from kit.llm.command import Command
from kit.llm.endpoint import Endpoint
from kit.llm.port import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from pydantic import BaseModel

    from kit.llm.intent import Intent
    from kit.llm.port import Prompt, Provider, Reply, Settings
    from kit.llm.turn import Turn

LONGEST = 24_000
"""Characters of one section that are shown to a model, half at the start and half at the end."""
_REMEMBERED = 64
"""Prompts whose reading is kept until they are framed."""
_ANSWER_TOKENS = 600
_SAMPLE = (
    ("user", "Which port has the gateway? Reports go in tables, always."),
    ("agent", "The gateway listens on port 9090. Noted for the reports."),
)


class Understood(NamedTuple):
    """What a model said, judged."""

    turn: Turn
    dropped: tuple[str, ...]
    """a sentence for each part of the answer that can't be used"""
    tokens: int


class Tested(NamedTuple):
    """What a test of the model came to."""

    provider: str
    where: str
    answers: bool
    json: bool
    tokens: int
    ms: int
    used_this_month: int
    cap: int
    at_prompt: bool
    says: tuple[str, ...]


class Mind:
    """A model that may be asked; nobody home when no provider is set."""

    def __init__(self, settings: Settings, vault: Path, clock: Callable[[], datetime]) -> None:
        self.settings = settings
        self.budget = Budget(settings.monthly_tokens, clock)
        self.last_error = ""
        self._vault = vault
        self._provider: Provider | None = None
        self._lock = threading.Lock()
        self._heard: OrderedDict[str, Intent] = OrderedDict()

    @property
    def is_there(self) -> bool:
        """Tell whether a model is configured."""
        return bool(self.settings.provider)

    @property
    def listens(self) -> bool:
        """Tell whether the person lets it be asked about prompts."""
        return self.is_there and self.settings.at_prompt

    @property
    def name(self) -> str:
        """Name the model as a person would."""
        settings = self.settings
        if settings.provider == "command":
            return settings.command.split(" ")[0]
        return settings.model if settings.provider else ""

    @property
    def _trusted(self) -> Path | None:
        """The vault, if its own prompts may be used."""
        return self._vault if self.settings.vault_prompts else None

    def use(self, settings: Settings) -> None:
        """Ask the model of other settings from now on."""
        if settings != self.settings:
            self.settings, self.budget.most, self.last_error = settings, settings.monthly_tokens, ""
            self.close()

    def close(self) -> None:
        """Let connections go."""
        with self._lock:
            provider, self._provider = self._provider, None
        if provider:
            provider.close()

    # -- a finished turn

    def turn(self, language: str, parts: Sequence[tuple[str, str]]) -> Understood:
        """Ask what a turn is worth; raise a KitError when there is no answer or none that can be used."""
        from kit.llm.turn import Turn  # noqa: PLC0415 - only who has a model pays for it

        prompt = prompts.compose("turn", language, [(name, _clipped(said)) for name, said in parts], self._trusted)
        found, dropped, tokens = self._asked(Turn, prompt, self.settings.timeout_s)
        return Understood(Turn.built(found), dropped, tokens)

    # -- a prompt

    def listen(self, prompt: str, parts: Sequence[tuple[str, str]], within_s: float) -> Intent | None:
        """Ask what a prompt wants, for `within_s` seconds at most; None when there is no good answer by then.

        `parts` is what is shown of it. What comes too late is not used: the prompt has been judged by then.
        """
        if not self.is_there or within_s <= 0 or self.budget.is_spent():
            return None
        answered = threading.Event()
        late = threading.Event()
        shown = [(name, _clipped(said)) for name, said in parts]
        asked = prompts.compose("intent", text.language(prompt), shown, self._trusted)

        def ask() -> None:
            from kit.llm.intent import Intent  # noqa: PLC0415 - as above

            with suppress(KitError):  # it stands in `last_error`
                found, _, _ = self._asked(Intent, asked, max(within_s, 0.1))
                with self._lock:
                    if not late.is_set():
                        self._heard[prompt] = Intent.built(found)
                    while len(self._heard) > _REMEMBERED:
                        self._heard.popitem(last=False)
            answered.set()

        threading.Thread(target=ask, daemon=True, name="a-line").start()
        answered.wait(within_s)
        with self._lock:
            late.set()
            return self._heard.get(prompt)

    def heard(self, prompt: str) -> Intent | None:
        """Give what a model understood of a prompt a moment ago; asks nobody."""
        if not self._heard:
            return None
        with self._lock:
            return self._heard.get(prompt)

    # -- whether it works

    def test(self) -> Tested:
        """Ask one small question, and say in sentences what works; raise what a person must mend first."""
        settings = self.settings
        if not self.is_there:
            raise BadInputError(
                "No model is configured; the kit works by rules.",
                "Set llm.provider, llm.model and llm.base_url in your own config.toml (see `memkit config`).",
            )
        where = settings.url if settings.provider == "openai" else settings.command
        prompt = prompts.compose("turn", "en", _SAMPLE)
        begun = time.monotonic()
        reply = self._reply(prompt, settings.timeout_s)
        took = round((time.monotonic() - begun) * 1000)
        from kit.llm.turn import Turn  # noqa: PLC0415 - as above

        found = answers.read_object(reply.text, fields.names(Turn), prompt.whole)
        values, dropped = fields.take(Turn, found) if found else ({}, ())
        usable = bool(values.get("summary"))
        tokens = reply.tokens or _estimate(prompt, reply.text)
        says = [
            f"{where.split('@')[-1]} was reached and answered in {took} ms.",
            "Its JSON can be used." if usable else "It gave no JSON that can be used; turns would be learned by rules.",
            f"The question and its answer took {tokens} tokens" + (" (estimated)." if not reply.tokens else "."),
            *(f"Left out: {each}." for each in dropped),
        ]
        if prompts.has_own(self._vault) and not settings.vault_prompts:
            says.append(
                f"This vault has prompts of its own in {prompts.FOLDER}; they are not used, since your settings do not "
                "allow it (llm.vault_prompts)."
            )
        if settings.at_prompt and took > settings.prompt_s * 1000:
            says.append(
                f"Prompts wait {settings.prompt_s:g} s for it; this took longer, so rules would mostly decide there."
            )
        return Tested(
            settings.provider, where.split("@")[-1], answers=True, json=usable, tokens=tokens, ms=took,
            used_this_month=self.budget.used(), cap=self.budget.most, at_prompt=settings.at_prompt, says=tuple(says),
        )  # fmt: skip

    def warm(self) -> None:
        """Load what the first question needs, so that it does not pay for that."""
        with suppress(KitError):
            self._way()
            if self.settings.provider == "openai":
                Endpoint.load()

    # -- asking

    def _asked(
        self, model: type[BaseModel], prompt: Prompt, within_s: float
    ) -> tuple[dict[str, object], tuple[str, ...], int]:
        reply = self._reply(prompt, within_s)
        raw = answers.read_object(reply.text, fields.names(model), prompt.whole)
        found = fields.take(model, raw) if raw else fields.Taken({}, ())
        if not found.values:
            self.last_error = f"{self.name} gave no answer that can be used."
            raise UnusableError(self.last_error, "`memkit llm test` says more.")
        self.last_error = ""
        return found.values, found.dropped, reply.tokens or _estimate(prompt, reply.text)

    def _reply(self, prompt: Prompt, within_s: float) -> Reply:
        """Ask once, count what it costs, and remember what went wrong."""
        try:
            provider = self._way()
            reserved = _estimate(prompt) + _ANSWER_TOKENS
            self.budget.reserve(reserved)
            try:
                reply = provider.ask(prompt, within_s)
            except KitError as error:
                if not (isinstance(error, UnusableError) or (isinstance(error, ModelError) and error.sent)):
                    self.budget.add(-reserved)  # it was not dealt with
                raise
            self.budget.add((reply.tokens or _estimate(prompt, reply.text)) - reserved)
        except KitError as error:
            self.last_error = str(error)
            raise
        return reply

    def _way(self) -> Provider:
        with self._lock:
            if self._provider is None:
                way = Command if self.settings.provider == "command" else Endpoint
                self._provider = way(self.settings)
            return self._provider


def _estimate(prompt: Prompt, answer: str = "") -> int:
    return text.count_tokens(prompt.frame) + text.count_tokens(prompt.data) + text.count_tokens(answer)


def _clipped(said: str) -> str:
    half = LONGEST // 2
    return said if len(said) <= LONGEST else f"{said[:half]}\n[…]\n{said[-half:]}"
