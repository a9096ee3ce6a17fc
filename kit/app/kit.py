"""Kit: the operations on one vault, joined; and the rooms that act by means of them.

Law: nothing is done here.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kit import chosen
from kit.app.care import Care
from kit.app.recalls import Recalls
from kit.app.turns import Turns
from kit.app.views import Views
from kit.tiers import Tiers

if TYPE_CHECKING:
    from kit.desk.desk import Desk
    from kit.transfer.carrier import Carrier


class Kit(Turns, Recalls, Care, Views):
    """The memory in one vault."""

    @cached_property
    def tiers(self) -> Tiers:
        """Hand out the three tiers: asked one by one, summed up, kept to their caps."""
        return Tiers(
            self._hand, self._writing, self.now, sync=self.sync, passages=self.passages,
            rules=lambda: chosen.tier_rules(self.config),
            recall=self.recall, remember=self.remember, sink=self.sink,
        )  # fmt: skip

    @cached_property
    def desk(self) -> Desk:
        """Hand out what a page shows and does."""
        from kit.desk.desk import Desk  # noqa: PLC0415 - only who uses it pays 50 ms and its memory

        return Desk(
            self._hand, self._writing, self.now, sync=self.sync, witness=self.witness, recall=self.recall,
            faults=lambda: self._settings.problems,
        )  # fmt: skip

    @cached_property
    def transfer(self) -> Carrier:
        """Hand out what imports and exports."""
        from kit.transfer.carrier import Carrier  # noqa: PLC0415 - as above

        vault = self.config.text("id")
        made = Carrier(self._hand, self._writing, self.now, sync=self.sync, perceive=self.perceive, vault=vault)
        made.owner = self.learning.owner
        return made
