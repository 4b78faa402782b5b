#include "elf/versions.h"

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

// Elf_Verneed and Elf_Vernaux, Elf_Verdef and Elf_Verdaux: the same in all four flavors.
constexpr uint64_t kNeedSize = 16, kNeedAuxSize = 16, kDefSize = 20, kDefAuxSize = 8;

llvm::Error badChain(const char* what, const char* why) {
  return malformed(std::string("the list of ") + what + " " + why);
}

/// Walks `count` records of `size` bytes from `address`; `visit` returns the distance to the next
/// one (0 after the last) or an error.
template <class Visit>
llvm::Error walk(const Model& model, const char* what, uint64_t address, uint64_t count,
                 uint64_t size, Visit visit) {
  for (uint64_t i = 0; i < count; ++i) {
    std::optional<Bytes> record = model.readAt(address, size);
    if (!record)
      return badChain(what, "extends past its segment");
    llvm::Expected<uint64_t> next = visit(address, record->data());
    if (!next)
      return next.takeError();
    bool isLast = i + 1 == count;
    if (isLast != (*next == 0))
      return badChain(what, "does not have the stated length");
    if (!isLast && *next < size)
      return badChain(what, "overlaps itself");
    address += *next;
  }
  return llvm::Error::success();
}

llvm::Error checkName(const Model& model, const char* what, uint64_t name) {
  if (!model.strings || name >= model.strings->bytes.size())
    return badChain(what, "has a name past the end of the dynamic string table");
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<NeededFile>> readNeededVersions(const Model& model) {
  constexpr const char* what = "needed symbol versions";
  std::vector<NeededFile> files;
  std::optional<uint64_t> address = model.find(DT_VERNEED);
  if (!address)
    return files;
  const Flavor& flavor = model.flavor;
  uint64_t total = 0;
  auto readVersion = [&](uint64_t, const uint8_t* record) -> llvm::Expected<uint64_t> {
    VersionNeed version{flavor.read32(record + 8), flavor.read16(record + 6),
                        flavor.read16(record + 4)};
    if (llvm::Error error = checkName(model, what, version.name))
      return error;
    // Lists that share records would let a small malicious file take hours.
    if (++total > model.source->size() / kNeedAuxSize)
      return badChain(what, "overlaps itself");
    files.back().versions.push_back(version);
    return flavor.read32(record + 12);
  };
  auto readFile = [&](uint64_t at, const uint8_t* record) -> llvm::Expected<uint64_t> {
    if (flavor.read16(record) != VER_NEED_CURRENT)
      return badChain(what, "has an unknown format");
    NeededFile file{*model.offsetOf(at, kNeedSize) + 4, flavor.read32(record + 4), {}};
    if (llvm::Error error = checkName(model, what, file.name))
      return error;
    files.push_back(std::move(file));
    if (llvm::Error error = walk(model, what, at + flavor.read32(record + 8),
                                 flavor.read16(record + 2), kNeedAuxSize, readVersion))
      return error;
    return flavor.read32(record + 12);
  };
  if (llvm::Error error =
          walk(model, what, *address, model.find(DT_VERNEEDNUM).value_or(0), kNeedSize, readFile))
    return error;
  return files;
}

llvm::Expected<std::vector<DefinedVersion>> readDefinedVersions(const Model& model) {
  constexpr const char* what = "defined symbol versions";
  std::vector<DefinedVersion> versions;
  std::optional<uint64_t> address = model.find(DT_VERDEF);
  if (!address)
    return versions;
  const Flavor& flavor = model.flavor;
  uint64_t total = 0;
  auto readName = [&](uint64_t, const uint8_t* record) -> llvm::Expected<uint64_t> {
    uint64_t name = flavor.read32(record);
    if (llvm::Error error = checkName(model, what, name))
      return error;
    if (++total > model.source->size() / kDefAuxSize)
      return badChain(what, "overlaps itself");
    versions.back().names.push_back(name);
    return flavor.read32(record + 4);
  };
  auto readDefinition = [&](uint64_t at, const uint8_t* record) -> llvm::Expected<uint64_t> {
    if (flavor.read16(record) != VER_DEF_CURRENT)
      return badChain(what, "has an unknown format");
    versions.push_back({flavor.read16(record + 4), flavor.read16(record + 2), {}});
    if (llvm::Error error = walk(model, what, at + flavor.read32(record + 12),
                                 flavor.read16(record + 6), kDefAuxSize, readName))
      return error;
    return flavor.read32(record + 16);
  };
  if (llvm::Error error = walk(model, what, *address, model.find(DT_VERDEFNUM).value_or(0),
                               kDefSize, readDefinition))
    return error;
  return versions;
}

} // namespace tcfix::elf
