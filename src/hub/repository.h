#pragma once
// The names of things on the hub: repositories, revisions, files in them.

#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

enum class RepositoryKind : std::uint8_t { kModel, kDataset };

// A state of a repository. `revision` is a branch, a tag or a commit.
struct Repository {
  RepositoryKind kind = RepositoryKind::kModel;
  std::string name = {};
  std::string revision = "main";
};

// "bert-base-cased" or "google/bert_uncased_L-2_H-128_A-2": one or two parts of letters, digits and
// ._- that begin and end with a letter, a digit or _, of 96 at most, without "--" and ".."
// (huggingface_hub 2.4, utils/_validators.py). Such a name may also be that of a directory.
bool is_repository_name(std::string_view name);

// Throws UsageError when the name isn't one, or the revision can't be one: it becomes a path.
Repository checked_repository(RepositoryKind kind, std::string_view name,
                              std::string_view revision);

// Its folder in the cache, "models--google--bert_uncased_L-2_H-128_A-2".
std::string folder_name(const Repository& repository);

// 40, or 64, lower-case hexadecimal digits.
bool is_commit(std::string_view text);
bool is_sha256(std::string_view text);

// Whether a path stays below the folder it is put in: no part of it is empty, "." or "..".
bool is_path_inside(std::string_view path);

}  // namespace tandem
