// The doctor at a distance: explains a traceback from anybody's machine with the findings that it
// has for an environment. Nothing but the text is looked at.
#pragma once

#include "doctor/diagnose.h"

namespace tcfix::doctor {

/// `name` is where the text comes from, for the report.
Diagnosis explainTraceback(llvm::StringRef text, const std::string& name);

} // namespace tcfix::doctor
