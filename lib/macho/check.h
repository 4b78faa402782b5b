// The rules that dyld and the kernel apply to load commands. Violations are returned as data.
//
// They follow dyld-1378, mach_o/UnsafeHeader.cpp (valid, validStructureLoadCommands,
// validSemantics…) and Image.cpp (validLinkedit), and XNU's bsd/kern/mach_loader.c (parse_machfile,
// load_code_signature). Rules about permissions and fixups are left out: tcfix does not edit what
// they check.
//
// There are two sets of rules. checkStructure() applies to every image, whatever its SDK: a file
// that breaks one of its rules is invalid and is never edited. check() includes rules that dyld
// enforces only for recent SDKs; comparing its results shows whether an edit introduced a problem.
#pragma once

#include "macho/file.h"

namespace tcfix::macho {

/// What a loader would reject or warn about in a slice with these commands and this size; empty
/// when all is well. Only for editable slices.
std::vector<std::string> check(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands,
                               uint64_t size);

/// Why every dyld rejects this slice, and whether its header disagrees with its load commands;
/// empty when all is well. read() has already rejected what it cannot parse.
std::vector<std::string> checkStructure(const FileSlice& slice);

} // namespace tcfix::macho
