#include "cluster/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

extern char** environ;

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

// How late the end of a process may be seen: it is asked for, since an end of output doesn't tell.
constexpr std::chrono::milliseconds kLookAgain{10};

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw MachineError("no pipe to another program can be had: {}", errno_text(errno));
  }
  Pipe pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// A socket, since writing to one whose reader has ended can be an error instead of a signal.
Pipe make_input() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw MachineError("no pipe to another program can be had: {}", errno_text(errno));
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// posix_spawn's settings: a group of its own, and no signal blocked or ignored.
class SpawnSettings {
 public:
  SpawnSettings(int in, int out, int err) {
    posix_spawn_file_actions_init(&actions_);
    if (in < 0) {
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions_, in, STDIN_FILENO);
    }
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A process from its start to its end, which the destructor brings about if need be.
class Child {
 public:
  explicit Child(const ProcessSpec& spec, int input = -1)
      : max_output_bytes_(spec.max_output_bytes) {
    TANDEM_CHECK(!spec.words.empty(), "a process without a program");
    Pipe out = make_pipe(), err = make_pipe();
    const SpawnSettings settings(input, out.write.get(), err.write.get());
    std::vector<char*> words;
    for (const std::string& word : spec.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    result_.code = posix_spawnp(&id_, words[0], settings.actions(), settings.attributes(),
                                words.data(), environ);
    if (result_.code != 0) return;
    running_ = true;
    streams_[0].descriptor = std::move(out.read);
    streams_[1].descriptor = std::move(err.read);
  }
  Child(Child&& other) noexcept
      : id_(other.id_),
        running_(std::exchange(other.running_, false)),
        max_output_bytes_(other.max_output_bytes_),
        streams_(std::move(other.streams_)),
        result_(std::move(other.result_)) {}
  Child& operator=(Child&&) = delete;
  ~Child() { kill_group(); }

  bool running() const { return running_; }

  void add_open_streams(std::vector<pollfd>& polled) const {
    for (const Stream& stream : streams_) {
      if (stream.open()) polled.push_back({stream.descriptor.get(), POLLIN, 0});
    }
  }

  // Takes what it has written, and its end if it has ended.
  void look() {
    int status = 0;
    const bool ended = running_ && waitpid(id_, &status, WNOHANG) == id_;
    // After the look at its end, so that the last words are not missed.
    read_into(streams_[0], result_.out);
    read_into(streams_[1], result_.err);
    if (!ended) return;
    running_ = false;
    const bool exited = WIFEXITED(status);
    result_.end = exited ? ProcessResult::End::kExited : ProcessResult::End::kSignalled;
    result_.code = exited ? WEXITSTATUS(status) : WTERMSIG(status);
  }

  void time_out() {
    if (!running_) return;
    kill_group();
    read_into(streams_[0], result_.out);
    read_into(streams_[1], result_.err);
    result_.end = ProcessResult::End::kTimedOut;
  }

  ProcessResult take_result() { return std::move(result_); }
  const ProcessResult& result() const { return result_; }

 private:
  struct Stream {
    FileDescriptor descriptor;
    bool open() const { return descriptor.get() >= 0; }
  };

  void kill_group() {
    if (!running_) return;
    kill(-id_, SIGKILL);
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    running_ = false;
  }

  void read_into(Stream& stream, std::string& text) const {
    std::array<char, 1 << 14> buffer;
    while (stream.open()) {
      const ssize_t bytes = read(stream.descriptor.get(), buffer.data(), buffer.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0 && errno == EAGAIN) return;
      if (bytes <= 0) {
        stream.descriptor = FileDescriptor();
        return;
      }
      const std::size_t room = max_output_bytes_ - text.size();
      text.append(buffer.data(), std::min(static_cast<std::size_t>(bytes), room));
    }
  }

  pid_t id_ = 0;
  bool running_ = false;
  std::size_t max_output_bytes_;
  std::array<Stream, 2> streams_;
  ProcessResult result_;
};

bool any_running(const std::vector<Child>& children) {
  return std::ranges::any_of(children, &Child::running);
}

}  // namespace

std::vector<ProcessResult> run_all(const std::vector<ProcessSpec>& specs,
                                   std::chrono::milliseconds deadline) {
  const Clock::time_point end = Clock::now() + deadline;
  std::vector<Child> children;
  children.reserve(specs.size());
  for (const ProcessSpec& spec : specs) children.emplace_back(spec);
  while (any_running(children) && Clock::now() < end) {
    std::vector<pollfd> polled;
    for (const Child& child : children) child.add_open_streams(polled);
    poll(polled.data(), polled.size(), static_cast<int>(kLookAgain.count()));
    for (Child& child : children) child.look();
  }
  std::vector<ProcessResult> results;
  for (Child& child : children) {
    child.time_out();
    results.push_back(child.take_result());
  }
  return results;
}

ProcessResult run_one(const ProcessSpec& spec, std::chrono::milliseconds deadline) {
  return std::move(run_all({spec}, deadline).front());
}

struct Conversations::Process {
  FileDescriptor input;
  Child child;
  std::size_t read = 0;  // of what it wrote, whole lines
  std::chrono::system_clock::time_point heard;

  explicit Process(const ProcessSpec& spec) : Process(spec, make_input()) {}
  Process(const ProcessSpec& spec, Pipe&& pipe)
      : input(std::move(pipe.write)), child(spec, pipe.read.get()) {}

  std::optional<Line> next_line(std::string_view mark) {
    const std::string_view out = child.result().out;
    for (std::size_t end; (end = out.find('\n', read)) != out.npos;) {
      const std::string_view line = out.substr(read, end - read);
      read = end + 1;
      if (line.starts_with(mark)) return Line{std::string(line.substr(mark.size())), heard};
    }
    return std::nullopt;
  }

  void look() {
    const std::size_t before = child.result().out.size();
    child.look();
    if (child.result().out.size() != before) heard = std::chrono::system_clock::now();
  }
};

Conversations::Conversations(const std::vector<ProcessSpec>& specs) {
  for (const ProcessSpec& spec : specs) processes_.push_back(std::make_unique<Process>(spec));
}

Conversations::~Conversations() = default;

void Conversations::say(std::size_t which, std::string_view line) {
  std::string text = std::string(line) + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t sent =
        send(processes_[which]->input.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::vector<std::optional<Conversations::Line>> Conversations::hear(
    const std::vector<std::size_t>& asked, std::string_view mark,
    std::chrono::milliseconds deadline) {
  const Clock::time_point end = Clock::now() + deadline;
  std::vector<std::optional<Line>> lines(asked.size());
  while (true) {
    std::vector<pollfd> polled;
    bool waiting = false;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Process& process = *processes_[asked[i]];
      if (lines[i]) continue;
      const bool ran = process.child.running();
      process.look();
      lines[i] = process.next_line(mark);
      if (lines[i] || !ran) continue;
      waiting = true;
      process.child.add_open_streams(polled);
    }
    if (!waiting || Clock::now() >= end) return lines;
    poll(polled.data(), polled.size(), static_cast<int>(kLookAgain.count()));
  }
}

ProcessResult Conversations::result(std::size_t which) const {
  const Child& child = processes_[which]->child;
  ProcessResult result = child.result();
  if (child.running()) result.end = ProcessResult::End::kTimedOut;
  return result;
}

}  // namespace tandem
