#pragma once
// Small sets of rows with answers, for tests of reports.

#include "report/answered_set.h"

namespace tandem::testing {

// Five rows of two classes; rows 3 and 5 are wrong, row 5 the worse.
inline AnsweredSet two_class_set() {
  return {.source = "rows<1>.tsv",
          .results = {{"eval_accuracy", 0.6}, {"eval_loss", 0.5}, {"eval_runtime", 1}},
          .labels = {.kind = ProblemKind::kSingleLabel, .names = {"bad & ugly", "good"}},
          .answers = {0.9, 0.1, 0.2, 0.8, 0.6, 0.4, 0.7, 0.3, 0.1, 0.9},
          .judged = {.predicted = {0, 1, 0, 0, 1}, .actual = {0, 1, 1, 0, 0}, .classes = 2},
          .lengths = {3, 4, 5, 40, 7},
          .examples = {
              {.text = "one", .pair = {}, .label = 0, .line = 2},
              {.text = "two", .pair = {}, .label = 1, .line = 3},
              {.text = "<script>alert('three')</script>", .pair = "a\"b", .label = 1, .line = 4},
              {.text = "four", .pair = {}, .label = 0, .line = 5},
              {.text = std::string(1000, 'x'), .pair = {}, .label = 0, .line = 6}}};
}

inline AnsweredSet regression_set() {
  return {.source = "values.tsv",
          .results = {{"eval_pearson", 0.9}},
          .labels = {.kind = ProblemKind::kRegression, .names = {}},
          .answers = {1.5, 2, 2.5},
          .judged = {.predicted = {1.5, 2, 2.5}, .actual = {1, 2, 4}},
          .lengths = {3, 3, 3},
          .examples = {{.text = "one", .pair = {}, .label = 1, .line = 2},
                       {.text = "two", .pair = {}, .label = 2, .line = 3},
                       {.text = "three", .pair = {}, .label = 4, .line = 4}}};
}

// Three rows of three labels at once: row 1 has two and both are found, row 2 has none and one is
// found, row 3 has one and none is found.
inline AnsweredSet several_labels_set() {
  return {.source = "labels.jsonl",
          .results = {{"eval_f1_micro", 0.6667}},
          .labels = {.kind = ProblemKind::kMultiLabel, .names = {"art", "film & tv", "food"}},
          .answers = {0.9, 0.8, 0.1, 0.3, 0.2, 0.6, 0.1, 0.1, 0.2},
          .judged = {.predicted = {1, 1, 0, 0, 0, 1, 0, 0, 0},
                     .actual = {1, 1, 0, 0, 0, 0, 0, 0, 1},
                     .classes = 3,
                     .several = true},
          .lengths = {3, 4, 5},
          .examples = {{.text = "one", .pair = {}, .label = 0, .line = 1},
                       {.text = "two", .pair = {}, .label = 0, .line = 2},
                       {.text = "three", .pair = {}, .label = 0, .line = 3}}};
}

}  // namespace tandem::testing
