// Definitions for what LLVM's sources refer to and tcfix never calls, so that the linker does not
// link LLVM's own. Readers of other formats would add LLVM's intermediate language; handlers of
// signals and crashes would add an option parser, a YAML parser and regular expressions: half of
// the program, some of it initialized at each start. The linkers of Windows and macOS require
// definitions even for functions that they then remove.
#include <llvm/Object/Archive.h>
#include <llvm/Object/Binary.h>
#include <llvm/Object/IRObjectFile.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Object/SymbolicFile.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/Debug.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#ifdef _WIN32
#include <llvm/Support/CommandLine.h>
#endif

namespace llvm {
namespace object {

// LLVM's Binary.cpp and SymbolicFile.cpp without the functions that read a file of any format.
Binary::Binary(unsigned int type, MemoryBufferRef source) : TypeID(type), Data(source) {}
Binary::~Binary() = default;
StringRef Binary::getData() const {
  return Data.getBuffer();
}
StringRef Binary::getFileName() const {
  return Data.getBufferIdentifier();
}
MemoryBufferRef Binary::getMemoryBufferRef() const {
  return Data;
}
SymbolicFile::SymbolicFile(unsigned int type, MemoryBufferRef source) : Binary(type, source) {}
SymbolicFile::~SymbolicFile() = default;

Expected<std::unique_ptr<Archive>> Archive::create(MemoryBufferRef) {
  std::abort();
}
Expected<std::unique_ptr<IRObjectFile>> IRObjectFile::create(MemoryBufferRef, LLVMContext&) {
  std::abort();
}
Expected<std::unique_ptr<ObjectFile>> ObjectFile::createELFObjectFile(MemoryBufferRef, bool) {
  std::abort();
}
Expected<std::unique_ptr<ObjectFile>> ObjectFile::createXCOFFObjectFile(MemoryBufferRef, unsigned) {
  std::abort();
}
Expected<std::unique_ptr<WasmObjectFile>> ObjectFile::createWasmObjectFile(MemoryBufferRef) {
  std::abort();
}

} // namespace object

raw_ostream& dbgs() {
  return errs();
}

CrashRecoveryContext* CrashRecoveryContext::GetCurrent() {
  return nullptr;
}
void CrashRecoveryContext::HandleExit(int) {
  std::abort(); // called for a current context only
}

#ifdef _WIN32
// tcfix splits its command line by the system's own function: io/console.h.
void cl::TokenizeWindowsCommandLineFull(StringRef, StringSaver&, SmallVectorImpl<const char*>&,
                                        bool) {
  std::abort();
}
#endif

namespace sys {

void RunInterruptHandlers() {}
bool RemoveFileOnSignal(StringRef, std::string*) {
  return false;
}
void DontRemoveFileOnSignal(StringRef) {}
#ifdef _WIN32
void CallOneShotPipeSignalHandler() {} // the failed write is reported as elsewhere
#endif
std::string getDefaultTargetTriple() {
  return {};
}

} // namespace sys
} // namespace llvm
