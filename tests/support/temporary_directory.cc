#include "support/temporary_directory.h"

#include <cstdlib>
#include <fstream>

#include "base/error.h"

namespace tandem::testing {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = std::filesystem::temp_directory_path() / "tandem-test-XXXXXX";
  TANDEM_CHECK(mkdtemp(name.data()) != nullptr, "{}", name);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryDirectory::write(const std::string& name,
                                                std::string_view content) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

}  // namespace tandem::testing
