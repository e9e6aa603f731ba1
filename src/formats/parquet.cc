#include "formats/parquet.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "formats/byte_reader.h"
#include "formats/parquet_page.h"
#include "formats/thrift_compact.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostFileBytes = std::int64_t{4} << 30;
constexpr std::string_view kMagic = "PAR1";

struct Column {
  ParquetType type = ParquetType::kBytes;
  bool optional = false;
};

class ParquetFile {
 public:
  ParquetFile(std::string bytes, std::string name)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}

  ParquetTable read() {
    const ThriftValue footer = read_footer();
    read_schema(footer.field(2).elements());
    table_.rows = footer.field(3).number();
    std::int64_t rows = 0;
    for (const ThriftValue& group : footer.field(4).elements()) {
      read_group(group);
      rows += group.field(3).number();
    }
    if (rows != table_.rows) fail(fmt::format("is damaged: {} rows of {}", rows, table_.rows));
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw DataError("{}: {}", name_, message);
  }

  // At the end: its length, and the four letters with which the file also begins.
  ThriftValue read_footer() const {
    const std::string_view bytes = bytes_;
    constexpr std::size_t kTail = 8;
    if (bytes.size() < kTail + kMagic.size() || !bytes.starts_with(kMagic) ||
        !bytes.ends_with(kMagic)) {
      fail("isn't a Parquet file, or is cut off: it doesn't begin and end with PAR1");
    }
    ByteReader tail(bytes.substr(bytes.size() - kTail), name_);
    const std::uint64_t length = tail.little_endian(4);
    if (length > bytes.size() - kTail - kMagic.size()) fail("is damaged: its footer is too long");
    ByteReader footer(bytes.substr(bytes.size() - kTail - length, length), name_);
    return read_thrift_structure(footer);
  }

  // The first element is the table itself.
  void read_schema(const std::vector<ThriftValue>& elements) {
    for (std::size_t i = 1; i < elements.size(); ++i) {
      const ThriftValue& element = elements[i];
      const std::string name = in_quotes(element.field(4).text());
      const std::int64_t repetition = element.field(3).number();
      if (element.field(5).number() > 0 || repetition > 1) {
        fail(fmt::format("column {} is nested or a list, which isn't supported", name));
      }
      const std::int64_t type = element.field(1).number();
      if (!element.has(1) || type < 1 || type > 6 || type == 3) {
        fail(
            fmt::format("column {} has type {}; supported are INT32, INT64, FLOAT, DOUBLE and "
                        "BYTE_ARRAY",
                        name, type));
      }
      columns_.push_back({static_cast<ParquetType>(type), repetition == 1});
      table_.columns.push_back({.name = element.field(4).text(),
                                .numbers = columns_.back().type != ParquetType::kBytes,
                                .text = {},
                                .ends = {},
                                .absent = {}});
    }
    if (columns_.empty()) fail("has no columns");
  }

  void read_group(const ThriftValue& group) {
    const std::vector<ThriftValue>& chunks = group.field(1).elements();
    const std::int64_t rows = group.field(3).number();
    if (chunks.size() != columns_.size()) {
      fail(fmt::format("is damaged: {} columns of {}", chunks.size(), columns_.size()));
    }
    if (rows < 0 || rows > std::numeric_limits<std::int32_t>::max()) {
      fail(fmt::format("is damaged: a group of {} rows", rows));
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) read_chunk(chunks[i], i, rows);
  }

  void read_chunk(const ThriftValue& chunk, std::size_t number, std::int64_t rows) {
    const ThriftValue& details = chunk.field(3);
    ParquetColumn& column = table_.columns[number];
    const std::string source = fmt::format("{}: column {}", name_, in_quotes(column.name));
    const std::int64_t codec = details.field(4).number();
    if (codec != 0 && codec != 1) {
      throw DataError("{}: compressed by codec {}; supported are Snappy (1) and none (0)", source,
                      codec);
    }
    if (details.field(5).number() != rows ||
        details.field(1).number() != static_cast<std::int64_t>(columns_[number].type)) {
      throw DataError("{}: is damaged: its description contradicts the table's", source);
    }
    // The dictionary, where there is one, lies before the first page of data.
    std::int64_t begin = details.field(9).number();
    if (const std::int64_t dictionary = details.field(11).number(); dictionary > 0) {
      begin = std::min(begin, dictionary);
    }
    if (begin < 0 || begin > std::ssize(bytes_)) {
      throw DataError("{}: is damaged: it lies at byte {} of {}", source, begin, bytes_.size());
    }
    ParquetPageReader pages({.type = columns_[number].type,
                             .codec = static_cast<ParquetCodec>(codec),
                             .optional = columns_[number].optional,
                             .values = rows},
                            std::string_view(bytes_).substr(static_cast<std::size_t>(begin)),
                            source);
    pages.append_to(column);
  }

  std::string name_, bytes_;
  std::vector<Column> columns_;
  ParquetTable table_;
};

}  // namespace

std::string_view ParquetColumn::cell(std::int64_t row) const {
  const auto at = static_cast<std::size_t>(row);
  const std::uint64_t begin = at == 0 ? 0 : ends[at - 1];
  return std::string_view(text).substr(begin, ends[at] - begin);
}

ParquetTable read_parquet(const std::filesystem::path& path) {
  return parse_parquet(read_file(path, ExitCode::kData, kMostFileBytes), path.string());
}

ParquetTable parse_parquet(std::string content, const std::string& source) {
  return ParquetFile(std::move(content), source).read();
}

}  // namespace tandem
