// What a text shows as a whole. Silence about a failure is the worst answer: any sign of one
// counts, whether or not it is understood, and a text is fine only if it has none.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <vector>

namespace tcfix::traceback {

/// Frames in any shape, words of errors in a few languages, words of installers.
bool looksLikeFailure(llvm::StringRef text);

/// The text ends within a sentence about the package: "NAME is not install".
bool endsInSentenceAbout(llvm::StringRef text, llvm::StringRef package);

/// The majors of the package's libraries, if the text lists its files: two lines or more, one below
/// the other, that are nothing but paths of them.
std::vector<int> majorsListed(llvm::StringRef text);

} // namespace tcfix::traceback
