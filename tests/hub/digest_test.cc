#include "hub/digest.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Digest, OfLargeFilesIsSha256) {
  Digest digest(std::string(64, '0'), 3);  // FIPS 180-2's example "abc", in two pieces
  digest.add(bytes_of("a"));
  digest.add(bytes_of("bc"));
  EXPECT_EQ(digest.name(), "SHA-256");
  EXPECT_EQ(digest.text(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, OfOtherFilesIsGits) {
  Digest digest(std::string(40, '0'), 6);  // echo hello | git hash-object --stdin
  digest.add(bytes_of("hello\n"));
  EXPECT_EQ(digest.name(), "git SHA-1");
  EXPECT_EQ(digest.text(), "ce013625030ba8dba906f756967f9e9ca394464a");
}

TEST(Digest, OfNothing) {
  Digest digest(std::string(40, '0'), 0);
  EXPECT_EQ(digest.text(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
}

}  // namespace
}  // namespace tandem
