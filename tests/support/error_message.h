#pragma once
// What a call says when it fails.

#include <string>

#include "base/error.h"

namespace tandem::testing {

struct Failure {
  ExitCode code = ExitCode::kDone;
  std::string message;
};

// Runs `call` and returns the Error it throws; kDone and no message when it throws none.
template <class Call>
Failure failure_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.exit_code(), error.what()};
  }
  return {};
}

}  // namespace tandem::testing
