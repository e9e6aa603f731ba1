#pragma once
// A hash by which contents are compared and verified: XXH3, 128 bits. It finds damage, not fraud:
// whoever can write a file can write its hash.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tandem {

class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::span<const std::byte> bytes);
  // Of all that was added: 32 hexadecimal digits.
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tandem
