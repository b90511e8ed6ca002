"""Every config for TRL trains a few steps, and what the model is trained on is what we meant."""

import os
import pathlib

import datasets
import pytest
from tiny_qwen3 import make_model, make_tokenizer

trl = pytest.importorskip("trl")
from trl.chat_template_utils import qwen3_chat_template  # noqa: E402

FOLDER = os.environ["STEPTP_DATASET"]
COMMON = dict(report_to=[], save_strategy="no", use_cpu=True, per_device_train_batch_size=1, logging_steps=1,
              bf16=False, learning_rate=5e-3, gradient_checkpointing=False, dataset_num_proc=1)
LENGTH = 4096


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer(qwen3_chat_template)


def rows_of(config, count=4):
    """The shortest rows: with Qwen3's vocabulary a step on a long one takes gigabytes."""
    rows = datasets.load_dataset(FOLDER, config, split="train")
    tokens = [row["prompt_tokens"] + row.get("completion_tokens", 0) for row in rows]
    shortest = sorted(range(len(rows)), key=lambda i: (tokens[i], i))[:count]
    return rows.select(shortest)


def losses(trainer):
    trainer.train()
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def trained_text(trainer, tokenizer):
    """What the loss is taken of, for each row of the first batch."""
    batch = next(iter(trainer.get_train_dataloader()))
    for ids, labels in zip(batch["input_ids"], batch["labels"]):
        yield tokenizer.decode(ids), tokenizer.decode(ids[labels != -100])


def sft(rows, tokenizer, tmp_path, **more):
    args = trl.SFTConfig(output_dir=str(tmp_path), max_length=LENGTH, max_steps=4, packing=False, **more, **COMMON)
    return trl.SFTTrainer(model=make_model(tokenizer), args=args, train_dataset=rows, processing_class=tokenizer)


@pytest.mark.parametrize("config", ["chat_full", "chat_full_compact", "chat_single", "chat_f_leir_nocot", "chat_f_tir_nocot",
                                    "chat_uf_leir_cot", "deep", "no_kernelbench"])
def test_chat(config, tokenizer, tmp_path):
    rows = rows_of(config)
    trainer = sft(rows.select_columns(["messages"]), tokenizer, tmp_path)
    whole, _ = next(trained_text(trainer, tokenizer))
    assert any(row["messages"][1]["content"] in whole and row["messages"][0]["content"] in whole for row in rows)
    found = losses(trainer)
    assert found[-1] < found[0]


def test_sft(tokenizer, tmp_path):
    rows = rows_of("sft_trl")
    trainer = sft(rows.select_columns(["prompt", "completion"]), tokenizer, tmp_path, completion_only_loss=True)
    whole, learned = next(trained_text(trainer, tokenizer))
    wanted = {row["completion"][0]["content"] for row in rows}
    assert learned.replace("<|im_end|>", "").strip("\n") in wanted
    assert any(row["prompt"][0]["content"] in whole for row in rows)
    found = losses(trainer)
    assert found[-1] < found[0]


def test_our_counts_are_those_of_the_template(tokenizer):
    for config in ("chat_full", "chat_f_leir_nocot"):
        for row in rows_of(config, 20):
            text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
            assert len(tokenizer(text)["input_ids"]) == row["prompt_tokens"] + row["completion_tokens"]
            assert row["messages"][1]["content"] in text


def test_dpo(tokenizer, tmp_path):
    rows = rows_of("dpo_trl").select_columns(["prompt", "chosen", "rejected"])
    args = trl.DPOConfig(output_dir=str(tmp_path), max_length=LENGTH, max_steps=3, **COMMON)
    trainer = trl.DPOTrainer(model=make_model(tokenizer), args=args, train_dataset=rows, processing_class=tokenizer)
    found = losses(trainer)
    assert len(found) == 3 and found[0] == pytest.approx(0.693, abs=0.01)


def test_kto(tokenizer, tmp_path):
    kto = pytest.importorskip("trl.experimental.kto") if not hasattr(trl, "KTOTrainer") else trl
    rows = rows_of("kto_trl", 8).select_columns(["prompt", "completion", "label"])
    more = {**COMMON, "per_device_train_batch_size": 2}
    args = kto.KTOConfig(output_dir=str(tmp_path), max_length=LENGTH, max_steps=2, **more)
    trainer = kto.KTOTrainer(model=make_model(tokenizer), args=args, train_dataset=rows, processing_class=tokenizer)
    assert len(losses(trainer)) == 2


def test_stepwise_rows_are_what_process_rewards_want():
    rows = rows_of("stepwise", 50)
    for row in rows:
        assert isinstance(row["prompt"], str) and len(row["completions"]) == len(row["labels"])
    assert any(not all(row["labels"]) for row in rows)


def test_grpo(tokenizer, tmp_path):
    rewards = pytest.importorskip("steptp.rewards")
    rows = rows_of("rl", 2)
    seen = []

    def equal(completions, **columns):
        seen.append(rewards.equal(completions=completions, **columns))
        return seen[-1]

    args = trl.GRPOConfig(output_dir=str(tmp_path), max_steps=1, num_generations=2, max_completion_length=16,
                          **{**COMMON, "per_device_train_batch_size": 2})
    trainer = trl.GRPOTrainer(model=make_model(tokenizer), args=args, train_dataset=rows, reward_funcs=[equal, rewards.format],
                              processing_class=tokenizer)
    trainer.train()
    assert seen == [[0.0, 0.0]]
    # The same columns and a right answer: the reward is 1.
    chat = datasets.load_dataset(FOLDER, "chat_single", split="train")
    row = next(row for row in datasets.load_dataset(FOLDER, "rl", split="train") if row["program_id"] in chat["program_id"])
    right = next(one for one in chat if one["program_id"] == row["program_id"])["messages"][1:]
    assert rewards.equal(completions=[right], before=[row["before"]], signature=[row["signature"]]) == [1.0]
