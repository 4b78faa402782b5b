// Symptoms of a text as a whole. Missing a failure is the worst result: any sign of one counts,
// even if it is not understood, and a text is fine only if it has none.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <vector>

namespace tcfix::traceback {

/// Frames of any form, error words in a few languages, words of installers.
bool looksLikeFailure(llvm::StringRef text);

/// The text ends within a sentence about the package: "NAME is not install".
bool endsInSentenceAbout(llvm::StringRef text, llvm::StringRef package);

/// The majors of the package's libraries, if the text lists its files: at least two consecutive
/// lines that consist of their paths.
std::vector<int> majorsListed(llvm::StringRef text);

} // namespace tcfix::traceback
