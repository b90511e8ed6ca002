#!/usr/bin/env python3
"""Prints the coefficients of steptp/llvm/vector_math.cpp, highest first: Chebyshev interpolations, rounded to doubles.

Usage: make_math_polynomials.py      (needs mpmath)
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath
from mpmath import mpf

mpmath.mp.dps = 60


def interpolation(function: Callable[[mpf], mpf], low: mpf, high: mpf, degree: int) -> list[mpf]:
    """Coefficients in powers of x, lowest first, of the polynomial through the Chebyshev nodes."""
    nodes = [mpmath.cos(mpmath.pi * (2 * i + 1) / (2 * degree + 2)) for i in range(degree + 1)]
    nodes = [(low + high) / 2 + (high - low) / 2 * node for node in nodes]
    matrix = mpmath.matrix([[node**power for power in range(degree + 1)] for node in nodes])
    return list(mpmath.lu_solve(matrix, mpmath.matrix([function(node) for node in nodes])))


def show(name: str, coefficients: list[mpf]) -> None:
    print(f"constexpr double {name}[] = {{")
    print(",\n".join(f"    {float(value).hex()}" for value in reversed(coefficients)) + "};")


def series(term: Callable[[int], mpf]) -> Callable[[mpf], mpf]:
    return lambda x: mpmath.nsum(lambda n: term(int(n)) * x ** int(n), [0, 120], method="direct")


def main() -> None:
    half_log2 = mpmath.log(2) / 2 * mpf("1.0001")
    # exp(r) = 1 + r + r^2 Q(r)
    show("kExponential", interpolation(series(lambda n: 1 / mpmath.factorial(n + 2)), -half_log2, half_log2, 9))
    # log((1 + s) / (1 - s)) = 2 s + 2 s w L(w), w = s^2, for quotients between 1 / sqrt(2) and sqrt(2)
    widest = ((mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    show("kLogarithm", interpolation(series(lambda n: mpf(1) / (2 * n + 3)), mpf(0), widest, 7))
    # erf(x) = x P(x^2 / 8 - 1) for x^2 up to 16
    def error_function(u: mpf) -> mpf:
        root = mpmath.sqrt(8 * (u + 1))
        return mpmath.erf(root) / root

    show("kErrorFunction", interpolation(error_function, mpf(-1), mpf(1), 27))


if __name__ == "__main__":
    main()
