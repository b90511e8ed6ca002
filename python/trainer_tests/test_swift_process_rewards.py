"""`stepwise` trains a model of process rewards, with the TRL that ms-swift brings along: the newest has no such trainer.

Apart from test_swift.py because ms-swift, once it is imported, changes the trainers of others.
"""

import math

import torch
import transformers
from exported_rows import MAX_TOKENS, all_texts, rows_of
from tiny_qwen3 import make_tokenizer, save
from trl.chat_template_utils import qwen3_chat_template
from trl.experimental import prm

torch.set_num_threads(1)


def test_process_rewards(tmp_path):
    tokenizer = make_tokenizer(qwen3_chat_template, all_texts())
    model = transformers.AutoModelForTokenClassification.from_pretrained(save(tmp_path / "model", tokenizer), num_labels=2)
    rows = rows_of("stepwise")
    args = prm.PRMConfig(output_dir=str(tmp_path), max_length=MAX_TOKENS, max_completion_length=None, step_separator="\n",
                         max_steps=6, learning_rate=2e-2, lr_scheduler_type="constant", per_device_train_batch_size=2,
                         logging_steps=1, report_to=[], save_strategy="no", use_cpu=True, bf16=False)
    trainer = prm.PRMTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
    assert len(trainer.train_dataset) == len(rows)
    for row, made in zip(rows, trainer.train_dataset):
        # Each step is judged at the line break behind it.
        parts, labels, start = [], [], 0
        for end, label in enumerate(made["labels"], start=1):
            if label != -100:
                parts.append(tokenizer.decode(made["input_ids"][start:end]))
                labels.append(bool(label))
                start = end
        steps = [f"{step}\n" for step in row["completions"]]
        assert parts == [row["prompt"] + steps[0], *steps[1:]]
        assert labels == row["labels"]
    assert any(len(row["labels"]) > 1 for row in rows) and any(not row["labels"][-1] for row in rows)
    assert all(all(row["labels"][:-1]) for row in rows)
    trainer.train_dataset = trainer.train_dataset.select([0])  # one row, again and again: the loss falls
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    assert abs(losses[0] - math.log(2)) < 0.1 and losses[-1] < 0.9 * losses[0], losses
