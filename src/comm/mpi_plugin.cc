// A communicator over MPI-3's nonblocking collectives. Compiled once for each MPI.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "comm/plugin.h"

// All else in a plugin is hidden; an error that it throws is of the program's own type.
#pragma GCC visibility push(default)
#include "base/error.h"
#pragma GCC visibility pop

namespace tandem {
namespace {

// "Open MPI v4.1.4" of "Open MPI v4.1.4, package: ...", "MPICH 4.0.2" of "MPICH Version:   4.0.2".
std::string library_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name(text, std::find_if(text, text + length,
                                      [](char c) { return c == ',' || c == '\n' || c == '\0'; }));
  constexpr std::string_view kFiller = " Version:";
  if (const std::size_t at = name.find(kFiller); at != std::string::npos) {
    const std::size_t number = name.find_first_not_of(" \t", at + kFiller.size());
    return name.substr(0, at) + " " + name.substr(std::min(number, name.size()));
  }
  return name;
}

void throw_on_error(int code, const char* operation) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::string line(text, static_cast<std::size_t>(length));
  std::replace(line.begin(), line.end(), '\n', ' ');
  throw PeerError("{}: {} failed: {}", library_name(), operation, line);
}

int checked_int(std::int64_t bytes) {
  TANDEM_CHECK(bytes >= 0 && bytes <= std::numeric_limits<int>::max(),
               "{} bytes, MPI counts up to 2^31 - 1", bytes);
  return static_cast<int>(bytes);
}

// The pieces of one buffer as MPI wants them.
struct Pieces {
  std::vector<int> sizes, begins;
};

Pieces pieces_of(std::size_t buffer, std::span<const std::int64_t> sizes, int ranks) {
  TANDEM_CHECK(sizes.size() == static_cast<std::size_t>(ranks), "{} sizes for {} ranks",
               sizes.size(), ranks);
  Pieces pieces;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    pieces.sizes.push_back(checked_int(size));
    pieces.begins.push_back(checked_int(begin));
    begin += size;
  }
  checked_int(begin);
  TANDEM_CHECK(begin == static_cast<std::int64_t>(buffer), "pieces of {} bytes, a buffer of {}",
               begin, buffer);
  return pieces;
}

// How often MPI is asked each time that done() is. Some MPIs move a few tens of KB only each time
// (Intel MPI through shared memory); together these take 1 to 20 us when nothing moves.
constexpr int kTests = 16;

class MpiOperation : public PendingOperation {
 public:
  MpiOperation(const char* name, int& pending, Pieces sent, Pieces received)
      : send(std::move(sent)), receive(std::move(received)), name_(name), pending_(pending) {
    ++pending_;
  }

  bool done() override {
    if (done_) return true;
    int complete = 0;
    for (int test = 0; test < kTests && complete == 0; ++test) {
      throw_on_error(MPI_Test(&request, &complete, MPI_STATUS_IGNORE), name_);
    }
    if (complete != 0) {
      done_ = true;
      --pending_;
    }
    return done_;
  }

  // MPI reads these until the operation is done.
  const Pieces send, receive;
  MPI_Request request = MPI_REQUEST_NULL;

 private:
  const char* name_;
  int& pending_;
  bool done_ = false;
};

// MPICH 4.0 over UCX, which is Debian's, stands still in about every third MPI_Finalize over TCP: a
// rank waits for a connection to close that its peer has closed already. What has to be done is
// little once all ranks are together: to tell the launcher that this process ends as it should, in
// the words of its wire protocol (PMI-1, as Balaji et al. 2010 describe it), which MPI_Finalize
// would say last. Returns whether the launcher has answered.
bool leave_hydra() {
  const char* const variable = std::getenv("PMI_FD");
  const int socket = variable == nullptr ? -1 : std::atoi(variable);
  if (socket <= 2) return false;
  constexpr std::string_view kRequest = "cmd=finalize\n";
  if (write(socket, kRequest.data(), kRequest.size()) != std::ssize(kRequest)) return false;
  constexpr int kMilliseconds = 3000;
  pollfd answer{.fd = socket, .events = POLLIN, .revents = 0};
  if (poll(&answer, 1, kMilliseconds) != 1) return false;
  std::array<char, 256> line{};
  const ssize_t size = read(socket, line.data(), line.size());
  return size > 0 &&
         std::string_view(line.data(), static_cast<std::size_t>(size)).find("finalize_ack") !=
             std::string_view::npos;
}

class MpiCommunicator : public Communicator {
 public:
  MpiCommunicator() : exceptions_(std::uncaught_exceptions()) {
    // A failure is ours to report; and nobody else's messages are in a communicator of our own.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    throw_on_error(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }

  ~MpiCommunicator() override {
    // MPI_Finalize waits for all ranks, so it isn't for one that leaves the others alone: the
    // launcher ends the job then.
    if (pending_ > 0 || std::uncaught_exceptions() > exceptions_) return;
    MPI_Barrier(communicator_);
    MPI_Comm_free(&communicator_);
    std::fflush(nullptr);
    if (!library_name().starts_with("MPICH")) {
      MPI_Finalize();
      return;
    }
    // What others still need of this process to come out of the barrier is sent by then.
    constexpr auto kLinger = std::chrono::milliseconds(100);
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < kLinger) {
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      usleep(1000);
    }
    if (!leave_hydra()) MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string description() const override { return library_name(); }

  Pending start_all_to_all(std::span<const std::byte> send,
                           std::span<const std::int64_t> send_sizes, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override {
    Pieces sent = pieces_of(send.size(), send_sizes, size_);
    Pieces received = pieces_of(receive.size(), receive_sizes, size_);
    own_size(sent) = own_size(received) = 0;
    return exchange("all to all", send.data(), std::move(sent), receive.data(),
                    std::move(received));
  }

  // As an all-to-all that sends all the same piece: as many bytes, and MPI_Iallgatherv of Intel MPI
  // 2021.18 never ends when the pieces are unequal and large.
  Pending start_all_gather(std::span<const std::byte> send, std::span<std::byte> receive,
                           std::span<const std::int64_t> receive_sizes) override {
    const auto ranks = static_cast<std::size_t>(size_);
    const int own = checked_int(static_cast<std::int64_t>(send.size()));
    Pieces sent{std::vector<int>(ranks, own), std::vector<int>(ranks, 0)};
    Pieces received = pieces_of(receive.size(), receive_sizes, size_);
    const std::byte* base = send.data();
    if (receive.data() + received.begins[static_cast<std::size_t>(rank_)] == base) {
      own_size(sent) = own_size(received) = 0;
      // Rank 0's piece begins where the buffer does, and Open MPI 4 takes equal addresses for
      // MPI_IN_PLACE, which means something else here.
      ++base;
      std::ranges::fill(sent.begins, -1);
    }
    return exchange("all gather", base, std::move(sent), receive.data(), std::move(received));
  }

  Pending start_broadcast(std::span<std::byte> data, int root) override {
    auto operation = std::make_unique<MpiOperation>("broadcast", pending_, Pieces(), Pieces());
    const int size = checked_int(static_cast<std::int64_t>(data.size()));
    throw_on_error(
        MPI_Ibcast(data.data(), size, MPI_BYTE, root, communicator_, &operation->request),
        "broadcast");
    return operation;
  }

  [[noreturn]] void abort(int exit_code) override {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 private:
  int& own_size(Pieces& pieces) const { return pieces.sizes[static_cast<std::size_t>(rank_)]; }

  Pending exchange(const char* name, const void* send, Pieces sent, void* receive,
                   Pieces received) {
    auto operation =
        std::make_unique<MpiOperation>(name, pending_, std::move(sent), std::move(received));
    const Pieces& from = operation->send;
    const Pieces& to = operation->receive;
    throw_on_error(MPI_Ialltoallv(send, from.sizes.data(), from.begins.data(), MPI_BYTE, receive,
                                  to.sizes.data(), to.begins.data(), MPI_BYTE, communicator_,
                                  &operation->request),
                   name);
    return operation;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int pending_ = 0;  // operations that were started and aren't done
  int exceptions_;   // in flight when this was made
};

std::unique_ptr<Communicator> join_job(std::unique_ptr<Communicator>) {
  cpu_set_t before, after;
  const bool known = sched_getaffinity(0, sizeof before, &before) == 0;
  int threads = MPI_THREAD_SINGLE;
  throw_on_error(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads),
                 "MPI_Init_thread");
  // Some MPIs bind a process to a core here. Which cores to use is for the launcher and the thread
  // pool to say.
  if (known && sched_getaffinity(0, sizeof after, &after) == 0 && !CPU_EQUAL(&before, &after)) {
    sched_setaffinity(0, sizeof before, &before);
  }
  // One thread at a time calls it, not always the same one.
  if (threads < MPI_THREAD_SERIALIZED) {
    throw MachineError("{} was built without support for threads; use another MPI", library_name());
  }
  return std::make_unique<MpiCommunicator>();
}

constexpr Plugin kPlugin{kPluginInterface, join_job};

}  // namespace
}  // namespace tandem

const tandem::Plugin* tandem_plugin() { return &tandem::kPlugin; }
