"""The arithmetic of recall: pure functions of numbers, `now` among them; each effect can say itself.

Law: no I/O, no clock, no state. Weights are one value a profile, so that an order can be reproduced.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kit.model.hits import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from kit.index.features import Features
    from kit.recall.match import Concept, Span

DAY = 86400.0
WEEK_DAYS, SEASON_DAYS = 7.5, 93
"""A time up to a week long is a condition; one up to a season long narrows by `LOOSE`, and a longer one not at all."""
LOOSE = 0.3
AFTERWARDS = 0.5
"""Share of what a time is worth for the week after it: what happened is mostly told a little later."""


class Weights(NamedTuple):
    """One profile of scoring."""

    decay_floor: float = 0.98
    """what age never takes away"""
    decay_days: float = 60.0
    """days until 63 % of the rest is gone"""
    importance_floor: float = 0.85
    """factor = floor + (1 − floor) · importance / 3, so that an ordinary 3 changes nothing"""
    semantic: float = 1.15
    transient: float = 0.55
    confirmed: float = 1.15
    asks: float = 0.9
    """what a card is worth that only asks: what was said to it tells more"""
    sort: float = 1.2
    """what a card is worth that holds the sort of answer that is asked for: a time, a number, a place"""
    timely: float = 1.0
    """how much more a card is worth that was made in a day or a week that was spoken of; see `Past`"""
    scene: float = 0.1
    scene_sub: float = 0.1
    guessed_scene: float = 0.05
    """share of that where the scene was only perceived: enough to break a tie"""
    tags: float = 0.55
    """κ: how far tags and other features alone can carry"""
    person: float = 1.0
    time: float = 1.0
    """what a person and a time that are asked for weigh at least: a condition counts even where many cards meet it"""
    text: float = 0.7
    """λ: how fast the full text convinces"""
    phrase: float = 0.65
    """the same for words that stand together in a long card as they do in the question"""
    near: float = 0.15
    """the same for the words of the turns right before and after"""
    topic: float = 0.25
    """the same for the best turns of the topic"""
    answer: float = 0.35
    """the same for the words of a question that a turn follows"""
    lent: float = 0.35
    """the same for words a card lacks and a turn beside it has: together they say what is asked"""
    steps: tuple[float, ...] = (1.0, 0.75)
    """share a turn has in what those beside it gain, by distance"""
    rare_weighs_more: bool = True
    """whether features are weighted by idf, and the words no feature covers are part of what is asked"""
    least: float = 0.12
    """the threshold, where the person sets none"""
    layered: bool = False
    """whether `recall.layered` scores instead of all this"""


PROFILES = {
    "default": Weights(),
    # strength = matched / asked, exp(−0.05·days), ×1.15 / dropped, +0.1 / +0.1, nothing else
    "wangdefa": Weights(
        decay_floor=0.0, decay_days=20.0, importance_floor=1.0, semantic=1.0, transient=1.0, scene=0.1, scene_sub=0.1,
        asks=1.0, sort=1.0, timely=0.0, guessed_scene=1.0, tags=1.0, text=0.0, phrase=0.0, near=0.0, topic=0.0,
        answer=0.0, lent=0.0, rare_weighs_more=False,
    ),
    "layered": Weights(least=0.08, layered=True),
}  # fmt: skip


class Sought(NamedTuple):
    """A sort of answer that is asked for."""

    name: str
    """a time, a number, a place"""
    held: Callable[[str], bool]
    """whether a text holds one"""


class Past(NamedTuple):
    """A time that was spoken of and is over, in epoch seconds, half-open."""

    start: float
    end: float
    share: float
    """how far it narrows, 0 to 1"""


class Asked(NamedTuple):
    """What a score depends on besides the card."""

    now: float
    """epoch seconds"""
    scene: str = ""
    scene_sub: str = ""
    sure: bool = True
    """whether the scene was named; else it was perceived"""
    sought: Sought | None = None
    """the sort of answer it asks for"""
    past: tuple[Past, ...] = ()
    """the times it speaks of"""
    long: Collection[int] = ()
    """cards that say far more than their summary, and so never only ask"""

    def only_asks(self, row: Features) -> bool:
        """Tell whether all a card says is a question."""
        return row.only_asks and row.num not in self.long


def narrowing(spans: Iterable[Span], now: float) -> tuple[Past, ...]:
    """Choose of the times spoken of those that narrow what is asked: they are meant, over, and not too long."""
    found: list[Past] = []
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp()
        days = (end - start) / DAY
        if span.meant and end <= now and days <= SEASON_DAYS:
            found.append(Past(start, end, 1.0 if days <= WEEK_DAYS else LOOSE))
    return tuple(found)


def timely(weights: Weights, created: float, asked: Asked) -> float:
    """Weigh a card by the times that are spoken of: made in one of them, or in the week after, or neither."""
    share = 0.0
    for time in asked.past:
        if time.start <= created < time.end:
            share = max(share, time.share)
        elif time.end <= created < time.end + 7 * DAY:
            share = max(share, AFTERWARDS * time.share)
    return 1 + weights.timely * share


def decay(weights: Weights, days: float) -> float:
    """Fade with age: floor + (1 − floor) · e^(−days / decay_days); a card from the future counts as new."""
    return weights.decay_floor + (1 - weights.decay_floor) * math.exp(-max(0.0, days) / weights.decay_days)


def importance(weights: Weights, value: int) -> float:
    """Weigh importance 1 to 5 around 1.0 for 3."""
    return weights.importance_floor + (1 - weights.importance_floor) * value / 3


def layer(weights: Weights, name: str) -> float:
    """Weigh the tier: facts above turns above passing remarks."""
    return weights.semantic if name == "semantic" else weights.transient if name == "transient" else 1.0


def feedback(weights: Weights, verdict: str) -> float:
    """Weigh the person's verdict: confirmed raises, rejected is never recalled, the rest changes nothing."""
    return weights.confirmed if verdict == "confirmed" else 0.0 if verdict == "rejected" else 1.0


def conviction(weight: float, gain: float) -> float:
    """Map what words gain, which has no upper end, to 0–1: 1 − e^(−weight·gain); of two gains more convinces more."""
    return 1 - math.exp(-weight * gain)


def evidence(weights: Weights, strength: float, gain: float) -> float:
    """Join the witnesses: 1 − (1 − κ·strength)(1 − conviction of the text)(… of each that stands beside it).

    `gain` is what they add up to: λ·text + ν·near + τ·topic + α·answer + β·lent.
    """
    return joiner(weights)(strength, gain)


def joiner(weights: Weights) -> Callable[[float, float], float]:
    """Make `evidence` for one question and many cards."""
    tags, exp = weights.tags, math.exp
    return lambda strength, gain: 1 - (1 - tags * strength) * exp(-gain)


def hears_beside(weights: Weights) -> bool:
    """Tell whether what stands beside a card counts."""
    return bool(weights.near or weights.topic or weights.answer or weights.lent)


def weigh(weights: Weights, concept: Concept) -> float:
    """Weigh one thing asked for by its rarity; a person or a time not below its least."""
    if not weights.rare_weighs_more:
        return 1.0
    return max(concept.weight, {"person": weights.person, "time": weights.time}.get(concept.sort, 0.0))


def trust(weights: Weights, concept: Concept) -> float:
    """Weigh who stands behind one thing asked for; 1 where features are only counted."""
    return concept.trust if weights.rare_weighs_more else 1.0


def asked_weight(weights: Weights, concepts: Iterable[Concept], unnamed: float) -> float:
    """Weigh all that is asked: the concepts, and the words that none of them covers."""
    named = sum(weigh(weights, concept) for concept in concepts)
    return named + unnamed if weights.rare_weighs_more else named


def scene(weights: Weights, row: Features, asked: Asked) -> float:
    """Add for the same scene, and again for the same sub-scene; less where the scene was only perceived."""
    bonus = weights.scene if asked.scene and row.scene == asked.scene else 0.0
    bonus += weights.scene_sub if asked.scene_sub and row.scene_sub == asked.scene_sub else 0.0
    return bonus if asked.sure else bonus * weights.guessed_scene


def standing(weights: Weights, row: Features, asked: Asked) -> float:
    """Multiply what a card brings along: age, importance, tier, verdict, time, whether it asks or answers."""
    return (
        decay(weights, (asked.now - row.created) / DAY)
        * importance(weights, row.importance)
        * layer(weights, row.layer)
        * feedback(weights, row.feedback)
        * (weights.asks if asked.only_asks(row) else 1.0)
        * (weights.sort if asked.sought and asked.sought.held(row.shown) else 1.0)
        * timely(weights, row.created, asked)
    )


def tallest(weights: Weights, sorts: Iterable[tuple[int, str, str]], asked: Asked) -> float:
    """Bound the standing of all cards of these sorts (importance, layer, feedback) from above."""
    most = _tallest(weights, frozenset(sorts)) * (max(1.0, weights.sort) if asked.sought else 1.0)
    return most * (1 + weights.timely * max((time.share for time in asked.past), default=0.0))


@lru_cache(maxsize=8)  # the sorts of a vault hardly ever change
def _tallest(weights: Weights, sorts: frozenset[tuple[int, str, str]]) -> float:
    return max(
        (importance(weights, value) * layer(weights, tier) * feedback(weights, said) for value, tier, said in sorts),
        default=0.0,
    )


def scene_most(weights: Weights, asked: Asked) -> float:
    """Bound what the scene adds to any card from above."""
    bonus = (weights.scene if asked.scene else 0.0) + (weights.scene_sub if asked.scene_sub else 0.0)
    return bonus if asked.sure else bonus * weights.guessed_scene


def scorer(weights: Weights, asked: Asked) -> Callable[[Features, float], float]:
    """Make `total` for one question and many cards: the same numbers, the factors that are few looked up."""
    floor, rest, days, now = weights.decay_floor, 1 - weights.decay_floor, weights.decay_days, asked.now
    factors: dict[tuple[int, str, str], tuple[float, float, float]] = {}
    has_scene, exp, asks = bool(asked.scene or asked.scene_sub), math.exp, weights.asks
    held, sort, times, long = asked.sought and asked.sought.held, weights.sort, asked.past, asked.long

    def score(row: Features, proof: float) -> float:
        key = row.importance, row.layer, row.feedback
        found = factors.get(key)
        if found is None:
            found = importance(weights, key[0]), layer(weights, key[1]), feedback(weights, key[2])
            factors[key] = found
        age = (now - row.created) / DAY
        faded = floor + rest * exp(-(age if age > 0 else 0.0) / days)
        value = proof * (faded * found[0] * found[1] * found[2])
        if row.only_asks and row.num not in long:
            value *= asks
        if held and held(row.shown):
            value *= sort
        if times:
            value *= timely(weights, row.created, asked)
        return value + scene(weights, row, asked) if has_scene else value

    return score


def total(weights: Weights, row: Features, asked: Asked, proof: float) -> float:
    """Score one card: evidence × standing + scene; nothing without evidence."""
    return proof * standing(weights, row, asked) + scene(weights, row, asked) if proof > 0 else 0.0


def reasons(weights: Weights, row: Features, asked: Asked) -> list[Reason]:
    """Say every factor of a score that is not neutral."""
    days = (asked.now - row.created) / DAY
    found = [Reason("decay", decay(weights, days), "×", f"{max(0.0, days):.1f} days old")]
    if (value := importance(weights, row.importance)) != 1.0:
        found.append(Reason("importance", value, "×", f"importance {row.importance} of 5"))
    if (value := layer(weights, row.layer)) != 1.0:
        found.append(Reason("layer", value, "×", f"{row.layer} memory"))
    if (value := feedback(weights, row.feedback)) != 1.0:
        found.append(Reason("feedback", value, "×", f"{row.feedback} by the person"))
    if asked.only_asks(row) and weights.asks != 1.0:
        found.append(Reason("asks", weights.asks, "×", "it only asks"))
    if asked.sought and weights.sort != 1.0 and asked.sought.held(row.shown):
        found.append(Reason("sort", weights.sort, "×", f"it tells {asked.sought.name}, which is asked for"))
    if asked.past and (worth := timely(weights, row.created, asked)) != 1.0:
        found.append(Reason("timely", worth, "×", "it is of the time that was spoken of, or of the week after"))
    share = 1.0 if asked.sure else weights.guessed_scene
    if asked.scene and row.scene == asked.scene:
        found.append(Reason("scene", share * weights.scene, "+", f"same scene '{row.scene}'"))
    if asked.scene_sub and row.scene_sub == asked.scene_sub:
        found.append(Reason("scene", share * weights.scene_sub, "+", f"same sub-scene '{row.scene_sub}'"))
    return found
