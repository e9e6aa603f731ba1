#include "data/finding.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace tandem {

DataFinding refusal(std::string kind, const std::string& source, std::string message) {
  DataFinding finding{.severity = FindingSeverity::kError,
                      .kind = std::move(kind),
                      .source = source,
                      .message = {}};
  if (message.starts_with(source + ":")) {
    std::size_t begin = source.size() + 1;
    std::int64_t line = 0;
    const auto [end, error] =
        std::from_chars(message.data() + begin, message.data() + message.size(), line);
    if (error == std::errc() && end != message.data() + message.size() && *end == ':') {
      finding.lines = {line};
      begin = static_cast<std::size_t>(end - message.data()) + 1;
    }
    message.erase(0, std::min(message.size(), begin + 1));
  }
  finding.message = std::move(message);
  return finding;
}

}  // namespace tandem
