// A simulated loader terminates for any libraries: cyclic dependencies, search paths to missing
// directories, inconsistent symbol tables.
//
// The input is up to four libraries, each after its length. They are written to one directory, with
// the names on which the seeds depend, and the first one is loaded.
#include "fuzz/directory.h"

#include "formats/formats.h"
#include "io/file.h"
#include "resolve/missing_symbols.h"
#include "resolve/tree.h"

using namespace tcfix;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Directory directory;
  Bytes rest(data, size);
  for (const char* name : {"libroot.so", "libone.so", "libtwo.so", "first.dll"})
    directory.write(name, fuzz::takePart(rest));
  llvm::Expected<io::InputFile> root = io::InputFile::open(directory.path + "/libroot.so");
  fuzz::expect(bool(root), "an existing file can be opened");
  llvm::Expected<Image> image = formats::inspect(root->bytes(), {/*withSymbols=*/true});
  if (!image) {
    llvm::consumeError(image.takeError());
    return 0;
  }
  resolve::findMissingSymbols(*root, *image);
  const resolve::Tree tree = resolve::loadAlone(root->path(), *image, {directory.path, {}});
  fuzz::expect(tree.result.bindings.size() <= size, "each dependency is bound once");
  return 0;
}
