#pragma once
// How --help looks: options in groups, with their defaults, in 100 columns.

#include <string>

#include <CLI/CLI.hpp>

namespace tandem {

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() { column_width(36); }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace tandem
