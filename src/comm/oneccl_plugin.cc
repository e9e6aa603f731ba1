// A communicator over oneCCL's collectives on host memory.
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <oneapi/ccl.hpp>

#include "comm/plugin.h"

// All else in a plugin is hidden; an error that it throws is of the program's own type.
#pragma GCC visibility push(default)
#include "base/error.h"
#pragma GCC visibility pop

namespace tandem {
namespace {

// "oneCCL 2021.16.2".
std::string library_name() {
  const ccl::library_version version = ccl::get_library_version();
  return fmt::format("oneCCL {}.{}.{}", version.major, version.minor, version.update);
}

// What oneCCL throws becomes an Error.
template <class Function>
auto checked(const char* operation, const Function& function) {
  try {
    return function();
  } catch (const std::exception& error) {
    throw PeerError("{}: {} failed: {}", library_name(), operation, error.what());
  }
}

// The pieces of one buffer as oneCCL wants them.
std::vector<std::size_t> pieces_of(std::size_t buffer, std::span<const std::int64_t> sizes,
                                   int ranks) {
  TANDEM_CHECK(sizes.size() == static_cast<std::size_t>(ranks), "{} sizes for {} ranks",
               sizes.size(), ranks);
  std::vector<std::size_t> pieces(sizes.begin(), sizes.end());
  const std::size_t all = std::reduce(pieces.begin(), pieces.end());
  TANDEM_CHECK(all == buffer, "pieces of {} bytes, a buffer of {}", all, buffer);
  return pieces;
}

// What oneCCL reads when it starts, unless the user has set it.
struct Setting {
  const char* name;
  const char* value;
};
constexpr Setting kSettings[] = {
    // By itself each rank chooses by the size of its own first piece (2021.16): where pieces are
    // unequal, some ranks choose differently, and all wait for ever.
    {"CCL_ALLTOALLV", "scatter"},
    // By itself it's MPI's, and Intel MPI 2021.18's MPI_Iallgatherv never ends when the pieces are
    // unequal and large.
    {"CCL_ALLGATHERV", "flat"},
    // No thread of its own that spins on a core while anything is on its way: operations move on
    // when they are asked, as those of an MPI.
    {"CCL_WORKER_OFFLOAD", "0"},
    // It warns of each setting here, and that the MPI was started by somebody else, on each rank;
    // with this one, of this one alone, once.
    {"CCL_LOG_LEVEL", "error"},
};

// How often oneCCL is asked each time that done() is: the MPI underneath may move a few tens of KB
// only each time, and asking is cheap when nothing moves.
constexpr int kTests = 16;

class OneCclOperation : public PendingOperation {
 public:
  OneCclOperation(const char* name, int& pending, ccl::event event)
      : name_(name), pending_(pending), event_(std::make_unique<ccl::event>(std::move(event))) {
    ++pending_;
  }

  // One that isn't done is left as it is: oneCCL would wait for it.
  ~OneCclOperation() override { static_cast<void>(event_.release()); }

  bool done() override {
    if (event_ == nullptr) return true;
    bool complete = false;
    for (int test = 0; test < kTests && !complete; ++test) {
      complete = checked(name_, [this] { return event_->test(); });
    }
    if (!complete) return false;
    event_.reset();
    --pending_;
    return true;
  }

 private:
  const char* name_;
  int& pending_;
  std::unique_ptr<ccl::event> event_;  // none once it is done
};

class OneCclCommunicator : public Communicator {
 public:
  explicit OneCclCommunicator(std::unique_ptr<Communicator> mpi)
      : mpi_(std::move(mpi)),
        communicator_(checked("joining the job",
                              [] {
                                return std::make_unique<ccl::communicator>(
                                    ccl::preview::create_communicator());
                              })),
        exceptions_(std::uncaught_exceptions()) {
    TANDEM_CHECK(communicator_->rank() == rank() && communicator_->size() == size(),
                 "rank {} of {} by oneCCL, {} of {} by its MPI", communicator_->rank(),
                 communicator_->size(), rank(), size());
  }

  ~OneCclCommunicator() override {
    // Their ends wait for all ranks, so there are none for one that leaves the others alone.
    if (pending_ > 0 || std::uncaught_exceptions() > exceptions_) {
      static_cast<void>(communicator_.release());
      static_cast<void>(mpi_.release());
    }
  }

  int rank() const override { return mpi_->rank(); }
  int size() const override { return mpi_->size(); }
  std::string description() const override {
    return fmt::format("{} over {}", library_name(), mpi_->description());
  }

  Pending start_all_to_all(std::span<const std::byte> send,
                           std::span<const std::int64_t> send_sizes, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override {
    const std::vector<std::size_t> from = pieces_of(send.size(), send_sizes, size());
    const std::vector<std::size_t> to = pieces_of(receive.size(), receive_sizes, size());
    return start("all to all", [&] {
      return ccl::alltoallv(send.data(), from, receive.data(), to, ccl::datatype::uint8,
                            *communicator_);
    });
  }

  Pending start_all_gather(std::span<const std::byte> send, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override {
    const std::vector<std::size_t> to = pieces_of(receive.size(), receive_sizes, size());
    return start("all gather", [&] {
      return ccl::allgatherv(send.data(), send.size(), receive.data(), to, ccl::datatype::uint8,
                             *communicator_);
    });
  }

  Pending start_broadcast(std::span<std::byte> data, int root) override {
    return start("broadcast", [&] {
      return ccl::broadcast(data.data(), data.size(), ccl::datatype::uint8, root, *communicator_);
    });
  }

  [[noreturn]] void abort(int exit_code) override {
    mpi_->abort(exit_code);
    std::_Exit(exit_code);
  }

 private:
  template <class Function>
  Pending start(const char* name, const Function& function) {
    return std::make_unique<OneCclOperation>(name, pending_, checked(name, function));
  }

  // Outlives oneCCL's communicator, which needs it to the end.
  std::unique_ptr<Communicator> mpi_;
  std::unique_ptr<ccl::communicator> communicator_;
  int pending_ = 0;  // operations that were started and aren't done
  int exceptions_;   // in flight when this was made
};

std::unique_ptr<Communicator> join_job(std::unique_ptr<Communicator> mpi) {
  constexpr int kKeepTheUsers = 0;
  for (const Setting& setting : kSettings) setenv(setting.name, setting.value, kKeepTheUsers);
  checked("ccl::init", [] { ccl::init(); });
  return std::make_unique<OneCclCommunicator>(std::move(mpi));
}

constexpr Plugin kPlugin{kPluginInterface, join_job};

}  // namespace
}  // namespace tandem

const tandem::Plugin* tandem_plugin() { return &tandem::kPlugin; }
