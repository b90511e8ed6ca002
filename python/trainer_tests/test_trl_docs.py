"""The code for TRL in docs/dataset.md, run one after the other on the small model."""

import os

import pytest
from docs_commands import assert_falls, blocks, prepare, shell, shorter
from exported_rows import all_texts
from tiny_qwen3 import make_tokenizer, save
from trl.chat_template_utils import qwen3_chat_template


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    save(folder / "tiny", make_tokenizer(qwen3_chat_template, all_texts()))
    prepare(folder)
    export = blocks("ms-swift", "bash")[0].splitlines()[0]
    shell(shorter(export), folder, [os.environ["STEPTP_PROGRAMS"]])
    return folder


@pytest.mark.parametrize("number, name", enumerate(["sft", "dpo", "kto", "grpo"]))
def test_code(number, name, folder, monkeypatch):
    codes = blocks("TRL", "python")
    assert len(codes) == 4 and f'output_dir="trl_{name}"' in codes[number]
    monkeypatch.chdir(folder)
    names = {}
    exec(shorter(codes[number]).replace("output_dir=", "use_cpu=True, bf16=False, report_to=[], output_dir="), names)
    logged = names["trainer"].state.log_history
    losses = [entry["loss"] for entry in logged if "loss" in entry]
    print(name, losses)
    if name == "grpo":
        assert len(losses) == 2 and all(entry["reward"] == 0 for entry in logged if "reward" in entry)
    else:
        assert_falls(losses)
