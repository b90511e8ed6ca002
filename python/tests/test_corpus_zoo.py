"""Published programs and the zoo's programs of the same arguments: the same signatures, judged equal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import steptp

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "leir_corpus.jsonl"
pytestmark = [
    pytest.mark.skipif(not CORPUS.is_file(), reason="the corpus of published programs is not there"),
    pytest.mark.filterwarnings("ignore::steptp.DiagnosticWarning"),
]

#: Wrong, with a counterexample or without a meaning: docs/frontend.md says why.
WRONG = {
    "Argmax_over_a_dimension": "differs",
    "Argmin_over_a_dimension": "differs",
    "CosineSimilarityLoss": "differs",
    "TripletMarginLoss": "differs",
    "Mamba2ReturnY": "invalid",
}
#: Decided, but not quickly.
SLOW = {
    "Conv2d_AvgPool_Sigmoid_Sum",
    "CosineSimilarityLoss",
    "GQA_Gemm_Tanh",
    "GQA_Gemm_Tanh_sum",
    "Gemm_GroupNorm_Min_BiasAdd",
    "MHA_Gemm_Tanh",
    "MHA_Gemm_Tanh_max",
    "MQA_Gemm_Tanh",
    "MQA_Gemm_Tanh_mean",
    "Matmul_AvgPool_GELU_Scale_Max",
    "Matrix_vector_multiplication",
}


# Equal at everything that is drawn, and not shown for all elements (docs/status.md).
NOT_SHOWN = {
    "Average_Pooling_1D",
    "Average_Pooling_2D",
    "Average_Pooling_3D",
    "Conv2d_Subtract_Tanh_Subtract_AvgPool",
}


def corpus() -> list[dict]:
    return [json.loads(line) for line in CORPUS.read_text().splitlines()] if CORPUS.is_file() else []


def shown(record: dict) -> steptp.ZooProgram:
    return steptp.zoo_show(record["program"])


@pytest.mark.parametrize("record", corpus(), ids=lambda record: record["program"])
def test_signature(record: dict) -> None:
    ours = shown(record).program.signature
    assert [(v.name, v.role, v.dtype, list(v.shape)) for v in ours] == [
        (v["name"], v["role"], v["dtype"], v["shape"]) for v in record["signature"]
    ]


@pytest.mark.parametrize("record", corpus(), ids=lambda record: record["program"])
def test_judged_equal(record: dict) -> None:
    name = record["program"]
    if name in SLOW and "STEPTP_SOAK" not in os.environ:
        pytest.skip("slow; STEPTP_SOAK=1 runs it")
    # The values of constants are no part of what is published.
    signature = [{key: v[key] for key in ("name", "role", "dtype", "shape")} for v in record["signature"]]
    for entry, variable in zip(signature, shown(record).program.signature):
        if variable.domain:
            entry["domain"] = variable.domain
    ours = shown(record).program.to_text(header=False)
    judgement = steptp.verify(ours, record["leir"], signature=signature)
    if name in WRONG:
        assert judgement.verdict == WRONG[name], judgement
    elif name in NOT_SHOWN:
        assert judgement.verdict in ("proved", "exact", "numeric"), judgement
    else:
        assert judgement.verdict in ("proved", "exact"), judgement
