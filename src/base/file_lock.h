#pragma once
// Waiting for a lock by flock(2) on a file or a directory.

#include <chrono>
#include <functional>

#include "base/file.h"

namespace tandem {

// Waits until no other process holds the lock; it is free again when the descriptor is closed. Each
// try in vain calls `waiting` with the time since the first. Whether it is held: some file systems
// have no such locks. Throws what `waiting` throws, and Error with exit code 75 when interrupted.
bool wait_for_lock(const FileDescriptor& descriptor,
                   const std::function<void(std::chrono::duration<double> waited)>& waiting);

}  // namespace tandem
