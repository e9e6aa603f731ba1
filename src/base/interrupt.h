#pragma once
// Ctrl-C, SIGTERM, and SIGUSR1, which Open MPI's mpirun passes on and Slurm is often told to send.

#include <string_view>

namespace tandem {

// What the first of them does.
enum class OnInterrupt {
  kEndAtOnce,       // exits with 75: for work that has nothing to save
  kEndInGoodOrder,  // interrupted() becomes true; a second one exits at once, with 75 as well
};

// Decides for all three from now on.
void catch_interrupts(OnInterrupt);

// Whether one has come, to be ended in good order.
bool interrupted();

// Throws Error with exit code 75 if interrupted(): for loops that have nothing to save. `work` says
// what was going on, e.g. "predicting".
void throw_if_interrupted(std::string_view work);

}  // namespace tandem
