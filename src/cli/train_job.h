#pragma once
// All trainings of one job on rank 0, which are usually one: the rows are read, encoded and shared
// with the other ranks once.

#include <filesystem>
#include <optional>
#include <string>

#include "cli/train_run.h"
#include "train/shared_inputs.h"

namespace tandem {

// What the options ask for, before anything is searched.
RunOrder order_of(const TrainFlags& flags);
// The options of one of a job's trainings, over so many ranks.
TrainFlags flags_for(TrainFlags flags, const RunOrder& order, std::int64_t ranks);

class TrainJob {
 public:
  // Reads and checks the rows. `flags_json` is what training_args.json will be.
  TrainJob(const TrainFlags& flags, std::string flags_json, const Job& job, Compute& compute);

  // With a new model for each; the other ranks do the same (train_as_peer).
  // A training that was interrupted in the same place is gone on with.
  RunOutcome run(RunOrder order, const RunPlace& place);
  // Lets the other ranks end.
  void end();

  const std::filesystem::path& output() const { return output_.path(); }
  // LoopOptions by which models of several runs are compared: as the flags have it, else by the
  // metric that matters most for these rows.
  LoopOptions comparison() const;

 private:
  void load(std::uint64_t seed);
  void encode();
  void share();
  std::optional<ResumePoint> resume_point(const std::string& arguments,
                                          const std::filesystem::path& output) const;
  std::string flags_json_for(const RunOrder& order, const std::filesystem::path& output) const;

  TrainFlags flags_;
  std::string flags_json_;
  const Job& job_;
  Compute& compute_;
  OutputDirectory output_;
  std::filesystem::path model_directory_;
  TrainInputs inputs_;
  std::optional<ModelSession> session_;
  std::optional<Precision> precision_;  // once it is chosen
};

}  // namespace tandem
