// Explains a traceback from anybody's machine, with the findings that the doctor has for an
// environment. Nothing but the text is looked at.
#pragma once

#include "doctor/diagnosis.h"

namespace tcfix::traceback {

/// `name` is where the text comes from, for the report.
doctor::Diagnosis explainTraceback(llvm::StringRef text, const std::string& name);

} // namespace tcfix::traceback
