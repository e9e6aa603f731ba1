#pragma once
// A model by its name on the hub: from the cache, or brought into it.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hub/fetcher.h"
#include "hub/repository.h"
#include "hub/settings.h"

namespace tandem {

// Brings configuration, tokenizer and weights of a model into the cache and says how that goes.
// Every content is verified by its hash before it is there under its name; what has come of one
// when it ends early is gone on with the next time. Several processes may fetch the same: one does,
// the others wait. `check` looks at the directory when all but the weights is there, and throws if
// the model is of no use. When the hub isn't asked is told by fetch_snapshot.
//
// Throws UsageError (there is no such model or revision, or it isn't open to the token; offline and
// not in the cache), ModelError (no model to be read safely, or contents that aren't what the hub
// lists), MachineError (no answer), WallError (no room), Error with exit code 75 (interrupted).
Fetched fetch_model(const HubSettings& settings, const Repository& repository,
                    const std::function<void(const std::filesystem::path&)>& check);

// The same for files by their paths in a repository, each of which must be there.
Fetched fetch_files(const HubSettings& settings, const Repository& repository,
                    const std::vector<std::string>& paths);

// The directory of a repository's revision in the cache; nothing when the cache doesn't know it, or
// has no file of that path in it.
std::optional<std::filesystem::path> cached_snapshot(const HubSettings& settings,
                                                     const Repository& repository,
                                                     const std::string& path);

}  // namespace tandem
