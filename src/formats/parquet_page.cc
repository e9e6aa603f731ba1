#include "formats/parquet_page.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "formats/snappy.h"
#include "formats/thrift_compact.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostPageBytes = std::int64_t{1} << 28;
constexpr std::int64_t kMostPageValues = std::int64_t{1} << 24;
// A dictionary lets a few bytes stand for a long text many times.
constexpr std::size_t kMostColumnBytes = std::size_t{1} << 32;

// Fields of PageHeader, and numbers in them (parquet.thrift).
enum PageType { kDataPage = 0, kDictionaryPage = 2, kDataPage2 = 3 };
enum Encoding { kPlain = 0, kPlainDictionary = 2, kDictionaryIndices = 8 };

// Numbers of `width` bits: runs of one number, and groups of eight that are packed.
std::vector<std::uint32_t> run_lengths(ByteReader& reader, unsigned int width, std::int64_t count) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  const auto left = [&] { return static_cast<std::uint64_t>(count) - numbers.size(); };
  while (left() > 0) {
    const std::uint64_t header = reader.variable_length();
    if ((header & 1U) == 0) {
      const auto number = static_cast<std::uint32_t>(reader.little_endian((width + 7) / 8));
      if (header == 0) reader.fail("is damaged: a run of no values");
      numbers.insert(numbers.end(), std::min(header >> 1U, left()), number);
      continue;
    }
    const std::uint64_t groups = header >> 1U;
    if (groups == 0 || (width > 0 && groups > reader.left() / width)) {
      reader.fail("is damaged: a run that is too long");
    }
    const std::string_view packed = reader.take(groups * width);
    const std::uint64_t values = std::min(groups * 8, left());
    for (std::uint64_t i = 0; i < values; ++i) {
      std::uint32_t number = 0;
      for (unsigned int bit = 0; bit < width; ++bit) {
        const std::uint64_t place = i * width + bit;
        const auto byte = static_cast<std::uint8_t>(packed[place / 8]);
        number |= ((static_cast<std::uint32_t>(byte) >> (place % 8)) & 1U) << bit;
      }
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace

struct ParquetPageReader::Page {
  int type = kDataPage;
  std::int64_t values = 0;
  int encoding = kPlain;
  std::string levels;  // of a page of version 2: which cells are there
  std::string content;
};

ParquetPageReader::ParquetPageReader(const ParquetChunk& chunk, std::string_view pages,
                                     std::string source)
    : chunk_(chunk), source_(std::move(source)), pages_(pages, source_) {}

void ParquetPageReader::fail(std::string_view message) const { pages_.fail(message); }

void ParquetPageReader::append_to(ParquetColumn& column) {
  const auto wanted = static_cast<std::int64_t>(column.ends.size()) + chunk_.values;
  while (static_cast<std::int64_t>(column.ends.size()) < wanted) {
    Page page = next_page();
    if (page.type == kDictionaryPage) {
      read_dictionary(page);
    } else if (page.type == kDataPage || page.type == kDataPage2) {
      read_data(std::move(page), column);
    }
  }
  if (static_cast<std::int64_t>(column.ends.size()) != wanted) fail("is damaged: too many values");
}

ParquetPageReader::Page ParquetPageReader::next_page() {
  const ThriftValue header = read_thrift_structure(pages_);
  Page page;
  page.type = static_cast<int>(header.field(1).number());
  const std::int64_t unpacked = header.field(2).number();
  const std::int64_t packed = header.field(3).number();
  if (unpacked < 0 || packed < 0 || unpacked > kMostPageBytes) {
    fail(fmt::format("is damaged: a page of {} bytes", unpacked));
  }
  std::string_view content = pages_.take(static_cast<std::uint64_t>(packed));
  const int part = page.type == kDataPage ? 5 : page.type == kDictionaryPage ? 7 : 8;
  const ThriftValue& details = header.field(part);
  page.values = details.field(1).number();
  page.encoding = static_cast<int>(details.field(page.type == kDataPage2 ? 4 : 2).number());
  if (page.values < 0 || page.values > kMostPageValues) {
    fail(fmt::format("is damaged: a page of {} values", page.values));
  }
  bool compressed = chunk_.codec == ParquetCodec::kSnappy;
  std::int64_t level_bytes = 0;
  if (page.type == kDataPage2) {
    level_bytes = details.field(5).number() + details.field(6).number();
    if (level_bytes < 0 || level_bytes > std::min(packed, unpacked)) {
      fail(fmt::format("is damaged: levels of {} bytes", level_bytes));
    }
    page.levels = content.substr(0, static_cast<std::size_t>(level_bytes));
    content.remove_prefix(static_cast<std::size_t>(level_bytes));
    compressed = compressed && (!details.has(7) || details.field(7).number() != 0);
  }
  page.content =
      compressed ? unpack_snappy(content, static_cast<std::size_t>(unpacked - level_bytes), source_)
                 : std::string(content);
  return page;
}

void ParquetPageReader::read_dictionary(const Page& page) {
  if (page.encoding != kPlain && page.encoding != kPlainDictionary) {
    fail(fmt::format("has a dictionary in encoding {}, which isn't supported", page.encoding));
  }
  ByteReader values(page.content, source_);
  dictionary_ = plain_values(values, page.values);
}

void ParquetPageReader::read_data(Page page, ParquetColumn& column) {
  ByteReader values(page.content, source_);
  std::vector<std::uint32_t> present(static_cast<std::size_t>(page.values), 1);
  if (chunk_.optional) {
    if (page.type == kDataPage) page.levels = values.take(values.little_endian(4));
    ByteReader levels(page.levels, source_);
    present = run_lengths(levels, 1, page.values);
  }
  // A damaged run has numbers of more bits.
  const auto count = std::ssize(present) - std::count(present.begin(), present.end(), 0U);
  std::vector<std::uint32_t> indices;
  const bool by_dictionary =
      page.encoding == kPlainDictionary || page.encoding == kDictionaryIndices;
  if (by_dictionary && count > 0) {
    const unsigned int width = values.byte();
    if (width > 32) fail(fmt::format("is damaged: indices of {} bits", width));
    indices = run_lengths(values, width, count);
  } else if (!by_dictionary && page.encoding != kPlain) {
    fail(fmt::format("has a page in encoding {}, which isn't supported", page.encoding));
  }
  std::size_t next = 0;
  for (const std::uint32_t there : present) {
    if (there != 0 && by_dictionary) {
      const std::uint32_t index = indices[next++];
      if (index >= dictionary_.size()) fail("is damaged: a value that its dictionary doesn't have");
      column.text += dictionary_[index];
    } else if (there != 0) {
      column.text += plain_value(values);
    }
    column.ends.push_back(column.text.size());
    column.absent.push_back(there != 0 ? 0 : 1);
    if (column.text.size() > kMostColumnBytes) {
      fail(fmt::format("has more than {} bytes of text, which isn't supported", kMostColumnBytes));
    }
  }
}

std::vector<std::string> ParquetPageReader::plain_values(ByteReader& values,
                                                         std::int64_t count) const {
  std::vector<std::string> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(plain_value(values));
  return result;
}

std::string ParquetPageReader::plain_value(ByteReader& values) const {
  switch (chunk_.type) {
    case ParquetType::kInt32:
      return fmt::format("{}", static_cast<std::int32_t>(values.little_endian(4)));
    case ParquetType::kInt64:
      return fmt::format("{}", static_cast<std::int64_t>(values.little_endian(8)));
    case ParquetType::kFloat:
      return fmt::format("{}",
                         std::bit_cast<float>(static_cast<std::uint32_t>(values.little_endian(4))));
    case ParquetType::kDouble:
      return fmt::format("{}", std::bit_cast<double>(values.little_endian(8)));
    case ParquetType::kBytes:
      break;
  }
  return std::string(values.take(values.little_endian(4)));
}

}  // namespace tandem
