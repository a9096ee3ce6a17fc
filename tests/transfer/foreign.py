"""Sources written as their programs write them: made-up people and words, the real shapes."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

Row = dict[str, object]


def put(file: Path, content: object, *, escaped: bool = True) -> Path:
    """Write JSON as .NET does by default: indented, every character beyond ASCII as an escape."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, ensure_ascii=escaped, indent=2), encoding="utf-8")
    return file


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def card(stamp: str, at: str, summary: str, tags: list[str], **more: object) -> Row:
    row: Row = {
        "Id": f"认知_{stamp}",
        "Perception": {
            "文体": "说明文", "时间": "现在", "场景": "工作", "场景细分": "代码评审", "情绪": "着急", "状态": "紧张",
            "情景": "技术讨论",
        },
        "Insight": {"内容标签": tags, "关系标签": [], "摘要": summary, "偏好": more.pop("likes", [])},
        "RecordId": f"记录_{stamp}", "EventId": f"事件_{stamp}", "CreatedAt": at, "LastAccessAt": at, "Weight": 0.9,
        "SourcePath": f"default/概览_{stamp}.json", "Status": "completed", "TopicId": "default",
        "FeedbackStatus": "", "FeedbackReason": "",
    }  # fmt: skip
    return row | more


def event(stamp: str, at: str, user: str, agent: str, day: str) -> tuple[str, Row]:
    row: Row = {
        "EventId": f"事件_{stamp}", "EventType": "chat", "EventLevel": "point", "Mode": "wangdefa_full",
        "TopicId": "default", "Timestamp": at,
        "Data": {"UserInput": user, "AgentResponse": agent, "FilePath": "", "Steps": [], "Extra": {}},
        "Context": {"SessionId": "default", "Source": "agent"},
        "Result": {"Status": "completed", "Summary": "", "Route": "medium", "ErrorMessage": ""},
        "CognitiveRecordId": f"认知_{stamp}", "FeatureTags": [], "ExtractedInsight": None,
    }  # fmt: skip
    return f"experience/events/{day}/事件_{stamp}.json", row


def wangdefa(folder: Path) -> Path:
    """Write the memory of someone who reviews code and drinks tea."""
    base = folder / "memory"
    records = base / "cognitive" / "records"
    first = card(
        "20260801_093000", "2026-08-01T09:30:00.1234567+08:00", "评审时先看接口再看实现", ["接口", "评审顺序"],
        likes=[{"key": "评审顺序", "value": "先看接口", "confidence": 0.9, "scene": "工作,编程"}],
    )  # fmt: skip
    second = card(
        "20260802_101500", "2026-08-02T10:15:00+08:00", "连接池上限改为 20", ["连接池"],
        likes=[{"key": "评审顺序", "value": "先看测试", "confidence": 0.7, "scene": "工作"}],
        FeedbackStatus="confirmed", FeedbackReason="说得对",
    )  # fmt: skip
    third = card("20260803_080000", "2026-08-03T08:00:00+08:00", "", [], Status="pending")
    put(records / "认知_20260801_093000.json", first)
    put(records / "认知_20260802_101500.json", second, escaped=False)
    put(records / "认知_20260803_080000.json", third)
    put(
        records / "archive" / "认知_20260101_070000.bak",
        card("20260101_070000", "2026-01-01T07:00:00+08:00", "旧的缓存方案", ["缓存"]),
    )
    write(records / "认知_20260804_000000.json", '{"Id": "认知_20260804_000000", "Perception": {')
    for path, row in (
        event(
            "20260801_093000", "2026-08-01T09:30:00+08:00", "评审代码先看什么？", "先看接口，再看实现。", "2026-08-01"
        ),
        event("20260802_101500", "2026-08-02T10:15:00+08:00", "对。连接池要多大？", "上限 20，够用。", "2026-08-02"),
        event("20260803_080000", "2026-08-03T08:00:00+08:00", "明天提醒我", "", "2026-08-03"),
        event("20260701_120000", "2026-07-01T12:00:00+08:00", "没有卡片的对话", "也不能丢。", "2026-07-01"),
    ):
        put(base / path, row)
    put(
        base / "experience/knowledge/default/概览_20260801_093100.json",
        {
            "Id": "概览_20260801_093100", "TopicId": "default", "CognitiveRecordId": "认知_20260801_093000",
            "Text": "先读接口，明白约定，再读实现，最后看测试。", "ContentType": "chat", "WordCount": 21,
            "Confidence": 0.8, "CreatedAt": "2026-08-01T09:31:00+08:00",
        },
    )  # fmt: skip
    put(
        base / "experience/knowledge/default/概要_20260802_120000.json",
        {
            "Id": "概要_20260802_120000", "TopicId": "default", "CognitiveRecordId": "", "Keywords": ["连接池", "超时"],
            "Entities": ["港湾"], "DateRange": "2026-08", "Summary": "港湾项目的连接池与超时说明",
            "CreatedAt": "2026-08-02T12:00:00+08:00",
        },
    )  # fmt: skip
    put(base / "thinking/chat/default/记录_20260801_093000.json", {"CognitiveRecordId": "认知_20260801_093000"})
    _pool(base / "feature_pool.db")
    _scenes(base / "scene_store.db")
    return folder


def _pool(file: Path) -> None:
    db = sqlite3.connect(file)
    db.execute(
        "CREATE TABLE tag_dictionary (tag_id INTEGER PRIMARY KEY AUTOINCREMENT, tag TEXT UNIQUE, code TEXT UNIQUE,"
        " tag_type TEXT, definition TEXT, dimensions TEXT, related_codes TEXT, synonyms TEXT, source TEXT,"
        " status TEXT, merged_to TEXT, created_at TEXT, updated_at TEXT)"
    )
    when = "2026-07-01T00:00:00"
    rows = [
        ("接口", "TAG_CONTENT_接口_001", "模块之间的约定, 对外的样子", '["内容"]',
         '[{"Code": "TAG_CONTENT_评审顺序_002", "Level": "loose"}]', '["接口定义"]', "active", ""),
        ("评审顺序", "TAG_CONTENT_评审顺序_002", "评审时先后看什么", '["\\u5185\\u5bb9","\\u4efb\\u52a1"]',
         '["TAG_CONTENT_接口_001"]', "[]", "unexamined", ""),
        ("连接池", "TAG_CONTENT_连接池_003", "", "[]", "[]", '["数据库连接池"]', "active", ""),
        ("链接池", "TAG_CONTENT_链接池_004", "", "[]", "[]", "[]", "merged", "TAG_CONTENT_连接池_003"),
        ("旧标签", "TAG_CONTENT_旧标签_005", "不再使用", "[]", "[]", "[]", "deprecated", ""),
    ]  # fmt: skip
    for name, code, definition, dimensions, related, synonyms, status, merged in rows:
        db.execute(
            "INSERT INTO tag_dictionary (tag, code, tag_type, definition, dimensions, related_codes, synonyms, source,"
            " status, merged_to, created_at, updated_at) VALUES (?,?,'content',?,?,?,?,'auto',?,?,?,?)",
            (name, code, definition, dimensions, related, synonyms, status, merged, when, when),
        )
    db.execute("CREATE TABLE password_book (code TEXT, card_id TEXT, card_type TEXT, topic_id TEXT, created_at TEXT)")
    db.execute(
        "INSERT INTO password_book VALUES ('TAG_CONTENT_连接池_003', '认知_20260803_080000', 'cognitive', '', '')"
    )
    db.commit()
    db.close()


def _scenes(file: Path) -> None:
    db = sqlite3.connect(file)
    db.execute(
        "CREATE TABLE scene_dictionary (id INTEGER PRIMARY KEY, code TEXT, category TEXT, sub TEXT, name TEXT,"
        " synonyms TEXT, status TEXT, created_at TEXT, updated_at TEXT)"
    )
    rows = [("工作", "代码评审"), ("生活", "品茶"), ("钓鱼", "")]
    for number, (main, sub) in enumerate(rows):
        db.execute(
            "INSERT INTO scene_dictionary VALUES (?,?,?,?,?,'[]','active','2026-07-01T00:00:00','')",
            (number, f"SCENE_{number}", main, sub, f"{main}-{sub or 'NA'}"),
        )
    db.commit()
    db.close()


def layered(folder: Path) -> Path:
    """Write the three files of dsh-layered-memory."""
    noon = 1_785_556_800_000  # 2026-08-01T04:00:00Z, in milliseconds
    base = {"source": "agent", "sessionId": "s-1", "tags": []}
    put(
        folder / "semantic.json",
        [
            {**base, "id": "s_1", "layer": "semantic", "text": "回答先给结论", "category": "style", "importance": 5,
             "tags": ["文风"], "ts": noon, "updatedAt": noon + 1000, "hits": 3},
            {**base, "id": "s_2", "layer": "semantic", "text": "Reports go in tables", "category": "preference",
             "importance": 4, "ts": noon, "updatedAt": noon, "hits": 0},
            {"id": "s_3", "layer": "semantic", "category": "fact"},
        ],
    )  # fmt: skip
    put(
        folder / "episodic.json",
        [
            {**base, "id": "s_4", "layer": "episodic", "text": "Moved the harbor export to a worker.",
             "sessionTitle": "Harbor export", "messageCount": 12, "importance": 3, "ts": noon, "updatedAt": noon},
        ],
    )  # fmt: skip
    put(
        folder / "transient.json",
        [
            {**base, "id": "s_5", "layer": "transient", "text": "deploy harbor to staging please", "importance": 2,
             "ts": noon + 5000, "updatedAt": noon + 5000},
        ],
    )  # fmt: skip
    return folder


CLAUDE_MD = """\
# Harbor

- Use **uv** for everything
- Commands:
  - test with `pytest -q`
  - never push to main
- See also
  @docs/rules.md

## Layout

The service lives in `app/`, workers in `jobs/`.

```
make run
```
"""


def claude(home: Path) -> Path:
    """Write a `.claude` folder: its own memory file, a note beside, two sessions, a sub-agent."""
    folder = home / ".claude"
    write(folder / "CLAUDE.md", "# Me\n\n- Answer in British English\n- 提交信息用中文写\n")
    project = folder / "projects" / "-srv-harbor"
    write(
        project / "memory" / "MEMORY.md", "- [Ports](ports.md) — which ports are taken\n- Staging runs on port 8081\n"
    )
    session = "11111111-2222-3333-4444-555555555555"
    rows: list[Row] = [
        _said("p1", "Which port does the harbor worker use?", session, 0),
        _answered("It listens on 8081.", session, 5),
        _said("p2", "continue", session, 60),
        _answered("Done.", session, 65),
        _said("p3", "I prefer tabs over spaces in Makefiles", session, 120),
        _answered("Noted: tabs in Makefiles.", session, 130),
        _said("p4", "/compact", session, 140),
        {**_said("p5", "inside a sub-agent", session, 150), "isSidechain": True},
        {"type": "user", "promptId": "p3", "sessionId": session, "timestamp": "2026-08-01T10:02:31Z",
         "message": {"role": "user", "content": [{"type": "tool_result", "content": "secret output"}]}},
        _said("p6", "my key is sk-ant-api03-" + "Ab3dEf6hIj9k" * 8 + " keep it safe", session, 180),
        _answered("I will not repeat it.", session, 190),
        _said("p7", "and what about the gateway?", session, 240),
    ]  # fmt: skip
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    lines.insert(4, '{"type": "user", "torn')
    write(project / f"{session}.jsonl", "\n".join(lines) + "\n")
    write(project / session / "subagents" / "agent-a1.jsonl", json.dumps(_said("x", "from the sub-agent", session, 0)))
    return folder


def _said(key: str, text: str, session: str, second: int) -> Row:
    return {
        "type": "user", "promptId": key, "sessionId": session, "cwd": "/srv/harbor", "isSidechain": False,
        "timestamp": f"2026-08-01T10:{second // 60:02}:{second % 60:02}Z", "message": {"role": "user", "content": text},
    }  # fmt: skip


def _answered(text: str, session: str, second: int) -> Row:
    return {
        "type": "assistant", "sessionId": session, "isSidechain": False,
        "timestamp": f"2026-08-01T10:{second // 60:02}:{second % 60:02}Z",
        "message": {"role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": text}]},
    }  # fmt: skip


def codex(folder: Path) -> Path:
    """Write a `.codex` folder with one rollout."""
    session = "0199aaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
    rows = [
        {"type": "session_meta", "payload": {"id": session, "cwd": "/srv/lantern"}},
        {"type": "response_item", "timestamp": "2026-08-02T09:00:00Z", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "灯笼项目用什么数据库？"}]}},
        {"type": "response_item", "timestamp": "2026-08-02T09:00:09Z", "payload": {
            "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "用 SQLite，够了。"}]}},
        {"type": "event_msg", "timestamp": "2026-08-02T09:00:10Z", "payload": {"type": "task_complete"}},
    ]  # fmt: skip
    place = folder / "sessions" / "2026" / "08" / "02" / f"rollout-2026-08-02T09-00-00-{session}.jsonl"
    write(place, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    write(folder / "AGENTS.md", "- Keep functions short\n")
    return folder


def obsidian(folder: Path) -> Path:
    """Write a small Obsidian vault."""
    write(folder / ".obsidian" / "app.json", "{}")
    write(
        folder / "Brewing" / "Green tea.md",
        "---\ntags: [tea, brewing/green]\ncreated: 2024-05-06\nstatus: draft\nauthor: Ada\n---\n# Green tea\n\n"
        "Water at 80 degrees, two minutes. See [[Kettle]]. #kitchen\n\n```\n#not-a-tag\n```\n![[leaf.png]]\n",
    )
    write(folder / "Kettle.md", "The kettle boils a litre in four minutes.\n")
    write(folder / "2025-03-04.md", "# Tuesday\n\n- bought 龙井茶叶 #shopping\n")
    write(folder / "Empty.md", "")
    write(folder / "Broken.md", "---\ntags: [a\n---\ntext\n")
    return folder
