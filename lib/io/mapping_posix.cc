#include "io/mapping.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace tcfix::io {

// The handler walks these without a lock: a range is linked in once and stays, to be used again by
// another mapping. `begin` is set last, and is 0 while nothing is mapped there.
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

/// For all but the handler.
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

// A torn range stays for tornFiles().
void unwatch(WatchedRange* range) {
  std::lock_guard lock(rangesMutex());
  range->begin = 0;
  if (!range->isTorn)
    freeRanges().push_back(range);
}

/// Puts zero pages from the one with this address to the end of its mapping.
bool coverLostPages(uintptr_t address) {
  for (WatchedRange* range = firstRange; range; range = range->next) {
    const uintptr_t begin = range->begin, end = range->end;
    // Mappings end with a whole page.
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
  const bool isFault = info->si_code > 0; // else someone sent it
  if (!isFault || !coverLostPages(reinterpret_cast<uintptr_t>(info->si_addr))) {
    // The same read faults again, or the signal comes again, and goes to whom it would have gone.
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
    unwatch(range); // before the region goes: the addresses may be someone else's then
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

std::vector<std::string> tornFiles() {
  std::lock_guard lock(rangesMutex());
  std::vector<std::string> paths;
  for (const WatchedRange* range = firstRange; range; range = range->next)
    if (range->isTorn)
      paths.push_back(range->path);
  return paths;
}

} // namespace tcfix::io
