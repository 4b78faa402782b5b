// Where Windows searches for a DLL: the folders of one LoadLibraryEx call, which apply to
// everything that the call loads.
#pragma once

#include "resolve/process.h"

namespace tcfix::resolve {

struct WindowsFolder {
  std::string path; ///< a host path
  FoundBy how;
};

using WindowsSearch = std::vector<WindowsFolder>;

/// As used by Python since 3.8: LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, and for a path also
/// LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR. `ownFolder` is the folder of the DLL to load; empty for none.
WindowsSearch modernSearch(const Process& process, llvm::StringRef ownFolder);

/// The standard search order, with PATH: LOAD_WITH_ALTERED_SEARCH_PATH, or no flags if `ownFolder`
/// is empty. The current folder is left out, since it is unknown.
WindowsSearch classicSearch(const Process& process, llvm::StringRef ownFolder);

/// The target's System32 as a host path; nothing if it is not on this machine.
std::optional<std::string> system32(const Process& process);

/// An entry of an embedded search list, as helper/helper.c interprets it.
struct WindowsEntry {
  std::optional<std::string> folder; ///< host path
  std::string rest;                  ///< below it, with slashes
  bool isUnknown = false;            ///< an absolute path that is not on this machine
};
WindowsEntry entryOf(const Process& process, llvm::StringRef entry, llvm::StringRef ownFolder);

} // namespace tcfix::resolve
