"""What ships as templates for single notes, and the words that may not be tags."""

from __future__ import annotations

import frontmatter
import pytest

from kit import shipped, text
from kit.model.notes import KINDS

PLACEHOLDERS = {
    "{{date:YYYYMMDD-HHmmss}}": "20260819-063022",
    "{{date:YYYY-MM-DDTHH:mm:ssZ}}": "2026-08-19T06:30:22+08:00",
    "{{date}}": "2026-08-19",
    "{{title}}": "a title",
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_skeleton_is_yaml_before_and_a_note_after_obsidian_filled_it(kind: str) -> None:
    content = (shipped.folder("templates") / "notes" / f"{kind}.md").read_text(encoding="utf-8")
    order = list(KINDS[kind].model_fields)
    keys = list(frontmatter.loads(content).metadata)
    assert keys == sorted(keys, key=order.index)
    for mark, filled in PLACEHOLDERS.items():
        content = content.replace(mark, filled)
    assert "{{" not in content
    note = KINDS[kind].model_validate(frontmatter.loads(content).metadata)
    assert note.kind == kind
    assert note.id == "20260819-063022-hand"


@pytest.mark.parametrize("name", ["generic.en", "generic.zh"])
def test_a_generic_word_is_listed_once(name: str) -> None:
    words = [text.key(word) for word in shipped.word_list(name)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("generic.en", "problem thing system work issue code file user data task project question answer help error"),
        ("generic.zh", "工作 生活 问题 内容 事情 需求 系统 优化 开发 功能 信息 处理 分析 记录"),
        ("generic.zh", "编译 测试 检查 验证 执行 操作"),
    ],
)
def test_the_classic_generic_words_are_listed(name: str, words: str) -> None:
    assert set(words.split()) <= set(shipped.word_list(name))
