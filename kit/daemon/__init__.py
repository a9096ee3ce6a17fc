"""The process that keeps the indexes in step, and how to speak to it."""
