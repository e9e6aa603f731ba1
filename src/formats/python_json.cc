// Python's json.dumps with sort_keys=True, after CPython 3.11's Lib/json/encoder.py.

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "formats/json.h"

namespace tandem {
namespace {

using nlohmann::json;

class Writer {
 public:
  explicit Writer(const PythonJsonStyle& style) : style_(style) {}

  void write(const json& value) {
    switch (value.type()) {
      case json::value_t::object:
        return write_object(value);
      case json::value_t::array:
        return write_array(value);
      case json::value_t::string:
        return write_text(value.get_ref<const std::string&>());
      case json::value_t::boolean:
        out += value.get<bool>() ? "true" : "false";
        return;
      case json::value_t::number_integer:
        out += fmt::format("{}", value.get<std::int64_t>());
        return;
      case json::value_t::number_unsigned:
        out += fmt::format("{}", value.get<std::uint64_t>());
        return;
      case json::value_t::number_float:
        out += python_float(value.get<double>());
        return;
      case json::value_t::null:
      case json::value_t::binary:
      case json::value_t::discarded:
        out += "null";
        return;
    }
  }

  std::string out;

 private:
  void write_object(const json& object) {
    if (object.empty()) {
      out += "{}";
      return;
    }
    out += '{';
    bool first = true;
    ++depth_;
    // nlohmann's objects are ordered by the bytes of their keys, which is the order of the code
    // points, which is Python's.
    for (const auto& [key, value] : object.items()) {
      separate(first);
      first = false;
      write_text(key);
      out += ": ";
      write(value);
    }
    --depth_;
    new_line();
    out += '}';
  }

  void write_array(const json& array) {
    if (array.empty()) {
      out += "[]";
      return;
    }
    out += '[';
    bool first = true;
    ++depth_;
    for (const json& value : array) {
      separate(first);
      first = false;
      write(value);
    }
    --depth_;
    new_line();
    out += ']';
  }

  void separate(bool first) {
    if (!first) out += style_.indent ? "," : ", ";
    new_line();
  }

  void new_line() {
    if (!style_.indent) return;
    out += '\n';
    out.append(static_cast<std::size_t>(depth_) * static_cast<std::size_t>(*style_.indent), ' ');
  }

  void write_text(std::string_view text) {
    out += '"';
    for (std::size_t i = 0; i < text.size();) {
      const auto decoded = decode_utf8(text, i);
      TANDEM_CHECK(decoded.has_value(), "byte {} of a JSON string is not UTF-8", i);
      write_code_point(decoded->code_point, text.substr(i, decoded->bytes));
      i += decoded->bytes;
    }
    out += '"';
  }

  void write_code_point(char32_t code_point, std::string_view bytes) {
    constexpr std::string_view kShort = "\"\\\n\r\t\f\b", kLetters = "\"\\nrtfb";
    if (const std::size_t i = code_point < 0x80 ? kShort.find(bytes) : kShort.npos;
        i != kShort.npos) {
      out += '\\';
      out += kLetters[i];
    } else if (code_point >= 0x20 && (code_point < 0x7F || !style_.ensure_ascii)) {
      out += bytes;
    } else if (code_point < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code_point));
    } else {
      const auto rest = static_cast<std::uint32_t>(code_point) - 0x10000U;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800U + (rest >> 10U), 0xDC00U + (rest & 0x3FFU));
    }
  }

  PythonJsonStyle style_;
  int depth_ = 0;
};

}  // namespace

std::string python_json(const nlohmann::json& value, const PythonJsonStyle& style) {
  Writer writer(style);
  writer.write(value);
  return std::move(writer.out);
}

std::string python_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  // fmt, like repr, gives the shortest digits that read back as the same number, and an exponent
  // below 1e-4 and from 1e16 on; it only leaves out ".0".
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == text.npos) text += ".0";
  return text;
}

}  // namespace tandem
