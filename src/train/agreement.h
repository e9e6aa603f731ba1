#pragma once
// Whether all ranks of a job are what they must be alike, before the first step and after the last.

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "comm/communicator.h"

namespace tandem {

// Something that must be the same on every rank, as text.
struct Fact {
  std::string name;    // e.g. "kernels"
  std::string value;   // of this rank; empty: nothing here to compare
  std::string remedy;  // what to do when they differ
};

// What every rank found, in the same words.
class Disagreement : public Error {
 public:
  using Error::Error;
};

// Throws a Disagreement (kMachine) with a table by host when a fact isn't the same wherever it is
// known. `hosts` has every rank's name. Every rank has the same facts in the same order.
void check_agreement(Communicator&, const std::vector<std::string>& hosts,
                     const std::vector<Fact>& facts);

// Throws WallError, on every rank, that names the ranks of each kind when the weights haven't the
// same bits on all of them.
void check_same_weights(Communicator&, const std::vector<std::string>& hosts,
                        std::span<const float> weights);

// A hash of the contents of those of these files that are here, as text; empty when none is.
std::string hash_of_files(const std::vector<std::filesystem::path>& files);

}  // namespace tandem
