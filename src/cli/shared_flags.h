#pragma once
// Options that several subcommands have in common.

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "data/columns.h"
#include "model/bert_config.h"
#include "nn/choose_precision.h"
#include "nn/compute.h"
#include "text/long_text.h"

namespace tandem {

struct ComputeFlags {
  int threads = 0;  // 0: as many as there are usable cores
  std::string kernels = "auto";
  PrecisionRequest precision = PrecisionRequest::kAuto;
};
void add_compute_flags(CLI::App& command, ComputeFlags& flags);
// Makes the threads, pinned to cores where CpuLimits::cpus_to_pin says so, and says what they run
// on.
// `threads` of them when the flags don't say; 0: as many as there are usable cores.
Compute make_compute(const ComputeFlags& flags, int threads = 0);
// What such a model computes in here; says which, and why.
Precision make_precision(PrecisionRequest request, const BertConfig& config, Compute& compute);

struct ColumnFlags {
  std::string text, pair, label;  // empty: found
  std::string separator;          // between the labels of a row that may have several
};
void add_column_flags(CLI::App& command, ColumnFlags& flags);
ColumnNames column_names(const ColumnFlags& flags);

// --long-text; `group` as in help.
void add_long_text_flag(CLI::App& command, LongText& long_text, const std::string& group);

// --json: one object on standard output instead of text for people.
void add_json_flag(CLI::App& command, bool& json);

}  // namespace tandem
