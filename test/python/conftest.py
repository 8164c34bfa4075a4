from __future__ import annotations

import pytest


@pytest.fixture(params=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> str:
    """Which of the two clients a test runs with."""
    return str(request.param)
