// Loaded before a program (LD_PRELOAD): counts its operations on files below a directory, and from
// the n-th on makes them fail, or kills the process at the n-th.
//
//   FAILING_IO_BELOW  the directory
//   FAILING_IO_AT     n, from 1; without it operations are only counted
//   FAILING_IO_HOW    kill, ENOSPC or EIO
//   FAILING_IO_COUNT  a file to which the number of operations is written at the end
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

std::atomic<int> operations{0};

// The C library's own function of that name and type.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_below(const char* path) {
  const char* const below = std::getenv("FAILING_IO_BELOW");
  return below != nullptr && std::strncmp(path, below, std::strlen(below)) == 0;
}

bool is_below(int descriptor) {
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = '\0';
  return is_below(path);
}

// Whether this operation must fail; errno says how then. One that takes no space isn't refused for
// the lack of it.
bool fails(bool takes_space) {
  const int number = ++operations;
  const char* const at = std::getenv("FAILING_IO_AT");
  if (at == nullptr || number < std::atoi(at)) return false;
  const char* const how = std::getenv("FAILING_IO_HOW");
  if (std::strcmp(how, "kill") == 0) raise(SIGKILL);
  const bool is_full = std::strcmp(how, "ENOSPC") == 0;
  if (is_full && !takes_space) return false;
  errno = is_full ? ENOSPC : EIO;
  return true;
}

struct CountAtTheEnd {
  ~CountAtTheEnd() {
    const char* const file = std::getenv("FAILING_IO_COUNT");
    std::FILE* const stream = file == nullptr ? nullptr : std::fopen(file, "w");
    if (stream == nullptr) return;
    std::fprintf(stream, "%d\n", operations.load());
    std::fclose(stream);
  }
} count_at_the_end;

int open_by(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & O_CREAT) != 0 && is_below(path) && fails(true)) return -1;
  return real<int(const char*, int, ...)>(name)(path, flags, mode);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_by("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_by("open64", path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (descriptor > 2 && is_below(descriptor) && fails(true)) return -1;
  return real<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, count);
}

ssize_t writev(int descriptor, const iovec* pieces, int count) {
  if (is_below(descriptor) && fails(true)) return -1;
  return real<ssize_t(int, const iovec*, int)>("writev")(descriptor, pieces, count);
}

int fsync(int descriptor) {
  if (is_below(descriptor) && fails(true)) return -1;
  return real<int(int)>("fsync")(descriptor);
}

int rename(const char* from, const char* to) noexcept {
  if (is_below(to) && fails(false)) return -1;
  return real<int(const char*, const char*)>("rename")(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (is_below(path) && fails(true)) return -1;
  return real<int(const char*, mode_t)>("mkdir")(path, mode);
}

int remove(const char* path) noexcept {
  if (is_below(path) && fails(false)) return -1;
  return real<int(const char*)>("remove")(path);
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  if ((is_below(path) || is_below(directory)) && fails(false)) return -1;
  return real<int(int, const char*, int)>("unlinkat")(directory, path, flags);
}

}  // extern "C"
