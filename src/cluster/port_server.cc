#include "cluster/port_server.h"

#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/thread.h"
#include "cluster/tcp_socket.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFloodTime{250};
constexpr std::size_t kMaxConnections = 1024;

}  // namespace

// The server's thread and what it works on.
class PortServer::Answering {
 public:
  explicit Answering(FileDescriptor listening)
      : stop_(eventfd(0, EFD_CLOEXEC)),
        listening_(std::move(listening)),
        thread_([this] { answer(); }) {}
  ~Answering() {
    const std::uint64_t one = 1;
    // A counter of 8 bytes always has room for the first.
    [[maybe_unused]] const ssize_t written = write(stop_.get(), &one, sizeof one);
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

 private:
  struct Connection {
    FileDescriptor socket;
    char kind = 0;
    bool answered = false;
    std::size_t bytes = 0;
    Clock::time_point start;
  };

  void answer() {
    std::vector<char> buffer(1 << 18);
    while (true) {
      std::vector<pollfd> polled = {{stop_.get(), POLLIN, 0}, {listening_.get(), POLLIN, 0}};
      for (const Connection& connection : connections_) {
        polled.push_back({connection.socket.get(), POLLIN, 0});
      }
      poll(polled.data(), polled.size(), -1);
      if (polled[0].revents != 0) return;
      for (std::size_t i = connections_.size(); i-- > 0;) {
        if (polled[i + 2].revents == 0 || serve(connections_[i], buffer)) continue;
        connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (polled[1].revents != 0) accept_one();
    }
  }

  void accept_one() {
    FileDescriptor socket(
        accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.get() < 0 || connections_.size() >= kMaxConnections) return;
    send_at_once(socket);
    connections_.push_back({.socket = std::move(socket), .start = Clock::now()});
  }

  // False when the connection is to be closed.
  static bool serve(Connection& connection, std::vector<char>& buffer) {
    const int socket = connection.socket.get();
    const ssize_t count = recv(socket, buffer.data(), buffer.size(), 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    if (connection.kind == 0) {
      connection.kind = buffer[0];
      connection.start = Clock::now();
    }
    if (connection.kind == kEcho) {
      return send(socket, buffer.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) == count;
    }
    if (connection.kind != kFlood) return false;
    connection.bytes += static_cast<std::size_t>(count);
    const auto time = Clock::now() - connection.start;
    if (time < kFloodTime || connection.answered) return true;
    // The asker closes: closing here, with its bytes unread, could destroy the answer.
    connection.answered = true;
    const std::string text =
        fmt::format("{} {}\n", connection.bytes, std::chrono::nanoseconds(time).count());
    return send(socket, text.data(), text.size(), MSG_NOSIGNAL) > 0;
  }

  FileDescriptor stop_, listening_;
  std::vector<Connection> connections_;
  BackgroundThread thread_;  // last: it ends before what it works on does
};

PortServer::PortServer(const std::string& address) {
  SocketAddress place({.address = address, .port = 0});
  FileDescriptor listening = socket_for(place);
  if (bind(listening.get(), place.get(), place.size) != 0 || listen(listening.get(), 512) != 0 ||
      getsockname(listening.get(), place.get(), &place.size) != 0) {
    throw MachineError("{}: cannot be listened on: {}", address, errno_text(errno));
  }
  port_ = place.port();
  answering_ = std::make_unique<Answering>(std::move(listening));
}

PortServer::~PortServer() = default;

}  // namespace tandem
