"""Make up whole vaults: `python -m tests.bench.synthetic FOLDER --cards 10000 --seed 7 --no-events`.

Law: the same number of cards and the same seed give the same files, byte for byte, on every machine.
Words follow the law of Zipf and Mandelbrot; half of the cards are English, three in ten Chinese, the rest mixed.
"""

from __future__ import annotations

import argparse
import os
import random
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kit import text
from kit.govern.lay import lay
from kit.model.fields import link
from kit.vault import exchange, layout
from kit.vault.amend import entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ZONE = timezone(timedelta(hours=8))
END = datetime(2026, 11, 1, 12, tzinfo=ZONE)
"""The moment after the last card; what a benchmark calls now."""
SPAN = timedelta(days=3 * 365)
WORDS = 20_000
"""Size of each language's vocabulary."""
TAGS_PER_CARD = 0.06
TOPICS, PROJECTS, PEOPLE = 120, 24, 60
LANGUAGES = ("en", "zh", "mixed")
SHARES = (50, 30, 20)
SCENES = (
    ("work", "coding"), ("work", "debugging"), ("work", "code-review"), ("work", "meeting"), ("work", "planning"),
    ("life", "travel"), ("life", "health"), ("study", "reading"), ("study", "research"), ("play", "games"),
)  # fmt: skip

_ENGLISH = (
    "the of to and a in is it that for on with as this we you be are from at by not or an have if can which "
    "has will one all was but more when use file code time new error user data test list value change set name "
    "note first then should build server request run add model type page line call check table key query cache "
    "release branch index search write read start stop config token client worker queue thread memory disk load "
    "deploy version field report invoice customer ticket order price meeting plan review travel train hotel book"
)
_CHINESE = (
    "的 了 是 我们 在 和 这个 一个 可以 不 就 也 用户 代码 文件 时间 问题 需要 如果 使用 数据 测试 修改 增加 服务 请求 "
    "错误 配置 缓存 索引 查询 发布 版本 接口 页面 字段 报告 客户 订单 会议 计划 评审 旅行 阅读 研究 笔记 记忆 标签 "
    "模型 任务 队列 线程 日志 部署 分支 合并 性能 内存 磁盘 价格 合同 发票 车票 酒店 健康 运动 学习 音乐 电影"
)
_ONSETS = "b c d f g h j k l m n p r s t v w z br ch cl cr dr fl gr pl pr qu sh sl sp st tr th"
_NUCLEI = "a e i o u ai ea ee io ou"
_CODAS = ("", "", "", "n", "r", "s", "t", "l", "nd", "ck", "st")
_HAN = "".join(bytes((row, cell)).decode("gb2312") for row in range(0xB0, 0xD7) for cell in range(0xA1, 0xFF))
"""The 3,700 common characters: level 1 of GB 2312."""
_ENDS = ("。", "，", "，", "，")
_OPENINGS = {"en": "About", "zh": "关于", "mixed": "About"}


class Tag(NamedTuple):
    """A tag of a made-up vault."""

    name: str
    aliases: tuple[str, ...]
    synonym: tuple[str, ...]
    related: tuple[str, ...]
    """names of other tags"""


Field: TypeAlias = str | int | datetime | tuple[str, ...]
Front: TypeAlias = "Mapping[str, Field | None]"


class File(NamedTuple):
    """A file of a made-up vault."""

    path: str
    raw: bytes


def mandelbrot(count: int, shift: float = 2.7, power: float = 1.05) -> list[float]:
    """Weigh ranks by 1 ÷ (rank + shift)^power, added up for `random.choices`."""
    return list(accumulate(1 / (rank + shift) ** power for rank in range(1, count + 1)))


_entry = lru_cache(maxsize=200_000)(entry)


def render(front: Front, body: str) -> bytes:
    """Write a note as `kit.vault.note.render` does, with the lines that come again and again kept."""
    lines = "".join(
        f"{key}: {value.isoformat()}\n" if isinstance(value, datetime) else _entry(key, value, "\n")
        for key, value in front.items()
        if value is not None
    )
    return f"---\n{lines}---\n{body}".encode()


class World:
    """Everything a made-up vault speaks of; made from a number of cards and a seed, before any file."""

    def __init__(self, cards: int, seed: int = 7) -> None:
        self.cards = cards
        self._random = random.Random(seed)  # noqa: S311 - made-up text, no secret
        self._weights = mandelbrot(WORDS)
        self._words = {
            "en": self._vocabulary(_ENGLISH.split(), self._english),
            "zh": self._vocabulary(_CHINESE.split(), self._chinese),
        }
        self.tags = self._make_tags(max(60, round(cards * TAGS_PER_CARD)))
        self._tag_weights = mandelbrot(len(self.tags), shift=8, power=0.9)
        self._tag_names = [tag.name for tag in self.tags]
        self.topics = [f"topic-{self._english()}-{number}" for number in range(TOPICS)]
        self.projects = [f"{self._english()}{self._english()}" for _ in range(PROJECTS)]
        self.people = [self._person(number) for number in range(PEOPLE)]
        self._few = {count: mandelbrot(count, shift=2, power=0.8) for count in (TOPICS, PROJECTS, PEOPLE)}
        self._seed = seed

    # -- words

    def _english(self) -> str:
        draw = self._random
        onsets, nuclei = _ONSETS.split(), _NUCLEI.split()
        size = 2 if draw.random() < 0.6 else 3
        return "".join(draw.choice(onsets) + draw.choice(nuclei) + draw.choice(_CODAS) for _ in range(size))

    def _chinese(self) -> str:
        draw = self._random
        size = draw.choices((2, 3, 4), (75, 15, 10))[0]
        return "".join(draw.choices(_HAN, k=size))

    def _vocabulary(self, real: Sequence[str], make: Callable[[], str]) -> list[str]:
        found = dict.fromkeys(real)
        while len(found) < WORDS:
            found[make()] = None
        return list(found)

    def words(self, count: int, language: str) -> str:
        """Write a running text of `count` words."""
        if language == "mixed":
            half = count // 2
            return f"{self.words(count - half, 'zh')} {self.words(half, 'en')}"
        drawn = self._random.choices(self._words[language], cum_weights=self._weights, k=count)
        if language == "en":
            return " ".join(drawn)
        return "".join(word + (_ENDS[at % 4] if at % 9 == 8 else "") for at, word in enumerate(drawn))

    # -- who and what

    def _person(self, number: int) -> str:
        if number % 3:
            return f"{self._english().title()} {self._english().title()}"
        return self._random.choice("赵钱孙李周吴郑王冯陈") + self._chinese()[:2]

    def _tag_name(self) -> str:
        draw = self._random.random()
        if draw < 0.35:
            return self._random.choice(self._words["zh"][200:])
        if draw < 0.6:
            return f"{self._random.choice(self._words['en'][200:])}-{self._english()}"
        return self._random.choice(self._words["en"][200:])

    def _make_tags(self, count: int) -> list[Tag]:
        names: dict[str, None] = {}
        while len(names) < count:
            names[self._tag_name()] = None
        listed = list(names)
        made: list[Tag] = []
        for name in listed:
            draw = self._random.random()
            aliases = tuple({self._english() + self._english(), self._chinese() + self._chinese()[:1]})
            synonym = tuple(self._random.sample(listed, 1)) if draw < 0.25 else ()
            related = tuple(self._random.sample(listed, 2)) if 0.15 < draw < 0.5 else ()
            kept = tuple(sorted(aliases)) if draw < 0.7 else ()
            made.append(Tag(name, kept, _others(name, synonym), _others(name, related)))
        return made

    # -- files

    def files(self, *, events: bool = True) -> Iterator[File]:
        """Go through the notes of the vault: tags, then cards in the order of time, each with its event."""
        self._random = random.Random(self._seed + 1)  # noqa: S311 - the same
        for number, tag in enumerate(self.tags):
            yield self._tag_file(number, tag)
        step = SPAN / max(1, self.cards)
        begin = END - SPAN
        for number in range(self.cards):
            at = (begin + step * (number + self._random.random())).replace(microsecond=0)
            yield from self._turn(number, at, events=events)

    def _tag_file(self, number: int, tag: Tag) -> File:
        front: Front = {
            "id": f"made-tag-{number}", "kind": "tag", "created": END - SPAN, "code": f"t{number}", "name": tag.name,
            "status": "active", "definitions": (f"What {tag.name} stands for",), "dimensions": ("content",),
            "aliases": tag.aliases or None, "synonym": _links(tag.synonym), "related": _links(tag.related),
            "source": "system",
        }  # fmt: skip
        return File(_tag_path(tag.name), render(front, ""))

    def _turn(self, number: int, at: datetime, *, events: bool) -> Iterator[File]:
        draw = self._random
        language = draw.choices(LANGUAGES, SHARES)[0]
        prompt = self.words(draw.randint(5, 24), language)
        card_id = layout.new_id(at, lambda _: number >> 15 & 31)[:-3] + _base32(number)
        card_path = layout.card_path(card_id, at, prompt[:60])
        event_path = layout.event_path(card_id, at)
        tags = self._some_tags()
        if events:
            yield self._event(card_id, at, card_path, event_path, tags, prompt, language)
        front = self._card_front(card_id, at, event_path if events else "", tags)
        opening = f"{_OPENINGS[language]} {tags[0].replace('-', ' ')}"
        summary = f"{opening}{': ' if language != 'zh' else '：'}{prompt}"
        yield File(card_path, render(front, text.first_sentence(summary) + "\n"))

    def _some_tags(self) -> tuple[str, ...]:
        draw = self._random
        count = draw.choices((2, 3, 4), (30, 45, 25))[0]
        return tuple(dict.fromkeys(draw.choices(self._tag_names, cum_weights=self._tag_weights, k=count)))

    def _card_front(self, card_id: str, at: datetime, event: str, tags: tuple[str, ...]) -> Front:
        draw = self._random
        scene, sub = draw.choice(SCENES)
        chance = draw.random()
        return {
            "id": card_id, "kind": "card", "status": "completed" if chance > 0.03 else "interrupted",
            "layer": "transient" if chance > 0.95 else "episodic", "topic": self._one(self.topics),
            "project": self._one(self.projects) if chance < 0.8 else None, "harness": "claude", "created": at,
            "completed": at + timedelta(seconds=40), "scene": scene, "scene_sub": sub, "intent": "execute",
            "route": "shallow", "tags": tags, "people": (self._one(self.people),) if draw.random() < 0.2 else None,
            "importance": draw.choices((1, 2, 3, 4, 5), (3, 12, 60, 20, 5))[0],
            "feedback": "confirmed" if 0.4 < chance < 0.45 else "rejected" if 0.45 <= chance < 0.46 else None,
            "event": link(event) if event else None,
        }  # fmt: skip

    def _event(
        self, card_id: str, at: datetime, card: str, path: str, tags: tuple[str, ...], prompt: str, language: str
    ) -> File:
        front: Front = {
            "id": f"{card_id}-e", "kind": "event", "card": link(card), "type": "chat", "status": "completed",
            "created": at, "completed": at + timedelta(seconds=40), "route": "shallow", "tags": tags,
            "duration_ms": 40_000,
        }  # fmt: skip
        answer = self.words(self._random.randint(20, 120), language)
        return File(path, render(front, exchange.render(prompt, answer)))

    def _one(self, names: list[str]) -> str:
        return self._random.choices(names, cum_weights=self._few[len(names)])[0]


def build(folder: Path, cards: int, seed: int = 7, *, events: bool = True) -> World:
    """Lay down a vault and fill it with made-up notes, without waiting for the disk; return what it speaks of."""
    world = World(cards, seed)
    lay(folder)
    made: set[str] = set()
    for path, raw in world.files(events=events):
        parent = path.rpartition("/")[0]
        if parent not in made:
            (folder / parent).mkdir(parents=True, exist_ok=True)
            made.add(parent)
        place = os.open(f"{folder}/{path}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(place, raw)
        os.close(place)
    return world


def _others(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)


def _tag_path(name: str) -> str:
    return layout.named_path("tags", name)


def _links(names: tuple[str, ...]) -> tuple[str, ...] | None:
    return tuple(link(_tag_path(name)) for name in names) or None


def _base32(number: int) -> str:
    return "".join(layout.BASE32[number >> shift & 31] for shift in (10, 5, 0))


def main() -> None:
    """Make the vault the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cards", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--events", action=argparse.BooleanOptionalAction, default=True)
    chosen = parser.parse_args()
    before = os.times()
    build(chosen.folder, chosen.cards, chosen.seed, events=chosen.events)
    after = os.times()
    ours, system = after.user - before.user, after.system - before.system
    print(f"{chosen.cards} cards: {chosen.cards / ours:.0f} a second of our own processor time;", end=" ")
    print(f"the system took {system / ours:.1f} times as much to make the files")


if __name__ == "__main__":
    main()
