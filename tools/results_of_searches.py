"""The tables of searches in bench/RESULTS.md, out of bench/results/searched.jsonl."""

from __future__ import annotations

import statistics

from result_tables import GROUPS, Row, best, figure, geomean, markdown, origins, plain_geomean


def show_searched(rows: list[Row], pytorch: list[Row]) -> list[str]:
    baseline = {(row["device"], row["workload"]): row for row in pytorch}
    out = ["### What searches make of published workloads", "",
           f"`steptp search --device cuda` ({origins(rows)}; `bench/search_workloads.py`): so many samples, the program as it "
           f"came and failures included; winners were judged against it once more and timed in processes of their own, as "
           f"CUDA graphs with cold caches. Ratios are the time of the best of PyTorch's four columns over ours, clipped to "
           f"[1/8, 4] in means; a search that found nothing counts with the vanilla time.", ""]
    for settings in sorted({(row["algorithm"], row["proposer"], row["budget"]) for row in rows}):
        own = [row for row in rows if (row["algorithm"], row["proposer"], row["budget"]) == settings]
        pairs = [(row, baseline[row["device"], row["workload"]]) for row in own if (row["device"], row["workload"]) in baseline]
        out += [f"{settings[0]} with {settings[1]}, {settings[2]} samples:", ""]
        summary = []
        for name, belongs in {**GROUPS, "all": lambda row: True}.items():
            both = [(ours, theirs) for ours, theirs in pairs if belongs(theirs) and not theirs["degenerate"]]
            if not both:
                continue
            ratios = [best(theirs) / ours["median_us"] for ours, theirs in both]
            vanilla = plain_geomean([theirs["vanilla_us"] / ours["median_us"] for ours, theirs in both])
            summary.append([name, str(len(both)), f"{geomean(ratios):.2f}", f"{statistics.median(ratios):.2f}",
                            f"{min(ratios):.2f}", f"{max(ratios):.2f}", f"{sum(ratio >= 1 for ratio in ratios)}",
                            f"{vanilla:,.0f}"])
        out += [markdown(["class", "searches", "geometric mean", "median", "least", "most", "at least 1", "over vanilla"],
                         summary), ""]
        lines = [[str(ours["workload"]), ours["type"], ours["dtype"], figure(ours["median_us"]), figure(best(theirs)),
                  f"{best(theirs) / ours['median_us']:.2f}", f"{ours['floor_us'] / ours['median_us']:.2f}",
                  f"{ours['samples_to_best']} of {ours['samples']}", str(ours["failures"]), " ".join(ours["moves"]),
                  ours["verdict"] + {"yes": "", "no": ", not safe"}.get(ours["safe"], ", safe not known")]
                 for ours, theirs in pairs]
        out += [markdown(["workload", "type", "dtype", "ours, us", "best, us", "best / ours", "floor / ours", "found at sample",
                          "failures", "moves", "verdict"], lines), ""]
    return out[:-1]
