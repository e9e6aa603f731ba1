#pragma once
// BERT's tokenizer: normaliser, pre-tokenizer, WordPiece, template. Token for token what the
// `tokenizers` package gives for the same files.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/long_text.h"

namespace tandem {

// What the model sees of one text or pair: [CLS] a [SEP] or [CLS] a [SEP] b [SEP].
struct Encoding {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> segments;  // 0 for [CLS] a [SEP], 1 for b [SEP]; as long as ids
  bool truncated = false;              // the text is longer than this
};

// Where a token came from, for people: byte range [begin, end) in the text it was cut from;
// special tokens have begin == end == 0.
struct TokenSpan {
  std::int32_t id;
  std::string token;
  std::int64_t begin, end;
};

// Whether a model has embeddings for segments: BERT has, DistilBERT has none and takes none.
enum class Segments : std::uint8_t { kTaken, kNotTaken };

// Immutable after load; encode may be called from many threads at once.
class Tokenizer {
 public:
  // Reads tokenizer.json, else vocab.txt plus tokenizer_config.json, from a model's directory.
  // Throws ModelError that names file and fault.
  static Tokenizer load(const std::filesystem::path& model_directory);
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  // Both texts must be valid UTF-8 (the readers see to that). When the whole is longer than
  // `max_tokens`, the texts are cut at their ends, the longer one first (longest_first of
  // `tokenizers`); special tokens always stay.
  Encoding encode(std::string_view text, std::optional<std::string_view> pair,
                  std::int64_t max_tokens) const;

  // The pieces of a text or pair that is read in that way when it is longer (pieces_of says which);
  // encode() gives the one of kHead.
  std::vector<Encoding> encode_pieces(std::string_view text, std::optional<std::string_view> pair,
                                      std::int64_t max_tokens, LongText how) const;

  // The same ids as encode(text, {}, max_tokens), with token texts and byte ranges as `tokenizers`
  // gives them.
  std::vector<TokenSpan> encode_with_spans(std::string_view text, std::int64_t max_tokens) const;

  std::int64_t vocabulary_size() const;   // largest id + 1, added tokens included
  std::int64_t model_max_length() const;  // of tokenizer_config.json; 10^18 when it says nothing

  // The files that a saved model needs so that AutoTokenizer of transformers 4.57 and 5.24 gives
  // the same ids, and segments where the model takes them: tokenizer.json (as it was found, if it
  // was), tokenizer_config.json, special_tokens_map.json, vocab.txt.
  struct File {
    std::string name, content;
  };
  std::vector<File> files(Segments segments) const;

 private:
  struct State;
  explicit Tokenizer(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace tandem
