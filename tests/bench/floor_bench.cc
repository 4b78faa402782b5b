// The least that any safe tool must do to change files: copies each one beside itself, syncs and
// hashes the copy, and removes it; as many at once as tcfix does. For scripts/bench.

#include "base/parallel.h"
#include "commit/transaction.h"
#include "io/digest.h"
#include "io/file.h"

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace tcfix;

bool writeAll(int file, Bytes bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(written);
  }
  return true;
}

bool copySyncHash(const char* path) {
  const std::string copy = std::string(path) + ".floor";
  llvm::Expected<io::InputFile> source = io::InputFile::open(path);
  int file = ::open(copy.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool isDone = source && file >= 0 && writeAll(file, source->bytes()) && ::fsync(file) == 0;
  llvm::consumeError(source.takeError());
  ::close(file);
  llvm::Expected<io::InputFile> written = io::InputFile::open(copy);
  isDone = isDone && written && llvm::expectedToOptional(io::sha256Of(written->bytes()));
  llvm::consumeError(written.takeError());
  return ::unlink(copy.c_str()) == 0 && isDone;
}

} // namespace

int main(int count, char** paths) {
  std::vector<char> isDone(count, true);
  parallelFor(count - 1, commit::kFilesAtOnce,
              [&](size_t i) { isDone[i + 1] = copySyncHash(paths[i + 1]); });
  for (int i = 1; i < count; ++i)
    if (!isDone[i]) {
      std::fprintf(stderr, "%s cannot be copied\n", paths[i]);
      return 1;
    }
  return 0;
}
