#include "formats/thrift_compact.h"

namespace tandem {
namespace {

constexpr int kMostDepth = 16;

std::int64_t zigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1U) ^ -static_cast<std::int64_t>(number & 1U);
}

}  // namespace

const ThriftValue& ThriftValue::field(int number) const {
  static const ThriftValue kNone;
  const auto found = fields_.find(number);
  return found == fields_.end() ? kNone : found->second;
}

class ThriftReader {
 public:
  explicit ThriftReader(ByteReader& reader) : reader_(reader) {}

  ThriftValue structure(int depth) {
    if (depth > kMostDepth) reader_.fail("is damaged: its structures are nested too deeply");
    ThriftValue value;
    int number = 0;
    while (true) {
      const std::uint8_t header = reader_.byte();
      const unsigned int type = header & 0xFU;
      if (type == kStop) return value;
      const int step = header >> 4U;
      number =
          step != 0 ? number + step : static_cast<int>(zigzag(reader_.variable_length()) & 0xFFFF);
      value.fields_[number] = of_field(type, depth);
    }
  }

 private:
  enum Type : unsigned int {
    kStop = 0,
    kTrue = 1,
    kFalse = 2,
    kByte = 3,
    kDouble = 7,
    kBinary = 8,
    kList = 9,
    kSet = 10,
    kMap = 11,
    kStructure = 12,
  };

  // A boolean field is told by its type alone.
  ThriftValue of_field(unsigned int type, int depth) {
    if (type != kTrue && type != kFalse) return of_type(type, depth);
    ThriftValue value;
    value.number_ = type == kTrue ? 1 : 0;
    return value;
  }

  ThriftValue of_type(unsigned int type, int depth) {
    ThriftValue value;
    switch (type) {
      case kTrue:
      case kFalse:  // an element: a byte
        value.number_ = reader_.byte() == 1 ? 1 : 0;
        return value;
      case kByte:
        value.number_ = reader_.byte();
        return value;
      case 4:
      case 5:
      case 6:  // 16, 32 and 64 bits
        value.number_ = zigzag(reader_.variable_length());
        return value;
      case kDouble:
        reader_.take(8);
        return value;
      case kBinary:
        value.text_ = reader_.take(reader_.variable_length());
        return value;
      case kList:
      case kSet:
        return list(depth + 1);
      case kMap:
        skip_map(depth + 1);
        return value;
      case kStructure:
        return structure(depth + 1);
      default:
        reader_.fail(fmt::format("is damaged: there is no Thrift type {}", type));
    }
  }

  ThriftValue list(int depth) {
    const std::uint8_t header = reader_.byte();
    std::uint64_t count = header >> 4U;
    if (count == 15) count = reader_.variable_length();
    check_count(count, depth);
    ThriftValue value;
    for (std::uint64_t i = 0; i < count; ++i) {
      value.elements_.push_back(of_type(header & 0xFU, depth));
    }
    return value;
  }

  void skip_map(int depth) {
    const std::uint64_t count = reader_.variable_length();
    check_count(count, depth);
    if (count == 0) return;
    const std::uint8_t types = reader_.byte();
    for (std::uint64_t i = 0; i < count; ++i) {
      of_type(types >> 4U, depth);
      of_type(types & 0xFU, depth);
    }
  }

  // Each element takes a byte at least.
  void check_count(std::uint64_t count, int depth) const {
    if (count > reader_.left() || depth > kMostDepth) {
      reader_.fail(fmt::format("is damaged: a list of {} elements", count));
    }
  }

  ByteReader& reader_;
};

ThriftValue read_thrift_structure(ByteReader& reader) { return ThriftReader(reader).structure(0); }

}  // namespace tandem
