#pragma once
// The rows on which a model was most wrong.

#include <cstddef>
#include <string>
#include <vector>

#include "report/answered_set.h"

namespace tandem {

// Up to `most` examples that were predicted wrong, the least probable right class first; for
// regression those that are furthest off, and with several labels at once those whose labels are
// the least probable together.
std::vector<std::size_t> worst_predicted(const AnsweredSet& set, std::size_t most);

// HTML: these rows with their lines, the beginnings of their texts, what is right and what the
// model said.
std::string worst_examples(const AnsweredSet& set);

}  // namespace tandem
