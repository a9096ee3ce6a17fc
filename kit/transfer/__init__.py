"""Bringing memories in from other systems, and carrying them out: sources, a plan, and what becomes of it."""
