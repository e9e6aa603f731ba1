#pragma once
// Everything that decides how a text is cut, as read from a model's files.

#include <cstdint>
#include <string>
#include <vector>

#include "text/added_tokens.h"
#include "text/normalizer.h"
#include "text/template.h"
#include "text/word_piece.h"

namespace tandem {

struct TokenizerSpec {
  NormalizerOptions normalizer;
  WordPieceOptions word_piece;
  std::vector<VocabularyEntry> vocabulary;  // in order of ids, each token and each id once
  std::vector<AddedToken> added_tokens;     // some are in the vocabulary, some are not
  SequenceTemplate single, pair;
};

// The ids that all tokens must be below: no model's embedding table is that long.
constexpr std::int64_t kTokenIds = 1 << 24;

}  // namespace tandem
