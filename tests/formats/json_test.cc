#include "formats/json.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using nlohmann::json;
using testing::failure_of;

const JsonSource kConfig{.name = "config.json"};

std::string parse_failure(std::string_view text) {
  const auto failure = failure_of([&] { parse_json(text, kConfig); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  return failure.message;
}

TEST(Json, ReadsEveryKindOfValue) {
  const json value =
      parse_json(R"( {"a": [1, -2, 2.5, "x\u00e9", true, null], "b": {"c": {}}} )", kConfig);
  EXPECT_EQ(value,
            (json{{"a", {1, -2, 2.5, "x\u00e9", true, nullptr}}, {"b", {{"c", json::object()}}}}));
  EXPECT_EQ(parse_json("7", kConfig), json(7));
}

TEST(Json, SaysWhereATextStopsBeingJson) {
  const std::string message = parse_failure("{\n  \"a\": 1,\n  \"b\": tru\n}");
  EXPECT_TRUE(
      message.starts_with("config.json:3: not valid JSON at column 11: "
                          "syntax error while parsing value - invalid literal"))
      << message;
  EXPECT_TRUE(parse_failure("").starts_with("config.json:1: not valid JSON at column 1: "));
  EXPECT_TRUE(parse_failure("[1, 2").starts_with("config.json:1: not valid JSON at column 5: "));
  EXPECT_TRUE(parse_failure("[1] 2").starts_with("config.json:1: not valid JSON at column 5: "));
  EXPECT_EQ(parse_failure("[1]\n\xFF"),
            "config.json:2: not valid JSON at column 1: a byte that is not UTF-8");
  EXPECT_EQ(parse_failure(std::string_view("[1]\0x", 5)),
            "config.json:1: not valid JSON at column 4: a NUL byte");
  EXPECT_EQ(parse_failure("[1e999]"), "config.json: the number 1e999 is too large");
}

TEST(Json, RefusesARepeatedKeyAndDeepNesting) {
  EXPECT_EQ(parse_failure(R"({"a": {"b": 1, "c": 2, "b": 3}})"),
            "config.json: the key \"b\" occurs twice in one object");
  EXPECT_EQ(parse_failure(std::string(65, '[') + std::string(65, ']')),
            "config.json: nested more than 64 deep");
  parse_json(std::string(64, '[') + std::string(64, ']'), kConfig);
  EXPECT_EQ(parse_failure(std::string(1000000, '[')), "config.json: nested more than 64 deep");
}

TEST(Json, NamesThePathOfAFile) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.write("a.json", "{\"a\": }");
  const auto failure = failure_of([&] { read_json_file(path, ExitCode::kData, 100); });
  EXPECT_EQ(failure.code, ExitCode::kData);
  EXPECT_TRUE(failure.message.starts_with(path.string() + ":1: not valid JSON at column 7: "))
      << failure.message;
  const auto large = failure_of([&] { read_json_file(path, ExitCode::kData, 3); });
  EXPECT_NE(large.message.find("7 bytes long, at most 3"), std::string::npos) << large.message;
}

TEST(JsonValue, GivesSettingsByKey) {
  const json config = parse_json(
      R"({"n": 768, "eps": 1e-12, "on": true, "name": "x", "map": {"b": 1, "a": 2}, "no": null})",
      kConfig);
  const JsonValue value(config, kConfig);
  EXPECT_EQ(value.at("n").whole_number(1, 1000), 768);
  EXPECT_EQ(value.at("eps").number(0, 1), 1e-12);
  EXPECT_EQ(value.at("n").number(0, 1000), 768.0);
  EXPECT_TRUE(value.at("on").boolean());
  EXPECT_EQ(value.at("name").text(), "x");
  EXPECT_EQ(value.at("map").members()[0].first, "a");
  EXPECT_FALSE(value.find("no").has_value());
  EXPECT_FALSE(value.find("absent").has_value());
}

TEST(JsonValue, NamesTheKeyAndWhatWasFound) {
  const json config = parse_json(
      R"({"hidden_size": "768", "n": 0, "f": 2.0, "big": 18446744073709551615,
          "map": {"3": []}, "list": [1, {"x": "y"}]})",
      kConfig);
  const JsonValue value(config, kConfig);
  const auto message = [](auto&& call) { return failure_of(call).message; };
  EXPECT_EQ(message([&] { value.at("hidden_size").whole_number(1, 9); }),
            "config.json: hidden_size: expected a whole number from 1 to 9, found \"768\"");
  EXPECT_EQ(message([&] { value.at("n").whole_number(1, 9); }),
            "config.json: n: expected a whole number from 1 to 9, found 0");
  EXPECT_EQ(message([&] { value.at("f").whole_number(1, 9); }),
            "config.json: f: expected a whole number from 1 to 9, found 2.0");
  EXPECT_EQ(message([&] { value.at("big").whole_number(1, 9); }),
            "config.json: big: expected a whole number from 1 to 9, found 18446744073709551615");
  EXPECT_EQ(message([&] { value.at("f").number(0, 0.5); }),
            "config.json: f: expected a number from 0 to 0.5, found 2.0");
  EXPECT_EQ(message([&] { value.at("map").at("3").text(); }),
            "config.json: map.3: expected a string, found an array");
  EXPECT_EQ(message([&] { value.at("list").elements()[1].at("x").boolean(); }),
            "config.json: list.1.x: expected true or false, found \"y\"");
  EXPECT_EQ(message([&] { value.at("absent"); }), "config.json: absent: missing");
  EXPECT_EQ(message([&] { value.at("n").find("x"); }),
            "config.json: n: expected an object, found 0");
  EXPECT_EQ(message([&] { value.at("n").elements(); }),
            "config.json: n: expected an array, found 0");
}

// The value and the four texts of the next test come from Python 3.11:
//   json.dumps(value, sort_keys=True, ...)
json python_value() {
  const double infinity = std::numeric_limits<double>::infinity();
  return {{"b",
           {1,
            2.0,
            5e-05,
            1e-12,
            0.1,
            -0.0,
            1e16,
            123456789012345680.0,
            1e15,
            0.0001,
            1e-4 / 3,
            std::numeric_limits<double>::quiet_NaN(),
            infinity,
            -infinity,
            9223372036854775808U,
            std::numeric_limits<std::int64_t>::min(),
            1e22,
            1.7976931348623157e308,
            5e-324,
            100000.0}},
          {"a",
           {{"\u00e9", "\"\\\n\r\t\f\b\x01\x7f/\u00fc\u20ac\U0001F600"},
            {"", json::array()},
            {"z", json::object()},
            {"B", nullptr},
            {"n", {true, false, json::array({json{{"k", json::array({json::array()})}}})}}}},
          {"\U0001F600", 1},
          {"\uffff", 2}};
}

TEST(PythonJson, WritesWhatPythonWritesOnOneLine) {
  EXPECT_EQ(
      python_json(python_value(), {.indent = {}}),
      R"({"a": {"": [], "B": null, "n": [true, false, [{"k": [[]]}]], "z": {}, )"
      R"("\u00e9": "\"\\\n\r\t\f\b\u0001\u007f/\u00fc\u20ac\ud83d\ude00"}, )"
      R"("b": [1, 2.0, 5e-05, 1e-12, 0.1, -0.0, 1e+16, 1.2345678901234568e+17, 1000000000000000.0, )"
      R"(0.0001, 3.3333333333333335e-05, NaN, Infinity, -Infinity, 9223372036854775808, )"
      R"(-9223372036854775808, 1e+22, 1.7976931348623157e+308, 5e-324, 100000.0], )"
      R"("\uffff": 2, "\ud83d\ude00": 1})");
}

TEST(PythonJson, WritesWhatPythonWritesWithIndentation) {
  const json value{{"a", json::array()}, {"n", {true, {{"k", {{"x", nullptr}}}}}}, {"z", 0.5}};
  EXPECT_EQ(python_json(value), R"({
  "a": [],
  "n": [
    true,
    {
      "k": {
        "x": null
      }
    }
  ],
  "z": 0.5
})");
  EXPECT_EQ(python_json(json{{"eval_loss", 0.25}, {"epoch", 3.0}}, {.indent = 4}),
            "{\n    \"epoch\": 3.0,\n    \"eval_loss\": 0.25\n}");
}

TEST(PythonJson, KeepsUnicodeWithoutEnsureAscii) {
  EXPECT_EQ(python_json("\"\\\n\r\t\f\b\x01\x7f/\u00fc\u20ac\U0001F600", {.ensure_ascii = false}),
            "\"\\\"\\\\\\n\\r\\t\\f\\b\\u0001\x7f/\u00fc\u20ac\U0001F600\"");
}

}  // namespace
}  // namespace tandem
