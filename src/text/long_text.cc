#include "text/long_text.h"

#include <algorithm>

namespace tandem {
namespace {

using Ranges = std::array<TokenRange, 2>;

// `kept` tokens of a text of `length`, which has at least as many.
Ranges ranges_of(std::int64_t length, std::int64_t kept, LongText how) {
  if (how == LongText::kTail) return {TokenRange{length - kept, length}, {}};
  if (how == LongText::kHeadTail && kept < length) {
    const std::int64_t head = kept / 4;
    return {TokenRange{0, head}, {length - (kept - head), length}};
  }
  return {TokenRange{0, kept}, {}};
}

std::vector<TokenRange> windows_of(std::int64_t length, std::int64_t size) {
  const std::int64_t stride = std::max<std::int64_t>(1, size - size / 4);
  std::vector<TokenRange> windows;
  for (std::int64_t begin = 0; begin + size < length; begin += stride) {
    windows.push_back({begin, begin + size});
  }
  windows.push_back({std::max<std::int64_t>(0, length - size), length});
  return windows;
}

}  // namespace

std::vector<TextPiece> pieces_of(PairLengths lengths, std::int64_t room, LongText how) {
  const PairLengths kept = truncated_lengths(lengths, room);
  if (how != LongText::kWindow) {
    return {
        {ranges_of(lengths.first, kept.first, how), ranges_of(lengths.second, kept.second, how)}};
  }
  const std::int64_t first_lost = lengths.first - kept.first;
  const std::int64_t second_lost = lengths.second - kept.second;
  std::vector<TextPiece> pieces;
  if (first_lost >= second_lost && kept.first > 0) {
    for (const TokenRange& window : windows_of(lengths.first, kept.first)) {
      pieces.push_back({{window, TokenRange{}}, {TokenRange{0, kept.second}, TokenRange{}}});
    }
  } else if (kept.second > 0) {
    for (const TokenRange& window : windows_of(lengths.second, kept.second)) {
      pieces.push_back({{TokenRange{0, kept.first}, TokenRange{}}, {window, TokenRange{}}});
    }
  } else {
    pieces.emplace_back();
  }
  return pieces;
}

}  // namespace tandem
