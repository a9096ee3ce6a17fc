"""What the kit needs of a language model, whoever provides it: one question, one answer.

Law: a key is read from the environment when it is needed, and stands in no value that is shown, logged or raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from kit.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"


class Settings(NamedTuple):
    """How the person has set the model up; `provider` is empty for none."""

    provider: str = ""
    base_url: str = ""
    model: str = ""
    key_env: str = ""
    """the environment variable that holds the key, never the key"""
    command: str = ""
    timeout_s: float = 60.0
    monthly_tokens: int = 0
    """0: no cap"""
    at_once: int = 2
    at_prompt: bool = False
    prompt_s: float = 1.5
    vault_prompts: bool = False
    """whether the person trusts what a vault would have their model told"""

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Settings:
        """Take the settings of the section `llm`, by their names; others are left aside."""
        return cls(**{name: value for name, value in values.items() if name in cls._fields})  # type: ignore[arg-type]  # the table of settings has checked the types

    @property
    def url(self) -> str:
        """The endpoint; OpenAI's own when none is set."""
        return self.base_url or OPENAI

    @property
    def key_name(self) -> str:
        """The environment variable of the key; one endpoint's usual key is never sent to another."""
        return self.key_env or ("" if self.base_url else OPENAI_KEY)


class Prompt(NamedTuple):
    """A question: what is asked for, and the material as fenced data."""

    frame: str
    data: str

    @property
    def whole(self) -> str:
        """Both as one text, for programs that read one."""
        return f"{self.frame.rstrip()}\n\n{self.data}"


class Reply(NamedTuple):
    """What a model answered."""

    text: str
    tokens: int
    """both ways, as the endpoint counts; 0 where it does not tell"""


class Provider(Protocol):
    """A way to a model."""

    def ask(self, prompt: Prompt, within_s: float) -> Reply:
        """Ask; raise a KitError that says what is wrong, within about `within_s` seconds."""

    def close(self) -> None:
        """Let connections go."""


class ModelError(UnavailableError):
    """A model did not answer; `wait_s` is how long the endpoint asks to be left alone, `sent` whether it may count."""

    def __init__(self, what: str, mend: str = "", *, wait_s: float = 0.0, sent: bool = False) -> None:
        super().__init__(what, mend)
        self.wait_s = wait_s
        self.sent = sent


class RejectedError(ModelError):
    """An endpoint would not take this very question: it may be too long for the model, or against its rules."""
