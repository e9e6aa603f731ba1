#include "cli/arguments.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/ranges.h>

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

// The subcommand that the arguments chose, or one of its own, or the program itself.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

// "tandem data check"
std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::string suggestion_for(const std::string& option, const CLI::App& command,
                           const std::string& help) {
  std::vector<std::string> known;
  for (const CLI::Option* candidate : command.get_options()) {
    for (const std::string& name : candidate->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = option.substr(0, option.find('='));
  const auto nearest = nearest_name(name, known);
  return nearest ? fmt::format("; did you mean {}?", *nearest)
                 : fmt::format("; `{}` lists them", help);
}

std::string help_request(const CLI::App& command) { return full_name(command) + " --help"; }

[[noreturn]] void throw_without_command(const CLI::App& app, const std::string& first) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (first.empty() || first.starts_with('-')) {
    throw UsageError("a command is needed: {}; `{}` explains them", fmt::join(commands, ", "),
                     help_request(app));
  }
  const auto nearest = nearest_name(first, commands);
  throw UsageError("{}: there is no such command{}", first,
                   nearest ? fmt::format("; did you mean {}?", *nearest)
                           : fmt::format(" (commands: {})", fmt::join(commands, ", ")));
}

[[noreturn]] void throw_extra(const CLI::App& command, const std::string& help) {
  const std::vector<std::string> extras = command.remaining(true);
  const std::string first = extras.empty() ? std::string("an argument") : extras.front();
  if (first.starts_with("-")) {
    const bool runs_another = command.get_option_no_throw("command") != nullptr;
    throw UsageError("{}: there is no such option{}{}", first, suggestion_for(first, command, help),
                     runs_another ? "; options of the command to start stand after --" : "");
  }
  throw UsageError("{}: not expected here; `{}` shows what is", first, help);
}

// "Could not convert: --seed = x" as our own messages are written.
std::string plain_text(const CLI::ParseError& error) {
  constexpr std::string_view kConversion = "Could not convert: ";
  std::string text = error.what();
  if (text.starts_with(kConversion)) {
    return text.substr(kConversion.size()) + ": expected a number";
  }
  const bool sentence = text.size() > 1 && std::isupper(static_cast<unsigned char>(text[0])) != 0;
  if (sentence) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

std::vector<std::string> regular_arguments(const std::vector<std::string>& given) {
  std::vector<std::string> arguments;
  for (std::string argument : given) {
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
  const std::string first = arguments.empty() ? "" : arguments.front();
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    const CLI::App& command = chosen_command(app);
    if (&command == &app) throw_without_command(app, first);
    const std::string help = help_request(command);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) throw_extra(command, help);
    throw UsageError("{}; `{}` shows every option", plain_text(error), help);
  }
}

}  // namespace tandem
