"""A Qwen3 of two layers with random weights and the real tokenizer: enough to see that a dataset trains."""

import gzip
import json
import pathlib

import tokenizers
import transformers

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make_tokenizer(chat_template: str):
    text = gzip.decompress((ROOT / "data/qwen3_tokenizer.json.gz").read_bytes()).decode()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(text), eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.chat_template = chat_template
    return tokenizer


def make_model(tokenizer):
    transformers.set_seed(1)
    config = transformers.Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=8192, eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id, tie_word_embeddings=True)
    return transformers.Qwen3ForCausalLM(config)


def save(folder: pathlib.Path, chat_template: str) -> pathlib.Path:
    """Model and tokenizer as a folder that trainers load by its path."""
    tokenizer = make_tokenizer(chat_template)
    make_model(tokenizer).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text())
    config["tokenizer_class"] = "Qwen2Tokenizer"
    path.write_text(json.dumps(config))
    return folder
