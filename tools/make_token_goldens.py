#!/usr/bin/env python3
"""Writes testing/golden/tokens_qwen3.jsonl: texts and the ids that the Python package gives them.

    pip install tokenizers==0.23.3
    python tools/make_token_goldens.py
"""

import gzip
import json
import pathlib
import sys

import tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python" / "tests"))
import token_texts  # noqa: E402


def main():
    reference = tokenizers.Tokenizer.from_str(
        gzip.open(ROOT / "data" / "qwen3_tokenizer.json.gz", "rt", encoding="utf-8").read())
    texts = (token_texts.CORNERS + token_texts.LEIR + token_texts.leir_like(2, 40) +
             token_texts.added_tokens_mixed(3, 80) + token_texts.random_unicode(4, 200))
    with open(ROOT / "testing" / "golden" / "tokens_qwen3.jsonl", "w", encoding="ascii") as out:
        for text in texts:
            ids = reference.encode(text, add_special_tokens=False).ids
            decoded = reference.decode(ids, skip_special_tokens=False)
            row = {"text": text, "ids": ids}
            if decoded != text:  # NFC is not undone
                row["decoded"] = decoded
            out.write(json.dumps(row, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
