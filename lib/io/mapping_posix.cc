#include "io/mapping.h"

#include "io/memory.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace tcfix::io {

// The signal handler walks this list without a lock: a range is linked in once, is never removed,
// and is reused by later mappings. `begin` is set last, and is 0 while the range is unused.
struct WatchedRange {
  std::atomic<uintptr_t> begin{0};
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> isTorn{false};
  WatchedRange* next = nullptr;
  std::string path;
};

namespace {

static_assert(std::atomic<uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler must not wait for a lock");

std::atomic<WatchedRange*> firstRange{nullptr};
uintptr_t pageSize = 0;
struct sigaction previousAction = {};

/// For everything except the handler.
std::mutex& rangesMutex() {
  static std::mutex mutex;
  return mutex;
}
std::vector<WatchedRange*>& freeRanges() {
  static std::vector<WatchedRange*> ranges;
  return ranges;
}

WatchedRange* watch(Bytes bytes, const std::string& path) {
  std::lock_guard lock(rangesMutex());
  WatchedRange* range = nullptr;
  if (freeRanges().empty()) {
    range = new WatchedRange;
    range->next = firstRange.load();
    firstRange.store(range);
  } else {
    range = freeRanges().back();
    freeRanges().pop_back();
  }
  range->path = path;
  range->end = reinterpret_cast<uintptr_t>(bytes.end());
  range->begin = reinterpret_cast<uintptr_t>(bytes.begin());
  return range;
}

// A torn range is kept for tornFiles().
void unwatch(WatchedRange* range) {
  std::lock_guard lock(rangesMutex());
  range->begin = 0;
  if (!range->isTorn)
    freeRanges().push_back(range);
}

/// Maps zero pages from the page of this address to the end of its mapping.
bool coverLostPages(uintptr_t address) {
  for (WatchedRange* range = firstRange; range; range = range->next) {
    const uintptr_t begin = range->begin, end = range->end;
    // A mapping ends with a whole page.
    if (begin == 0 || address < begin || address >= ((end + pageSize - 1) & ~(pageSize - 1)))
      continue;
    const uintptr_t lost = address & ~(pageSize - 1);
    range->isTorn = true;
    return ::mmap(reinterpret_cast<void*>(lost), end - lost, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

void onBusError(int signal, siginfo_t* info, void*) {
  const int savedError = errno;
  const bool isFault = info->si_code > 0; // else sent by a process
  if (!isFault || !coverLostPages(reinterpret_cast<uintptr_t>(info->si_addr))) {
    // Not ours: the read faults again, or the signal is delivered again, to the previous handler.
    ::sigaction(signal, &previousAction, nullptr);
    if (!isFault)
      ::raise(signal);
  }
  errno = savedError;
}

} // namespace

llvm::Expected<std::unique_ptr<Mapping>> Mapping::of(llvm::sys::fs::file_t file, uint64_t size,
                                                     const std::string& path) {
  std::error_code error;
  std::unique_ptr<Mapping> mapping(new Mapping(file, size, error));
  if (error)
    return llvm::errorCodeToError(error);
  mapping->range = watch(mapping->bytes(), path);
  return mapping;
}

Mapping::~Mapping() {
  if (range)
    unwatch(range); // before unmapping: the addresses may be reused
}

bool Mapping::isTorn() const {
  return range->isTorn;
}

void watchForTornFiles() {
  pageSize = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action = {};
  action.sa_sigaction = onBusError;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, &previousAction);
}

// Only pages of mapped files: others would be lost. Zero pages that the handler puts there
// meanwhile stay zero.
void passed(Bytes bytes) {
  constexpr size_t kLeast = 1 << 20;
  if (bytes.size() < kLeast)
    return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(bytes.begin());
  const uintptr_t end = begin + bytes.size();
  std::lock_guard lock(rangesMutex()); // a range must not be reused meanwhile
  for (const WatchedRange* range = firstRange; range; range = range->next) {
    if (range->begin == 0 || begin < range->begin || end > range->end)
      continue;
    const uintptr_t from = (begin + page - 1) & ~(page - 1), to = end & ~(page - 1);
    if (from < to)
      ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    return;
  }
}

void takeMemoryInLargeSteps() {
#ifdef __GLIBC__
  ::mallopt(M_TOP_PAD, 2 << 20);
#endif
}

std::vector<std::string> tornFiles() {
  std::lock_guard lock(rangesMutex());
  std::vector<std::string> paths;
  for (const WatchedRange* range = firstRange; range; range = range->next)
    if (range->isTorn)
      paths.push_back(range->path);
  return paths;
}

} // namespace tcfix::io
