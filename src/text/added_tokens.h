#pragma once
// Tokens that are found in the text as a whole, before words are cut: [SEP], [MASK] and what users
// add (AddedVocabulary of `tokenizers`).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool single_word = false;  // not within a word
  bool lstrip = false;       // takes the white space on its left with it
  bool rstrip = false;       // and on its right
  bool normalized = false;   // its normal form is looked for in the normal form of the text
  bool special = false;      // left out when ids are turned into text
};

// Finds tokens of one kind, normalized or not.
class AddedTokenFinder {
 public:
  // What the text must hold, the content or its normal form; not empty.
  struct Pattern {
    std::string text;
    AddedToken token;
  };
  explicit AddedTokenFinder(std::vector<Pattern> patterns);

  // Calls visit(id, begin, end) for the parts of `text` in order, which cover it; text between
  // tokens has id -1.
  template <class Visit>
  void split(std::string_view text, Visit visit) const;

 private:
  struct Match {
    const AddedToken* token = nullptr;
    std::size_t begin = 0, end = 0;
  };

  // The longest pattern at the leftmost place at or after `from`; no token when there is none.
  Match find(std::string_view text, std::size_t from) const;

  std::vector<Pattern> patterns_;          // by first byte, then the longest first
  std::array<std::size_t, 257> groups_{};  // where each first byte's patterns start
  int only_start_ = -1;                    // the first byte when all share one
};

// Whether the match may stand there, and what it takes with it. `taken` is where the last part of
// the text ended.
bool stands_alone(std::string_view text, std::size_t begin, std::size_t end);
std::size_t begin_with_space(std::string_view text, std::size_t begin, std::size_t taken);
std::size_t end_with_space(std::string_view text, std::size_t end);

template <class Visit>
void AddedTokenFinder::split(std::string_view text, Visit visit) const {
  std::size_t taken = 0;
  for (Match match = find(text, 0); match.token != nullptr; match = find(text, match.end)) {
    const AddedToken& token = *match.token;
    if (token.single_word && !stands_alone(text, match.begin, match.end)) continue;
    const std::size_t begin =
        token.lstrip ? begin_with_space(text, match.begin, taken) : match.begin;
    const std::size_t end = token.rstrip ? end_with_space(text, match.end) : match.end;
    if (begin >= end) continue;  // white space that the token before has taken
    if (taken < begin) visit(-1, taken, begin);
    visit(token.id, begin, end);
    taken = end;
  }
  if (taken < text.size()) visit(-1, taken, text.size());
}

}  // namespace tandem
