// Bytes that end right before an inaccessible page: reading past them ends the test, even inside
// libraries that were built without sanitizers. POSIX only.
#pragma once

#include "base/bytes.h"

#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace tcfix::support {

class GuardedBytes {
public:
  explicit GuardedBytes(Bytes content) : length(content.size()) {
    uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    room = alignUp(length, page);
    mappedSize = room + page;
    memory = ::mmap(nullptr, mappedSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    std::memcpy(begin(), content.data(), length);
    ::mprotect(static_cast<uint8_t*>(memory) + room, page, PROT_NONE);
  }
  ~GuardedBytes() { ::munmap(memory, mappedSize); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  operator Bytes() const { return {begin(), length}; }

private:
  uint8_t* begin() const { return static_cast<uint8_t*>(memory) + room - length; }

  size_t length;
  size_t room = 0;
  size_t mappedSize = 0;
  void* memory = nullptr;
};

} // namespace tcfix::support
