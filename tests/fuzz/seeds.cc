// Writes small libraries of all kinds, from which a fuzzer starts:  fuzz_seeds FOLDER
#include "support/elf_builder.h"
#include "support/macho_builder.h"
#include "support/pe_builder.h"
#include "tcfix/image.h"

#include <fstream>
#include <iostream>

using namespace tcfix;

namespace {

constexpr uint8_t kKindsOfEdits = std::variant_size_v<Edit>;

/// Each library once for each kind of edits.
bool write(const std::string& folder, const std::string& name, const ByteVector& library) {
  for (uint8_t edits = 0; edits < kKindsOfEdits; ++edits) {
    std::ofstream file(folder + "/" + name + "-" + std::to_string(edits), std::ios::binary);
    file.write(reinterpret_cast<const char*>(library.data()),
               static_cast<std::streamsize>(library.size()));
    file.put(static_cast<char>(edits));
    if (!file.flush())
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_seeds FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  bool isFine = true;

  test::ElfSpec elf;
  elf.deadBytes = 64;
  isFine &= write(folder, "elf64", test::buildElf(elf).bytes);
  elf.deadBytes = 0;
  elf.spareSlots = 0;
  elf.runpath = "$ORIGIN:/opt/lib";
  isFine &= write(folder, "elf64-full", test::buildElf(elf).bytes);
  elf = {};
  elf.is64 = elf.isLittle = false;
  isFine &= write(folder, "elf32-big", test::buildElf(elf).bytes);

  support::MachOSpec macho;
  macho.codeSize = 0x200;
  isFine &= write(folder, "macho-arm64", support::buildMachO(macho));
  macho.rpaths = {"$ORIGIN", "/opt/lib"};
  macho.arch = support::kX86_64;
  isFine &= write(folder, "macho-x86_64", support::buildMachO(macho));

  isFine &= write(folder, "pe64", support::buildPe({}));
  isFine &= write(folder, "pe32", support::buildPe(support::recipeFor32Bit()));
  if (!isFine)
    std::cerr << folder << ": cannot be written\n";
  return isFine ? 0 : 1;
}
