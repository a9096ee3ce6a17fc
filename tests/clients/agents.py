"""The coding agents: what each needs to run offline, and how it is asked once.

Law: this is the person's own set-up of a client, before the kit comes; what the kit installs is not in here.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from typing import TYPE_CHECKING, NamedTuple

from tests.clients import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.clients.household import Household
    from tests.clients.person import Person

KEY = "sk-not-a-key-0000000000000000"
MODEL = "fake-model"


class Agent(NamedTuple):
    """One coding agent."""

    name: str
    wire: str
    """How it speaks to its model."""
    prepare: Callable[[Household, str], None]
    """Write its own settings, for a model at an address."""
    environment: Callable[[Household, str], Mapping[str, str]]
    words: Callable[[str], list[str]]
    """The arguments that ask one prompt in a new session and print the answer."""
    configuration: tuple[str, ...]
    """The files and folders in the home whose content must be the same after uninstalling."""
    newer_node: bool = False
    by_hand: Callable[[Person, str], None] = lambda _, __: None
    """Do what the kit leaves to the person, who was told so in these words."""

    @property
    def program(self) -> str:
        """The program's path; empty when it is not installed."""
        return programs.find(self.name)

    @property
    def path(self) -> str:
        """The search path it runs with."""
        return programs.path(newer_node=self.newer_node)


def _write(file: Path, value: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n", encoding="utf-8")


# -- Claude Code


def _prepare_claude(house: Household, _: str) -> None:
    _write(house.home / ".claude/settings.json", {"model": "sonnet", "hooks": {}})
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    _write(
        house.home / ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(house.project): project},
        },
    )


def _claude_environment(_: Household, url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


# -- Codex


def _prepare_codex(house: Household, url: str) -> None:
    settings = f"""model = "gpt-5.4"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false

[projects."{house.project}"]
trust_level = "trusted"

[notice]
hide_full_access_warning = true
"""
    _write(house.home / ".codex/config.toml", settings)


def _codex_environment(house: Household, _: str) -> Mapping[str, str]:
    return {"FAKE_KEY": KEY, "CODEX_HOME": str(house.home / ".codex")}


def _codex_words(prompt: str) -> list[str]:
    # A person answers "Trust" once in Codex' own window; nobody is there to do so here.
    return ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt]


# -- Gemini


def _prepare_gemini(house: Household, _: str) -> None:
    _write(
        house.home / ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        },
    )


def _gemini_environment(_: Household, url: str) -> Mapping[str, str]:
    return {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_NO_RELAUNCH": "true",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


# -- Qwen


def _prepare_qwen(house: Household, _: str) -> None:
    _write(
        house.home / ".qwen/settings.json",
        {
            "$version": 4,  # it would put this in itself
            "security": {"auth": {"selectedType": "openai"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        },
    )


def _qwen_environment(_: Household, url: str) -> Mapping[str, str]:
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": MODEL}


# -- Pi


def _prepare_pi(house: Household, url: str) -> None:
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": MODEL, "name": "Fake", "contextWindow": 200_000, "maxTokens": 8_000, "cost": cost}
    provider = {"baseUrl": f"{url}/v1", "apiKey": KEY, "api": "openai-completions", "models": [model]}
    _write(house.home / ".pi/agent/models.json", {"providers": {"fake": provider}})


# -- OpenCode


def _prepare_opencode(house: Household, url: str) -> None:
    model = {"name": "Fake", "limit": {"context": 200_000, "output": 8_000}, "tool_call": True}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Fake",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {MODEL: model},
    }
    settings = {
        "$schema": "https://opencode.ai/config.json",  # it would put this in itself
        "autoupdate": False,
        "share": "disabled",
        "model": f"fake/{MODEL}",
        "small_model": f"fake/{MODEL}",
        "provider": {"fake": provider},
    }
    _write(house.home / ".config/opencode/opencode.json", settings)


def _opencode_environment(_: Household, __: str) -> Mapping[str, str]:
    return {
        f"OPENCODE_DISABLE_{what}": "1" for what in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    }


# -- DeepSeek Harness


def _prepare_dsh(house: Household, _: str) -> None:
    profile = house.home / ".dsh/profiles/headless"
    bundles = {"profile": {"bundles": ["@deepseek-ai/dsh-base", "@deepseek-ai/dsh-headless"]}}
    _write(
        profile / "package.json",
        {"name": "dsh-profile-headless", "private": True, "dependencies": {}, "dsh": bundles},
    )
    _write(profile / "cordis.yml", "[]\n")
    # The headless profile turns this service off, but the watcher of the person's own patch needs it.
    _write(profile / "cordis.patch.yml", "- id: hmr\n  disabled: false\n")
    _write(profile / "pnpm-workspace.yaml", "packages:\n  - .\nnodeLinker: hoisted\nautoInstallPeers: false\n")
    (profile / "node_modules").mkdir()
    (profile / "node_modules/@deepseek-ai").symlink_to(programs.folder() / "dsh/node_modules/@deepseek-ai")


def _dsh_environment(house: Household, url: str) -> Mapping[str, str]:
    return {
        "DSH_HOME": str(house.home / ".dsh"),
        "DEEPSEEK_API_KEY": KEY,
        "DEEPSEEK_BASE_URL": f"{url}/v1",
        "DSH_TELEMETRY_DISABLED": "1",
        "DSH_PERMISSION_MODE": "danger-full-access",
    }


# -- Copilot


def _copilot_environment(_: Household, url: str) -> Mapping[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": MODEL,
        "COPILOT_AUTO_UPDATE": "false",
    }


# -- OpenClaw


def _prepare_openclaw(house: Household, url: str) -> None:
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": MODEL, "name": "Fake", "contextWindow": 200_000, "maxTokens": 8_000, "cost": cost}
    provider = {"baseUrl": f"{url}/v1", "apiKey": KEY, "api": "openai-completions", "models": [model]}
    defaults = {"model": {"primary": f"fake/{MODEL}"}, "workspace": str(house.project), "skipBootstrap": True}
    _write(
        house.home / ".openclaw/openclaw.json",
        {"models": {"mode": "merge", "providers": {"fake": provider}}, "agents": {"defaults": defaults}},
    )


def _do_in_openclaw(person: Person, told: str) -> None:
    """Run the commands of its own that were printed."""
    for line in told.splitlines():
        if line.startswith("openclaw "):
            ran = person.house.run([person.agent.program, *shlex.split(line)[1:]], person.environment())
            assert ran.code == 0, ran


def _openclaw_words(prompt: str) -> list[str]:
    session = hashlib.sha256(prompt.encode()).hexdigest()[:12]
    return ["agent", "--local", "--session-id", session, "--message", prompt]


AGENTS = (
    Agent(
        "claude", "anthropic", _prepare_claude, _claude_environment, lambda prompt: ["-p", prompt],
        (".claude/settings.json",),
    ),
    Agent(
        "codex", "responses", _prepare_codex, _codex_environment, _codex_words,
        (".codex/hooks.json", ".codex/config.toml"),
    ),
    Agent(
        "gemini", "gemini", _prepare_gemini, _gemini_environment,
        lambda prompt: ["-m", "gemini-2.5-flash", "-p", prompt],
        (".gemini/settings.json", ".gemini/extensions/memkit"), newer_node=True,
    ),
    Agent(
        "pi", "chat", _prepare_pi, lambda _, __: {"PI_OFFLINE": "1"},
        lambda prompt: ["--offline", "--model", f"fake/{MODEL}", "-p", prompt],
        (".pi/agent/extensions",), newer_node=True,
    ),
    Agent(
        "qwen", "chat", _prepare_qwen, _qwen_environment, lambda prompt: ["-p", prompt],
        (".qwen/settings.json", ".qwen/extensions/memkit"), newer_node=True,
    ),
    Agent(
        "opencode", "chat", _prepare_opencode, _opencode_environment, lambda prompt: ["run", prompt],
        (".config/opencode/opencode.json", ".config/opencode/plugins"), newer_node=True,
    ),
    Agent(
        "dsh", "chat", _prepare_dsh, _dsh_environment, lambda prompt: ["--profile", "headless", prompt],
        (".dsh/cordis.patch.yml",), newer_node=True,
    ),
    Agent(
        "copilot", "chat", lambda _, __: None, _copilot_environment, lambda prompt: ["-p", prompt],
        (".copilot/hooks",), newer_node=True,
    ),
    Agent(
        "openclaw", "chat", _prepare_openclaw, lambda _, __: {"OPENCLAW_DISABLE_UPDATE_CHECK": "1"}, _openclaw_words,
        (".config/memkit/hooks/openclaw",), newer_node=True, by_hand=_do_in_openclaw,
    ),
)  # fmt: skip
