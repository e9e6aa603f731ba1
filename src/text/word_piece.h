#pragma once
// The third step: cuts a word into the longest pieces that the vocabulary has, from left to right
// (WordPiece of `tokenizers`).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct VocabularyEntry {
  std::string token;
  std::int32_t id;
};

struct WordPieceOptions {
  std::string unknown_token = "[UNK]";           // must be in the vocabulary
  std::string continuing_subword_prefix = "##";  // of a piece that doesn't start a word
  std::int64_t max_input_chars_per_word = 100;   // a longer word becomes the unknown token
};

// A piece and where it ends in the word.
struct WordPieceToken {
  std::int32_t id = -1;
  std::size_t end = 0;
};

class WordPiece {
 public:
  WordPiece(const WordPieceOptions& options, const std::vector<VocabularyEntry>& vocabulary);

  // Appends the pieces of a word, which isn't empty.
  void append(std::string_view word, std::vector<std::int32_t>& ids) const;
  void append(std::string_view word, std::vector<WordPieceToken>& tokens) const;

 private:
  // A token's text is in texts_.
  struct Entry {
    std::uint32_t offset, bytes;
    std::int32_t id;
  };
  // Open addressing: `entry` is -1 in a free slot. The tag is the upper half of the hash.
  struct Slot {
    std::uint32_t tag;
    std::int32_t entry;
  };

  template <class Token, class MakeToken>
  void cut(std::string_view word, MakeToken make_token, std::vector<Token>& out) const;
  void insert(const VocabularyEntry& token);
  // The id of the token whose text is `prefix` then `piece`; -1 when there is none.
  std::int32_t find(std::uint64_t hash, std::string_view prefix, std::string_view piece) const;
  bool is_too_long(std::string_view word) const;

  std::string texts_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // a power of two, at least half of them free
  std::string prefix_;
  std::uint64_t prefix_hash_;
  std::size_t longest_token_bytes_ = 0;
  std::int64_t max_input_chars_per_word_;
  std::int32_t unknown_id_ = -1;
};

}  // namespace tandem
