"""The export under test: STEPTP_DATASET names its folder (tools/run_datasets_tests.sh makes it)."""

import io
import json
import os
import pathlib

import pytest
import zstandard


@pytest.fixture(scope="session")
def folder() -> pathlib.Path:
    return pathlib.Path(os.environ["STEPTP_DATASET"])


@pytest.fixture(scope="session")
def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


@pytest.fixture(scope="session")
def card(folder):
    """What the YAML of the card says."""
    import yaml

    text = (folder / "README.md").read_text()
    return yaml.safe_load(text.split("---\n")[1])


def read_jsonl(path):
    with open(path, "rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8", newline="\n")
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def rows(folder):
    """Rows of a table and split, from the JSON lines."""
    read = {}

    def of(table, split):
        key = (table, split)
        if key not in read:
            read[key] = read_jsonl(folder / "data" / table / f"{split}.jsonl.zst")
        return read[key]

    return of
