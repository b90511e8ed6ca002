"""The C++ tokenizer against the Python package it must agree with, through build/testing/tokens_cat.

Needs `pip install tokenizers==0.23.3`; other versions may carry other Unicode tables (tools/make_unicode_tables.py).
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import token_texts  # noqa: E402

tokenizers = pytest.importorskip("tokenizers", reason="the reference package tokenizers is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[2]
QWEN3 = ROOT / "data" / "qwen3_tokenizer.json.gz"
CORPUS = ROOT.parent / "shared" / "data" / "leir_corpus.jsonl"


def program():
    path = pathlib.Path(os.environ.get("STEPTP_TOKENS_CAT", ROOT / "build" / "testing" / "tokens_cat"))
    if not path.exists():
        pytest.skip(f"{path} is not built (set STEPTP_TOKENS_CAT)")
    return path


def cat(file, values, *flags):
    text = "".join(json.dumps(value) + "\n" for value in values)
    done = subprocess.run([program(), file, *flags], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(answers) == len(values)
    return answers


@pytest.fixture(scope="module")
def reference():
    return tokenizers.Tokenizer.from_str(gzip.open(QWEN3, "rt", encoding="utf-8").read())


def agree(file, reference, texts):
    wanted = [e.ids for e in reference.encode_batch(texts, add_special_tokens=False)]
    for text, found, ids in zip(texts, cat(file, texts), wanted):
        assert found == ids, f"text {text!r}: {[hex(ord(c)) for c in text[:80]]}"


def test_corners(reference):
    agree(QWEN3, reference, token_texts.CORNERS + token_texts.LEIR)


def test_pairs_of_corners(reference):
    short = [t for t in token_texts.CORNERS if len(t) < 12]
    agree(QWEN3, reference, [a + b for a in short for b in short])


def test_corpus(reference):
    if not CORPUS.exists():
        pytest.skip(f"the corpus is not at {CORPUS}")
    programs = [json.loads(line)["leir"] for line in CORPUS.open(encoding="utf-8")]
    agree(QWEN3, reference, programs)
    agree(QWEN3, reference, ["\n".join(programs)])


def test_leir_like(reference):
    agree(QWEN3, reference, token_texts.leir_like(1, 2000))


def test_random_unicode(reference):
    agree(QWEN3, reference, token_texts.random_unicode(20260101, 20000))


def test_added_tokens_mixed(reference):
    agree(QWEN3, reference, token_texts.added_tokens_mixed(7, 5000))


def test_every_code_point(reference):
    # In the places where the pattern and the normaliser look at a character: after an apostrophe, between letters,
    # beside blanks and marks. Lines, so that one text holds many.
    # Planes 4 to 13 are unassigned and the private planes are all alike: there, and without STEPTP_SOAK above the first
    # 12 blocks of scripts, every 16th does.
    whole = "STEPTP_SOAK" in os.environ
    points = [chr(c) for c in range(0x110000)
              if not 0xD800 <= c < 0xE000 and (whole or c < 0x3100 or c % 16 == 7)]
    shapes = ["'{}e", "'l{}", "a{}b", " {} ", "1{}\u0334"]
    texts = []
    for begin in range(0, len(points), 512):
        texts += ["\n".join(shape.format(c) for c in points[begin:begin + 512]) for shape in shapes]
    agree(QWEN3, reference, texts)


def test_decode(reference):
    texts = token_texts.CORNERS + token_texts.random_unicode(5, 2000)
    ids = [e.ids for e in reference.encode_batch(texts)]
    ids += [[i] for i in range(0, 151700)]  # most bytes above 0x7f alone are half a code point
    ids += [list(reversed(i)) for i in ids[:1000]]
    wanted = reference.decode_batch(ids, skip_special_tokens=False)
    assert cat(QWEN3, ids, "--decode") == wanted


def small_tokenizer(**changes):
    """A file small enough to write here, with every flag of added tokens in use."""
    file = json.load(gzip.open(QWEN3))
    vocab = {t: i for t, i in file["model"]["vocab"].items() if i < 3000}
    merges = [m for m in file["model"]["merges"] if m[0] + m[1] in vocab and m[0] in vocab and m[1] in vocab]
    file["model"].update(vocab=vocab, merges=merges)
    file["model"].update(changes)
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    added = [("<w>", {"single_word": True}), ("<l>", {"lstrip": True}), ("<r>", {"rstrip": True}),
             ("<lr>", {"lstrip": True, "rstrip": True}), ("<n>", {"normalized": True}), ("\u00e9\u00e9", {"normalized": True}),
             ("o\u0308o\u0308", {"normalized": True}), ("u\u0308u\u0308", {}), ("the", {"single_word": True, "normalized": True}),
             ("<l>x", {"special": True}), ("\n ", {"rstrip": True}), ("hello world", {"normalized": True, "lstrip": True})]
    file["added_tokens"] = []
    new = len(vocab)
    for content, given in added:
        id_ = vocab.get(content)
        if id_ is None:
            id_, new = new, new + 1
        file["added_tokens"].append({"id": id_, "content": content, **flags, **given})
    return file


def mixtures(count):
    import random
    rng = random.Random(11)
    pieces = ["<w>", "<l>", "<r>", "<lr>", "<n>", "\u00e9", "e\u0301", "o\u0308", "\u00f6", "u\u0308", "\u00fc", "the", "<l>x", "\n ",
              " ", "  ", "\n", "\t", "\u3000", "a", "_", "1", "\u0301", "\u24b6", "\u200d", "hello world", "hello", "-", "\U0001f600"]
    return ["".join(rng.choices(pieces, k=rng.randrange(1, 14))) for _ in range(count)]


@pytest.mark.parametrize("changes", [{}, {"ignore_merges": True}, {"drop": True}, {"drop": True, "unk_token": "!"},
                                     {"drop": True, "unk_token": "!", "fuse_unk": True}, {"spaced": True},
                                     {"three_digits": True}])
def test_flags_and_options(tmp_path, changes):
    changes = dict(changes)
    drop, spaced = changes.pop("drop", False), changes.pop("spaced", False)
    three_digits = changes.pop("three_digits", False)
    file = small_tokenizer(**changes)
    model = file["model"]
    if three_digits:
        pattern = file["pre_tokenizer"]["pretokenizers"][0]["pattern"]
        pattern["Regex"] = pattern["Regex"].replace(r"|\p{N}|", r"|\p{N}{1,3}|")
        assert "{1,3}" in pattern["Regex"]
    if drop:  # bytes without a token
        gone = set("aeo\u00cc\u0124")
        model["merges"] = [m for m in model["merges"] if not gone & set(m[0] + m[1])]
        kept = [t for t in model["vocab"] if not gone & set(t)]
        model["vocab"] = {t: i for i, t in enumerate(kept)}
        file["added_tokens"] = []
    if changes.get("ignore_merges"):
        model["merges"] = model["merges"][::-1]
    if spaced:
        model["merges"] = [" ".join(m) for m in model["merges"]]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    agree(path, tokenizers.Tokenizer.from_file(str(path)), mixtures(3000) + token_texts.CORNERS + token_texts.LEIR +
          token_texts.leir_like(9, 100) + token_texts.random_unicode(9, 1000))
