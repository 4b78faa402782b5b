// `tcfix doctor --all`: every package of an environment, one line each.
#pragma once

#include "doctor/diagnosis.h"
#include "report/text.h"

#include <llvm/Support/JSON.h>

namespace tcfix::report {

/// "ok", "broken" or "unknown", as in JSON.
llvm::StringRef verdictName(resolve::Verdict verdict);

/// "61 packages with native libraries: 58 load, 2 load with warnings, 1 does not load".
std::string summaryOfAll(const doctor::Diagnosis& diagnosis);

/// "24 modules, 3 on demand".
std::string censusText(const doctor::Census& census);

std::string renderOverview(const doctor::Diagnosis& diagnosis, bool isVerbose, const Paint& paint);

/// The attribute `packages` of the document.
void writePackages(llvm::json::OStream& out, const doctor::Diagnosis& diagnosis);

} // namespace tcfix::report
