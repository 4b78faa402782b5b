// The output for a browser: one page without other files. Its template is page.html.
#pragma once

#include "doctor/diagnosis.h"

namespace tcfix::report {

/// `program` is the name and version of the program that generated the page.
std::string renderPage(const doctor::Diagnosis& diagnosis, llvm::StringRef program);

} // namespace tcfix::report
