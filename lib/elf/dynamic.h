// Plans the new dynamic section: edits in, slots and changes out.
//
// Nothing is placed here: a slot holds its new string, and the string table and the layout decide
// where it goes. Slots keep their positions where possible, so that few bytes change; the order of
// DT_NEEDED, which is the search order of symbols, is always kept.
#pragma once

#include "elf/versions.h"
#include "tcfix/image.h"

namespace tcfix::elf {

struct Slot {
  uint64_t tag = 0;
  uint64_t value = 0;
  std::optional<std::string> text; ///< the new string, if it changes
  std::optional<size_t> from;      ///< its index in the old section
};

struct DynamicPlan {
  std::vector<Slot> slots;                             ///< without the DT_NULL at the end
  std::vector<std::optional<std::string>> neededFiles; ///< new names for NeededFile records
  std::vector<Change> changes;
  std::vector<std::string> warnings;
};

/// The effective search paths: those of the last DT_RUNPATH, else of the last DT_RPATH.
struct SearchPaths {
  std::vector<std::string> paths;
  std::optional<SearchPathKind> kind;
  std::optional<size_t> slot;       ///< the effective one
  std::vector<std::string> ignored; ///< the strings of all others
};
SearchPaths readSearchPaths(const Model& model);

/// True for a program, as opposed to a library.
bool isProgram(const Model& model);

llvm::Expected<DynamicPlan> planDynamic(const Model& model, llvm::ArrayRef<NeededFile> needed,
                                        llvm::ArrayRef<Edit> edits);

} // namespace tcfix::elf
