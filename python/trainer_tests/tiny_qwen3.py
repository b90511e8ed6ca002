"""A Qwen3 of two layers with random weights, and Qwen3's tokenizer cut down to what the texts of a dataset need.

The whole vocabulary has 151,669 tokens, and a step on one row would take gigabytes for their probabilities. A token that
no text is made of, nor any merge on the way to one, changes nothing: every text is cut into the same tokens as by the
whole tokenizer.
"""

import gzip
import json
import pathlib
from collections.abc import Iterable

import tokenizers
import transformers

#: What the chat template puts around the texts, as far as it is no mark of its own.
AROUND_TEXTS = ("system\n", "user\n", "assistant\n", "\n", "\n\n")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def whole_tokenizer_json() -> str:
    return gzip.decompress((ROOT / "data/qwen3_tokenizer.json.gz").read_bytes()).decode()


def cut_down(tokenizer_json: str, texts: Iterable[str]) -> str:
    """The tokenizer with only those tokens that these texts are cut into, those merged on the way, bytes and marks."""
    whole = tokenizers.Tokenizer.from_str(tokenizer_json)
    description = json.loads(tokenizer_json)
    model = description["model"]
    kept = {token for encoding in whole.encode_batch(list(texts)) for token in encoding.tokens}
    kept.update(token for token in model["vocab"] if len(token) == 1)
    # A merge stands behind those that make its parts.
    for left, right in reversed(merges := [tuple(one.split(" ") if isinstance(one, str) else one) for one in model["merges"]]):
        if left + right in kept:
            kept.update((left, right))
    by_number = sorted((number, token) for token, number in model["vocab"].items() if token in kept)
    model["vocab"] = {token: number for number, (_, token) in enumerate(by_number)}
    model["merges"] = [list(one) for one in merges if all(part in kept for part in (*one, "".join(one)))]
    for number, mark in enumerate(description["added_tokens"], start=len(by_number)):
        mark["id"] = number
    return json.dumps(description)


def make_tokenizer(chat_template: str, texts: Iterable[str]) -> transformers.PreTrainedTokenizerFast:
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(cut_down(whole_tokenizer_json(), (*AROUND_TEXTS, *texts))),
        eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = chat_template
    return tokenizer


def model_config(tokenizer) -> transformers.Qwen3Config:
    return transformers.Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=8192, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=True)


def make_model(tokenizer) -> transformers.Qwen3ForCausalLM:
    transformers.set_seed(1)
    return transformers.Qwen3ForCausalLM(model_config(tokenizer))


def save(folder: pathlib.Path, tokenizer) -> pathlib.Path:
    """Model and tokenizer as a folder that trainers load by its path."""
    make_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
