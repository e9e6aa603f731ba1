#include "report/event_file.h"

#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "report/event.h"
#include "report/tf_record.h"

namespace tandem {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

FileDescriptor create(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) {
    throw WallError("{}: the directory cannot be made: {}", path.parent_path().string(),
                    error.message());
  }
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    throw WallError("{}: cannot be written: {}", path.string(), errno_text(errno));
  }
  return FileDescriptor(descriptor);
}

}  // namespace

std::string run_folder(std::time_t when, const std::string& host) {
  std::tm local{};
  localtime_r(&when, &local);
  char text[32];
  std::strftime(text, sizeof(text), "%b%d_%H-%M-%S", &local);
  return fmt::format("{}_{}", text, host);
}

std::string event_tag(const std::string& key) {
  constexpr std::string_view kEvaluation = "eval_";
  if (key.starts_with(kEvaluation)) return "eval/" + key.substr(kEvaluation.size());
  return "train/" + key;
}

EventFile::EventFile(const std::filesystem::path& directory, const std::string& host)
    : path_(directory / fmt::format("events.out.tfevents.{:010}.{}.{}.0",
                                    static_cast<std::int64_t>(seconds_now()), host,
                                    static_cast<int>(getpid()))),
      file_(create(path_)) {
  append(version_event(seconds_now()));
}

void EventFile::add_text(std::string_view tag, std::string_view text) {
  append(text_event({.seconds = seconds_now(), .step = 0}, tag, text));
}

void EventFile::add_entry(const nlohmann::json& entry) {
  const EventTime time{.seconds = seconds_now(), .step = entry.at("step").get<std::int64_t>()};
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_number() || key == "step") continue;
    append(scalar_event(time, event_tag(key), value.get<float>()));
  }
}

void EventFile::append(const std::string& event) {
  if (!writable_) return;
  const std::string record = tf_record(event);
  // A part of a record would end the file for all readers, so it isn't tried again.
  const ssize_t written = write(file_.get(), record.data(), record.size());
  if (written == static_cast<ssize_t>(record.size())) return;
  writable_ = false;
  log_warning("{}: cannot be written: {}; TensorBoard will see no more of this run", path_.string(),
              errno_text(written < 0 ? errno : ENOSPC));
}

}  // namespace tandem
