"""What a model may say about a prompt, before anything is recalled for it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field

from kit.llm.fields import Line, Words, named, one_of

_GENRES = ("narrative", "argumentative", "expository", "stream", "prose")
_TIMES = ("now", "today", "yesterday", "just-now", "last-time")
_EMOTIONS = ("neutral", "tired", "happy", "anxious", "angry", "sad")
_STATES = ("normal", "wants-understanding", "relaxed", "tense")
_CONTEXTS = ("technical", "work", "small-talk", "feelings")
_INTENTS = ("query", "create", "plan", "execute", "chat")
_ROUTES = ("shallow", "medium", "deep")


class Clue(BaseModel):
    """A word under which past memories may lie, and other words for it."""

    name: Line = Field(validation_alias=named("tag", "word", "标签", "名称", "词"))
    definitions: Words = Field([], validation_alias=named("definition", "定义", "含义"))
    synonyms: Words = Field([], validation_alias=named("aliases", "同义词", "近义词", "别名"))

    @staticmethod
    def plainly(said: object) -> object:
        """Read a bare word as a clue."""
        return {"name": said} if isinstance(said, str) else said


class Intent(BaseModel):
    """A prompt as a model understands it; what is not there was not said, or can't be used."""

    MOST_CLUES: ClassVar[int] = 4

    genre: Annotated[
        Literal["", "narrative", "argumentative", "expository", "stream", "prose"],
        one_of(_GENRES, {"记叙文": "narrative", "议论文": "argumentative", "说明文": "expository",
                         "意识流": "stream", "散文": "prose", "stream of consciousness": "stream"}),
    ] = Field("", validation_alias=named("文体"))  # fmt: skip
    time: Annotated[
        Literal["", "now", "today", "yesterday", "just-now", "last-time"],
        one_of(_TIMES, {"现在": "now", "今天": "today", "昨天": "yesterday", "刚才": "just-now", "上次": "last-time"}),
    ] = Field("", validation_alias=named("时间"))
    scene: Line = Field("", validation_alias=named("场景", "category"))
    scene_sub: Line = Field("", validation_alias=named("sub", "场景细分", "子场景"))
    emotion: Annotated[
        Literal["", "neutral", "tired", "happy", "anxious", "angry", "sad"],
        one_of(_EMOTIONS, {"中性": "neutral", "疲惫": "tired", "开心": "happy", "着急": "anxious", "焦虑": "anxious",
                           "愤怒": "angry", "生气": "angry", "难过": "sad"}),
    ] = Field("", validation_alias=named("情绪"))  # fmt: skip
    state: Annotated[
        Literal["", "normal", "wants-understanding", "relaxed", "tense"],
        one_of(_STATES, {"正常": "normal", "想被理解": "wants-understanding", "放松": "relaxed", "紧张": "tense"}),
    ] = Field("", validation_alias=named("状态"))
    context: Annotated[
        Literal["", "technical", "work", "small-talk", "feelings"],
        one_of(_CONTEXTS, {"技术讨论": "technical", "技术": "technical", "工作执行": "work", "工作": "work",
                           "生活闲聊": "small-talk", "闲聊": "small-talk", "情绪表达": "feelings"}),
    ] = Field("", validation_alias=named("情景", "语境"))  # fmt: skip
    intent: Annotated[
        Literal["", "query", "create", "plan", "execute", "chat"],
        one_of(_INTENTS, {"查询": "query", "创作": "create", "规划": "plan", "执行": "execute", "闲聊": "chat"}),
    ] = Field("", validation_alias=named("意图"))
    route: Annotated[
        Literal["", "shallow", "medium", "deep"],
        one_of(_ROUTES, {"浅": "shallow", "中": "medium", "深": "deep", "浅层": "shallow", "中层": "medium",
                         "深层": "deep"}),
    ] = Field("", validation_alias=named("depth", "深度", "路由"))  # fmt: skip
    useful: bool | None = Field(None, validation_alias=named("memory", "need_memory", "需要记忆", "有用"))
    tags: list[Clue] = Field([], validation_alias=named("structured_tags", "semantic_tags", "标签", "关键词"))

    @classmethod
    def built(cls, values: dict[str, Any]) -> Intent:
        """Make one of values that have been judged already."""
        made = cls.model_construct(**values)
        made.tags = made.tags[: cls.MOST_CLUES]
        return made
