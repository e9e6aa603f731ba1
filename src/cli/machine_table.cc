#include "cli/machine_table.h"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/cpu.h"
#include "cli/job.h"
#include "nn/onednn.h"

namespace tandem {

double gigabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; }

std::vector<std::pair<std::string, std::string>> machine_table(Compute& compute,
                                                               const ClassifierModel& model) {
  const std::string_view precision =
      model.quantized != nullptr ? "8-bit integers" : name_of(precision_of(model.classifier));
  return {{"host", host_name()},
          {"processor", cpu_model_name()},
          {"threads", fmt::format("{}", compute.pool().size())},
          {"kernels", compute.kernels().name},
          {"precision", std::string(precision)},
          {"peak memory", fmt::format("{:.2f} GB", gigabytes(peak_resident_memory_bytes()))},
          {"program", fmt::format("tandem {}, oneDNN {}", TANDEM_VERSION, onednn_version())},
          {"finished", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))}};
}

}  // namespace tandem
