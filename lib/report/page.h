// The voice for a browser: one page that needs nothing else. What it looks like is in page.html.
#pragma once

#include "doctor/diagnosis.h"

namespace tcfix::report {

/// `program` is the name and version of what made the page.
std::string renderPage(const doctor::Diagnosis& diagnosis, llvm::StringRef program);

} // namespace tcfix::report
