// What is known about libraries of packages that otherwise need no recipe: modules that a package
// works without, and libraries that are not modules and that its import loads. Each row refers to
// the code that it was taken from.
#include "recipe/recipes.h"

namespace tcfix::recipe {

namespace {

enum class KnownAs { Optional, Imported, PreloadsNvidia };

struct KnownPart {
  llvm::StringLiteral package; ///< a prefix of its name if it ends with "*"
  KnownAs known;
  llvm::StringLiteral stem; ///< of the library's name, up to the first dot
};

constexpr KnownPart kKnownParts[] = {
    // numba/np/ufunc/parallel.py, _select_threading_layer: tbb, OpenMP and its own work queue are
    // tried in turn; an ImportError is ignored.
    {"numba", KnownAs::Optional, "tbbpool"},
    {"numba", KnownAs::Optional, "omppool"},
    // torch/__init__.py, _load_global_deps and _preload_cuda_deps: nvidia/*/lib on sys.path.
    {"torch", KnownAs::PreloadsNvidia, ""},
    // torchvision/extension.py: torch.ops.load_library of a library that is not a module;
    // io/image.py
    // only warns.
    {"torchvision", KnownAs::Imported, "_C"},
    {"torchvision", KnownAs::Optional, "image"},
    // imagecodecs/imagecodecs.py, __getattr__: codecs are imported when they are used. The wheels
    // for Windows lack heif.dll.
    {"imagecodecs", KnownAs::Optional, "_heif"},
    // Those that the wheels for Windows contain without their libraries (imagecodecs.py,
    // "distributed as
    // source code only").
    {"imagecodecs", KnownAs::Optional, "_jetraw"},
    {"imagecodecs", KnownAs::Optional, "_jpegxs"},
    // cupy/_environment.py, _preload_library: an ImportError of modules that use these is ignored.
    // The
    // libraries of CUDA itself are not preloaded (seen with 14.2).
    {"cupy*", KnownAs::Optional, "cudnn"},
    {"cupy*", KnownAs::Optional, "cutensor"},
    {"cupy*", KnownAs::Optional, "cusparselt"},
    {"cupy*", KnownAs::Optional, "nccl"},
};

bool isAbout(llvm::StringRef row, llvm::StringRef package) {
  return row.consume_back("*") ? package.starts_with_insensitive(row)
                               : package.equals_insensitive(row);
}

} // namespace

void addKnownParts(Recipe& generic) {
  for (const KnownPart& part : kKnownParts) {
    if (!isAbout(part.package, generic.name))
      continue;
    switch (part.known) {
    case KnownAs::Optional:
      generic.optionalStems.push_back(part.stem.str());
      break;
    case KnownAs::Imported:
      generic.importedStems.push_back(part.stem.str());
      break;
    case KnownAs::PreloadsNvidia:
      generic.preloadsNvidia = true;
      break;
    }
  }
}

} // namespace tcfix::recipe
