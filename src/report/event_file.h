#pragma once
// A run's event file for TensorBoard, written while the run goes on.

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/file.h"

namespace tandem {

// "Nov30_18-03-51_host1", by local time: what transformers calls a run's folder within "runs".
std::string run_folder(std::time_t when, const std::string& host);

// The name that transformers gives a number of its log: eval_f1 is "eval/f1", loss "train/loss".
std::string event_tag(const std::string& key);

// Each record is in the file when its call returns, so that a run can be watched, and a run that is
// killed leaves all that it had. A file that can't be written any more (a full disk) is worth a
// warning, but not the run: nothing more is added then.
class EventFile {
 public:
  // Makes `directory` and in it events.out.tfevents.<seconds>.<host>.<process>.0. Throws WallError
  // when they can't be made.
  EventFile(const std::filesystem::path& directory, const std::string& host);

  void add_text(std::string_view tag, std::string_view text);
  // An entry of a run's log, as trainer_state.json has it: a point at its "step" for each number.
  void add_entry(const nlohmann::json& entry);

  const std::filesystem::path& path() const { return path_; }

 private:
  void append(const std::string& event);

  std::filesystem::path path_;
  FileDescriptor file_;
  bool writable_ = true;
};

}  // namespace tandem
