#pragma once
// The command line as the reference's users write it, made regular before it is parsed.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace tandem {

// Underscores in option names become dashes (--model_name_or_path), and "--flag True" becomes
// "--flag=true", as transformers' HfArgumentParser takes both.
std::vector<std::string> regular_arguments(const std::vector<std::string>& given);

// Parses; throws UsageError that suggests the nearest name for an unknown option. Help and version
// requests are CLI::Success exceptions.
void parse_arguments(CLI::App& app, std::vector<std::string> arguments);

}  // namespace tandem
