// For any bytes, an edit either fails or gives a library that has the edit: it can be read, and the
// same edit again changes nothing.
//
// The input is a library and, as its last byte, the number of the edits to make.
#include "fuzz/property.h"

#include "formats/formats.h"

using namespace tcfix;

namespace {

// Examples of each kind of edit. A new kind does not compile without an example.
struct Examples {
  using Edits = std::vector<Edit>;

  Edits operator()(const AddSearchPath&) {
    return {AddSearchPath{"@loader_path/../torch/lib", false}, AddSearchPath{"/opt/lib", false}};
  }
  Edits operator()(const RemoveSearchPath&) {
    return {AddSearchPath{"$ORIGIN", true}, RemoveSearchPath{"/opt/lib"}};
  }
  Edits operator()(const ReplaceSearchPath&) {
    return {ReplaceSearchPath{"$ORIGIN", "/a/rather/long/place/for/libraries"}};
  }
  Edits operator()(const SetSearchPathKind&) { return {SetSearchPathKind{SearchPathKind::Rpath}}; }
  Edits operator()(const RenameDependency&) {
    return {RenameDependency{"libone.so", "libanother-0123abcd.so.1.2.3"},
            RenameDependency{"first.dll", "another-0123abcd.dll"},
            RenameDependency{"/usr/lib/libSystem.B.dylib", "@rpath/libanother.dylib"}};
  }
  Edits operator()(const AddDependency&) {
    return {AddDependency{"libadded.so.1"}, RemoveDependency{"libone.so"},
            SetSearchPathKind{SearchPathKind::Rpath}};
  }
  Edits operator()(const RemoveDependency&) {
    return {RemoveDependency{"libone.so"}, RemoveDependency{"first.dll"}};
  }
  Edits operator()(const SetIdentity&) { return {SetIdentity{"libfuzz-0123abcd.so.7"}}; }
  Edits operator()(const DelayDependency&) {
    return {DelayDependency{"*", false}, AddSearchPath{"C:\\ffmpeg\\bin", false}};
  }
  Edits operator()(const UndelayDependency&) { return {UndelayDependency{"*"}}; }
};

template <size_t... kinds>
std::vector<Edit> examplesOf(size_t kind, std::index_sequence<kinds...>) {
  const Edit each[] = {std::variant_alternative_t<kinds, Edit>{}...};
  return std::visit(Examples(), each[kind]);
}

std::vector<Edit> editsOf(uint8_t number) {
  constexpr size_t kKinds = std::variant_size_v<Edit>;
  return examplesOf(number % kKinds, std::make_index_sequence<kKinds>());
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
  fuzz::expect(!isReadable || fuzz::succeeds(formats::inspect(changed)),
               "a library that could be read can still be read");
  llvm::Expected<EditOutcome> twice = formats::rewrite(changed, "libfuzz.so", request);
  fuzz::expect(bool(twice), "an edited library can be edited again");
  fuzz::expect(twice->rewrite.isIdentity(), "the second edit changes nothing");
  return 0;
}
