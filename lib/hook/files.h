// What the hook consists of in one site-packages folder.
#pragma once

#include "hook/hook.h"

#include <map>

namespace tcfix::hook {

/// Path relative to the site -> content.
using HookFiles = std::map<std::string, std::string>;

/// What the hook itself writes when it wakes; listed in RECORD, too.
inline constexpr llvm::StringLiteral kOwnNotes[] = {"tcfix_hook/stamp.json",
                                                    "tcfix_hook/stamp.new"};

/// The files that install writes, RECORD included.
HookFiles hookFiles(const HookOptions& options);

/// The .dist-info that owns them, and its RECORD, relative to the site.
std::string distInfoName();
std::string recordName();

/// What the RECORD in a .dist-info lists, relative to the site; nothing if it cannot be read.
std::vector<std::string> recordedFiles(const std::string& owner);

/// The options that settings.json and the package's own file show; nothing if they are not ours.
std::optional<HookOptions> readOptions(const std::string& site);

} // namespace tcfix::hook
