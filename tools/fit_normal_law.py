#!/usr/bin/env python3
"""Fits the polynomial of kernels/gelu-inl.h.

The upper tail of the normal distribution is exp(-x²/2) t p(t) / 2 with t = 1 / (1 + |x| / √8)
(the form of Abramowitz and Stegun 7.1.26). p, of the given degree, is fitted over 0 <= |x| <= 10√2
by weighted least squares that approach the smallest largest relative error. Needs numpy and mpmath.
"""
import argparse

import mpmath
import numpy


def fit(degree: int, points: int = 400, rounds: int = 60) -> tuple[numpy.ndarray, float]:
    least_t = 1 / (1 + 10 / 2)  # at |x| = 10√2
    nodes = numpy.cos(numpy.pi * (numpy.arange(points) + 0.5) / points)
    t = (nodes + 1) / 2 * (1 - least_t) + least_t
    target = []
    for value in t:
        z = (1 / mpmath.mpf(value) - 1) * 2  # |x| / √2
        target.append(float(mpmath.erfc(z) * mpmath.exp(z * z) / mpmath.mpf(value)))
    target = numpy.array(target)
    powers = numpy.vander(t, degree + 1, increasing=True)
    weight = 1 / target
    for _ in range(rounds):
        p = numpy.linalg.lstsq(powers * weight[:, None], target * weight, rcond=None)[0]
        error = numpy.abs((powers @ p - target) / target)
        weight *= (error / error.max() + 0.02) ** 0.5
        weight *= numpy.mean(1 / target) / weight.mean()
    return p, float(error.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--degree", type=int, default=8)
    p, error = fit(parser.parse_args().degree)
    print("coefficients of t^0, t^1, ...:", ", ".join(f"{numpy.float32(c)!r}" for c in p))
    print(f"largest relative error: {error:.2e}")


if __name__ == "__main__":
    main()
