// Where Windows looks for a DLL: the folders of one LoadLibraryEx call, which hold for everything
// that the call brings in.
#pragma once

#include "resolve/process.h"

namespace tcfix::resolve {

struct WindowsFolder {
  std::string path; ///< a host path
  FoundBy how;
};

using WindowsSearch = std::vector<WindowsFolder>;

/// Python's way (since 3.8): LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, and LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
/// where a path is loaded. `ownFolder` is the folder of the DLL that is loaded, empty for none.
WindowsSearch modernSearch(const Process& process, llvm::StringRef ownFolder);

/// The classic way, with PATH: LOAD_WITH_ALTERED_SEARCH_PATH, or no flags where `ownFolder` is
/// empty. The current folder is left out, since nobody knows it.
WindowsSearch classicSearch(const Process& process, llvm::StringRef ownFolder);

/// The target's System32 as a host path; nothing where it is out of reach.
std::optional<std::string> system32(const Process& process);

/// An entry of an embedded search list, as helper/helper.c understands it.
struct WindowsEntry {
  std::optional<std::string> folder; ///< host path
  std::string rest;                  ///< below it, with slashes
  bool isUnknown = false;            ///< an absolute path that is out of reach
};
WindowsEntry entryOf(const Process& process, llvm::StringRef entry, llvm::StringRef ownFolder);

} // namespace tcfix::resolve
