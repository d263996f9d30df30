"""Every statement of the documents with examples in Python, with what it prints."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("document", "least"), [("docs/python.md", 50), ("README.md", 8), ("docs/getting-started.md", 12), ("docs/how-to.md", 8)]
)
def test_statements_print_what_the_page_says(document: str, least: int) -> None:
    result = doctest.testfile(str(ROOT / document), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted >= least
    assert result.failed == 0
