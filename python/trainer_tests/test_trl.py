"""Every config for TRL trains a few steps, and what the model is trained on is what we meant, row by row."""

import math

import pytest
import torch
import trl
from exported_rows import (CHAT_CONFIGS, CONFIGS, MAX_TOKENS, NO_THOUGHT, NO_TRAINING, all_texts, answer_text,
                           has_reasoning, question_text, rows_of)
from peft import LoraConfig
from speaker import Speaker, rows_with_right_answers
from tiny_qwen3 import whole_tokenizer_json
from tokenizers import Tokenizer

from steptp import rewards

COMMON = dict(report_to=[], save_strategy="no", use_cpu=True, per_device_train_batch_size=2, logging_steps=1, bf16=False,
              learning_rate=2e-2, lr_scheduler_type="constant", gradient_checkpointing=False, disable_tqdm=True)
torch.set_num_threads(1)


def trained(trainer):
    """The losses of all steps."""
    trainer.train()
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


def assert_falls(losses):
    assert losses[-1] < 0.9 * losses[0], losses


def batch_of(trainer, number):
    return trainer.data_collator([trainer.train_dataset[number]])


def train_on_few(trainer, rows):
    """Few rows, again and again: the loss falls for certain."""
    trainer.train_dataset = trainer.train_dataset.select(range(rows))
    return trained(trainer)


def given_and_learned(tokenizer, ids, learned):
    """The text before the first token that is learned, and the text of those that are."""
    first = int(learned.nonzero()[0])
    return tokenizer.decode(ids[:first]), tokenizer.decode(ids[learned])


def test_every_config_is_tested():
    """`dpo_swift` and `stepwise` are tested with ms-swift, whose older TRL has a trainer of process rewards."""
    tested_here = {"sft_trl", "dpo_trl", "kto_trl", "rl"}
    assert {*CHAT_CONFIGS, *tested_here, *NO_TRAINING, "dpo_swift", "stepwise"} == set(CONFIGS)


def test_the_small_tokenizer_is_the_whole_one(tokenizer):
    whole = Tokenizer.from_str(whole_tokenizer_json())
    for text in all_texts()[:200]:
        assert tokenizer.backend_tokenizer.encode(text).tokens == whole.encode(text).tokens
    assert len(tokenizer) < 10_000


@pytest.mark.parametrize("config", CHAT_CONFIGS)
def test_our_counts_are_those_of_the_template(config, tokenizer):
    for row in rows_of(config):
        text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
        assert len(tokenizer(text)["input_ids"]) == row["prompt_tokens"] + row["completion_tokens"]


@pytest.mark.parametrize("config", CHAT_CONFIGS)
def test_sft_on_conversations(config, model, tokenizer, tmp_path):
    rows = rows_of(config)
    args = trl.SFTConfig(output_dir=str(tmp_path), max_length=MAX_TOKENS, max_steps=4, assistant_only_loss=True, **COMMON)
    trainer = trl.SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
    for number, row in enumerate(rows):
        batch = batch_of(trainer, number)
        given, learned = given_and_learned(tokenizer, batch["input_ids"][0], batch["labels"][0] != -100)
        question, answer = (message["content"] for message in row["messages"])
        assert given == question_text(question)
        assert learned == answer_text(answer)
        assert learned.startswith(f"{NO_THOUGHT}<answer>") != has_reasoning(config)
    assert_falls(trained(trainer))


def test_sft_on_prompts_and_completions(model, tokenizer, tmp_path):
    """As docs/dataset.md has it: LoRA, loss on the completion."""
    rows = rows_of("sft_trl")
    args = trl.SFTConfig(output_dir=str(tmp_path), max_length=MAX_TOKENS, max_steps=4, completion_only_loss=True, **COMMON)
    lora = LoraConfig(r=8, lora_alpha=32, lora_dropout=0.05, target_modules="all-linear")
    trainer = trl.SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer,
                             peft_config=lora)
    for number, row in enumerate(rows):
        batch = batch_of(trainer, number)
        given, learned = given_and_learned(tokenizer, batch["input_ids"][0], batch["labels"][0] != -100)
        assert given == question_text(row["prompt"][0]["content"])
        assert learned == answer_text(row["completion"][0]["content"])
    losses = trained(trainer)
    assert losses[-1] < losses[0]


def test_dpo(model, tokenizer, tmp_path):
    rows = rows_of("dpo_trl")
    args = trl.DPOConfig(output_dir=str(tmp_path), max_length=MAX_TOKENS, max_steps=6, **COMMON)
    trainer = trl.DPOTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
    for number, row in enumerate(rows):
        batch = batch_of(trainer, number)
        for line, column in enumerate(("chosen", "rejected")):
            learned = batch["completion_mask"][line] == 1
            given, learned = given_and_learned(tokenizer, batch["input_ids"][line], learned)
            assert given == question_text(row["prompt"][0]["content"])
            assert learned == answer_text(row[column][0]["content"])
        # What differs is the program, not the thought.
        chosen, rejected = (row[column][0]["content"].split("</think>") for column in ("chosen", "rejected"))
        assert chosen[0] == rejected[0] and chosen[1] != rejected[1]
    losses = train_on_few(trainer, 2)
    assert losses[0] == pytest.approx(math.log(2), abs=1e-3)
    assert_falls(losses)


def test_kto(model, tokenizer, tmp_path):
    rows = rows_of("kto_trl")
    args = trl.KTOConfig(output_dir=str(tmp_path), max_length=MAX_TOKENS, max_steps=6, **COMMON)
    trainer = trl.KTOTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
    for number, row in enumerate(rows):
        batch = batch_of(trainer, number)
        given, learned = given_and_learned(tokenizer, batch["input_ids"][0], batch["completion_mask"][0] == 1)
        assert given == question_text(row["prompt"][0]["content"])
        assert learned == answer_text(row["completion"][0]["content"])
        assert batch["label"].tolist() == [row["label"]]
    assert {True, False} == set(rows["label"])
    losses = train_on_few(trainer, 2)
    assert losses[0] == pytest.approx(0.5, abs=1e-3)
    assert losses[-1] < losses[0]


def test_grpo(model, tokenizer, tmp_path):
    speaker = Speaker(tokenizer)
    args = trl.GRPOConfig(output_dir=str(tmp_path), max_steps=1, num_generations=2, max_completion_length=MAX_TOKENS, **COMMON)
    trainer = trl.GRPOTrainer(model=model, args=args, train_dataset=rows_with_right_answers(), processing_class=tokenizer,
                              reward_funcs=[rewards.equal, rewards.different, rewards.format, rewards.strategy_matches])
    before = [parameter.detach().clone() for parameter in trainer.model.parameters()]
    trainer.model.generate = speaker
    trainer.train()
    assert len(speaker.heard) == 2 and set(speaker.heard) <= set(speaker.answers)
    logged = trainer.state.log_history[0]
    for reward in ("equal", "different", "format", "strategy_matches"):
        assert logged[f"rewards/{reward}/mean"] == 0.5, logged
    assert logged["reward"] == 2.0
    assert any(not torch.equal(one, other) for one, other in zip(before, trainer.model.parameters()))


def test_grpo_with_the_models_own_words(model, tokenizer, tmp_path):
    """What a model of random weights says is worth nothing, and nothing breaks."""
    args = trl.GRPOConfig(output_dir=str(tmp_path), max_steps=1, num_generations=2, max_completion_length=16, **COMMON)
    trainer = trl.GRPOTrainer(model=model, args=args, train_dataset=rows_of("rl"), processing_class=tokenizer,
                              reward_funcs=[rewards.equal, rewards.format])
    trainer.train()
    assert trainer.state.log_history[0]["reward"] == 0.0
