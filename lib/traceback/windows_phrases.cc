// Windows prints messages in the user's language. Error numbers are used if they are printed;
// Python's ImportError only has the sentence, which is recognized in a few languages.
#include "traceback/phrase.h"

#include "image/names.h"
#include "recipe/torch_symbols.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::traceback {

using Kind = Defect::Kind;

namespace {

Kind kindOfWindows(int number) {
  switch (number) {
  case 126: // ERROR_MOD_NOT_FOUND
    return Kind::MissingDependency;
  case 127: // ERROR_PROC_NOT_FOUND
  case 182: // ERROR_INVALID_ORDINAL
    return Kind::MissingSymbols;
  case 193: // ERROR_BAD_EXE_FORMAT
    return Kind::WrongArchitecture;
  case 1114: // ERROR_DLL_INIT_FAILED
    return Kind::InitializationFailed;
  case 5:    // ERROR_ACCESS_DENIED
  case 4551: // ERROR_SYSTEM_INTEGRITY_POLICY_VIOLATION
  case 8:    // ERROR_NOT_ENOUGH_MEMORY
  case 1455: // ERROR_COMMITMENT_LIMIT
    return Kind::NotMapped;
  default:
    return Kind::CauseNotTold;
  }
}

struct Sentence {
  llvm::StringLiteral words;
  int number;
};
constexpr Sentence kSentences[] = {
    {"specified module could not be found", 126},
    {"angegebene Modul wurde nicht gefunden", 126},
    {"module spécifié est introuvable", 126},
    {"encontrar el módulo especificado", 126},
    {"encontrar o módulo especificado", 126},
    {"trovare il modulo specificato", 126},
    {"odnaleźć określonego modułu", 126},
    {"найден указанный модуль", 126},
    {"找不到指定的模块", 126},
    {"找不到指定的模組", 126},
    {"指定されたモジュールが見つかりません", 126},
    {"지정된 모듈을 찾을 수 없습니다", 126},
    {"specified procedure could not be found", 127},
    {"angegebene Prozedur wurde nicht gefunden", 127},
    {"procédure spécifiée est introuvable", 127},
    {"encontró el proceso especificado", 127},
    {"encontrar o procedimento especificado", 127},
    {"trovare la procedura specificata", 127},
    {"odnaleźć określonej procedury", 127},
    {"найдена указанная процедура", 127},
    {"找不到指定的程序", 127},
    {"找不到指定的程序。", 127},
    {"指定されたプロシージャが見つかりません", 127},
    {"지정된 프로시저를 찾을 수 없습니다", 127},
    {"not a valid Win32 application", 193},
    {"keine zulässige Win32-Anwendung", 193},
    {"不是有效的 Win32 应用程序", 193},
    {"initialization routine failed", 1114},
    {"DLL-Initialisierungsroutine ist fehlgeschlagen", 1114},
    {"bibliothèque de liens dynamiques (DLL) a échoué", 1114},
    {"初始化例程失败", 1114},
    {"初始化例行程序失敗", 1114},
    {"初期化ルーチンの実行に失敗しました", 1114},
    {"초기화 루틴", 1114},
    {"rutina de inicialización de", 1114},
    {"rotina de inicialização da", 1114},
    {"inizializzazione della libreria di collegamento", 1114},
    {"инициализации библиотеки динамической", 1114},
    {"n'est pas une application Win32 valide", 193},
    {"no es una aplicación Win32 válida", 193},
    {"não é um aplicativo Win32 válido", 193},
    {"не является приложением Win32", 193},
    {"有効な Win32 アプリケーションではありません", 193},
    {"paging file is too small", 1455},
    {"Auslagerungsdatei ist zu klein", 1455},
    {"页面文件太小", 1455},
    {"Access is denied", 5},
    {"Zugriff verweigert", 5},
    {"Accès refusé", 5},
    {"Acceso denegado", 5},
    {"Acesso negado", 5},
    {"Accesso negato", 5},
    {"Отказано в доступе", 5},
    {"拒绝访问", 5},
    {"アクセスが拒否されました", 5},
    {"Application Control policy has blocked", 4551},
    {"Anwendungssteuerungsrichtlinie", 4551},
    {"应用程序控制策略已阻止", 4551},
};

/// Narrow consoles break a sentence anywhere.
std::string withoutBlanks(llvm::StringRef text) {
  std::string rest;
  for (char c : text)
    if (!llvm::isSpace(c))
      rest += c;
  return rest;
}

/// In another code page, accented letters are different or missing.
std::string asciiOnly(llvm::StringRef text) {
  std::string rest;
  for (char c : text)
    if (llvm::isASCII(c))
      rest += c;
  return rest;
}

int windowsNumberOf(llvm::StringRef sentence) {
  constexpr size_t kEnough = 16; // letters that do not match by chance
  const std::string plain = withoutBlanks(sentence), ascii = asciiOnly(plain);
  for (const auto& [words, number] : kSentences) {
    const std::string wanted = withoutBlanks(words), letters = asciiOnly(wanted);
    if (llvm::StringRef(plain).contains(wanted) ||
        (letters.size() >= kEnough && llvm::StringRef(ascii).contains(letters)))
      return number;
  }
  return 0;
}

Defect windowsFailure(int number, std::string library) {
  Defect failure{kindOfWindows(number), std::move(library)};
  if (failure.kind == Kind::WrongArchitecture)
    failure.actual = "no program for this Windows";
  if (number == 5 || number == 4551) {
    const std::string name = failure.path.empty() ? "a file" : baseName(failure.path).str();
    failure.sentence = number == 5
                           ? "this user may not read " + name + ", or another program locks it"
                           : name + " is blocked by Windows' application control (Smart App "
                                    "Control, or a policy of the organization)";
  }
  return failure;
}

constexpr llvm::StringLiteral kLibraryEnds[] = {".dll", ".pyd", ".DLL", ".exe"};

/// The file in the dialog, quoted or not, with or without its path.
std::string libraryIn(llvm::StringRef sentence) {
  for (llvm::StringRef end : kLibraryEnds) {
    size_t at = sentence.find(end);
    if (at == llvm::StringRef::npos)
      continue;
    llvm::StringRef name = sentence.take_front(at + end.size());
    // A path may contain blanks, and begins with its drive.
    if (size_t drive = name.rfind(":\\"); drive != llvm::StringRef::npos && drive > 0)
      return name.substr(drive - 1).str();
    return name.substr(name.find_last_of(" \t\n\"'(“„«") + 1).str();
  }
  return {};
}

} // namespace

Defect winError(const Place& place) {
  int number = 0;
  if (place.after().ltrim().consumeInteger(10, number) ||
      kindOfWindows(number) == Kind::CauseNotTold)
    return {}; // missing files, and other common errors
  std::string library;
  const llvm::StringRef sentence = place.rest().take_front(400).split("[WinError").first;
  if (std::optional<Span> words = findWords(sentence, "Error loading \""))
    library = upTo(sentence.substr(words->end), {"\""}).str();
  if (library.empty() && number == 5) // of any file, such as those that pip replaces
    return {};
  if (library.empty())
    library = between(place.after(), ": '", "'");
  return windowsFailure(number, library);
}

Defect moduleNotFound(const Place& place) {
  return windowsFailure(126, upTo(place.after(), {"'"}).str());
}

Defect dllLoadFailed(const Place& place) {
  llvm::StringRef after = place.after();
  int number = windowsNumberOf(place.rest().take_front(400));
  if (size_t code = after.find("error code "); code != llvm::StringRef::npos)
    after.substr(code + 11).consumeInteger(10, number);
  // Up to Python 3.7 the message does not contain the module.
  Defect failure = windowsFailure(number, between(after, "while importing ", ":"));
  if (failure.actual.empty())
    failure.actual = place.words().str();
  return failure;
}

/// onnxruntime: 'LoadLibrary failed with error 126 "" when trying to load "PATH"'
Defect loadLibraryFailed(const Place& place) {
  int number = 0;
  llvm::StringRef after = place.after().ltrim();
  return after.consumeInteger(10, number)
             ? Defect()
             : windowsFailure(number, between(after, "trying to load \"", "\""));
}

/// The dialog about a DLL that a program needs: its name is after the words, or before them.
Defect dllMissing(const Place& place) {
  std::string library = libraryIn(place.rest().take_front(300).split('\n').first);
  if (library.empty())
    library = libraryIn(place.before());
  return library.empty() ? Defect() : Defect{Kind::MissingDependency, {}, library};
}

/// The dialog, if its words are known: the symbol is before or after them.
Defect entryPoint(const Place& place) {
  llvm::StringRef sentence = place.rest().take_front(1000);
  std::string library = libraryIn(sentence);
  if (library.empty())
    return {};
  std::string symbol = symbolAt(sentence.ltrim(" \t\n\"'“„«"));
  return missingSymbol(library, symbol);
}

/// The dialog in any language: a name mangled by Microsoft's compiler, and a DLL.
Defect mangledEntryPoint(const Place& place) {
  llvm::StringRef before = place.before();
  llvm::StringRef begin = before.substr(before.find_last_of(" \t\"'“„«(") + 1);
  // "?name@Class@c10@@…": the words are the "@@" in it.
  if (!begin.starts_with("?") && !begin.contains("?"))
    return {};
  begin = begin.substr(begin.find('?'));
  const std::string symbol = begin.str() + "@@" + symbolAt(place.after());
  const llvm::StringRef around =
      place.text.slice(place.begin < 400 ? 0 : place.begin - 400, place.end + 600);
  std::string library = libraryIn(place.rest().take_front(600));
  if (library.empty())
    library = libraryIn(around);
  return library.empty() ? Defect() : missingSymbol(library, symbol);
}

} // namespace tcfix::traceback
