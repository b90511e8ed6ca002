"""The export that trainers are tested with (STEPTP_DATASET names its folder), and what they are meant to make of it."""

import json
import os
import pathlib

import datasets

FOLDER = pathlib.Path(os.environ["STEPTP_DATASET"])
MANIFEST = json.loads((FOLDER / "manifest.json").read_text())
CONFIGS = MANIFEST["configs"]
#: Those whose rows are whole conversations.
CHAT_CONFIGS = [name for name in CONFIGS if name.startswith("chat_") or name in ("deep", "no_kernelbench")]
#: Those that nobody trains on as they stand.
NO_TRAINING = {"archive", "near_miss"}
#: Every row of the export is shorter (`dataset export --max-tokens`).
MAX_TOKENS = MANIFEST["max_tokens"]
END = "<|im_end|>\n"
NO_THOUGHT = "<think>\n\n</think>\n\n"


def rows_of(config: str, split: str = "train") -> datasets.Dataset:
    return datasets.load_dataset(str(FOLDER), config, split=split)


def has_reasoning(config: str) -> bool:
    return "nocot" not in config


def all_texts() -> list[str]:
    """Every question and every answer, for the vocabulary."""
    texts = {}
    for config in CONFIGS:
        if config in NO_TRAINING:
            continue
        for row in rows_of(config):
            for column in ("messages", "prompt", "completion", "chosen", "rejected", "completions", "rejected_response"):
                value = row.get(column, "")
                for part in [value] if isinstance(value, str) else value:
                    texts[part if isinstance(part, str) else part["content"]] = None
    return list(texts)


def question_text(question: str) -> str:
    """What the model is given."""
    return f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"


def answer_text(answer: str) -> str:
    """What it is to say, to the end of its turn: without reasoning, an empty thought stands before the answer."""
    return (answer if answer.startswith("<think>\n") else NO_THOUGHT + answer) + END


def right_answers() -> dict[str, str]:
    """For each program of the config `rl`, an answer that is known to be right."""
    return {row["program_id"]: row["messages"][1]["content"] for row in rows_of("chat_single")}
