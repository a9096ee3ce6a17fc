"""What a model may say about a finished turn."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, Field

from kit.llm.fields import Line, Paragraph, Sentence, Share, Words, folded, named, one_of

_LEVELS = {
    "近义": "synonym",
    "同义": "synonym",
    "关联": "related",
    "相关": "related",
    "弱关联": "loose",
    "弱相关": "loose",
}
_VERDICTS = {
    **_LEVELS, "启用": "activate", "保留": "activate", "激活": "activate", "active": "activate", "keep": "activate",
    "丢弃": "discard", "废弃": "discard", "删除": "discard", "deprecate": "discard", "generic": "discard",
}  # fmt: skip
_FEEDBACK = {
    "肯定": "confirmed", "确认": "confirmed", "否定": "rejected", "拒绝": "rejected", "部分": "partial",
    "部分肯定": "partial", "忽略": "ignored", "无关": "ignored", "confirm": "confirmed", "reject": "rejected",
    "none": "ignored", "无": "ignored",
}  # fmt: skip
_CATEGORIES = {
    "偏好": "preference", "喜好": "preference", "习惯": "habit", "风格": "style", "业务": "business", "事实": "fact",
    "其他": "other", "correction": "fact", "纠正": "fact",
}  # fmt: skip
Level = Annotated[Literal["synonym", "related", "loose"], one_of(("synonym", "related", "loose"), _LEVELS)]


class Meaning(BaseModel):
    """What a tag means."""

    definitions: Words = Field([], validation_alias=named("definition", "定义", "含义"))
    dimensions: Words = Field([], validation_alias=named("dimension", "维度"))
    synonyms: Words = Field([], validation_alias=named("aliases", "同义词", "近义词", "别名"))

    @staticmethod
    def plainly(said: object) -> object:
        """Read a bare text, or a list of texts, as definitions."""
        return {"definitions": [said] if isinstance(said, str) else said} if isinstance(said, (str, list)) else said


class Verdict(BaseModel):
    """What becomes of a tag that nobody has examined: dropped, kept, or kept and related to another."""

    what: Annotated[
        Literal["discard", "activate", "synonym", "related", "loose"],
        one_of(("discard", "activate", "synonym", "related", "loose"), _VERDICTS),
    ] = Field(validation_alias=named("verdict", "decision", "action", "判定", "结论"))
    other: Line = Field("", validation_alias=named("tag", "target", "to", "目标", "标签"))

    @staticmethod
    def plainly(said: object) -> object:
        """Read `synonym: X`, whatever the colon."""
        if not isinstance(said, str):
            return said
        what, _, other = re.sub(r"[：﹕∶→]|->", ":", said).partition(":")
        return {"what": what.strip(), "other": other.strip(" []\"'“”「」")}


class Relation(BaseModel):
    """Two tags and how near they are."""

    one: Line = Field(validation_alias=named("from", "a", "tag", "源", "标签"))
    other: Line = Field(validation_alias=named("to", "b", "target", "目标", "另一个"))
    level: Level = Field("related", validation_alias=named("strength", "kind", "type", "程度", "级别", "关系"))


class Fact(BaseModel):
    """Something that holds beyond the turn."""

    text: Sentence = Field(validation_alias=named("says", "fact", "sentence", "statement", "内容", "事实", "句子"))
    category: Annotated[
        Literal["preference", "habit", "style", "business", "fact", "other"],
        one_of(("preference", "habit", "style", "business", "fact", "other"), _CATEGORIES),
    ] = Field("fact", validation_alias=named("type", "kind", "类别", "类型"))
    key: Line = Field("", validation_alias=named("键", "关于"))
    value: Line = Field("", validation_alias=named("值"))
    confidence: Share = Field(0.7, validation_alias=named("置信度", "可信度"))
    scenes: Words = Field([], validation_alias=named("scene", "场景"))

    @staticmethod
    def plainly(said: object) -> object:
        """Read a bare sentence as a fact, and a key with a value as one that says so."""
        if isinstance(said, str):
            return {"text": said}
        if isinstance(said, dict):
            given = {folded(key): value for key, value in said.items()}
            has_text = any(given.get(folded(name)) for name in ("text", *_TEXT_NAMES))
            key, value = given.get("key") or given.get("键"), given.get("value") or given.get("值")
            if not has_text and key and value:
                return {**said, "text": f"{key}: {value}"}
        return said


_TEXT_NAMES = ("says", "fact", "sentence", "statement", "内容", "事实", "句子")


class Feedback(BaseModel):
    """How the person took the answer before this turn."""

    status: Annotated[
        Literal["confirmed", "rejected", "partial", "ignored"],
        one_of(("confirmed", "rejected", "partial", "ignored"), _FEEDBACK),
    ] = Field(validation_alias=named("verdict", "状态", "判定"))
    reason: Line = Field("", validation_alias=named("why", "原因", "理由"))

    @staticmethod
    def plainly(said: object) -> object:
        """Read a bare word as the status."""
        return {"status": said} if isinstance(said, str) else said


class Scene(BaseModel):
    """Where the turn was set."""

    category: Line = Field(validation_alias=named("scene", "main", "类别", "场景"))
    sub: Line = Field("", validation_alias=named("scene_sub", "subscene", "细分", "场景细分", "子场景"))

    @staticmethod
    def plainly(said: object) -> object:
        """Read `work/debugging`."""
        if not isinstance(said, str):
            return said
        main, _, sub = re.sub(r"[／\\>-]+", "/", said, count=1).partition("/")
        return {"category": main.strip(), "sub": sub.strip()}


class Turn(BaseModel):
    """A finished turn as a model understands it; what is not there was not said, or can't be used."""

    MOST_FACTS: ClassVar[int] = 8

    summary: Line = Field("", validation_alias=named("摘要", "总结", "一句话摘要"))
    overview: Paragraph = Field("", validation_alias=named("概览", "概述", "概要"))
    tags: Words = Field([], validation_alias=named("keywords", "标签", "关键词"))
    definitions: dict[str, Meaning] = Field(
        {}, validation_alias=named("tag_definitions", "missing_tag_definitions", "标签定义", "定义")
    )
    alignments: dict[str, Meaning] = Field({}, validation_alias=named("tag_alignments", "对齐", "标签对齐", "补全"))
    verdicts: dict[str, Verdict] = Field(
        {}, validation_alias=named("pending_tags_decision", "tag_verdicts", "判定", "标签判定", "待审标签")
    )
    relations: list[Relation] = Field([], validation_alias=named("tag_relations", "关系", "标签关系"))
    facts: list[Fact] = Field([], validation_alias=named("knowledge", "事实", "知识"))
    preferences: list[Fact] = Field([], validation_alias=named("偏好", "喜好"))
    feedback: Feedback | None = Field(None, validation_alias=named("反馈", "上一轮反馈"))
    scene: Scene | None = Field(None, validation_alias=named("场景"))

    @classmethod
    def built(cls, values: dict[str, Any]) -> Turn:
        """Make one of values that have been judged already."""
        return cls.model_construct(**values)

    @property
    def lasting(self) -> list[Fact]:
        """List facts and preferences alike, as many as one turn can plausibly teach."""
        liked = [
            one if one.category != "fact" else one.model_copy(update={"category": "preference"})
            for one in self.preferences
        ]
        return [*self.facts, *liked][: self.MOST_FACTS]
