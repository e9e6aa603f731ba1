#pragma once
// Ctrl-C and SIGTERM: the first asks the run to end in good order, the second ends it at once.

#include <string_view>

namespace tandem {

// From now on SIGINT and SIGTERM set a flag; a second one exits immediately with 75.
void catch_interrupts();

// Whether one has come.
bool interrupted();

// Throws Error with exit code 75 if one has come: for loops that have nothing to save. `work` says
// what was going on, e.g. "predicting".
void throw_if_interrupted(std::string_view work);

}  // namespace tandem
