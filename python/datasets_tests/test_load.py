"""Every config loads with the real package, with exact counts, and holds what the JSON lines hold."""

import hashlib
import re
import shutil

import datasets
import pyarrow.parquet as pq
import pytest

RESERVED = {"label", "state", "options", "channel", "margin", "objects", "questions"}


def tables_of(config):
    """The folders that a config's files lie in, by split."""
    return {files["split"]: [path.split("data/")[1].rsplit("/", 1)[0] for path in files["path"]]
            for files in config["data_files"]}


def test_configs_are_those_of_the_card(folder, card):
    names = [config["config_name"] for config in card["configs"]]
    assert sorted(datasets.get_dataset_config_names(str(folder))) == sorted(names)
    assert [config["config_name"] for config in card["configs"] if config.get("default")] == ["chat_full"]
    wanted = {"archive", "chat_full", "chat_full_compact", "chat_single", "chat_multi", "chat_f_tir_nocot",
              "chat_f_leir_nocot", "chat_f_leir_nocot_compact", "chat_uf_leir_cot", "chat_uf_leir_cot_compact",
              "sft_trl", "dpo_trl", "dpo_swift", "kto_trl", "stepwise", "rl", "near_miss", "deep", "no_kernelbench",
              "equal_unsafe"}
    assert wanted <= set(names)


def test_every_config_loads(folder, card, rows):
    info = {one["config_name"]: one for one in card["dataset_info"]}
    for config in card["configs"]:
        name = config["config_name"]
        loaded = datasets.load_dataset(str(folder), name)
        counts = {split["name"]: split["num_examples"] for split in info[name]["splits"]}
        assert {split: len(data) for split, data in loaded.items()} == counts, name
        for split, tables in tables_of(config).items():
            expected = [row for table in tables for row in rows(table, split)]
            assert loaded[split].to_list() == expected, (name, split)
        assert [feature["name"] for feature in info[name]["features"]] == loaded[next(iter(loaded))].column_names


def test_the_default_is_chat_full(folder, rows):
    loaded = datasets.load_dataset(str(folder), split="train")
    assert loaded.to_list() == rows("chat/full/single", "train") + rows("chat/full/multi", "train")


def test_streaming(folder, rows):
    streamed = datasets.load_dataset(str(folder), "archive", split="train", streaming=True)
    assert list(streamed.take(3)) == rows("archive", "train")[:3]


def test_json_lines_load_too(folder, rows):
    path = str(folder / "data/chat/full/single/train.jsonl.zst")
    loaded = datasets.load_dataset("json", data_files=path, split="train")
    assert loaded.to_list() == rows("chat/full/single", "train")


def test_wrong_counts_would_be_noticed(folder, card, tmp_path):
    """The loader compares: our counts are right because it loads, not because nobody looks."""
    shutil.copytree(folder / "data", tmp_path / "data")
    text = (folder / "README.md").read_text()
    (tmp_path / "README.md").write_text(re.sub(r"num_examples: (\d+)", r"num_examples: 1\1", text))
    with pytest.raises(Exception, match="(?i)split|mismatch|num_examples|expected"):
        datasets.load_dataset(str(tmp_path), "archive")


def test_names_that_loaders_and_trainers_keep_for_themselves(folder, card):
    assert not list(folder.rglob("dataset_info.json"))
    for info in card["dataset_info"]:
        names = {feature["name"] for feature in info["features"]}
        allowed = {"label"} if info["config_name"] == "kto_trl" else set()
        assert not (names & RESERVED) - allowed, info["config_name"]
        for split in info["splits"]:
            assert re.fullmatch("[a-z_]+", split["name"])
            assert split["num_examples"] > 0


def test_parquet_files_are_plain(folder, card, manifest):
    for table in manifest["tables"]:
        for split in table["splits"]:
            file = pq.ParquetFile(folder / "data" / table["table"] / f"{split['split']}.parquet")
            assert file.metadata.num_rows == split["rows"]
            assert file.metadata.created_by == "steptp"
            for group in range(file.metadata.num_row_groups):
                assert file.metadata.row_group(group).total_byte_size < 64 << 20
            assert file.metadata.row_group(0).column(0).compression == "ZSTD"


def test_checksums(folder):
    listed = dict(reversed(line.split("  ")) for line in (folder / "checksums.sha256").read_text().splitlines())
    for name, digest in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name
    data = {str(path.relative_to(folder)) for path in (folder / "data").rglob("*") if path.is_file()}
    assert data <= set(listed)


def test_no_date_or_path(folder):
    for name in ("README.md", "manifest.json", "archive.schema.json", "checksums.sha256"):
        text = (folder / name).read_text()
        assert str(folder.parent) not in text
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text)
