// The messages of programs that open libraries by name, instead of being linked to them: ctypes,
// cffi, torch, ctranslate2, cuDNN.
#include "traceback/phrase.h"

#include "recipe/cuda_releases.h"
#include "recipe/recipe.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::traceback {

using Kind = Defect::Kind;

namespace {

bool isLibraryName(llvm::StringRef name) {
  return !name.contains(' ') &&
         (name.contains(".so") || name.ends_with_insensitive(".dll") || name.ends_with(".dylib"));
}

Defect openedByName(const std::string& name) {
  Defect defect{Kind::MissingDependency, {}, name};
  defect.isOpenedByName = true;
  return isLibraryName(name) ? defect : Defect();
}

} // namespace

/// cffi: "find_library() did not manage to locate a library called 'sndfile'". Names such as
/// "gobject-2.0-0" are Windows' names; the last number is not part of others.
Defect notLocated(const Place& place) {
  std::string name = symbolAt(place.after().ltrim(" '\"`"));
  llvm::StringRef rest = place.after().ltrim(" '\"`").substr(name.size());
  while (rest.consume_front("-")) {
    const llvm::StringRef part =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '.'; });
    const bool isWindows =
        part.size() == 1 && llvm::isDigit(part.front()) && llvm::StringRef(name).contains('-');
    if (!isWindows)
      name += "-" + part.str();
    rest = rest.substr(part.size());
  }
  return name.empty() ? Defect() : openedByName("lib" + name + ".so");
}

/// "OSError: sndfile library not found", from modules that search for it with ctypes.
Defect libraryNotFound(const Place& place) {
  const auto [start, name] = place.before().rsplit("OSError: ");
  const bool isName = !name.empty() && !name.trim().contains(' ') && !name.trim().contains('.');
  return isName ? openedByName("lib" + name.trim().lower() + ".so") : Defect();
}

Defect thisLibrary(const Place& place) {
  llvm::StringRef path = place.after().ltrim(": \t");
  if (path.starts_with("{path}")) // the line of torch's code that a traceback shows
    return {};
  if (path.trim().empty())
    path = place.rest().split('\n').second.split('\n').first;
  if (path.starts_with("...")) // omitted by users
    path = path.ltrim(" .");
  // On one line with others, the path ends with the name of a library.
  for (llvm::StringRef end : {".dylib", ".dll", ".pyd", ".so"})
    if (size_t at = path.find(end); at != llvm::StringRef::npos)
      return {Kind::CauseNotTold, path.take_front(at + end.size()).trim(" \t>|").str()};
  return {Kind::CauseNotTold, path.trim(" \t'\"`").str()};
}

/// "Could not load library: NAME", from users and other programs; the package's own counts. cuDNN:
/// "Could not load library NAME. Error code 126" (ERROR_MOD_NOT_FOUND).
Defect ownLibrary(const Place& place) {
  if (hasWords(place.rest().take_front(200), "Error code 126"))
    return openedByName(upTo(place.after().ltrim(": "), {". "}).str());
  Defect defect = thisLibrary(place);
  return llvm::StringRef(defect.path).contains(recipe::defaultRecipe().libraryPrefix) ? defect
                                                                                      : Defect();
}

/// ctranslate2: "Library libcublas.so.12 is not found or cannot be loaded".
Defect notFoundOrLoaded(const Place& place) {
  Defect defect = openedByName(subjectOf(place.before()));
  if (!defect.name.empty())
    defect.subject = recipe::kOpensCudaByName.str();
  return defect;
}

/// cuDNN: "Could not locate cudnn_ops64_9.dll. Please make sure it is in your library path!"
Defect cudnnNotLocated(const Place& place) {
  return openedByName(upTo(place.after().ltrim(), {". ", " "}).rtrim('.').str());
}

/// cuDNN: "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9}".
/// The name with one number is the one that packages contain.
Defect noneOfThem(const Place& place) {
  std::string last;
  for (llvm::StringRef name : llvm::split(upTo(place.after(), {"}"}), ','))
    if (name = name.trim(); last.empty() || name.split(".so.").second.count('.') == 0)
      if (last.empty() || !name.ends_with(".so"))
        last = name.str();
  return openedByName(last);
}

/// libnvrtc: "nvrtc: error: failed to open libnvrtc-builtins.so.13.0."
Defect failedToOpen(const Place& place) {
  return openedByName(upTo(place.after().ltrim(), {". ", " "}).rtrim('.').str());
}

/// torchvision: "Couldn't load custom C++ ops. This can happen if …": its library did not load.
Defect customOperators(const Place& place) {
  Defect defect{Kind::CauseNotTold};
  defect.subject = packageAt(place.text, place.begin);
  if (defect.subject.empty() || defect.subject == "torch")
    defect.subject = "torchvision";
  defect.actual = place.words().str();
  return defect;
}

/// torio: "Failed to intialize FFmpeg extension. Tried versions: ['6', '5', '4', '']."
Defect torioWithoutFfmpeg(const Place& place) {
  Defect defect{Kind::CauseNotTold};
  defect.subject = "torio";
  defect.actual = place.words().str();
  return hasWords(place.rest().take_front(100), "Tried versions: [") ? defect : Defect();
}

} // namespace tcfix::traceback
