"""What the tests of faults need of a model."""

from tests.llm.conftest import endpoint, minded

__all__ = ["endpoint", "minded"]
