// Room for new texts in the dynamic string table.
//
// A byte of the table may be shared: linkers store "foo" as the end of "libfoo". So a text is
// written only over bytes that nobody reads any more, and all readers are known: dynamic entries,
// symbol versions and symbols. Where a reader may be unknown (a tag or section of a kind not listed
// here), no byte counts as free and new texts go behind the old end; without a section header, only
// those of replaced texts do.
#pragma once

#include "elf/dynamic.h"

#include <llvm/ADT/BitVector.h>

namespace tcfix::elf {

class StringRoom {
public:
  /// `model` must have strings and outlive the room.
  static llvm::Expected<StringRoom> measure(const Model& model, llvm::ArrayRef<NeededFile> needed,
                                            const DynamicPlan& plan);

  /// The offset of `text`: where it stands already, else in the first gap that is large enough,
  /// else behind all texts in use.
  uint64_t place(const std::string& text);

  /// The table's size with all that was placed; at least the old one.
  uint64_t size() const { return newSize; }

  struct Write {
    uint64_t offset = 0;
    std::string text; ///< to be written with a zero byte at its end
  };
  const std::vector<Write>& writes() const { return placed; }

private:
  explicit StringRoom(Bytes table);
  void use(uint64_t offset);
  void freeOnly(llvm::ArrayRef<uint64_t> texts);

  Bytes table;
  llvm::BitVector inUse; ///< one bit for each byte; grows with the table
  uint64_t newSize = 0;
  std::vector<Write> placed;
};

} // namespace tcfix::elf
