#pragma once
// Flags of run_glue.py, run_classification.py and TrainingArguments that `tandem train` has no
// option for: those that mean nothing here, or always hold, are left out with a note, others are
// refused with the reason.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace tandem {

enum class ReferenceUse {
  kNoted,    // any value changes nothing here
  kOneOf,    // so do `values`; others are refused
  kRefused,  // but for false, which asks for nothing
  kRenamed,  // `values` is what is written instead
};

struct ReferenceFlag {
  std::string_view name;  // with dashes: "use-ipex"
  ReferenceUse use;
  std::string_view why;     // a clause for people, after a colon
  std::string_view values;  // of kOneOf, with commas between; of kRenamed
};

// By name.
std::span<const ReferenceFlag> reference_flags();

// `arguments` as regular_arguments() gives them, without those flags. An option of `command` goes
// before a flag of the same name. Prints a line for each flag that is left out, when it asks for
// anything. Throws UsageError for one that is refused.
std::vector<std::string> without_reference_flags(std::vector<std::string> arguments,
                                                 const CLI::App& command);

// A table of every flag, as text: a line "flag<tab>noted|refused|...<tab>why".
std::string reference_flags_text();

}  // namespace tandem
