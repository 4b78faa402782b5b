// Messages on standard error: errors, warnings, hints and progress. Data goes to standard output by
// other functions. Uses spdlog, which only log.cc includes.
#pragma once

#include "base/error.h"

namespace tcfix::report {

enum class Verbosity { Quiet, Normal, Verbose };

/// Must be called once before the functions below.
void setUpLog(Verbosity verbosity, bool withColour);

void logError(const Problem& problem);   ///< always shown
void logWarning(const Problem& problem); ///< not when quiet
void logInfo(const std::string& message);

} // namespace tcfix::report
