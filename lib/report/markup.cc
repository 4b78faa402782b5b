#include "report/markup.h"

#include "report/text.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace tcfix::report {

std::string escaped(llvm::StringRef text) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::printHTMLEscaped(printable(text), stream);
  return stream.str();
}

} // namespace tcfix::report
