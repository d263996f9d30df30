"""Every example in the documentation of the package does what it says."""

import doctest
import importlib

import pytest

from conftest import PACKAGE

MODULES = {"dalembert._core", *(f"dalembert.{path.stem}" for path in PACKAGE.glob("*.py"))}


@pytest.mark.parametrize("name", sorted(MODULES - {"dalembert.__main__"}))
def test_examples_of(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # examples may write files
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0, "what was expected and what came is printed above"
