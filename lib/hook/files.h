// The hook's files in one site-packages directory.
#pragma once

#include "hook/hook.h"

#include <map>

namespace tcfix::hook {

/// Path relative to the site -> content.
using HookFiles = std::map<std::string, std::string>;

/// Files that the hook writes when it runs; also listed in RECORD.
inline constexpr llvm::StringLiteral kStampFiles[] = {"tcfix_hook/stamp.json",
                                                      "tcfix_hook/stamp.new"};

/// The files that install writes, including RECORD.
HookFiles hookFiles(const HookOptions& options);

/// The .dist-info that owns them, and its RECORD, relative to the site.
std::string distInfoName();
std::string recordName();

/// The files listed in the RECORD of a .dist-info, relative to the site; empty if it cannot be
/// read.
std::vector<std::string> recordedFiles(const std::string& owner);

/// The options of an installed hook, from settings.json and finder.py; nothing if they are invalid.
std::optional<HookOptions> readOptions(const std::string& site);

} // namespace tcfix::hook
