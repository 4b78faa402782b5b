// Talk with the user: errors, warnings, hints and progress, on standard error. Data goes to
// standard output and does not pass through here. Stands on spdlog, which only log.cc includes.
#pragma once

#include "base/error.h"

namespace tcfix::report {

enum class Verbosity { Quiet, Normal, Verbose };

/// Call once, before anything else of this file.
void setUpLog(Verbosity verbosity, bool withColour);

void logError(const Problem& problem);   ///< always shown
void logWarning(const Problem& problem); ///< not when quiet
void logInfo(const std::string& message);
void logDetail(const std::string& message); ///< only when verbose

} // namespace tcfix::report
