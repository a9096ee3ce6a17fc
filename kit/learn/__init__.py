"""The C-line's thinking: what rules, and a model where there is one, say about a finished turn."""
