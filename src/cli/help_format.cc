#include "cli/help_format.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem {
namespace {

constexpr std::size_t kColumns = 100;

// What stands for an option's value: TEXT, N for a whole number, X for another one.
std::string placeholder(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  const std::string type = option.get_type_name();
  if (type.empty()) return {};  // a flag
  const std::string_view kind = std::string_view(type).substr(0, type.find(':'));
  if (kind == "INT" || kind == "UINT") return "N";
  if (kind == "FLOAT") return "X";
  return "TEXT";
}

std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// `term`, and from `column` on what it means, broken between words.
std::string entry(std::string_view term, std::string_view meaning, std::size_t column) {
  std::string text = fmt::format("  {:<{}}", term, column - 2);
  if (text.size() > column) text += "\n" + std::string(column, ' ');
  while (meaning.size() > kColumns - column) {
    std::size_t end = meaning.rfind(' ', kColumns - column);
    if (end == std::string_view::npos) end = meaning.find(' ');
    if (end == std::string_view::npos) break;
    text += std::string(meaning.substr(0, end)) + "\n" + std::string(column, ' ');
    meaning.remove_prefix(end + 1);
  }
  return text + std::string(meaning) + "\n";
}

}  // namespace

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
  std::string help = Formatter::make_help(app, std::move(name), mode);
  constexpr std::string_view kTwoEmptyLines = "\n\n\n";
  for (std::size_t at = help.find(kTwoEmptyLines); at != std::string::npos;
       at = help.find(kTwoEmptyLines, at)) {
    help.erase(at, 1);
  }
  return help;
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  std::string term = is_positional ? option->get_name(true) : names_of(*option);
  const std::string value = is_positional ? std::string() : placeholder(*option);
  if (!value.empty()) term += " " + value;
  std::string meaning = option->get_description();
  if (option->get_required()) meaning += " (required)";
  if (!option->get_default_str().empty()) {
    meaning += fmt::format(" [{}]", option->get_default_str());
  }
  return entry(term, meaning, column_width_);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  constexpr std::size_t kColumn = 12;
  return entry(command->get_name(), command->get_description(), kColumn);
}

}  // namespace tandem
