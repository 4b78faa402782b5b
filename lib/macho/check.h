// The rules that dyld and the kernel apply to load commands, as data.
//
// They follow dyld-1378, mach_o/UnsafeHeader.cpp (valid, validStructureLoadCommands,
// validSemantics…) and Image.cpp (validLinkedit), and XNU's bsd/kern/mach_loader.c
// (parse_machfile, load_code_signature). Rules about permissions and fixups are left out: no edit
// of ours can change what they look at.
//
// There are two sets of rules. Those of checkStructure() hold for every image, whatever its SDK: a
// file that breaks one is invalid and is never edited. Those of check() include what dyld enforces
// only for recent SDKs; they tell whether an edit made a file worse.
#pragma once

#include "macho/file.h"

namespace tcfix::macho {

/// What a loader would refuse or warn of in a slice with these commands and this size; empty when
/// all is well. Only for slices that are editable.
std::vector<std::string> check(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands,
                               uint64_t size);

/// Why no dyld loads this slice, and a header that disagrees with its load commands; empty when all
/// is well. read() has already refused what it cannot make sense of.
std::vector<std::string> checkStructure(const FileSlice& slice);

} // namespace tcfix::macho
