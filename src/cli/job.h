#pragma once
// This process's place among those of a job that a launcher started.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "comm/communicator.h"

namespace tandem {

struct JobFlags {
  std::string comm = "auto";  // what the processes talk over
  int comm_cores = -1;        // cores of each process left to communication; -1: auto
};
void add_job_flags(CLI::App& command, JobFlags& flags);

// Joined once. Of several processes only the root, rank 0, speaks; the others write errors alone.
class Job {
 public:
  // Throws UsageError for a launcher without an MPI, MachineError when the MPI can't be loaded.
  explicit Job(const JobFlags& flags);

  bool alone() const { return communicator_ == nullptr; }
  bool root() const { return alone() || communicator_->rank() == 0; }
  // Null when alone.
  Communicator* communicator() const { return communicator_.get(); }
  // Every rank's host name, in rank order.
  const std::vector<std::string>& hosts() const { return hosts_; }
  // How many threads this process computes with, once it has taken its share of this host's cores:
  // the processes of the job on one host divide them.
  int take_cores() const;

  // Runs the body; when it throws, says which rank and host it was, and ends the whole job with the
  // error's exit code. An error that all ranks found alike is said by the root. Alone, the error is
  // simply thrown on.
  void run(const std::function<void()>& body) const;

 private:
  JobFlags flags_;
  std::unique_ptr<Communicator> communicator_;
  std::vector<std::string> hosts_;
};

// This machine's name, without its domain.
std::string host_name();

}  // namespace tandem
