#include "formats/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "formats/json.h"

namespace tandem {
namespace {

static_assert(std::endian::native == std::endian::little, "the format's numbers are little-endian");

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

// IEEE 754 binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits.
float from_f16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in a float
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide_exponent << 23U) | (fraction << 13U));
}

// Reads and converts in pieces that fit the cache, so that no second copy of a tensor exists.
template <class Stored, class Convert>
void read_converted(const InputFile& file, std::int64_t offset, std::span<float> out,
                    Convert convert) {
  std::array<Stored, 16384> piece;
  while (!out.empty()) {
    const std::size_t count = std::min(piece.size(), out.size());
    file.read_at(offset, std::as_writable_bytes(std::span(piece).first(count)));
    for (std::size_t i = 0; i < count; ++i) out[i] = convert(piece[i]);
    offset += static_cast<std::int64_t>(count * sizeof(Stored));
    out = out.subspan(count);
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(InputFile file, std::string name, SafetensorsHeader header)
    : file_(std::move(file)), name_(std::move(name)), header_(std::move(header)) {}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  InputFile file(path, ExitCode::kModel);
  std::string name = path.filename().string();
  if (file.size() < 8) {
    throw ModelError("{}: {} bytes long; a safetensors file starts with 8 bytes of header length",
                     name, file.size());
  }
  std::uint64_t header_bytes = 0;
  file.read_at(0, std::as_writable_bytes(std::span(&header_bytes, 1)));
  constexpr std::string_view kLfsPointer = "version ";  // https://git-lfs.github.com/spec/v1
  if (std::memcmp(&header_bytes, kLfsPointer.data(), kLfsPointer.size()) == 0) {
    throw ModelError(
        "{}: is a Git LFS pointer and not the file itself; run `git lfs pull` in its "
        "directory",
        name);
  }
  if (header_bytes > static_cast<std::uint64_t>(kMaxSafetensorsHeaderBytes)) {
    throw ModelError(
        "{}: a header of {} bytes, the format allows at most {}; is it a safetensors "
        "file?",
        name, header_bytes, kMaxSafetensorsHeaderBytes);
  }
  if (header_bytes > static_cast<std::uint64_t>(file.size() - 8)) {
    throw ModelError(
        "{}: a header of {} bytes, but only {} follow: the file is truncated or damaged; copy or "
        "download it again",
        name, header_bytes, file.size() - 8);
  }
  std::string header(static_cast<std::size_t>(header_bytes), '\0');
  file.read_at(8, std::as_writable_bytes(std::span(header.data(), header.size())));
  SafetensorsHeader parsed = parse_safetensors_header(header, file.size(), name);
  return {std::move(file), std::move(name), std::move(parsed)};
}

void SafetensorsFile::read_f32(const TensorInfo& tensor, std::span<float> out) const {
  TANDEM_CHECK(static_cast<std::int64_t>(out.size()) == tensor.elements,
               "tensor {} has {} elements, {} were asked for", tensor.name, tensor.elements,
               out.size());
  if (tensor.dtype == "F32") {
    file_.read_at(tensor.offset, std::as_writable_bytes(out));
  } else if (tensor.dtype == "F16") {
    read_converted<std::uint16_t>(file_, tensor.offset, out, from_f16);
  } else if (tensor.dtype == "BF16") {
    read_converted<std::uint16_t>(file_, tensor.offset, out, from_bf16);
  } else if (tensor.dtype == "I8") {
    read_converted<std::int8_t>(file_, tensor.offset, out,
                                [](std::int8_t value) { return static_cast<float>(value); });
  } else {
    throw ModelError(
        "{}: tensor {}: type {} can't be read as weights; supported: F32, F16, BF16, and I8 of "
        "quantised models",
        name_, printable(tensor.name), tensor.dtype);
  }
}

void stage_safetensors(StagedFiles& files, const std::string& name,
                       std::vector<TensorToWrite> tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const TensorToWrite& a, const TensorToWrite& b) { return a.name < b.name; });
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::size_t offset = 0;
  for (const TensorToWrite& tensor : tensors) {
    const std::size_t end = offset + tensor.values.size();
    std::string shape;
    std::int64_t elements = 1;
    for (const std::int64_t dimension : tensor.shape) {
      shape += fmt::format("{}{}", shape.empty() ? "" : ",", dimension);
      elements *= dimension;
    }
    const std::int64_t bytes = elements * (tensor.dtype == "F32" ? 4 : 1);
    TANDEM_CHECK(bytes == static_cast<std::int64_t>(tensor.values.size()),
                 "tensor {} of shape {} has {} bytes", tensor.name, shape_text(tensor.shape),
                 tensor.values.size());
    header += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          python_json(tensor.name, {.indent = {}, .ensure_ascii = false}),
                          tensor.dtype, shape, offset, end);
    offset = end;
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');  // so that the tensors are aligned

  const std::uint64_t header_bytes = header.size();
  std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(&header_bytes, 1)),
                                                 std::as_bytes(std::span(header))};
  for (const TensorToWrite& tensor : tensors) pieces.push_back(tensor.values);
  files.add(name, pieces);
}

}  // namespace tandem
