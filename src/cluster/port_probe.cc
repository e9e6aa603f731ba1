#include "cluster/port_probe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/file.h"
#include "base/median.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kRoundTrips = 21;

// Waits for `events`; false when they don't come before `end`.
bool wait_for(int descriptor, short events, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
    pollfd polled{descriptor, events, 0};
    const int count = poll(&polled, 1, static_cast<int>(std::max<std::int64_t>(0, left)));
    if (count > 0) return true;
    if (count == 0 || errno != EINTR) return false;
  }
}

PortReach failure_of(int number) {
  if (number == ECONNREFUSED) return {PortAnswer::kRefused, ""};
  if (number == ETIMEDOUT) return {PortAnswer::kSilent, ""};
  return {PortAnswer::kFailed, errno_text(number)};
}

// A question to one port, from the connection to the byte that comes back.
class Question {
 public:
  explicit Question(const Endpoint& endpoint) {
    const SocketAddress address(endpoint);
    socket_ = socket_for(address);
    if (connect(socket_.get(), address.get(), address.size) != 0 && errno != EINPROGRESS) {
      end_with(failure_of(errno));
    }
  }

  bool done() const { return done_; }
  pollfd polled() const {
    return {done_ ? -1 : socket_.get(), static_cast<short>(asked_ ? POLLIN : POLLOUT), 0};
  }
  const PortReach& reach() const { return reach_; }

  // After poll() has found something.
  void go_on() {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return end_with(failure_of(error));
    char byte = kEcho;
    const ssize_t moved =
        asked_ ? recv(socket_.get(), &byte, 1, 0) : send(socket_.get(), &byte, 1, MSG_NOSIGNAL);
    if (moved < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (moved < 0) return end_with(failure_of(errno));
    if (asked_) {
      return end_with(moved == 1 ? PortReach{PortAnswer::kExchanged, ""}
                                 : PortReach{PortAnswer::kFailed, "hung up"});
    }
    asked_ = true;
  }

 private:
  void end_with(PortReach reach) {
    reach_ = std::move(reach);
    done_ = true;
    socket_ = FileDescriptor();
  }

  FileDescriptor socket_;
  bool asked_ = false, done_ = false;
  PortReach reach_;
};

bool send_all(int descriptor, std::string_view bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (!bytes.empty() && !wait_for(descriptor, POLLOUT, end)) return false;
  }
  return true;
}

std::optional<FileDescriptor> connected(const Endpoint& endpoint, Clock::time_point end) {
  const SocketAddress address(endpoint);
  FileDescriptor descriptor = socket_for(address);
  if (connect(descriptor.get(), address.get(), address.size) != 0 && errno != EINPROGRESS) {
    return std::nullopt;
  }
  if (!wait_for(descriptor.get(), POLLOUT, end)) return std::nullopt;
  return descriptor;
}

std::optional<double> round_trip(const Endpoint& endpoint, Clock::time_point end) {
  const std::optional<FileDescriptor> descriptor = connected(endpoint, end);
  std::vector<double> seconds;
  for (int i = 0; i < kRoundTrips; ++i) {
    const Clock::time_point start = Clock::now();
    char byte = kEcho;
    if (!descriptor || !send_all(descriptor->get(), {&byte, 1}, end) ||
        !wait_for(descriptor->get(), POLLIN, end) || recv(descriptor->get(), &byte, 1, 0) != 1) {
      return std::nullopt;
    }
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return median(seconds);
}

std::optional<double> flood_rate(const Endpoint& endpoint, Clock::time_point end) {
  const std::optional<FileDescriptor> descriptor = connected(endpoint, end);
  if (!descriptor) return std::nullopt;
  const std::string bytes(1 << 17, kFlood);
  std::string answer;
  while (!answer.ends_with('\n')) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
    pollfd polled{descriptor->get(), POLLIN | POLLOUT, 0};
    if (left <= 0 || poll(&polled, 1, static_cast<int>(left)) <= 0) return std::nullopt;
    if ((polled.revents & (POLLIN | POLLERR | POLLHUP)) != 0) {
      std::array<char, 64> text{};
      const ssize_t count = recv(descriptor->get(), text.data(), text.size(), 0);
      if (count <= 0) return std::nullopt;
      answer.append(text.data(), static_cast<std::size_t>(count));
    } else {
      send(descriptor->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
  }
  double counted = 0, nanoseconds = 0;
  const int read = std::sscanf(answer.c_str(), "%lf %lf", &counted, &nanoseconds);
  if (read != 2 || nanoseconds <= 0) return std::nullopt;
  return counted * 8 / (nanoseconds * 1e-9);
}

}  // namespace

std::vector<PortReach> reach_ports(std::span<const Endpoint> endpoints, milliseconds deadline) {
  const Clock::time_point end = Clock::now() + deadline;
  std::vector<Question> questions;
  questions.reserve(endpoints.size());
  for (const Endpoint& endpoint : endpoints) questions.emplace_back(endpoint);
  while (!std::ranges::all_of(questions, &Question::done)) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now()).count();
    if (left <= 0) break;
    std::vector<pollfd> polled;
    for (const Question& question : questions) polled.push_back(question.polled());
    poll(polled.data(), polled.size(), static_cast<int>(left));
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (polled[i].revents != 0) questions[i].go_on();
    }
  }
  std::vector<PortReach> reaches;
  reaches.reserve(questions.size());
  for (const Question& question : questions) reaches.push_back(question.reach());
  return reaches;
}

std::optional<LinkRate> measure_link(const Endpoint& endpoint, milliseconds deadline) {
  const Clock::time_point end = Clock::now() + deadline;
  const std::optional<double> seconds = round_trip(endpoint, end);
  const std::optional<double> rate = seconds ? flood_rate(endpoint, end) : std::nullopt;
  if (!rate) return std::nullopt;
  return LinkRate{*rate, *seconds};
}

}  // namespace tandem
