#include "report/event.h"

#include <bit>

namespace tandem {
namespace {

// Wire types of the encoding.
constexpr std::uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

std::string varint(std::uint64_t value) {
  std::string bytes;
  while (value >= 0x80U) {
    bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  return bytes + static_cast<char>(value);
}

std::string key(std::uint32_t field, std::uint32_t wire_type) {
  return varint((field << 3U) | wire_type);
}

template <class Bits>
std::string little_endian(Bits bits) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(bits); ++i) {
    bytes += static_cast<char>((bits >> (8 * i)) & 0xFFU);
  }
  return bytes;
}

std::string whole_field(std::uint32_t field, std::int64_t value) {
  return key(field, kVarint) + varint(static_cast<std::uint64_t>(value));
}

std::string double_field(std::uint32_t field, double value) {
  return key(field, kFixed64) + little_endian(std::bit_cast<std::uint64_t>(value));
}

std::string float_field(std::uint32_t field, float value) {
  return key(field, kFixed32) + little_endian(std::bit_cast<std::uint32_t>(value));
}

// A string, bytes, or a message.
std::string bytes_field(std::uint32_t field, std::string_view bytes) {
  return key(field, kBytes) + varint(bytes.size()) + std::string(bytes);
}

// Event { double wall_time = 1; int64 step = 2; ... }
std::string event_begin(const EventTime& time) {
  return double_field(1, time.seconds) + whole_field(2, time.step);
}

// Event { Summary summary = 5; }  Summary { repeated Value value = 1; }
std::string summary_event(const EventTime& time, const std::string& value) {
  return event_begin(time) + bytes_field(5, bytes_field(1, value));
}

}  // namespace

std::string version_event(double seconds) {
  // Event { string file_version = 3; }
  return double_field(1, seconds) + bytes_field(3, "brain.Event:2");
}

std::string scalar_event(const EventTime& time, std::string_view tag, float value) {
  // Value { string tag = 1; float simple_value = 2; }
  return summary_event(time, bytes_field(1, tag) + float_field(2, value));
}

std::string text_event(const EventTime& time, std::string_view tag, std::string_view text) {
  // SummaryMetadata { PluginData plugin_data = 1; }  PluginData { string plugin_name = 1; }
  const std::string metadata = bytes_field(1, bytes_field(1, "text"));
  // TensorProto { DataType dtype = 1; TensorShapeProto tensor_shape = 2;
  //               repeated bytes string_val = 8; }
  // TensorShapeProto { repeated Dim dim = 2; }  Dim { int64 size = 1; }
  constexpr std::int64_t kStringType = 7;
  const std::string shape = bytes_field(2, whole_field(1, 1));
  const std::string tensor =
      whole_field(1, kStringType) + bytes_field(2, shape) + bytes_field(8, text);
  // Value { string tag = 1; TensorProto tensor = 8; SummaryMetadata metadata = 9; }
  const std::string name = std::string(tag) + "/text_summary";
  return summary_event(time,
                       bytes_field(1, name) + bytes_field(8, tensor) + bytes_field(9, metadata));
}

}  // namespace tandem
