"""A client's own window, in tmux: what is on the screen, and the keys a person presses."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Self

from tests.clients.household import until

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.clients.household import Household

WIDTH, HEIGHT = "160", "50"


class Terminal:
    """One window with one program: `with Terminal(house, command, environment) as window: …`."""

    def __init__(self, house: Household, command: Sequence[str], more: Mapping[str, str]) -> None:
        self._house, self._command, self._more = house, command, more

    def __enter__(self) -> Self:
        size = ("-x", WIDTH, "-y", HEIGHT)
        ran = self._tmux("-f", "/dev/null", "new-session", "-d", *size, shlex.join(self._command))
        assert "exited" not in ran, ran
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> str:
        ran = self._house.run(["tmux", "-S", str(self._house.root / "tmux"), *words], self._more)
        return ran.out + ran.err

    def screen(self) -> str:
        """Read what is on the screen; what was broken at the right edge is joined."""
        return self._tmux("capture-pane", "-p", "-J")

    def wait_for(self, words: str, seconds: float = 30) -> None:
        """Wait until words are on the screen."""
        try:
            until(lambda: words in self.screen(), seconds)
        except AssertionError as error:
            raise AssertionError(f"{words!r} is not on the screen:\n{self.screen()}") from error

    def press(self, *keys: str) -> None:
        """Press keys, by tmux' names for them."""
        self._tmux("send-keys", *keys)

    def say(self, prompt: str) -> None:
        """Type a prompt, and send it once the client shows it."""
        self._tmux("send-keys", "-l", prompt)
        self.wait_for(prompt)
        self.press("Enter")
