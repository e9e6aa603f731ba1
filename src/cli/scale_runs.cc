#include "cli/scale_runs.h"

#include <chrono>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/launch_run.h"
#include "cluster/foreground.h"
#include "cluster/process.h"
#include "cluster/remote_shell.h"

namespace tandem {
namespace {

constexpr std::int64_t kMaxReportBytes = 16 << 20;
constexpr int kConnectSeconds = 10;

// Before a copy's report on standard output, where a shell's greeting may stand as well.
constexpr std::string_view kMark = "\ntandem-speed-report\n";

// Of a copy, on its host: $1 is the working directory, the rest the program with its arguments.
constexpr const char* kCopyScript = R"sh(cd "$1" || exit
shift
directory=$(mktemp -d) || exit
trap 'rm -rf "$directory"' EXIT
"$@" --output-dir "$directory/model" --speed-report "$directory/speed.json" >&2 || exit
printf '\ntandem-speed-report\n'
cat "$directory/speed.json"
)sh";

// Of all copies, here: $1 is where their output goes, the rest a line of shell for each.
constexpr const char* kCopiesScript = R"sh(directory=$1
shift
number=0
for line; do
  number=$((number + 1))
  eval "exec $line" >"$directory/copy-$number.out" 2>"$directory/copy-$number.log" </dev/null &
  processes="$processes $!"
done
trap 'kill $processes' HUP INT TERM
code=0
for process in $processes; do
  wait "$process" || code=$?
done
exit "$code"
)sh";

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw WallError("{}: cannot be made: {}", path.string(), error.message());
}

[[noreturn]] void fail(int code, const std::string& what, const std::string& logs) {
  throw Error(static_cast<ExitCode>(code),
              fmt::format("{} ended with exit code {}; its log is {}", what, code, logs));
}

// The root's report lies on the first host's disk.
std::string report_text(const JobHost& host, const std::filesystem::path& path) {
  if (host.is_this_host) return read_file(path, ExitCode::kMachine, kMaxReportBytes);
  const std::vector<std::string> command = {"cat", path.string()};
  const ProcessResult result = run_one({.words = ssh_words(host.name, kConnectSeconds, command),
                                        .max_output_bytes = kMaxReportBytes},
                                       std::chrono::seconds(2 * kConnectSeconds));
  if (!result.succeeded()) throw MachineError("{}", ssh_failure(host.name, result));
  return result.out.substr(std::min(result.out.find('{'), result.out.size()));
}

std::vector<std::string> copy_words(const LaunchPlan& plan, const ScaleRun& run,
                                    const JobHost& host) {
  std::vector<std::string> words = {"sh", "-c", kCopyScript, "sh",
                                    std::filesystem::current_path().string()};
  if (!plan.job.environment.empty()) words.emplace_back("env");
  for (const auto& [name, value] : plan.job.environment) {
    words.push_back(fmt::format("{}={}", name, value));
  }
  words.push_back(plan.job.program.front());
  words.insert(words.end(), run.copy_command.begin(), run.copy_command.end());
  return host.is_this_host ? words : ssh_words(host.name, kConnectSeconds, words);
}

}  // namespace

SpeedReport run_on_hosts(const LaunchPlan& plan, const ScaleRun& run) {
  make_directory(run.directory);
  const int code = run_launch(plan, run.log()).exit_code();
  if (code != 0) {
    fail(code, fmt::format("the run on {} host{}", run.nodes, run.nodes == 1 ? "" : "s"),
         run.log().string());
  }
  const JobHost& root = plan.hosts.front();
  return parse_speed_report(report_text(root, run.report()),
                            fmt::format("{}:{}", root.name, run.report().string()));
}

std::vector<SpeedReport> run_copies(const LaunchPlan& plan, const ScaleRun& run) {
  make_directory(run.directory);
  std::vector<std::string> words = {"sh", "-c", kCopiesScript, "sh", run.directory.string()};
  for (const JobHost& host : plan.hosts) words.push_back(shell_line(copy_words(plan, run, host)));
  log_info("starting {} copies without communication, one on each host", plan.hosts.size());
  const int code = run_in_foreground(words).exit_code();
  if (code != 0) {
    fail(code, "one of the copies for comparison", (run.directory / "copy-N.log").string());
  }
  std::vector<SpeedReport> reports;
  for (std::size_t i = 1; i <= plan.hosts.size(); ++i) {
    const std::filesystem::path path = run.directory / fmt::format("copy-{}.out", i);
    const std::string text = read_file(path, ExitCode::kMachine, kMaxReportBytes);
    const std::size_t mark = text.find(kMark);
    if (mark == text.npos) throw MachineError("{}: has no report of its speed", path.string());
    reports.push_back(
        parse_speed_report(std::string_view(text).substr(mark + kMark.size()), path.string()));
  }
  return reports;
}

}  // namespace tandem
