#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace tcfix {

unsigned hardwareThreads() {
  static const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  return threads;
}

void parallelFor(size_t count, unsigned threads, llvm::function_ref<void(size_t)> body) {
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> workers;
  // If the system cannot create more threads, the work runs on fewer.
  try {
    for (size_t i = 1; i < std::min<size_t>(threads, count); ++i)
      workers.emplace_back(work);
  } catch (const std::system_error&) {
  }
  work();
  for (std::thread& worker : workers)
    worker.join();
}

} // namespace tcfix
