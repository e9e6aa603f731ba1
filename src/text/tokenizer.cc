#include "text/tokenizer.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/error.h"
#include "text/added_tokens.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/template.h"
#include "text/tokenizer_files.h"
#include "text/word_piece.h"

namespace tandem {
namespace {

// Tokens with another kind of pattern are looked for in the text before and after it is normalised.
AddedTokenFinder make_finder(const TokenizerSpec& spec, bool normalized) {
  const Normalizer normalizer(spec.normalizer);
  std::vector<AddedTokenFinder::Pattern> patterns;
  for (const AddedToken& token : spec.added_tokens) {
    if (token.normalized != normalized) continue;
    std::string text;
    if (normalized) {
      normalizer.append(token.content, text);
    } else {
      text = token.content;
    }
    patterns.push_back({std::move(text), token});
  }
  return AddedTokenFinder(std::move(patterns));
}

// Collects ids.
struct IdSink {
  std::vector<std::int32_t> ids = {};
  std::string normal = {};

  void normalize(const Normalizer& normalizer, std::string_view text, std::size_t /*offset*/) {
    normal.clear();
    normalizer.append(text, normal);
  }
  ByteRange origin(std::size_t /*begin*/, std::size_t /*end*/) const { return {0, 0}; }
  void add_token(std::int32_t id, std::string_view /*text*/, ByteRange /*range*/) {
    ids.push_back(id);
  }
  void add_word(const WordPiece& word_piece, std::string_view word) {
    word_piece.append(word, ids);
  }
};

// Collects ids, token texts and where they came from. The texts of pieces stay empty.
struct SpanSink {
  std::vector<TokenSpan> spans = {};
  std::string normal = {};
  std::vector<ByteRange> origins = {};
  std::vector<WordPieceToken> pieces = {};

  void normalize(const Normalizer& normalizer, std::string_view text, std::size_t offset) {
    normal.clear();
    origins.clear();
    normalizer.append(text, offset, normal, origins);
  }
  // Where a range of the normal form came from.
  ByteRange origin(std::size_t begin, std::size_t end) const {
    return {origins[begin].begin, origins[end - 1].end};
  }
  void add_token(std::int32_t id, std::string_view text, ByteRange range) {
    spans.push_back({id, std::string(text), static_cast<std::int64_t>(range.begin),
                     static_cast<std::int64_t>(range.end)});
  }
  void add_word(const WordPiece& word_piece, std::string_view word) {
    pieces.clear();
    word_piece.append(word, pieces);
    const auto word_begin = static_cast<std::size_t>(word.data() - normal.data());
    std::size_t piece_begin = 0;
    for (const WordPieceToken& piece : pieces) {
      add_token(piece.id, {}, origin(word_begin + piece_begin, word_begin + piece.end));
      piece_begin = piece.end;
    }
  }
};

// The sequence of a piece of two texts.
Encoding fill_template(const SequenceTemplate& sequence_template, const TextPiece& piece,
                       std::span<const std::int32_t> first, std::span<const std::int32_t> second) {
  Encoding encoding;
  encoding.ids.reserve(first.size() + second.size() + 4);
  const auto add = [&](std::span<const std::int32_t> text, const std::array<TokenRange, 2>& kept) {
    for (const TokenRange& range : kept) {
      const std::span<const std::int32_t> part = text.subspan(
          static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
      encoding.ids.insert(encoding.ids.end(), part.begin(), part.end());
    }
  };
  for (const TemplatePiece& part : sequence_template) {
    for (const SpecialToken& special : part.tokens) encoding.ids.push_back(special.id);
    if (part.kind == TemplatePiece::Kind::kFirstText) add(first, piece.first);
    if (part.kind == TemplatePiece::Kind::kSecondText) add(second, piece.second);
    encoding.segments.resize(encoding.ids.size(), part.segment);
  }
  return encoding;
}

}  // namespace

struct Tokenizer::State {
  explicit State(TokenizerFiles tokenizer_files)
      : files(std::move(tokenizer_files)),
        normalizer(files.spec.normalizer),
        word_piece(files.spec.word_piece, files.spec.vocabulary),
        raw_tokens(make_finder(files.spec, false)),
        normal_tokens(make_finder(files.spec, true)) {}

  const TokenizerSpec& spec() const { return files.spec; }

  // Cuts a text into tokens, without those of the template.
  template <class Sink>
  void cut(std::string_view text, Sink& sink) const {
    raw_tokens.split(text, [&](std::int32_t id, std::size_t begin, std::size_t end) {
      const std::string_view part = text.substr(begin, end - begin);
      if (id >= 0) {
        sink.add_token(id, part, {begin, end});
      } else {
        sink.normalize(normalizer, part, begin);
        cut_normal(sink.normal, sink);
      }
    });
  }

  // The same for a text in normal form.
  template <class Sink>
  void cut_normal(std::string_view text, Sink& sink) const {
    normal_tokens.split(text, [&](std::int32_t id, std::size_t begin, std::size_t end) {
      const std::string_view part = text.substr(begin, end - begin);
      if (id >= 0) {
        sink.add_token(id, part, sink.origin(begin, end));
        return;
      }
      std::size_t position = 0;
      for (std::string_view word = next_word(part, position); !word.empty();
           word = next_word(part, position)) {
        sink.add_word(word_piece, word);
      }
    });
  }

  const std::string& token(std::int32_t id) const {
    return std::ranges::lower_bound(spec().vocabulary, id, {}, &VocabularyEntry::id)->token;
  }

  TokenizerFiles files;
  Normalizer normalizer;
  WordPiece word_piece;
  AddedTokenFinder raw_tokens, normal_tokens;
};

Tokenizer::Tokenizer(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::load(const std::filesystem::path& model_directory) {
  return Tokenizer(std::make_unique<const State>(read_tokenizer_files(model_directory)));
}

Encoding Tokenizer::encode(std::string_view text, std::optional<std::string_view> pair,
                           std::int64_t max_tokens) const {
  return std::move(encode_pieces(text, pair, max_tokens, LongText::kHead).front());
}

std::vector<Encoding> Tokenizer::encode_pieces(std::string_view text,
                                               std::optional<std::string_view> pair,
                                               std::int64_t max_tokens, LongText how) const {
  const SequenceTemplate& sequence_template = pair ? state_->spec().pair : state_->spec().single;
  IdSink first, second;
  first.ids.reserve(text.size() / 4 + 4);
  state_->cut(text, first);
  if (pair) state_->cut(*pair, second);

  const PairLengths lengths{std::ssize(first.ids), std::ssize(second.ids)};
  const std::int64_t room =
      std::max<std::int64_t>(0, max_tokens - special_token_count(sequence_template));
  std::vector<Encoding> encodings;
  for (const TextPiece& piece : pieces_of(lengths, room, how)) {
    encodings.push_back(fill_template(sequence_template, piece, first.ids, second.ids));
    encodings.back().truncated = lengths.first + lengths.second > room;
  }
  return encodings;
}

std::vector<TokenSpan> Tokenizer::encode_with_spans(std::string_view text,
                                                    std::int64_t max_tokens) const {
  const SequenceTemplate& sequence_template = state_->spec().single;
  SpanSink sink;
  state_->cut(text, sink);
  const std::int64_t room = max_tokens - special_token_count(sequence_template);
  sink.spans.resize(
      std::min(sink.spans.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, room))));
  for (TokenSpan& span : sink.spans) {
    if (span.token.empty()) span.token = state_->token(span.id);
  }
  std::vector<TokenSpan> result;
  for (const TemplatePiece& piece : sequence_template) {
    for (const SpecialToken& special : piece.tokens) {
      result.push_back({special.id, special.token, 0, 0});
    }
    if (piece.kind != TemplatePiece::Kind::kFirstText) continue;
    result.insert(result.end(), sink.spans.begin(), sink.spans.end());
  }
  return result;
}

std::int64_t Tokenizer::vocabulary_size() const {
  std::int32_t largest = state_->spec().vocabulary.back().id;
  for (const AddedToken& token : state_->spec().added_tokens) largest = std::max(largest, token.id);
  return std::int64_t{largest} + 1;
}

std::int64_t Tokenizer::model_max_length() const { return state_->files.config.model_max_length; }

std::vector<Tokenizer::File> Tokenizer::files(Segments segments) const {
  return saved_tokenizer_files(state_->files, segments);
}

}  // namespace tandem
