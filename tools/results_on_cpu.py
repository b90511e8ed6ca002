"""The tables of what is measured on CPUs in bench/RESULTS.md, out of bench/results/cpu.jsonl and candidates.jsonl."""

from __future__ import annotations

from result_tables import Row, figure, markdown, origins, plain_geomean

GOAL = 0.6  # of the geometric mean over all of them


def ratio_of(row: Row) -> float:
    """Eager PyTorch, by one thread or all, whichever is faster, over ours by all."""
    return min(row["eager_one_us"], row["eager_all_us"]) / row["ours_all_us"]


def one_of(row: Row) -> float:
    return row["eager_one_us"] / row["ours_one_us"]


def show_cpu(rows: list[Row]) -> list[str]:
    tasks = max(row["other_tasks"] for row in rows)
    load = f"; up to {figure(tasks)} tasks of others ran meanwhile" if tasks >= 0.5 else ""
    out = ["### CPU workloads, without measuring", "",
           f"The workloads of `data/cpu_workloads.txt`, planned for `plain-cpu` by `steptp optimize` and timed beside eager "
           f"PyTorch ({origins(rows)}; `bench/time_cpu_workloads.py`{load}). Microseconds, cold caches, the least of runs by "
           f"turns. The ratio is eager by one thread or all, whichever is faster, over ours by all threads; the last column "
           f"compares one thread with one thread.", ""]
    summary = []
    kinds = list(dict.fromkeys(row["kind"] for row in sorted(rows, key=lambda row: row["workload"])))
    for name in [*kinds, "all"]:
        own = [row for row in rows if name in (row["kind"], "all")]
        ratios = [ratio_of(row) for row in own]
        summary.append([name, str(len(own)), f"{plain_geomean(ratios):.2f}", f"{min(ratios):.2f}",
                        f"{sum(ratio >= 1 for ratio in ratios)}", f"{plain_geomean([one_of(row) for row in own]):.2f}",
                        f"{GOAL:g}" if name == "all" else ""])
    out += [markdown(["kind", "workloads", "geometric mean", "least", "at least 1", "one thread", "wanted"], summary), ""]
    lines = [[str(row["workload"]), row["type"], figure(row["eager_one_us"]), figure(row["eager_all_us"]),
              figure(row["ours_one_us"]), figure(row["ours_all_us"]), figure(row["expected_us"]), f"{ratio_of(row):.2f}",
              f"{one_of(row):.2f}", f"`{row['plan']}`",
              row["verdict"] + {"yes": "", "no": ", not safe"}.get(row["safe"], ", safe not known")] for row in rows]
    return [*out, markdown(["workload", "type", "eager, 1 thread", "eager, all", "ours, 1 thread", "ours, all", "expected",
                            "ratio", "one thread", "plan", "verdict"], lines)]


def show_candidates(rows: list[Row]) -> list[str]:
    out = ["### What one candidate of a search takes", "",
           f"Milliseconds of wall clock for one of many candidates of one root, the median of them, measured by "
           f"`bench/candidate_cost.py` in one run ({origins(rows)}). *Runs* are all runs of a candidate within 0.05 s, with "
           f"cold caches, poisoned outputs and comparisons. *Beyond* is everything but compiling and running: evaluating "
           f"what its elements have to be, the data in place, the last comparison, messages. With a root these are "
           f"evaluated once, which is not counted. On a CPU other work takes part of this: so many tasks of others ran or "
           f"waited for a core meanwhile.", ""]
    ways = ("each evaluated itself", "compared with their root")
    lines = []
    for device, program in sorted({(row["device"], row["program"]) for row in rows}):
        own, rooted = ([row for row in rows if (row["device"], row["program"], row["way"]) == (device, program, way)]
                       for way in ways)
        tasks = " and ".join(f"{side[0]['other_tasks']:.1f}" for side in (own, rooted) if side)
        lines.append([program, device, str((own + rooted)[0]["candidates"]), tasks, figure((own + rooted)[0]["run_ms"]),
                      *(figure(side[0]["beyond_ms"]) if side else "" for side in (own, rooted))])
    out.append(markdown(["root", "device", "candidates", "tasks of others", "runs, ms", f"beyond, {ways[0]}, ms", f"beyond, {ways[1]}, ms"], lines))
    return out
