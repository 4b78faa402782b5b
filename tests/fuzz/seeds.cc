// Writes small libraries of all kinds, with which the fuzzers start:  fuzz_seeds DIRECTORY
//
// Each fuzzer whose input contains libraries has a subdirectory; its source describes the input.
#include "support/elf_builder.h"
#include "support/macho_builder.h"
#include "support/pe_builder.h"
#include "tcfix/image.h"

#include <filesystem>
#include <fstream>
#include <iostream>

using namespace tcfix;

namespace {

constexpr uint8_t kKindsOfEdits = std::variant_size_v<Edit>;

/// Libraries of one platform.
struct Family {
  std::string name;
  std::string suffix; ///< of the libraries of a package
  uint8_t platform;   ///< its number in fuzz_wheel
  std::vector<ByteVector> libraries;
};

class Seeds {
public:
  explicit Seeds(std::string directory) : directory(std::move(directory)) {}

  void write(const std::string& kind, const std::string& name, const ByteVector& bytes) {
    std::error_code error;
    std::filesystem::create_directories(directory + "/" + kind, error);
    std::ofstream file(directory + "/" + kind + "/" + name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    isFine &= bool(file.flush());
  }

  bool isFine = true;

private:
  std::string directory;
};

ByteVector with(ByteVector bytes, uint8_t last) {
  bytes.push_back(last);
  return bytes;
}

/// Appends the length of a part and the part, as takePart() reads them.
void addPart(ByteVector& bytes, Bytes part) {
  bytes.push_back(part.size() & 0xff);
  bytes.push_back(part.size() >> 8);
  bytes.insert(bytes.end(), part.begin(), part.end());
}

void writeFamily(Seeds& seeds, const Family& family) {
  ByteVector together;
  for (size_t i = 0; i < family.libraries.size(); ++i) {
    const ByteVector& library = family.libraries[i];
    const std::string name = family.name + "-" + std::to_string(i);
    for (uint8_t edits = 0; edits < kKindsOfEdits; ++edits)
      seeds.write("edits", name + "-" + std::to_string(edits), with(library, edits));
    if (family.name == "macho")
      seeds.write("sign", name, with(library, static_cast<uint8_t>(i)));
    addPart(together, library);
    ByteVector wheel = {family.platform};
    addPart(wheel, bytesOf("torchcodec/libtorchcodec_core7" + family.suffix));
    addPart(wheel, library);
    seeds.write("wheel", name, wheel);
  }
  seeds.write("simulate", family.name, together);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_seeds DIRECTORY\n";
    return 2;
  }
  test::ElfSpec roomy, full, big;
  roomy.deadBytes = 64;
  full.spareSlots = 0;
  full.runpath = "$ORIGIN:/opt/lib";
  big.is64 = big.isLittle = false;
  support::MachOSpec arm, intel;
  arm.codeSize = intel.codeSize = 0x200;
  intel.rpaths = {"$ORIGIN", "/opt/lib"};
  intel.arch = support::kX86_64;

  Seeds seeds(argv[1]);
  writeFamily(seeds, {"elf",
                      ".so",
                      1,
                      {test::buildElf(full).bytes, test::buildElf(roomy).bytes,
                       test::buildElf(big).bytes}});
  writeFamily(seeds,
              {"macho", ".dylib", 0, {support::buildMachO(arm), support::buildMachO(intel)}});
  writeFamily(
      seeds,
      {"pe", ".dll", 2, {support::buildPe({}), support::buildPe(support::recipeFor32Bit())}});
  if (!seeds.isFine)
    std::cerr << argv[1] << ": cannot write the seeds\n";
  return seeds.isFine ? 0 : 1;
}
