"""The three tiers of a memory: passing remarks, what happened, what lasts; and how one becomes the other.

Law: a tier is a key of a note (`layer`), never a place of its own. What is over a tier's cap goes to the archive,
lightest first; a session is summed up once, by its agent or else by rules.
"""

from kit.tiers.named import check
from kit.tiers.tiers import Commit, Rules, Tiers

__all__ = ["Commit", "Rules", "Tiers", "check"]
