#include "traceback/plain_text.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ConvertUTF.h>

namespace tcfix::traceback {

namespace {

constexpr size_t kLongestGap = 80; // between two words of a broken line

/// UTF-16 by its byte order mark, or by the zero bytes of Latin letters.
std::optional<std::string> fromUtf16(llvm::StringRef text) {
  bool hasMark = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  llvm::StringRef sample = text.take_front(512);
  bool isLittle = !hasMark && sample.size() >= 8;
  for (size_t i = 0; isLittle && i + 1 < sample.size(); i += 2)
    isLittle = sample[i] != '\0' && sample[i + 1] == '\0';
  if (!hasMark && !isLittle)
    return std::nullopt;
  const std::string marked = isLittle ? "\xff\xfe" + text.str() : text.str();
  std::string converted;
  if (!llvm::convertUTF16ToUTF8String(llvm::ArrayRef(marked.data(), marked.size() & ~size_t(1)),
                                      converted))
    return std::nullopt;
  return converted;
}

struct Replacement {
  llvm::StringLiteral coded, plain;
};
constexpr Replacement kEntities[] = {{"&#39;", "'"},   {"&#x27;", "'"}, {"&apos;", "'"},
                                     {"&quot;", "\""}, {"&#34;", "\""}, {"&lt;", "<"},
                                     {"&gt;", ">"},    {"&nbsp;", " "}, {"&amp;", "&"}};

// The vertical lines of boxes around messages.
constexpr llvm::StringLiteral kVerticals[] = {"│", "┃", "║"};

// The part after the "\n" of a string that was printed with escapes. Windows paths contain "\n",
// too, followed by a letter.
constexpr llvm::StringLiteral kAfterEscape[] = {
    " ", "[", "\\n", "FFmpeg", "OSError", "Traceback", "The ", "RuntimeError", "ImportError"};

/// A sequence that sets colours, with or without its escape: "\x1b[1;31m", "[0m".
size_t lengthOfColour(llvm::StringRef text) {
  const bool hasEscape = text.consume_front("\x1b");
  if (!text.starts_with("["))
    return 0;
  size_t end = 1;
  while (end < text.size() && (llvm::isDigit(text[end]) || text[end] == ';' || text[end] == '?'))
    ++end;
  if (end == text.size() || !llvm::isAlpha(text[end]))
    return 0;
  return hasEscape ? end + 2 : (end > 1 && text[end] == 'm') ? end + 1 : 0;
}

/// "\xe8" and "\u2019" of strings that were printed with escapes. Appends the character; 0 if there
/// is none. ASCII letters are not escaped, so paths such as "C:\xbad" are kept.
size_t lengthOfEscape(llvm::StringRef text, std::string& plain) {
  const size_t digits = text.starts_with("\\x") ? 2 : text.starts_with("\\u") ? 4 : 0;
  unsigned code = 0;
  if (digits == 0 || text.size() < 2 + digits || text.substr(2, digits).getAsInteger(16, code) ||
      code < 0x80 || (code >= 0xd800 && code < 0xe000))
    return 0;
  char letter[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char* end = letter;
  if (!llvm::ConvertCodePointToUTF8(code, end))
    return 0;
  plain.append(letter, end);
  return 2 + digits;
}

size_t lengthOfVertical(llvm::StringRef text) {
  if (text.front() != kVerticals[0].front()) // most characters
    return 0;
  for (llvm::StringRef each : kVerticals)
    if (text.starts_with(each))
      return each.size();
  return 0;
}

bool isGap(char c) {
  return llvm::isSpace(c) || c == '>' || c == '|';
}

/// The gap between two words: blanks and, after a line end, the marks of quoted lines. Its length,
/// at the beginning or at the end of the text.
size_t lengthOfGap(llvm::StringRef text, bool isAtEnd) {
  size_t length = 0, blanks = 0;
  bool hasLineEnd = false, hasMark = false;
  while (length < text.size() && length < kLongestGap) {
    const char c = isAtEnd ? text[text.size() - 1 - length] : text[length];
    if (!isGap(c))
      break;
    hasLineEnd |= c == '\n';
    hasMark |= !llvm::isSpace(c);
    ++length;
    if (!hasMark)
      blanks = length;
  }
  return hasLineEnd ? length : blanks; // a mark on the same line is part of the text
}

/// A text inside JSON, or printed as a string: its line ends are escaped.
std::string withoutEscapes(llvm::StringRef text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    const size_t at = llvm::StringRef("ntr\"'\\/").find(next);
    if (next == '\0' || at == llvm::StringRef::npos) {
      plain += text[i];
      continue;
    }
    plain += "\n\t\r\"'\\/"[at];
    ++i;
  }
  return plain;
}

bool isEscaped(llvm::StringRef text) {
  const size_t escaped = text.count("\\n");
  return escaped >= 3 && escaped > 2 * text.count('\n');
}

// The prefixes of loggers and workers. Each function removes its prefix, or keeps the line.

/// "2026-07-07T15:44:47.316Z", "07-07", "[15:44:01,123]".
bool takeStamp(llvm::StringRef& line) {
  llvm::StringRef rest = line;
  rest.consume_front("[");
  const llvm::StringRef stamp = rest.take_front(rest.find_first_not_of("0123456789-:.,TZ+/"));
  rest = rest.substr(stamp.size());
  rest.consume_front("]");
  const bool isStamp = llvm::count_if(stamp, llvm::isDigit) >= 4 &&
                       (stamp.contains(':') || stamp.contains('-')) &&
                       (rest.starts_with(" ") || rest.empty());
  if (isStamp)
    line = rest;
  return isStamp;
}

/// "ERROR 07-07", and what follows it: "15:44:01 [core.py:12]" or "[worker-1]".
bool takeLevel(llvm::StringRef& line) {
  llvm::StringRef rest = line;
  bool isLevel = false;
  for (llvm::StringRef level : {"ERROR", "WARNING", "WARN", "INFO", "DEBUG", "CRITICAL"})
    isLevel = isLevel || rest.consume_front(level);
  if (!isLevel || !rest.consume_front(" "))
    return false;
  for (llvm::StringRef next = rest.ltrim(); takeStamp(next); next = rest.ltrim())
    rest = next;
  // One word; "[start of …" is part of the text.
  llvm::StringRef source = rest.ltrim();
  if (source.starts_with("[") && !source.split(']').first.contains(' '))
    rest = source.split(']').second;
  line = rest;
  return true;
}

/// "Nov 03 11:02:17 host python[4711]: " of journald and syslog.
bool takeJournal(llvm::StringRef& line) {
  constexpr llvm::StringLiteral kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
  if (line.size() < 16 || line[3] != ' ' || !kMonths.contains(line.take_front(4)))
    return false;
  const auto [day, afterDay] = line.substr(4).ltrim().split(' ');
  const auto [time, afterTime] = afterDay.split(' ');
  const auto [host, rest] = afterTime.split(' ');
  const auto [program, message] = rest.split(':');
  if (day.empty() || !llvm::all_of(day, llvm::isDigit) || time.count(':') != 2 || host.empty() ||
      program.empty() || program.contains(' ') || program.size() == rest.size())
    return false;
  line = message;
  return true;
}

/// "stderr F " after the time stamp of a container's log (Kubernetes).
bool takeStream(llvm::StringRef& line) {
  return line.consume_front("stderr F ") || line.consume_front("stdout F ");
}

/// "app.worker:run:88 - " of loguru: module, function and line.
bool takeSource(llvm::StringRef& line) {
  const auto [source, message] = line.split(" - ");
  const auto [place, number] = source.rsplit(':');
  if (source.size() == line.size() || source.contains(' ') || number.empty() ||
      !llvm::all_of(number, llvm::isDigit) || !place.contains(':'))
    return false;
  line = message;
  return true;
}

/// "(EngineCore pid=12)".
bool takeWorker(llvm::StringRef& line) {
  if (!line.starts_with("(") || !line.take_front(80).split(')').first.contains(" pid="))
    return false;
  line = line.split(')').second;
  return true;
}

/// "web-1  | " of containers.
bool takeContainer(llvm::StringRef& line) {
  const size_t bar = line.find(" | ");
  const llvm::StringRef name = line.take_front(bar).rtrim();
  if (bar > 24 || name.contains(' ') || !name.contains('-'))
    return false;
  line = line.substr(bar + 2);
  return true;
}

/// Quoted lines, tables, and pytest.
bool takeMark(llvm::StringRef& line) {
  if (!line.starts_with("> ") && line != ">" && !line.starts_with("| ") && !line.starts_with("E  "))
    return false;
  line = line.substr(1);
  return true;
}

llvm::StringRef withoutPrefix(llvm::StringRef line) {
  if (line.starts_with("| ") && line.rtrim().ends_with(" |")) // a box
    line = line.rtrim().drop_back(2).rtrim();
  for (llvm::StringRef rest = line.ltrim();
       takeMark(rest) || takeWorker(rest) || takeLevel(rest) || takeStamp(rest) ||
       takeJournal(rest) || takeStream(rest) || takeSource(rest) || takeContainer(rest);
       rest = line.ltrim()) {
    rest.consume_front(" ");
    line = rest;
  }
  return line;
}

std::string withoutPrefixes(llvm::StringRef text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    plain += withoutPrefix(line);
    if (line.size() < text.size())
      plain += '\n';
    text = rest;
  }
  return plain;
}

std::string lettersOf(llvm::StringRef text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const llvm::StringRef rest = text.substr(i);
    const char c = rest.front();
    size_t length = 1;
    if (c == '\x1b' || c == '[') {
      if (size_t colour = lengthOfColour(rest))
        length = colour;
      else
        plain += c;
    } else if (c == '\r') {
      if (!rest.starts_with("\r\n"))
        plain += '\n';
    } else if (c == '&') {
      llvm::StringRef sign = "&";
      for (const Replacement& entity : kEntities)
        if (rest.starts_with(entity.coded)) {
          sign = entity.plain;
          length = entity.coded.size();
          break;
        }
      plain += sign;
    } else if (size_t vertical = lengthOfVertical(rest)) {
      plain += '|';
      length = vertical;
    } else if (size_t escape = lengthOfEscape(rest, plain)) {
      length = escape;
    } else if (c == '\\' && rest.starts_with("\\n")) {
      bool isLineEnd = false;
      for (llvm::StringRef next : kAfterEscape)
        isLineEnd |= rest.substr(2).starts_with(next);
      if (isLineEnd) {
        plain += '\n';
        length = 2;
      } else {
        plain += c;
      }
    } else if (c != '\0') {
      plain += c;
    }
    i += length;
  }
  return plain;
}

} // namespace

std::string plainText(llvm::StringRef text) {
  const std::string utf8 = fromUtf16(text).value_or(text.str());
  return withoutPrefixes(lettersOf(isEscaped(utf8) ? withoutEscapes(utf8) : utf8));
}

std::optional<Span> findWords(llvm::StringRef text, llvm::StringRef words, size_t from) {
  llvm::SmallVector<llvm::StringRef, 12> parts;
  words.split(parts, ' ', -1, false);
  // The longest word is rare.
  size_t anchor = 0;
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i].size() > parts[anchor].size())
      anchor = i;
  for (size_t at = text.find(parts[anchor], from); at != llvm::StringRef::npos;
       at = text.find(parts[anchor], at + 1)) {
    Span span{at, at + parts[anchor].size()};
    bool fits = true;
    for (size_t i = anchor; fits && i-- > 0;) {
      const size_t gap = lengthOfGap(text.slice(from, span.begin), true);
      fits = gap > 0 && text.slice(from, span.begin - gap).ends_with(parts[i]);
      if (fits)
        span.begin -= gap + parts[i].size();
    }
    for (size_t i = anchor + 1; fits && i < parts.size(); ++i) {
      const size_t gap = lengthOfGap(text.substr(span.end), false);
      fits = gap > 0 && text.substr(span.end + gap).starts_with(parts[i]);
      if (fits)
        span.end += gap + parts[i].size();
    }
    if (fits)
      return span;
  }
  return std::nullopt;
}

} // namespace tcfix::traceback
