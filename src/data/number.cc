#include "data/number.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace tandem {
namespace {

// from_chars knows no plus sign. "+-1" must stay what it is: no number.
std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class Number>
std::optional<Number> parse_all(std::string_view text) {
  text = without_plus(text);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> number = parse_all<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  return parse_all<std::int64_t>(text);
}

}  // namespace tandem
