// tandem: fine-tunes BERT-family text classifiers on CPUs.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cli/argument_file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help_format.h"
#include "cli/launcher_check.h"
#include "cli/reference_flags.h"

namespace tandem {
namespace {

// What was printed may still lie in a buffer, and its loss must not go unseen.
void flush_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw WallError("standard output cannot be written: {}", errno_text(errno));
  }
}

int run(int argc, char** argv) {
  CLI::App app("Fine-tunes BERT-family text classifiers on CPUs.", "tandem");
  app.set_version_flag("--version", TANDEM_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormat>());
  app.footer(
      "Exit codes: 0 done, 2 wrong usage, 3 bad data, 4 bad model, 5 the machine is not fit, 6 "
      "another\nprocess was lost, 7 the run hit a wall (disk full, a loss that isn't finite), 75 "
      "interrupted.");
  add_train_command(app);
  add_evaluate_command(app);
  add_predict_command(app);
  add_quantize_command(app);
  add_tokenize_command(app);
  int exit_code = static_cast<int>(ExitCode::kDone);
  add_data_command(app, exit_code);
  add_init_command(app);
  add_fetch_command(app);
  add_bench_command(app);
  add_doctor_command(app, exit_code);
  add_launch_command(app, exit_code);
  add_scale_command(app);
  try {
    std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    const bool trains = !arguments.empty() && arguments.front() == "train";
    // The only command whose processes work together.
    if (!trains) refuse_several_processes();
    catch_interrupts(OnInterrupt::kEndAtOnce);
    std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is then told as a full disk is
    if (trains) arguments = with_argument_file(std::move(arguments));
    arguments = regular_arguments(arguments);
    if (trains) {
      arguments = without_reference_flags(std::move(arguments), *app.get_subcommand("train"));
    }
    parse_arguments(app, std::move(arguments));
    flush_standard_output();
  } catch (const CLI::Success& request) {
    return app.exit(request);
  } catch (const Error& error) {
    log_info("tandem: {}", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::bad_alloc&) {
    log_line(
        "tandem: out of memory; use a smaller batch, a shorter --max-seq-length or fewer rows");
    return static_cast<int>(ExitCode::kMachine);
  }
  return exit_code;
}

}  // namespace

}  // namespace tandem

int main(int argc, char** argv) {
  try {
    return tandem::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tandem: unexpected: %s\n", error.what());
    return static_cast<int>(tandem::ExitCode::kMachine);
  }
}
