#include "elf/notes.h"

namespace tcfix::elf {

std::optional<Bytes> findBuildId(const Model& model, uint64_t offset, uint64_t size) {
  constexpr uint64_t kHeader = 12; // lengths of name and content, type
  Bytes rest = *model.source->read(offset, size);
  while (rest.size() >= kHeader) {
    uint64_t name = alignUp(model.flavor.read32(rest.data()), 4);
    uint64_t content = model.flavor.read32(rest.data() + 4);
    if (!fits(kHeader + name, content, rest.size()))
      return std::nullopt;
    if (model.flavor.read32(rest.data() + 8) == llvm::ELF::NT_GNU_BUILD_ID &&
        textOf(rest.slice(kHeader, name)) == llvm::StringRef("GNU", 4))
      return rest.slice(kHeader + name, content);
    rest = rest.drop_front(std::min<uint64_t>(kHeader + name + alignUp(content, 4), rest.size()));
  }
  return std::nullopt;
}

} // namespace tcfix::elf
