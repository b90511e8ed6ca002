#!/usr/bin/env python3
"""Whole networks on a GPU through each door of steptp, beside eager PyTorch and (--inductor) torch.compile: right or wrong,
latency of a call and of a CUDA graph, the part of the device's time that is spent in our kernels, and peak memory. A row of
JSON for each and a table are written to OUT. TF32 is off.

Usage: time_networks.py -o OUT [--networks A,B] [--batches 1,32] [--dtypes f32,f16] [--samples N] [--inductor] [--jobs N]
Every network runs first in a process of its own, many at once, to make its kernels and to compare results; then they are
timed one after the other, with plans and kernels from the cache.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from networks import NAMES, network

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
#: Largest difference from eager relative to the largest value, for a whole network.
BOUNDS = {"f32": 2e-3, "f16": 5e-2, "bf16": 2e-1}


def prepared(name: str, batch: int, dtype: str, small: bool, device: str) -> tuple[Any, list[Any]]:
    model, inputs = network(name, batch, small=small)
    moved = [value.to(device, DTYPES[dtype]) if value.is_floating_point() else value.to(device) for value in inputs]
    return model.to(device, DTYPES[dtype]), moved


def flat(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def worst(ours: Any, theirs: Any) -> float:
    """The largest difference of a result, relative to the largest value there."""
    return max(
        float((left.double() - right.double()).abs().max()) / (1e-9 + float(right.double().abs().max()))
        for left, right in zip(flat(ours), flat(theirs), strict=True)
    )


def doors(model: Any, inputs: list[Any], options: argparse.Namespace) -> dict[str, Any]:
    import steptp

    out = {
        "steptp.optimize": lambda: steptp.optimize(model, inputs, device=options.device, samples=options.samples),
        "backend steptp": lambda: torch.compile(model, backend="steptp", options={"samples": options.samples}),
    }
    chosen = {way: make for way, make in out.items() if way.split()[0].split(".")[-1] in options.doors.split(",")}
    return chosen | ({"torch.compile": lambda: torch.compile(model)} if options.inductor and options.mode == "time" else {})


def waited(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def call_us(call: Any, inputs: list[Any], device: str, seconds: float) -> float:
    """The median of calls, each waited for."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or (time.perf_counter() < end and len(times) < 200):
        waited(device)
        begin = time.perf_counter()
        call(*inputs)
        waited(device)
        times.append(time.perf_counter() - begin)
    return 1e6 * sorted(times[2:])[len(times[2:]) // 2]


def graph_us(call: Any, inputs: list[Any]) -> float:
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        call(*inputs)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call(*inputs)
    return call_us(graph.replay, [], "cuda", 0.3)


def device_share(call: Any, inputs: list[Any]) -> dict[str, Any]:
    """Device time by kernels of ours and of others, by PyTorch's own profiler; ours are called kernel_N, fill_N."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        call(*inputs)
        torch.cuda.synchronize()
    ours: dict[str, float] = {}
    others: dict[str, float] = {}
    for event in seen.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            table = ours if is_ours(event.name) else others
            table[event.name] = table.get(event.name, 0.0) + event.device_time
    total = sum(ours.values()) + sum(others.values())
    slowest = sorted({**ours, **others}.items(), key=lambda item: -item[1])[:6]
    return {"ours_us": sum(ours.values()), "device_us": total, "slowest": [[name[:60], round(us, 1)] for name, us in slowest]}


def is_ours(name: str) -> bool:
    return name.startswith(("kernel", "fill_"))


def peak_bytes(call: Any, inputs: list[Any]) -> int:
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call(*inputs)
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def report_of(call: Any, way: str) -> dict[str, Any]:
    from steptp.torch_out import backend

    if way == "steptp.optimize":
        groups, places = call.report.groups, call.report.places
    else:
        groups = [group for report in backend.reports() for group in report.groups]
        places = [place for report in backend.reports() for place in report.eager]
    return {
        "groups": len(groups), "planned": sum(group.planned for group in groups), "kernels": sum(group.kernels for group in groups),
        "operators_ours": sum(len(group.operators) for group in groups), "operators_eager": sum(place.times for place in places),
        "verdicts": sorted({group.verdict for group in groups}), "eager": sorted({f"{place.operator}: {place.reason}"[:160] for place in places}),
        "as_it_came": sorted({str(group.reason)[:160] for group in groups if not group.planned}),
    }  # fmt: skip


def rows_of(name: str, batch: int, dtype: str, options: argparse.Namespace) -> Any:
    """A row for eager PyTorch and one for each door."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    about = {"network": name, "batch": batch, "dtype": dtype, "samples": options.samples}
    model, inputs = prepared(name, batch, dtype, options.small, options.device)
    with torch.no_grad():
        wanted = model(*inputs)
        for way, make in {"eager": lambda: model, **doors(model, inputs, options)}.items():
            row: dict[str, Any] = {**about, "way": way}
            begin = time.perf_counter()
            with told(row), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                torch._dynamo.reset()
                call = make()
                row["difference"] = worst(call(*inputs), wanted)
                row["right"] = row["difference"] <= BOUNDS[dtype]
                row["made_s"] = round(time.perf_counter() - begin, 2)
                if "steptp" in way:
                    row |= report_of(call, way)
                if options.mode == "time":
                    row |= timed(call, inputs, options.device)
                row["warnings"] = sorted({str(item.message)[:200] for item in said if "steptp" in type(item.message).__module__})
            yield row


def timed(call: Any, inputs: list[Any], device: str) -> dict[str, Any]:
    out: dict[str, Any] = {"us": call_us(call, inputs, device, 0.3)}
    if device == "cuda":
        out["peak_bytes"] = peak_bytes(call, inputs)
        out |= device_share(call, inputs)
        try:
            out["graph_us"] = graph_us(call, inputs)
        except RuntimeError as error:
            out["no_graph"] = str(error).splitlines()[0]
    return out


@contextlib.contextmanager
def told(row: dict[str, Any]) -> Any:
    try:
        yield
    except Exception:  # noqa: BLE001  the other networks are to be seen too
        row["failure"] = traceback.format_exc(limit=-6)
        row["right"] = False


def one(options: argparse.Namespace) -> int:
    """The networks that are named, with a line behind each."""
    for item in options.one.split(";"):
        name, batch, dtype = item.split("/")
        for row in rows_of(name, int(batch), dtype, options):
            print(json.dumps({"row": row}), flush=True)
        print(json.dumps({"done": item}), flush=True)
        if options.device == "cuda":
            torch.cuda.empty_cache()
    return 0


def in_a_process(items: list[str], mode: str, options: argparse.Namespace, limit: float) -> tuple[list[dict[str, Any]], int]:
    """Rows of networks in a process of their own, and how many it came through; the one that ends it has a row that says so."""
    command = [sys.executable, __file__, "--one", ";".join(items), "--mode", mode, "--samples", str(options.samples)]
    command += ["--device", options.device, "--doors", options.doors]
    command += [*(["--inductor"] if options.inductor else []), *(["--small"] if options.small else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}) as process:
        try:
            text, problems = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            text, problems = process.communicate()
            problems += f"\nmore than {limit:.0f} s"
    lines = [json.loads(line) for line in text.splitlines() if line.startswith(('{"row"', '{"done"'))]
    rows = [line["row"] for line in lines if "row" in line]
    done = sum("done" in line for line in lines)
    if process.returncode != 0 and done < len(items):
        name, batch, dtype = items[done].split("/")
        rows.append({"network": name, "batch": int(batch), "dtype": dtype, "way": "process", "right": False, "failure": problems[-2000:]})
        done += 1
    return rows, done


def table(rows: list[dict[str, Any]]) -> str:
    lines = ["| network | batch | dtype | way | right | us | of eager | CUDA graph us | ours, of device time | peak MB | groups | eager operators |"]
    lines.append("|---|---|---|---|---|---|---|---|---|---|---|---|")
    eager = {(row["network"], row["batch"], row["dtype"]): row.get("us") for row in rows if row["way"] == "eager"}
    for row in rows:
        base, us = eager.get((row["network"], row["batch"], row["dtype"])), row.get("us")
        share = f"{100 * row['ours_us'] / row['device_us']:.0f} %" if row.get("device_us") else ""
        words = [row["network"], row["batch"], row["dtype"], row["way"], "yes" if row.get("right") else "NO", f"{us:.0f}" if us else ""]
        words += [f"{base / us:.2f}x" if base and us else "", f"{row['graph_us']:.0f}" if row.get("graph_us") else "", share]
        words += [f"{row['peak_bytes'] / 2**20:.0f}" if "peak_bytes" in row else "", row.get("groups", ""), row.get("operators_eager", "")]
        lines.append(f"| {' | '.join(map(str, words))} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out")
    parser.add_argument("--networks", default=",".join(NAMES))
    parser.add_argument("--batches", default="1,32")
    parser.add_argument("--dtypes", default="f32,f16")
    parser.add_argument("--doors", default="optimize,backend")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--inductor", action="store_true")
    parser.add_argument("--small", action="store_true", help="networks of a few channels, for a test on a CPU")
    parser.add_argument("--jobs", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=100, help="for making all kernels")
    parser.add_argument("--time-seconds", type=float, default=100, help="for the times")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--mode", choices=("check", "time"), default="check", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        return one(options)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    items = [f"{name}/{batch}/{dtype}" for batch in options.batches.split(",") for dtype in options.dtypes.split(",")
             for name in options.networks.split(",")]  # fmt: skip
    rows: list[dict[str, Any]] = []
    with (out / "networks.jsonl").open("w") as stream:

        def note(found: list[dict[str, Any]], mode: str) -> None:
            for row in found:
                stream.write(json.dumps({"mode": mode, **row}) + "\n")
                failure = (row.get("failure") or "").strip()
                print(f"{mode} {row['network']}/{row['batch']}/{row['dtype']} {row['way']}: right {row.get('right')} {row.get('us', 0):.0f} us "
                      f"{row.get('made_s', 0)} s {failure}", flush=True)
            stream.flush()
            rows.extend(found if mode == "time" else [])

        end = time.monotonic() + options.seconds
        with ThreadPoolExecutor(options.jobs) as pool:
            ready = []
            for item, (found, _) in zip(items, pool.map(lambda item: in_a_process([item], "check", options, max(end - time.monotonic(), 1)), items)):
                note(found, "check")
                if all(row["way"] != "process" for row in found):
                    ready.append(item)
        # What has no kernels yet would take the time of the others.
        items = [*ready, *(item for item in items if item not in ready)]
        end = time.monotonic() + options.time_seconds
        while items and end - time.monotonic() > 5:
            found, done = in_a_process(items, "time", options, end - time.monotonic())
            items = items[done:]
            note(found, "time")
            (out / "networks.md").write_text(table(rows))
    print(table(rows), end="")
    return 0 if rows and all(row.get("right") for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
