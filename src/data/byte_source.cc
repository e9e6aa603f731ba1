#include "data/byte_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <zlib.h>

#include "base/error.h"
#include "base/file.h"

namespace tandem {
namespace {

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& path) : file_(path, ExitCode::kData) {
    if (file_.size() > kMaxTableBytes) {
      throw DataError("{}: {} bytes long, at most {} are accepted; split the file", path.string(),
                      file_.size(), kMaxTableBytes);
    }
  }
  std::size_t read(std::span<char> out) override {
    const auto left = static_cast<std::size_t>(file_.size() - done_);
    const std::span<char> part = out.first(std::min(out.size(), left));
    file_.read_at(done_, std::as_writable_bytes(part));
    done_ += static_cast<std::int64_t>(part.size());
    return part.size();
  }

 private:
  InputFile file_;
  std::int64_t done_ = 0;
};

class StreamBytes : public ByteSource {
 public:
  StreamBytes(std::istream& stream, std::string name) : stream_(stream), name_(std::move(name)) {}
  std::size_t read(std::span<char> out) override {
    stream_.read(out.data(), static_cast<std::streamsize>(out.size()));
    if (stream_.bad()) throw DataError("{}: cannot be read further", name_);
    return static_cast<std::size_t>(stream_.gcount());
  }

 private:
  std::istream& stream_;
  std::string name_;
};

// Looks at the first bytes and gives them out again.
class PeekedBytes : public ByteSource {
 public:
  explicit PeekedBytes(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    while (held_ < kPeeked) {
      const std::size_t got = source_->read(std::span(first_).subspan(held_));
      if (got == 0) break;
      held_ += got;
    }
  }
  bool is_gzip() const { return held_ == kPeeked && first_[0] == '\x1F' && first_[1] == '\x8B'; }
  std::size_t read(std::span<char> out) override {
    if (given_ == held_) return source_->read(out);
    const std::size_t count = std::min(out.size(), held_ - given_);
    std::copy_n(first_ + given_, count, out.data());
    given_ += count;
    return count;
  }

 private:
  static constexpr std::size_t kPeeked = 2;
  std::unique_ptr<ByteSource> source_;
  char first_[kPeeked] = {};
  std::size_t held_ = 0, given_ = 0;
};

class GzipBytes : public ByteSource {
 public:
  GzipBytes(std::unique_ptr<ByteSource> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), input_(std::size_t{1} << 16) {
    constexpr int kLargestWindow = 15, kGzipOnly = 16;
    if (inflateInit2(&state_, kLargestWindow + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { inflateEnd(&state_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(std::span<char> out) override {
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(std::min(out.size(), std::size_t{1} << 30));
    const uInt wanted = state_.avail_out;
    while (state_.avail_out == wanted && has_input()) inflate_some();
    const std::size_t got = wanted - state_.avail_out;
    unpacked_ += static_cast<std::int64_t>(got);
    if (unpacked_ > kMaxTableBytes) {
      throw DataError("{}: more than {} bytes unpacked; split the file", name_, kMaxTableBytes);
    }
    return got;
  }

 private:
  // Between two members the data may end; within one it may not.
  bool has_input() {
    if (state_.avail_in > 0) return true;
    const std::size_t got = packed_->read(input_);
    if (got == 0 && !between_members_) {
      throw DataError("{}: the gzip data ends early: the file is cut off", name_);
    }
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  void inflate_some() {
    if (between_members_) inflateReset(&state_);
    const int result = inflate(&state_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      throw DataError("{}: the gzip data is damaged: {}", name_,
                      state_.msg == nullptr ? "it makes no sense" : state_.msg);
    }
    between_members_ = result == Z_STREAM_END;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  std::vector<char> input_;
  z_stream state_ = {};
  bool between_members_ = false;
  std::int64_t unpacked_ = 0;
};

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, std::string name) {
  auto peeked = std::make_unique<PeekedBytes>(std::move(source));
  if (!peeked->is_gzip()) return peeked;
  return std::make_unique<GzipBytes>(std::move(peeked), std::move(name));
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  return unpacked(std::make_unique<FileBytes>(path), path.string());
}

std::unique_ptr<ByteSource> open_bytes(std::istream& stream, std::string name) {
  auto bytes = std::make_unique<StreamBytes>(stream, name);
  return unpacked(std::move(bytes), std::move(name));
}

}  // namespace tandem
