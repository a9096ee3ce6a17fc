"""Secrets leave a text before it reaches a file.

Law: linear time, idempotent, and no secret is ever returned: only the marked text and the kinds found.
What is no secret (commit hashes, UUIDs, paths, images in base64) stays. Of a long text only the places are looked
at closely where a word stands that every secret of some shape has.
"""

from kit.vault.redact.passes import redact

__all__ = ["redact"]
