"""The exported grammars in a real engine (xgrammar) with a real vocabulary (Qwen3).

Every text of the corpora is accepted token by token in both profiles; every text that is no program is refused, at the
token that holds the first byte no valid text has there. The reader is the judge of texts made by mutation.
Needs the test programs grammar_cat and profile_cat from the build folder (STEPTP_BUILD, else build/).
"""

import gzip
import json
import os
import pathlib
import random
import re
import string
import subprocess
import time

import pytest

pytest.importorskip("tvm_ffi", reason="needs python/requirements-test.txt")
pytest.importorskip("tokenizers", reason="needs python/requirements-test.txt")
numpy = pytest.importorskip("numpy", reason="needs python/requirements-test.txt")

from tokenizers import Tokenizer  # noqa: E402

import xgrammar_engine  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("STEPTP_BUILD", ROOT / "build"))
SHARED = pathlib.Path(os.environ.get("STEPTP_SHARED", ROOT.parent / "shared"))
PROFILES = ("paper", "compact")
TARGETS = ("program", "answer", "answers")
MARK = "¦"


def run_tool(name, *arguments, text=None):
    tool = BUILD / "testing" / name
    if not tool.exists():
        pytest.skip(f"{name} is not built (looked in {BUILD}/testing; set STEPTP_BUILD)")
    return subprocess.run([tool, *arguments], input=text, capture_output=True, text=True, check=True).stdout


def in_both_profiles(texts):
    """[paper, compact] of each text, None where the reader refuses it."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    return [json.loads(line) for line in run_tool("profile_cat", text=lines).splitlines()]


def byte_of_character():
    """The byte-level alphabet of GPT-2: printable bytes stand for themselves, the others for characters from 256."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {chr(byte): byte for byte in plain}
    others = [byte for byte in range(256) if byte not in plain]
    table.update({chr(256 + i): byte for i, byte in enumerate(others)})
    return table


class Language:
    """Tokenizer, engine and the compiled grammars."""

    def __init__(self, path):
        content = gzip.decompress(path.read_bytes()).decode()
        self.tokenizer = Tokenizer.from_str(content)
        vocabulary = self.tokenizer.get_vocab(with_added_tokens=True)
        spelled = [""] * (max(vocabulary.values()) + 1)
        for token, number in vocabulary.items():
            spelled[number] = token
        added = {entry["id"] for entry in json.loads(content)["added_tokens"]}
        table = byte_of_character()
        self.bytes_of = [
            token.encode() if number in added else bytes(table[c] for c in token)
            for number, token in enumerate(spelled)
        ]
        self.engine = xgrammar_engine.Engine(spelled, vocabulary["<|im_end|>"])
        self.compiled = {}
        self.seconds = {}
        for profile in PROFILES:
            for target in TARGETS:
                grammar = run_tool("grammar_cat", profile, target)
                begin = time.perf_counter()
                self.compiled[profile, target] = self.engine.compile(grammar)
                self.seconds[profile, target] = time.perf_counter() - begin

    def matcher(self, profile, target):
        return self.engine.matcher(self.compiled[profile, target])

    def tokens(self, text):
        tokens = self.tokenizer.encode(text, add_special_tokens=False).ids
        assert b"".join(self.bytes_of[token] for token in tokens) == text.encode()
        return tokens

    def by_bytes(self, profile, target, text):
        """How many bytes are accepted, and whether the text is then complete."""
        matcher = self.matcher(profile, target)
        data = text.encode()
        for count in range(len(data)):
            if not matcher.accept_bytes(data[count : count + 1]):
                return count, False
        return len(data), matcher.accept_stop()

    def by_tokens(self, profile, target, text):
        """The byte range of the first refused token, None where all are accepted; and whether the text is complete."""
        matcher = self.matcher(profile, target)
        end = 0
        for token in self.tokens(text):
            begin, end = end, end + len(self.bytes_of[token])
            if not matcher.accept_token(token):
                return (begin, end), False
        return None, matcher.accept_stop()

    def agrees(self, profile, target, text):
        """Bytes and tokens tell the same story; returns theirs."""
        count, complete = self.by_bytes(profile, target, text)
        refused, complete_by_tokens = self.by_tokens(profile, target, text)
        assert complete == complete_by_tokens, text
        if count < len(text.encode()):
            assert refused is not None and refused[0] <= count < refused[1], (text, count, refused)
        else:
            assert refused is None, (text, refused)
        return count, complete


@pytest.fixture(scope="module")
def language():
    for folder in (ROOT / "data", SHARED / "data"):
        if (folder / "qwen3_tokenizer.json.gz").exists():
            return Language(folder / "qwen3_tokenizer.json.gz")
    pytest.skip(f"no qwen3_tokenizer.json.gz in {ROOT}/data or {SHARED}/data")


@pytest.fixture(scope="module")
def corpus():
    texts = []
    for name in ("leir_corpus", "derivation_targets", "strategy_examples"):
        path = SHARED / "data" / f"{name}.jsonl"
        if not path.exists():
            pytest.skip(f"no corpus at {path} (set STEPTP_SHARED)")
        for line in path.read_text().splitlines():
            record = json.loads(line)
            texts += [record[key] for key in ("leir", "before", "after") if key in record]
    both = in_both_profiles(texts)
    assert None not in both
    return {profile: [pair[i] for pair in both] for i, profile in enumerate(PROFILES)}


def cases(name):
    for line in (ROOT / "testing" / name).read_text().splitlines():
        if line and not line.startswith("#"):
            profile, target, text = line.split("\t")
            yield profile, target, text.replace("\\n", "\n")


def strategies():
    grammar = run_tool("grammar_cat", "paper", "answer")
    (line,) = [line for line in grammar.splitlines() if line.startswith("strategy ::= ")]
    return [word.strip('" ') for word in line.removeprefix("strategy ::= ").split("|")]


def answer(text, strategy):
    return json.dumps({"transformed_IR": text, "applied_strategy": strategy}, separators=(",", ":"))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_program_of_the_corpora_is_accepted(language, corpus, profile):
    for text in corpus[profile]:
        assert language.by_tokens(profile, "program", text) == (None, True), text


@pytest.mark.parametrize("profile", PROFILES)
def test_every_answer_of_the_corpora_is_accepted(language, corpus, profile):
    names = strategies()
    assert len(names) == 43
    for number, text in enumerate(corpus[profile]):
        single = answer(text, names[number % 43])
        thought = f"<think>\nThe loop a has 12 iterations; a<3 & tx <= 4.\n\n{text}\n</think>\n\n"
        for before in ("", thought):
            assert language.by_tokens(profile, "answer", f"{before}<answer>{single}</answer>") == (None, True), text
        several = [json.loads(answer(text, name)) for name in names[: 1 + number % 3]]
        several = [{"idx": i + 1, **item} for i, item in enumerate(several)]
        listed = json.dumps(several, separators=(",", ":"))
        assert language.by_tokens(profile, "answers", f"<answer>{listed}</answer>") == (None, True), text


def test_accepted_by_hand(language):
    for profile, target, text in cases("grammar_accepted.txt"):
        assert language.agrees(profile, target, text) == (len(text.encode()), True), text


def test_refused_by_hand_at_the_first_bad_byte(language):
    listed = list(cases("grammar_refused.txt"))
    assert len(listed) >= 40
    for profile, target, marked in listed:
        expected = len(marked[: marked.index(MARK)].encode())
        text = marked.replace(MARK, "")
        assert language.agrees(profile, target, text) == (expected, False), marked


def mutate(text, generator):
    at = generator.randrange(len(text))
    other = generator.randrange(len(text))
    alphabet = "ABDLPTabcelxyz0123456789^_{}[](),;=+-*/%<>&|!?.# "
    same_kind = string.digits if text[at].isdigit() else string.ascii_letters if text[at].isalpha() else "+-*/%"
    return generator.choice(
        [
            lambda: text[:at] + text[at + 1 :],
            lambda: text[:at] + generator.choice(alphabet) + text[at + 1 :],
            lambda: text[:at] + generator.choice(alphabet) + text[at:],
            lambda: text[:at] + text[other] + text[at + 1 :],
            lambda: text[:at] + generator.choice(same_kind) + text[at + 1 :],
            lambda: text[: at + 1] + text[at:],
            lambda: text[:at],
        ]
    )()


@pytest.mark.parametrize("profile", PROFILES)
def test_the_reader_and_the_grammar_agree_on_mutants(language, corpus, profile):
    """Canonical text is accepted; what is accepted is read (but for the dtype of a compact tensor that indexes, and
    numbers beyond 64 bits, which no grammar sees); what is refused is refused at the same byte by bytes and tokens."""
    generator = random.Random(20)
    short = [text for text in corpus[profile] if len(text) < 400]
    mutants = [mutate(generator.choice(short), generator) for _ in range(1500)]
    read = in_both_profiles(mutants)
    counts = {"canonical": 0, "read": 0, "refused": 0}
    for text, pair in zip(mutants, read, strict=True):
        if not text:
            continue
        _, complete = language.agrees(profile, "program", text)
        canonical = pair is not None and pair[PROFILES.index(profile)] == text
        if canonical:
            assert complete, text
        if complete and pair is None:
            assert profile == "compact" or re.search("[0-9]{19}", text), text
        counts["canonical" if canonical else "read" if complete else "refused"] += 1
    assert min(counts["canonical"], counts["refused"]) > 100, counts


@pytest.mark.parametrize("profile", PROFILES)
def test_masks_hold_the_next_token(language, corpus, profile, record_property):
    """The mask of every step admits the token that comes. How long masks take is printed, not judged."""
    mask = numpy.zeros((1, language.engine.mask_words), dtype=numpy.int32)
    steps, seconds, worst = 0, 0.0, 0.0
    for text in corpus[profile][::8]:
        matcher = language.matcher(profile, "program")
        for token in [*language.tokens(text), language.engine.stop_token]:
            begin = time.perf_counter()
            matcher.fill_mask(mask)
            taken = time.perf_counter() - begin
            steps, seconds, worst = steps + 1, seconds + taken, max(worst, taken)
            assert int(mask[0, token // 32]) >> (token % 32) & 1, text
            assert matcher.accept_token(token)
    record_property("masks", f"{steps} steps, mean {seconds / steps * 1e6:.0f} us, worst {worst * 1e6:.0f} us")
    print(profile, f"{steps} masks, mean {seconds / steps * 1e6:.0f} us, worst {worst * 1e6:.0f} us")
    print("compile", {" ".join(key): f"{value * 1e3:.0f} ms" for key, value in language.seconds.items()})
