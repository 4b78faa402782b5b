// Prints the throughput of tcfix's and LLVM's SHA-256 in megabytes per second, for scripts/bench.

#include "io/digest.h"

#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

template <typename Hash>
double megabytesPerSecond(tcfix::Bytes bytes, Hash hash) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    auto start = std::chrono::steady_clock::now();
    hash(bytes);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, bytes.size() / 1e6 / seconds.count());
  }
  return best;
}

} // namespace

int main() {
  tcfix::ByteVector bytes(32 << 20, 0x5a);
  volatile char sink = 0;
  double ours =
      megabytesPerSecond(bytes, [&](tcfix::Bytes b) { sink = tcfix::io::sha256Hex(b)[0]; });
  double llvms = megabytesPerSecond(
      bytes, [&](tcfix::Bytes b) { sink = static_cast<char>(llvm::SHA256::hash(b)[0]); });
  std::printf("%.0f %.0f\n", ours, llvms);
}
