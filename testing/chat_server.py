#!/usr/bin/env python3
"""A small server that speaks OpenAI's chat protocol, for tests: it answers right, wrong, slowly, in pieces, or dies.

The name of the model says how it behaves (the methods `behave_*` below). `right` makes a step of ours on the program in
the question. It listens on 127.0.0.1 only.
Usage: chat_server.py STEPTP [PORT]     prints its address and serves until it is interrupted
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NONSENSE = [
    "",
    "I am sorry, I cannot do that.",
    "<think>let me see",
    "<answer></answer>",
    "<answer>{}</answer>",
    "<answer>[]</answer>",
    "<answer>[1, null, \"x\"]</answer>",
    '<answer>{"transformed_IR":"L^{8}_{a=0}[D","applied_strategy":"loop_split"}</answer>',
    '<answer>{"transformed_IR":"for i in range(8): pass","applied_strategy":"loop_split"}</answer>',
    '<answer>{"transformed_IR":{"a":1},"applied_strategy":["x"]}</answer>',
    '<answer>{"transformed_IR":"L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a+9};];","applied_strategy":"loop_split"}</answer>',
    '<answer>{"transformed_IR":"\x00\x1b[31m","applied_strategy":"loop_split"}</answer>',
    "<answer>" + "[" * 5000 + "</answer>",
]


class ChatServer(ThreadingHTTPServer):
    """`asked` holds every question, in order; `stop_after` is the number of questions after which it is deaf."""

    daemon_threads = True

    def __init__(self, steptp: str, port: int = 0, stop_after: int | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.steptp = steptp
        self.stop_after = stop_after
        self.asked: list[dict] = []
        self.keys: list[str] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> "ChatServer":
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in the middle is nothing to tell."""

    def right_answer(self, prompt: str, number: int) -> str:
        """A step on the program in the question, written as the question asks for it."""
        name, text = re.search(r"^Program (\S+) in (?:compact )?LEIR:\n(.*)$", prompt, re.M).groups()
        variables = re.findall(r"^- (\w+): (\w+), torch\.(\w+), shape \[(.*)\]", prompt, re.M)
        signature = [
            {"name": n, "role": r, "dtype": d, "shape": [int(extent) for extent in s.split(",") if extent]}
            for n, r, d, s in variables
        ]
        record = json.dumps({"program": name, "signature": signature, "leir": text})
        choices = self.run("choices", "-", "--json", "--sample", "1", "--seed", str(number), text=record)
        choice = json.loads(choices.splitlines()[0])
        arguments = ["--strategy", choice["strategy"], "--choice", json.dumps(choice["choice"])]
        applied = json.loads(self.run("apply", "-", "--json", *arguments, text=record))
        answer = {"transformed_IR": applied["leir"].strip().splitlines()[-1], "applied_strategy": choice["strategy"]}
        return f"<think>\nA step.\n</think>\n\n<answer>{json.dumps(answer)}</answer>"

    def run(self, *arguments: str, text: str) -> str:
        return subprocess.run([self.steptp, *arguments], input=text, capture_output=True, text=True, timeout=30).stdout


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ChatServer

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.asked.append(body)
            self.server.keys.append(self.headers.get("Authorization", ""))
            number = len(self.server.asked)
        if self.path != "/v1/chat/completions":
            self.send_error_object(404, "there is no such address")
            return
        if self.server.stop_after is not None and number > self.server.stop_after:
            self.close_connection = True
            self.connection.close()
            return
        self.body = body
        self.number = number
        self.prompt = body["messages"][-1]["content"]
        #: How often this question was asked before.
        self.before = sum(1 for one in self.server.asked[: number - 1] if one["messages"] == body["messages"])
        behave = getattr(self, "behave_" + body["model"].replace("-", "_"), None)
        if behave is None:
            self.send_error_object(404, f"the model `{body['model']}` does not exist")
            return
        behave()

    # Ways to answer.

    def send_error_object(self, status: int, message: str, **headers: str) -> None:
        self.send_bytes(json.dumps({"error": {"message": message}}).encode(), status=status, **headers)

    def send_bytes(self, content: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def reply(self, content: str | None) -> bytes:
        message = {"role": "assistant", "content": content}
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return json.dumps({"id": f"chat-{self.number}", "choices": [choice], "usage": usage}).encode()

    def events(self, content: str, piece: int) -> bytes:
        deltas = [{"content": content[at : at + piece]} for at in range(0, len(content), piece)]
        lines = [{"choices": [{"delta": delta}]} for delta in [{"role": "assistant", "content": ""}, *deltas]]
        lines.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        return b"".join(b"data: " + json.dumps(line).encode() + b"\n\n" for line in lines) + b"data: [DONE]\n\n"

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))

    def answer(self, content: str | None) -> None:
        if self.body.get("stream"):
            self.begin_stream()
            self.chunk(self.events(content or "", 7))
            self.chunk(b"")
        else:
            self.send_bytes(self.reply(content))

    # Ways to behave.

    def behave_right(self) -> None:
        self.answer(self.server.right_answer(self.prompt, self.body.get("seed", 1)))

    def behave_same(self) -> None:
        text = re.search(r"LEIR:\n(.*)$", self.prompt, re.M).group(1)
        self.answer("<answer>" + json.dumps({"transformed_IR": text, "applied_strategy": "loop_split"}) + "</answer>")

    def behave_nonsense(self) -> None:
        self.answer(NONSENSE[self.number % len(NONSENSE)])

    def behave_null(self) -> None:
        self.send_bytes(self.reply(None))

    def behave_slow(self) -> None:
        time.sleep(0.3)
        self.behave_right()

    def behave_fragments(self) -> None:
        """An event stream, one byte in each chunk."""
        self.begin_stream()
        for byte in self.events(self.server.right_answer(self.prompt, 1), 20):
            self.chunk(bytes([byte]))
            self.wfile.flush()
        self.chunk(b"")

    def behave_busy(self) -> None:
        if self.before == 0:
            self.send_error_object(429, "too many requests", Retry_After="0")
        elif self.before == 1:
            self.send_bytes(b"<html>Internal Server Error</html>", 500, "text/html")
        else:
            self.behave_right()

    def behave_dies(self) -> None:
        """Half an answer, and then nothing more, ever."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        self.wfile.write(self.reply("<answer>")[:40])
        self.close_connection = True

    def behave_dies_once(self) -> None:
        if self.before > 0:
            self.behave_right()
        elif self.body.get("stream"):
            self.begin_stream()
            self.chunk(self.events(self.server.right_answer(self.prompt, 1), 7)[:200])
            self.close_connection = True
        else:
            self.behave_dies()

    def behave_hangs(self) -> None:
        self.server.closing.wait(20)

    def behave_huge(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.close_connection = True
        for _ in range(80):
            self.wfile.write(b"x" * (1 << 20))

    def behave_page(self) -> None:
        self.send_bytes(b"<html>welcome</html>", kind="text/html")

    def behave_too_long_a_question(self) -> None:
        self.send_error_object(400, "this model's maximum context length is 5 tokens")

    def behave_guarded(self) -> None:
        if self.headers.get("Authorization") == "Bearer sesame":
            self.behave_right()
        else:
            self.send_error_object(401, "a key is needed")


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    server = ChatServer(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 0)
    print(server.url, flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
