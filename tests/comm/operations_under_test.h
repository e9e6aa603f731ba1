#pragma once
// What any communicator must do, whatever is underneath it.

#include <cstdint>

#include "comm/communicator.h"

namespace tandem::testing {

// Each is called by all ranks, and throws std::runtime_error when what arrived isn't what was sent.
// Pieces are unequal: some are empty, none has more than 1.5 * `size` bytes.
void check_all_to_all(Communicator& communicator, std::int64_t size);
void check_all_gather(Communicator& communicator, std::int64_t size);
// From each rank in turn.
void check_broadcast(Communicator& communicator, std::int64_t size);
// Operations of all kinds at once, waited for from the last to the first.
void check_operations_in_flight(Communicator& communicator, std::int64_t size);

// What collectives.h makes of them.
void check_collectives(Communicator& communicator);
// All of these, at sizes from nothing to `largest`.
void check_everything(Communicator& communicator, std::int64_t largest);

}  // namespace tandem::testing
