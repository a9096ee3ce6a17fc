"""From a question to ranked notes with reasons."""
