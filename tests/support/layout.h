// Positions in a thin Mach-O file, according to its load commands.
#pragma once

#include "macho/file.h"
#include "support/outcomes.h"

namespace tcfix::support {

struct SignaturePlace {
  uint64_t offset = 0;
  uint64_t size = 0;
};

inline std::optional<SignaturePlace> signatureIn(Bytes bytes) {
  macho::File file = valueOf(macho::read(bytes));
  for (const macho::LoadCommand& command : file.slices.at(0).commands)
    if (command.kind == llvm::MachO::LC_CODE_SIGNATURE) {
      auto data = macho::commandAs<llvm::MachO::linkedit_data_command>(file.slices.at(0), command);
      return SignaturePlace{data.dataoff, data.datasize};
    }
  return std::nullopt;
}

/// The first byte after the load commands.
inline uint64_t commandsEnd(Bytes bytes) {
  macho::File file = valueOf(macho::read(bytes));
  uint64_t end = file.slices.at(0).headerSize();
  for (const macho::LoadCommand& command : file.slices.at(0).commands)
    end += command.bytes.size();
  return end;
}

} // namespace tcfix::support
