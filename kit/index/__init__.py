"""The reflection of the files: derived, and free to be deleted at any time."""
