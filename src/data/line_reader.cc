#include "data/line_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"

namespace tandem {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, FaultPolicy policy)
    : source_(path.string()), bytes_(open_bytes(path)), policy_(policy) {}

LineReader::LineReader(std::istream& stream, std::string source, FaultPolicy policy)
    : source_(std::move(source)), bytes_(open_bytes(stream, source_)), policy_(policy) {}

void LineReader::refuse(const DataError& fault, std::int64_t line) {
  if (policy_ == FaultPolicy::kThrow) throw fault;
  faults_.push_back({line, fault.what()});
}

std::vector<TableFault> LineReader::take_faults() { return std::exchange(faults_, {}); }

// Reads one more piece behind what buffer_ holds; false when there is none.
bool LineReader::fill() {
  if (at_end_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t held = buffer_.size();
  buffer_.resize(held + kReadBytes);
  const std::size_t got = bytes_->read(std::span(&buffer_[held], kReadBytes));
  buffer_.resize(held + got);
  at_end_ = got == 0;
  return !at_end_;
}

// Editors on Windows write one before UTF-8; before UTF-16 it is the first sign of the mistake.
void LineReader::skip_byte_order_mark() {
  while (buffer_.size() < 3 && fill()) {
  }
  const std::string_view start(buffer_);
  if (start.starts_with("\xEF\xBB\xBF")) begin_ = 3;
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
    throw DataError("{}:1: this is UTF-16; convert it: iconv -f utf-16 -t utf-8", source_);
  }
}

// Where in buffer_ the line that starts at begin_ ends, reading on until it does.
std::optional<std::size_t> LineReader::find_line_end() {
  std::size_t searched = 0;  // bytes after begin_ without a line end
  while (true) {
    const std::size_t found = buffer_.find('\n', begin_ + searched);
    if (found != std::string::npos) return found;
    searched = buffer_.size() - begin_;
    if (searched > kMaxLineBytes || !fill()) return std::nullopt;
  }
}

bool LineReader::next() {
  while (read_line()) {
    try {
      check_line();
      return true;
    } catch (const DataError& fault) {
      if (number_ == 1) throw;  // the header: nothing after it would make sense
      refuse(fault, number_);
    }
  }
  return false;
}

bool LineReader::read_line() {
  if (number_ == 0) skip_byte_order_mark();
  const std::optional<std::size_t> found = find_line_end();
  if (!found && begin_ == buffer_.size()) return false;
  ++number_;
  std::size_t end = found.value_or(buffer_.size());
  const std::size_t after = found ? end + 1 : end;
  if (found && end > begin_ && buffer_[end - 1] == '\r') --end;
  line_ = std::string_view(buffer_).substr(begin_, end - begin_);
  line_end_ = std::string_view(buffer_).substr(end, after - end);
  begin_ = after;
  return true;
}

void LineReader::check_line() const {
  if (line_.size() > kMaxLineBytes) {
    throw DataError("{}:{}: the line is longer than {} bytes; is this a text table?", source_,
                    number_, kMaxLineBytes);
  }
  if (const void* nul = std::memchr(line_.data(), '\0', line_.size())) {
    throw DataError(
        "{}:{}: byte {} of the line is NUL, which no text has; is the file damaged, or "
        "UTF-16 (then convert it: iconv -f utf-16 -t utf-8)?",
        source_, number_, static_cast<const char*>(nul) - line_.data() + 1);
  }
  if (const std::optional<std::size_t> invalid = first_invalid_utf8(line_)) {
    throw DataError(
        "{}:{}: byte {} of the line is 0x{:02X}, which is not UTF-8; if the file is Latin-1, "
        "convert it: iconv -f latin1 -t utf-8",
        source_, number_, *invalid + 1, static_cast<unsigned char>(line_[*invalid]));
  }
}

}  // namespace tandem
