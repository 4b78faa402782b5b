// A phrase: the fixed words of a program's sentence, and how to read the text around them. The
// table of all phrases is in phrases.cc; the readers are in one file for each kind of program.
#pragma once

#include "doctor/defect.h"
#include "traceback/plain_text.h"

namespace tcfix::traceback {

using doctor::Defect;

// The maximum length of a sentence: dyld lists every place that it tried. It bounds the work for
// each phrase, however long a line is.
constexpr size_t kReach = 16384;

/// Words that were found, and the text around them.
struct Place {
  llvm::StringRef text;
  size_t begin, end;

  llvm::StringRef before() const; ///< on the same line, or the one before it if that is empty
  llvm::StringRef rest() const { return text.substr(end, kReach); }
  llvm::StringRef after() const; ///< on the same line, or the next one if that is empty
  llvm::StringRef words() const { return text.slice(begin, end); }
  std::string line() const; ///< all of it, for the evidence
};

/// Reads the text at a match; an empty defect means that nothing failed.
using PhraseReader = Defect (*)(const Place& place);

// Shared by the readers

llvm::StringRef unquoted(llvm::StringRef word);
/// The subject of a sentence: "/a/lib.so" of "OSError: /a/lib.so: undefined symbol…".
std::string subjectOf(llvm::StringRef before);
/// The same for an ELF library; other words may come between: "/a/b.so: kann den".
std::string libraryBefore(llvm::StringRef before);
std::string symbolAt(llvm::StringRef text);
/// The text up to the first of these, or to the end of the line.
llvm::StringRef upTo(llvm::StringRef text, std::initializer_list<llvm::StringRef> ends);
std::string between(llvm::StringRef text, llvm::StringRef open, llvm::StringRef close);
Defect missingSymbol(std::string library, std::string symbol, std::string provider = {});
/// The package whose code was running, according to the frames and imports above this position;
/// empty if they do not show it.
std::string packageAt(llvm::StringRef text, size_t at);
/// The package that a file belongs to; empty if its path does not show it.
std::string packageOf(llvm::StringRef path);
/// All packages with a file in the text.
std::vector<std::string> packagesIn(llvm::StringRef text);

// glibc, musl: elf_phrases.cc
Defect cannotOpen(const Place& place);
Defect lddNotFound(const Place& place);
Defect muslNotThere(const Place& place);
Defect undefinedSymbol(const Place& place);
Defect muslSymbol(const Place& place);
Defect versionNotFound(const Place& place);
Defect versionNotFoundCut(const Place& place);
Defect notDefinedInFile(const Place& place);
Defect wrongElfClass(const Place& place);
Defect otherBits(const Place& place);
Defect cannotOpenTranslated(const Place& place);
/// A sentence about one library: "/a/b.so: file too short".
template <Defect::Kind kind>
Defect aboutLibrary(const Place& place) {
  std::string library = libraryBefore(place.before());
  return library.empty() ? Defect() : Defect{kind, std::move(library)};
}

// dyld: dyld_phrases.cc
Defect libraryNotLoaded(const Place& place);
Defect symbolNotFound(const Place& place);
Defect flatSymbolNotFound(const Place& place);
Defect refusedByDyld(const Place& place);
Defect signatureInvalid(const Place& place);

// Windows: windows_phrases.cc
Defect winError(const Place& place);
Defect moduleNotFound(const Place& place);
Defect dllLoadFailed(const Place& place);
Defect loadLibraryFailed(const Place& place);
Defect dllMissing(const Place& place);
Defect entryPoint(const Place& place);
Defect mangledEntryPoint(const Place& place);

// Python, installers and other packages: program_phrases.cc
Defect noModule(const Place& place);
Defect pleaseInstall(const Place& place);
Defect isUnavailable(const Place& place);
Defect noSpec(const Place& place);
Defect numpyAbi(const Place& place);
Defect compiledForPython(const Place& place);
Defect builtForTorch(const Place& place);
Defect qtPlugin(const Place& place);
Defect noDistribution(const Place& place);
Defect noInstallableWheel(const Place& place);
Defect noRelease(const Place& place);
Defect notInIndex(const Place& place);
Defect noCondaPackage(const Place& place);
Defect conflict(const Place& place);
Defect installedConflict(const Place& place);
Defect crashed(const Place& place);
Defect operatorMissing(const Place& place);
Defect operatorNotThere(const Place& place);
Defect operatorUnknown(const Place& place);
Defect backendExtension(const Place& place);
Defect heicLibrary(const Place& place);
Defect noFfmpegMajor(const Place& place);

// Programs that open libraries by name: opened_phrases.cc
Defect notLocated(const Place& place);
Defect libraryNotFound(const Place& place);
Defect thisLibrary(const Place& place);
Defect ownLibrary(const Place& place);
Defect notFoundOrLoaded(const Place& place);
Defect cudnnNotLocated(const Place& place);
Defect noneOfThem(const Place& place);
Defect failedToOpen(const Place& place);
Defect customOperators(const Place& place);
Defect torioWithoutFfmpeg(const Place& place);

} // namespace tcfix::traceback
