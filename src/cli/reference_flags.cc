#include "cli/reference_flags.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"

namespace tandem {
namespace {

bool is_false(std::string_view value) {
  return value == "false" || value == "False" || value == "0" || value == "no" || value == "none" ||
         value == "None";
}

bool is_one_of(std::string_view value, std::string_view list) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == value) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

const ReferenceFlag* find_flag(std::string_view name) {
  const std::span<const ReferenceFlag> flags = reference_flags();
  const auto found = std::ranges::lower_bound(flags, name, {}, &ReferenceFlag::name);
  return found != flags.end() && found->name == name ? &*found : nullptr;
}

// "--name=value" in two, or "--name" alone.
struct Argument {
  std::string_view name;
  std::optional<std::string> value;
};

Argument split(std::string_view argument) {
  argument.remove_prefix(2);
  const std::size_t sign = argument.find('=');
  if (sign == std::string_view::npos) return {argument, std::nullopt};
  return {argument.substr(0, sign), std::string(argument.substr(sign + 1))};
}

// What is to be parsed instead: nothing, or the option that means the same.
std::vector<std::string> replacement(const ReferenceFlag& flag,
                                     const std::vector<std::string>& values) {
  const std::string value = values.empty() ? std::string() : values.front();
  const bool asks_for_nothing = is_false(value);
  switch (flag.use) {
    case ReferenceUse::kRenamed: {
      if (asks_for_nothing) return {};
      std::vector<std::string> option = {fmt::format("--{}", flag.values)};
      // "precision=bf16" has its value already.
      if (flag.values.find('=') == std::string_view::npos) option.push_back(value);
      return option;
    }
    case ReferenceUse::kOneOf:
      if (!asks_for_nothing && !is_one_of(value, flag.values)) {
        throw UsageError("--{} {}: {}", flag.name, value, flag.why);
      }
      return {};
    case ReferenceUse::kRefused:
      if (!asks_for_nothing) throw UsageError("--{}: {}", flag.name, flag.why);
      return {};
    case ReferenceUse::kNoted:
      if (!asks_for_nothing) log_info("--{}: {}", flag.name, flag.why);
      return {};
  }
  return {};
}

const char* use_name(ReferenceUse use) {
  switch (use) {
    case ReferenceUse::kNoted:
      return "accepted with a note";
    case ReferenceUse::kOneOf:
      return "accepted when it asks for what is done anyway";
    case ReferenceUse::kRefused:
      return "refused";
    case ReferenceUse::kRenamed:
      return "accepted";
  }
  return "";
}

}  // namespace

std::vector<std::string> without_reference_flags(std::vector<std::string> arguments,
                                                 const CLI::App& command) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size();) {
    const std::string& argument = arguments[i++];
    const ReferenceFlag* flag = nullptr;
    if (argument == "--") {
      kept.insert(kept.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) - 1,
                  arguments.end());
      break;
    }
    if (argument.starts_with("--")) {
      const std::string name(split(argument).name);
      if (command.get_option_no_throw("--" + name) == nullptr) flag = find_flag(name);
    }
    if (flag == nullptr) {
      kept.push_back(argument);
      continue;
    }
    std::vector<std::string> values;
    if (const auto value = split(argument).value) {
      values.push_back(*value);
    } else {
      while (i < arguments.size() && !arguments[i].starts_with("--")) {
        values.push_back(arguments[i++]);
      }
    }
    for (std::string& instead : replacement(*flag, values)) kept.push_back(std::move(instead));
  }
  return kept;
}

std::string reference_flags_text() {
  std::string text;
  for (const ReferenceFlag& flag : reference_flags()) {
    text += flag.use == ReferenceUse::kRenamed
                ? fmt::format("{}\t{}\tas --{}\n", flag.name, use_name(flag.use), flag.values)
                : fmt::format("{}\t{}\t{}\n", flag.name, use_name(flag.use), flag.why);
  }
  return text;
}

}  // namespace tandem
