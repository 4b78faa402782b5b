// Whatever bytes come, an edit ends with an error or with a library that is as wanted: it can be
// read, and the same edit finds nothing left to do.
//
// The input is a library and, as its last byte, the number of the edits to make.
#include "fuzz/promise.h"

#include "formats/formats.h"

using namespace tcfix;

namespace {

std::vector<Edit> editsOf(uint8_t number) {
  switch (number % 8) {
  case 0:
    return {AddSearchPath{"@loader_path/../torch/lib", false}, AddSearchPath{"/opt/lib", false}};
  case 1:
    return {AddSearchPath{"$ORIGIN", true}, RemoveSearchPath{"/opt/lib"}};
  case 2:
    return {ReplaceSearchPath{"$ORIGIN", "/a/rather/long/place/for/libraries"}};
  case 3:
    return {RenameDependency{"libone.so", "libanother-0123abcd.so.1.2.3"},
            RenameDependency{"first.dll", "another-0123abcd.dll"},
            RenameDependency{"/usr/lib/libSystem.B.dylib", "@rpath/libanother.dylib"}};
  case 4:
    return {SetIdentity{"libfuzz-0123abcd.so.7"}};
  case 5:
    return {AddDependency{"libadded.so.1"}, RemoveDependency{"libone.so"},
            SetSearchPathKind{SearchPathKind::Rpath}};
  case 6:
    return {DelayDependency{"*", false}, AddSearchPath{"C:\\ffmpeg\\bin", false}};
  default:
    return {UndelayDependency{"*"}};
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  Bytes file(data, size - 1);
  const bool isReadable = fuzz::succeeds(formats::inspect(file, {/*withSymbols=*/true}));
  fuzz::succeeds(formats::inspect(file, {/*withSymbols=*/false, /*isThorough=*/false}));
  fuzz::succeeds(formats::verify(file));
  fuzz::succeeds(formats::openSymbols(file, "arm64"));

  formats::EditRequest request;
  request.edits = editsOf(data[size - 1]);
  request.signing.alsoUnsigned = data[size - 1] & 0x40;
  llvm::Expected<EditOutcome> once = formats::rewrite(file, "libfuzz.so", request);
  if (!once) {
    llvm::consumeError(once.takeError());
    return 0;
  }
  const ByteVector changed = rewritten(once->rewrite, file);
  fuzz::promise(!isReadable || fuzz::succeeds(formats::inspect(changed)),
                "a library that could be read can still be read");
  llvm::Expected<EditOutcome> twice = formats::rewrite(changed, "libfuzz.so", request);
  fuzz::promise(bool(twice), "what was edited can be edited again");
  fuzz::promise(twice->rewrite.isIdentity(), "the second edit changes nothing");
  return 0;
}
