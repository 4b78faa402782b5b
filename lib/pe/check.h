// The rules of the Windows loader for a DLL's headers and tables.
//
// From Microsoft's "PE Format" and what ntdll and the memory manager are known to reject. Every
// result is checked before it is written.
#pragma once

#include "pe/file.h"

namespace tcfix::pe {

/// One sentence for each broken rule.
std::vector<std::string> findProblems(const PeFile& file);

} // namespace tcfix::pe
