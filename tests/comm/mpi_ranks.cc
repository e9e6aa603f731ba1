// Runs under an MPI launcher: every operation of the communicator that a plugin brings.
//
//   mpi_ranks --transport openmpi|mpich|intel|oneccl --plugins DIRECTORY [--ranks N] [MODE]
// MODE --fail: the last rank causes an error of MPI's, which ends the job with PeerError's exit
// code
//              while the others wait.
//      --time: prints what an all-to-all of 4 MB pieces takes with 4 in flight, and its CPU time.
// Exits with 0 when all is right, 1 when not, else with the code of the Error.
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "comm/collectives.h"
#include "comm/load.h"
#include "comm/operations_under_test.h"

namespace tandem {
namespace {

using Options = std::map<std::string, std::string>;

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool alone = name == "--fail" || name == "--time";
    options[name] = alone || i + 1 == argc ? "" : argv[++i];
  }
  return options;
}

Transport transport_named(const std::string& name) {
  const std::map<std::string, Transport> transports = {{"openmpi", Transport::kOpenMpi},
                                                       {"mpich", Transport::kMpich},
                                                       {"intel", Transport::kIntelMpi},
                                                       {"oneccl", Transport::kOneCcl}};
  return transports.at(name);
}

void check_everything(Communicator& communicator) {
  testing::check_everything(communicator, 300'000);
  testing::check_all_to_all(communicator, 100'000'000 / communicator.size());
}

void fail_on_the_last_rank(Communicator& communicator) {
  std::byte byte{};
  if (communicator.rank() == communicator.size() - 1) {
    communicator.start_broadcast(std::span(&byte, 1), communicator.size());
  }
  barrier(communicator, "what never comes");
}

void time_all_to_all(Communicator& communicator) {
  constexpr std::size_t kPiece = 4'000'000, kInFlight = 4, kOperations = 100;
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const std::vector<std::int64_t> sizes(ranks, kPiece);
  std::array<std::vector<std::byte>, kInFlight> send, receive;
  for (std::size_t i = 0; i < kInFlight; ++i) {
    send[i].assign(kPiece * ranks, std::byte{1});
    receive[i].assign(kPiece * ranks, std::byte{2});
  }
  std::deque<Pending> pending;
  barrier(communicator, "start");
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  for (std::size_t i = 0; i < kOperations; ++i) {
    if (pending.size() == kInFlight) {
      wait_for(*pending.front(), "all to all");
      pending.pop_front();
    }
    pending.push_back(
        communicator.start_all_to_all(send[i % kInFlight], sizes, receive[i % kInFlight], sizes));
  }
  for (const Pending& operation : pending) wait_for(*operation, "all to all");
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const double cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  const auto barriers_begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) barrier(communicator, "barrier");
  const std::chrono::duration<double> barriers = std::chrono::steady_clock::now() - barriers_begin;
  std::printf("rank %d, %s: all-to-all of 4 MB pieces %.2f ms, %.2f ms of CPU; barrier %.3f ms\n",
              communicator.rank(), communicator.description().c_str(),
              wall.count() * 1000 / kOperations, cpu * 1000 / kOperations, barriers.count() * 10);
}

int run(const Options& options) {
  std::unique_ptr<Communicator> communicator;
  try {
    communicator =
        load_communicator(transport_named(options.at("--transport")), options.at("--plugins"));
    const std::string& ranks = options.at("--ranks");
    if (std::to_string(communicator->size()) != ranks) {
      throw std::runtime_error("wrong: " + std::to_string(communicator->size()) + " ranks, not " +
                               ranks);
    }
    if (options.contains("--fail")) {
      fail_on_the_last_rank(*communicator);
    } else if (options.contains("--time")) {
      time_all_to_all(*communicator);
    } else {
      check_everything(*communicator);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "mpi_ranks: %s\n", error.what());
    const int exit_code = static_cast<int>(error.exit_code());
    if (communicator != nullptr) communicator->abort(exit_code);
    return exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_ranks: %s\n", error.what());
    if (communicator != nullptr) communicator->abort(1);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) { return tandem::run(tandem::parse(argc, argv)); }
