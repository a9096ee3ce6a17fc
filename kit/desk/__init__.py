"""What a person has on the desk when they look after their memory: pages, one note, the journal, edits."""
