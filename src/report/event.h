#pragma once
// TensorBoard's events as protocol buffers (tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto), in their binary form.

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

// When and at which step something was.
struct EventTime {
  double seconds = 0;     // since 1970
  std::int64_t step = 0;  // updates done
};

// The event that a file begins with.
std::string version_event(double seconds);

// A number of the chart called `tag`, "train/loss".
std::string scalar_event(const EventTime& time, std::string_view tag, float value);

// A text, shown as Markdown under `tag` + "/text_summary", as PyTorch's add_text calls it.
std::string text_event(const EventTime& time, std::string_view tag, std::string_view text);

}  // namespace tandem
