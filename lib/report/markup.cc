#include "report/markup.h"

#include "report/text.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace tcfix::report {

namespace {

/// U+202A to U+202E and U+2066 to U+2069, in UTF-8.
bool beginsWithTurn(llvm::StringRef text) {
  if (text.size() < 3)
    return false;
  auto last = static_cast<unsigned char>(text[2]);
  return (text.starts_with("\xE2\x80") && last >= 0xAA && last <= 0xAE) ||
         (text.starts_with("\xE2\x81") && last >= 0xA6 && last <= 0xA9);
}

} // namespace

std::string escaped(llvm::StringRef text) {
  std::string clean = printable(text), visible;
  for (size_t i = 0; i < clean.size(); ++i)
    if (llvm::StringRef rest = llvm::StringRef(clean).drop_front(i); beginsWithTurn(rest)) {
      visible += "\\x" + llvm::toHex(rest.take_front(3), /*LowerCase=*/true);
      i += 2;
    } else {
      visible += clean[i];
    }
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::printHTMLEscaped(visible, stream);
  return stream.str();
}

} // namespace tcfix::report
