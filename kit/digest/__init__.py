"""What the rules read in a text: statements, names, keyphrases, summaries, verdicts.

Its rooms are loaded when they are first used: their patterns take a sixth of a start, which waits for none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kit.digest import keyphrases as keyphrases
    from kit.digest import prose as prose
    from kit.digest import statements as statements
    from kit.digest import summary as summary
    from kit.digest import verdict as verdict
    from kit.digest import words as words

_ROOMS = {"keyphrases", "prose", "statements", "summary", "verdict", "words"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the checker sees what is imported above
    """Load a room."""
    if name not in _ROOMS:
        raise AttributeError(name)
    return import_module(f"{__name__}.{name}")
