"""What hooks do to a vault: captured payloads in, exact replies out, cards and events on the disk."""

from __future__ import annotations

import json
import os
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kit import places, reconcile
from kit.app import Kit
from kit.errors import BadInputError, UnavailableError
from kit.harness.event import Limit
from kit.model.hits import FENCE_CLOSE, FENCE_OPEN
from kit.model.notes import Card
from kit.places import project_of
from kit.sessions import Reply, Sessions
from kit.vault import exchange
from kit.vault.lock import VaultLock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PAYLOADS = Path(__file__).parent / "harness" / "payloads"
PROMPT = "where is the key 钥匙 😀\nthe spare one"
CLIENTS = pytest.mark.parametrize("client", ["claude", "codex"])


class Client:
    """A coding agent that calls the hooks of one session."""

    def __init__(self, kit: Kit, name: str = "claude", session: str = "s1") -> None:
        self.name, self.session = name, session
        self.sessions = Sessions(kit)

    def hook(self, event: str, payload: Mapping[str, object], *, finish: bool = True) -> bytes:
        reply = self.sessions.handle(self.name, event, json.dumps(payload, ensure_ascii=False).encode(), {})
        if finish:
            reply.after()
        return reply.out

    def captured(self, event: str, file: str) -> bytes:
        return self.hook(event, json.loads((PAYLOADS / self.name / f"{file}.json").read_text("utf-8")))

    def prompt(self, text: str, turn: str = "t1", **more: object) -> bytes:
        key = "prompt_id" if self.name == "claude" else "turn_id"
        said = {"session_id": self.session, key: turn, "hook_event_name": "UserPromptSubmit", "prompt": text}
        return self.hook("prompt", said | more)

    def stop(self, answer: str, turn: str = "t1", **more: object) -> bytes:
        key = "prompt_id" if self.name == "claude" else "turn_id"
        said = {"session_id": self.session, key: turn, "hook_event_name": "Stop", "last_assistant_message": answer}
        return self.hook("answer", said | more)

    def tell(self, event: str, name: str, **more: object) -> bytes:
        return self.hook(event, {"session_id": self.session, "hook_event_name": name, **more})


def cards(kit: Kit) -> list[tuple[str, str, str]]:
    """List each turn as status, prompt, answer, in the order they were made."""

    def turns() -> Iterator[tuple[str, str, str, str]]:
        kit.sync()
        for entry in kit.index.catalog.of_kind("card"):
            card = kit.load(entry.path)
            assert isinstance(card, Card)
            said = exchange.read(kit.body(card.event))
            yield str(card.created), card.status, said.user, said.agent

    return [turn[1:] for turn in sorted(turns())]


def remember_key(kit: Kit) -> str:
    fact = kit.remember("The spare key lies under the mat", tags=["钥匙"], category="fact")
    assert fact is not None
    return fact.id


def reply(*lines: str) -> bytes:
    context = "\n".join([FENCE_OPEN, *lines, FENCE_CLOSE]) + "\n"
    inner = {"hookEventName": "UserPromptSubmit", "additionalContext": context}
    return json.dumps({"hookSpecificOutput": inner}, ensure_ascii=False, separators=(",", ":")).encode()


KEY = "- The spare key lies under the mat (2026-11-30, facts/The spare key lies under the mat)"


# --- one turn


@CLIENTS
def test_a_captured_turn_is_recalled_framed_and_completed(kit: Kit, client: str) -> None:
    remember_key(kit)
    agent = Client(kit, client)
    assert agent.captured("start", "SessionStart-startup") == b""
    assert agent.captured("prompt", "UserPromptSubmit") == reply(KEY)
    assert cards(kit) == [("pending", PROMPT, "")]
    assert agent.captured("answer", "Stop") == b""
    assert cards(kit) == [("completed", PROMPT, "under the mat 答案 ✅")]
    assert agent.captured("end", "SessionEnd") == b""
    assert cards(kit) == [("completed", PROMPT, "under the mat 答案 ✅")]
    card = kit.load(next(kit.index.catalog.of_kind("card")).path)
    assert isinstance(card, Card)
    assert (card.harness, card.topic, card.turn, card.project) == (
        client,
        "5e551011-0000-4abc-9def-000000000001",
        "5e551011-0000-4abc-9def-000000000002",
        "project",
    )
    assert kit.doctor() == []


@CLIENTS
def test_where_nothing_is_known_nothing_is_printed(kit: Kit, client: str) -> None:
    assert Client(kit, client).captured("prompt", "UserPromptSubmit") == b""
    assert Client(kit, client).captured("answer", "Stop") == b""


def test_the_reply_is_ready_before_the_turn_is_framed(kit: Kit) -> None:
    remember_key(kit)
    said = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
    assert Client(kit).hook("prompt", said, finish=False) == reply(KEY)
    assert cards(kit) == []


def test_chit_chat_is_kept_and_gets_nothing(kit: Kit) -> None:
    remember_key(kit)
    agent = Client(kit)
    assert agent.prompt("thanks, that's great!") == b""
    agent.stop("You are welcome.")
    assert [turn[0] for turn in cards(kit)] == ["completed"]


def test_the_same_event_twice_changes_nothing(kit: Kit) -> None:
    agent = Client(kit)
    for _ in range(2):
        agent.prompt(PROMPT)
    for _ in range(2):
        agent.stop("under the mat")
    assert cards(kit) == [("completed", PROMPT, "under the mat")]


@pytest.mark.parametrize(
    "payload", [b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b"[" * 5000, b'{"session_id": 7, "prompt": []}', b'"words"']
)
def test_garbage_is_answered_with_silence(kit: Kit, vault: Path, payload: bytes) -> None:
    before = sorted(vault.rglob("*"))
    for event in ("prompt", "answer", "start", "end", "compact", "nonsense"):
        found = Sessions(kit).handle("claude", event, payload, {})
        found.after()
        assert found.out == b""
    assert sorted(vault.rglob("*")) == before


def test_an_unknown_harness_is_told(kit: Kit) -> None:
    with pytest.raises(BadInputError, match="No harness is called 'nobody'"):
        Sessions(kit).handle("nobody", "prompt", b"{}", {})


# --- what a session has been told


@CLIENTS
def test_a_memory_is_told_once_a_session_until_it_is_compacted(kit: Kit, client: str) -> None:
    remember_key(kit)
    agent = Client(kit, client)
    assert agent.prompt(PROMPT, "t1") == reply(KEY)
    assert agent.prompt("钥匙 again please, where is it?", "t2") == b""
    assert Client(kit, client, "s2").prompt("钥匙, where is it?") == reply(KEY)
    agent.tell("compact", "PostCompact", trigger="auto")
    assert agent.prompt("钥匙, where is it now?", "t3") == reply(KEY)
    assert agent.prompt("and where is 钥匙 today?", "t4") == b""


def test_a_cleared_session_is_told_again(kit: Kit) -> None:
    remember_key(kit)
    agent = Client(kit)
    assert agent.prompt(PROMPT) == reply(KEY)
    agent.tell("start", "SessionStart", source="clear")
    assert agent.prompt("钥匙, where is it?", "t2") == reply(KEY)


def test_a_restart_remembers_what_was_told_and_which_turns_are_open(kit: Kit) -> None:
    remember_key(kit)
    agent = Client(kit)
    assert agent.prompt(PROMPT, "t1") == reply(KEY)
    agent.sessions = Sessions(kit)
    assert agent.prompt("and where is 钥匙 today?", "t2") == b""
    agent.sessions = Sessions(kit)
    agent.stop("under the mat", "t2")
    agent.sessions = Sessions(kit)
    agent.stop("under the mat", "t2")
    assert cards(kit) == [("interrupted", PROMPT, ""), ("completed", "and where is 钥匙 today?", "under the mat")]


def test_a_restart_with_the_derived_data_gone_finds_the_open_turn(vault: Path, home: Path) -> None:
    with Kit(vault) as first:
        Client(first).prompt(PROMPT)
    for file in (home / "cache").rglob("*"):
        if file.is_file():
            file.unlink()
    with Kit(vault) as second:
        Client(second).stop("under the mat")
        assert cards(second) == [("completed", PROMPT, "under the mat")]


def test_what_a_client_does_not_take_whole_is_told_another_time(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person may allow more than a client takes: what would be cut off there is not counted as told."""
    facts = {
        "quokka": "The quokka report goes in tables",
        "wombat": "The wombat service runs on port 8080",
        "numbat": "The numbat archive is deleted every May",
    }
    for tag, says in facts.items():
        kit.remember(says, tags=[tag], category="fact")
    monkeypatch.setattr("kit.harness.claude.LIMIT", Limit(240, "utf16"))
    agent = Client(kit)
    found: list[str] = []
    for turn in range(3):
        out = json.loads(agent.prompt(f"tell me, for time {turn}, of quokka, wombat and numbat", f"t{turn}"))
        told = str(out["hookSpecificOutput"]["additionalContext"])
        assert len(told) <= 240
        found += [tag for tag, says in facts.items() if says in told]
    assert sorted(found) == sorted(facts)


# --- steering, interrupting, failing


def test_words_typed_while_codex_runs_steer_its_turn(kit: Kit) -> None:
    agent = Client(kit, "codex")
    agent.prompt("write a poem")
    agent.prompt("and a title")
    agent.stop("A rose.")
    assert cards(kit) == [("completed", "write a poem\n\nand a title", "A rose.")]


def test_codex_tells_of_an_interruption(kit: Kit) -> None:
    agent = Client(kit, "codex")
    agent.prompt("write a poem")
    agent.tell("interrupt", "Interrupt", turn_id="t1")
    assert cards(kit) == [("interrupted", "write a poem", "")]


def test_esc_in_claude_is_read_from_its_transcript(kit: Kit) -> None:
    agent = Client(kit)
    names = {"UserPromptSubmit": "prompt", "Stop": "answer", "SessionStart": "start", "SessionEnd": "end"}
    transcript = PAYLOADS / "claude" / "transcript-interrupt-and-queue.jsonl"
    for line in (PAYLOADS / "claude" / "session-interrupt-and-queue.payloads.jsonl").read_text("utf-8").splitlines():
        payload = json.loads(line)
        payload["transcript_path"] = str(transcript)
        assert agent.hook(names[payload["hook_event_name"]], payload) == b""
    found = cards(kit)
    assert [turn[:2] for turn in found] == [
        ("completed", "good morning"),
        ("interrupted", "write a long poem"),
        ("completed", "after esc"),
        ("completed", "write a second poem\n\nand a title"),
    ]
    assert found[1][2].startswith("rose rose rose")
    assert found[3][2].startswith("rose rose rose")
    assert found[3][2].endswith("good day")


def test_a_failure_is_written_on_the_card(kit: Kit) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    agent.tell("failure", "StopFailure", prompt_id="t1", error="rate limit")
    assert cards(kit) == [("failed", "write a poem", "")]
    assert "rate limit" in kit.log(1)[0]["why"]  # type: ignore[operator]


@CLIENTS
def test_a_session_that_ends_leaves_no_open_turn(kit: Kit, client: str) -> None:
    agent = Client(kit, client)
    agent.prompt("write a poem")
    agent.tell("end", "SessionEnd", reason="other")
    assert cards(kit) == [("interrupted", "write a poem", "")]


def test_a_session_that_has_ended_is_not_summed_up_unless_it_is_named(kit: Kit) -> None:
    client = Client(kit)
    client.prompt("Why do exports end in a 504?", cwd="/projects/harbor")
    client.stop("nginx waits 60 seconds, because that is its default.")
    client.tell("end", "SessionEnd")
    done = kit.tiers.commit("What I did myself.", folder="/projects/harbor").summary
    assert (done.session, done.turns) == ("What I did myself", 0)
    client.prompt("And what should it be?", turn="t2", cwd="/projects/harbor")
    assert kit.tiers.commit("Taken up again.", folder="/projects/harbor").summary.session == "s1"


def test_two_sessions_at_once_never_mix(kit: Kit) -> None:
    one, other = Client(kit, "claude", "s1"), Client(kit, "claude", "s2")
    other.sessions = one.sessions
    one.prompt("first of one")
    other.prompt("first of other")
    other.stop("to other")
    one.stop("to one")
    one.prompt("second of one", "t2")
    other.tell("end", "SessionEnd", reason="other")
    one.stop("again to one", "t2")
    assert cards(kit) == [
        ("completed", "first of one", "to one"),
        ("completed", "first of other", "to other"),
        ("completed", "second of one", "again to one"),
    ]


# --- trouble


def test_a_card_the_person_deleted_stands_in_nobodys_way(kit: Kit, vault: Path) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    for folder in ("cards", "events"):
        for file in (vault / folder).rglob("*.md"):
            file.unlink()
    agent.prompt("write a letter", "t2")
    agent.stop("Dear Ada,", "t2")
    assert cards(kit) == [("completed", "write a letter", "Dear Ada,")]


def test_a_vault_that_is_busy_costs_no_answer(kit: Kit) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    kit._step.lock.timeout = 0.01
    with VaultLock(kit.folder / "vault.lock"), pytest.raises(UnavailableError, match="Another program"):
        agent.stop("A rose.")
    assert cards(kit) == [("pending", "write a poem", "")]
    agent.stop("A rose.")
    assert cards(kit) == [("completed", "write a poem", "A rose.")]


class Shelf:
    """Where a call is written down before its hook has its reply."""

    def __init__(self) -> None:
        self.state = "held"

    def done(self) -> None:
        self.state = "done"

    def let_go(self) -> None:
        self.state = "let go"


def hold_answer(agent: Client, answer: str) -> tuple[Reply, Shelf]:
    shelf = Shelf()
    said = {"session_id": "s1", "prompt_id": "t1", "hook_event_name": "Stop", "last_assistant_message": answer}
    return agent.sessions.handle("claude", "answer", json.dumps(said).encode(), {}, lambda: shelf), shelf


def test_an_answer_that_is_held_has_its_reply_before_its_card_is_completed(kit: Kit) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    reply, shelf = hold_answer(agent, "A rose.")
    assert (cards(kit), shelf.state) == ([("pending", "write a poem", "")], "held")
    reply.after()
    assert (cards(kit), shelf.state) == ([("completed", "write a poem", "A rose.")], "done")


def test_a_held_answer_is_dealt_with_before_anything_that_comes_after_it(kit: Kit) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    _, shelf = hold_answer(agent, "A rose.")
    agent.prompt("write a letter", "t2")
    assert shelf.state == "done"
    assert cards(kit) == [("completed", "write a poem", "A rose."), ("pending", "write a letter", "")]


def test_what_is_asked_again_and_again_is_answered_each_time(vault: Path) -> None:
    (vault / "facts").mkdir(exist_ok=True)
    (vault / "facts/printer.md").write_text("---\nid: p1\nkind: fact\n---\nThe printer lives in room 404.\n", "utf-8")
    with Kit(vault) as first:
        first.sync()
    with Kit(vault, freshen=reconcile.Report) as kit:  # as in a daemon: every write is taken up when it is made
        kit.witness.open()
        for time in range(6):
            kit.witness.take()
            agent = Client(kit, session=f"s{time}")
            assert b"room 404" in agent.prompt("where is the printer room?", f"t{time}")
            agent.stop("It is room 404, beside the lift.", f"t{time}")


@pytest.mark.parametrize("ends", [False, True])
def test_what_was_asked_often_and_never_answered_is_told_all_the_same(vault: Path, ends: bool) -> None:
    (vault / "facts").mkdir(exist_ok=True)
    (vault / "facts/printer.md").write_text("---\nid: p1\nkind: fact\n---\nThe printer lives in room 404.\n", "utf-8")
    with Kit(vault) as first:
        first.sync()
    with Kit(vault, freshen=reconcile.Report) as kit:
        kit.witness.open()
        for time in range(12):
            kit.witness.take()
            agent = Client(kit, session=f"s{time}")
            assert b"room 404" in agent.prompt("where is the printer room?", f"t{time}")
            if ends:
                agent.tell("failure", "StopFailure", prompt_id=f"t{time}")
        kit.witness.take()
        found = kit.search("printer room")
        assert found[0].path == "facts/printer.md"
        assert len(found) == 13, "people find what nobody has answered"


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_what_happens_to_a_turn_before_it_is_framed_finds_it_all_the_same(kit: Kit, client: str) -> None:
    agent = Client(kit, client)
    payload = json.dumps({"session_id": "s1", "prompt_id": "t1", "turn_id": "t1", "prompt": PROMPT}).encode()
    asked = agent.sessions.handle(client, "prompt", payload, {})
    failed = agent.sessions.handle(client, "failure", payload, {})
    assert [(status, said) for status, said, _ in cards(kit)] == [("failed", PROMPT)]
    for late in (asked, failed, asked):
        late.after()
    assert [(status, said) for status, said, _ in cards(kit)] == [("failed", PROMPT)]


def test_a_held_answer_that_can_not_be_dealt_with_is_left_to_be_tried_again(kit: Kit) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    reply, shelf = hold_answer(agent, "A rose.")
    kit._step.lock.timeout = 0.01
    with VaultLock(kit.folder / "vault.lock"), pytest.raises(UnavailableError):
        reply.after()
    assert (cards(kit), shelf.state) == ([("pending", "write a poem", "")], "let go")


def test_a_prompt_that_could_not_be_framed_leaves_nothing_half_done_and_is_framed_later(kit: Kit, vault: Path) -> None:
    agent = Client(kit)
    before = sorted(vault.rglob("*"))
    kit._step.lock.timeout = 0.01
    with VaultLock(kit.folder / "vault.lock"), pytest.raises(UnavailableError):
        agent.prompt("write a poem")
    assert sorted(vault.rglob("*")) == before
    agent.stop("A rose.")
    agent.prompt("write a letter", "t2")
    agent.stop("Dear Ada,", "t2")
    assert cards(kit) == [("completed", "write a poem", "A rose."), ("completed", "write a letter", "Dear Ada,")]


def test_a_prompt_that_could_not_be_framed_is_not_tried_again_by_every_question(kit: Kit) -> None:
    agent = Client(kit)
    kit._step.lock.timeout = 0.01
    with VaultLock(kit.folder / "vault.lock"):
        with pytest.raises(UnavailableError):
            agent.prompt("write a poem")
        agent.sessions.settle()
    agent.stop("A rose.")
    assert cards(kit) == [("completed", "write a poem", "A rose.")]


def test_a_prompt_that_met_a_broken_index_is_framed_later(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    agent = Client(kit)
    payload = json.dumps({"session_id": "s1", "prompt_id": "t1", "prompt": "write a poem"}).encode()
    reply = agent.sessions.handle("claude", "prompt", payload, {})
    with monkeypatch.context() as patched:
        patched.setattr(kit, "frame", fail)
        with pytest.raises(sqlite3.DatabaseError):
            agent.sessions.settle()
    assert not cards(kit)
    reply.after()
    assert cards(kit) == [("pending", "write a poem", "")]


def test_a_recall_that_fails_costs_the_turn_neither_card_nor_answer(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the index broke")

    agent = Client(kit)
    with monkeypatch.context() as patched:
        patched.setattr(kit, "recall", fail)
        with pytest.raises(RuntimeError):
            agent.prompt("where is the spare key of the garden house?")
    agent.stop("Under the mat.")
    assert [turn[0] for turn in cards(kit)] == ["completed"]


def test_a_broken_card_of_a_session_does_not_silence_it(kit: Kit, vault: Path) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    [file] = (vault / "cards").rglob("*.md")
    file.write_text(file.read_text("utf-8").replace("created:", "odd: [never closed\ncreated:"), "utf-8")
    agent.sessions = Sessions(kit)
    agent.prompt("write a letter", "t2")
    agent.stop("Dear Ada,", "t2")
    file.write_text(file.read_text("utf-8").replace("odd: [never closed\n", ""), "utf-8")
    assert ("completed", "write a letter", "Dear Ada,") in cards(kit)


# --- where


def test_a_prompt_is_told_of_its_own_project_and_of_others_only_if_you_say_so(kit: Kit, vault: Path) -> None:
    kit.sink("where is the Quokka dashboard?", "Under grafana.example/quokka.", tags=["quokka"], project="elsewhere")
    asked, here = "show me the Quokka dashboard again", {"cwd": str(vault)}
    assert Client(kit, session="s1").prompt(asked, **here) == b""
    with (vault / "memkit.toml").open("a", encoding="utf-8") as file:
        file.write("\n[hooks]\nall_projects = true\n")
    assert kit.heed()
    assert b"quokka" in Client(kit, session="s2").prompt(asked, **here)


def test_a_project_is_named_by_its_repository_whatever_the_worktree(tmp_path: Path) -> None:
    repo, tree, module, bare = (tmp_path / name for name in ("harbor", "tree", "harbor/lib", "bare-tree"))
    (repo / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (repo / "src" / "deep").mkdir(parents=True)
    for folder, target in (
        (tree, repo / ".git" / "worktrees" / "tree"),
        (module, "../.git/modules/lib"),
        (bare, tmp_path / "lantern.git" / "worktrees" / "bare-tree"),
    ):
        folder.mkdir()
        (folder / ".git").write_text(f"gitdir: {target}\n", encoding="utf-8")
    assert project_of(str(repo)) == "harbor"
    assert project_of(str(repo / "src" / "deep")) == "harbor"
    assert project_of(str(tree)) == "harbor"
    assert project_of(str(module)) == "lib"
    assert project_of(str(bare)) == "lantern"


def test_a_folder_without_a_repository_is_its_own_project_and_home_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes").mkdir()
    assert project_of(str(tmp_path / "notes")) == "notes"
    assert project_of(str(tmp_path / "gone" / "for ever")) == "for ever"
    assert [project_of(where) for where in (str(tmp_path), "/", "")] == ["", "", ""]


def test_an_answer_is_on_disk_before_the_hook_hears_of_it(kit: Kit) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    said = {"session_id": "s1", "prompt_id": "t1", "hook_event_name": "Stop", "last_assistant_message": "A rose."}
    agent.hook("answer", said, finish=False)
    assert cards(kit) == [("completed", "write a poem", "A rose.")]


def test_a_prompt_out_of_the_spool_is_told_nothing(kit: Kit) -> None:
    remember_key(kit)
    agent = Client(kit)
    said = {"session_id": "s1", "prompt_id": "t1", "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
    payload = json.dumps(said).encode()
    assert agent.sessions.handle("claude", "prompt", payload, {"MEMKIT_SPOOLED": "1"}).out == b""
    assert agent.sessions.handle("claude", "prompt", payload, {}).out == reply(KEY)


def test_a_card_that_is_on_disk_but_not_in_the_index_gets_its_answer(kit: Kit) -> None:
    agent = Client(kit)
    agent.prompt("write a poem")
    kit.index.renew()
    kit._step.freshen = reconcile.Report  # as a daemon that is still reading a large vault
    agent.stop("A rose.")
    kit._step.freshen = None
    assert cards(kit) == [("completed", "write a poem", "A rose.")]


def test_cards_of_killed_clients_are_closed_a_few_at_a_time_after_a_day_and_after_a_restart(kit: Kit) -> None:
    for turn in range(3):
        Client(kit, session=f"s{turn}").prompt(f"which crane is number {turn}?")
    kit.frame("what a person framed stays open")
    sessions = Sessions(kit)
    assert sessions.sweep(8) == 0
    with kit.at(kit.now() + timedelta(hours=25)):
        assert [sessions.sweep(2), sessions.sweep(2), sessions.sweep(2)] == [2, 1, 0]
    kit.sync()
    found = sorted(row.status for row in kit.index.features.rows().values() if row.kind == "card")
    assert found == ["interrupted"] * 3 + ["pending"]


def test_what_could_not_be_taken_in_is_told_by_the_doctor(kit: Kit) -> None:
    assert kit.doctor() == []
    failed = places.spool_folder(kit.root) / "failed"
    failed.mkdir(parents=True)
    (failed / "1-1-a.bin").write_bytes(b"HOOK")
    (problem,) = kit.doctor()
    assert (problem.path, problem.what[:6]) == (str(failed), "1 of t")


def test_a_fact_is_not_told_beside_the_card_it_was_learned_from(kit: Kit) -> None:
    card = kit.sink("I prefer concise code with clear names. Long ones hide bugs.", "Noted.", tags=["code-style"])
    while kit.pool.learn_next():
        pass
    kit.read_words()
    found = kit.explain("what should I watch for in code style, writing code?", route="shallow")
    assert {hit.kind for hit in found.recall.hits} == {"card", "fact"}
    assert card.id not in found.delivery.ids
    assert len(found.delivery.ids) == 1


def test_a_recall_after_an_edited_relation_writes_no_note(kit: Kit, vault: Path) -> None:
    kit.pool.add("zeppelin")
    kit.pool.add("balloon")
    kit.sink("the balloon leaks", "Patch it.", tags=["balloon"])
    kit.sync()
    note = vault / "tags" / "zeppelin.md"
    note.write_text(
        note.read_text("utf-8").replace("name: zeppelin\n", 'name: zeppelin\nrelated:\n  - "[[balloon]]"\n'), "utf-8"
    )
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    assert [hit.kind for hit in kit.recall("zeppelin").hits] == ["card"]
    assert {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before
    kit.sync()
    assert "zeppelin" in (vault / "tags" / "balloon.md").read_text("utf-8")


def test_a_turn_of_nearly_a_megabyte_is_kept_whole_but_for_its_secrets(kit: Kit) -> None:
    client = Client(kit)
    client.prompt("read the log of the build")
    log = "".join(f"step {number} of the build took {number % 60} s\n" for number in range(10_000))
    said = {
        "session_id": "s1", "prompt_id": "t1", "hook_event_name": "Stop",
        "last_assistant_message": f"{log}password: x8Fk2Lq9Zp0W\n{log}end",
    }  # fmt: skip
    payload = json.dumps(said).encode()
    client.sessions.wait_for_answer("claude", "answer", payload, {})
    client.sessions.handle("claude", "answer", payload, {}).after()
    [(status, _, agent)] = cards(kit)
    assert status == "completed"
    assert agent == f"{log}password: [redacted: password]\n{log}end"


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "pipe", "/dev/zero"])
def test_a_transcript_that_is_no_file_costs_nothing_but_itself(kit: Kit, home: Path, path: str) -> None:
    if path == "pipe":
        path = str(home / "pipe")
        os.mkfifo(path)
    client = Client(kit)
    client.prompt("the valve sticks", transcript_path=path)
    client.stop("oil it", transcript_path=path)
    assert cards(kit) == [("completed", "the valve sticks", "oil it")]


def test_all_messages_of_a_turn_with_megabytes_of_tools_between_them_are_kept(kit: Kit, tmp_path: Path) -> None:
    def say(text: str) -> dict[str, object]:
        return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}

    prompt: dict[str, object] = {"role": "user", "content": "look into the build"}
    result: dict[str, object] = {"role": "user", "content": [{"type": "tool_result", "content": "x" * 1_000_000}]}
    worked: dict[str, object] = {"type": "user", "promptId": "t1", "message": result}
    rows: list[dict[str, object]] = [
        {"type": "user", "promptId": "t1", "message": prompt},
        say("I look first."),
        *[worked] * 3,
        say("It is mended."),
    ]
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    client = Client(kit)
    client.prompt("look into the build", transcript_path=str(transcript))
    client.stop("It is mended.", transcript_path=str(transcript))
    assert cards(kit) == [("completed", "look into the build", "I look first.\n\nIt is mended.")]


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
def test_a_line_of_a_transcript_ends_only_with_its_newline(kit: Kit, tmp_path: Path, sign: str) -> None:
    """JSON may hold signs as they are that Python counts as ends of lines."""
    content = [{"type": "text", "text": f"I look {sign} first."}]
    rows: list[dict[str, object]] = [
        {"type": "user", "promptId": "t1", "message": {"role": "user", "content": "look into the build"}},
        {"type": "assistant", "message": {"role": "assistant", "content": content}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "It is mended."}]}},
    ]
    transcript = tmp_path / "transcript.jsonl"
    said = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    transcript.write_text(said, encoding="utf-8")
    client = Client(kit)
    client.prompt("look into the build", transcript_path=str(transcript))
    client.stop("It is mended.", transcript_path=str(transcript))
    ((_, _, answer),) = cards(kit)
    assert answer.startswith("I look")
    assert answer.endswith("It is mended.")


@pytest.mark.parametrize("said", ["gitdir: a\0b/.git/worktrees/x", "gitdir: " + "x" * 100_000])
def test_a_broken_git_file_costs_no_turn(kit: Kit, home: Path, said: str) -> None:
    (home / "mill").mkdir()
    (home / "mill" / ".git").write_text(said, encoding="utf-8")
    client = Client(kit)
    client.prompt("the valve sticks", cwd=str(home / "mill"))
    client.stop("oil it")
    assert cards(kit) == [("completed", "the valve sticks", "oil it")]
    assert project_of(str(home / "mill")) == "mill"


def test_after_a_restart_a_session_is_not_told_its_own_turns_until_it_is_compacted(kit: Kit) -> None:
    Client(kit).prompt("Where does the boiler log its pressure faults?")
    Client(kit).stop("The boiler logs pressure faults into boiler.log, because the collector reads only that.")
    again = Client(kit)
    asked = "Which file does the boiler log its pressure faults to?"
    assert again.prompt(asked, turn="t2") == b""
    again.stop("boiler.log", turn="t2")
    again.tell("start", "SessionStart", source="compact")
    assert b"boiler.log" in Client(kit).prompt(asked, turn="t3")


def test_many_sessions_take_no_more_memory_and_none_is_told_twice(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.sessions.known.SESSIONS", 3)
    remember_key(kit)
    client = Client(kit)
    assert FENCE_OPEN.encode() in client.prompt("where is the spare key 钥匙?")
    for number in range(5):
        client.session = f"other{number}"
        client.prompt("what holds here?", transcript_path="/nowhere")
    client.session = "s1"
    client.stop("under the mat")
    assert client.prompt("and where is the spare key 钥匙 now?", turn="t2") == b""
    client.stop("still there", turn="t2")
    turns = [turn for turn in cards(kit) if "key" in turn[1]]
    assert [(status, answer) for status, _, answer in turns] == [
        ("completed", "under the mat"), ("completed", "still there"),
    ]  # fmt: skip
    held = client.sessions._known
    assert max(len(held._met), len(held._told), len(held._transcripts)) <= 3
