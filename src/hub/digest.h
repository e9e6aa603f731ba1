#pragma once
// The hashes by which the hub names contents: SHA-256 of files in its large-file storage, and git's
// own, SHA-1 of "blob <size>", a zero byte and the content, of the others.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tandem {

class Digest {
 public:
  // Of a content of `bytes` bytes that the hub calls `etag`, whose length tells which hash it is.
  Digest(std::string_view etag, std::int64_t bytes);
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::span<const std::byte> bytes);
  // In lower-case hexadecimal digits. Comes last.
  std::string text();
  // "SHA-256" or "git SHA-1".
  std::string_view name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tandem
