#pragma once
// The program's subcommands. Each adds itself to the command line; its callback does the work and
// throws Error when it fails.

#include <CLI/CLI.hpp>

namespace tandem {

void add_train_command(CLI::App& app);
void add_evaluate_command(CLI::App& app);
void add_predict_command(CLI::App& app);
void add_quantize_command(CLI::App& app);
void add_tokenize_command(CLI::App& app);
// `exit_code` becomes 3 when training would fail, and must outlive `app`'s parsing.
void add_data_command(CLI::App& app, int& exit_code);
void add_init_command(CLI::App& app);
void add_fetch_command(CLI::App& app);
void add_bench_command(CLI::App& app);
// `exit_code` becomes that of the findings (5 when there is an error) or of the job, and must
// outlive `app`'s parsing.
void add_doctor_command(CLI::App& app, int& exit_code);
void add_launch_command(CLI::App& app, int& exit_code);
void add_scale_command(CLI::App& app);

}  // namespace tandem
