"""What dsh-layered-memory said it lacks, each as it works here.

A page is shown in `tests/web`, import and export in `tests/transfer`, promotion at length in `tests/govern`. An
optional vector back end is not built: recall has to be able to say why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.mcp.conftest import Desk, call

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

    from kit.app import Kit


def test_a_memory_is_managed_on_a_page(kit: Kit) -> None:
    kit.sink("Why do exports end in a 504?", "Because nginx waits sixty seconds and no longer.")
    page = kit.desk.page(limit=10)
    assert len(page.memories) == 1


def test_a_memory_is_carried_out_and_in_again(kit: Kit, tmp_path: Path) -> None:
    kit.remember("Reports go in tables", category="preference")
    kit.transfer.carry_out(str(tmp_path / "out.json"), "json")
    assert "Reports go in tables" in (tmp_path / "out.json").read_text("utf-8")


def test_what_recurs_in_three_cards_becomes_a_fact(kit: Kit) -> None:
    for number, asked in enumerate(("which port?", "what port has the gateway?", "the gateway's port again?"), 1):
        kit.sink(asked, "The gateway listens on port 9090.", tags=["zgateway", "zport"], topic=f"s{number}")
        while kit.pool.learn_next():
            pass
    assert [fact.says for fact in kit.facts()] == ["The gateway listens on port 9090."]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("本番環境のデータベースは東京リージョンにあります", "データベースはどのリージョンですか？"),
        ("배포는 매주 목요일 백업이 끝난 뒤에 합니다", "배포는 언제 하나요?"),
        ("我们的备份每天凌晨三点运行", "备份什么时候运行？"),
    ],
)
def test_recall_knows_japanese_and_korean_and_chinese(kit: Kit, said: str, asked: str) -> None:
    kit.remember(said, category="fact")
    for number in range(5):
        kit.remember(f"The {number}. shelf holds the paint of room {number}")
    kit.read_words()
    found = kit.recall(asked)
    assert kit.load(found.hits[0].path).body.startswith(said)


def test_a_model_can_put_a_memory_away_with_a_tool(desk: Desk) -> None:
    async def talk(client: Client) -> tuple[dict[str, Any], dict[str, Any]]:
        kept = await call(client, "memory_remember", text="The spare key lies under the mat")
        await call(client, "memory_forget", id=kept["id"])
        return kept, await call(client, "memory_recall", query="where is the spare key?")

    kept, after = desk.talk(talk)
    assert kept["id"] not in {each["id"] for each in after["results"]}
