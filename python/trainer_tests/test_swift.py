"""Every config for ms-swift trains a few steps, and what the model is trained on is what we meant, row by row.

`swift sft` and `swift rlhf` start the same pipelines in a process of their own; test_docs.py runs the commands themselves.
"""

import collections
import math

import pytest
import steptp.swift_plugin
import torch
from exported_rows import (CHAT_CONFIGS, CONFIGS, END, FOLDER, MAX_TOKENS, NO_THOUGHT, NO_TRAINING, has_reasoning,
                           question_text, rows_of)
from speaker import Speaker, rows_with_right_answers
from swift.pipelines.train.rlhf import SwiftRLHF
from swift.pipelines.train.sft import SwiftSft

torch.set_num_threads(1)
COMMON = ["--model_type", "qwen3", "--template", "qwen3", "--tuner_type", "full", "--torch_dtype", "float32",
          "--learning_rate", "2e-2", "--lr_scheduler_type", "constant", "--warmup_ratio", "0",
          "--per_device_train_batch_size", "2", "--gradient_accumulation_steps", "1", "--max_length", str(MAX_TOKENS),
          "--logging_steps", "1", "--save_strategy", "no", "--report_to", "none", "--check_model", "false",
          "--dataset_shuffle", "false", "--load_from_cache_file", "false", "--gradient_checkpointing", "false"]


class Watched:
    """A pipeline whose trainer can be looked at before and after training."""

    def train(self, trainer):
        self.trainer = trainer
        self.before_training()
        return super().train(trainer)

    def before_training(self):
        pass

    def losses(self):
        return [entry["loss"] for entry in self.trainer.state.log_history if "loss" in entry]

    def batch_of(self, number):
        return self.trainer.data_collator([self.trainer.train_dataset[number]])


class Sft(Watched, SwiftSft):
    pass


class Rlhf(Watched, SwiftRLHF):
    pass


def run(pipeline, model, tmp_path, dataset, *more, steps=6):
    made = pipeline(["--model", model, "--dataset", dataset, "--output_dir", str(tmp_path), "--max_steps", str(steps),
                     *COMMON, *more])
    made.main()
    return made


def given_and_learned(tokenizer, batch, line=0):
    ids, labels = batch["input_ids"][line], batch["labels"][line]
    learned = labels != -100
    first = int(learned.nonzero()[0])
    return tokenizer.decode(ids[:first]), tokenizer.decode(ids[learned])


def meant(question, answer):
    """With ms-swift the empty thought of an answer without reasoning is given, not learned."""
    return question_text(question) + ("" if answer.startswith("<think>") else NO_THOUGHT), answer + END


def test_every_config_is_tested():
    """`sft_trl` and `dpo_trl` are the same rows in the form that TRL wants; `stepwise` has a file of its own."""
    tested_here = {"dpo_swift", "kto_trl", "rl"}
    assert {*CHAT_CONFIGS, *tested_here, *NO_TRAINING, "sft_trl", "dpo_trl", "stepwise"} == set(CONFIGS)


@pytest.mark.parametrize("config", CHAT_CONFIGS)
def test_sft(config, model, tokenizer, tmp_path):
    rows = rows_of(config)
    made = run(Sft, model, tmp_path, f"{FOLDER}:{config}", steps=4)
    assert len(made.trainer.train_dataset) == len(rows)
    for number, row in enumerate(rows):
        question, answer = (message["content"] for message in row["messages"])
        assert answer.startswith("<think>\n") == has_reasoning(config)
        assert given_and_learned(tokenizer, made.batch_of(number)) == meant(question, answer)
    losses = made.losses()
    assert len(losses) == 4 and losses[-1] < 0.9 * losses[0], losses


def test_dpo(model, tokenizer, tmp_path):
    rows = rows_of("dpo_swift")
    made = run(Rlhf, model, tmp_path, f"{FOLDER}:dpo_swift#2", "--rlhf_type", "dpo")
    losses = made.losses()
    assert losses[0] == pytest.approx(math.log(2), abs=1e-3) and losses[-1] < 0.9 * losses[0], losses

    made = run(Rlhf, model, tmp_path, f"{FOLDER}:dpo_swift", "--rlhf_type", "dpo", steps=1)
    assert len(made.trainer.train_dataset) == len(rows)
    for number, row in enumerate(rows):
        batch = made.batch_of(number)
        question, answer = (message["content"] for message in row["messages"])
        assert given_and_learned(tokenizer, batch, 0) == meant(question, answer)
        assert given_and_learned(tokenizer, batch, 1) == meant(question, row["rejected_response"])


def test_kto(model, tokenizer, tmp_path):
    """ms-swift wants whole conversations with a label; docs/dataset.md says how `kto_trl` becomes that."""
    rows = rows_of("kto_trl")
    file = tmp_path / "kto.jsonl"
    rows.map(lambda row: {"messages": row["prompt"] + row["completion"]},
             remove_columns=["prompt", "completion"]).to_json(file)
    made = run(Rlhf, model, tmp_path, str(file), "--rlhf_type", "kto", "--dataset_num_proc", "1")
    assert len(made.trainer.train_dataset) == len(rows)
    wanted = collections.Counter((*meant(row["prompt"][0]["content"], row["completion"][0]["content"]), row["label"])
                                 for row in rows)
    trained = collections.Counter()
    for number in range(len(rows)):  # ms-swift has shuffled them
        batch = made.batch_of(number)
        text = given_and_learned(tokenizer, {key: batch[f"completion_{key}"] for key in ("input_ids", "labels")})
        trained[*text, bool(batch["label"][0])] += 1
    assert trained == wanted and {label for *_, label in wanted} == {True, False}
    losses = made.losses()
    # It begins at 0.5 whatever the row; later ones are of other rows, right or wrong, and need not fall one by one.
    assert losses[0] == pytest.approx(0.5, abs=1e-3) and min(losses) < losses[0] - 1e-3, losses


class Spoken(Rlhf):
    """The answers are those of a Speaker."""

    def before_training(self):
        self.parameters_before = [parameter.detach().clone() for parameter in self.trainer.model.parameters()]
        self.speaker = Speaker(self.tokenizer)
        self.trainer.model.generate = lambda **inputs: {"sequences": self.speaker(**inputs)}


def test_grpo(model, tmp_path):
    names = ["steptp_equal", "steptp_different", "steptp_format", "steptp_strategy_matches"]
    file = tmp_path / "rl.jsonl"
    rows_with_right_answers().to_json(file)
    made = run(Spoken, model, tmp_path, str(file), "--rlhf_type", "grpo", "--columns", '{"prompt":"messages"}',
               "--enable_thinking", "true", "--external_plugins", steptp.swift_plugin.__file__, "--reward_funcs", *names,
               "--num_generations", "2", "--max_completion_length", str(MAX_TOKENS), "--use_vllm", "false", steps=1)
    assert len(made.speaker.heard) == 2 and set(made.speaker.heard) <= set(made.speaker.answers)
    logged = made.trainer.state.log_history[0]
    for name in ("SteptpEqual", "SteptpDifferent", "SteptpFormat", "SteptpStrategyMatches"):
        assert logged[f"rewards/{name}/mean"] == 0.5, logged
    assert logged["reward"] == 2.0, logged
    assert any(not torch.equal(one, other) for one, other in zip(made.parameters_before, made.trainer.model.parameters()))
