// Finds room for new strings in the dynamic string table.
//
// Strings may share bytes: linkers store "foo" as the tail of "libfoo". A string is therefore
// written only over bytes that are no longer used by dynamic entries, symbol versions or symbols.
// If there may be other references (a tag or section of an unknown kind), no byte counts as free
// and new strings go after the old end; without a section header, only the bytes of replaced
// strings count as free.
#pragma once

#include "elf/dynamic.h"

#include <llvm/ADT/BitVector.h>

namespace tcfix::elf {

class StringAllocator {
public:
  /// `model` must have strings and outlive the result.
  static llvm::Expected<StringAllocator>
  measure(const Model& model, llvm::ArrayRef<NeededFile> needed, const DynamicPlan& plan);

  /// The offset of `text`: an existing copy, else the first gap that is large enough, else after
  /// all strings in use.
  uint64_t place(const std::string& text);

  /// The table's size with all placed strings; at least the old size.
  uint64_t size() const { return newSize; }

  struct Write {
    uint64_t offset = 0;
    std::string text; ///< written with a terminating zero byte
  };
  const std::vector<Write>& writes() const { return placed; }

private:
  explicit StringAllocator(Bytes table);
  void use(uint64_t offset);
  void freeOnly(llvm::ArrayRef<uint64_t> offsets);

  Bytes table;
  llvm::BitVector inUse; ///< one bit for each byte; grows with the table
  uint64_t newSize = 0;
  std::vector<Write> placed;
};

} // namespace tcfix::elf
