"""Runs the tests of the Python client. Argument: a file with their settings, by test/python/main.ts."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest


class Counts:
    """Counts the tests that passed and failed; a fault outside of a test is one that failed."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Is called by pytest after each phase of a test."""
        self.passed += report.when == "call" and report.passed
        self.failed += report.failed

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Is called by pytest for each file."""
        self.failed += report.failed


if __name__ == "__main__":
    settings = Path(sys.argv[1])
    os.environ.update(json.loads(settings.read_text(encoding="utf-8")))
    counts = Counts()
    options = ["-q", "-p", "no:cacheprovider", "--strict-markers", "-W", "error"]
    code = pytest.main([*options, str(Path(__file__).parent), *sys.argv[2:]], plugins=[counts])
    print(f"{counts.passed} passed, {counts.failed} failed")
    sys.exit(code)
