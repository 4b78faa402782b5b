#include "report/text_parts.h"

#include "image/names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>

namespace tcfix::report {

std::string Paint::wrap(const char* code, llvm::StringRef text) const {
  if (!isOn)
    return text.str();
  return ("\x1b[" + llvm::Twine(code) + "m" + text + "\x1b[0m").str();
}

std::string printable(llvm::StringRef text) {
  std::string out;
  for (char c : llvm::json::fixUTF8(text)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
    else
      out += c;
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
