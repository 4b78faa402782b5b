// Words that several rules use.
#include "doctor/rules.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>

namespace tcfix::doctor {

std::string demangled(llvm::StringRef symbol) {
  // Mach-O puts an underscore before every name, also before mangled ones.
  if (symbol.starts_with("__Z"))
    symbol = symbol.drop_front();
  return llvm::demangle(symbol.str());
}

std::string describe(const TorchSpan& span) {
  if (span.since.isKnown())
    return "torch has them since " + span.since.text();
  return span.until.isKnown() ? "torch had them until " + span.until.text() : std::string();
}

std::string quoted(llvm::StringRef word) {
  bool isPlain = llvm::all_of(
      word, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("/._-+~:@%,\\").contains(c); });
  return isPlain && !word.empty() ? word.str() : "'" + word.str() + "'";
}

std::string signCommand(llvm::StringRef path) {
  return "tcfix sign " + quoted(path);
}

std::string signPythonCommand(llvm::StringRef path) {
  return "codesign --force --sign - " + quoted(path);
}

std::string unquarantineCommand(llvm::StringRef path) {
  return "xattr -d com.apple.quarantine " + quoted(path);
}

std::string reinstallCommand(const Scene& scene) {
  return scene.isInstalled ? reinstallCommand(scene.package) : std::string();
}

std::string reinstallCommand(const env::Package& package) {
  return package.distInfo.empty() ? std::string() : reinstallCommand(package.name);
}

std::string reinstallCommand(const std::string& package) {
  return "pip install --force-reinstall --no-deps " + package;
}

} // namespace tcfix::doctor
