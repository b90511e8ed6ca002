"""What stands in the rows: the schema, the form of conversations, counts of tokens."""

import gzip
import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FREE_FORM = ("arguments", "signature", "choice", "recipe", "trace", "trials", "answer")


def all_rows(rows, manifest, table):
    for exported in manifest["tables"]:
        if exported["table"] == table:
            for split in exported["splits"]:
                yield from rows(table, split["split"])


def chat_tables(manifest):
    return [table["table"] for table in manifest["tables"] if table["table"].startswith("chat/")]


def test_archive_rows_fit_the_schema(folder, rows, manifest):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((folder / "archive.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    count = 0
    for row in all_rows(rows, manifest, "archive"):
        validator.validate(row)
        count += 1
        for name in FREE_FORM:
            json.loads(row[name])
    assert count > 50
    row = rows("archive", "train")[0]
    for broken in ({**row, "depth": "0"}, {**row, "extra": 1}, {k: v for k, v in row.items() if k != "grade"},
                   {**row, "grade": None}):
        assert not validator.is_valid(broken)


def test_only_one_config_has_what_is_not_safe(folder, rows, manifest):
    unsafe = list(all_rows(rows, manifest, "equal_unsafe"))
    assert unsafe and all(row["safe"] is not True and row["grade"] in ("proved", "exact") for row in unsafe)
    assert all(row["safe"] is True and row["safe_by"] in ("proof", "search") for row in all_rows(rows, manifest, "archive"))
    ids = {row["id"] for row in unsafe}
    for table in (table["table"] for table in manifest["tables"]):
        if table == "equal_unsafe":
            continue
        for row in all_rows(rows, manifest, table):
            assert not ids & {row["id"], row.get("entry"), *row.get("entries", [])}, table
    card = (folder / "README.md").read_text()
    for name, count in manifest["strategies"].items():
        line = f"| `{name}` | {count['safe']} | {count['unsafe']} |"
        assert (line in card) == (count["safe"] < 100), name


def test_conversations_have_qwen3s_form(rows, manifest):
    for table in chat_tables(manifest):
        for row in all_rows(rows, manifest, table):
            assert [message["role"] for message in row["messages"]] == ["user", "assistant"]
            said = row["messages"][1]["content"]
            if "nocot" in table:
                found = re.fullmatch(r"<answer>(.*)</answer>", said, re.S)
            else:
                found = re.fullmatch(r"<think>\n(?!\n)(?:(?!</?think>|</?answer>).)*[^\n]\n</think>\n\n<answer>(.*)</answer>",
                                     said, re.S)
            assert found, said
            answer = json.loads(found[1])
            if table.endswith("/single"):
                assert list(answer) == ["transformed_IR", "applied_strategy"]
                answer = [answer]
            else:
                assert [part["idx"] for part in answer] == list(range(1, len(answer) + 1)) and len(answer) >= 2
            assert [part["applied_strategy"] for part in answer] == row["strategies"]
            assert len({part["transformed_IR"] for part in answer}) == len(answer)


def test_tokens_are_those_of_the_template(rows, manifest):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_str(
        gzip.decompress((ROOT / "data/qwen3_tokenizer.json.gz").read_bytes()).decode())
    for table in chat_tables(manifest):
        for row in list(all_rows(rows, manifest, table))[::7]:
            question, answer = (message["content"] for message in row["messages"])
            thought = "" if answer.startswith("<think>") else "<think>\n\n</think>\n\n"
            prompt = f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
            whole = f"{prompt}{thought}{answer}<|im_end|>\n"
            count = lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
            assert row["prompt_tokens"] == count(prompt)
            assert row["prompt_tokens"] + row["completion_tokens"] == count(whole)


def test_rows_for_trainers(rows, manifest):
    for row in all_rows(rows, manifest, "dpo_trl"):
        assert row["chosen"] != row["rejected"]
        assert [len(row[column]) for column in ("prompt", "chosen", "rejected")] == [1, 1, 1]
    swift = {row["id"]: row for row in all_rows(rows, manifest, "dpo_swift")}
    misses = {row["id"]: row for row in all_rows(rows, manifest, "near_miss")}
    assert swift and set(swift) == set(misses)
    for name, row in swift.items():
        assert misses[name]["wrong_leir"] == json.loads(row["rejected_response"].split("<answer>")[1][:-9])["transformed_IR"]
        verdict = misses[name]["verdict"]
        assert verdict in ("differs", "invalid")
        assert (json.loads(misses[name]["counterexample"]) is not None) == (verdict == "differs")
    labels = [row["label"] for row in all_rows(rows, manifest, "kto_trl")]
    assert labels.count(True) == labels.count(False) == len(misses)
    walks = list(all_rows(rows, manifest, "stepwise"))
    assert walks
    for row in walks:
        assert len(row["completions"]) == len(row["labels"])
        assert 3 <= len(row["labels"]) <= 8
        assert all(row["labels"][:-1])


def test_no_kernelbench(rows, manifest):
    kept = list(all_rows(rows, manifest, "no_kernelbench"))
    assert kept and not any(row["origin"].startswith("kernelbench") for row in kept)
