#include "cli/arguments.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"

namespace tandem {
namespace {

bool is_boolean_word(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "true" || lower == "false";
}

// The subcommand that the arguments chose, or the program itself.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::string suggestion_for(const std::string& option, const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::Option* candidate : command.get_options()) {
    for (const std::string& name : candidate->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = option.substr(0, option.find('='));
  const auto nearest = nearest_name(name, known);
  return nearest ? fmt::format("; did you mean {}?", *nearest)
                 : fmt::format("; `tandem {} --help` lists them", command.get_name());
}

}  // namespace

std::vector<std::string> regular_arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const bool option_before = !arguments.empty() && arguments.back().starts_with("--") &&
                               arguments.back().find('=') == std::string::npos;
    if (is_boolean_word(argument) && option_before) {
      arguments.back() += "=" + argument;
      continue;
    }
    if (argument.starts_with("--")) {
      const auto name_end = argument.begin() + static_cast<std::ptrdiff_t>(
                                                   std::min(argument.find('='), argument.size()));
      std::replace(argument.begin(), name_end, '_', '-');
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void parse_arguments(CLI::App& app, std::vector<std::string> arguments) {
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ExtrasError& error) {
    const CLI::App& command = chosen_command(app);
    const std::vector<std::string> extras = command.remaining(true);
    const std::string first = extras.empty() ? error.what() : extras.front();
    if (!first.starts_with("-")) {
      throw UsageError("{}: not expected here; `tandem {} --help` shows what is", first,
                       command.get_name());
    }
    throw UsageError("{}: there is no such option{}", first, suggestion_for(first, command));
  } catch (const CLI::ParseError& error) {
    throw UsageError("{}; `tandem {} --help` shows every option", error.what(),
                     chosen_command(app).get_name());
  }
}

}  // namespace tandem
