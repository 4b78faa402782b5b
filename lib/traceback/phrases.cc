// The table of phrases. Their words are found regardless of line breaks.
#include "traceback/phrase.h"
#include "traceback/reader.h"

#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::traceback {

namespace {

using Kind = Defect::Kind;

constexpr size_t kNextBlock = 400;

struct Phrase {
  llvm::StringLiteral words;
  PhraseReader read;
};
constexpr Phrase kPhrases[] = {
    // glibc, musl
    {"cannot open shared object file", cannotOpen},
    {"=> not found", lddNotFound},
    {"Error loading shared library ", muslNotThere},
    {"undefined symbol", undefinedSymbol},
    {"Error relocating ", muslSymbol},
    {"not found (required by ", versionNotFound},
    {"' not found", versionNotFoundCut},
    {"not defined in file ", notDefinedInFile},
    {"wrong ELF class: ", wrongElfClass},
    {"cannot enable executable stack", aboutLibrary<Kind::ExecutableStack>},
    {"failed to map segment from shared object", aboutLibrary<Kind::NotMapped>},
    {"cannot allocate memory in static TLS block", aboutLibrary<Kind::StaticTlsFull>},
    {"invalid ELF header", aboutLibrary<Kind::Unreadable>},
    {"file too short", aboutLibrary<Kind::Unreadable>},
    {"ELF load command", aboutLibrary<Kind::Unreadable>},
    // Android
    {"-bit instead of ", otherBits},
    // glibc in programs that set a language; from its message catalogues
    {"Shared-Object-Datei nicht öffnen", cannotOpenTranslated},
    {"ouvrir le fichier d'objet partagé", cannotOpenTranslated},
    {"abrir el fichero del objeto compartido", cannotOpenTranslated},
    {"abrir arquivo compartilhado", cannotOpenTranslated},
    {"aprire il file oggetto condiviso", cannotOpenTranslated},
    {"открыть разделяемый объектный файл", cannotOpenTranslated},
    {"无法打开共享对象文件", cannotOpenTranslated},
    {"無法開啟共用物件", cannotOpenTranslated},
    {"共有オブジェクトファイルを開けません", cannotOpenTranslated},
    {"den Stack nicht ausführbar machen", aboutLibrary<Kind::ExecutableStack>},
    {"une pile exécutable comme", aboutLibrary<Kind::ExecutableStack>},
    {"la pila ejecutable tal", aboutLibrary<Kind::ExecutableStack>},
    {"pilhas de executável como", aboutLibrary<Kind::ExecutableStack>},
    {"lo stack eseguibile come", aboutLibrary<Kind::ExecutableStack>},
    {"исполняемый стек", aboutLibrary<Kind::ExecutableStack>},
    {"执行栈", aboutLibrary<Kind::ExecutableStack>},
    {"可執行堆疊", aboutLibrary<Kind::ExecutableStack>},
    {"実行可能スタック", aboutLibrary<Kind::ExecutableStack>},
    // dyld
    {"Library not loaded: ", libraryNotLoaded},
    {"Symbol not found: ", symbolNotFound},
    {"symbol not found in flat namespace", flatSymbolNotFound},
    {"file, but is an incompatible architecture", refusedByDyld},
    {"mach-o, but wrong architecture", refusedByDyld},
    {"missing compatible arch", refusedByDyld},
    {"code signature in ", refusedByDyld},
    {"code signature invalid", refusedByDyld},
    {"(Code Signature Invalid)", signatureInvalid},
    {"not valid for use in process", refusedByDyld},
    {"library load disallowed by system policy", refusedByDyld},
    {"duplicate LC_RPATH", refusedByDyld},
    {"built for newer macOS", refusedByDyld},
    // Windows; its dialog in the most common languages
    {"[WinError ", winError},
    {"Could not find module '", moduleNotFound},
    {"DLL load failed", dllLoadFailed},
    {"LoadLibrary failed with error ", loadLibraryFailed},
    {"code execution cannot proceed because", dllMissing},
    {"program can't start because", dllMissing},
    {"Ausführung des Codes kann nicht fortgesetzt werden", dllMissing},
    {"Impossible d'exécuter le code", dllMissing},
    {"Impossible d’exécuter le code", dllMissing},
    {"无法继续执行代码", dllMissing},
    {"コードの実行を続行できません", dllMissing},
    {"procedure entry point", entryPoint},
    {"Prozedureinsprungpunkt", entryPoint},
    {"point d'entrée de procédure", entryPoint},
    {"punto de entrada del procedimiento", entryPoint},
    {"ponto de entrada do procedimento", entryPoint},
    {"punto di ingresso della procedura", entryPoint},
    {"Точка входа в процедуру", entryPoint},
    {"无法定位程序输入点", entryPoint},
    {"找不到程序輸入點", entryPoint},
    {"プロシージャ エントリ ポイント", entryPoint},
    {"프로시저 시작 지점", entryPoint},
    {"@@", mangledEntryPoint},
    // Python
    {"No module named ", noModule},
    {"No spec found for ", noSpec},
    {"module compiled against A", numpyAbi},
    {"module that was compiled using ", numpyAbi},
    {"module was compiled for Python ", compiledForPython},
    {" was built for:", builtForTorch},
    {"Could not load this library", thisLibrary},
    {"Could not load library", ownLibrary},
    {"did not manage to locate a library called ", notLocated},
    {"library not found", libraryNotFound},
    // Programs that open libraries by name
    {" is not found or cannot be loaded", notFoundOrLoaded},
    {"Could not locate ", cudnnNotLocated},
    {"Unable to load any of {", noneOfThem},
    {"nvrtc: error: failed to open ", failedToOpen},
    {"load custom C++ ops", customOperators},
    {"intialize FFmpeg extension", torioWithoutFfmpeg},
    {"initialize FFmpeg extension", torioWithoutFfmpeg},
    // Crashes
    {"std::bad_alloc", crashed},
    {"Segmentation fault", crashed},
    {"access violation", crashed},
    {"core dumped", crashed},
    {"signal SIGSEGV", crashed},
    {"(exit code 139)", crashed},
    {"0xC0000005", crashed},
    // torch
    {"Could not run '", operatorMissing},
    {"registered for schema ", operatorMissing},
    {"RuntimeError: operator ", operatorNotThere},
    {"No such operator ", operatorUnknown},
    {"Could not find the operator ", operatorUnknown},
    {"Unknown builtin op: ", operatorUnknown},
    {"'_OpNamespace' '", operatorMissing},
    // The package itself
    {"Failed to load the backend extension: ", backendExtension},
    {"Failed to load the HEIC decoding library", heicLibrary},
    {"libheif.so.1: cannot open", heicLibrary},
    {"ffmpeg_major_version", noFfmpegMajor},
    // Installers
    {"No matching distribution found for ", noDistribution},
    {"Unable to find installation candidates for ", noDistribution},
    {"satisfies the requirement ", noDistribution},
    {"Unable to find candidates for ", noRelease},
    {"No candidates were found for ", noRelease},
    {"only the following versions of ", noRelease},
    {"no versions of ", noRelease},
    {"there is no version of ", noRelease},
    {"nothing provides requested ", noRelease},
    {"was not found in the package registry", notInIndex},
    {"does not exist (perhaps a typo", notInIndex},
    {"no wheels with a matching", noInstallableWheel},
    {"no wheels are available with a matching", noInstallableWheel},
    {"has no wheels", noInstallableWheel},
    {"with neither wheels nor source distribution", noInstallableWheel},
    {"source distribution or wheel for the current platform", noInstallableWheel},
    {"is not a supported wheel on this platform", noInstallableWheel},
    {"PackagesNotFoundError: The following packages are", noCondaPackage},
    {"conflicting dependencies", conflict},
    {"The conflict is caused by:", conflict},
    {" which is incompatible", installedConflict},
    {"requirements are unsatisfiable", conflict},
    {"UnsatisfiableError: ", conflict},
    // Qt
    {"is needed to load the Qt", qtPlugin},
    // Packages that use the recipe's package
    {"lease install ", pleaseInstall},
    {"requires the ", pleaseInstall},
    {"is required for", isUnavailable},
    {"is required to", isUnavailable},
    {"is not available", isUnavailable},
    {"is not installed", isUnavailable},
    {"is not found", isUnavailable},
    {"could not be imported", isUnavailable},
};

/// Loaders report what is missing and often not for which library; the frames above show it.
bool isAboutLibrary(Kind kind) {
  switch (kind) {
  case Kind::PackageMissing:
  case Kind::PackageUnavailable:
  case Kind::PackageDamaged:
  case Kind::NoWheel:
  case Kind::RequirementsConflict:
  case Kind::Crashed:
  case Kind::OperatorsMissing:
  case Kind::PluginBroken:
    return false;
  default:
    return true;
  }
}

/// The package whose code was running. torchaudio's search for FFmpeg prints a block for each
/// major; if the text begins within one, the next block shows its package.
std::string packageAround(llvm::StringRef text, Span at) {
  std::string package = packageAt(text, at.begin);
  const llvm::StringRef next = text.substr(at.end).split('\n').second.take_front(kNextBlock);
  const size_t torio = next.find("torio");
  if (package.empty() && torio != llvm::StringRef::npos &&
      torio < next.find(recipe::defaultRecipe().name))
    package = "torio";
  return package;
}

void nameSubject(Defect& failure, llvm::StringRef text, Span at) {
  if (failure.path.find_first_of("/\\") == std::string::npos && failure.subject.empty() &&
      isAboutLibrary(failure.kind))
    failure.subject = packageAround(text, at);
}

/// An installer's failure is one, even if only one of its sentences lists the available releases.
bool isSameRelease(Defect& known, const Defect& failure) {
  if (known.kind != Kind::NoWheel || failure.kind != Kind::NoWheel || known.name != failure.name ||
      known.actual != failure.actual || (!known.items.empty() && !failure.items.empty()))
    return false;
  if (known.items.empty())
    known.items = failure.items;
  return true;
}

Defect* findSame(std::vector<Defect>& failures, const Defect& failure) {
  for (Defect& each : failures)
    if (isSame(each, failure) || isSameRelease(each, failure))
      return &each;
  return nullptr;
}

struct Hit {
  Span span;
  const Phrase* phrase;
};

} // namespace

std::vector<Defect> readFailures(llvm::StringRef text) {
  std::vector<Hit> hits;
  for (const Phrase& phrase : kPhrases) {
    size_t count = 0;
    for (std::optional<Span> span = findWords(text, phrase.words); span && count < kMostFailures;
         span = findWords(text, phrase.words, span->end), ++count)
      hits.push_back({*span, &phrase});
  }
  llvm::stable_sort(hits, [](const Hit& a, const Hit& b) { return a.span.begin < b.span.begin; });

  std::vector<Defect> failures;
  size_t readUntil = 0; // a list of places mentions several things
  for (const Hit& hit : hits) {
    if (hit.span.begin < readUntil)
      continue;
    Place place{text, hit.span.begin, hit.span.end};
    Defect failure = hit.phrase->read(place);
    if (isSame(failure, Defect()) && failure.actual.empty())
      continue;
    failure.quote = place.line();
    nameSubject(failure, text, hit.span);
    // A program prints the error, and its traceback after it, which shows the package.
    if (Defect* known = findSame(failures, failure)) {
      if (known->subject.empty())
        known->subject = failure.subject;
      continue;
    }
    // dyld's sentence continues over several lines, to the end of its list.
    readUntil = place.end;
    if (!failure.tried.empty())
      readUntil = place.text.find('\n', place.text.find("tried: ", place.end));
    else if (hit.phrase->read == refusedByDyld)
      readUntil = place.text.find('\n', place.end);
    failures.push_back(std::move(failure));
  }
  return failures;
}

} // namespace tcfix::traceback
