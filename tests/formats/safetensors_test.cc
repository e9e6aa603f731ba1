#include "formats/safetensors.h"

#include <bit>
#include <cstring>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

// A file: length, header, data.
std::string file_of(std::string_view header, std::string_view data) {
  const std::uint64_t bytes = header.size();
  std::string length(8, '\0');
  std::memcpy(length.data(), &bytes, 8);
  return length + std::string(header) + std::string(data);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// What is said of a header that `data_bytes` of tensors follow.
std::string header_failure(std::string_view header, std::int64_t data_bytes) {
  const auto failure = failure_of([&] {
    const auto header_bytes = static_cast<std::int64_t>(header.size());
    parse_safetensors_header(header, 8 + header_bytes + data_bytes, "m.safetensors");
  });
  EXPECT_TRUE(failure.code == ExitCode::kModel || failure.message.empty());
  return failure.message;
}

std::string file_failure(const std::string& content) {
  const TemporaryDirectory directory;
  const auto path = directory.write("m.safetensors", content);
  const auto failure = failure_of([&] { SafetensorsFile::open(path); });
  EXPECT_EQ(failure.code, ExitCode::kModel);
  return failure.message;
}

std::string entry(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return fmt::format(R"({{"w":{{"dtype":"{}","shape":[{}],"data_offsets":[{}]}}}})", dtype, shape,
                     offsets);
}

TEST(Safetensors, ReadsWhatTheReferenceWrote) {
  const TemporaryDirectory directory;
  // Half-precision patterns and the float bits that torch 2.15 gives for them: zeros, ones,
  // subnormals, the largest, infinities, a third.
  const std::vector<std::uint16_t> half{0x0000, 0x8000, 0x3c00, 0xc000, 0x0001, 0x83ff,
                                        0x0400, 0x7bff, 0x7c00, 0xfc00, 0x3555};
  const std::vector<std::uint32_t> half_as_float{0x0,        0x80000000, 0x3f800000, 0xc0000000,
                                                 0x33800000, 0xb87fc000, 0x38800000, 0x477fe000,
                                                 0x7f800000, 0xff800000, 0x3eaaa000};
  const std::string header =
      R"({"__metadata__":{"format":"pt"},"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("h":{"dtype":"F16","shape":[11],"data_offsets":[8,30]},)"
      R"("b":{"dtype":"BF16","shape":[1,2],"data_offsets":[30,34]},)"
      R"("p":{"dtype":"I64","shape":[1],"data_offsets":[34,42]}}  )";
  const auto path = directory.write(
      "m.safetensors",
      file_of(header, bytes_of<float>({1.5F, -2}) + bytes_of(half) +
                          bytes_of<std::uint16_t>({0x3f80, 0xc0a0}) + bytes_of<std::int64_t>({7})));
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto& tensors = file.header().tensors;
  ASSERT_EQ(tensors.size(), 4U);
  EXPECT_EQ(file.header().metadata.at("format"), "pt");
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[0].shape, (std::vector<std::int64_t>{1, 2}));
  std::vector<float> two(2), eleven(11), one(1);
  file.read_f32(tensors[0], two);
  EXPECT_EQ(two, (std::vector<float>{1, -5}));
  file.read_f32(tensors[1], two);
  EXPECT_EQ(two, (std::vector<float>{1.5F, -2}));
  file.read_f32(tensors[2], eleven);
  for (std::size_t i = 0; i < half.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(eleven[i]), half_as_float[i]) << i;
  }
  EXPECT_EQ(
      failure_of([&] { file.read_f32(tensors[3], one); }).message,
      "m.safetensors: tensor p: type I64 can't be read as weights; supported: F32, F16, BF16, and "
      "I8 of quantised models");
}

TEST(Safetensors, ConvertsTensorsLongerThanItsBuffer) {
  const TemporaryDirectory directory;
  std::vector<std::uint16_t> values(40000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(0x3f80 + i % 128);
  }
  const auto path = directory.write("m.safetensors",
                                    file_of(entry("BF16", "40000", "0,80000"), bytes_of(values)));
  const SafetensorsFile file = SafetensorsFile::open(path);
  std::vector<float> out(40000);
  file.read_f32(file.header().tensors[0], out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], 1 + static_cast<float>(i % 128) / 128);
  }
}

TEST(Safetensors, WritesTheBytesThatTheReferenceWrites) {
  const TemporaryDirectory directory;
  const std::vector<float> matrix{1, 2, 3, 4.5F}, scalar{-1.5F};
  StagedFiles files(directory.path());
  stage_safetensors(files, "m.safetensors",
                    {TensorToWrite::f32("z", {0, 3}, {}), TensorToWrite::f32("b", {2, 2}, matrix),
                     TensorToWrite::f32("a.\u00e9\"", {}, scalar)});
  files.commit();
  // As safetensors 0.8's save_file wrote the same three tensors.
  const std::string expected = file_of(
      "{\"__metadata__\":{\"format\":\"pt\"},"
      "\"a.\u00e9\\\"\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[4,20]},"
      "\"z\":{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[20,20]}}      ",
      bytes_of(scalar) + bytes_of(matrix));
  const auto path = directory.path() / "m.safetensors";
  EXPECT_EQ(read_file(path, ExitCode::kModel, 1000), expected);
  EXPECT_EQ(SafetensorsFile::open(path).header().tensors.size(), 3U);
}

TEST(Safetensors, WritesAndReadsIntegers) {
  const TemporaryDirectory directory;
  const std::vector<std::int8_t> values{-127, 0, 5, 127};
  StagedFiles files(directory.path());
  stage_safetensors(files, "m.safetensors", {TensorToWrite::i8("w", {2, 2}, values)});
  files.commit();
  const SafetensorsFile file = SafetensorsFile::open(directory.path() / "m.safetensors");
  EXPECT_EQ(file.header().tensors[0].dtype, "I8");
  std::vector<float> out(4);
  file.read_f32(file.header().tensors[0], out);
  EXPECT_EQ(out, (std::vector<float>{-127, 0, 5, 127}));
}

TEST(Safetensors, ChecksTheLengthOfTheHeader) {
  EXPECT_EQ(file_failure(""),
            "m.safetensors: 0 bytes long; a safetensors file starts with 8 bytes of header length");
  EXPECT_EQ(
      file_failure(std::string("\x7f\0\0\x10\0\0\0\0", 8)),
      "m.safetensors: a header of 268435583 bytes, the format allows at most 100000000; is it "
      "a safetensors file?");
  EXPECT_EQ(file_failure(std::string(8, '\xff')),
            "m.safetensors: a header of 18446744073709551615 bytes, the format allows at most "
            "100000000; is it a safetensors file?");
  EXPECT_EQ(file_failure("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
            "m.safetensors: is a Git LFS pointer and not the file itself; run `git lfs pull` in "
            "its directory");
  EXPECT_EQ(file_failure(file_of("{}", "").substr(0, 9)),
            "m.safetensors: a header of 2 bytes, but only 1 follow: the file is truncated or "
            "damaged; copy or download it again");
  EXPECT_EQ(file_failure(file_of("", "abc")),
            "m.safetensors: the header must start with {, found \"\"");
}

TEST(Safetensors, ChecksThatTheHeaderIsStrictJson) {
  EXPECT_EQ(header_failure(" {}", 0), "m.safetensors: the header must start with {, found \" \"");
  EXPECT_EQ(header_failure("{\"\xff\":1}", 0),
            "m.safetensors: the header is not UTF-8 at its byte 2");
  EXPECT_EQ(header_failure(std::string_view("{}\0{", 4), 0),
            "m.safetensors: the header has a NUL at its byte 2");
  EXPECT_EQ(header_failure("{\"a\"", 0),
            "m.safetensors: the header is not valid JSON at its byte 5");
  EXPECT_EQ(header_failure("{}x", 0), "m.safetensors: the header is not valid JSON at its byte 3");
  parse_safetensors_header("{}  ", 12, "m.safetensors");
}

TEST(Safetensors, ChecksTheFormOfEachEntry) {
  EXPECT_EQ(header_failure(R"({"w":1})", 0),
            "m.safetensors: tensor w: expected an object, found the number 1");
  EXPECT_EQ(header_failure(R"({"w":null})", 0),
            "m.safetensors: tensor w: expected an object, found null");
  EXPECT_EQ(header_failure(R"({"w":{"dtype":"F32","shape":[]}})", 0),
            "m.safetensors: tensor w: data_offsets is missing");
  EXPECT_EQ(header_failure(R"({"w":{"dtype":7}})", 0),
            "m.safetensors: tensor w: dtype: expected a string, found the number 7");
  EXPECT_EQ(header_failure(R"({"w":{"note":"x"}})", 0),
            "m.safetensors: tensor w: note: expected only dtype, shape and data_offsets, found the "
            "string \"x\"");
  EXPECT_EQ(
      header_failure(entry("F32", "-1", "0,4"), 4),
      "m.safetensors: tensor w: shape: expected a list of whole numbers below 2^63, found -1");
  EXPECT_EQ(
      header_failure(entry("F32", "1.5", "0,4"), 4),
      "m.safetensors: tensor w: shape: expected a list of whole numbers below 2^63, found 1.5");
  EXPECT_EQ(header_failure(entry("F32", "[1]", "0,4"), 4),
            "m.safetensors: tensor w: shape: expected a list of whole numbers below 2^63, found a "
            "list");
  EXPECT_EQ(header_failure(entry("F32", "18446744073709551616", "0,4"), 4),
            "m.safetensors: tensor w: shape: expected a list of whole numbers below 2^63, found "
            "18446744073709551616");
  EXPECT_EQ(header_failure(entry("F32", "1", "0,4,8"), 4),
            "m.safetensors: tensor w: data_offsets: expected 2 numbers, found 3");
  EXPECT_EQ(header_failure(R"({"__metadata__":{"a":1}})", 0),
            "m.safetensors: __metadata__: a: expected a string, found the number 1");
  EXPECT_EQ(header_failure(entry("F31", "1", "0,4"), 4),
            "m.safetensors: tensor w: dtype \"F31\" is not one of the format's");
}

TEST(Safetensors, RefusesWhatOccursTwice) {
  const std::string_view tensor = R"("w":{"dtype":"F32","shape":[],"data_offsets":[0,4]})";
  EXPECT_EQ(header_failure(fmt::format("{{{},{}}}", tensor, tensor), 4),
            "m.safetensors: tensor w: occurs twice");
  EXPECT_EQ(header_failure(R"({"w":{"dtype":"F32","dtype":"F32"}})", 4),
            "m.safetensors: tensor w: dtype: occurs twice");
  EXPECT_EQ(header_failure(R"({"w":{"shape":[],"shape":[]}})", 4),
            "m.safetensors: tensor w: shape: occurs twice");
  EXPECT_EQ(header_failure(R"({"__metadata__":{"a":"x","a":"y"}})", 0),
            "m.safetensors: __metadata__: a: occurs twice");
  EXPECT_EQ(header_failure(R"({"__metadata__":{},"__metadata__":{}})", 0),
            "m.safetensors: tensor __metadata__: occurs twice");
}

TEST(Safetensors, ChecksTheSizeOfEachTensor) {
  EXPECT_EQ(
      header_failure(entry("F32", "2, 3", "0,20"), 20),
      "m.safetensors: tensor w: shape [2, 3] of F32 takes 192 bits, data_offsets [0, 20] hold "
      "20 bytes");
  EXPECT_EQ(header_failure(entry("F4", "3", "0,1"), 1),
            "m.safetensors: tensor w: shape [3] of F4 takes 12 bits, data_offsets [0, 1] hold 1 "
            "bytes");
  EXPECT_EQ(header_failure(entry("F32", "4294967296,4294967296", "0,0"), 0),
            "m.safetensors: tensor w: shape [4294967296, 4294967296]: the number of elements "
            "overflows 64 bits");
  EXPECT_EQ(header_failure(entry("F32", "4611686018427387904", "0,0"), 0),
            "m.safetensors: tensor w: shape [4611686018427387904] of F32: the size overflows 64 "
            "bits");
  EXPECT_EQ(header_failure(entry("F32", "1", "8,4"), 4),
            "m.safetensors: tensor w: data_offsets end at 4, before 8");
  EXPECT_EQ(header_failure(entry("F32", "0", "9223372036854775807,9223372036854775807"), 0),
            "m.safetensors: tensor w: data_offsets begin at 9223372036854775807, past the end of "
            "the file");
}

TEST(Safetensors, ChecksThatTensorsFillTheFile) {
  const auto two = [](std::string_view first, std::string_view second) {
    return fmt::format(R"({{"v":{{"dtype":"F32","shape":[1],"data_offsets":[{}]}},)"
                       R"("w":{{"dtype":"F32","shape":[1],"data_offsets":[{}]}}}})",
                       first, second);
  };
  EXPECT_EQ(header_failure(two("4,8", "0,4"), 8), "");  // in any order
  EXPECT_EQ(header_failure(two("0,4", "8,12"), 12),
            "m.safetensors: tensor w: begins at byte 8 of the data, leaves a hole after the tensor "
            "before it, which ends at byte 4");
  EXPECT_EQ(header_failure(two("0,4", "0,4"), 4),
            "m.safetensors: tensor w: begins at byte 0 of the data, overlaps the tensor before it, "
            "which ends at byte 4");
  EXPECT_EQ(header_failure(two("4,8", "8,12"), 12),
            "m.safetensors: tensor v: begins at byte 4 of the data, leaves a hole after the tensor "
            "before it, which ends at byte 0");
  EXPECT_EQ(header_failure(two("0,4", "4,8"), 7),
            "m.safetensors: tensor w: ends at byte 8 of the data, the file has only 7: it is "
            "truncated or damaged; copy or download it again");
  EXPECT_EQ(header_failure(two("0,4", "4,8"), 9),
            "m.safetensors: 1 bytes follow the last tensor, which ends at byte 8 of the data");
}

TEST(Safetensors, KnowsEveryTypeOfTheFormat) {
  for (const auto& [dtype, bits] : std::vector<std::pair<const char*, int>>{
           {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
           {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
           {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
           {"I32", 32},        {"U32", 32},    {"F32", 32},    {"F64", 64},    {"C64", 64},
           {"I64", 64},        {"U64", 64}}) {
    const std::string header = entry(dtype, "8", fmt::format("0,{}", bits));
    const auto parsed = parse_safetensors_header(
        header, 8 + static_cast<std::int64_t>(header.size()) + bits, "m.safetensors");
    EXPECT_EQ(parsed.tensors.at(0).bytes, bits) << dtype;
  }
}

TEST(Safetensors, NeverCrashesOnADamagedHeader) {
  const TemporaryDirectory directory;
  const std::string good = file_of(
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
      R"("b":{"dtype":"F16","shape":[3],"data_offsets":[16,22]}} )",
      std::string(22, '\x01'));
  int loaded = 0;
  const auto try_to_load = [&](const std::string& content) {
    const auto path = directory.write("m.safetensors", content);
    const auto failure = failure_of([&] {
      const SafetensorsFile file = SafetensorsFile::open(path);
      ++loaded;
      for (const TensorInfo& tensor : file.header().tensors) {
        ASSERT_LE(tensor.offset + tensor.bytes, static_cast<std::int64_t>(content.size()));
        std::vector<float> out(static_cast<std::size_t>(tensor.elements));
        file.read_f32(tensor, out);
      }
    });
    EXPECT_EQ(failure.message.find('\n'), std::string::npos);
  };
  const std::size_t header_end = good.size() - 22;
  for (std::size_t i = 0; i < header_end; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = good;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      try_to_load(damaged);
    }
  }
  EXPECT_GT(loaded, 0);  // e.g. a changed letter of a name does no harm
  loaded = 0;
  for (std::size_t size = 0; size < good.size(); ++size) try_to_load(good.substr(0, size));
  EXPECT_EQ(loaded, 0);
}

TEST(Safetensors, ValidatesManyTensorsInLinearTime) {
  std::string header = "{";
  constexpr int kTensors = 100000;
  for (int i = 0; i < kTensors; ++i) {
    header += fmt::format(R"({}"t{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})",
                          i == 0 ? "" : ",", i, i, i + 1);
  }
  header += '}';
  const auto parsed = parse_safetensors_header(
      header, 8 + static_cast<std::int64_t>(header.size()) + kTensors, "m.safetensors");
  EXPECT_EQ(parsed.tensors.size(), std::size_t{kTensors});  // quadratic work would take minutes
}

}  // namespace
}  // namespace tandem
