#pragma once
// A content on its way into the cache: what has come of it lies in a file of its own, and becomes a
// blob when it is whole and has the right hash.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "hub/digest.h"

namespace tandem {

// Which file is this process's is settled by renaming, never by a lock alone: some file systems let
// everyone through a lock. So the name is unique, and what an ended process left is taken over by
// giving it a new one.
class PartialFile {
 public:
  // Of the blob `blob`, named by its ETag, of `bytes` bytes. With `take_over`, which is for those
  // who hold the blob's lock, goes on with what an earlier process left, if any did.
  PartialFile(const std::filesystem::path& blob, std::int64_t bytes, bool take_over);
  // What has come stays, to be gone on with.
  ~PartialFile() = default;
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  std::int64_t size() const { return size_; }
  std::int64_t expected_size() const { return expected_; }
  bool complete() const { return size_ == expected_; }
  // Whether the bytes came in more than one piece.
  bool in_pieces() const { return in_pieces_; }

  // Adds to the end. Throws ModelError when there would be more than expected, WallError when they
  // can't be written.
  void append(std::span<const std::byte> bytes);
  // Begins again.
  void restart();
  // Says that what comes next is another piece.
  void note_break() { in_pieces_ = in_pieces_ || size_ > 0; }

  // Of a complete file: its hash in hexadecimal digits. Comes before commit() or restart().
  std::string hash();
  std::string_view hash_name() const { return digest_->name(); }
  // Syncs the file and makes it the blob.
  void commit();
  // Removes it.
  void discard();

 private:
  void take_over_rest();
  [[noreturn]] void fail(int number) const;

  std::filesystem::path blob_, path_;
  std::int64_t expected_;
  FileDescriptor descriptor_;
  std::unique_ptr<Digest> digest_;
  std::int64_t size_ = 0;
  bool in_pieces_ = false;
};

}  // namespace tandem
