#pragma once
// Where a measured step's time went, for people and for programs.

#include <filesystem>

#include <nlohmann/json_fwd.hpp>

#include "train/step_benchmark.h"

namespace tandem {

// The table of phases, on standard output.
void print_phases(const StepBenchmark&);

// [{"phase": "QKV", "pass": "forward", "seconds": ..., "flops": ..., "bytes": ...,
//   "share_of_attainable": ...}, ...]
nlohmann::json phases_json(const StepBenchmark&);

// The last step as a timeline that Perfetto and chrome://tracing open (the Trace Event Format's
// complete events). Throws WallError when it cannot be written.
void write_trace(const StepBenchmark&, const std::filesystem::path&);

}  // namespace tandem
