#include "doctor/python_tag.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

std::string pythonTagOf(llvm::StringRef name) {
  for (llvm::StringRef marker : {".cpython-", ".cp"}) {
    llvm::StringRef digits = name.split(marker).second.take_while(llvm::isDigit);
    if (digits.size() >= 2)
      return "cp" + digits.str();
  }
  return {};
}

std::string pythonTagFor(llvm::StringRef version) {
  std::string tag = "cp";
  llvm::copy_if(version, std::back_inserter(tag), llvm::isDigit);
  return tag;
}

} // namespace tcfix::doctor
