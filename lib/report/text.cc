#include "report/text_parts.h"

#include "image/names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/FormatVariadic.h>

namespace tcfix::report {

std::string Paint::wrap(const char* code, llvm::StringRef text) const {
  if (!isOn)
    return text.str();
  return ("\x1b[" + llvm::Twine(code) + "m" + text + "\x1b[0m").str();
}

namespace {

/// The size in bytes of the first character of `text`; 0 if it is not UTF-8.
size_t sizeOfCharacter(llvm::StringRef text) {
  auto* begin = reinterpret_cast<const llvm::UTF8*>(text.data());
  return llvm::isLegalUTF8Sequence(begin, begin + text.size()) ? llvm::getNumBytesForUTF8(*begin)
                                                               : 0;
}

/// Whether a character controls a terminal or the order of text, or is invisible: C0 and C1, marks
/// and overrides of the direction, line separators, the byte order mark, tags. The two joiners,
/// which some languages need, are not.
bool isControl(llvm::StringRef character) {
  auto last = static_cast<unsigned char>(character.back());
  if (character.size() == 1)
    return last < 0x20 || last == 0x7f;
  if (character.starts_with("\xC2"))
    return last < 0xA0;
  if (character.starts_with("\xE2\x80"))
    return last == 0x8B || last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE);
  if (character.starts_with("\xE2\x81"))
    return last >= 0xA0 && last <= 0xA9;
  return character == "\xD8\x9C" || character == "\xE1\xA0\x8E" || character == "\xEF\xBB\xBF" ||
         character.starts_with("\xF3\xA0\x80") || character.starts_with("\xF3\xA0\x81");
}

} // namespace

std::string printable(llvm::StringRef text) {
  std::string out;
  while (!text.empty()) {
    size_t size = sizeOfCharacter(text);
    llvm::StringRef character = text.take_front(std::max<size_t>(size, 1));
    if (size == 0 || isControl(character))
      out += "\\x" + llvm::toHex(character, /*LowerCase=*/true);
    else
      out += character;
    text = text.drop_front(character.size());
  }
  return out;
}

std::string printableJson(std::string document) {
  // Below 0x20 there are only line breaks between values.
  auto isPlain = [](unsigned char letter) { return letter < 0x7f; };
  if (llvm::all_of(document, isPlain))
    return document;
  std::string out;
  for (llvm::StringRef rest = document; !rest.empty();) {
    const llvm::StringRef plain = rest.take_while(isPlain);
    out += plain;
    rest = rest.drop_front(plain.size());
    if (rest.empty())
      break;
    const llvm::StringRef character = rest.take_front(std::max<size_t>(sizeOfCharacter(rest), 1));
    llvm::SmallVector<llvm::UTF16, 2> units;
    if (isControl(character) && llvm::convertUTF8ToUTF16String(character, units))
      for (const llvm::UTF16 unit : units)
        out += llvm::formatv("\\u{0:x-4}", unit);
    else
      out += character;
    rest = rest.drop_front(character.size());
  }
  return out;
}

constexpr size_t kLabelWidth = 14;

std::string padded(llvm::StringRef label) {
  std::string text = "  " + label.str();
  text.resize(std::max(text.size(), kLabelWidth + 2), ' ');
  return text;
}

std::string wrapped(llvm::StringRef text, size_t indent, size_t column) {
  std::string out;
  for (llvm::StringRef word : llvm::split(text, ' ')) {
    if (column > indent && column + 1 + word.size() > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty() && column > indent) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string countText(size_t count, llvm::StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}

std::string librariesText(size_t count) {
  return count == 1 ? "1 library" : std::to_string(count) + " libraries";
}

llvm::StringRef belowSite(llvm::StringRef path) {
  auto isSeparator = [&](size_t at) { return path[at] == '/' || path[at] == '\\'; };
  for (llvm::StringRef site : {"site-packages", "dist-packages"})
    if (size_t at = path.rfind(site), end = at + site.size();
        at != llvm::StringRef::npos && at > 0 && isSeparator(at - 1) && end + 1 < path.size() &&
        isSeparator(end))
      return path.drop_front(end + 1);
  return path;
}

std::string cannotTellText(llvm::ArrayRef<llvm::StringRef> libraries) {
  // A name that ends in .so is used on Linux and macOS.
  llvm::StringRef system = "another platform";
  for (llvm::StringRef path : libraries)
    if (path.ends_with(".dylib"))
      system = "macOS";
    else if (path.ends_with_insensitive(".dll") || path.ends_with_insensitive(".pyd"))
      system = "Windows";
  return ("cannot tell whether it loads: the libraries are for " + system +
          ", and its system directories are not here")
      .str();
}

std::vector<std::string> dependencyTexts(const Slice& slice) {
  std::vector<std::string> texts;
  for (const Dependency& dependency : slice.dependencies) {
    std::string text = printable(dependency.name);
    if (dependency.kind != DependencyKind::Normal)
      text += " (" + nameOf(dependency.kind).str() + ")";
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> searchPathTexts(const Slice& slice) {
  std::vector<std::string> texts;
  for (const std::string& path : slice.searchPaths)
    texts.push_back(printable(path));
  return texts;
}

} // namespace tcfix::report
