#pragma once
// Structures in Thrift's compact protocol (github.com/apache/thrift, doc/specs/thrift-compact-
// protocol.md), in which Parquet describes itself. Read as they stand, whatever they mean.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "formats/byte_reader.h"

namespace tandem {

class ThriftValue {
 public:
  // A field of a structure by its number; an empty value when it isn't there.
  const ThriftValue& field(int number) const;
  bool has(int number) const { return fields_.contains(number); }
  // Of whole numbers and booleans; 0 for anything else.
  std::int64_t number() const { return number_; }
  const std::string& text() const { return text_; }
  const std::vector<ThriftValue>& elements() const { return elements_; }

 private:
  friend class ThriftReader;
  std::int64_t number_ = 0;
  std::string text_;
  std::vector<ThriftValue> elements_;
  std::map<int, ThriftValue> fields_;
};

// Reads one structure; the reader stands behind it then. Throws DataError when there is none.
ThriftValue read_thrift_structure(ByteReader& reader);

}  // namespace tandem
