#include "env/python_source.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <optional>

namespace tcfix::env {

namespace {

/// How Python code names the ways to load a library: ctypes, cffi, torch's operators.
constexpr llvm::StringLiteral kLoading[] = {"CDLL(",   "PyDLL(",        "LoadLibrary(",
                                            "dlopen(", "load_library(", "OleDLL("};

/// How code names the ways to list a directory.
constexpr llvm::StringLiteral kListing[] = {"glob(", "listdir(", "iterdir(", "scandir(", "walk("};

/// A longer condition is unknown: its parts are evaluated recursively.
constexpr size_t kLongestCondition = 500;

bool isQuote(char letter) {
  return letter == '"' || letter == '\'';
}

/// A statement that may span several lines, without comments and the content of long strings.
struct LogicalLine {
  size_t indent = 0;
  std::string text;
};

class LineReader {
public:
  explicit LineReader(llvm::StringRef text) : rest(text) {}

  std::optional<LogicalLine> next() {
    while (!rest.empty()) {
      LogicalLine line;
      line.indent = takeIndent();
      takeStatement(line.text);
      line.text = llvm::StringRef(line.text).trim().str();
      if (!line.text.empty())
        return line;
    }
    return std::nullopt;
  }

private:
  size_t takeIndent() {
    size_t width = 0;
    for (; !rest.empty(); rest = rest.drop_front()) {
      if (rest.front() == '\t')
        width = (width / 8 + 1) * 8;
      else if (rest.front() == ' ')
        ++width;
      else if (rest.front() != '\f')
        break;
    }
    return width;
  }

  void takeStatement(std::string& out) {
    size_t depth = 0;
    while (!rest.empty()) {
      const char letter = rest.front();
      if (letter == '#') {
        rest = rest.drop_until([](char each) { return each == '\n'; });
        continue;
      }
      if (isQuote(letter)) {
        takeString(out);
        continue;
      }
      rest = rest.drop_front();
      if (letter == '\n' && depth == 0)
        return;
      if (letter == '\\') { // at the end of a line, as nothing else is legal outside of strings
        rest.consume_front("\r");
        rest.consume_front("\n");
        out += ' ';
        continue;
      }
      if (llvm::StringRef("([{").contains(letter))
        ++depth;
      else if (llvm::StringRef(")]}").contains(letter) && depth > 0)
        --depth;
      out += llvm::isSpace(letter) ? ' ' : letter;
    }
  }

  void takeString(std::string& out) {
    const char quote = rest.front();
    const std::string three(3, quote);
    const bool isLong = rest.starts_with(three);
    const llvm::StringRef end = isLong ? llvm::StringRef(three) : rest.take_front();
    rest = rest.drop_front(end.size());
    out += quote;
    while (!rest.empty() && !rest.consume_front(end)) {
      if (!isLong && rest.front() == '\n')
        return; // not closed
      const size_t size = rest.front() == '\\' && rest.size() > 1 ? 2 : 1;
      if (!isLong)
        out += rest.take_front(size);
      rest = rest.drop_front(size);
    }
    out += quote;
  }

  llvm::StringRef rest;
};

/// The length of the text before the wanted one, outside of strings and brackets; npos if it is not
/// found.
size_t findOutside(llvm::StringRef text, llvm::StringRef wanted) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isQuote(text[i])) {
      for (const char quote = text[i++]; i < text.size() && text[i] != quote; ++i)
        if (text[i] == '\\')
          ++i;
      continue;
    }
    if (depth == 0 && text.substr(i).starts_with(wanted))
      return i;
    if (llvm::StringRef("([{").contains(text[i]))
      ++depth;
    else if (llvm::StringRef(")]}").contains(text[i]) && depth > 0)
      --depth;
  }
  return llvm::StringRef::npos;
}

llvm::SmallVector<llvm::StringRef, 4> splitOutside(llvm::StringRef text,
                                                   llvm::StringRef separator) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  for (;;) {
    const size_t end = findOutside(text, separator);
    parts.push_back(text.take_front(end).trim());
    if (end == llvm::StringRef::npos)
      return parts;
    text = text.drop_front(end + separator.size());
  }
}

/// The value of an expression that names the platform; empty for any other.
llvm::StringRef platformWord(llvm::StringRef expression, Platform platform) {
  if (expression == "sys.platform")
    return platform == Platform::Windows ? "win32"
           : platform == Platform::MacOs ? "darwin"
                                         : "linux";
  if (expression == "os.name")
    return platform == Platform::Windows ? "nt" : "posix";
  if (expression == "platform.system()" || expression == "system()")
    return platform == Platform::Windows ? "Windows"
           : platform == Platform::MacOs ? "Darwin"
                                         : "Linux";
  return {};
}

/// The content of a string literal, or nothing.
std::optional<llvm::StringRef> literal(llvm::StringRef text) {
  if (text.size() < 2 || !isQuote(text.front()) || text.back() != text.front())
    return std::nullopt;
  return text.drop_front().drop_back();
}

std::optional<bool> platformCondition(llvm::StringRef condition, Platform platform) {
  for (llvm::StringRef comparison : {" == ", " != "}) {
    const auto [left, right] = condition.split(comparison);
    const llvm::StringRef word = platformWord(left.trim(), platform);
    if (const auto value = literal(right.trim()); value && !word.empty())
      return (word == *value) == (comparison == " == ");
  }
  const auto [left, right] = condition.split(".startswith(");
  const llvm::StringRef word = platformWord(left, platform);
  llvm::StringRef argument = right;
  if (const auto value = argument.consume_back(")") ? literal(argument) : std::nullopt;
      value && !word.empty())
    return word.starts_with(*value);
  return std::nullopt;
}

/// The value of a condition; nothing if it is unknown.
std::optional<bool> valueOf(llvm::StringRef condition, Platform platform) {
  if (condition.size() > kLongestCondition)
    return std::nullopt;
  condition = condition.trim();
  while (condition.size() > 1 && condition.front() == '(' &&
         findOutside(condition.drop_front(), ")") == condition.size() - 2)
    condition = condition.drop_front().drop_back().trim();
  for (const auto& [word, decisive] : {std::pair(" or ", true), std::pair(" and ", false)}) {
    const llvm::SmallVector<llvm::StringRef, 4> parts = splitOutside(condition, word);
    if (parts.size() == 1)
      continue;
    bool isKnown = true;
    for (llvm::StringRef part : parts) {
      const std::optional<bool> value = valueOf(part, platform);
      if (value == decisive)
        return value;
      isKnown &= value.has_value();
    }
    return isKnown ? std::optional(!decisive) : std::nullopt;
  }
  if (condition.consume_front("not ")) {
    const std::optional<bool> value = valueOf(condition, platform);
    return value ? std::optional(!*value) : std::nullopt;
  }
  if (condition == "TYPE_CHECKING" || condition.ends_with(".TYPE_CHECKING") ||
      condition == "False" || condition == "0" || condition.starts_with("__name__ =="))
    return false;
  // An extension module is imported as a part of a package.
  if (condition == "True" || condition == "1" || condition == "__debug__" ||
      condition == "__package__" || condition == "\".\" in __name__" ||
      condition == "'.' in __name__")
    return true;
  // Wheels are for a Python that is newer than any that sources still compare with.
  if (condition.consume_front("sys.version_info")) {
    condition = condition.trim();
    if (condition.starts_with(">") || condition.starts_with("<"))
      return condition.starts_with(">");
    return std::nullopt;
  }
  return platformCondition(condition, platform);
}

class SourceReader {
public:
  SourceReader(Platform platform, PythonSource& source) : platform(platform), source(source) {}

  void take(const LogicalLine& line) {
    Block before; // at the same indentation
    while (!blocks.empty() && blocks.back().indent >= line.indent) {
      if (blocks.back().indent == line.indent)
        before = blocks.back();
      blocks.pop_back();
    }
    const bool runs = blocks.empty() || blocks.back().runs;
    llvm::StringRef text = line.text;
    std::optional<Block> header = headerOf(text, before);
    if (!header)
      return runs ? takeStatements(text) : void();
    header->indent = line.indent;
    header->runs &= runs;
    blocks.push_back(*header);
    const size_t colon = findOutside(text, ":");
    if (header->runs && colon != llvm::StringRef::npos)
      takeStatements(text.drop_front(colon + 1)); // on the same line
  }

private:
  struct Block {
    enum class Kind { Other, If, Try } kind = Kind::Other;
    size_t indent = 0;
    bool runs = true;
    std::optional<bool> isTaken = {}; ///< If: whether this branch or one before it is
  };

  /// The block that a line begins; nothing if it begins none.
  std::optional<Block> headerOf(llvm::StringRef text, const Block& before) const {
    const llvm::StringRef word = text.take_while(llvm::isAlpha);
    using Kind = Block::Kind;
    if (word == "def" || word == "async" || (word == "match" && text.ends_with(":")))
      return Block{.runs = false};
    if (word == "class" || word == "with" || word == "for" || word == "while")
      return Block{};
    if (word == "try" || word == "finally")
      return Block{.kind = Kind::Try};
    if (word == "except")
      return Block{.kind = Kind::Try, .runs = false};
    if (word == "if")
      return branch(text.drop_front(word.size()), false);
    if (word == "elif")
      return branch(text.drop_front(word.size()), before.isTaken);
    if (word == "else" && before.kind == Kind::If)
      return Block{.kind = Kind::If, .runs = before.isTaken == false, .isTaken = before.isTaken};
    if (word == "else")
      return Block{.runs = before.kind == Kind::Try};
    return std::nullopt;
  }

  Block branch(llvm::StringRef text, std::optional<bool> isTakenBefore) const {
    Block block{.kind = Block::Kind::If, .runs = false, .isTaken = isTakenBefore};
    if (isTakenBefore != false)
      return block;
    block.isTaken = valueOf(text.take_front(findOutside(text, ":")), platform);
    block.runs = block.isTaken == true;
    return block;
  }

  void takeStatements(llvm::StringRef text) {
    for (llvm::StringRef statement : splitOutside(text, ";")) {
      if (statement.consume_front("import "))
        for (llvm::StringRef module : splitOutside(statement, ","))
          source.imports.push_back({0, module.split(' ').first.str(), {}});
      else if (statement.consume_front("from "))
        takeFrom(statement.trim());
      else
        takeCalls(statement);
    }
  }

  void takeFrom(llvm::StringRef text) {
    ImportStatement found;
    const llvm::StringRef module =
        text.take_until([](char letter) { return llvm::isSpace(letter) || letter == '('; });
    llvm::StringRef names = text.drop_front(module.size()).trim();
    const llvm::StringRef name = module.ltrim('.');
    found.level = module.size() - name.size();
    found.module = name.str();
    // "from .import x" has no space.
    if (found.module == "import" && found.level > 0)
      found.module.clear();
    else if (!names.consume_front("import"))
      return;
    names = names.trim();
    if (names.consume_front("("))
      names.consume_back(")");
    for (llvm::StringRef each : splitOutside(names, ","))
      if (const llvm::StringRef first = each.split(' ').first; !first.empty() && first != "*")
        found.names.push_back(first.str());
    source.imports.push_back(std::move(found));
  }

  /// `importlib.import_module("a.b")` and `__import__("a.b")`.
  void takeCalls(llvm::StringRef text) {
    for (llvm::StringRef call : {"import_module(", "__import__("}) {
      const size_t at = text.find(call);
      if (at == llvm::StringRef::npos)
        continue;
      const llvm::StringRef arguments = text.drop_front(at + call.size());
      const llvm::StringRef first =
          arguments.take_until([](char c) { return c == ',' || c == ')'; });
      if (const auto name = literal(first.trim())) {
        const llvm::StringRef module = name->ltrim('.');
        source.imports.push_back({name->size() - module.size(), module.str(), {}});
      }
    }
  }

  const Platform platform;
  PythonSource& source;
  std::vector<Block> blocks;
};

} // namespace

bool callsALoader(llvm::StringRef text, Platform platform) {
  return llvm::any_of(kLoading, [&](llvm::StringRef call) { return text.contains(call); }) ||
         (platform == Platform::Windows && text.contains("add_dll_directory("));
}

bool mayLoad(llvm::StringRef loadingCode, llvm::StringRef library) {
  if (loadingCode.empty())
    return false;
  return loadingCode.contains("add_dll_directory(") ||
         loadingCode.contains(library.split('.').first) ||
         llvm::any_of(kListing, [&](llvm::StringRef call) { return loadingCode.contains(call); });
}

PythonSource readPythonSource(llvm::StringRef text, Platform platform) {
  PythonSource source;
  const bool mayCall = callsALoader(text, platform);
  text.consume_front("\xef\xbb\xbf");
  LineReader lines(text);
  SourceReader reader(platform, source);
  while (std::optional<LogicalLine> line = lines.next()) {
    reader.take(*line);
    if (mayCall)
      source.loadingCode += line->text + "\n";
  }
  if (!callsALoader(source.loadingCode, platform)) // only a comment contains it
    source.loadingCode.clear();
  return source;
}

} // namespace tcfix::env
