#include "pe/usage.h"

#include "base/error.h"
#include "pe/relocations.h"

namespace tcfix::pe {

using llvm::support::endian::read32le;
namespace COFF = llvm::COFF;

namespace {

// Treats every four bytes of code as a possible RIP-relative displacement: calls `visit` with the
// address after them and the address that they would refer to.
template <typename Visit>
void forEachDisplacement(const PeFile& file, Visit visit) {
  for (const Section& section : file.sections) {
    if (!(section.characteristics & COFF::IMAGE_SCN_MEM_EXECUTE) || section.fileSize < 4)
      continue;
    const Bytes code = *file.image().read(section.offset, section.fileSize);
    for (size_t i = 0; i + 4 <= code.size(); ++i) {
      const uint64_t after = section.address + i + 4;
      visit(code, i, after + static_cast<int32_t>(read32le(code.data() + i)));
    }
  }
}

} // namespace

std::vector<bool> findCalledSlots(const PeFile& file, const Import& import, uint32_t count) {
  std::vector<bool> isCalled(count);
  forEachDisplacement(file, [&](Bytes code, size_t at, uint64_t target) {
    const uint64_t distance = target - import.slots;
    if (distance >= uint64_t(count) * 8 || distance % 8 || at < 2 || code[at - 2] != 0xff)
      return;
    if (code[at - 1] == 0x15 || code[at - 1] == 0x25) // call [rip+x], jmp [rip+x]
      isCalled[distance / 8] = true;
  });
  return isCalled;
}

llvm::Expected<bool> isUsed(const PeFile& file, const Import& import) {
  llvm::Expected<uint32_t> count = countSlots(file, import);
  if (!count)
    return count.takeError();
  if (*count == 0)
    return false;
  const uint64_t size = uint64_t(*count) * file.pointerSize();
  bool isFound = false;
  bool isReadable = forEachRelocation(file, [&](uint64_t rva, unsigned) {
    std::optional<uint64_t> value = file.pointerAt(rva);
    isFound |= value && *value - file.imageBase - import.slots < size;
  });
  if (!isReadable)
    return fail(ErrorCode::Malformed, "the base relocations are corrupt");
  if (isFound)
    return true;
  switch (file.machine) {
  case COFF::IMAGE_FILE_MACHINE_AMD64:
    forEachDisplacement(file, [&](Bytes, size_t, uint64_t target) {
      // Up to four bytes of an immediate value may follow the displacement.
      isFound |= target + 4 - import.slots < size + 4;
    });
    return isFound;
  case COFF::IMAGE_FILE_MACHINE_I386:
    if (file.directories[COFF::BASE_RELOCATION_TABLE].isPresent())
      return false; // every absolute address has a relocation
    [[fallthrough]];
  default:
    return fail(ErrorCode::Unsupported,
                ("cannot determine whether symbols from " + import.name + " are used").str());
  }
}

} // namespace tcfix::pe
