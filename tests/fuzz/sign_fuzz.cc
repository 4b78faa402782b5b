// For any Mach-O file that can be signed, the signature is valid, and signing again changes
// nothing.
//
// The input is a library and, as its last byte, whether a foreign signature is replaced. Every
// other mutation is followed by signing, because otherwise the hashes do not match, and the parts
// of the signature are never checked.
#include "fuzz/property.h"

#include "formats/formats.h"

#include <cstring>

using namespace tcfix;

namespace {

formats::EditRequest requestFor(uint8_t choice) {
  formats::EditRequest request;
  request.signing.alsoUnsigned = true;
  request.signing.replaceForeign = choice & 1;
  return request;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  const Bytes file(data, size - 1);
  const formats::EditRequest request = requestFor(data[size - 1]);
  fuzz::succeeds(formats::verify(file));
  formats::signatureIdentifier(file, "libfuzz.dylib");
  llvm::Expected<EditOutcome> once = formats::rewrite(file, "libfuzz.dylib", request);
  if (!once) {
    llvm::consumeError(once.takeError());
    return 0;
  }
  const ByteVector made = rewritten(once->rewrite, file);
  llvm::Expected<formats::SignatureVerdict> verdict = formats::verify(made);
  fuzz::expect(bool(verdict), "a signed file can be verified");
  fuzz::expect(verdict->isValid, "the signature of a signed file is valid");
  llvm::Expected<EditOutcome> twice = formats::rewrite(made, "libfuzz.dylib", request);
  fuzz::expect(bool(twice), "a signed file can be signed again");
  fuzz::expect(twice->rewrite.isIdentity(), "the second signature equals the first");
  const ByteVector back = rewritten(reverseOf(once->rewrite, file), made);
  fuzz::expect(Bytes(back) == file, "undo restores the original");
  return 0;
}

#ifdef TCFIX_FUZZ
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, most);
  if (size == 0 || seed % 2)
    return size;
  const Bytes file(data, size - 1);
  llvm::Expected<EditOutcome> signedFile =
      formats::rewrite(file, "libfuzz.dylib", requestFor(data[size - 1]));
  if (!signedFile) {
    llvm::consumeError(signedFile.takeError());
    return size;
  }
  ByteVector made = rewritten(signedFile->rewrite, file);
  made.push_back(data[size - 1]);
  if (made.size() > most)
    return size;
  std::memcpy(data, made.data(), made.size());
  return made.size();
}
#endif
