// What is known of libraries in packages that otherwise need no recipe: modules that a package does
// without if they do not load, and libraries that are no modules and that its import loads. Each
// row names the code that it was read from.
#include "recipe/recipes.h"

namespace tcfix::recipe {

namespace {

enum class KnownAs { Optional, Imported, PreloadsNvidia };

struct KnownPart {
  llvm::StringLiteral package; ///< a beginning of its name if it ends with "*"
  KnownAs known;
  llvm::StringLiteral stem; ///< of the library's name, up to the first dot
};

constexpr KnownPart kKnownParts[] = {
    // numba/np/ufunc/parallel.py, _select_threading_layer: tbb, OpenMP and its own work queue are
    // tried in turn; an ImportError is passed over.
    {"numba", KnownAs::Optional, "tbbpool"},
    {"numba", KnownAs::Optional, "omppool"},
    // torch/__init__.py, _load_global_deps and _preload_cuda_deps: nvidia/*/lib on sys.path.
    {"torch", KnownAs::PreloadsNvidia, ""},
    // torchvision/extension.py: torch.ops.load_library of what is no module; io/image.py warns
    // only.
    {"torchvision", KnownAs::Imported, "_C"},
    {"torchvision", KnownAs::Optional, "image"},
    // imagecodecs/imagecodecs.py, __getattr__: codecs are imported when they are used. The wheels
    // for Windows lack heif.dll.
    {"imagecodecs", KnownAs::Optional, "_heif"},
    // cupy/_environment.py, _preload_library: an ImportError of what uses these is passed over. The
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
