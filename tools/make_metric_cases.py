#!/usr/bin/env python3
"""Make the metrics that tests/train/metrics_test.cc compares with, from scikit-learn and scipy.

    make_metric_cases.py [--output tests/train/metric_cases.json]

Needs numpy, scikit-learn and scipy; the tests need none of these. Random inputs, and those that
divide by zero: a class that nobody predicted or that isn't there, constants, ties, one example.
"""
import argparse
import json
import math
import pathlib
import warnings

import numpy
import scipy
import scipy.stats
import sklearn
from sklearn import metrics

AVERAGES = (("f1", metrics.f1_score), ("precision", metrics.precision_score),
            ("recall", metrics.recall_score))


def averaged(actual, predicted) -> dict[str, float]:
    return {f"{name}_{average}": score(actual, predicted, average=average, zero_division=0)
            for name, score in AVERAGES for average in ("micro", "macro")}


def classes_case(name: str, actual, predicted, classes: int) -> dict:
    expected = {"accuracy": metrics.accuracy_score(actual, predicted),
                "matthews_correlation": metrics.matthews_corrcoef(actual, predicted)}
    expected |= averaged(actual, predicted)
    if classes == 2:
        expected |= {key: score(actual, predicted, average="binary", pos_label=1, zero_division=0)
                     for key, score in AVERAGES}
    return case(name, actual, predicted, classes, False, expected)


def several_case(name: str, actual, predicted) -> dict:
    """Rows of zeros and ones, one for each label."""
    expected = {"accuracy": metrics.accuracy_score(actual, predicted)}
    expected |= averaged(actual, predicted)
    return case(name, actual.reshape(-1), predicted.reshape(-1), actual.shape[1], True, expected)


def values_case(name: str, actual, predicted) -> dict:
    expected = {"mse": metrics.mean_squared_error(actual, predicted),
                "pearson": scipy.stats.pearsonr(predicted, actual).statistic,
                "spearmanr": scipy.stats.spearmanr(predicted, actual).statistic}
    return case(name, actual, predicted, 0, False, expected)


def case(name: str, actual, predicted, classes: int, several: bool, expected: dict) -> dict:
    values = {key: None if math.isnan(value) else float(value) for key, value in expected.items()}
    return {"name": name, "classes": classes, "several": several,
            "actual": numpy.asarray(actual).tolist(),
            "predicted": numpy.asarray(predicted).tolist(), "expected": values}


def all_cases() -> list[dict]:
    random = numpy.random.default_rng(5)
    cases = []
    for classes, count in ((2, 50), (2, 7), (3, 60), (5, 40)):
        actual, predicted = random.integers(0, classes, (2, count))
        cases.append(classes_case(f"{count} random of {classes}", actual, predicted, classes))
    right = random.integers(0, 3, 30)
    cases += [
        classes_case("all right", right, right, 3),
        classes_case("one class predicted", numpy.array([0, 1, 0, 1, 1]), numpy.zeros(5, int), 2),
        classes_case("one class there", numpy.ones(5, int), numpy.array([0, 1, 0, 1, 1]), 2),
        classes_case("neither has class one", numpy.zeros(4, int), numpy.zeros(4, int), 2),
        classes_case("all wrong", numpy.array([0, 1, 0, 1]), numpy.array([1, 0, 1, 0]), 2),
        classes_case("a class that nobody has", numpy.array([0, 2, 0, 2]),
                     numpy.array([0, 2, 2, 2]), 4),
        classes_case("one example", numpy.array([1]), numpy.array([1]), 2)]
    for labels, share in ((4, 0.4), (6, 0.1)):
        actual, predicted = (random.random((2, 40, labels)) < share).astype(int)
        cases.append(several_case(f"{labels} labels at once, {share} of them", actual, predicted))
    sparse = numpy.array([[1, 0, 0], [0, 0, 0], [1, 0, 1]])
    cases += [several_case("labels that nobody predicted", sparse, numpy.zeros_like(sparse)),
              several_case("labels that nobody has", numpy.zeros_like(sparse), sparse),
              several_case("no label anywhere", numpy.zeros_like(sparse),
                           numpy.zeros_like(sparse)),
              several_case("every label right", sparse, sparse)]
    for count in (60, 3):
        actual = random.normal(size=count)
        cases.append(values_case(f"{count} values", actual, actual + random.normal(size=count)))
    ties = random.integers(0, 6, 80) / 2
    cases += [values_case("many ties", ties, random.integers(0, 4, 80) / 4),
              values_case("opposite order", numpy.arange(6.0), -numpy.arange(6.0) ** 3),
              values_case("far from zero", 1e6 + numpy.arange(8.0), 1e6 + numpy.arange(8.0) ** 2),
              values_case("constant prediction", numpy.arange(4.0), numpy.full(4, 2.5)),
              values_case("constant truth", numpy.full(4, 0.1), numpy.arange(4.0))]
    return cases


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path,
                        default=pathlib.Path("tests/train/metric_cases.json"))
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is undefined, which is the point
        cases = all_cases()
    made_by = (f"tools/make_metric_cases.py, scikit-learn {sklearn.__version__}, scipy "
               f"{scipy.__version__}")
    lines = ",\n".join(json.dumps(one) for one in cases)
    options.output.write_text(f'{{"made_by": "{made_by}", "cases": [\n{lines}\n]}}\n')
    print(f"{options.output}: {len(cases)} cases")


if __name__ == "__main__":
    main()
