#!/usr/bin/env python3
"""`steptp evaluate` against a server of ours (chat_server.py) that answers right, wrong, slowly, in pieces, or dies.

Usage: evaluate_server_test.py STEPTP
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from chat_server import NONSENSE, ChatServer  # noqa: E402

STEPTP = sys.argv.pop(1) if len(sys.argv) > 1 else "build/steptp"


def program(number: int) -> dict:
    """One of many small programs, each with a name and a shape of its own."""
    extent = 8 + 4 * number
    signature = [
        {"name": "A", "role": "input", "dtype": "float32", "shape": [extent]},
        {"name": "D", "role": "output", "dtype": "float32", "shape": [extent]},
    ]
    leir = f"L^{{{extent}}}_{{a=0}}[D^{{f32,g}}_{{a}}=A^{{f32,g}}_{{a}}*2+1;];"
    return {"program": f"Line{number}", "signature": signature, "leir": leir}


class Evaluation(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log.jsonl"
        self.write_prompts(4)

    def enterContext(self, context: contextlib.AbstractContextManager) -> object:
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def write_prompts(self, number: int) -> None:
        self.prompts = self.folder / "prompts.jsonl"
        self.prompts.write_text("".join(json.dumps(program(i)) + "\n" for i in range(number)))

    def command(self, url: str, model: str, *more: str) -> list[str]:
        options = {"--prompts": str(self.prompts), "--endpoint": url, "--model": model, "--log": str(self.log),
                   "--device": "none", "--retry-wait": "0.02", "--retries": "2", "--timeout": "10"}
        flags = [word for word in more if word == "--stream"]
        values = [word for word in more if word != "--stream"]
        options.update(zip(values[::2], values[1::2]))
        return [STEPTP, "evaluate", "--json", *flags, *(word for pair in options.items() for word in pair)]

    def ask(self, url: str, model: str, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(url, model, *more), capture_output=True, text=True, timeout=60)

    def summary(self, done: subprocess.CompletedProcess[str], status: int = 0) -> dict:
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])["summary"]

    def server(self, **options: int) -> ChatServer:
        return self.enterContext(ChatServer(STEPTP, **options))

    def failures(self, summary: dict) -> dict:
        return {(one["outcome"], one["reason_id"]): one["count"] for one in summary["failures"]}

    def rows(self) -> list[dict]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def test_right_answers_are_equal_in_every_way_of_answering(self) -> None:
        server = self.server()
        for model, more in [("right", []), ("right", ["--stream"]), ("slow", []), ("fragments", ["--stream"]),
                            ("busy", []), ("dies-once", []), ("dies-once", ["--stream"])]:
            with self.subTest(model=model, more=more):
                self.log.unlink(missing_ok=True)
                server.asked.clear()
                summary = self.summary(self.ask(server.url, model, *more))
                self.assertEqual(summary["all"]["equal"], [4, 4, 4])
                self.assertEqual(summary["successes"], 4)
                self.assertEqual(summary["unanswered"], [])
                self.assertEqual(summary["deviations"], {})
                tries = {"busy": 3, "dies-once": 2}.get(model, 1)
                self.assertEqual(len(server.asked), 4 * tries)

    def test_built_and_run_here(self) -> None:
        server = self.server()
        done = self.ask(server.url, "right", "--device", "cpu", "--cache", str(self.folder / "cache"))
        if "no-engine" in done.stderr or "engine" in done.stderr:
            self.skipTest("there is no LLVM engine")
        summary = self.summary(done)
        self.assertEqual(summary["built_with"], "LLVM, run on this CPU")
        self.assertEqual(summary["all"]["execute"], [4, 4, 4])

    def test_attempts_have_seeds_and_pass_at_k(self) -> None:
        server = self.server()
        summary = self.summary(self.ask(server.url, "right", "--attempts", "3", "--temperature", "0.7"))
        self.assertEqual(summary["attempts"], 12)
        self.assertEqual([one["k"] for one in summary["pass_at"]], [1, 2, 3])
        self.assertEqual(sorted({one["seed"] for one in server.asked}), [1, 2, 3])

    def test_nonsense_is_counted_by_its_reason(self) -> None:
        self.write_prompts(len(NONSENSE))
        server = self.server()
        summary = self.summary(self.ask(server.url, "nonsense", "--concurrency", "1"))
        self.assertEqual(summary["all"]["equal"], [0, 0, 0])
        failures = self.failures(summary)
        self.assertEqual(sum(failures.values()), len(NONSENSE))
        for wanted in [("unreadable", "empty"), ("unreadable", "no-answer"), ("unreadable", "endless-thought"),
                       ("unreadable", "not-json"), ("unreadable", "no-program"), ("unreadable", "syntax")]:
            self.assertIn(wanted, failures)

    def test_the_same_program_is_no_answer(self) -> None:
        summary = self.summary(self.ask(self.server().url, "same"))
        self.assertEqual((summary["all"]["different_text"], summary["all"]["different"]), (0, 0))
        self.assertEqual(self.failures(summary), {("same", "same"): 4})

    def test_no_content_is_an_empty_answer(self) -> None:
        self.assertEqual(self.failures(self.summary(self.ask(self.server().url, "null"))), {("unreadable", "empty"): 4})

    def test_no_answer_does_not_count_and_is_asked_again(self) -> None:
        server = self.server()
        for model, kind in [("dies", "broken"), ("page", "broken"), ("too-long-a-question", "rejected"),
                            ("huge", "too-long"), ("hangs", "timed-out")]:
            with self.subTest(model=model):
                self.log.unlink(missing_ok=True)
                self.write_prompts(2)
                done = self.ask(server.url, model, *(["--timeout", "0.5", "--retries", "1"] if model == "hangs" else []))
                summary = self.summary(done, status=4)
                self.assertEqual((summary["attempts"], len(summary["unanswered"])), (0, 2))
                self.assertIn(kind, summary["unanswered"][0]["reason"])
                self.assertEqual([row["failure"] for row in self.rows()[1:]], [kind, kind])

    def test_a_dead_server(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        done = self.ask(url, "right")
        self.assertEqual(done.returncode, 4)
        self.assertIn("error: http://127.0.0.1", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_server_that_dies_is_gone_on_from_where_it_was(self) -> None:
        # Twelve in a row without an answer are enough; a late answer to an early question begins the row anew, once.
        self.write_prompts(40)
        with ChatServer(STEPTP, stop_after=12) as server:
            done = self.ask(server.url, "right", "--concurrency", "2", "--retries", "0")
            self.assertEqual(done.returncode, 4)
            self.assertIn("goes on from there", done.stderr)
        answered = [row["id"] for row in self.rows()[1:] if "content" in row]
        self.assertEqual(len(answered), 12)
        server = self.server()
        summary = self.summary(self.ask(server.url, "right"))
        self.assertEqual(len(server.asked), 28)
        self.assertEqual(summary["all"]["equal"], [40, 40, 40])
        # Once more: nothing is asked, and the answer is the same.
        again = self.ask(server.url, "right")
        self.assertEqual(len(server.asked), 28)
        self.assertEqual(self.summary(again), summary)

    def test_killed_at_any_moment_it_goes_on(self) -> None:
        self.write_prompts(12)
        server = self.server()
        for number in range(4):
            process = subprocess.Popen(self.command(server.url, "right", "--concurrency", "2"), stdout=subprocess.DEVNULL)
            time.sleep(0.1 + 0.11 * number)
            process.send_signal(signal.SIGKILL)
            process.wait()
            if self.log.exists() and number % 2 == 0:
                with open(self.log, "a") as log:
                    log.write('{"id":"Line11","attem')  # half a line, as a full disk leaves it
        summary = self.summary(self.ask(server.url, "right"))
        self.assertEqual(summary["all"]["equal"], [12, 12, 12])
        answered = [row["id"] for row in self.rows()[1:]]
        self.assertEqual(sorted(answered), sorted(f"Line{i}" for i in range(12)))

    def test_a_log_is_a_file_of_answers(self) -> None:
        live = self.ask(self.server().url, "right")
        words = [STEPTP, "evaluate", "--prompts", self.prompts, "--answers", self.log, "--json", "--device", "none"]
        filed = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(filed.stdout, live.stdout)

    def test_a_log_of_other_questions_is_left_alone(self) -> None:
        server = self.server()
        self.summary(self.ask(server.url, "right"))
        before = self.log.read_bytes()
        for done in [self.ask(server.url, "slow"), self.ask(server.url, "right", "--limit", "3")]:
            self.assertEqual(done.returncode, 2)
            self.assertIn("the log of another evaluation", done.stderr)
        self.log.write_text("my diary\n")
        done = self.ask(server.url, "right")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.log.read_text(), "my diary\n")
        self.log.write_bytes(before)

    def test_wrong_model_key_and_address_are_bad_input(self) -> None:
        server = self.server()
        for done in [self.ask(server.url, "no-such-model"), self.ask(server.url + "x", "right"),
                     self.ask(server.url, "guarded"), self.ask("ftp://127.0.0.1/", "right"),
                     self.ask(server.url, "guarded", "--api-key-env", "STEPTP_NO_SUCH_KEY")]:
            self.assertEqual(done.returncode, 2, done.stderr)
            self.log.unlink(missing_ok=True)
        os.environ["STEPTP_TEST_KEY"] = "sesame"
        summary = self.summary(self.ask(server.url, "guarded", "--api-key-env", "STEPTP_TEST_KEY"))
        self.assertEqual(summary["successes"], 4)
        self.assertNotIn("sesame", self.log.read_text())

    def test_a_log_that_cannot_be_written(self) -> None:
        self.log = self.folder / "no such folder" / "log.jsonl"
        self.assertEqual(self.ask(self.server().url, "right").returncode, 4)
        self.log = Path("/dev/null")
        self.assertEqual(self.ask(self.server().url, "right").returncode, 2)

    def test_without_the_library_that_speaks_http(self) -> None:
        done = subprocess.run(self.command(self.server().url, "right"), capture_output=True, text=True, timeout=60,
                              env={**os.environ, "STEPTP_LIBCURL": "/no/such/library.so"})
        self.assertEqual(done.returncode, 4)
        self.assertIn("libcurl", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
