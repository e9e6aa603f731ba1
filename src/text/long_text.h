#pragma once
// Which tokens of texts longer than the model are read.

#include <array>
#include <cstdint>
#include <vector>

#include "text/template.h"

namespace tandem {

// kHead: the first tokens; what `tokenizers` does (truncation of the longest text first).
// kTail: the last ones.
// kHeadTail: a quarter from the start, the rest from the end (Sun et al. 2019, "How to Fine-Tune
//   BERT for Text Classification?", 4.2: 128 and 382 of 510).
// kWindow: overlapping pieces that together are the whole text.
enum class LongText : std::uint8_t { kHead, kTail, kHeadTail, kWindow };

// Tokens [begin, end) of a text.
struct TokenRange {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const TokenRange&) const = default;
};

// What the model reads of a text or pair at once: ranges one behind the other, of which the second
// is mostly empty.
struct TextPiece {
  std::array<TokenRange, 2> first, second;
  bool operator==(const TextPiece&) const = default;
};

// The pieces of two texts (the second of length 0 for one alone), each of at most `room` tokens;
// one piece but for kWindow. There both texts are first allotted what kHead would keep of them. The
// text that is cut more is read in windows of that many tokens, each of which begins a quarter of a
// window before the last one's end; the last ends with the text. The other text stands in every
// piece, cut at its end if it must be.
std::vector<TextPiece> pieces_of(PairLengths lengths, std::int64_t room, LongText how);

}  // namespace tandem
