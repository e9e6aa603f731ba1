#pragma once
// Arguments from a JSON file, as transformers' HfArgumentParser takes them: `tandem train
// args.json`.

#include <string>
#include <vector>

namespace tandem {

// Of ["train", "args.json"] and nothing else, where the file has one JSON object whose keys name
// options ("learning_rate": 2e-5): ["train", "--learning_rate=2e-05", ...]. Null values are left
// out, a list's elements are joined by commas. Other arguments are returned as they are. Throws
// UsageError when the file can't be read or is too large for arguments.
std::vector<std::string> with_argument_file(std::vector<std::string> arguments);

}  // namespace tandem
