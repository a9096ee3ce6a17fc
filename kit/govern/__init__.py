"""The C-line: the only room that writes notes and the journal."""
