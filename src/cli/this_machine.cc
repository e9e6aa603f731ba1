#include "cli/this_machine.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/cpu.h"
#include "comm/load.h"
#include "kernels/dispatch.h"
#include "nn/gemm_benchmark.h"

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kMeasuringTime{500};

// BERT-base's attention output for 512 tokens, forward and backward. The first time isn't counted:
// it loads code and touches memory.
double measured_gflops() {
  constexpr std::int64_t kWidth = 768, kTokens = 512;
  const CpuLimits limits = cpu_limits();
  const int threads = limits.usable_cores();
  Compute compute("auto", threads, limits.cpus_to_pin(threads));
  const std::vector<GemmShape> shapes =
      linear_map_shapes("attention output", kWidth, kWidth, kTokens);
  GemmBenchmark<float>(shapes, compute).run_ours_once();
  GemmBenchmark<float> benchmark(shapes, compute);
  const auto end = std::chrono::steady_clock::now() + kMeasuringTime;
  do {
    benchmark.run_ours_once();
  } while (std::chrono::steady_clock::now() < end);
  return our_rate(benchmark.rates()) / 1e9;
}

}  // namespace

std::vector<MpiLauncher> launchers_on_path() {
  const char* const path = std::getenv("PATH");
  return find_launchers(path == nullptr ? "" : path);
}

bool has_plugin_for(MpiKind kind) {
  const char* const plugin =
      kind == MpiKind::kOpenMpi ? "tandem_openmpi.so" : "tandem_mpich.so";  // Intel's too
  std::error_code ignored;
  return std::filesystem::exists(usual_plugin_directory() / plugin, ignored);
}

MachineFacts facts_of_this_machine(const std::filesystem::path& output_directory,
                                   const std::string& token, bool and_rate) {
  MachineFacts facts = gather_facts(output_directory, token);
  facts.version = TANDEM_VERSION;
  for (const kernels::Table* table : kernels::usable_tables()) {
    facts.kernels.emplace_back(table->name);
  }
  for (const MpiLauncher& launcher : launchers_on_path()) {
    // Each has several names.
    const std::string name(name_of(launcher.kind));
    const bool known = std::ranges::any_of(facts.mpis, [&](const FoundMpi& mpi) {
      return mpi.name == name && mpi.version == launcher.version;
    });
    if (known) continue;
    facts.mpis.push_back({name, launcher.version, launcher.program, has_plugin_for(launcher.kind)});
  }
  if (and_rate) facts.gflops = measured_gflops();
  return facts;
}

}  // namespace tandem
