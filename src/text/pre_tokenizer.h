#pragma once
// The second step: cuts normal form into words at white space, and makes each punctuation character
// a word of its own (BertPreTokenizer of `tokenizers`).

#include <cstddef>
#include <string_view>

namespace tandem {

// The next word of `text`, valid UTF-8, at or after byte `position`, which moves behind it. Empty
// when there is none.
std::string_view next_word(std::string_view text, std::size_t& position);

}  // namespace tandem
