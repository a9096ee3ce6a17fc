"""Any OpenAI-compatible endpoint, through the official SDK; the only place that knows it.

Law: it is imported when a model is asked, not before. What an endpoint says about an error is not passed on, for it
may hold parts of the key: the status is said in our own words. It never tries again by itself; who asks decides that.
The time it has is for the whole answer, and for both tries: one that comes drop by drop, its head or its body, is
late as well.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kit.errors import BadInputError, KitError, NotFoundError, RefusedError, UnusableError
from kit.llm.deadline import Deadline
from kit.llm.port import ModelError, RejectedError, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from kit.llm.port import Prompt, Settings

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST_WAIT_S = 3600.0
_MOST = 4_000_000
"""Bytes of an answer."""
_REJECTED = frozenset({400, 413, 422})
"""Statuses that speak of the question, not of the endpoint."""
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


class Endpoint:
    """One model behind one endpoint."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._host = _host(settings.url)
        self._key_name = settings.key_name if _VARIABLE.fullmatch(settings.key_name) else "that llm.key_env names"
        self._speaks_json = True
        self._client: Any = None  # the SDK is an extra: its types may not be there
        self._asking = threading.local()
        """the deadline of the question that a thread is about"""

    @staticmethod
    def load() -> None:
        """Load the SDK, which takes a while; raise BadInputError when it is not installed."""
        _sdk()

    def ask(self, prompt: Prompt, within_s: float) -> Reply:
        """Ask once; a second time without the wish for JSON where the endpoint does not know it."""
        sdk = _sdk()
        with Deadline(within_s) as deadline:
            try:
                try:
                    return self._ask(sdk, prompt, deadline, wishes=self._speaks_json)
                except (sdk.BadRequestError, sdk.UnprocessableEntityError):
                    if not self._speaks_json:
                        raise
                found = self._ask(sdk, prompt, deadline, wishes=False)
            except (sdk.OpenAIError, ValueError) as error:  # the SDK lets through what is no JSON
                raise (self._late() if deadline.is_over else self._told(sdk, error)) from None
        self._speaks_json = False  # so it was the wish, not the question
        return found

    def close(self) -> None:
        """Let connections go."""
        if self._client is not None:
            self._client.close()

    def _ask(self, sdk: ModuleType, prompt: Prompt, deadline: Deadline, *, wishes: bool) -> Reply:
        if self._client is None:
            self._client = self._connect(sdk)
        wish = {"response_format": {"type": "json_object"}} if wishes else {}
        self._asking.deadline = deadline
        coming = self._client.chat.completions.with_streaming_response.create(
            model=self._settings.model, timeout=max(deadline.left_s, 0.001),
            messages=[{"role": "system", "content": prompt.frame}, {"role": "user", "content": prompt.data}], **wish,
        )  # fmt: skip
        with self._reading(sdk, deadline), coming as response:
            raw = bytearray()
            for piece in response.iter_bytes():
                raw += piece
                if deadline.is_over:
                    raise self._late()
                if len(raw) > _MOST:
                    raise UnusableError(f"The model at {self._host} never stops.", "Look whether it is a chat model.")
        return self._reply(json.loads(raw))

    def _reply(self, found: object) -> Reply:
        """Read a chat completion; raise ValueError when it is none."""
        if not isinstance(found, dict):
            raise ValueError  # noqa: TRY004 - to who asks it is as good as no JSON
        choices = found.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        message = first.get("message") if isinstance(first, dict) else None
        said = message.get("content") if isinstance(message, dict) else None
        if not isinstance(said, str):
            raise UnusableError(f"The model at {self._host} gave no text.", "Look whether it is a chat model.")
        usage = found.get("usage")
        used = usage.get("total_tokens") if isinstance(usage, dict) else 0
        return Reply(said, used if isinstance(used, int) and used > 0 else 0)

    @contextmanager
    def _reading(self, sdk: ModuleType, deadline: Deadline) -> Iterator[None]:
        """Say what befalls an answer on its way, which the SDK passes on as the library below it says it."""
        http = _http(sdk)
        try:
            yield
        except http.TimeoutException:
            raise self._late() from None
        except http.HTTPError:
            raise (self._late() if deadline.is_over else self._away()) from None

    def _late(self) -> ModelError:
        what = f"The endpoint {self._host} did not answer in time."
        return ModelError(what, "Raise llm.timeout_s if it is slow.", sent=True)

    def _away(self) -> ModelError:
        return ModelError(f"The endpoint {self._host} can't be reached.", "Is llm.base_url right, and does it run?")

    def _connect(self, sdk: ModuleType) -> object:
        settings = self._settings
        if not settings.model:
            raise BadInputError("No model is named.", "Set llm.model in your config.toml, as your endpoint calls it.")
        for name in ("openai", "httpx", "httpx2"):
            logging.getLogger(name).setLevel(logging.WARNING)  # each request would stand in the log, address and all
        key = os.environ.get(settings.key_name, "").strip() if settings.key_name else "none"
        if not key:
            raise BadInputError(
                f"The environment variable {self._key_name}, which should hold the key, is not set.",
                "Set it where the daemon is started, then: memkit daemon stop. llm.key_env is its name, never the key.",
            )
        client = sdk.DefaultHttpxClient(
            trust_env=self._host not in _LOOPBACK,
            limits=_http(sdk).Limits(max_keepalive_connections=0),  # each question has a connection that can be cut
            event_hooks={"request": [self._watch]},
        )
        return sdk.OpenAI(api_key=key, base_url=settings.url, max_retries=0, http_client=client)

    def _watch(self, request: Any) -> None:  # noqa: ANN401 - as the client
        request.extensions["trace"] = self._asking.deadline.trace

    def _told(self, sdk: ModuleType, error: Exception) -> KitError:
        """Say an SDK's error in our words."""
        where = f"The endpoint {self._host}"
        if isinstance(error, sdk.APITimeoutError):
            return self._late()
        if isinstance(error, sdk.APIConnectionError):
            return self._away()
        status = getattr(error, "status_code", 0)
        if status:
            return self._refused(where, status, _wait(error))
        return UnusableError(
            f"What {where[4:]} answered is no chat completion.", "Is it an OpenAI-compatible endpoint?"
        )

    def _refused(self, where: str, status: int, wait_s: float) -> KitError:
        """Say a status in our words."""
        if status in (401, 403):
            named = self._settings.key_name
            mend = f"Look at the variable {self._key_name} (llm.key_env)." if named else "Set llm.key_env."
            return RefusedError(f"{where} refused the key ({status}).", mend)
        if status == 404:  # noqa: PLR2004 - as HTTP has it
            mend = "Look at llm.model and llm.base_url; the latter often ends in /v1."
            return NotFoundError(f"{where} knows no model '{self._settings.model}' (404).", mend)
        if status in _REJECTED:
            mend = "It may be too long for the model; after some tries rules do it. Else look at llm.model."
            return RejectedError(f"{where} answered {status}: it does not take the question.", mend)
        return ModelError(f"{where} answered {status}.", "It is tried again later.", wait_s=wait_s)


def _host(url: str) -> str:
    """Read the host of an address, which may hold a password and is not repeated; raise BadInputError without one."""
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        host = None
    if not host:
        raise BadInputError("llm.base_url is no address.", "Write it whole, as http://localhost:11434/v1.")
    return host


def _wait(error: Exception) -> float:
    """Read how many seconds the endpoint asks for; 0 where it does not, or says a date."""
    told = getattr(getattr(error, "response", None), "headers", {}).get("retry-after", "")
    try:
        return min(_LONGEST_WAIT_S, max(0.0, float(told)))
    except ValueError:
        return 0.0


def _http(sdk: ModuleType) -> ModuleType:
    """Find the library that the SDK speaks HTTP with; its name differs by version."""
    return importlib.import_module(sdk.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])


def _sdk() -> ModuleType:
    try:
        return importlib.import_module("openai")
    except ImportError:
        raise BadInputError(
            "The package `openai` is not installed.", "Install it with: pip install 'memory-kit[llm]'"
        ) from None
