"""The commands for ms-swift in docs/dataset.md, run one after the other on the small model."""

import json
import os
import pathlib
import sys

import pytest
from docs_commands import assert_falls, blocks, prepare, shell, shorter
from exported_rows import all_texts
from tiny_qwen3 import make_tokenizer, save
from trl.chat_template_utils import qwen3_chat_template

#: A folder's name says nothing about the kind of model, and there is no GPU.
ON_THIS_MODEL = "--model tiny --model_type qwen3 --template qwen3 --torch_dtype float32 --check_model false --report_to none"
PATH = [str(pathlib.Path(sys.executable).parent), os.environ["STEPTP_PROGRAMS"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    save(folder / "tiny", make_tokenizer(qwen3_chat_template, all_texts()))
    prepare(folder)
    return folder


@pytest.mark.parametrize("number, name", enumerate(["swift_sft", "swift_dpo", "swift_kto", "swift_grpo"]))
def test_command(number, name, folder):
    codes = blocks("ms-swift", "bash")
    assert len(codes) == 4
    shell(shorter(codes[number]).replace("--model tiny", ON_THIS_MODEL), folder, PATH)
    lines = [json.loads(line) for line in (folder / name / "logging.jsonl").read_text().splitlines()]
    losses = [line["loss"] for line in lines if "loss" in line]
    print(name, losses)
    if name == "swift_grpo":
        assert len(losses) == 2 and all(line["reward"] == 0 for line in lines if "reward" in line)
    else:
        assert_falls(losses)
