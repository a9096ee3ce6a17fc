"""The files, which are the truth."""
