#pragma once
// A text line by line, from a file or a stream, packed with gzip or not: UTF-8 without NUL bytes,
// whatever its line ends.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "data/byte_source.h"
#include "data/table.h"

namespace tandem {

inline constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

// kCollect: what is wrong with a line but the first is noted, and the line left out.
enum class FaultPolicy : std::uint8_t { kThrow, kCollect };

// Reads in pieces, so that a file need not fit in memory. A byte-order mark at the start is
// skipped; a line ends with \n or \r\n. Each line is checked: one that is not UTF-8, has a NUL byte
// or is longer than kMaxLineBytes is a DataError with source, line and byte.
class LineReader {
 public:
  // Throws DataError as open_bytes does.
  explicit LineReader(const std::filesystem::path& path, FaultPolicy policy = FaultPolicy::kThrow);
  // `source` stands for the stream in messages, e.g. "standard input". The stream must outlive
  // this.
  LineReader(std::istream& stream, std::string source, FaultPolicy policy = FaultPolicy::kThrow);

  // Moves to the next line; false at the end.
  bool next();
  // The line without its end; valid until next().
  std::string_view line() const { return line_; }
  // "\n", "\r\n", or "" at the end of a file that has no line end there.
  std::string_view line_end() const { return line_end_; }
  // From 1; 0 before the first next().
  std::int64_t number() const { return number_; }
  const std::string& source() const { return source_; }

  // What a reader found wrong with the row that starts at `line`: thrown, or noted by policy.
  void refuse(const DataError& fault, std::int64_t line);
  // What was noted so far, which is then forgotten.
  std::vector<TableFault> take_faults();

 private:
  bool fill();
  std::optional<std::size_t> find_line_end();
  void skip_byte_order_mark();
  bool read_line();
  void check_line() const;

  std::string source_;
  std::unique_ptr<ByteSource> bytes_;
  FaultPolicy policy_;
  std::vector<TableFault> faults_;
  std::string buffer_;  // what was read and not yet handed out, from begin_
  std::size_t begin_ = 0;
  bool at_end_ = false;  // nothing more to read into buffer_
  std::string_view line_, line_end_;
  std::int64_t number_ = 0;
};

}  // namespace tandem
