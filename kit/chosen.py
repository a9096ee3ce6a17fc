"""What the settings come to in the terms of the rooms, where that takes a decision.

Law: reads settings and a clock, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit import maintain
from kit.recall import score
from kit.tiers import Rules

if TYPE_CHECKING:
    from datetime import datetime

    from kit.config import Config


def caps(settings: Config, *, by_schedule: bool = False) -> maintain.Caps:
    """Take the caps; of a large or imported vault a schedule puts nothing away that nobody has set a cap for."""
    names = [f"tiers.{name}" for name in maintain.Caps._fields]
    chosen = [not by_schedule or settings.origins[name] != "default" for name in names]
    return maintain.Caps(*(settings.count(name) * own for name, own in zip(names, chosen, strict=True)))


def tier_rules(settings: Config) -> Rules:
    """Take the rules of the tiers."""
    count, number = settings.count, settings.number
    return Rules(
        caps(settings), count("tiers.summary_turns"), number("tiers.silent_hours") * 3600, count("deliver.tokens"),
        count("deliver.bytes"),
    )  # fmt: skip


def threshold(settings: Config) -> float:
    """Take the person's threshold, else the profile's own."""
    least = score.PROFILES[settings.text("recall.profile")].least
    return settings.number("recall.threshold") if settings.origins["recall.threshold"] != "default" else least


def cleaning(settings: Config, now: datetime) -> datetime | None:
    """Find the newest moment a cleaning was planned for; None when cleaning is by hand."""
    weekday, day = settings.count("clean.weekday"), settings.count("clean.day")
    return maintain.latest(settings.text("clean.mode"), settings.text("clean.at"), weekday, day, now)
