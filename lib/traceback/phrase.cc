#include "traceback/phrase.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace tcfix::traceback {

namespace {

constexpr size_t kMostWords = 300;
constexpr int kMostFrames = 60;
constexpr size_t kLongestPath = 600;

/// The module of the last import statement; empty if there is none.
std::string importedIn(llvm::StringRef whole) {
  llvm::StringRef text = whole;
  for (int i = 0; i < kMostFrames; ++i) {
    const size_t at = std::max(text.rfind("import ") + 1, text.rfind("from ") + 1);
    if (at == 0)
      break;
    llvm::StringRef statement = whole.substr(at - 1), before = text.take_front(at - 1);
    text = before;
    const bool isFrom = statement.starts_with("from ");
    const llvm::StringRef name = statement.substr(isFrom ? 5 : 7).take_while([](char c) {
      return llvm::isAlnum(c) || c == '_';
    });
    // At the beginning of a line, or after its number or a prompt; not in a sentence.
    const llvm::StringRef line = before.substr(before.rfind('\n') + 1);
    if (name.empty() || !line.trim(" \t>-.|0123456789:[]In").empty() ||
        (isFrom && !statement.split('\n').first.contains(" import ")))
      continue;
    return name.str();
  }
  return {};
}

/// The last frame's own statement, if it imports another package: '", line 3, in <module>' and
/// "import NAME" below it. No frame of that package follows, so its library failed.
std::string importedAfter(llvm::StringRef afterFile) {
  if (!afterFile.starts_with("\", line "))
    return {};
  llvm::StringRef statement = afterFile.split('\n').second.split('\n').first.ltrim();
  const bool isImport = statement.consume_front("import ") ||
                        (statement.contains(" import ") && statement.consume_front("from "));
  return isImport ? statement.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).str()
                  : std::string();
}

/// The package of the last file that a program mentioned, such as "Loading binary PATH...". torch's
/// frames belong to the package whose libraries it loads.
std::string packageNamedLast(llvm::StringRef text) {
  std::string package = packageOf(text.take_back(kLongestPath));
  const bool isName = package != "torch" && llvm::all_of(package, [](char c) {
                        return llvm::isAlnum(c) || c == '_' || c == '-';
                      });
  return isName ? package : std::string();
}

} // namespace

llvm::StringRef Place::before() const {
  llvm::StringRef part = text.take_front(begin).take_back(kReach);
  llvm::StringRef line = part.substr(part.rfind('\n') + 1);
  if (line.trim(" \t>|:").empty() && line.size() < part.size()) {
    part = part.drop_back(line.size() + 1);
    line = part.substr(part.rfind('\n') + 1);
  }
  return line;
}

llvm::StringRef Place::after() const {
  auto [line, next] = rest().split('\n');
  return line.trim().empty() ? next.split('\n').first : line;
}

std::string Place::line() const {
  llvm::StringRef whole = before();
  // From the name of the exception on, if the line has one.
  size_t error = whole.rfind("Error: ");
  whole = whole.substr(error == llvm::StringRef::npos ? 0 : error + 7).ltrim();
  return (whole.take_back(kMostWords) + words() + after().take_front(kMostWords)).str();
}

llvm::StringRef unquoted(llvm::StringRef word) {
  return word.trim(" \t'\"`");
}

/// The subject of a sentence: "/a/lib.so" of "OSError: /a/lib.so: undefined symbol…".
std::string subjectOf(llvm::StringRef before) {
  before = before.rtrim(" :\t");
  // "[/a/lib.so](https://…/a/lib.so)", as editors render paths.
  if (size_t link = before.rfind("](http"); before.ends_with(")") && link != llvm::StringRef::npos)
    before = before.take_front(link).substr(before.take_front(link).rfind('[') + 1);
  if (size_t colon = before.rfind(": "); colon != llvm::StringRef::npos)
    before = before.substr(colon + 2);
  before = before.trim();
  // A path may contain blanks; a time stamp or a sentence before it ends with one.
  size_t slash = before.find('/');
  if (slash != llvm::StringRef::npos &&
      (slash == 0 || llvm::StringRef(" \t'\"`(").contains(before[slash - 1])))
    return unquoted(before.substr(slash)).str();
  return unquoted(before.substr(before.find_last_of(" \t'\"`(>|") + 1)).str();
}

std::string libraryBefore(llvm::StringRef before) {
  for (llvm::StringRef part : {before, before.rsplit(": ").first})
    if (std::string name = subjectOf(part); llvm::StringRef(name).contains(".so"))
      return name;
  return {};
}

std::string symbolAt(llvm::StringRef text) {
  llvm::StringRef symbol = text.ltrim().take_while(
      [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_$.:?@~").contains(c); });
  return symbol.rtrim(".:").str();
}

/// The text up to the first of these, or to the end of the line.
llvm::StringRef upTo(llvm::StringRef text, std::initializer_list<llvm::StringRef> ends) {
  size_t end = text.find('\n');
  for (llvm::StringRef each : ends)
    end = std::min(end, text.find(each));
  return text.take_front(end).trim();
}

std::string between(llvm::StringRef text, llvm::StringRef open, llvm::StringRef close) {
  size_t begin = text.find(open);
  if (begin == llvm::StringRef::npos)
    return {};
  text = text.substr(begin + open.size());
  return upTo(text, {close}).str();
}

Defect missingSymbol(std::string library, std::string symbol, std::string provider) {
  Defect defect{Defect::Kind::MissingSymbols, std::move(library), {}, {}, std::move(provider)};
  if (!symbol.empty())
    defect.items = {std::move(symbol)};
  return defect;
}

std::string packageOf(llvm::StringRef path) {
  for (llvm::StringRef site : {"site-packages", "dist-packages"}) {
    size_t at = path.rfind(site);
    if (at == llvm::StringRef::npos)
      continue;
    llvm::StringRef rest = path.substr(at + site.size()).ltrim("/\\");
    llvm::StringRef package = rest.take_front(rest.find_first_of("/\\"));
    if (package.ends_with(".egg")) // NAME-VERSION-py3.8-linux-x86_64.egg/NAME/…
      return package.split('-').first.str();
    if (package.size() < rest.size())
      return package.split('.').first.str(); // also for "NAME.libs"
    // Markdown renders "\_" as "_": "site-packages\NAME__init__.py".
    if (size_t init = rest.find("__init__.py"); init != llvm::StringRef::npos && init > 0)
      return rest.take_front(init).str();
  }
  // The beginning of the path was cut off.
  for (llvm::StringRef folder : {"/torch/lib/", "\\torch\\lib\\"})
    if (path.contains(folder))
      return "torch";
  return {};
}

std::vector<std::string> packagesIn(llvm::StringRef text) {
  constexpr size_t kMost = 1000; // matches; frames are often repeated
  std::vector<std::string> packages;
  size_t count = 0;
  for (size_t at = text.find("-packages"); at != llvm::StringRef::npos && count < kMost;
       at = text.find("-packages", at + 1), ++count) {
    const llvm::StringRef path = text.substr(at < 4 ? 0 : at - 4, kLongestPath).split('\n').first;
    if (std::string name = packageOf(path.take_front(path.find('"')));
        !name.empty() && !llvm::is_contained(packages, name))
      packages.push_back(std::move(name));
  }
  return packages;
}

std::string packageAt(llvm::StringRef text, size_t at) {
  llvm::StringRef part = text.take_front(at).take_back(kReach);
  if (size_t begin = part.rfind("Traceback (most recent"); begin != llvm::StringRef::npos)
    part = part.substr(begin);
  llvm::StringRef rest = part;
  for (int i = 0; i < kMostFrames; ++i) {
    const size_t end = rest.rfind(".py");
    if (end == llvm::StringRef::npos)
      break;
    llvm::StringRef file = rest.take_front(end).take_back(kLongestPath);
    file = file.substr(file.find_last_of("\"'\n") + 1);
    rest = rest.take_front(end);
    // torch loads libraries for other packages, and PyInstaller modules.
    const std::string package = packageOf(file.str() + ".py");
    if (!package.empty() && package != "PyInstaller" &&
        !(package == "torch" && file.ends_with("_ops"))) {
      const std::string imported = importedAfter(part.substr(end + 3));
      return imported.empty() ? package : imported;
    }
  }
  const std::string imported = importedIn(part);
  return imported.empty() ? packageNamedLast(part) : imported;
}

} // namespace tcfix::traceback
