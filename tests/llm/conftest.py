"""A vault with a model behind it: the endpoint is ours, the settings are the person's own."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from kit.app import Kit
from tests.conftest import NOON
from tests.llm.fake_endpoint import Endpoint, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = "sk-live-abcdefghijklmnopqrstuvwxyz012345"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("MODEL_KEY", KEY)
    with serving() as made:
        yield made


def configure(home: Path, **settings: Any) -> Path:  # noqa: ANN401 - what TOML can hold
    """Write the person's own settings."""
    file = home / "config" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    file.write_text(f"[llm]\n{lines}", encoding="utf-8")
    return file


@pytest.fixture
def minded(home: Path, vault: Path, endpoint: Endpoint) -> Iterator[Kit]:
    """Open a vault whose turns a model is asked about."""
    configure(home, provider="openai", base_url=endpoint.url, model="fake", key_env="MODEL_KEY", timeout_s=20)
    seconds = count()
    with Kit(vault, clock=lambda: NOON + timedelta(seconds=next(seconds))) as kit:
        yield kit


def turn(kit: Kit, prompt: str, answer: str, *tags: str, topic: str = "s1") -> str:
    """Have a whole turn take place."""
    framed = kit.frame(prompt, topic=topic, tags=tags)
    kit.complete(framed.id, answer)
    return framed.id
