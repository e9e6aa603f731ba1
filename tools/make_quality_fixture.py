#!/usr/bin/env python3
"""Writes tests/report/quality_cases.json: numbers by which src/report/classifier_quality is judged.

Needs scikit-learn; the file says which version made it. Cases are random ones with ties among the
scores, and degenerate ones: a class that is never predicted or never there, a perfect order, a
reversed one, one score for all.
"""
import json
import pathlib
import warnings

import numpy as np
import sklearn
from sklearn import calibration, metrics

BINS = 15
FILE = pathlib.Path(__file__).parent.parent / "tests" / "report" / "quality_cases.json"


def averages(actual, predicted, classes, average):
    values = metrics.precision_recall_fscore_support(
        actual, predicted, labels=range(classes), average=average, zero_division=0)
    return [float(value) for value in values[:3]]


def class_case(name, actual, predicted, classes):
    scores = metrics.precision_recall_fscore_support(actual, predicted, labels=range(classes),
                                                     zero_division=0)
    return {"name": name, "actual": actual, "predicted": predicted, "classes": classes,
            "confusion": metrics.confusion_matrix(actual, predicted,
                                                  labels=range(classes)).tolist(),
            "precision": scores[0].tolist(), "recall": scores[1].tolist(), "f1": scores[2].tolist(),
            "support": scores[3].tolist(),
            "macro": averages(actual, predicted, classes, "macro"),
            "weighted": averages(actual, predicted, classes, "weighted")}


def threshold_case(name, positive, scores):
    rates = metrics.roc_curve(positive, scores, drop_intermediate=False)
    return {"name": name, "positive": positive, "scores": scores,
            "roc": [list(pair) for pair in zip(rates[0].tolist(), rates[1].tolist())],
            "roc_area": float(metrics.roc_auc_score(positive, scores)),
            "average_precision": float(metrics.average_precision_score(positive, scores))}


def calibration_case(name, confidences, right):
    accuracy, confidence = calibration.calibration_curve(right, confidences, n_bins=BINS)
    # The same bins, to count them: scikit-learn gives a bin its upper end.
    bins = np.searchsorted(np.linspace(0, 1, BINS + 1)[1:-1], confidences)
    counts = np.bincount(bins, minlength=BINS)
    counts = counts[counts > 0]
    error = float(np.sum(counts * np.abs(accuracy - confidence)) / len(right))
    return {"name": name, "confidences": confidences, "right": right,
            "accuracy": accuracy.tolist(), "confidence": confidence.tolist(),
            "examples": counts.tolist(), "error": error}


def main() -> None:
    warnings.simplefilter("error")
    random = np.random.default_rng(7)

    def ids(count, classes):
        return random.integers(0, classes, count).tolist()

    def scores(count):
        return (np.round(random.random(count) * 40) / 40).tolist()

    cases = {
        "made_by": f"scikit-learn {sklearn.__version__}, numpy {np.__version__}",
        "classes": [
            class_case("two at random", ids(60, 2), ids(60, 2), 2),
            class_case("five at random", ids(80, 5), ids(80, 5), 5),
            class_case("one is never predicted", [0, 1, 2, 2, 1, 0], [0, 1, 1, 0, 1, 0], 3),
            class_case("one is never there", [0, 1, 0, 1], [2, 1, 0, 2], 3),
            class_case("all are wrong", [0, 1, 1], [1, 0, 0], 2)],
        "thresholds": [
            threshold_case("at random, with ties", ids(80, 2), scores(80)),
            threshold_case("few positives", [0] * 50 + [1] * 3, scores(53)),
            threshold_case("in order", [0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5]),
            threshold_case("reversed", [1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4]),
            threshold_case("one score for all", [1, 0, 0, 1, 0], [0.5] * 5)],
        "calibrations": [
            calibration_case("at random", random.random(100).tolist(), ids(100, 2)),
            calibration_case("from a half up", (0.5 + random.random(60) / 2).tolist(), ids(60, 2)),
            calibration_case("certain", [1.0] * 4 + [0.0], [1, 1, 1, 0, 0])]}
    # Values need no more digits than tell them apart.
    FILE.write_text(json.dumps(cases, indent=None, separators=(",", ":")).replace(
        '{"name"', '\n{"name"') + "\n")
    print(f"{FILE}: {cases['made_by']}")


if __name__ == "__main__":
    main()
