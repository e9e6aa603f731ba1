// One pass over the word gives the hash of every prefix of what is left of it; then the prefixes
// are looked up from the longest to the shortest. Nothing is copied or allocated for a candidate.
#include "text/word_piece.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"

namespace tandem {
namespace {

// FNV-1a (Fowler, Noll, Vo), 64 bits.
constexpr std::uint64_t kHashStart = 0xCBF29CE484222325, kHashPrime = 0x100000001B3;

std::uint64_t extend_hash(std::uint64_t hash, char byte) {
  return (hash ^ static_cast<std::uint8_t>(byte)) * kHashPrime;
}

std::uint64_t extend_hash(std::uint64_t hash, std::string_view text) {
  for (const char byte : text) hash = extend_hash(hash, byte);
  return hash;
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

bool continues_character(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80; }

// Words are cut with hashes on the stack up to this length; max_input_chars_per_word is 100 in
// every model, of at most four bytes each.
constexpr std::size_t kStackHashes = 400;

}  // namespace

WordPiece::WordPiece(const WordPieceOptions& options,
                     const std::vector<VocabularyEntry>& vocabulary)
    : slots_(std::bit_ceil(2 * vocabulary.size() + 2), Slot{0, -1}),
      prefix_(options.continuing_subword_prefix),
      prefix_hash_(extend_hash(kHashStart, prefix_)),
      max_input_chars_per_word_(options.max_input_chars_per_word) {
  entries_.reserve(vocabulary.size());
  for (const VocabularyEntry& entry : vocabulary) {
    insert(entry);
    if (entry.token == options.unknown_token) unknown_id_ = entry.id;
  }
  TANDEM_CHECK(unknown_id_ >= 0, "the vocabulary lacks {}", options.unknown_token);
}

void WordPiece::insert(const VocabularyEntry& token) {
  const std::uint64_t hash = extend_hash(kHashStart, token.token);
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot].entry >= 0) slot = (slot + 1) & (slots_.size() - 1);
  slots_[slot] = {tag_of(hash), static_cast<std::int32_t>(entries_.size())};
  entries_.push_back({static_cast<std::uint32_t>(texts_.size()),
                      static_cast<std::uint32_t>(token.token.size()), token.id});
  texts_ += token.token;
  longest_token_bytes_ = std::max(longest_token_bytes_, token.token.size());
}

std::int32_t WordPiece::find(std::uint64_t hash, std::string_view prefix,
                             std::string_view piece) const {
  const std::size_t mask = slots_.size() - 1;
  const std::uint32_t tag = tag_of(hash);
  for (std::size_t slot = hash & mask; slots_[slot].entry >= 0; slot = (slot + 1) & mask) {
    if (slots_[slot].tag != tag) continue;
    const Entry& entry = entries_[static_cast<std::size_t>(slots_[slot].entry)];
    if (entry.bytes != prefix.size() + piece.size()) continue;
    const std::string_view text = std::string_view(texts_).substr(entry.offset, entry.bytes);
    if (text.starts_with(prefix) && text.substr(prefix.size()) == piece) return entry.id;
  }
  return -1;
}

bool WordPiece::is_too_long(std::string_view word) const {
  if (static_cast<std::int64_t>(word.size()) <= max_input_chars_per_word_) return false;
  return std::ranges::count_if(word, [](char byte) { return !continues_character(byte); }) >
         max_input_chars_per_word_;
}

template <class Token, class MakeToken>
void WordPiece::cut(std::string_view word, MakeToken make_token, std::vector<Token>& out) const {
  const std::size_t before = out.size();
  std::array<std::uint64_t, kStackHashes> stack;
  std::vector<std::uint64_t> heap;
  const std::size_t needed = std::min(word.size(), longest_token_bytes_);
  if (needed > stack.size()) heap.resize(needed);
  std::uint64_t* const hashes = heap.empty() ? stack.data() : heap.data();

  std::size_t start = is_too_long(word) ? word.size() : 0;
  bool is_known = start == 0;
  while (start < word.size()) {
    const std::string_view rest = word.substr(start, longest_token_bytes_);
    const std::string_view prefix = start == 0 ? std::string_view() : prefix_;
    std::uint64_t hash = start == 0 ? kHashStart : prefix_hash_;
    for (std::size_t i = 0; i < rest.size(); ++i) hashes[i] = hash = extend_hash(hash, rest[i]);

    std::int32_t id = -1;
    std::size_t bytes = rest.size();
    for (; bytes > 0; --bytes) {
      id = find(hashes[bytes - 1], prefix, rest.substr(0, bytes));
      if (id >= 0) break;
    }
    is_known = id >= 0;
    if (!is_known) break;
    start += bytes;
    out.push_back(make_token(id, start));
  }
  if (is_known) return;
  out.resize(before);
  out.push_back(make_token(unknown_id_, word.size()));
}

void WordPiece::append(std::string_view word, std::vector<std::int32_t>& ids) const {
  cut(
      word, [](std::int32_t id, std::size_t) { return id; }, ids);
}

void WordPiece::append(std::string_view word, std::vector<WordPieceToken>& tokens) const {
  cut(
      word,
      [](std::int32_t id, std::size_t end) {
        return WordPieceToken{id, end};
      },
      tokens);
}

}  // namespace tandem
