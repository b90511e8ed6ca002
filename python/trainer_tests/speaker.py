"""A model's voice for tests of reinforcement learning: it says what is to be rewarded, and what is not."""

import torch
from exported_rows import question_text, right_answers, rows_of


def rows_with_right_answers():
    right = right_answers()
    return rows_of("rl").filter(lambda row: row["program_id"] in right)


class Speaker:
    """In the place of a model's `generate`: of two answers to a question the first is right, the second says nothing."""

    def __init__(self, tokenizer):
        right = right_answers()
        self.tokenizer = tokenizer
        self.answers = {question_text(row["prompt"][0]["content"]): right[row["program_id"]]
                        for row in rows_with_right_answers()}
        self.heard: list[str] = []

    def speak(self, heard: str) -> str:
        self.heard.append(heard)
        return self.answers[heard] if len(self.heard) % 2 else "I do not know."

    def __call__(self, input_ids, attention_mask, **_):
        """What stands in `input_ids`, and the answers behind it."""
        said = [self.speak(self.tokenizer.decode(ids[mask == 1])) for ids, mask in zip(input_ids, attention_mask)]
        ids = [torch.tensor(self.tokenizer(f"{text}<|im_end|>")["input_ids"]) for text in said]
        padded = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=self.tokenizer.pad_token_id)
        return torch.cat([input_ids, padded], dim=1)
