"""Who gets at the indexes first."""

from __future__ import annotations

import threading

from kit.daemon.owner import Owner
from tests.daemon.conftest import until


def test_work_in_the_background_lets_those_who_wait_go_first() -> None:
    owner = Owner(courtesy_s=60.0)
    order: list[str] = []

    def ask() -> None:
        with owner:
            order.append("question")

    def work() -> None:
        with owner.gently():
            order.append("portion")

    with owner:
        asking = threading.Thread(target=ask)
        asking.start()
        until(lambda: owner.waiting == 1)
        working = threading.Thread(target=work)
        working.start()
    for thread in (asking, working):
        thread.join(60.0)
    assert order == ["question", "portion"]
    assert owner.waiting == 0


def test_who_has_it_may_enter_again_and_goes_on_when_nobody_ever_leaves_off_asking() -> None:
    owner = Owner(courtesy_s=0.0)
    with owner, owner.gently(), owner:
        assert owner.waiting == 0
