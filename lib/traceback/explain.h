// Explains a traceback from any machine, with the doctor's findings. Only the text is examined.
#pragma once

#include "doctor/diagnosis.h"

namespace tcfix::traceback {

/// `name` is the source of the text, for the report.
doctor::Diagnosis explainTraceback(llvm::StringRef text, const std::string& name);

} // namespace tcfix::traceback
