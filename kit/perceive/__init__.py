"""From a prompt to a perception of it."""
