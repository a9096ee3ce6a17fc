"""Words of Wangdefa.Memory in words of the kit: what perception, scenes, dimensions and levels are called there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.transfer.reading import word

if TYPE_CHECKING:
    from collections.abc import Mapping

GENRE = {
    "记叙文": "narrative", "散文": "prose", "议论文": "argumentative", "说明文": "expository", "意识流": "stream",
}  # fmt: skip
EMOTION = {"疲惫": "tired", "开心": "happy", "着急": "anxious", "中性": "neutral", "愤怒": "angry"}
STATE = {"正常": "normal", "想被理解": "wants-understanding", "放松": "relaxed", "紧张": "tense"}
CONTEXT = {"技术讨论": "technical", "工作执行": "work", "生活闲聊": "small-talk", "情绪表达": "feelings"}
SCENES = {"工作": "work", "生活": "life", "学习": "study", "娱乐": "play", "编程": "work/coding"}
SUB_SCENES = {
    "代码评审": "code-review", "文档编写": "writing-docs", "会议": "meeting", "规划": "planning", "购物": "shopping",
    "家务": "housework", "社交": "social", "出行": "travel", "阅读": "reading", "练习": "practice",
    "研究": "research", "整理笔记": "notes", "游戏": "games", "影视": "films", "音乐": "music", "运动": "sport",
}  # fmt: skip
DIMENSIONS = {"内容": "content", "任务": "task", "约束": "constraint", "场景": "scene"}
LEVELS = ("synonym", "related", "loose")
ROUTES = ("shallow", "medium", "deep")
VERDICTS = ("confirmed", "rejected", "partial", "ignored")


def scene(main: str, sub: str = "") -> tuple[str, str]:
    """Translate a scene and its sub-scene; words of the person's own stay as they are."""
    first, _, second = SCENES.get(main, main).partition("/")
    return first, SUB_SCENES.get(sub, sub) or second


def perceived(perception: Mapping[str, object]) -> dict[str, str | None]:
    """Translate a perception into front matter."""
    main, sub = scene(word(perception, "场景", "Scene"), word(perception, "场景细分", "SceneSub"))
    found = {
        "genre": (GENRE, word(perception, "文体", "Genre")),
        "emotion": (EMOTION, word(perception, "情绪", "Emotion")),
        "state": (STATE, word(perception, "状态", "State")),
        "context": (CONTEXT, word(perception, "情景", "Context")),
    }
    told: dict[str, str | None] = {key: table.get(said, said) or None for key, (table, said) in found.items()}
    return told | {"scene": main or None, "scene_sub": (sub if main else "") or None}
